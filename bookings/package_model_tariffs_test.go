package bookings_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/tariff"
	"github.com/dynastay/dynastay/keys"
)

var (
	rateStays = flag.Int("rates.stays", 300, "how many random stays TestStaysUnderPlansCostWhatTheModelSays books")
	rateSeed  = flag.Uint64("rates.seed", 0, "the seed of the first of its properties; the others follow; 0 for the time")
)

// houseStays is how many stays are booked in one property.
const houseStays = 5

// Random stays at random properties, in rooms under random plans, cost what package tariff says: when they are quoted,
// booked, read and changed, while prices and plans change in between. At the end all are cancelled, and every night has all
// of its rooms. To repeat one property:
//
//	go test ./bookings -run TestStaysUnderPlansCostWhatTheModelSays -rates.stays=1 -rates.seed=…
func TestStaysUnderPlansCostWhatTheModelSays(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.BookingsTable, keys.AvailabilityTable, keys.MetadataTable), dyntest.At(innNoon))
	seed := cmp.Or(*rateSeed, uint64(time.Now().UnixNano()))
	t.Log("seed", seed)
	met := &model.Tally{}
	repo := bookings.New(db.DB, nil)
	for i := range uint64(*rateStays+houseStays-1) / houseStays {
		h := &tariffHouse{
			inn: &inn{db, repo, fmt.Sprintf("prop_%x", seed+i)}, t: t, seed: seed + i, d: tariff.New(seed + i), met: met,
		}
		h.open()
		for range houseStays {
			h.book()
			if len(h.booked) > 0 && h.d.One(2) {
				h.change(h.booked[h.d.IntN(len(h.booked))])
			}
		}
		h.agree()
		for _, b := range h.booked {
			done, err := repo.Cancel(t.Context(), b.id, "", nil)
			require.NoError(t, err, h.about(nil))
			require.Empty(t, done.Missing, h.about(nil))
			h.take(b.stay, b.lines, -1)
		}
		for room, nights := range h.nights {
			for date, n := range nights {
				require.Equal(t, h.total, n.left, "%s %s", room, date) // of the model itself
			}
		}
		h.agree()
	}
	t.Log(met)
	outcomes := []string{
		"booked", "quote refused", "changed", "change refused", "line as it was", "line repriced", "line under another plan",
		"line added", "line without a plan", "fewer rooms", "nobody said who stays", "plans that RatePlans does not have",
	}
	if *rateStays >= 2_000 {
		for _, reason := range []availability.Reason{
			availability.NotOnSale, availability.SoldOut, availability.MinStay, availability.MaxStay, availability.TooEarly, availability.TooLate,
			availability.ClosedToArrival,
		} {
			outcomes = append(outcomes, string(reason))
		}
	} else if *rateStays < 300 {
		return
	}
	for _, outcome := range outcomes {
		assert.NotZero(t, met.Count(outcome), outcome)
	}
}

// tariffHouse is a property with two room types and four plans, of which two have prices of their own.
type tariffHouse struct {
	*inn
	t    *testing.T
	seed uint64
	d    tariff.Draw
	met  *model.Tally

	currency dynastay.Currency
	total    int
	today    dynastay.Date
	window   dynastay.Stay
	plans    []availability.RatePlan
	nights   map[string]map[dynastay.Date]*tariffNight // by room type; a night that is closed is not there
	booked   []*tariffBooking
}

type tariffNight struct {
	price dynastay.Money
	rates map[string]dynastay.Money
	left  int
}

// tariffBooking is what the model knows of a booking.
type tariffBooking struct {
	id    string
	on    dynastay.Date // when it was made
	stay  dynastay.Stay
	lines []tariffLine
	used  map[string]bool // the numbers that lines have had, by room type
	kept  dynastay.Money
}

// about describes a failure, only when there is one.
func (h *tariffHouse) about(v any) fmt.Stringer { return failure{h, v} }

type failure struct {
	house *tariffHouse
	about any
}

