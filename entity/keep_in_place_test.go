package entity_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Keep may change a list in place: the difference is found, although the update's function changed nothing.
func TestKeepChangesAListInPlace(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) { s.Kept = append(s.Kept, "Labels") })
	made := c.create(bag{ID: "1", Labels: []string{"fragile", "heavy", "wet"}})
	removed := dynastay.NewOp(dynastay.OpSpec[*bag]{
		Name: "remove",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*bag, error) {
			change, err := c.Change(ctx, bagKey("1"), func(*bag) error { return nil })
			require.NoError(t, err)
			require.NoError(t, change.Keep(func(b *bag) error {
				b.Labels[1] = "light"
				b.Labels = slices.Delete(b.Labels, 0, 1)
				return nil
			}))
			assert.Equal(t, made.Labels, change.Before.Labels)
			return change.After, change.AddTo(tx)
		},
	})
	require.NoError(t, c.db.Write(t.Context(), removed))
	assert.Equal(t, []string{"light", "wet"}, removed.Result().Labels)
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, removed.Result(), read)
	assert.Equal(t, made.Version, read.Version)
}
