package availability_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/keys"
)

// ledger is the model. It knows the nights as plain values, and the rules from the documentation only.
type ledger struct {
	t          *rapid.T
	db         *dyntest.DB
	met        *model.Tally
	fault      model.Trouble // of the current call
	propertyID string
	rooms      []string // room types
	closed     bool     // the property
	nights     map[at]openNight
	quotes     []*availability.Quote
	reports    []availability.Report
}

// at is a room type and a date.
type at struct {
	room string
	date dynastay.Date
}

// openNight is an open night of the model.
type openNight struct {
	total, sold, out int
	wasOut           bool // a room has been out of order, so that the number is stored
	limit            int  // of overbooking
	cents            int64
	min, max         int
	toArrival, toEnd bool // closed to
	stop             bool
	reason           string
	closed           bool // with the property
	rates            [len(modelPlans)]planRate
	updated          time.Time
}

// planRate is what an open night of the model has for a rate plan.
type planRate struct {
	priced           bool
	cents            int64
	min, max         int
	toArrival, toEnd bool // closed to
	stop             bool
}

// modelPlans are the rate plans of each property. The last one is derived, so it has no prices of its own.
var modelPlans = [...]string{"flex", "non-refund-1", "members"}

const derivedPlan = "members"

func (n openNight) left() int { return n.total - n.sold - n.out }

// modelStart is a Monday morning in New York.
var (
	modelStart = time.Date(2026, 7, 6, 12, 0, 0, 0, time.UTC)
	firstDate  = date("2026-07-06")
	newYork    = func() *time.Location {
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			panic(err)
		}
		return zone
	}()
)

const (
	modelDates    = 15 // from firstDate on
	modelCapacity = 5  // rooms of each type
)

// newModel stores a new property, with three room types.
func newModel(t *rapid.T, db *dyntest.DB, number int, met *model.Tally) *ledger {
	db.Clock.Set(modelStart)
	m := &ledger{t: t, db: db, met: met, propertyID: fmt.Sprint("prop_", number), nights: map[at]openNight{}}
	items := []dynastay.Item{{
		"PK": dynastay.Text("PROPERTY#" + m.propertyID), "SK": dynastay.Text("METADATA"), "TimeZone": dynastay.Text("America/New_York"),
	}}
	for _, name := range []string{"a", "b", "c"} {
		id := fmt.Sprintf("room_%d%s", number, name)
		m.rooms = append(m.rooms, id)
		items = append(items,
			dynastay.Item{
				"PK": dynastay.Text("PROPERTY#" + m.propertyID), "SK": dynastay.Text("ROOM#" + id),
				"Currency": dynastay.Text("USD"), "TotalRooms": dynastay.Number(modelCapacity),
			},
			dynastay.Item{"PK": dynastay.Text("ROOM#" + id), "SK": dynastay.Text("GUARD"), "PropertyId": dynastay.Text(m.propertyID)})
	}
	for _, id := range modelPlans {
		items = append(items, dynastay.Item{
			"PK": dynastay.Text("RATES#" + m.propertyID), "SK": dynastay.Text("PLAN#" + id),
			"PropertyId": dynastay.Text(m.propertyID), "RatePlanId": dynastay.Text(id),
			"IsDerived": &types.AttributeValueMemberBOOL{Value: id == derivedPlan},
		})
	}
	require.NoError(t, db.Direct.PutAll(context.Background(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, item := range items {
			if !yield(keys.PropertiesTable, item) {
				return
			}
		}
	}))
	// Most nights are open from the beginning, and some of their rooms are sold: little can happen to the others.
	repo := availability.New(db.Direct)
	for i, id := range m.rooms {
		from := rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "opened from")
		o := availability.OpenRequest{
			PropertyID: m.propertyID, RoomTypeID: id, Rooms: uniform(t, 1, 4, "rooms"), Price: dollars(10_000), OverbookLimit: drawLimit(t),
			Nights: dynastay.Stay{CheckIn: firstDate.AddDays(from), CheckOut: firstDate.AddDays(modelDates - from)},
		}
		_, err := repo.Open(context.Background(), o)
		require.NoError(t, err)
		for date := range o.Nights.Dates() {
			m.nights[at{id, date}] = openNight{total: o.Rooms, limit: o.OverbookLimit, cents: 10_000, updated: modelStart}
		}
		sold := quoting{stay: o.Nights, rooms: []int{i}, count: uniform(t, -1, o.Rooms, "sold")}
		if sold.count > 0 {
			selling{sold, -1}.run(m, process{db.Direct, repo})
		}
		if chance(t, 3, "out of order") {
			outing{room: i, nights: o.Nights, overbook: 1}.run(m, process{db.Direct, repo})
		}
	}
	return m
}

