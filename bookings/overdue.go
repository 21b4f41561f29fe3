package bookings

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Overdue is a booking with a part of the total that has not been paid in time.
type Overdue struct {
	BookingID string
	Since     time.Time `json:",omitzero"` // see [Booking.DueAt]; whole seconds
}

// Overdue lists the bookings with a part of the total that was due before a time and has not been paid, the one that has been
// overdue for longest first. They are confirmed, or the guests have checked in. Only payments that have been made count, not
// those that are authorized. A time in the future lists what will be overdue by then, for reminders; one somewhat in the past
// leaves out guests who are about to pay what is due at booking.
//
// The list is eventually consistent, and guests who arrived late may owe less than it was written for. Before you act on an
// entry, read [Repository.Receipt] with [dynastay.Consistent]: its DueNow says what is due. 1 request for each shard, see
// [Options].HoldShards, and page.
//
// Pattern overdue: GSI6-HoldIndex, GSI6PK = DUE, GSI6SK to DUE#{before}, 1 request
func (r *Repository) Overdue(before time.Time) dynastay.List[Overdue] {
	shards, err := keys.Partitions(keys.BookingByDue{}, r.opts.HoldShards.Read)
	if err != nil {
		return dynastay.NoList[Overdue](err)
	}
	end, err := keys.SortPrefix(keys.BookingByDue{Due: before})
	if err != nil {
		return dynastay.NoList[Overdue](dynastay.Invalid("Before", "must be a time in a year between 1 and 9999"))
	}
	index, _ := keys.BookingsTable.Index(keys.HoldIndex)
	return dynastay.ListOf(r.db, keys.BookingsTable, dynastay.Query{
		Name: "bookings.Overdue", Index: keys.HoldIndex, Partition: shards[0], Shards: shards[1:], Range: dynastay.Range{To: end},
	}, func(_ context.Context, row dynastay.Row) (Overdue, error) {
		at, err := keys.Parse[keys.BookingByDue](index.Key.From(row))
		return Overdue{BookingID: at.BookingID, Since: at.Due}, err
	})
}
