package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
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
			v := about(s.completed(), 5)
			of := func(by string) reviews.Key {
				k := v.Key()
				k.ReviewerID = by
				return k
			}
			for _, c := range []struct {
				name string
				op   func(by string) dynastay.Part
			}{
				{"create", func(by string) dynastay.Part {
					v := v
					v.ReviewerID = by
					return s.repo.CreateOp(v)
				}},
				{"update", func(by string) dynastay.Part {
					return s.repo.UpdateOp(of(by), func(v *reviews.Review) error { v.Rating = 4; return nil }, dynastay.AgreedOn("4"))
				}},
				{"delete", func(by string) dynastay.Part { return s.repo.DeleteOp(of(by)) }},
			} {
				write := func(by string) error { return s.Write(t.Context(), key(c.name), c.op(by)) }
				require.NoError(t, write(buyer), c.name)
				assert.ErrorIs(t, write(seller), dynastay.ErrIdempotencyMismatch, c.name)
				assert.NoError(t, write(buyer), "%s, repeated", c.name)
			}
		})
	}
}
