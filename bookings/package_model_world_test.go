package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// world is the model: plain values, and the rules from the documentation only. How many rooms of a night are sold, and
// how many bookings use a promo code, is not among the values. It follows from the bookings.
type world struct {
	t        *rapid.T
	db       *dyntest.DB
	programs []program
	met      *model.Tally
	fault    model.Trouble // of the current call
	recover  func()        // ends the fault
	calls    int
	meeting  bool // two calls are being compared

	houses        []*worldHouse
	nights        map[nightAt]worldNight
	bookings      map[string]worldBooking
	order         []string // ids of the bookings, as they were created
	quotes        []*availability.Quote
	modifications []bookings.Modification
	codes         map[string]worldCode
	codeNames     []string           // as the codes were created
	payments      []bookings.Payment // all notifications
	refunds       []bookings.Refund
	keyed         []keyedCall // calls with an idempotency key
	records       map[string]record
}

// worldHouse is a property.
type worldHouse struct {
	availability.House
	zone   *time.Location
	rooms  []availability.Room // ordered by id
	closed bool
}

// nightAt is a room type and a date.
type nightAt struct {
	room string
	date dynastay.Date
}

// worldNight is an open night.
type worldNight struct {
	total            int
	cents            int64
	min, max         int
	toArrival, toEnd bool // closed to
	stop, closed     bool
	lowered          bool // below the number of rooms sold, as Overbook allowed
	updated          time.Time
}

// worldBooking is a booking with its lines.
type worldBooking struct {
	id, reference, user string // no user: a guest without an account
	source              bookings.Source
	data                bookings.Data
	house               *worldHouse
	stay                dynastay.Stay
	lines               []worldLine
	taxes               int64                   // cents
	code                string                  // promo code
	discount            int64                   // cents
	kept                int64                   // cents, of what was given up
	policyFrom          dynastay.Date           // if the hours of the policies do not count from the check-in
	payments            map[string]worldPayment // by the provider's id
	refunds             map[string]worldRefund  // by id
	status              bookings.Status
	holdEnd             time.Time
	created, updated    time.Time
	confirmed           time.Time
	arrived, left       time.Time
	cancelled           time.Time
	reason              string
	released            dynastay.Stay // nights of a no-show whose rooms were returned
	anonymised          time.Time
	version             int
}

type worldLine struct {
	availability.Room
	cents      []int64 // of the nights
	overbooked []dynastay.Date
	assigned   []string
}

// takes reports whether the rooms of the booking are sold.
func (b worldBooking) takes() bool {
	return b.status != bookings.Cancelled && b.status != bookings.Expired
}

// sold adds up the rooms of all bookings of a night.
func (w *world) sold(at nightAt) (rooms int) {
	for _, b := range w.bookings {
		for _, l := range b.lines {
			if l.RoomTypeID == at.room && b.takes() && b.stay.Contains(at.date) && !b.released.Contains(at.date) {
				rooms += l.Quantity
			}
		}
	}
	return rooms
}

// available returns the number of rooms left.
func (w *world) available(at nightAt) int { return w.nights[at].total - w.sold(at) }

// touch marks nights of a booking as changed now.
func (w *world) touch(b worldBooking, stay dynastay.Stay) {
	for _, l := range b.lines {
		for date := range stay.Dates() {
			at := nightAt{l.RoomTypeID, date}
			n := w.nights[at]
			n.updated = w.db.Now()
			w.nights[at] = n
		}
	}
}

// today returns the date at the property.
func (h *worldHouse) today(now time.Time) dynastay.Date {
	return dynastay.MustDate(now.In(h.zone).Format(time.DateOnly))
}

// worldStart is an evening at the first property and the next morning at the second one.
var (
	worldStart = time.Date(2026, 7, 6, 23, 0, 0, 0, time.UTC)
	worldFirst = dynastay.MustDate("2026-07-06")
)

const (
	worldNights   = 14 // from worldFirst on, of which most are open
	worldCapacity = 4  // rooms of each type
)

// newWorld removes what earlier worlds have left, and stores two properties, one with three room types.
func newWorld(t *rapid.T, db *dyntest.DB, programs []program, met *model.Tally) *world {
	db.Clock.Set(worldStart)
	w := &world{
		t: t, db: db, programs: programs, met: met, recover: func() {},
		nights: map[nightAt]worldNight{}, bookings: map[string]worldBooking{}, records: map[string]record{}, codes: map[string]worldCode{},
	}
	for _, s := range []*dynastay.Schema{keys.BookingsTable, keys.AvailabilityTable, keys.MetadataTable} {
		w.clear(s)
	}
	second := model.OneOf(t, "policy", availability.FreeCancellation(48), availability.PartialRefund(35, 24))
	w.build("America/New_York", availability.FreeCancellation(48), second, availability.NonRefundable)
	w.build("Asia/Tokyo", "")
	w.offer()
	w.fill()
	return w
}

