package entity_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		cattery  func(c *cattery)
		want     string // the id, "" for nobody
		loads    []string
		requests int
	}{
		{"as almost always", func(c *cattery) {
			c.cat("tom", "Tom", "tom")
			c.guard("tom", "tom")
		}, "tom", []string{"tom"}, 2},
		{"without a guard", func(c *cattery) { c.cat("tom", "Tom", "tom") }, "tom", []string{"tom"}, 2},
		{"nobody", func(*cattery) {}, "", nil, 2},
		{"the index does not show the new owner yet", func(c *cattery) {
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
		}, "tom", []string{"tom consistently"}, 3},
		{"the index still shows the old owner", func(c *cattery) {
			c.cat("old", "Oldie", "tom")
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
		}, "tom", []string{"old", "tom consistently"}, 4},
		{"the index still shows the old owner, and nobody has the name now", func(c *cattery) {
			c.cat("old", "Oldie", "tom")
		}, "", []string{"old"}, 3},
		{"the index still shows the old owner, whose name no guard can have", func(c *cattery) {
			c.cat("old", "Old#ie", "tom")
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
		}, "tom", []string{"old", "tom consistently"}, 4},
		{"the index shows both", func(c *cattery) {
			c.cat("old", "Oldie", "tom")
			c.cat("tom", "Tom", "tom")
			c.guard("tom", "tom")
		}, "tom", []string{"tom consistently"}, 3},
		{"the index still shows one that is gone", func(c *cattery) {
			c.cat("tom", "Tom", "tom")
			c.guard("tom", "tom")
			c.before = func(string, bool) { c.remove(catKey("tom")) }
		}, "", []string{"tom", "tom consistently"}, 4},
		{"the guard's owner is gone", func(c *cattery) { c.guard("tom", "tom") }, "", []string{"tom consistently"}, 3},
		{"the owner gives the name up after the guard was read", func(c *cattery) {
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
			c.before = func(string, bool) { c.cat("tom", "Thomas", "") }
		}, "", []string{"tom consistently"}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openCattery(t)
			test.cattery(c)
			var got *cat
			var err error
			sent := c.sent(func() { got, err = c.find(" TOM ") })
			assert.Equal(t, test.loads, c.loads)
			assert.Len(t, sent, test.requests)
			assert.Equal(t, "Query", sent[0])
			if test.want == "" {
				assertNotFound(t, err, "tom")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, &cat{ID: test.want, Name: "Tom"}, got)
		})
	}
}

// Find reads the entity itself. Without an index it asks the guard at once.
func TestFindWithoutAnIndex(t *testing.T) {
	t.Parallel()
	c := openCattery(t, func(s *entity.Spec[cat]) { s.Unique[0].Index, s.Unique[0].Partition = "", nil })
	made, err := c.Create(t.Context(), &cat{ID: "tom", Name: "Tom"})
	require.NoError(t, err)
	var got *cat
	assert.Equal(t, []string{"GetItem", "GetItem"}, c.sent(func() { got, err = c.Find(t.Context(), "Name", &cat{Name: "tom"}) }))
	require.NoError(t, err)
	assert.Equal(t, made, got)
	_, err = c.Find(t.Context(), "Name", &cat{Name: "kit"})
	assertNotFound(t, err, "kit")
}

// Only ErrNotFound leads to a read of the guard; any other error is returned to the caller.
func TestFindFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	loading := func(c *cattery, failing bool) error { // fails with boom in the reading that is failing
		_, err := entity.FindWith(t.Context(), c.Table, "Name", &cat{Name: "Tom"},
			func(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*cat, error) {
				if slices.Contains(opts, dynastay.Consistent) == failing {
					return nil, boom
				}
				return c.Get(ctx, key, opts...)
			}, func(found *cat) *cat { return found })
		return err
	}
	c := openCattery(t)
	c.cat("tom", "Tom", "tom")
	c.guard("tom", "tom")
	assert.Equal(t, []string{"Query"}, c.sent(func() { assert.Same(t, boom, loading(c, false)) }), "the guard is not asked")
	c.cat("tom", "Tom", "")
	assert.Equal(t, []string{"Query", "GetItem"}, c.sent(func() { assert.Same(t, boom, loading(c, true)) }))

	for operation, requests := range map[string]int{"Query": 1, "GetItem": 2} {
		denied := c.db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: operation, Nth: 1})
		var api smithy.APIError
		assert.Len(t, c.sent(func() {
			_, err := c.find("Tom")
			assert.ErrorAs(t, err, &api, operation)
			assert.NotErrorIs(t, err, dynastay.ErrNotFound, operation)
		}), requests, operation)
		assert.Equal(t, 1, denied.Hits())
	}
	assert.Empty(t, c.loads)
}

