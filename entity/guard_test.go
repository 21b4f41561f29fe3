package entity_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

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

// A guard's key that DynamoDB would refuse, or store as another, is refused first.
func TestGuardKeyIsChecked(t *testing.T) {
	t.Parallel()
	c := openCattery(t, func(s *entity.Spec[cat]) {
		s.Unique[0].Guard = func(c *cat) (dynastay.Key, error) { return dynastay.Key{PK: "NAME#" + c.Name}, nil }
	})
	assert.Empty(t, c.sent(func() {
		_, err := c.Create(t.Context(), &cat{ID: "tom", Name: "Tom"})
		assert.EqualError(t, err, "invalid Key.SK: must not be empty")
		_, err = c.find("Tom")
		assert.EqualError(t, err, "invalid Key.SK: must not be empty")
	}))
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

func (c *cattery) rename(id, name string) error {
	_, err := c.Update(c.t.Context(), catKey(id), call(name))
	return err
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

// An entity cannot be put over one whose name nobody has seen.
func TestPutOfAUniqueValueIsRefused(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	assert.Empty(t, c.sent(func() {
		_, err := c.Put(t.Context(), &cat{ID: "tom", Name: "Tom"})
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
	}))
}

func TestUniqueIsChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		panics string
		spoil  func(*entity.Unique[cat])
	}{
		"no field":       {`entity.New: Cat: Unique "": Field, Guard and Owner are required`, func(u *entity.Unique[cat]) { u.Field = "" }},
		"no guard":       {`entity.New: Cat: Unique "Name": Field, Guard and Owner are required`, func(u *entity.Unique[cat]) { u.Guard = nil }},
		"no owner":       {`entity.New: Cat: Unique "Name": Field, Guard and Owner are required`, func(u *entity.Unique[cat]) { u.Owner = nil }},
		"no such index":  {"entity.New: Cat: Unique Name: table Cats has no index ByAge", func(u *entity.Unique[cat]) { u.Index = "ByAge" }},
		"nothing amiss":  {"", func(*entity.Unique[cat]) {}},
		"without a mark": {"", func(u *entity.Unique[cat]) { u.Mark = nil }},
	} {
		spoiled := func() {
			catSpec(func(s *entity.Spec[cat]) {
				s.Unique = slices.Clone(s.Unique)
				test.spoil(&s.Unique[0])
			})
		}
		if test.panics == "" {
			assert.NotPanics(t, spoiled, name)
		} else {
			assert.PanicsWithValue(t, test.panics, spoiled, name)
		}
	}
}
