package bookings

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
)

var checkOut = move{
	name: "bookings.CheckOut", verb: "check out", from: []Status{CheckedIn}, ready: anyTime,
	apply: func(b *Booking, now time.Time) { b.Status, b.CheckedOutAt = Completed, now },
}

// CheckOutOp completes the booking of guests who have checked in. If they leave early, the remaining nights are not
// returned to the inventory: they have been sold. Others can get their units on these nights, and the units that they leave
// are dirty. On the same day, [Repository.UndoCheckOut] takes it back.
func (r *Repository) CheckOutOp(bookingID string) *dynastay.Operation[*Booking] {
	return r.linesOp(bookingID, checkOut, nil, nil, func(_ context.Context, tx *dynastay.Tx, done moved) error {
		b, left := done.booking, map[string]bool{}
		for i := range b.Lines {
			for _, id := range b.Lines[i].last(b.today(b.CheckedOutAt)) {
				left[id] = true
			}
		}
		for _, id := range slices.Sorted(maps.Keys(left)) {
			r.units.Leave(tx, b.PropertyID, id)
		}
		return nil
	})
}

// CheckOut runs [Repository.CheckOutOp]. 2 requests: a consistent Query of the booking, and the update.
func (r *Repository) CheckOut(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.CheckOutOp(bookingID), opts...)
}

// last returns the units that the line had last, up to a date. If a move was planned for that date, nobody knows whether the guests
// have moved.
func (l *Line) last(today dynastay.Date) []string {
	var night dynastay.Date
	for _, u := range l.Units {
		last := u.Nights.LastNight()
		if last.After(today) {
			last = today
		}
		if !u.Nights.CheckIn.After(today) && last.After(night) {
			night = last
		}
	}
	last := l.UnitsOn(night)
	if night == today {
		last = append(last, l.UnitsOn(night.AddDays(-1))...)
	}
	return last
}
