package world

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// A search finds every stay that a hotel offers, at the same price, in its city and around it. It finds a hotel with rate
// plans under each of them.
func TestSearchFindsOffers(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 13, Properties: 30, Users: 20, Nights: 14})
	db := dyntest.New(t, dyntest.At(w.Now()))
	require.NoError(t, w.Load(t.Context(), db.DB, nil))
	hotels, nights := search.New(db.DB, properties.New(db.DB, nil)), availability.New(db.DB)
	status := map[string]properties.Status{}
	for h := range w.Hotels() {
		status[h.ID] = h.Status
	}
	found := 0
	for h := range w.Hotels() {
		ask, ok := h.Offer(2, 1)
		if !ok {
			continue
		}
		var want []*availability.Quote
		for _, plan := range sellsUnder(h) {
			ask.Rooms[0].RatePlanID = plan
			quote, err := nights.Quote(t.Context(), ask)
			require.NoError(t, err)
			want = append(want, quote)
		}
		point := key.Point{Latitude: h.Address.Latitude, Longitude: h.Address.Longitude}
		for _, r := range []search.Request{{City: h.Address.City, Country: h.Address.Country}, {Point: &point, Radius: 1000}} {
			r.Stay, r.Guests = ask.Stay, ask.Guests
			if h.Stars > 0 {
				r.Filter.Stars = []int{h.Stars}
			}
			page, err := hotels.Page(t.Context(), r, dynastay.Paging{})
			require.NoError(t, err)
			require.Empty(t, page.Next)
			var quotes []*availability.Quote
			for _, offer := range page.Offers {
				if offer.Property.PropertyID == h.ID {
					quotes = offer.Quotes
				}
				assert.Equal(t, properties.Approved, status[offer.Property.PropertyID])
			}
			assert.Subset(t, quotes, want)
			found++
		}
	}
	assert.Greater(t, found, 40)
}

func TestOffers(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(Options{Seed: 8, Properties: 25, Users: 30})
	db := loaded(t, w).DB
	offers := 0
	for h := range w.Hotels() {
		for _, ask := range []struct{ nights, rooms int }{{1, 1}, {3, 1}, {2, 2}, {5, 1}} {
			req, ok := h.Offer(ask.nights, ask.rooms)
			if !ok {
				continue
			}
			assert.Equal(t, properties.Approved, h.Status)
			offers++
			assert.Equal(t, ask.nights, req.Stay.Nights())
			quote, err := availability.New(db).Quote(ctx, req)
			require.NoError(t, err, "%s for %s", h.ID, req.Stay)
			assert.Equal(t, ask.rooms, quote.Lines[0].Quantity)
			if offers%5 != 0 { // a booking changes what the next offers find
				continue
			}
			_, err = bookings.New(db, nil).Create(ctx, bookings.Request{Quote: quote, UserID: w.User(0).ID, Guest: bookings.Guest{
				FirstName: "Ada", LastName: "Byron", Email: "ada@example.com",
			}})
			require.NoError(t, err)
			break
		}
	}
	assert.Greater(t, offers, 50)
}

func TestOfferFindsTheFirst(t *testing.T) {
	t.Parallel()
	day := dynastay.MustDate("2026-06-01")
	room := properties.RoomType{ID: "room_1", Limits: availability.Limits{MaxAdults: 1, MaxOccupancy: 1}}
	night := func(n, left int) *availability.Night {
		return &availability.Night{RoomTypeID: "room_1", Date: day.AddDays(n), Available: left}
	}
	hotel := func(nights ...*availability.Night) *Hotel {
		return &Hotel{
			WithRooms: &properties.WithRooms{Property: properties.Property{ID: "p"}, Rooms: []properties.RoomType{room}},
			Nights:    nights, now: day.Time().Add(12 * time.Hour),
		}
	}
	first := func(h *Hotel, nights, rooms int) string {
		req, ok := h.Offer(nights, rooms)
		if !ok {
			return ""
		}
		return fmt.Sprint(req.Stay, " ", req.Guests.Adults, " ", req.Rooms[0].Quantity)
	}
	h := hotel(night(-1, 9), night(0, 0), night(1, 1), night(2, 2), night(3, 2), night(5, 2))
	assert.Equal(t, "2026-06-02 to 2026-06-03 1 1", first(h, 1, 1), "not in the past")
	assert.Equal(t, "2026-06-02 to 2026-06-05 1 1", first(h, 3, 1))
	assert.Equal(t, "2026-06-03 to 2026-06-05 2 2", first(h, 2, 2))
	assert.Empty(t, first(h, 4, 1), "one of the nights does not exist")
	assert.Empty(t, first(h, 1, 3))
	assert.Empty(t, first(h, 0, 1))
	assert.Empty(t, first(h, 1, 0))
	assert.Empty(t, first(hotel(), 1, 1))

	for name, spoil := range map[string]func(*availability.Night){
		"stop sell":           func(n *availability.Night) { n.StopSell = true },
		"property closed":     func(n *availability.Night) { n.PropertyClosed = true },
		"closed to arrival":   func(n *availability.Night) { n.ClosedToArrival = true },
		"closed to departure": func(n *availability.Night) { n.ClosedToDeparture = true },
		"min stay":            func(n *availability.Night) { n.MinStay = 2 },
	} {
		h := hotel(night(0, 1), night(1, 1))
		spoil(h.Nights[0])
		assert.Equal(t, "2026-06-02 to 2026-06-03 1 1", first(h, 1, 1), name)
	}
	h = hotel(night(0, 1), night(1, 1), night(2, 1))
	h.Nights[0].MaxStay = 1
	assert.Equal(t, "2026-06-02 to 2026-06-04 1 1", first(h, 2, 1))

	// At noon in UTC it is the next day in Auckland, in winter too.
	h = hotel(night(0, 1), night(1, 1))
	h.TimeZone = "Pacific/Auckland"
	assert.Equal(t, "2026-06-02 to 2026-06-03 1 1", first(h, 1, 1))
}
