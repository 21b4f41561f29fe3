package entity_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// older is an update's function that leaves the name as it is.
func older(c *cat) error {
	c.Lives--
	return nil
}

// The first update of a cat that other software wrote claims its name, and leaves it if it belongs to another cat.
func TestFirstUpdateClaims(t *testing.T) {
	t.Parallel()
	one, twice := []string{"GetItem", "TransactWriteItems"}, []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"}
	for name, test := range map[string]struct {
		called string
		guards map[string]string // before
		edit   func(*cat) error
		want   map[string]string
		sent   []string
	}{
		"free":             {" Tom", nil, older, map[string]string{"tom": "tom"}, one},
		"its own":          {"Tom", map[string]string{"tom": "tom"}, older, map[string]string{"tom": "tom"}, one},
		"another's":        {"Tom", map[string]string{"tom": "other"}, older, map[string]string{"tom": "other"}, twice},
		"no name":          {"", nil, older, map[string]string{}, []string{"GetItem", "UpdateItem"}},
		"impossible":       {"t#m", nil, older, map[string]string{}, []string{"GetItem", "UpdateItem"}},
		"another spelling": {"Tom", nil, call("TOM"), map[string]string{"tom": "tom"}, one},
		"moved":            {"Tom", nil, call("Thomas"), map[string]string{"thomas": "tom"}, one},
		"given up":         {"Tom", map[string]string{"tom": "tom"}, call(""), map[string]string{}, one},
		"nothing changed":  {"Tom", nil, call("Tom"), map[string]string{}, []string{"GetItem"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCattery(t)
			c.cat("tom", test.called, "")
			for name, id := range test.guards {
				c.guard(name, id)
			}
			sent := c.sent(func() {
				_, err := c.Update(t.Context(), catKey("tom"), test.edit)
				require.NoError(t, err)
			})
			assert.Equal(t, test.sent, sent)
			guards, _ := c.stored()
			assert.Equal(t, test.want, guards)
			// From now on, the cat has a write id.
			if name != "nothing changed" {
				assert.Equal(t, []string{"GetItem", "UpdateItem"}, c.sent(func() {
					_, err := c.Update(t.Context(), catKey("tom"), older)
					require.NoError(t, err)
				}))
			}
		})
	}
}

