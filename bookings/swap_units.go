package bookings

import (
	"cmp"
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/keys"
)

// UnitSwap is an exchange of the units of two bookings of a property: each gets what the other one has.
type UnitSwap struct {
	A, B UnitOf
	// On is the date of the first night that is exchanged, a night of both stays. Default: today at the property, or the first night
	// of the later stay if that has not begun.
	On dynastay.Date
}

// UnitOf is a unit that a booking has.
type UnitOf struct{ BookingID, UnitID string }

// Swapped are the bookings after a swap.
type Swapped struct {
	A *Booking `json:",omitzero"`
	B *Booking `json:",omitzero"`
}

// SwapUnitsOp exchanges units in one transaction, from a night on to the departure of each of the bookings. Where their stays differ,
// each needs the other's unit on nights on which that one does not have it: if a third booking does, the swap fails with a
// [*units.TakenError], and nothing changes. Otherwise, it fails like [Repository.MoveUnitOp]. With [dynastay.IfUser] or [dynastay.IfProperty], both bookings
// must be of the user.
func (r *Repository) SwapUnitsOp(s UnitSwap) *dynastay.Operation[Swapped] {
	var invalid error
	var at [2]dynastay.Key
	for i, one := range []UnitOf{s.A, s.B} {
		field := string("AB"[i])
		key, err := keys.Of(keys.Booking{BookingID: one.BookingID})
		invalid, at[i] = cmp.Or(invalid, dynastay.Within(field, cmp.Or(err, units.CheckID("UnitID", one.UnitID)))), key
	}
	switch {
	case s.A.BookingID == s.B.BookingID:
		invalid = cmp.Or(invalid, dynastay.Invalid("B.BookingID", "must not be that of A"))
	case s.A.UnitID == s.B.UnitID:
		invalid = cmp.Or(invalid, dynastay.Invalid("B.UnitID", "must not be that of A"))
	}
	m := unitsMove("bookings.SwapUnits", "swap the units of")
	return dynastay.NewOp(dynastay.OpSpec[Swapped]{
		Name: m.name, Invalid: invalid, Owned: true,
		Input: func(in *dynastay.Input) {
			for _, one := range []UnitOf{s.A, s.B} {
				in.Field("booking", one.BookingID)
				in.Field("unit", one.UnitID)
			}
			in.Field("on", s.On.String())
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (done Swapped, err error) {
			a, err := r.move(ctx, tx, at[0], m, nil)
			if err != nil {
				return done, err
			}
			b, err := r.move(ctx, tx, at[1], m, nil)
			if err != nil {
				return done, err
			}
			if a.booking.PropertyID != b.booking.PropertyID {
				return done, dynastay.Invalid("B.BookingID", "must be of the property of A")
			}
			c, on, now := newUnitChange(a.booking.PropertyID), s.On, r.db.Now()
			if on.IsZero() { // the same night for both, or one of them would keep what the other one takes
				on = a.booking.fromToday(a.booking.today(now)).CheckIn
				if other := b.booking.fromToday(b.booking.today(now)).CheckIn; other.After(on) {
					on = other
				}
			}
			for _, one := range []struct {
				booking  *Booking
				from, to string
			}{{a.booking, s.A.UnitID, s.B.UnitID}, {b.booking, s.B.UnitID, s.A.UnitID}} {
				err := r.editUnits(tx, c, one.booking, func(c *unitChange, b *Booking, now time.Time) error {
					nights, err := b.moveNights(on, b.today(now))
					if err != nil {
						return err
					}
					c.leave(b, nights, b.today(now), one.from)
					return b.exchange(one.from, one.to, nights)
				})
				if err != nil {
					return done, err
				}
			}
			return Swapped{a.booking, b.booking}, r.takeInTurn(ctx, tx, c)
		},
		Restore: func(ctx context.Context, _ map[string]string) (done Swapped, err error) {
			if done.A, err = r.Get(ctx, s.A.BookingID, dynastay.Consistent); err != nil {
				return done, err
			}
			done.B, err = r.Get(ctx, s.B.BookingID, dynastay.Consistent)
			return done, err
		},
	})
}

// SwapUnits runs [Repository.SwapUnitsOp]. 3 requests: a consistent Query of each booking, and the transaction.
func (r *Repository) SwapUnits(ctx context.Context, s UnitSwap, opts ...dynastay.WriteOption) (Swapped, error) {
	return dynastay.Do(ctx, r.db, r.SwapUnitsOp(s), opts...)
}