// room returns one of the room types, or one that does not exist.
func (m *ledger) room(i int) string {
	if i < len(m.rooms) {
		return m.rooms[i]
	}
	return "room_unknown"
}

// property returns the property, or another one.
func (m *ledger) property(own bool) string {
	if own {
		return m.propertyID
	}
	return "prop_other"
}

func (m *ledger) today() dynastay.Date { return date(m.db.Now().In(newYork).Format(time.DateOnly)) }

func dollars(cents int64) dynastay.Money {
	price, err := dynastay.MoneyOfMinor(cents, "USD")
	if err != nil {
		panic(err)
	}
	return price
}

// item is the stored form of a night, except for the id of its last write.
func (m *ledger) item(on at, n openNight) dynastay.Item {
	item := dynastay.Item{
		"PK": dynastay.Text("ROOM#" + on.room), "SK": dynastay.Text("DATE#" + on.date.String()),
		"GSI1PK": dynastay.Text("PROPERTY#" + m.propertyID), "GSI1SK": dynastay.Text("DATE#" + on.date.String() + "#ROOM#" + on.room),
		"EntityType": dynastay.Text("Availability"),
		"PropertyId": dynastay.Text(m.propertyID), "RoomTypeId": dynastay.Text(on.room), "Date": dynastay.Text(on.date.String()),
		"AvailableRooms": dynastay.Number(n.left()), "TotalRooms": dynastay.Number(n.total),
		"PricePerNight": number(digits(n.cents)), "Currency": dynastay.Text("USD"),
		"IsBlocked":   &types.AttributeValueMemberBOOL{Value: n.stop},
		"LastUpdated": dynastay.Text(n.updated.Format(time.RFC3339)),
		"ExpiresAt":   number(strconv.FormatInt(expires(on.date).Unix(), 10)),
	}
	for name, limit := range map[string]int{"MinStay": n.min, "MaxStay": n.max, "OverbookLimit": n.limit} {
		if limit > 0 {
			item[name] = dynastay.Number(limit)
		}
	}
	if n.wasOut {
		item["OutOfOrder"] = dynastay.Number(n.out)
	}
	for name, set := range map[string]bool{"ClosedToArrival": n.toArrival, "ClosedToDeparture": n.toEnd, "PropertyClosed": n.closed} {
		if set {
			item[name] = yes
		}
	}
	if n.reason != "" {
		item["BlockReason"] = dynastay.Text(n.reason)
	}
	rates := dynastay.Item{}
	for i, rate := range n.rates {
		if rate != (planRate{}) {
			rates[modelPlans[i]] = &types.AttributeValueMemberM{Value: rate.item()}
		}
	}
	if len(rates) > 0 {
		item["Rates"] = &types.AttributeValueMemberM{Value: rates}
	}
	return item
}

// item is the stored form of a rate.
func (r planRate) item() dynastay.Item {
	item := dynastay.Item{}
	if r.priced {
		item["P"] = number(digits(r.cents))
	}
	for name, limit := range map[string]int{"N": r.min, "X": r.max} {
		if limit > 0 {
			item[name] = dynastay.Number(limit)
		}
	}
	for name, set := range map[string]bool{"S": r.stop, "A": r.toArrival, "D": r.toEnd} {
		if set {
			item[name] = yes
		}
	}
	return item
}

// rate is a rate as a read returns it.
func (r planRate) rate() availability.Rate {
	rate := availability.Rate{
		StopSell: r.stop, ClosedToArrival: r.toArrival, ClosedToDeparture: r.toEnd, MinStay: r.min, MaxStay: r.max,
	}
	if r.priced {
		rate.Price = dollars(r.cents)
	}
	return rate
}

// digits is an amount as it is stored, without zeros at the end.
func digits(cents int64) string {
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%d.%02d", cents/100, cents%100), "0"), ".0")
}

func expires(d dynastay.Date) time.Time { return d.Time().AddDate(2, 0, 0) }

// night is a night as a read returns it; one from the index has fewer values.
func (m *ledger) night(on at, n openNight, fromIndex bool) availability.Night {
	all := availability.Night{
		RoomTypeID: on.room, PropertyID: m.propertyID, Date: on.date, Available: n.left(), Total: n.total, OutOfOrder: n.out, OverbookLimit: n.limit, Price: dollars(n.cents),
		MinStay: n.min, MaxStay: n.max, ClosedToArrival: n.toArrival, ClosedToDeparture: n.toEnd, StopSell: n.stop, PropertyClosed: n.closed,
	}
	for i, rate := range n.rates {
		if rate != (planRate{}) {
			if all.Rates == nil {
				all.Rates = map[string]availability.Rate{}
			}
			all.Rates[modelPlans[i]] = rate.rate()
		}
	}
	if !fromIndex {
		all.StopSellReason, all.UpdatedAt, all.ExpiresAt = n.reason, n.updated, expires(on.date)
	}
	return all
}