// The guard has the owner and the mark.
func TestFirstUpdateWritesTheWholeGuard(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	c.cat("tom", "Tom", "")
	c.guard("tom", "tom") // without a mark
	_, err := c.Update(t.Context(), catKey("tom"), older)
	require.NoError(t, err)
	guard, err := c.db.Direct.Get(t.Context(), cats, guardKey("tom"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{
		"PK": dynastay.Text("NAME#tom"), "SK": dynastay.Text("GUARD"), "CatId": dynastay.Text("tom"), "Kind": dynastay.Text("Guard"),
	}, guard.Item())
}

// The name is claimed by another cat, or is released by it, while the first update is being written.
func TestFirstUpdateRaces(t *testing.T) {
	t.Parallel()
	t.Run("claimed", func(t *testing.T) {
		t.Parallel()
		c := openCattery(t)
		c.cat("tom", "Tom", "")
		c.db.Faults.Inject(dyntest.Before(func(context.Context) { c.guard("tom", "other") }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		_, err := c.Update(t.Context(), catKey("tom"), older)
		require.NoError(t, err)
		c.assertStored(map[string]string{"tom": "other"}, map[string]string{"tom": "Tom"})
	})
	t.Run("released", func(t *testing.T) {
		t.Parallel()
		c := openCattery(t)
		c.cat("tom", "Tom", "")
		c.guard("tom", "other")
		released := c.db.Faults.Inject(dyntest.Before(func(context.Context) { c.remove(guardKey("tom")) }),
			dyntest.When{Operation: "TransactWriteItems", Nth: 2})
		_, err := c.Update(t.Context(), catKey("tom"), older)
		require.NoError(t, err)
		assert.Equal(t, 1, released.Hits())
		c.assertStored(map[string]string{"tom": "tom"}, map[string]string{"tom": "Tom"})
	})
}

// Whole writes the guard and everything derived, whoever wrote the item and even if nothing changed.
func TestWholeClaims(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	_, err := c.Create(t.Context(), &cat{ID: "tom", Name: "Tom", Lives: 7})
	require.NoError(t, err)
	c.remove(guardKey("tom"))
	whole := func() *dynastay.Operation[*cat] {
		return dynastay.NewOp(dynastay.OpSpec[*cat]{
			Name: "test.Whole", Prepare: func(ctx context.Context, tx *dynastay.Tx) (*cat, error) {
				change, err := c.Change(ctx, catKey("tom"), func(*cat) error { return nil })
				if err != nil {
					return nil, err
				}
				assert.False(t, change.Changed())
				if err := change.Whole(); err != nil {
					return nil, err
				}
				assert.True(t, change.Changed())
				return change.After, change.AddTo(tx)
			},
		})
	}
	require.NoError(t, c.db.Write(t.Context(), whole()))
	c.assertStored(map[string]string{"tom": "tom"}, map[string]string{"tom": "Tom"})
	c.guard("tom", "other")
	require.NoError(t, c.db.Write(t.Context(), whole()))
	c.assertStored(map[string]string{"tom": "other"}, map[string]string{"tom": "Tom"})
}

// A guard without an owner, or with an owner that is not text, is corrupt.
func TestCorruptGuard(t *testing.T) {
	t.Parallel()
	c := openCattery(t, func(s *entity.Spec[cat]) {
		s.Key = func(c *cat) (dynastay.Key, error) {
			if c.ID == "" {
				return dynastay.Key{}, dynastay.Invalid("CatId", "is required")
			}
			return catKey(c.ID), nil
		}
	})
	for name, owner := range map[string]dynastay.Item{
		"nobody": {}, "a number": {"CatId": dynastay.Number(7)},
	} {
		c.put(guardKey("tom"), owner)
		_, err := c.find("Tom")
		assert.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, "%s: the caller is not to blame", name)
	}
}

// Other software may have let two cats have one name, or may have written no guards: what does not belong to the cat is left
// alone, and does not keep it from being changed.
func TestForeignGuardIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		guards map[string]string
		write  func(*cattery) error
		left   map[string]string
		sent   int // transactions
	}{
		"moved, another's": {
			map[string]string{"tom": "other"}, func(c *cattery) error { return c.rename("tom", "Thomas") },
			map[string]string{"tom": "other", "thomas": "tom"}, 2,
		},
		"moved, missing": {
			nil, func(c *cattery) error { return c.rename("tom", "Thomas") }, map[string]string{"thomas": "tom"}, 1,
		},
		"moved to one that is kept for the cat already": {
			map[string]string{"tom": "tom", "thomas": "tom"}, func(c *cattery) error { return c.rename("tom", "Thomas") },
			map[string]string{"thomas": "tom"}, 1,
		},
		"deleted, missing": {
			nil, func(c *cattery) error { return c.Delete(c.t.Context(), catKey("tom")) }, map[string]string{}, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCattery(t)
			c.cat("tom", "Tom", "")
			for name, id := range test.guards {
				c.guard(name, id)
			}
			sent := c.sent(func() { require.NoError(t, test.write(c)) })
			assert.Equal(t, test.sent, count(sent, "TransactWriteItems"))
			guards, _ := c.stored()
			assert.Equal(t, test.left, guards)
		})
	}

	// A guard that is left alone is checked to be another's still, with the delete.
	c := openCattery(t)
	c.cat("tom", "Tom", "")
	c.guard("tom", "other")
	sent := c.sent(func() { require.NoError(t, c.Delete(t.Context(), catKey("tom"))) })
	assert.Equal(t, []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"}, sent)
	c.assertStored(map[string]string{"tom": "other"}, map[string]string{})
}

// A guard that was another's may be the cat's own by the time that the write goes without it. Nobody would ever release it.
func TestGuardThatComesBackIsReleased(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(*cattery) error{
		"moved":   func(c *cattery) error { return c.rename("tom", "Thomas") },
		"deleted": func(c *cattery) error { return c.Delete(c.t.Context(), catKey("tom")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCattery(t)
			c.cat("tom", "Tom", "")
			c.guard("tom", "other")
			back := c.db.Faults.Inject(dyntest.Before(func(context.Context) { c.guard("tom", "tom") }),
				dyntest.When{Operation: "TransactWriteItems", Nth: 2})
			require.NoError(t, write(c))
			assert.Equal(t, 1, back.Hits())
			guards, _ := c.stored()
			assert.NotContains(t, guards, "tom")
		})
	}
}

// Other software stored a name that no guard can have. The cat can be changed and renamed all the same, and goes.
func TestStoredValueWithoutAGuard(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	c.cat("tom", "t#m", "")
	_, err := c.Update(t.Context(), catKey("tom"), func(c *cat) error { c.Lives = 7; return nil })
	require.NoError(t, err)
	c.assertStored(map[string]string{}, map[string]string{"tom": "t#m"})
	require.NoError(t, c.rename("tom", "Tom"))
	c.assertStored(map[string]string{"tom": "tom"}, map[string]string{"tom": "Tom"})

	c.cat("kit", "k#t", "")
	sent := c.sent(func() { require.NoError(t, c.Delete(t.Context(), catKey("kit"))) })
	assert.Equal(t, []string{"GetItem", "DeleteItem"}, sent, "there is no guard to release")
	c.assertStored(map[string]string{"tom": "tom"}, map[string]string{"tom": "Tom"})
}
