package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/reviews"
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
			h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
			repo, guest := open(h.DB.DB), h.guest(t)
			own, read, edited := h.approved(t, 90), h.approved(t, 80), h.review(t, 70)
			edit := func(v *reviews.Review) error { v.Title += "!"; return nil }
			for _, c := range []struct {
				name, by string
				op       func(by string) (dynastay.Part, []dynastay.WriteOption)
			}{
				{"create", guest.UserID, func(by string) (dynastay.Part, []dynastay.WriteOption) {
					v := guest
					v.UserID = by
					return repo.CreateOp(v), nil
				}},
				{"respond", "user_host", func(by string) (dynastay.Part, []dynastay.WriteOption) {
					v := thanks(own.ID)
					v.ResponderID = by
					return repo.RespondOp(v), nil
				}},
				{"vote", "user_1", func(by string) (dynastay.Part, []dynastay.WriteOption) { return repo.VoteOp(read.ID, by), nil }},
				{"unvote", "user_1", func(by string) (dynastay.Part, []dynastay.WriteOption) { return repo.UnvoteOp(read.ID, by), nil }},
				{"update", edited.UserID, func(by string) (dynastay.Part, []dynastay.WriteOption) {
					return repo.UpdateOp(edited.ID, edit, dynastay.AgreedOn("!")), []dynastay.WriteOption{dynastay.IfUser(by)}
				}},
			} {
				write := func(by string) error {
					op, opts := c.op(by)
					parts := []dynastay.Part{op, key(c.name)}
					for _, opt := range opts {
						parts = append(parts, opt)
					}
					return h.Write(t.Context(), parts...)
				}
				require.NoError(t, write(c.by), c.name)
				assert.ErrorIs(t, write("user_other"), dynastay.ErrIdempotencyMismatch, c.name)
				assert.NoError(t, write(c.by), "%s, repeated", c.name)
			}
		})
	}
}

// With IfUser or IfProperty, the review of somebody else is answered as one that does not exist.
func TestIfOwner(t *testing.T) {
	t.Parallel()
	t.Run("IfUser", func(t *testing.T) {
		t.Parallel()
		testIfOwner(t, dynastay.IfUser, func(v *reviews.Review) string { return v.UserID })
	})
	t.Run("IfProperty", func(t *testing.T) {
		t.Parallel()
		testIfOwner(t, dynastay.IfProperty, func(v *reviews.Review) string { return v.PropertyID })
	})
}

func testIfOwner(t *testing.T, only func(string) dynastay.WriteOption, of func(*reviews.Review) string) {
	t.Helper()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.Direct)
	v := h.review(t, 90)
	other := only("other")
	update := func(id string, user dynastay.WriteOption) error {
		return second(repo.Update(t.Context(), id, func(v *reviews.Review) error {
			v.Title += "!"
			return nil
		}, user))
	}
	remove := func(id string, user dynastay.WriteOption) error { return repo.Delete(t.Context(), id, user) }
	for name, call := range map[string]func(string, dynastay.WriteOption) error{"update": update, "delete": remove} {
		err, none := call(v.ID, other), call("rev_none", other)
		require.ErrorIs(t, err, dynastay.ErrNotFound, name)
		var got, missing *dynastay.Error
		require.ErrorAs(t, err, &got)
		require.ErrorAs(t, none, &missing)
		got.ID = missing.ID
		assert.Equal(t, missing, got, name)
	}
	stored, err := repo.Get(t.Context(), v.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, v, stored)
	assert.NoError(t, update(v.ID, only(of(v))))
	assert.NoError(t, remove(v.ID, only(of(v))))
	assert.ErrorIs(t, remove(v.ID, only(of(v))), dynastay.ErrNotFound)
}