// reads returns the nights of a stay that have not expired.
func (m *ledger) reads(room string, stay dynastay.Stay, fromIndex bool) []availability.Night {
	all := []availability.Night{}
	for date := stay.CheckIn; date != stay.CheckOut; date = date.AddDays(1) {
		if n, open := m.nights[at{room, date}]; open && m.db.Now().Before(expires(date)) {
			all = append(all, m.night(at{room, date}, n, fromIndex))
		}
	}
	return all
}

// refusals returns why a stay cannot be sold, given all of its nights that are on sale.
func refusals(room string, rooms, overbook int, stay dynastay.Stay, nights map[dynastay.Date]openNight) (all []availability.RefusedNight) {
	length := stay.CheckIn.DaysUntil(stay.CheckOut)
	for i := range length {
		on := stay.CheckIn.AddDays(i)
		n, open := nights[on]
		no := func(reason availability.Reason, left, nights int) {
			all = append(all, availability.RefusedNight{RoomTypeID: room, Date: on, Reason: reason, Left: left, Nights: nights})
		}
		if !open {
			no(availability.NotOnSale, 0, 0)
			continue
		}
		if n.stop {
			no(availability.StopSell, 0, 0)
		}
		if n.closed {
			no(availability.PropertyClosed, 0, 0)
		}
		if n.left()-rooms < -max(overbook, n.limit) {
			no(availability.SoldOut, max(0, n.left()), 0)
		}
		if i == 0 && n.toArrival {
			no(availability.ClosedToArrival, 0, 0)
		}
		if i == 0 && length < n.min {
			no(availability.MinStay, 0, n.min)
		}
		if i == 0 && n.max != 0 && length > n.max {
			no(availability.MaxStay, 0, n.max)
		}
		if i == length-1 && n.toEnd {
			no(availability.ClosedToDeparture, 0, 0)
		}
	}
	return all
}

// onSale returns the nights of a property's room type, by date.
func (m *ledger) onSale(property, room string, evenExpired bool) map[dynastay.Date]openNight {
	all := map[dynastay.Date]openNight{}
	for on, n := range m.nights {
		if property == m.propertyID && on.room == room && (evenExpired || m.db.Now().Before(expires(on.date))) {
			all[on.date] = n
		}
	}
	return all
}

// days are days of the week; none means all of them.
type days []time.Weekday

func drawDays(t *rapid.T) days {
	if uniform(t, 0, 2, "some days of the week") < 2 {
		return nil
	}
	all := rapid.SliceOfNDistinct(rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6, 0}), 1, 4, rapid.ID[int]).Draw(t, "days of the week")
	var some days
	for _, d := range all {
		some = append(some, time.Weekday(d))
	}
	return some
}

func (d days) weekdays() availability.Weekdays {
	if d == nil {
		return 0
	}
	return availability.On(d...)
}

func (d days) of(stay dynastay.Stay) (all []dynastay.Date) {
	for date := stay.CheckIn; date != stay.CheckOut; date = date.AddDays(1) {
		if d == nil || slices.Contains(d, date.Time().Weekday()) {
			all = append(all, date)
		}
	}
	return all
}

func drawDates(t *rapid.T, lengths ...int) dynastay.Stay {
	from := firstDate.AddDays(uniform(t, -1, modelDates-1, "from"))
	return dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(rapid.SampledFrom(lengths).Draw(t, "length"))}
}

// chance is true once in n times.
func chance(t *rapid.T, n int, name string) bool { return uniform(t, 1, n, name) == n }

// uniform draws every number from first to last equally often. Rapid's own numbers are mostly the lowest ones.
func uniform(t *rapid.T, first, last int, name string) int {
	all := make([]int, last-first+1)
	for i := range all {
		all[i] = first + i
	}
	return rapid.SampledFrom(all).Draw(t, name)
}

// house is the property as a guest sees it.
func (m *ledger) house() availability.House {
	return availability.House{ID: m.propertyID, Name: "Grand Luxury Hotel", TimeZone: "America/New_York", CheckInTime: "15:00"}
}

// invalid is an error for a field.
func invalid(field string, args ...any) error {
	return dynastay.Invalid(fmt.Sprintf(field, args...), "…")
}
