package entity_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// A change to what the library writes is refused with the field's name, and nothing is written.
func TestKeptFieldsAreRefused(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	made := c.create(bag{ID: "1", Owner: "john", Weight: 7, Moves: 3})
	for field, edit := range map[string]func(*bag){
		"ID":        func(b *bag) { b.ID = "2" },
		"CreatedAt": func(b *bag) { b.CreatedAt = noon.Add(time.Hour) },
		"UpdatedAt": func(b *bag) { b.UpdatedAt = time.Time{} },
		"Version":   func(b *bag) { b.Version++ },
		"Weight":    func(b *bag) { b.Weight = 0 },
		"Moves":     func(b *bag) { b.Moves++ },
	} {
		assert.Equal(t, []string{"GetItem"}, c.sent(func() {
			_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; edit(b); return nil })
			assert.EqualError(t, err, "invalid "+field+": is managed by the library and cannot be changed")
		}))
	}
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read)
}

// A bag's key that is made of another field does not change either.
func TestKeyIsRefused(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Key = func(b *bag) (dynastay.Key, error) {
			if strings.Contains(b.Owner, "#") {
				return dynastay.Key{}, dynastay.Invalid("owner", "holds a #")
			}
			return bagKey(b.Owner), nil
		}
	})
	c.create(bag{Owner: "john@example.com"})
	for owner, says := range map[string]string{
		"jane": "invalid: the key of Bag BAG#***/METADATA cannot be changed", "#": "invalid Owner: holds a #",
	} {
		assert.Equal(t, []string{"GetItem"}, c.sent(func() {
			_, err := c.Update(t.Context(), bagKey("john@example.com"), func(b *bag) error { b.Owner = owner; return nil })
			assert.EqualError(t, err, says)
		}))
	}
}

// Options that are not for updates are refused before any request.
func TestUpdateRefusesOptions(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	e := bagOf(func(s *entity.Spec[bag]) { s.Version = "" })
	unversioned := entity.NewTable(c.db.DB, e)
	update := func(table *entity.Table[bag], option dynastay.UpdateOption) error {
		_, err := table.Update(t.Context(), bagKey("1"), func(*bag) error { return errBoom }, option)
		return err
	}
	assert.Empty(t, c.sent(func() {
		assert.Equal(t, "applies only to deletes; an update requires an existing Bag", invalid(t, update(c.Table, dynastay.OrMissing()), "OrMissing"))
		assert.Equal(t, "is not supported: Bag has no version", invalid(t, update(unversioned, dynastay.IfVersion(1)), "IfVersion"))
		invalid(t, update(c.Table, dynastay.IfWritten("x")), "WriteID")
		assert.Equal(t, "must be at most 4096 bytes in total, got 4097",
			invalid(t, update(c.Table, dynastay.AgreedOn(strings.Repeat("a", 4096), "b")), "AgreedOn"))
	}))
	assert.ErrorIs(t, update(c.Table, dynastay.AgreedOn(strings.Repeat("a", 4096))), dynastay.ErrNotFound)
	assert.NoError(t, e.CheckUpdate(dynastay.IfWritten("AAAAAAAAAAAAAAAA")))
}

// An update without a version or a time of its own writes neither.
func TestUpdateWithoutTimesAndVersions(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) { s.Updated, s.Version = "", "" })
	c.create(bag{ID: "1", Version: 9})
	c.db.Clock.Advance(time.Hour)
	now, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; return nil })
	require.NoError(t, err)
	assert.Equal(t, 9, now.Version)
	assert.True(t, now.UpdatedAt.IsZero())
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, now, read)
}

// Another process writes between the read and the update: the update that was overtaken reads again, or fails.
func TestUpdateIsOvertaken(t *testing.T) {
	t.Parallel()
	changed := func(ctx context.Context, c cloakroom) { c.relabelled(ctx, "1", "x") }
	gone := func(ctx context.Context, c cloakroom) { assert.NoError(c.t, c.elsewhere().Delete(ctx, bagKey("1"))) }
	foreign := func(name string, v int) func(context.Context, cloakroom) {
		return func(_ context.Context, c cloakroom) { c.foreign("1", dynastay.Item{name: dynastay.Number(v)}) }
	}
	bare := func(c cloakroom) { c.foreign("1", nil) }
	ours := func(c cloakroom) { c.create(bag{ID: "1"}) }
	for name, test := range map[string]struct {
		stored  func(cloakroom)
		between func(context.Context, cloakroom)
		opts    []dynastay.UpdateOption
		runs    int
		fails   error
	}{
		"changed":                          {ours, changed, nil, 2, nil},
		"changed, of a version":            {ours, changed, []dynastay.UpdateOption{dynastay.IfVersion(1)}, 1, dynastay.ErrVersion},
		"gone":                             {ours, gone, nil, 1, dynastay.ErrNotFound},
		"counted":                          {ours, func(ctx context.Context, c cloakroom) { c.moved(ctx, "1") }, nil, 1, nil},
		"without a write id, counted":      {bare, foreign("Moves", 1), nil, 1, nil},
		"without a write id, unknown":      {bare, foreign("Unknown", 1), nil, 1, nil},
		"without a write id, its version":  {bare, foreign("Version", 1), nil, 2, nil},
		"without a write id, what is kept": {func(c cloakroom) { c.foreign("1", dynastay.Item{"Weight": dynastay.Number(7)}) }, foreign("Weight", 8), nil, 2, nil},
		"without a write id, of a version": {bare, foreign("Version", 1), []dynastay.UpdateOption{dynastay.IfVersion(0)}, 1, dynastay.ErrVersion},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t)
			test.stored(c)
			c.before("UpdateItem", func(ctx context.Context) { test.between(ctx, c) })
			runs := 0
			now, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { runs++; b.Owner = "jane"; return nil }, test.opts...)
			assert.Equal(t, test.runs, runs)
			if test.fails != nil {
				assert.Equal(t, &dynastay.Error{Entity: "Bag", ID: "BAG#1/METADATA", Kind: test.fails}, err)
				return
			}
			require.NoError(t, err)
			read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, "jane", read.Owner)
			now.Moves = read.Moves // a delta is none of the update's business
			assert.Equal(t, now, read)
		})
	}
}

// A malformed write id matches no item.
func TestUpdateOfAForeignWriteID(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Codec = entity.Declare(func(f *entity.Fields, b *bag) { f.String("BagId", &b.ID); f.String("Owner", &b.Owner) })
		s.Created, s.Updated, s.Version, s.Kept, s.Counters = "", "", "", nil, nil
	})
	c.foreign("1", dynastay.Item{"WriteId": dynastay.Text("AAAAAAAAAAAAAAAA")})
	update := func(opts ...dynastay.UpdateOption) error {
		_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; return nil }, opts...)
		return err
	}
	assert.ErrorIs(t, update(dynastay.IfWritten("AAAAAAAAAAAAAAAA")), dynastay.ErrVersion)
	assert.NoError(t, update())
}

// A function cannot set the write id either: the result has the one that is stored.
func TestFunctionThatSetsTheWriteID(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	made := c.create(bag{ID: "1"})
	assert.Equal(t, []string{"GetItem"}, c.sent(func() {
		now, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.WriteID = "AAAAAAAAAAAAAAAA"; return nil })
		require.NoError(t, err)
		assert.Equal(t, made, now)
	}))
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
