package entity_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

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

// Between the reading and the delete another process is at work.
func TestDeleteIsOvertaken(t *testing.T) {
	t.Parallel()
	bare := dynastay.Item{"Owner": dynastay.Text("john"), "Place": dynastay.Text("3"), "Search": dynastay.Text("john/3"), "Moves": dynastay.Number(1)}
	with := func(name, text string) dynastay.Item {
		item := dynastay.Item{name: dynastay.Text(text)}
		for name, v := range bare {
			if _, there := item[name]; !there {
				item[name] = v
			}
		}
		return item
	}
	counted := with("Unknown", "x")
	counted["Moves"] = dynastay.Number(2)
	for name, test := range map[string]struct {
		foreign dynastay.Item // the bag as other software stored it, nil where this library did
		between func(context.Context, cloakroom)
		opts    []dynastay.UpdateOption
		fails   error
		sent    []string
	}{
		"changed": {
			between: func(ctx context.Context, c cloakroom) { c.relabelled(ctx, "1", "x") },
			sent:    []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"},
		},
		"changed, of a version": {
			between: func(ctx context.Context, c cloakroom) { c.relabelled(ctx, "1", "x") },
			opts:    []dynastay.UpdateOption{dynastay.IfVersion(1)}, fails: dynastay.ErrVersion,
			sent: []string{"GetItem", "TransactWriteItems"},
		},
		"gone": {
			between: func(ctx context.Context, c cloakroom) { assert.NoError(c.t, c.elsewhere().Delete(ctx, bagKey("1"))) },
			fails:   dynastay.ErrNotFound, sent: []string{"GetItem", "TransactWriteItems"},
		},
		"gone, or missing": {
			between: func(ctx context.Context, c cloakroom) { assert.NoError(c.t, c.elsewhere().Delete(ctx, bagKey("1"))) },
			opts:    []dynastay.UpdateOption{dynastay.OrMissing()}, sent: []string{"GetItem", "TransactWriteItems", "GetItem"},
		},
		"gone, a version or missing": {
			between: func(ctx context.Context, c cloakroom) { assert.NoError(c.t, c.elsewhere().Delete(ctx, bagKey("1"))) },
			opts:    []dynastay.UpdateOption{dynastay.OrMissing(), dynastay.IfVersion(1)},
			sent:    []string{"GetItem", "TransactWriteItems", "GetItem"},
		},
		"counted": {
			between: func(ctx context.Context, c cloakroom) { c.moved(ctx, "1") },
			sent:    []string{"GetItem", "TransactWriteItems"},
		},
		"without a write id, changed": {
			foreign: bare, between: func(_ context.Context, c cloakroom) { c.foreign("1", with("Owner", "jane")) },
			sent: []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"},
		},
		"without a write id, another version": {
			foreign: bare, between: func(_ context.Context, c cloakroom) {
				item := with("Owner", "john")
				item["Version"] = dynastay.Number(1)
				c.foreign("1", item)
			},
			sent: []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"},
		},
		"without a write id, another time": {
			foreign: bare, between: func(_ context.Context, c cloakroom) { c.foreign("1", with("UpdatedAt", "2026-01-02T13:00:00Z")) },
			sent: []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"},
		},
		"without a write id, derived otherwise": {
			foreign: bare, between: func(_ context.Context, c cloakroom) { c.foreign("1", with("Search", "x")) },
			sent: []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"},
		},
		"without a write id, until then": {
			foreign: bare, between: func(ctx context.Context, c cloakroom) { c.relabelled(ctx, "1", "x") },
			sent: []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"},
		},
		"without a write id, counted, and more that is unknown": {
			foreign: bare, between: func(_ context.Context, c cloakroom) { c.foreign("1", counted) },
			sent: []string{"GetItem", "TransactWriteItems"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t, guarded)
			if test.foreign == nil {
				c.create(bag{ID: "1", Owner: "john", Shelf: "3"})
			} else {
				c.foreign("1", test.foreign)
			}
			overtaken := c.before("TransactWriteItems", func(ctx context.Context) { test.between(ctx, c) })
			var err error
			assert.Equal(t, test.sent, c.sent(func() { err = c.Delete(t.Context(), bagKey("1"), test.opts...) }))
			assert.Equal(t, 1, overtaken.Hits())
			if test.fails != nil {
				assert.Equal(t, &dynastay.Error{Entity: "Bag", ID: "BAG#1/METADATA", Kind: test.fails}, err)
				return
			}
			require.NoError(t, err)
			assert.Nil(t, c.item(bagKey("1")))
		})
	}
}
