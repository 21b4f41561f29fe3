package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/reviews"
)

// With IfUser, the review of somebody else is answered as one that does not exist.
func TestIfUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.Direct)
	v := h.review(t, 90)
	other := dynastay.IfUser("user_other")
	update := func(id string, user dynastay.WriteOption) error {
		_, err := dynastay.Do(t.Context(), h.Direct, repo.UpdateOp(id, func(v *reviews.Review) error {
			v.Title += "!"
			return nil
		}), user)
		return err
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
	assert.NoError(t, update(v.ID, dynastay.IfUser(v.UserID)))
	assert.NoError(t, remove(v.ID, dynastay.IfUser(v.UserID)))
	assert.ErrorIs(t, remove(v.ID, dynastay.IfUser(v.UserID)), dynastay.ErrNotFound)
}
