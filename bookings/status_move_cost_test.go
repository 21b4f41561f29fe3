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
	"github.com/dynastay/dynastay/internal/testing/page"
)

// What the moves of a booking cost, of three nights and one room type, with generated ids. The item has between 1 and
// 2 KB, so a plain update of it is 2 units, and one in a transaction 4. The rows by user, by property and by check-in date
// are 1 unit each; the row by status moves from one partition to another, which is 2.
func TestCostOfMoves(t *testing.T) {
	t.Parallel()
	now := moving()
	var offset time.Duration
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return now().Add(offset) }}))
	hotel, repo, costs := fixture.New(t, db.DB, 50), bookings.New(db.DB, nil), page.Costs{DB: db}
	book := func(hold time.Duration) *bookings.Booking {
		req := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
		req.UserID, req.Hold = db.NewID("user_"), hold
		b, err := repo.Create(t.Context(), req)
		require.NoError(t, err)
		return b
	}
	do := func(err error) { require.NoError(t, err) }
	ctx := context.Background()
	rows := charged{"Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 2, "Bookings GSI5": 1}
	with := func(more charged) charged {
		all := charged{}
		for _, some := range []charged{rows, more} {
			for at, n := range some {
				all[at] += n
			}
		}
		return all
	}
	reads := 0
	measure := func(what, why string, want charged, total, indexes float64, call func()) {
		t.Helper()
		spent := db.Measure(call)
		assert.Equal(t, reads+1, spent.Requests, what)
		assert.Equal(t, float64(reads), spent.ReadUnits, what)
		assertWritten(t, db, want, total, indexes, spent)
		costs.Add(what, why, spent.Bill())
	}
	expiring, abandoned, declined := book(time.Minute), book(time.Hour), book(time.Hour)
	rows["Bookings GSI3"] = 1
	made := charged{"Availability": 6, "Availability GSI1": 3, "Bookings": 4 + 2 + 2, "Bookings GSI4": 1}
	var confirmed, held *bookings.Booking
	measure("create, confirmed",
		"3 nights, the booking, its line, the guard of its reference. 3 rows of the nights, and one each by user, property, status, "+
			"reference and check-in",
		with(made), 22, 8, func() { confirmed = book(0) })
	made["Bookings GSI6"] = 1
	measure("create, held", "also a row by the end of the hold", with(made), 23, 9, func() { held = book(time.Hour) })
	reads, rows["Bookings GSI3"] = 1, 2
	measure("cancel", "the booking and the nights, in a transaction. The row by status moves, which costs 2",
		with(charged{"Bookings": 4, "Availability": 6, "Availability GSI1": 3}), 18, 8, func() {
			_, err := repo.Cancel(ctx, confirmed.ID, "", nil)
			do(err)
		})
	measure("cancel, held", "also the row by the end of the hold, which is deleted",
		with(charged{"Bookings": 4, "Bookings GSI6": 1, "Availability": 6, "Availability GSI1": 3}), 19, 9, func() {
			_, err := repo.Cancel(ctx, abandoned.ID, "", nil)
			do(err)
		})
	measure("cancel a hold", "as cancel, held",
		with(charged{"Bookings": 4, "Bookings GSI6": 1, "Availability": 6, "Availability GSI1": 3}), 19, 9, func() {
			_, err := repo.CancelHold(ctx, declined.ID, "")
			do(err)
		})
	measure("extend a hold", "one plain update. The rows by user, property, status and check-in show the end; the one by hold moves",
		charged{"Bookings": 2, "Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 1, "Bookings GSI5": 1, "Bookings GSI6": 2}, 8, 6, func() {
			_, err := repo.ExtendHold(ctx, held.ID, 2*time.Hour)
			do(err)
		})
	measure("confirm",
		"one plain update. One row each by user, property and check-in; the row by status moves, and the one by hold "+
			"is deleted",
		with(charged{"Bookings": 2, "Bookings GSI6": 1}), 8, 6, func() {
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
	measure("modify: one more night",
		"in a transaction, the booking, its line, the new night, and a check of the rules of the first night, which costs as much "+
			"as a write. One row each by user, property, status and check-in, and 1 of the night",
		with(charged{"Bookings": 4 + 2, "Availability": 2 + 2, "Availability GSI1": 1}), 15, 5, func() {
			_, err := repo.Modify(ctx, longer)
			do(err)
		})
	more := modification(longer.Quote.Stay, 2)
	measure("modify: one more room, for four nights", "the booking, its line and the four nights",
		with(charged{"Bookings": 4 + 2, "Availability": 4 * 2, "Availability GSI1": 4}), 22, 8, func() {
			_, err := repo.Modify(ctx, more)
			do(err)
		})
	// With a different date of check-in, the rows by user, by property and by check-in date move as well.
	later := modification(dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(1), CheckOut: fixture.Stay.CheckOut.AddDays(2)}, 2)
	measure("modify: a day later",
		"one night is returned, one taken, and the rules of the first one are checked. The rows by user, property and "+
			"check-in move",
		with(charged{
			"Bookings": 4 + 2, "Availability": 2 + 2 + 2, "Availability GSI1": 2, "Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI5": 1,
		}), 21, 9, func() {
			_, err := repo.Modify(ctx, later)
			do(err)
		})
	latest, err := repo.Get(ctx, modified.ID, dynastay.Consistent)
	do(err)
	measure("modify: the guest", "one plain update", with(charged{"Bookings": 2}), 6, 4, func() {
		jane := bookings.Guest{FirstName: "Jane", LastName: "Doe", Email: "jane.doe@example.com"}
		_, err := repo.Modify(ctx, bookings.Modification{BookingID: latest.ID, Version: latest.Version, Guest: &jane})
		do(err)
	})
	rows["Bookings GSI3"] = 2
	offset = 30 * time.Minute
	measure("expire", "as cancel, held",
		with(charged{"Bookings": 4, "Bookings GSI6": 1, "Availability": 6, "Availability GSI1": 3}), 19, 9, func() {
			_, err := repo.Expire(ctx, expiring.ID)
			do(err)
		})
	absent := book(0)
	offset = noon(fixture.Stay.CheckIn.AddDays(1)).Sub(fixture.Now)
	measure("no-show", "one plain update", with(charged{"Bookings": 2}), 7, 5, func() {
		_, err := repo.NoShow(ctx, absent.ID)
		do(err)
	})
	measure("release two nights", "the booking and the nights. No row of the booking changes",
		charged{"Bookings": 4, "Availability": 4, "Availability GSI1": 2}, 10, 2, func() {
			_, err := repo.Release(ctx, absent.ID)
			do(err)
		})
	measure("reinstate: two nights", "also the rows of the booking, with one by the date of departure",
		with(charged{"Bookings": 4, "Bookings GSI7": 1, "Availability": 4, "Availability GSI1": 2}), 16, 8, func() {
			_, err := repo.Reinstate(ctx, absent.ID)
			do(err)
		})
	measure("check-in with a room", "the booking and its line, in a transaction. Also a row by the date of departure",
		with(charged{"Bookings": 4 + 2, "Bookings GSI7": 1}), 12, 6, func() {
			_, err := repo.CheckIn(ctx, held.ID, bookings.Assigned{hotel.RoomTypeID: {"301"}})
			do(err)
		})
	measure("other rooms", "as check-in, without rows: no list shows the rooms", charged{"Bookings": 4 + 2}, 6, 0, func() {
		_, err := repo.AssignRooms(ctx, held.ID, bookings.Assigned{hotel.RoomTypeID: {"302"}})
		do(err)
	})
	measure("check-out", "one plain update. The row by the date of departure is deleted", with(charged{"Bookings": 2, "Bookings GSI7": 1}), 8, 6, func() {
		_, err := repo.CheckOut(ctx, held.ID)
		do(err)
	})
	measure("undo the check-out", "the same: the row is there again", with(charged{"Bookings": 2, "Bookings GSI7": 1}), 8, 6, func() {
		_, err := repo.UndoCheckOut(ctx, held.ID)
		do(err)
	})
	measure("undo the check-in", "as check-in: the line loses its room", with(charged{"Bookings": 4 + 2, "Bookings GSI7": 1}), 12, 6, func() {
		_, err := repo.UndoCheckIn(ctx, held.ID)
		do(err)
	})
	costs.Section(t, "bookings")
}
