// Package hotel runs and checks what a house sells: bookings from the request to the last refund, promo codes, imports of
// bookings, and the updates of its nights.
package hotel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// plain is a stored item without the library.
type plain = map[string]any

// Tables are those that the sales have beside the hotel's.
var Tables = []*dynastay.Schema{receiptEntity.Schema}

// Join adds the sales of a house to a run, and its managers. It returns the house, in which others have a part too.
func Join(c *checker.Run) *properties.WithRooms {
	hotel := newHouse(c.T, c.Base.Direct)
	c.Add(newSales(c, hotel), 50)
	c.Add(newManagers(c, hotel), 14)
	return hotel.WithRooms
}

// house is the hotel that everybody books: two room types with few rooms for six nights, and with plenty for tonight. A
// stay of tonight can be arrived at, but then its rooms are never returned.
type house struct {
	*properties.WithRooms
	plans   []availability.RatePlan
	charges *charges.List
	quotes  []*availability.Quote
	tonight []*availability.Quote
}

// chosen is one room of the house's n-th type, at the price of the nights, under a plan, or at agreed prices, and perhaps with
// charges, which all rooms of a booking then have.
type chosen struct {
	n       int
	plan    string
	agreed  bool
	charged bool
}

const (
	scarce     = 5 // rooms of each type
	today      = "2026-06-30"
	firstNight = "2026-07-01"
	lastNight  = "2026-07-07"
)

func newHouse(t *testing.T, db *dynastay.DB) *house {
	room := properties.RoomType{Name: "Double", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: scarce}
	rooms := []properties.RoomType{room, room, room}
	for i := range rooms {
		rooms[i].CancellationPolicy = []availability.CancellationPolicy{availability.FreeCancellation(24), availability.PartialRefund(35, 48)}[i%2]
	}
	made, err := properties.New(db, nil).Create(t.Context(), properties.Property{
		Name: "Contested House", Slug: "contested-house", Type: properties.Hotel, OwnerID: "user_host",
		Status: properties.Approved, CheckInTime: checkInTime, Address: properties.Address{City: "Boston", Country: "USA", Latitude: 42.36, Longitude: -71.06},
	}, rooms)
	require.NoError(t, err)
	h := &house{WithRooms: made, charges: &charges.List{PropertyID: made.ID, Charges: []charges.Charge{
		{ID: "service", Name: "Service", Kind: charges.Fee, Rate: 10_0000, Per: charges.PerNight, Of: []charges.Component{charges.Lodging}},
		{ID: "city", Name: "City tax", Kind: charges.Tax, Amount: checker.Dollars(3_33), Per: charges.PerRoomNight, Kept: charges.KeptIfStayed},
	}}}
	for _, plan := range []availability.RatePlan{{ID: "flex"}, {
		ID: "saver", Derived: &availability.Derivation{From: "flex", Percent: -10_00}, Payment: availability.PaymentTerms{Percent: saverDeposit * 100},
	}} {
		plan.PropertyID, plan.Name, plan.Active = made.ID, plan.ID, true
		_, err := properties.New(db, nil).CreateRatePlan(t.Context(), plan)
		require.NoError(t, err)
		h.plans = append(h.plans, plan)
	}
	open, tonight := dynastay.MustStay(firstNight, lastNight), dynastay.MustStay(today, firstNight)
	for _, r := range made.Rooms[:2] {
		for _, o := range []availability.OpenRequest{
			{Nights: open, Rooms: scarce}, {Nights: tonight, Rooms: availability.MaxRooms, AboveCapacity: true},
		} {
			o.PropertyID, o.RoomTypeID, o.Price = made.ID, r.ID, fixture.Price
			o.Rates = map[string]availability.Rate{"flex": {Price: checker.Dollars(300_00)}}
			_, err := availability.New(db).Open(t.Context(), o)
			require.NoError(t, err)
		}
	}
	// Every stay of one to three nights, and of tonight, in one room of either type or in one of each; and in two of one type,
	// which are two lines.
	choices := [][]chosen{{{n: 0}}, {{n: 1}}, {{n: 0}, {n: 1}}, {{n: 0, plan: "saver"}}, {{n: 1, agreed: true}}, {{n: 1, charged: true}}}
	for _, rooms := range choices {
		h.tonight = append(h.tonight, h.quote(t, db, tonight, rooms))
	}
	choices = append(choices, []chosen{{n: 0, plan: "flex"}, {n: 0, plan: "saver"}}, []chosen{{n: 1}, {n: 1, agreed: true}},
		[]chosen{{n: 0, plan: "saver", charged: true}, {n: 1}})
	for from := range open.Nights() {
		for n := 1; n <= 3 && from+n <= open.Nights(); n++ {
			checkIn := open.CheckIn.AddDays(from)
			stay := dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(n)}
			for _, rooms := range choices {
				h.quotes = append(h.quotes, h.quote(t, db, stay, rooms))
			}
		}
	}
	return h
}

func (h *house) quote(t *testing.T, db *dynastay.DB, stay dynastay.Stay, rooms []chosen) *availability.Quote {
	request := availability.QuoteRequest{Stay: stay, Guests: availability.Guests{Adults: len(rooms)}, RatePlans: h.plans,
		Property: availability.House{ID: h.ID, Name: h.Name, TimeZone: h.TimeZone, CheckInTime: h.CheckInTime},
	}
	for _, one := range rooms {
		if one.charged {
			request.Charges = h.charges
		}
		of := h.Rooms[one.n]
		room := availability.Room{
			RoomTypeID: of.ID, Name: of.Name, Quantity: 1, Limits: of.Limits, CancellationPolicy: of.CancellationPolicy, RatePlanID: one.plan,
		}
		for range stay.Nights() {
			if one.agreed {
				room.Agreed = append(room.Agreed, checker.Dollars(199_00))
			}
		}
		request.Rooms = append(request.Rooms, room)
	}
	quote, err := availability.New(db).Quote(t.Context(), request)
	require.NoError(t, err)
	return quote
}

// nightsOf are the nights that a booking of a quote takes, as "room type/date". Each of its lines is one room.
func nightsOf(q *availability.Quote) (all []string) {
	for _, line := range q.Lines {
		for _, night := range line.Nights {
			all = append(all, fmt.Sprintf("%s/%s", line.RoomTypeID, night.Date))
		}
	}
	slices.Sort(all)
	return all
}
