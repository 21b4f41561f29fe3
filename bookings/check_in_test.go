package bookings_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// two returns a confirmed booking of two rooms of one type and one of another, on the day of arrival.
func (l *life) two(t *testing.T) (b *bookings.Booking, twin string) {
	t.Helper()
	l.Clock.Set(booked)
	repo := properties.New(l.DB.DB, nil)
	p, err := repo.AddRoomTypes(t.Context(), l.hotel.ID, []properties.RoomType{
		{Name: "Twin", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 5},
	})
	require.NoError(t, err)
	twin = p[0].ID
	_, err = availability.New(l.DB.DB).Open(t.Context(), availability.OpenRequest{
		PropertyID: l.hotel.ID, RoomTypeID: twin, Nights: fixture.Stay, Rooms: 5, Price: fixture.Price,
	})
	require.NoError(t, err)
	whole, err := repo.GetWithRooms(t.Context(), l.hotel.ID)
	require.NoError(t, err)
	req, err := whole.Card().QuoteRequest(fixture.Stay, availability.Guests{Adults: 5},
		properties.Choice{RoomTypeID: l.hotel.RoomTypeID, Quantity: 2}, properties.Choice{RoomTypeID: twin, Quantity: 1})
	require.NoError(t, err)
	q, err := availability.New(l.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err = l.repo.Create(t.Context(), fixture.Request(q))
	require.NoError(t, err)
	l.Clock.Set(noon(fixture.Stay.CheckIn))
	return b, twin
}

func roomsOf(b *bookings.Booking) bookings.Assigned {
	all := bookings.Assigned{}
	for _, line := range b.Lines {
		if line.RoomIDs != nil {
			all[line.RoomTypeID] = line.RoomIDs
		}
	}
	return all
}

// The guests get as many rooms of a type as they have booked, in the form of the document.
func TestCheckInAssignsRooms(t *testing.T) {
	t.Parallel()
	for name, only := range map[string][]string{"all": {"king", "twin"}, "one type": {"king"}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, 5)
			b, twin := l.two(t)
			king := l.hotel.RoomTypeID
			rooms := bookings.Assigned{}
			if slices.Contains(only, "king") {
				rooms[king] = []string{"301", "302"}
			}
			if slices.Contains(only, "twin") {
				rooms[twin] = []string{"101"}
			}
			key := dynastay.IdempotencyKey("arrival")
			op := l.repo.CheckInOp(b.ID, rooms)
			given := maps.Clone(rooms)
			rooms["room_other"] = []string{"1"} // after the call, so it does not matter
			require.NoError(t, l.Write(t.Context(), op, key))
			assert.Equal(t, given, roomsOf(op.Result()))
			stored, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, op.Result(), stored)
			again, err := l.repo.CheckIn(t.Context(), b.ID, given, key)
			require.NoError(t, err)
			assert.Equal(t, stored, again)
			_, err = l.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{king: {"301", "303"}}, key)
			assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

			row := func(roomType string) dynastay.Row {
				row, err := l.Direct.Get(t.Context(), bookingsTable, dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + roomType}, dynastay.Consistent)
				require.NoError(t, err)
				return row
			}
			if len(given[king]) > 0 {
				assert.Equal(t, dynastay.KindList, row(king).Value("RoomId").Kind())
			}
			if len(given[twin]) > 0 {
				assert.Equal(t, "101", row(twin).Text("RoomId"))
			}
		})
	}
}

// Rooms that cannot be those of the booking are refused, and the guests are not checked in.
func TestCheckInRefusesRooms(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b, twin := l.two(t)
	king := l.hotel.RoomTypeID
	for _, test := range []struct {
		rooms         bookings.Assigned
		field, reason string
		reads         bool
	}{
		{bookings.Assigned{"x": {""}}, "Rooms[x][0]", "is required", false},
		{bookings.Assigned{"x": {"1", "1"}}, "Rooms[x][1]", "appears more than once", false},
		{bookings.Assigned{"x": {"1"}, "y": {"1"}}, "Rooms[y][0]", "appears more than once", false},
		{bookings.Assigned{"x": {strings.Repeat("1", 129)}}, "Rooms[x][0]", "128", false},
		{bookings.Assigned{king: {"301"}}, "Rooms[" + king + "]", "must have one entry for each room, 2 in all", true},
		{bookings.Assigned{twin: {"101", "102"}}, "Rooms[" + twin + "]", "must have one entry for each room, 1 in all", true},
		{bookings.Assigned{king: nil}, "Rooms[" + king + "]", "2 in all", true},
		{bookings.Assigned{"room_other": {"1"}}, "Rooms[room_other]", "must be a room type of the booking", true},
	} {
		stop := l.Faults.Record()
		_, err := l.repo.CheckIn(t.Context(), b.ID, test.rooms)
		invalid := blame.Invalid(t, err, test.field)
		assert.Contains(t, invalid.Reason, test.reason)
		assert.Equal(t, test.reads, len(stop()) > 0)
	}
	_, err := l.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{king: {strings.Repeat("1", 128), "2"}})
	assert.NoError(t, err)
}

// A line that other software deletes while the guests check in is not written anew.
func TestCheckInWhileALineIsDeleted(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b, twin := l.two(t)
	line := dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + twin}
	l.Faults.Inject(dyntest.Before(func(ctx context.Context) { l.delete(t, line) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err := l.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{twin: {"101"}})
	assert.ErrorContains(t, err, "must be a room type of the booking")
	row, err := l.Direct.Get(t.Context(), keys.BookingsTable, line, dynastay.Consistent)
	require.NoError(t, err)
	assert.False(t, row.Exists())
}

func (l *life) delete(t *testing.T, key dynastay.Key) { raw.Delete(t, l.DB, bookingsTable, key) }