// The name is claimed in the transaction that makes the cat.
func TestCreateClaims(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	create := func(id, name string) error {
		_, err := c.Create(t.Context(), &cat{ID: id, Name: name})
		return err
	}
	assert.Equal(t, []string{"TransactWriteItems"}, c.sent(func() { require.NoError(t, create("tom", " Tom")) }))
	guard, err := c.db.Direct.Get(t.Context(), cats, guardKey("tom"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{
		"PK": dynastay.Text("NAME#tom"), "SK": dynastay.Text("GUARD"), "CatId": dynastay.Text("tom"), "Kind": dynastay.Text("Guard"),
	}, guard.Item())

	assertTaken(t, create("kit", "TOM"), "cats.Create", "kit")
	c.guard("kit", "kit")
	assertTaken(t, create("kit", "Kit"), "cats.Create", "kit") // whosever it is: there is no such cat yet
	require.NoError(t, create("stray", ""))
	require.NoError(t, create("other", " "), "any number of cats have no name")
	assert.ErrorIs(t, create("bad", "b#d"), dynastay.ErrInvalid)
	c.assertStored(map[string]string{"tom": "tom", "kit": "kit"}, map[string]string{"tom": " Tom", "stray": "", "other": " "})
}

// call is an update's function that gives a cat another name.
func call(name string) func(*cat) error {
	return func(c *cat) error {
		c.Name = name
		return nil
	}
}

func TestUpdateMoves(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	for id, name := range map[string]string{"tom": "Tom", "kit": "Kit", "stray": ""} {
		_, err := c.Create(t.Context(), &cat{ID: id, Name: name})
		require.NoError(t, err)
	}
	rename := func(id, name string) (err error) {
		_, err = c.Update(t.Context(), catKey(id), call(name))
		return err
	}
	names := map[string]string{"tom": "Tom", "kit": "Kit", "stray": ""}

	assertTaken(t, rename("tom", "kit"), "cats.Update", "tom")
	c.assertStored(map[string]string{"tom": "tom", "kit": "kit"}, names)

	// One item is written, and no guard with it.
	sent := c.sent(func() { require.NoError(t, rename("tom", " TOM ")) })
	assert.Equal(t, []string{"GetItem", "UpdateItem"}, sent, "another spelling of the same name")
	names["tom"] = " TOM "
	c.assertStored(map[string]string{"tom": "tom", "kit": "kit"}, names)

	sent = c.sent(func() { require.NoError(t, rename("tom", "Thomas")) })
	assert.Equal(t, []string{"GetItem", "TransactWriteItems"}, sent)
	names["tom"] = "Thomas"
	c.assertStored(map[string]string{"thomas": "tom", "kit": "kit"}, names)

	require.NoError(t, rename("stray", "Tom"), "who claims a name for the first time")
	require.NoError(t, rename("kit", ""), "who gives it up")
	names["stray"], names["kit"] = "Tom", ""
	c.assertStored(map[string]string{"thomas": "tom", "tom": "stray"}, names)

	err := rename("tom", "t#m")
	assert.EqualError(t, err, "invalid Name: holds a #")
	c.assertStored(map[string]string{"thomas": "tom", "tom": "stray"}, names)
}

func TestDeleteReleases(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	for id, name := range map[string]string{"tom": "Tom", "stray": ""} {
		_, err := c.Create(t.Context(), &cat{ID: id, Name: name})
		require.NoError(t, err)
	}
	remove := func(id string) error { return c.Delete(t.Context(), catKey(id)) }
	sent := c.sent(func() { require.NoError(t, remove("tom")) })
	assert.Equal(t, []string{"GetItem", "TransactWriteItems"}, sent)
	c.assertStored(map[string]string{}, map[string]string{"stray": ""})
	sent = c.sent(func() { require.NoError(t, remove("stray")) })
	assert.Equal(t, []string{"GetItem", "DeleteItem"}, sent, "there is no guard to release")
	assert.ErrorIs(t, remove("tom"), dynastay.ErrNotFound)
	_, err := c.Create(t.Context(), &cat{ID: "kit", Name: "Tom"})
	require.NoError(t, err, "the name is free again")
}

func count(operations []string, operation string) (n int) {
	for _, sent := range operations {
		if sent == operation {
			n++
		}
	}
	return n
}

// A guard is an entity's only if it repeats all that the entity's key is made of.
func TestOwnerOfSeveralParts(t *testing.T) {
	t.Parallel()
	type kitten struct{ House, ID, Name string }
	kittens := entity.New(entity.Spec[kitten]{
		Name: "Kitten", Schema: cats,
		Key: func(k *kitten) (dynastay.Key, error) {
			return dynastay.Key{PK: "HOUSE#" + k.House, SK: "CAT#" + k.ID}, nil
		},
		Codec: entity.Declare(func(f *entity.Fields, k *kitten) {
			f.String("House", &k.House)
			f.String("CatId", &k.ID)
			f.String("Called", &k.Name)
		}),
		Unique: []entity.Unique[kitten]{{
			Field: "Name", Owner: []string{"House", "CatId"},
			Guard: func(k *kitten) (dynastay.Key, error) { return guardKey(k.Name), nil },
		}},
	})
	for name, owner := range map[string]kitten{
		"ours": {House: "a", ID: "1"}, "of another house": {House: "b", ID: "1"}, "of the same house": {House: "a", ID: "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCattery(t)
			table := entity.NewTable(c.db.DB, kittens)
			made, err := table.Create(t.Context(), &kitten{House: "a", ID: "1", Name: "tom"})
			require.NoError(t, err)
			found, err := table.Find(t.Context(), "Name", &kitten{Name: "tom"})
			require.NoError(t, err)
			assert.Equal(t, made, found)

			c.put(guardKey("tom"), dynastay.Item{"House": dynastay.Text(owner.House), "CatId": dynastay.Text(owner.ID)})
			require.NoError(t, table.Delete(t.Context(), dynastay.Key{PK: "HOUSE#a", SK: "CAT#1"}))
			guards, _ := c.stored()
			assert.Equal(t, name != "ours", len(guards) > 0)
		})
	}
}

