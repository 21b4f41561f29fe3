package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// holdEnding is a call at the end of a hold, at the end of the grace after it, or just before or after that.
type holdEnding struct {
	changingStatus               // of the booking
	sweep          bool          // of all holds instead
	after          time.Duration // the end of the hold
}

func drawHoldEnding(t *rapid.T) worldStep {
	move := model.OneOf(t, "call", confirming, extendingLong, expiring, expiring)
	return holdEnding{
		changingStatus: changingStatus{worldMove: move, back: 4 * model.UpTo(t, 3, "booking"), key: drawKey(t)},
		sweep:          model.OneOf(t, "sweep", false, true),
		after:          model.OneOf(t, "grace", 0, holdGrace) + model.OneOf(t, "around", -time.Millisecond, 0, 0, time.Millisecond),
	}
}

func (s holdEnding) String() string {
	return fmt.Sprintf("%s after the end of a hold, sweep %t: %s", s.after, s.sweep, s.changingStatus)
}

func (s holdEnding) run(w *world, on program) {
	id := w.chooses(s.back, s.from)
	if at := w.bookings[id].holdEnd.Add(s.after); w.bookings[id].status == bookings.Pending && at.After(w.db.Now()) {
		w.db.Clock.Set(at)
	}
	if s.sweep {
		sweeping{}.run(w, on)
	} else {
		s.changingStatus.run(w, on)
	}
}

// extending gives a hold more time, unless it ends later anyway.
func extending(name string, hold time.Duration) worldMove {
	return worldMove{
		name: name, verb: "extend the hold of", from: []bookings.Status{bookings.Pending}, plain: true, not: confirming.not,
		apply: func(b *worldBooking, now time.Time) {
			if end := now.Add(hold); end.After(b.holdEnd) {
				b.holdEnd = end
			}
		},
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.ExtendHold(context.Background(), id, hold, opts...)
		},
	}
}

var extendingBriefly, extendingLong = extending("extend a hold briefly", time.Minute), extending("extend a hold", 2*time.Hour)

// sweeping is a call of ExpireHolds.
type sweeping struct{}

func drawSweep(*rapid.T) worldStep { return sweeping{} }

func (sweeping) String() string { return "expire holds" }

func (sweeping) run(w *world, on program) {
	var over []string
	for _, id := range w.order {
		if expiring.allows(w.bookings[id], w.db.Now()) == nil {
			over = append(over, id)
		}
	}
	got, err := on.repo.ExpireHolds(context.Background())
	if errors.Is(err, dynastay.ErrOutcomeUnknown) || w.gaveUp(err) {
		w.recover()
		require.Subset(w.t, over, got.Expired)
		var rest bookings.Sweep
		rest, err = on.repo.ExpireHolds(context.Background())
		require.Subset(w.t, over, rest.Expired)
		for _, id := range rest.Expired {
			require.NotContains(w.t, got.Expired, id, "it was expired before")
		}
	} else {
		require.ElementsMatch(w.t, over, got.Expired)
	}
	require.NoError(w.t, err)
	require.Empty(w.t, got.Missing)
	for _, id := range over {
		b := changingStatus{worldMove: expiring}.moved(w.bookings[id], w.db.Now(), nil)
		w.bookings[id] = b
		w.touch(b, b.stay)
	}
	w.met.Add("sweep: expired", len(over))
}
