package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// cost is in requests, read units, and write units on the table and on its indexes.
type cost dyntest.Bill

// metered returns a home, and a function that compares what a call costs.
func metered(t *testing.T) (h *home, costs func(what string, want cost, do func() error)) {
	h = newHome(t)
	return h, func(what string, want cost, do func() error) {
		t.Helper()
		h.Clock.Advance(time.Minute)
		dyntest.Costs(t, h.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
}

func (h *home) pushes(device string, rule tracker.Rule, want tracker.Outcome, ops ...tracker.Operation) func() error {
	return func() error {
		for _, result := range h.push(device, rule, ops...) {
			assert.Equal(h.t, want, result.Outcome, "%v", result.Err)
		}
		return nil
	}
}

// The costs in the documentation. A push includes 1 request and 3 units on the indexes of the profile, for the time of
// the push.
func TestCosts(t *testing.T) {
	t.Parallel()
	h, costs := metered(t)
	ctx := t.Context()
	costs("SignUp", cost{1, 0, 12, 6}, func() error {
		_, err := h.repo.SignUp(ctx, tracker.Profile{AuthProvider: "apple", AuthProviderID: "9", Email: "bo@example.com"})
		return err
	})
	created := h.op(tracker.Create, italy, 0, tracker.VisitEdit{RegionName: of("Italy")})
	costs("first visit of a region", cost{4, 6, 14, 8}, h.pushes("phone", tracker.ServerWins, tracker.Applied, created))
	again := h.op(tracker.Create, italy, 0, tracker.VisitEdit{})
	again.Visit.MarkedAt = base
	costs("second visit of a region", cost{3, 5, 12, 6}, h.pushes("phone", tracker.ServerWins, tracker.Applied, again))
	costs("edit of a visit", cost{3, 5, 10, 6},
		h.pushes("phone", tracker.ServerWins, tracker.Applied, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("Pizza")})))
	costs("conflict", cost{3, 5, 8, 4},
		h.pushes("tablet", tracker.ServerWins, tracker.Rejected, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("Pasta")})))
	costs("repetition", cost{2, 5, 2, 2}, h.pushes("phone", tracker.ServerWins, tracker.AlreadyApplied, created))
	waits := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("Gelato")})
	costs("conflict that waits", cost{3, 5, 8, 4}, h.pushes("tablet", ask, tracker.Waiting, waits))
	costs("Settle", cost{3, 6, 10, 6}, func() error {
		_, err := h.repo.Settle(ctx, user, waits.ID, tracker.ClientWins)
		return err
	})
	costs("batch of 32", cost{4, 68, 204, 132}, h.pushes("phone", tracker.ServerWins, tracker.Applied, h.batch(32)))
	costs("edit of the profile", cost{3, 3, 10, 6},
		h.pushes("phone", tracker.ServerWins, tracker.Applied, h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna")})))
	costs("Pull of 20 entries", cost{1, 5, 0, 0}, func() error {
		_, err := h.repo.Pull(ctx, user, start, 20)
		return err
	})
	costs("Snapshot with its visits", cost{4, 8, 0, 0}, func() error {
		s, err := h.repo.Snapshot(ctx, user)
		for range s.Visits.All(ctx) {
			continue
		}
		return err
	})
}
