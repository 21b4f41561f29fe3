package entity_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// guarded has items that go with it, so that a delete reads it first.
func guarded(s *entity.Spec[bag]) {
	s.Unique = []entity.Unique[bag]{{
		Field: "Shelf", Owner: []string{"BagId"},
		Guard: func(b *bag) (dynastay.Key, error) {
			if b.Shelf == "" {
				return dynastay.Key{}, nil
			}
			return dynastay.Key{PK: "SHELF#" + b.Shelf, SK: "GUARD"}, nil
		},
	}}
}

// followed has items of its own making that go with it.
func followed(s *entity.Spec[bag]) {
	s.Follow = func(*dynastay.Tx, *bag, *bag) error { return nil }
}

func plain(*entity.Spec[bag]) {}

func TestDeleteUnderConditions(t *testing.T) {
	t.Parallel()
	other := dynastay.IfWritten("AAAAAAAAAAAAAAAA")
	for kind, edit := range map[string]func(*entity.Spec[bag]){"plain": plain, "guarded": guarded, "followed": followed} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t, edit)
			for name, test := range map[string]struct {
				opts           func(*bag) []dynastay.UpdateOption
				there, missing error // what it fails with
				versionless    error // the same of a bag that other software stored without a version
			}{
				"": {
					func(*bag) []dynastay.UpdateOption { return nil }, nil, dynastay.ErrNotFound, nil,
				},
				"or missing": {
					func(*bag) []dynastay.UpdateOption { return []dynastay.UpdateOption{dynastay.OrMissing()} }, nil, nil, nil,
				},
				"its version": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(b.Version)}
				}, nil, dynastay.ErrNotFound, nil},
				"its version, or missing": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(b.Version), dynastay.OrMissing()}
				}, nil, nil, nil},
				"another version": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(b.Version + 1)}
				}, dynastay.ErrVersion, dynastay.ErrNotFound, dynastay.ErrVersion},
				"another version, or missing": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.OrMissing(), dynastay.IfVersion(b.Version + 1)}
				}, dynastay.ErrVersion, nil, dynastay.ErrVersion},
				"no version": {func(*bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(0)}
				}, dynastay.ErrVersion, dynastay.ErrNotFound, nil},
				"another's writing": {func(*bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{other}
				}, dynastay.ErrVersion, dynastay.ErrNotFound, dynastay.ErrVersion},
				"another's writing, or missing": {func(*bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{other, dynastay.OrMissing()}
				}, dynastay.ErrVersion, nil, dynastay.ErrVersion},
			} {
				remove := func(b *bag) error { return c.Delete(t.Context(), bagKey("1"), test.opts(b)...) }
				said := func(want, err error, state string) {
					t.Helper()
					if want == nil {
						assert.NoError(t, err, "%s, %s", name, state)
						assert.Nil(t, c.item(bagKey("1")), "%s, %s", name, state)
						return
					}
					assert.Equal(t, &dynastay.Error{Entity: "Bag", ID: "BAG#1/METADATA", Kind: want}, err, "%s, %s", name, state)
				}
				made := c.create(bag{ID: "1"})
				said(test.there, remove(made), "there")
				require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing()))
				said(test.missing, remove(made), "missing")
				c.foreign("1", nil)
				said(test.versionless, remove(&bag{}), "without a version")
				require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing()))
			}

			made := c.create(bag{ID: "1"})
			now, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "x"; return nil })
			require.NoError(t, err)
			for _, opts := range [][]dynastay.UpdateOption{
				{dynastay.IfWritten(made.WriteID)},
				{dynastay.IfWritten(now.WriteID), dynastay.IfVersion(1)},
				{dynastay.IfWritten(made.WriteID), dynastay.IfVersion(2)},
			} {
				assert.ErrorIs(t, c.Delete(t.Context(), bagKey("1"), opts...), dynastay.ErrVersion)
			}
			require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.IfWritten(now.WriteID), dynastay.IfVersion(2)))
			assert.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.IfWritten(now.WriteID), dynastay.OrMissing()))
		})
	}
}

// A delete alone is one request; with items that depend on the entity it is a read and a transaction.
func TestDeleteRequests(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		edit    func(*entity.Spec[bag])
		there   []string
		missing []string
	}{
		"plain":    {plain, []string{"DeleteItem"}, []string{"DeleteItem"}},
		"guarded":  {guarded, []string{"GetItem", "TransactWriteItems"}, []string{"GetItem"}},
		"followed": {followed, []string{"GetItem", "DeleteItem"}, []string{"GetItem"}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t, test.edit)
			c.create(bag{ID: "1", Shelf: "3"})
			remove := func() { require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing())) }
			assert.Equal(t, test.there, c.sent(remove))
			assert.Equal(t, test.missing, c.sent(remove))
			assert.Empty(t, c.ids(), "nor is there a guard")
		})
	}
}

// Unsupported options are refused before any request.
func TestDeleteRefuses(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) { s.Version = "" })
	assert.Empty(t, c.sent(func() {
		err := c.Delete(t.Context(), bagKey("1"), dynastay.IfVersion(1))
		assert.Equal(t, "is not supported: Bag has no version", invalid(t, err, "IfVersion"))
		invalid(t, c.Delete(t.Context(), bagKey("1"), dynastay.IfWritten("x")), "WriteID")
	}))
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

// An unreadable item does not show what depends on it, so it is not deleted.
func TestDeleteOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, guarded)
	c.foreign("1", dynastay.Item{"Owner": dynastay.Number(1)})
	err := c.Delete(t.Context(), bagKey("1"))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotNil(t, c.item(bagKey("1")))
}
