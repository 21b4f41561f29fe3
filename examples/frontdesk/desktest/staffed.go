package desktest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest/world"
)

// Staffed returns a hotel with rooms one by one, of whose first room type all rooms are on sale for a week. Some of them may be skipped.
func (s *Service) Staffed(t testing.TB, skip int) *world.Hotel {
	t.Helper()
	for h := range s.World.Hotels() {
		if len(h.Units) == 0 || len(h.Nights) == 0 {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		no, none := false, 0
		_, err := s.House.Nights.Update(t.Context(), availability.UpdateRequest{PropertyID: h.ID, Changes: []availability.Change{{
			RoomTypeIDs: []string{h.Rooms[0].ID}, Dates: s.week(), Rooms: &h.Rooms[0].Total, MinStay: &none, ClosedToArrival: &no, StopSell: &no,
		}}})
		require.NoError(t, err)
		return h
	}
	require.Fail(t, "no hotel has its rooms one by one")
	return nil
}

// week is the nights that have rooms.
func (s *Service) week() dynastay.Stay {
	today := s.World.Options().Today
	return dynastay.Stay{CheckIn: today, CheckOut: today.AddDays(7)}
}

// Three are three nights from today on.
func (s *Service) Three() dynastay.Stay {
	today := dynastay.DateOf(s.Now(), nil)
	return dynastay.Stay{CheckIn: today, CheckOut: today.AddDays(3)}
}

// Booked returns a confirmed booking of rooms of the first type, for a guest with this first name.
func (s *Service) Booked(t testing.TB, h *world.Hotel, guest string, stay dynastay.Stay, rooms int) *bookings.Booking {
	t.Helper()
	r := h.Rooms[0]
	q, err := s.House.Nights.Quote(t.Context(), availability.QuoteRequest{
		Property: availability.House{ID: h.ID, Name: h.Name, TimeZone: h.TimeZone}, Stay: stay, Guests: availability.Guests{Adults: rooms},
		Rooms: []availability.Room{{RoomTypeID: r.ID, Name: r.Name, Quantity: rooms, Limits: r.Limits}},
	})
	require.NoError(t, err)
	b, err := s.House.Bookings.Create(t.Context(), bookings.Request{
		Quote: q, UserID: s.World.User(0).ID, Guest: bookings.Guest{FirstName: guest, LastName: "Byron", Email: "guest@example.com"},
	})
	require.NoError(t, err)
	return b
}

// Free returns rooms of the first type that nobody has in the week: three at least.
func (s *Service) Free(t testing.TB, h *world.Hotel) (rooms []string) {
	t.Helper()
	for _, u := range h.Units {
		taken, err := s.House.Units.Taken(t.Context(), h.ID, u.ID, s.week())
		require.NoError(t, err)
		if len(taken) == 0 && u.RoomTypeID == h.Rooms[0].ID && !u.Retired {
			rooms = append(rooms, u.ID)
		}
	}
	require.GreaterOrEqual(t, len(rooms), 3)
	return rooms
}
