package entity_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// A put that is repeated under a key has the first one's result.
func TestPutIsReplayed(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	put := func() *bag {
		v, err := c.Put(t.Context(), &bag{ID: "1", Owner: "john"}, keyed)
		require.NoError(t, err)
		return v
	}
	put()
	assert.Equal(t, map[string]string{"BagId": "1"}, c.made())
	c.relabelled(t.Context(), "1", "fragile")
	again := put()
	assert.Equal(t, []string{"fragile"}, again.Labels)
	assert.Empty(t, again.WriteID)
	require.NoError(t, c.Delete(t.Context(), bagKey("1")))
	assert.Equal(t, &bag{ID: "1", Owner: "john"}, put())
	assert.Empty(t, c.ids())
}

// With an idempotency key, an update is compared by its agreed values and its entity.
func TestUpdateUnderAKey(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.create(bag{ID: "1"})
	c.create(bag{ID: "2"})
	update := func(id string, opts ...dynastay.UpdateOption) (*bag, error) {
		op := c.UpdateOp(bagKey(id), func(b *bag) error { b.Owner = "john"; return nil }, opts...)
		if err := c.db.Write(t.Context(), op, keyed); err != nil {
			return nil, err
		}
		return op.Result(), nil
	}
	assert.Empty(t, c.sent(func() {
		_, err := update("1")
		assert.Contains(t, invalid(t, err, "IdempotencyKey"), "cannot be used with bags.Update")
	}))
	first, err := update("1", dynastay.AgreedOn("owner", "john"))
	require.NoError(t, err)
	c.relabelled(t.Context(), "1", "fragile")
	again, err := update("1", dynastay.AgreedOn("owner", "john"))
	require.NoError(t, err)
	assert.Equal(t, []string{"fragile"}, again.Labels, "as it is by now")
	assert.NotEmpty(t, first.WriteID)
	assert.Empty(t, again.WriteID)
	for _, agreed := range [][]string{{"owner", "jane"}, {"owner"}, {}, {"ownerjohn"}} {
		_, err = update("1", dynastay.AgreedOn(agreed...))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "%q", agreed)
	}
	_, err = update("2", dynastay.AgreedOn("owner", "john"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	require.NoError(t, c.Delete(t.Context(), bagKey("1")))
	_, err = update("1", dynastay.AgreedOn("owner", "john"))
	assert.ErrorIs(t, err, dynastay.ErrCommitted)
	assert.Equal(t, dynastay.Item(nil), c.item(bagKey("1")))
}

// It makes no difference whether a key is passed to the operation or to its Write.
func TestKeyAtTheOperation(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.create(bag{ID: "1"})
	add := func(b *bag) error { b.Labels = append(b.Labels, "more"); return nil }
	agreed := dynastay.AgreedOn("more")
	for range 2 {
		got, err := c.Update(t.Context(), bagKey("1"), add, agreed, keyed)
		require.NoError(t, err)
		assert.Equal(t, []string{"more"}, got.Labels)
	}
	got, err := dynastay.Do(t.Context(), c.db.DB, c.UpdateOp(bagKey("1"), add, agreed), keyed)
	require.NoError(t, err)
	assert.Equal(t, []string{"more"}, got.Labels)
	_, err = c.Update(t.Context(), bagKey("1"), add, dynastay.AgreedOn("less"), keyed)
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	op := c.UpdateOp(bagKey("1"), add, agreed, keyed)
	require.NoError(t, c.db.Write(t.Context(), op))

	update := func(opts ...dynastay.UpdateOption) error {
		_, err := c.Update(t.Context(), bagKey("1"), add, opts...)
		return err
	}
	assert.Empty(t, c.sent(func() {
		for want, err := range map[string]error{
			"has no input to compare":             update(keyed),
			"is set more than once":               c.db.Write(t.Context(), c.UpdateOp(bagKey("1"), add, agreed, keyed), keyed),
			"does not compare whom it belongs to": update(dynastay.IfUser("john")),
			"already passed to Write":             c.db.Write(t.Context(), op, op),
		} {
			assert.ErrorContains(t, err, want)
			assert.ErrorIs(t, err, dynastay.ErrInvalid)
		}
	}))

	for range 2 {
		require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.IdempotencyKey("delete")))
	}
	assert.ErrorIs(t, c.Delete(t.Context(), bagKey("1")), dynastay.ErrNotFound)
}

// An operation that takes options and does not pass them on is a mistake of its author. The key must not be ignored.
func TestKeyThatIsNotPassedOn(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.create(bag{ID: "1"})
	before := c.item(bagKey("1"))
	op := dynastay.NewOp(dynastay.OpSpec[*bag]{
		Name: "bags.Relabel",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*bag, error) {
			change, err := c.Change(ctx, bagKey("1"), func(b *bag) error { b.Labels = []string{"x"}; return nil }, keyed)
			if err != nil {
				return nil, err
			}
			return change.After, change.AddTo(tx)
		},
	})
	assert.ErrorContains(t, c.db.Write(t.Context(), op), "OpSpec.Options must have it")
	assert.Equal(t, before, c.item(bagKey("1")))
}

// With an idempotency key, a delete is compared by its key and its options.
func TestDeleteUnderAKey(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	made := c.create(bag{ID: "1"})
	c.create(bag{ID: "2"})
	all := map[string][]dynastay.UpdateOption{
		"": nil, "or missing": {dynastay.OrMissing()}, "version 1": {dynastay.IfVersion(1)}, "version 2": {dynastay.IfVersion(2)},
		"written": {dynastay.IfWritten(made.WriteID)}, "written otherwise": {dynastay.IfWritten("AAAAAAAAAAAAAAAA")},
	}
	remove := func(id string, opts []dynastay.UpdateOption, key dynastay.Idempotency) error {
		return c.db.Write(t.Context(), c.DeleteOp(bagKey(id), opts...), key)
	}
	for _, first := range []string{"", "or missing", "version 1", "written"} {
		key := dynastay.IdempotencyKey("first " + first)
		require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing()))
		made = c.create(bag{ID: "1"})
		all["written"] = []dynastay.UpdateOption{dynastay.IfWritten(made.WriteID)}
		require.NoError(t, remove("1", all[first], key), first)
		c.create(bag{ID: "1"})
		for name, opts := range all {
			if err := remove("1", opts, key); name == first {
				assert.NoError(t, err, first)
				assert.NotNil(t, c.item(bagKey("1")), "it is not removed a second time")
			} else {
				assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "%s, then %s", first, name)
			}
		}
		assert.ErrorIs(t, remove("2", all[first], key), dynastay.ErrIdempotencyMismatch)
	}
}
