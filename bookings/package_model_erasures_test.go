package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// erasing is a call of Erase. The user may book again afterwards: the tests of package users forbid it, not these.
type erasing struct {
	user   string
	cancel bool
}

func drawErase(t *rapid.T) worldStep {
	return erasing{model.OneOf(t, "user", "user_a", "user_b", "user_b", "user_c"), model.OneOf(t, "cancel", true, false)}
}

func (s erasing) String() string { return fmt.Sprintf("erase %s, cancel %t", s.user, s.cancel) }

func (s erasing) run(w *world, on program) {
	now := w.db.Now()
	var ids []string
	no := &bookings.UpcomingError{UserID: s.user}
	want := map[string]int{}
	for _, id := range w.order {
		b := w.bookings[id]
		switch {
		case b.user != s.user:
			continue
		case !b.over(now) && (!s.cancel || b.status == bookings.CheckedIn):
			no.BookingIDs = append(no.BookingIDs, id)
		case !b.over(now):
			want["bookings cancelled"]++
			if due, unknown := b.due(now); unknown == nil && due > 0 {
				want["refunds due"]++
			}
		}
		ids = append(ids, id)
		want["bookings anonymised"]++
	}
	erase := func(on program) (map[string]int, error) {
		upcoming := bookings.RefuseUpcoming
		if s.cancel {
			upcoming = bookings.CancelUpcoming
		}
		return on.repo.Eraser(upcoming).Erase(context.Background(), s.user)
	}
	got, err := erase(on)
	if interrupted := errors.Is(err, dynastay.ErrOutcomeUnknown) || w.gaveUp(err); interrupted {
		w.recover()
		w.met.Add("erase: completed later", 1)
		_, err = erase(w.programs[0])
		got = want
	}
	if no.BookingIDs != nil {
		slices.Sort(no.BookingIDs)
		w.fails(no, err)
		w.met.Add("erase: upcoming", 1)
		return
	}
	require.NoError(w.t, err)
	require.Equal(w.t, want, got)
	if len(ids) == 0 {
		w.met.Add("erase: nobody", 1)
	}
	for _, id := range ids {
		b := w.bookings[id]
		if !b.over(now) {
			b = changingStatus{worldMove: cancelling}.moved(b, now, nil)
			w.touch(b, b.stay)
		}
		w.bookings[id] = b.withoutPerson(now)
	}
	w.met.Add("erase: anonymised", want["bookings anonymised"])
	w.met.Add("erase: cancelled", want["bookings cancelled"])
}

// over reports whether nobody is expected any more or is still there.
func (b worldBooking) over(now time.Time) bool {
	switch b.status {
	case bookings.Pending:
		if !now.Before(b.holdEnd) {
			return true
		}
	case bookings.Confirmed, bookings.CheckedIn:
	default:
		return true
	}
	return stayOver(b, now) != nil
}

// withoutPerson returns the booking as an erasure leaves it.
func (b worldBooking) withoutPerson(now time.Time) worldBooking {
	b.user, b.data = "", nil
	b.reason, b.anonymised, b.updated, b.version = "", now, now, b.version+1
	for id, p := range b.payments {
		p.notices = slices.Clone(p.notices)
		for i, notice := range p.notices {
			p.notices[i] = withoutPerson(notice)
		}
		b.payments = with(b.payments, id, p)
	}
	for id, r := range b.refunds {
		r.notices = slices.Clone(r.notices)
		for i := range r.notices {
			r.notices[i].Reason = ""
		}
		b.refunds = with(b.refunds, id, r)
	}
	return b
}

func withoutPerson(p bookings.Payment) bookings.Payment {
	p.Card, p.FailureReason = bookings.Card{}, ""
	return p
}

// guest returns the guest of the booking: all have the same one, unless they are anonymised.
func (b worldBooking) guest() bookings.Guest {
	if !b.anonymised.IsZero() {
		return bookings.Guest{}
	}
	return fixture.Request(nil).Guest
}