// A value that the entity draws itself is drawn anew where it is taken.
func TestTakenIsDrawnAgain(t *testing.T) {
	t.Parallel()
	var told []string
	c := openCattery(t, func(s *entity.Spec[cat]) {
		s.Unique[0].Taken = func(c *cat) error {
			told = append(told, c.Name)
			return dynastay.ErrOvertaken
		}
	})
	_, err := c.Create(t.Context(), &cat{ID: "tom", Name: "Tom"})
	require.NoError(t, err)
	names := []string{"Tom", "tom", "Kit"}
	draw := func() (string, error) {
		name := names[0]
		names = names[1:]
		return name, nil
	}
	op := c.CreateFromOp(func() (*cat, error) {
		name, err := draw()
		return &cat{ID: "kit", Name: name}, err
	})
	sent := c.sent(func() { require.NoError(t, c.db.Write(t.Context(), op)) })
	assert.Equal(t, []string{"TransactWriteItems", "TransactWriteItems", "TransactWriteItems"}, sent)
	assert.Equal(t, "Kit", op.Result().Name)
	assert.Equal(t, []string{"Tom", "tom"}, told)

	names = []string{"TOM", "Kitty"}
	_, err = c.Update(t.Context(), catKey("kit"), func(c *cat) (err error) {
		c.Name, err = draw()
		return err
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"Tom", "tom", "TOM"}, told)
	c.assertStored(map[string]string{"tom": "tom", "kitty": "kit"}, map[string]string{"tom": "Tom", "kit": "Kitty"})

	// One that does not draw another one gives up in the end.
	brief := entity.NewTable(c.db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 2}}), catSpec(func(s *entity.Spec[cat]) {
		s.Unique[0].Taken = func(*cat) error { return dynastay.ErrOvertaken }
	}))
	_, err = brief.Create(t.Context(), &cat{ID: "third", Name: "Tom"})
	assert.ErrorIs(t, err, dynastay.ErrContention)
}