func (w *world) build(zone string, policies ...availability.CancellationPolicy) {
	var rooms []properties.RoomType
	for i, policy := range policies {
		rooms = append(rooms, properties.RoomType{
			Name: fmt.Sprintf("Room %c", 'A'+i), Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1},
			BasePrice: fixture.Price, Total: worldCapacity, CancellationPolicy: policy,
		})
	}
	made, err := properties.New(w.db.Direct, nil).Create(context.Background(), properties.Property{
		Name: "Hotel in " + zone, Slug: "hotel-" + strings.ToLower(strings.ReplaceAll(w.db.NewID(""), "_", "-")), Type: properties.Hotel,
		Stars: 4, OwnerID: "user_host", Status: properties.Approved, TimeZone: zone, CheckInTime: "15:00",
		Address: properties.Address{City: "New York", Country: "USA", Latitude: 40.7589, Longitude: -73.9851},
	}, rooms)
	require.NoError(w.t, err)
	h := &worldHouse{House: availability.House{ID: made.ID, Name: made.Name, TimeZone: zone, CheckInTime: "15:00"}}
	h.zone, err = time.LoadLocation(zone)
	require.NoError(w.t, err)
	for _, r := range made.Rooms {
		h.rooms = append(h.rooms, availability.Room{
			RoomTypeID: r.ID, Name: r.Name, Limits: r.Limits, CancellationPolicy: r.CancellationPolicy,
		})
	}
	slices.SortFunc(h.rooms, func(a, b availability.Room) int { return strings.Compare(a.RoomTypeID, b.RoomTypeID) })
	w.houses = append(w.houses, h)
	for i := range h.rooms {
		from := h.today(worldStart).AddDays(model.OneOf(w.t, "opened from", 0, 0, 0, 3))
		openingNights{house: len(w.houses) - 1, room: i, OpenRequest: availability.OpenRequest{
			Nights: dynastay.Stay{CheckIn: from, CheckOut: worldFirst.AddDays(worldNights)}, Rooms: 1 + model.UpTo(w.t, 2, "rooms"), Price: dollars(10_000),
		}}.run(w, newProgram(w.db.Direct))
	}
}

// clear removes all items of a table.
func (w *world) clear(s *dynastay.Schema) {
	var requests []types.WriteRequest
	for _, row := range w.scan(s) {
		key := s.Key.Of(s.Key.From(row))
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}})
	}
	for part := range slices.Chunk(requests, 25) {
		_, err := w.db.Engine.Client().BatchWriteItem(context.Background(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{w.db.TableName(s): part},
		})
		require.NoError(w.t, err)
	}
}

// scan reads all items of a table.
func (w *world) scan(s *dynastay.Schema) (rows []dynastay.Row) {
	for _, item := range raw.All(w.t, w.db, s) {
		rows = append(rows, dynastay.RowOf(item))
	}
	return rows
}

func drawHouse(t *rapid.T) int { return model.OneOf(t, "property", 0, 0, 0, 0, 0, 1) }

// room returns one of the room types of a property.
func (w *world) room(house, i int) availability.Room {
	rooms := w.houses[house].rooms
	return rooms[i%len(rooms)]
}

// dates begins some days after today at the property.
type dates struct{ from, nights int }

func drawWorldDates(t *rapid.T, nights ...int) dates {
	return dates{model.OneOf(t, "from", 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 5, -1), model.OneOf(t, "nights", nights...)}
}

func (d dates) stay(w *world, house int) dynastay.Stay {
	from := w.houses[house].today(w.db.Now()).AddDays(d.from)
	return dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(d.nights)}
}

func dollars(cents int64) dynastay.Money {
	price, err := dynastay.MoneyOfMinor(cents, "USD")
	if err != nil {
		panic(err)
	}
	return price
}

// fails compares errors: typed ones, a sentinel, or an *InvalidError, of which only the field matters.
func (w *world) fails(want, err error) {
	switch want := want.(type) {
	case *dynastay.InvalidError:
		got := blame.As[*dynastay.InvalidError](w.t, err)
		require.Equal(w.t, want.Field, got.Field, "%v", err)
	case *availability.Refused:
		got := blame.As[*availability.Refused](w.t, err)
		require.Equal(w.t, want.Nights, got.Nights)
	case either:
		if errors.As(err, new(*availability.Refused)) {
			w.fails(want.nights, err)
		} else {
			w.fails(want.code, err)
		}
	case *bookings.StatusError:
		sameError(w, want, err)
	case *bookings.PaymentError:
		sameError(w, want, err)
	case *bookings.PolicyError:
		sameError(w, want, err)
	case *bookings.UpcomingError:
		sameError(w, want, err)
	case *bookings.PromoError:
		sameError(w, want, err)
	default:
		require.ErrorIs(w.t, err, want)
	}
}

// sameError compares errors of one type.
func sameError[E error](w *world, want E, err error) {
	got := blame.As[E](w.t, err)
	require.Equal(w.t, want, got)
}

// waiting lets time pass.
type waiting time.Duration

func drawWait(t *rapid.T) worldStep {
	return waiting(model.OneOf(t, "wait", time.Second, time.Minute, 5*time.Minute, time.Hour, 7*time.Hour, 13*time.Hour, 24*time.Hour, 24*time.Hour, 48*time.Hour))
}

func (s waiting) String() string { return "wait " + time.Duration(s).String() }

func (s waiting) run(w *world, _ program) { w.db.Clock.Advance(time.Duration(s)) }