func (f failure) String() string {
	text, err := json.MarshalIndent(f.about, "", " ")
	require.NoError(f.house.t, err)
	return fmt.Sprintf("-rates.stays=1 -rates.seed=%d, today %s, in %s: %s", f.house.seed, f.house.today, f.house.currency, text)
}

func (h *tariffHouse) open() {
	d := h.d
	h.currency = tariff.Pick(d, dynastay.Currency("USD"), "EUR", "JPY", "KWD", "HUF", "CHF")
	h.total = tariff.Pick(d, 60, 60, 60, 6)
	h.today = dynastay.MustDate("2026-03-05").AddDays(d.IntN(400))
	from := h.today.AddDays(tariff.Pick(d, 0, 1, 3, 7, 14, 30, 45, 60))
	h.window = dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(34)}
	h.Clock.Set(h.today.Time().Add(time.Duration(d.IntN(24)) * time.Hour))
	h.nights = map[string]map[dynastay.Date]*tariffNight{}
	for _, room := range []string{h.roomType("a"), h.roomType("b")} {
		h.nights[room] = map[dynastay.Date]*tariffNight{}
		for date := range h.window.Dates() {
			if !d.One(400) {
				n := &tariffNight{left: h.total}
				h.reprice(n)
				h.nights[room][date] = n
			}
		}
	}
	require.NoError(h.t, h.PutAll(h.t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for room, nights := range h.nights {
			for date, n := range nights {
				item := h.night("a", date)
				item["RoomTypeId"], item["Currency"] = dynastay.Text(room), dynastay.Text(string(h.currency))
				item["AvailableRooms"], item["TotalRooms"] = dynastay.Number(h.total), dynastay.Number(h.total)
				item["PricePerNight"], item["Rates"] = amountOf(n.price), n.stored()
				for name, v := range keys.AvailabilityTable.Key.Of(nightKey(room, date)) {
					item[name] = v
				}
				if !yield(keys.AvailabilityTable, item) {
					return
				}
			}
		}
	}))
	h.drawPlans()
}

// reprice draws the prices of a night; sometimes it has none for a plan.
func (h *tariffHouse) reprice(n *tariffNight) {
	price := func() dynastay.Money {
		for {
			p := h.d.Price(h.currency)
			if minor, err := p.Minor(); err == nil && minor < 1_000_000_000 { // so that no sum has too many digits
				return p
			}
		}
	}
	n.price, n.rates = price(), map[string]dynastay.Money{}
	for _, id := range []string{"own", "more"} {
		if !h.d.One(400) {
			n.rates[id] = price()
		}
	}
}

// stored is the attribute Rates, as docs/rates.md describes it.
func (n *tariffNight) stored() types.AttributeValue {
	all := dynastay.Item{}
	for id, price := range n.rates {
		all[id] = &types.AttributeValueMemberM{Value: dynastay.Item{"P": amountOf(price)}}
	}
	return &types.AttributeValueMemberM{Value: all}
}

// drawPlans draws the plans that are sold from now on. Their ids and what they are derived from stay the same.
func (h *tariffHouse) drawPlans() {
	d := h.d
	h.plans = nil
	for _, id := range []string{"own", "more", "less", "day"} {
		p := d.Plan(id, h.currency)
		p.PropertyID = h.id
		p.CancellationPolicy = tariff.Pick(d, "", availability.NonRefundable, availability.FreeCancellation(48))
		if id == "less" || id == "day" {
			p.Derived = d.Derivation(h.currency)
			p.Derived.From = map[string]string{"less": "own", "day": ""}[id]
		}
		if d.One(10) {
			stay := h.randomStay()
			p.Conditions = d.Conditions(availability.RateRequest{Today: h.today, Stay: stay})
		}
		if d.One(40) {
			p.RoomTypeIDs = []string{h.roomType("a")}
		}
		p.Active = !d.One(60)
		require.NoError(h.t, p.Validate(), h.about(p))
		h.plans = append(h.plans, *p)
	}
}

func (h *tariffHouse) randomStay() dynastay.Stay {
	d := h.d
	nights := d.Between(1, 5)
	if d.One(4) {
		nights = d.Between(1, 20)
	}
	from := h.window.CheckIn.AddDays(d.IntN(h.window.Nights() - nights))
	return dynastay.Stay{CheckIn: laterDate(from, h.today), CheckOut: laterDate(from, h.today).AddDays(nights)}
}

