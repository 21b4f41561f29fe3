package users_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/users"
)

// Whose account it is is part of what a key stands for: the key of somebody else is refused, and shows nothing of theirs.
func TestKeysOfOtherActors(t *testing.T) {
	t.Parallel()
	for where, key := range map[string]func(string) dynastay.Idempotency{
		"without a scope": dynastay.IdempotencyKey,
		"in one scope":    func(k string) dynastay.Idempotency { return dynastay.IdempotencyKey(k).Of("tenant") },
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			db, repo := clocked(t)
			me := john().ID
			for _, c := range []struct {
				name string
				op   func(by string) dynastay.Part
			}{
				{"create", func(by string) dynastay.Part { return repo.CreateOp(john(func(u *users.User) { u.ID = by })) }},
				{"update", func(by string) dynastay.Part {
					return repo.UpdateOp(by, func(u *users.User) error { u.FirstName += "!"; return nil }, dynastay.AgreedOn("!"))
				}},
				{"verify the address", func(by string) dynastay.Part { return repo.VerifyEmailOp(by, john().Email) }},
				{"replace the address", func(by string) dynastay.Part { return repo.ReplaceEmailOp(by, john().Email, "j@example.com") }},
				{"verify the number", func(by string) dynastay.Part { return repo.VerifyPhoneOp(by, john().Phone) }},
				{"log in", func(by string) dynastay.Part { return repo.RecordLoginOp(by) }},
				{"not erased", func(by string) dynastay.Part { return repo.NotErasedOp(by) }},
				{"preferences", func(by string) dynastay.Part {
					return repo.UpdatePreferencesOp(by, func(p *users.Preferences) error { return nil }, dynastay.AgreedOn(""))
				}},
				{"earn", func(by string) dynastay.Part {
					return repo.EarnOp(users.Movement{UserID: by, ReasonID: "a", Points: 300})
				}},
				{"redeem", func(by string) dynastay.Part {
					return repo.RedeemOp(users.Movement{UserID: by, ReasonID: "b", Points: 1})
				}},
				{"reverse", func(by string) dynastay.Part { return repo.ReverseOp(by, "b") }},
				{"create a wishlist", func(by string) dynastay.Part {
					return repo.CreateWishlistOp(summer(func(w *users.Wishlist) { w.UserID = by }))
				}},
				{"update a wishlist", func(by string) dynastay.Part {
					return repo.UpdateWishlistOp(by, "wl_123", func(w *users.Wishlist) error { w.Name += "!"; return nil }, dynastay.AgreedOn("!"))
				}},
				{"add to it", func(by string) dynastay.Part { return repo.AddToWishlistOp(by, "wl_123", "prop_1") }},
				{"remove from it", func(by string) dynastay.Part { return repo.RemoveFromWishlistOp(by, "wl_123", "prop_1") }},
				{"delete it", func(by string) dynastay.Part { return repo.DeleteWishlistOp(by, "wl_123") }},
			} {
				write := func(by string) error { return db.Write(t.Context(), key(c.name), c.op(by)) }
				require.NoError(t, write(me), c.name)
				assert.ErrorIs(t, write("user_other"), dynastay.ErrIdempotencyMismatch, c.name)
				assert.NoError(t, write(me), "%s, repeated", c.name)
			}
		})
	}
}
