package bookings

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	values "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// Overdue is a booking with a part of the total that has not been paid in time.
type Overdue struct {
	BookingID string
	Since     time.Time `json:",omitzero"` // [Booking.DueAt], in whole seconds
}

// Overdue lists the bookings with a part of the total that was due before a time and has not been paid, the one that was due
// first at the beginning. They are confirmed, or the guests have checked in: guests who did not come, and about whom nobody
// has said so, stay in the list. Only payments that have been made count, not those that are authorized. From is the time
// from which parts were due, for what is new since the last call; the zero time lists all. A time before in the future
// lists what will be due by then, for reminders. The times are compared in whole seconds.
//
// Since is when the part was due by the instalments of now. A modification or a refund may have made it due only a moment ago,
// at a time that has long passed.
//
// The list is eventually consistent, and guests who arrived late may owe less than it was written for. Before you remind
// somebody, read [Repository.Receipt] with [dynastay.Consistent]: its DueNow says what is due. To cancel, call
// [Repository.CancelOverdue], which a payment at the same time prevents. 1 request for each shard, see
// [Options].HoldShards, and page.
//
// Pattern overdue: GSI6-HoldIndex, GSI6PK = DUE, GSI6SK from DUE#{from} to DUE#{before}, 1 request
func (r *Repository) Overdue(from, before time.Time) dynastay.List[Overdue] {
	shards, err := keys.Partitions(keys.BookingByDue{}, r.opts.HoldShards.Read)
	if err != nil {
		return dynastay.NoList[Overdue](err)
	}
	var due dynastay.Range
	if due.To, err = keys.SortPrefix(keys.BookingByDue{Due: before}); err != nil {
		return dynastay.NoList[Overdue](dynastay.Invalid("Before", "must be a time in a year between 1 and 9999"))
	}
	if !from.IsZero() {
		if due.From, err = keys.SortPrefix(keys.BookingByDue{Due: from}); err != nil {
			return dynastay.NoList[Overdue](dynastay.Invalid("From", "must be a time in a year between 1 and 9999"))
		}
	}
	index, _ := keys.BookingsTable.Index(keys.HoldIndex)
	return dynastay.ListOf(r.db, keys.BookingsTable, dynastay.Query{
		Name: "bookings.Overdue", Index: keys.HoldIndex, Partition: shards[0], Shards: shards[1:], Range: due,
	}, func(_ context.Context, row dynastay.Row) (Overdue, error) {
		at, err := keys.Parse[keys.BookingByDue](index.Key.From(row))
		return Overdue{BookingID: at.BookingID, Since: at.Due}, err
	})
}

// CancelOverdueOp cancels a confirmed booking as [Repository.CancelOp] does, but only if a part of the total was due before a
// time, see [Booking.DueAt], and has not been paid. Otherwise it fails with a [*StatusError] that matches [ErrNotOverdue]. A
// payment that is recorded at the same time either prevents the cancellation, or is recorded after it, and then
// [Recorded].Due contains it.
func (r *Repository) CancelOverdueOp(bookingID string, before time.Time, reason string, refunds []Refund) *dynastay.Operation[Cancellation] {
	return r.cancelOp(bookingID, move{
		name: "bookings.CancelOverdue", verb: "cancel", from: []Status{Confirmed},
		ready: func(b *Booking, now time.Time) error {
			if b.DueAt.IsZero() || !b.DueAt.Before(before) {
				return ErrNotOverdue
			}
			return notOver(b, now)
		},
	}, reason, refunds, func(in *dynastay.Input) { in.Field("before", values.TextOf(dynastay.Instant(before))) })
}

// CancelOverdue runs [Repository.CancelOverdueOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) CancelOverdue(
	ctx context.Context, bookingID string, before time.Time, reason string, refunds []Refund, opts ...dynastay.WriteOption,
) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.CancelOverdueOp(bookingID, before, reason, refunds), opts...)
}
