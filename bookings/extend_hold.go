package bookings

import (
	"cmp"
	"context"
	"time"

	"github.com/dynastay/dynastay"
)

// ExtendHoldOp gives the guest of a pending booking more time to pay: the hold then ends this long after now, [MinHold] to
// [MaxHold], or when it ended before, whichever is later. So a call that is repeated takes no time away, and a hold without an
// end, which other software may have stored, remains one. An end more than MaxHold after the booking was made is refused with a
// [*dynastay.InvalidError] for the field "Hold".
//
// If the hold has ended, it fails with a [*StatusError] that matches [ErrHoldEnded], even if nobody has taken the rooms since. Of
// an extension and [Repository.ExpireHolds] at the same time, one succeeds.
func (r *Repository) ExtendHoldOp(bookingID string, hold time.Duration) *dynastay.Operation[*Booking] {
	extend := move{
		name: "bookings.ExtendHold", verb: "extend the hold of", from: []Status{Pending},
		ready: func(b *Booking, now time.Time) error { return cmp.Or(awaited(b), holdOpen(b, now)) },
		apply: func(b *Booking, now time.Time) {
			if end := now.Add(hold); !b.HoldExpiresAt.IsZero() && end.After(b.HoldExpiresAt) {
				b.HoldExpiresAt = end
			}
		},
	}
	return r.linesOp(bookingID, extend, checkHold(hold), func(in *dynastay.Input) {
		in.Field("hold", hold.String())
	}, func(_ context.Context, _ *dynastay.Tx, done moved) error {
		last := done.booking.CreatedAt.Add(MaxHold)
		if end := done.booking.HoldExpiresAt; end.After(done.before.HoldExpiresAt) && end.After(last) {
			return dynastay.Invalid("Hold", "must end by %s, 30 days after the booking was made", last.Format(time.RFC3339))
		}
		return nil
	})
}

// ExtendHold runs [Repository.ExtendHoldOp]. 2 requests: a consistent Query of the booking, and the update, which is left out if
// the hold does not end later.
func (r *Repository) ExtendHold(
	ctx context.Context, bookingID string, hold time.Duration, opts ...dynastay.WriteOption,
) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.ExtendHoldOp(bookingID, hold), opts...)
}

func checkHold(hold time.Duration) error {
	if hold < MinHold || hold > MaxHold {
		return dynastay.Invalid("Hold", "must be between 1 second and 30 days")
	}
	return nil
}
