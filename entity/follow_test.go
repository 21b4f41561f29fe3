package entity_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// step is a call of Follow; nil values are "".
type step struct{ before, after string }

func ownerOf(b *bag) string {
	if b == nil {
		return ""
	}
	return b.ID + ":" + b.Owner
}

// logged has a log item follow each bag, and tells the calls.
func logged(steps *[]step) func(*entity.Spec[bag]) {
	return func(s *entity.Spec[bag]) {
		s.Follow = func(tx *dynastay.Tx, before, after *bag) error {
			*steps = append(*steps, step{ownerOf(before), ownerOf(after)})
			if after == nil {
				tx.Delete(bagTable, logKey(before.ID))
				return nil
			}
			if after.Owner == "errBoom" {
				return errBoom
			}
			item := bagTable.Key.Of(logKey(after.ID))
			item["Owner"] = dynastay.Text(after.Owner)
			tx.Put(bagTable, item)
			return nil
		}
	}
}

func logKey(id string) dynastay.Key { return dynastay.Key{PK: "BAG#" + id, SK: "LOG"} }

// What follows an entity is written in the transaction of every create, update and delete, and of nothing else.
func TestFollow(t *testing.T) {
	t.Parallel()
	var steps []step
	c := openCloakroom(t, logged(&steps))
	owner := func(name string) func(*bag) error { return func(b *bag) error { b.Owner = name; return nil } }
	update := func(fn func(*bag) error) (err error) {
		_, err = c.Update(t.Context(), bagKey("1"), fn)
		return err
	}
	log := func() string { return dynastay.RowOf(c.item(logKey("1"))).Text("Owner") }

	assert.Equal(t, []string{"TransactWriteItems"}, c.sent(func() { c.create(bag{ID: "1", Owner: "john"}) }))
	assert.Equal(t, "john", log())
	assert.Equal(t, []string{"GetItem", "TransactWriteItems"}, c.sent(func() { require.NoError(t, update(owner("jane"))) }))
	assert.Equal(t, "jane", log())
	assert.Equal(t, []string{"GetItem"}, c.sent(func() { require.NoError(t, update(owner("jane"))) }), "nothing changed")
	assert.Equal(t, []step{{"", "1:john"}, {"1:john", "1:jane"}}, steps)

	c.before("TransactWriteItems", func(ctx context.Context) {
		_, err := c.elsewhere().Update(ctx, bagKey("1"), owner("jack"))
		assert.NoError(t, err)
	})
	require.NoError(t, update(owner("jim")))
	assert.Equal(t, []step{{"1:jane", "1:jim"}, {"1:jack", "1:jim"}}, steps[2:], "before is what is stored")

	assert.Equal(t, []string{"GetItem", "TransactWriteItems"}, c.sent(func() { require.NoError(t, c.Delete(t.Context(), bagKey("1"))) }))
	assert.Equal(t, step{"1:jim", ""}, steps[4])
	assert.Nil(t, c.item(logKey("1")))
	assert.ErrorIs(t, c.Delete(t.Context(), bagKey("1")), dynastay.ErrNotFound)
	assert.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing()))
	assert.Len(t, steps, 5, "there is nothing to follow")
}

// Its errors pass unchanged, and nothing is written.
func TestFollowFails(t *testing.T) {
	t.Parallel()
	var steps []step
	c := openCloakroom(t, logged(&steps))
	_, err := c.Create(t.Context(), &bag{ID: "1", Owner: "errBoom"})
	assert.Same(t, errBoom, err)
	assert.Empty(t, c.ids())
	c.create(bag{ID: "1", Owner: "john"})
	_, err = c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "errBoom"; return nil })
	assert.Same(t, errBoom, err)
	assert.Equal(t, dynastay.Text("john"), c.item(bagKey("1"))["Owner"])

	failing := entity.NewTable(c.db.DB, bagOf(func(s *entity.Spec[bag]) {
		s.Follow = func(*dynastay.Tx, *bag, *bag) error { return errBoom }
	}))
	assert.Same(t, errBoom, failing.Delete(t.Context(), bagKey("1")))
	assert.NotNil(t, c.item(bagKey("1")))
}

// What follows an entity can have a copy of it, with the times and the version that are written.
func TestFollowSeesWhatIsWritten(t *testing.T) {
	t.Parallel()
	var after []bag
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Follow = func(_ *dynastay.Tx, _, now *bag) error {
			after = append(after, *now)
			return nil
		}
	})
	c.create(bag{ID: "1", Owner: "john"})
	c.db.Clock.Advance(time.Minute)
	changed, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; return nil })
	require.NoError(t, err)
	changed.WriteID = after[1].WriteID // only the write itself has its id
	assert.Equal(t, *changed, after[1])
	assert.Equal(t, []int{1, 2}, []int{after[0].Version, after[1].Version})
	assert.Equal(t, noon, after[0].UpdatedAt)
	assert.Equal(t, noon.Add(time.Minute), after[1].UpdatedAt)
}
