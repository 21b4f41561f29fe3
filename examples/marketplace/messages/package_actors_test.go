package messages_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
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
			p := newPost(t)
			for _, c := range []struct {
				name, by, other string
				op              func(by string) dynastay.Part
			}{
				{"send", ana, "user_other", func(by string) dynastay.Part {
					return p.repo.SendOp(messages.Message{SenderID: by, RecipientID: ben, Content: "Once"})
				}},
				{"mark read", ben, "user_other", func(by string) dynastay.Part { return p.repo.MarkReadOp(by, ana, 1) }},
			} {
				write := func(by string) error { return p.Write(t.Context(), key(c.name), c.op(by)) }
				require.NoError(t, write(c.by), c.name)
				assert.ErrorIs(t, write(c.other), dynastay.ErrIdempotencyMismatch, c.name)
				assert.NoError(t, write(c.by), "%s, repeated", c.name)
			}
		})
	}
}