func laterDate(a, b dynastay.Date) dynastay.Date {
	if a.Before(b) {
		return b
	}
	return a
}

// entry draws rooms of a type.
func (h *tariffHouse) entry() availability.Room {
	d := h.d
	r := h.room(tariff.Pick(d, "a", "a", "a", "b"))
	r.Quantity = tariff.Pick(d, 1, 1, 1, 2, 3)
	r.RatePlanID = tariff.Pick(d, "own", "own", "more", "less", "less", "day", "day", "")
	party := d.Party()
	r.Party = &party
	return r
}

func (h *tariffHouse) room(room string) availability.Room {
	return availability.Room{
		RoomTypeID: h.roomType(room), Name: "Room " + room, CancellationPolicy: availability.FreeCancellation(24),
		Limits: availability.Limits{MaxOccupancy: 8, MaxAdults: 4, MaxChildren: 4},
	}
}

// request asks for rooms. Sometimes it does not say who stays in them.
func (h *tariffHouse) request(stay dynastay.Stay, entries []availability.Room, asks func(id string) bool) availability.QuoteRequest {
	req := availability.QuoteRequest{
		Property: availability.House{ID: h.id, Name: "The Inn", CheckInTime: "15:00"}, Stay: stay, RatePlans: h.plans, Rooms: entries,
	}
	for _, e := range entries {
		req.Guests.Adults += e.Party.Adults * e.Quantity
		req.Guests.Children += e.Party.Children * e.Quantity
	}
	one := len(entries) == 1 && entries[0].Quantity == 1
	if depends := slices.ContainsFunc(entries, func(e availability.Room) bool { return asks(e.RatePlanID) }); (one || !depends) && h.d.One(3) {
		h.met.Add("nobody said who stays", 1)
		req.Rooms = slices.Clone(entries)
		for i := range req.Rooms {
			req.Rooms[i].Party = nil
		}
	}
	return req
}

