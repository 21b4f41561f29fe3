package bookings_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// What the moves of a booking cost, of three nights and one room type, with generated ids. The item has between 1 and
// 2 KB, so a plain update of it is 2 units, and one in a transaction 4. The rows by user, by property and by check-in date
// are 1 unit each; the row by status moves from one partition to another, which is 2.
func TestCostOfMoves(t *testing.T) {
	t.Parallel()
	now := moving()
	var offset time.Duration
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return now().Add(offset) }}))
	hotel, repo := fixture.New(t, db.DB, 50), bookings.New(db.DB, nil)
	book := func(hold time.Duration) *bookings.Booking {
		req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
		req.UserID, req.Hold = db.NewID("user_"), hold
		b, err := repo.Create(t.Context(), req)
		require.NoError(t, err)
		return b
	}
	do := func(err error) { require.NoError(t, err) }
	ctx := context.Background()
	rows := units{"Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 2, "Bookings GSI5": 1}
	with := func(more units) units {
		all := units{}
		for _, some := range []units{rows, more} {
			for at, n := range some {
				all[at] += n
			}
		}
		return all
	}
	measure := func(name string, want units, total, indexes float64, call func()) {
		t.Helper()
		spent := db.Measure(call)
		t.Log(name, spent.Cost)
		assert.Equal(t, 2, spent.Requests, name)
		assert.Equal(t, 1.0, spent.ReadUnits, name)
		assertWritten(t, db, want, total, indexes, spent)
	}
	held, expiring := book(time.Hour), book(time.Minute)
	spent := db.Measure(func() { book(time.Hour) })
	assertWritten(t, db, units{
		"Availability": 6, "Availability GSI1": 3, "Bookings": 4 + 2 + 2,
		"Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 1, "Bookings GSI4": 1, "Bookings GSI5": 1, "Bookings GSI6": 1,
	}, 23, 9, spent)

	measure("confirm", with(units{"Bookings": 2, "Bookings GSI6": 1}), 8, 6, func() {
		_, err := repo.Confirm(ctx, held.ID, nil)
		do(err)
	})
	modified := book(0)
	modification := func(stay dynastay.Stay, rooms int) bookings.Modification {
		q := hotel.Quote(t, db.DB, stay, rooms)
		m, err := repo.QuoteModification(ctx, modified.ID, availability.QuoteRequest{
			Property: q.Property, Stay: stay, Guests: q.Guests,
			Rooms: []availability.Room{{RoomTypeID: hotel.RoomTypeID, Name: "Deluxe King", Quantity: rooms, Limits: hotel.Rooms[0].Limits}},
		})
		do(err)
		return m
	}
	// The row by status stays where it is. Of the nights, those that change cost as in a sale, and the first one, whose rules
	// are checked, as much in the table as if it were written.
	rows["Bookings GSI3"] = 1
	longer := modification(dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckOut.AddDays(1)}, 1)
	measure("a night more", with(units{"Bookings": 4 + 2, "Availability": 2 + 2, "Availability GSI1": 1}), 15, 5, func() {
		_, err := repo.Modify(ctx, longer)
		do(err)
	})
	more := modification(longer.Quote.Stay, 2)
	measure("a room more", with(units{"Bookings": 4 + 2, "Availability": 4 * 2, "Availability GSI1": 4}), 22, 8, func() {
		_, err := repo.Modify(ctx, more)
		do(err)
	})
	// With a different date of check-in, the rows by user, by property and by check-in date move as well.
	later := modification(dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(1), CheckOut: fixture.Stay.CheckOut.AddDays(2)}, 2)
	measure("a day later", with(units{
		"Bookings": 4 + 2, "Availability": 2 + 2 + 2, "Availability GSI1": 2, "Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI5": 1,
	}), 21, 9, func() {
		_, err := repo.Modify(ctx, later)
		do(err)
	})
	latest, err := repo.Get(ctx, modified.ID, dynastay.Consistent)
	do(err)
	measure("the guest", with(units{"Bookings": 2}), 6, 4, func() {
		jane := bookings.Guest{FirstName: "Jane", LastName: "Doe", Email: "jane.doe@example.com"}
		_, err := repo.Modify(ctx, bookings.Modification{BookingID: latest.ID, Version: latest.Version, Guest: &jane})
		do(err)
	})
	rows["Bookings GSI3"] = 2
	offset = 30 * time.Minute
	measure("expire", with(units{"Bookings": 4, "Bookings GSI6": 1, "Availability": 6, "Availability GSI1": 3}), 19, 9, func() {
		_, err := repo.Expire(ctx, expiring.ID)
		do(err)
	})
	absent := book(0)
	offset = noon(fixture.Stay.CheckIn.AddDays(1)).Sub(fixture.Now)
	measure("no-show", with(units{"Bookings": 2}), 7, 5, func() {
		_, err := repo.NoShow(ctx, absent.ID)
		do(err)
	})
	measure("release", units{"Bookings": 4, "Availability": 4, "Availability GSI1": 2}, 10, 2, func() {
		_, err := repo.Release(ctx, absent.ID)
		do(err)
	})
	measure("reinstate", with(units{"Bookings": 4, "Availability": 4, "Availability GSI1": 2}), 15, 7, func() {
		_, err := repo.Reinstate(ctx, absent.ID)
		do(err)
	})
	measure("check-in", with(units{"Bookings": 4 + 2}), 11, 5, func() {
		_, err := repo.CheckIn(ctx, held.ID, bookings.Assigned{hotel.RoomTypeID: {"301"}})
		do(err)
	})
	measure("other rooms", units{"Bookings": 4 + 2}, 6, 0, func() {
		_, err := repo.AssignRooms(ctx, held.ID, bookings.Assigned{hotel.RoomTypeID: {"302"}})
		do(err)
	})
	measure("check-out", with(units{"Bookings": 2}), 7, 5, func() {
		_, err := repo.CheckOut(ctx, held.ID)
		do(err)
	})
	measure("undo the check-out", with(units{"Bookings": 2}), 7, 5, func() {
		_, err := repo.UndoCheckOut(ctx, held.ID)
		do(err)
	})
	measure("undo the check-in", with(units{"Bookings": 4 + 2}), 11, 5, func() {
		_, err := repo.UndoCheckIn(ctx, held.ID)
		do(err)
	})
}
