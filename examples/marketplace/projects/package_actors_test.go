package projects_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// Who acts is part of what a key stands for: the key of somebody else is refused, and shows nothing of what they did.
func TestKeysOfOtherActors(t *testing.T) {
	t.Parallel()
	for where, key := range map[string]func(string) dynastay.Idempotency{
		"without a scope": dynastay.IdempotencyKey,
		"in one scope":    func(k string) dynastay.Idempotency { return dynastay.IdempotencyKey(k).Of("tenant") },
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.signUp("user_other", people.Buyer)
			w := s.workers(2)
			p, cancelled := s.post(), s.post()
			for _, c := range []struct {
				name, by, other string
				op              func(by string) dynastay.Part
			}{
				{"post", buyer, "user_other", func(by string) dynastay.Part {
					p := foundation
					p.BuyerID = by
					return s.repo.PostOp(p)
				}},
				{"bid", w[0], w[1], func(by string) dynastay.Part { return s.repo.BidOp(offer(p.ID, by, "1")) }},
				{"revise", w[0], w[1], func(by string) dynastay.Part {
					return s.repo.ReviseOp(p.ID, by, func(b *projects.Bid) error { b.Quote = zar("2"); return nil }, dynastay.AgreedOn("2"))
				}},
				{"withdraw", w[0], w[1], func(by string) dynastay.Part { return s.repo.WithdrawOp(p.ID, by) }},
				{"cancel", buyer, w[1], func(by string) dynastay.Part {
					return s.repo.CancelOp(projects.Cancellation{ProjectID: cancelled.ID, By: by, Reason: "Ill"})
				}},
			} {
				write := func(by string) error { return s.Write(t.Context(), key(c.name), c.op(by)) }
				require.NoError(t, write(c.by), c.name)
				assert.ErrorIs(t, write(c.other), dynastay.ErrIdempotencyMismatch, c.name)
				assert.NoError(t, write(c.by), "%s, repeated", c.name)
			}
		})
	}
}