// book quotes and books random rooms.
func (h *tariffHouse) book() {
	var entries []availability.Room
	for range tariff.Pick(h.d, 1, 1, 2, 3, 4) {
		entries = append(entries, h.entry())
	}
	req := h.request(h.randomStay(), entries, h.asks)
	want, refused := h.quote(req)
	q, err := availability.New(h.DB.DB).Quote(h.t.Context(), req)
	if h.refuses(refused, err, "quote refused", req) {
		return
	}
	h.same(want, q, req)
	b, err := h.repo.Create(h.t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(h.t, err, h.about(req))
	h.met.Add("booked", 1)
	made := &tariffBooking{id: b.ID, on: h.today, stay: req.Stay, lines: want, used: map[string]bool{}}
	h.booked = append(h.booked, made)
	h.take(req.Stay, want, 1)
	h.read(made, q)
}

// refuses reports whether the call was refused, which must be as the model says.
func (h *tariffHouse) refuses(want []availability.RefusedNight, err error, outcome string, about any) bool {
	if len(want) == 0 {
		require.NoError(h.t, err, h.about(about))
		return false
	}
	var refused *availability.Refused
	require.ErrorAs(h.t, err, &refused, h.about(about))
	require.Equal(h.t, texts(want, true), texts(refused.Nights, false), h.about(about))
	h.met.Add(outcome, 1)
	for _, n := range want {
		h.met.Add(string(n.Reason), 1)
	}
	return true
}

// texts are refused nights in any order. Those of the model may be there several times.
func texts(nights []availability.RefusedNight, compact bool) (all []string) {
	for _, n := range nights {
		all = append(all, fmt.Sprintf("%s %s %s left %d nights %d days %d price %s", n.RoomTypeID, n.RatePlanID, n, n.Left, n.Nights, n.Days, n.Price))
	}
	slices.Sort(all)
	if compact {
		all = slices.Compact(all)
	}
	return all
}

// same compares a quote with what it must be.
func (h *tariffHouse) same(want []tariffLine, q *availability.Quote, about any) {
	require.Len(h.t, q.Lines, len(want), h.about(about))
	sum := new(big.Rat)
	for i, w := range want {
		l := &q.Lines[i]
		require.Equal(h.t, w.text(), textOf(l), h.about(about))
		require.Equal(h.t, w.terms, l.Plan, h.about(about))
		require.Equal(h.t, w.policy, l.CancellationPolicy, h.about(about))
		for _, n := range w.nights {
			sum.Add(sum, new(big.Rat).Mul(exactly(n.price), big.NewRat(int64(w.quantity), 1)))
		}
	}
	require.Equal(h.t, sum.RatString(), exactly(q.Total).RatString(), h.about(about))
	require.Equal(h.t, h.currency, q.Total.Currency(), h.about(about))
}

func exactly(m dynastay.Money) *big.Rat {
	r, _ := new(big.Rat).SetString(m.Digits())
	return r
}

// take takes the rooms of lines out of the model's nights, or returns them.
func (h *tariffHouse) take(stay dynastay.Stay, lines []tariffLine, sign int) {
	for _, l := range lines {
		for date := range stay.Dates() {
			h.nights[l.room][date].left -= sign * l.quantity
		}
	}
}

// read compares a stored booking with the quote that was sold. Its lines have everything but the steps, and new numbers.
func (h *tariffHouse) read(b *tariffBooking, q *availability.Quote) {
	got, err := h.repo.Get(h.t.Context(), b.id, dynastay.Consistent)
	require.NoError(h.t, err, h.about(q))
	require.Len(h.t, got.Lines, len(q.Lines), h.about(q))
	require.Equal(h.t, q.Stay, got.Stay)
	require.Equal(h.t, q.Total, got.Breakdown.Rooms, h.about(q))
	require.Equal(h.t, b.kept, got.Breakdown.Kept, h.about(q))
	total, err := q.Total.Add(b.kept)
	require.NoError(h.t, err)
	require.Equal(h.t, total, got.Total, h.about(q))
	left := slices.Clone(got.Lines)
	for i, want := range q.Clone().Lines {
		for n := range want.Nights {
			want.Nights[n].Steps = nil
		}
		at := slices.IndexFunc(left, func(l bookings.Line) bool {
			if want.Number > 0 {
				return l.RoomTypeID == want.RoomTypeID && cmp.Or(l.Number, 1) == want.Number
			}
			return textOf(&l.Line) == textOf(&want) && !b.used[fmt.Sprint(l.RoomTypeID, cmp.Or(l.Number, 1))]
		})
		if at < 0 && want.Number == 0 { // a line without plans goes on without a number
			at = slices.IndexFunc(left, func(l bookings.Line) bool { return textOf(&l.Line) == textOf(&want) && l.Number == 0 })
		}
		require.GreaterOrEqual(h.t, at, 0, h.about([]any{want, left}))
		line := left[at]
		left = slices.Delete(left, at, at+1)
		want.Number = line.Number
		require.Equal(h.t, want, line.Line, h.about(q))
		b.lines[i].number = cmp.Or(line.Number, 1)
	}
	for _, l := range b.lines {
		b.used[fmt.Sprint(l.room, l.number)] = true
	}
	slices.SortStableFunc(b.lines, func(x, y tariffLine) int { // as they are read
		at := func(l tariffLine) int {
			return slices.IndexFunc(got.Lines, func(g bookings.Line) bool { return g.RoomTypeID == l.room && cmp.Or(g.Number, 1) == l.number })
		}
		return cmp.Compare(at(x), at(y))
	})
}

// agree compares the rooms left of all nights.
func (h *tariffHouse) agree() {
	for room, nights := range h.nights {
		got, err := availability.New(h.Direct).Check(h.t.Context(), h.id, room, 1, h.window, dynastay.Consistent)
		require.NoError(h.t, err)
		require.Len(h.t, got.Nights, len(nights))
		for _, n := range got.Nights {
			require.Equal(h.t, nights[n.Date].left, n.Available, "%s %s: %s", room, n.Date, h.about(nil))
		}
	}
}
