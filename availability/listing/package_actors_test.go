package listing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
)

// The host and the channel are part of what a key stands for: the key of another one is refused, and shows nothing of
// what they did.
func TestKeysOfOtherActors(t *testing.T) {
	t.Parallel()
	for where, key := range map[string]func(string) dynastay.Idempotency{
		"without a scope": dynastay.IdempotencyKey,
		"in one scope":    func(k string) dynastay.Idempotency { return dynastay.IdempotencyKey(k).Of("tenant") },
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			for _, c := range []struct {
				name, by, other string
				op              func(by string) dynastay.Part
			}{
				{"book", host, "host_other", func(by string) dynastay.Part {
					b := booking("b1", nights("2025-03-01", "2025-03-03"))
					b.HostID = by
					return h.repo.BookOp(b)
				}},
				{"block", host, "host_other", func(by string) dynastay.Part {
					b := block("b2", nights("2025-03-03", "2025-03-05"))
					b.HostID = by
					return h.repo.BlockOp(b)
				}},
				{"block without an id", host, "host_other", func(by string) dynastay.Part {
					b := block("", nights("2025-03-05", "2025-03-07"))
					b.HostID = by
					return h.repo.BlockOp(b)
				}},
				{"import for a host", host, "host_other", func(by string) dynastay.Part {
					r := reservation("r1", 1, nights("2025-03-07", "2025-03-09"))
					r.HostID = by
					return h.repo.ImportOp(r)
				}},
				{"import from a channel", string(listing.BookingCom), string(listing.Airbnb), func(by string) dynastay.Part {
					r := reservation("r2", 1, nights("2025-03-09", "2025-03-11"))
					r.Source = listing.Source(by)
					return h.repo.ImportOp(r)
				}},
			} {
				write := func(by string) error { return h.Write(t.Context(), key(c.name), c.op(by)) }
				require.NoError(t, write(c.by), c.name)
				assert.ErrorIs(t, write(c.other), dynastay.ErrIdempotencyMismatch, c.name)
				assert.NoError(t, write(c.by), "%s, repeated", c.name)
			}
		})
	}
}
