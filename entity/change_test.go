package entity_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
)

// menu has dishes and a number of guests that only operations of their own change.
type menu struct {
	ID, Name string
	Dishes   map[string]dish // by id
	Allergen []string
	Guests   int

	UpdatedAt time.Time
	Version   int
}

type dish struct {
	Name  string
	Price int
}

var menus = &dynastay.Schema{Name: "Menus", Key: dynastay.KeyNames{Partition: "PK"}}

func menuKey(id string) dynastay.Key { return dynastay.Key{PK: "MENU#" + id} }

func newMenus() *entity.Entity[menu] {
	return entity.New(entity.Spec[menu]{
		Name: "Menu", Schema: menus, Updated: "UpdatedAt", Version: "Version", Kept: []string{"Card", "Allergens", "Guests"},
		Key: func(m *menu) (dynastay.Key, error) { return menuKey(m.ID), nil },
		Validate: func(m *menu) error {
			if m.Guests < 0 {
				return dynastay.Invalid("Guests", "must not be negative")
			}
			return nil
		},
		Derived: []entity.Derived[menu]{
			entity.CopyOf[menu]("Card.Title", "Name"),
			{Name: "Size", Value: func(m *menu) (types.AttributeValue, error) { return dynastay.Number(len(m.Dishes)), nil }},
		},
		Codec: entity.Declare(func(f *entity.Fields, m *menu) {
			f.String("MenuId", &m.ID)
			f.String("Name", &m.Name)
			f.Map("Card", func(f *entity.Fields) {
				entity.Keyed(f, "Dishes", &m.Dishes, func(f *entity.Fields, id string, d *dish) {
					f.Map(id, func(f *entity.Fields) {
						f.String("Name", &d.Name)
						f.Int("Price", &d.Price)
					})
				})
			})
			f.Strings("Allergens", &m.Allergen)
			f.Int("Guests", &m.Guests)
			f.Time("UpdatedAt", &m.UpdatedAt)
			f.IfSet().Int("Version", &m.Version)
		}),
	})
}

// kitchen is a table with one menu of three dishes at version 1, an hour after it was created.
type kitchen struct {
	t  *testing.T
	db *dyntest.DB
	*entity.Table[menu]
}

func openKitchen(t *testing.T) kitchen {
	t.Helper()
	db := dyntest.New(t, dyntest.OnlyTables(menus), dyntest.At(noon))
	k := kitchen{t, db, entity.NewTable(db.DB, newMenus())}
	_, err := k.Create(t.Context(), &menu{
		ID: "1", Name: "Lunch", Allergen: []string{"egg", "nut", "soy"}, UpdatedAt: noon, Version: 1,
		Dishes: map[string]dish{"a": {"Soup", 5}, "b": {"Pie", 9}, "c.d": {"Tart", 4}},
	})
	require.NoError(t, err)
	db.Clock.Advance(time.Hour)
	return k
}

// keep writes a change with an update's function and then Keep.
func (k kitchen) keep(fn, keep func(*menu) error) (*menu, error) {
	return dynastay.Do(k.t.Context(), k.db.DB, dynastay.NewOp(dynastay.OpSpec[*menu]{
		Name: "test.Keep", Prepare: func(ctx context.Context, tx *dynastay.Tx) (*menu, error) {
			c, err := k.Change(ctx, menuKey("1"), fn)
			if err != nil {
				return nil, err
			}
			if err := c.Keep(keep); err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
	}))
}

func (k kitchen) item() dynastay.Item {
	k.t.Helper()
	row, err := k.db.Direct.Get(k.t.Context(), menus, menuKey("1"), dynastay.Consistent)
	require.NoError(k.t, err)
	return row.Item()
}

func (k kitchen) requests(f func()) (operations []string) {
	stop := k.db.Faults.Record()
	f()
	return wire.Operations(stop())
}

func nothing(*menu) error { return nil }

// Whole writes what is derived and missing, and nothing else.
func TestWholeWritesWhatIsDerived(t *testing.T) {
	t.Parallel()
	k := openKitchen(t)
	want := k.item()
	stale := maps.Clone(want)
	delete(stale, "Size")
	require.NoError(t, k.db.Direct.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "foreign", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			tx.Put(menus, stale)
			return none, nil
		},
	})))
	require.NoError(t, k.db.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[*menu]{
		Name: "test.Whole", Prepare: func(ctx context.Context, tx *dynastay.Tx) (*menu, error) {
			c, err := k.Change(ctx, menuKey("1"), nothing)
			if err != nil {
				return nil, err
			}
			return c.After, cmp.Or(c.Whole(), c.AddTo(tx))
		},
	})))
	got := k.item()
	assert.NotEqual(t, want["WriteId"], got["WriteId"])
	got["WriteId"] = want["WriteId"]
	assert.Equal(t, want, got)
}

// What an operation keeps does not count as an update; what is derived from it follows.
func TestKeepLeavesTheVersion(t *testing.T) {
	t.Parallel()
	k := openKitchen(t)
	var now *menu
	assert.Equal(t, []string{"GetItem", "UpdateItem"}, k.requests(func() {
		var err error
		now, err = k.keep(nothing, func(m *menu) error { m.Guests = -3; delete(m.Dishes, "a"); return nil })
		require.NoError(t, err, "the result is not validated")
	}))
	assert.Equal(t, &menu{
		ID: "1", Name: "Lunch", Allergen: []string{"egg", "nut", "soy"}, Guests: -3, UpdatedAt: now.UpdatedAt, Version: 1,
		Dishes: map[string]dish{"b": {"Pie", 9}, "c.d": {"Tart", 4}},
	}, now)
	assert.True(t, now.UpdatedAt.Equal(noon))
	read, err := k.Get(t.Context(), menuKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, now, read)
	assert.Equal(t, 2, dynastay.RowOf(k.item()).Int("Size"))

	assert.Equal(t, []string{"GetItem"}, k.requests(func() {
		_, err := k.keep(nothing, func(m *menu) error { m.Guests = -3; return nil })
		require.NoError(t, err)
	}), "nothing is different")
}

// An update's function and Keep are written together, as one update.
func TestKeepWithAnUpdate(t *testing.T) {
	t.Parallel()
	k := openKitchen(t)
	now, err := k.keep(func(m *menu) error { m.Name = "Dinner"; return nil }, func(m *menu) error { m.Guests = 7; return nil })
	require.NoError(t, err)
	assert.Equal(t, []any{"Dinner", 7, 2}, []any{now.Name, now.Guests, now.Version})
	assert.True(t, now.UpdatedAt.Equal(noon.Add(time.Hour)))
	read, err := k.Get(t.Context(), menuKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, now, read)
	assert.Equal(t, "Dinner", dynastay.RowOf(k.item()).Value("Card").Map().Text("Title"))

	// Keep may even take back everything that differs. It is an update nevertheless.
	k.db.Clock.Advance(time.Hour)
	now, err = k.keep(func(m *menu) error { m.Name = "Supper"; return nil }, nothing)
	require.NoError(t, err)
	assert.Equal(t, 3, now.Version)
}

// Slices and maps that Keep changes in place are written.
func TestKeepInPlace(t *testing.T) {
	t.Parallel()
	for name, fn := range map[string]func(*menu) error{
		"nothing edited": nothing, "edited": func(m *menu) error { m.Name = "Dinner"; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := openKitchen(t)
			_, err := k.keep(fn, func(m *menu) error {
				m.Allergen = slices.DeleteFunc(m.Allergen, func(a string) bool { return a == "egg" })
				m.Dishes["b"] = dish{"Pie", 10}
				return nil
			})
			require.NoError(t, err)
			read, err := k.Get(t.Context(), menuKey("1"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, []string{"nut", "soy"}, read.Allergen)
			assert.Equal(t, dish{"Pie", 10}, read.Dishes["b"])
		})
	}
}

// An entry that is removed goes with everything that other software stored in it. What it stored in others is
// preserved.
func TestKeepRemovesAWholeEntry(t *testing.T) {
	t.Parallel()
	k := openKitchen(t)
	item := k.item()
	dishes := item["Card"].(*types.AttributeValueMemberM).Value["Dishes"].(*types.AttributeValueMemberM).Value
	for _, id := range []string{"a", "b", "c.d"} {
		dishes[id].(*types.AttributeValueMemberM).Value["Extra"] = dynastay.Text("x")
	}
	item["Card"].(*types.AttributeValueMemberM).Value["Extra"] = dynastay.Text("y")
	require.NoError(t, k.db.Direct.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "foreign", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			tx.Put(menus, item)
			return none, nil
		},
	})))
	_, err := k.keep(nothing, func(m *menu) error {
		delete(m.Dishes, "a")
		delete(m.Dishes, "c.d")
		m.Dishes["b"] = dish{Price: 3} // without a name
		return nil
	})
	require.NoError(t, err)
	card := dynastay.RowOf(k.item()).Value("Card").Map()
	assert.Equal(t, "y", card.Text("Extra"))
	assert.Equal(t, dynastay.Item{"b": &types.AttributeValueMemberM{Value: dynastay.Item{
		"Price": dynastay.Number(3), "Extra": dynastay.Text("x"),
	}}}, card.Value("Dishes").Map().Item())
}

// Keep refuses to change anything else, and nothing is written.
func TestKeepRefusesOtherAttributes(t *testing.T) {
	t.Parallel()
	k := openKitchen(t)
	before := k.item()
	for name, test := range map[string]struct {
		fn, keep func(*menu) error
		fails    string
	}{
		"changed": {nothing, func(m *menu) error { m.Name = "Dinner"; return nil }, "Menu (Name): Change.Keep must change only attributes in Spec.Kept"},
		"removed": {nothing, func(m *menu) error { m.Name = ""; return nil }, "Menu (Name): Change.Keep must change only attributes in Spec.Kept"},
		"added": {
			func(m *menu) error { m.Name = ""; return nil }, func(m *menu) error { m.Name = "Dinner"; return nil },
			"Menu (Name): Change.Keep must change only attributes in Spec.Kept",
		},
		"the version": {nothing, func(m *menu) error { m.Version++; return nil }, "Menu (Version): Change.Keep must change only attributes in Spec.Kept"},
		"its error":   {nothing, func(*menu) error { return errBoom }, "errBoom"},
		"unstorable":  {nothing, func(m *menu) error { m.Allergen = []string{"\xff"}; return nil }, "invalid Allergen[0]: must be valid UTF-8"},
	} {
		assert.Equal(t, []string{"GetItem"}, k.requests(func() {
			_, err := k.keep(test.fn, test.keep)
			assert.EqualError(t, err, test.fails, name)
		}))
	}
	assert.Equal(t, before, k.item())
}

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

// barrel has a label, and a stock that deltas change.
type barrel struct {
	ID, Label string
	Stock     int
}

var barrels = &dynastay.Schema{Name: "Barrels", Key: dynastay.KeyNames{Partition: "id"}}

func newBarrel() *entity.Entity[barrel] {
	return entity.New(entity.Spec[barrel]{
		Name: "Barrel", Schema: barrels, Counters: []string{"stock"},
		Key: func(s *barrel) (dynastay.Key, error) { return dynastay.Key{PK: s.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, s *barrel) {
			f.String("id", &s.ID)
			f.String("label", &s.Label)
			f.Int("stock", &s.Stock)
		}),
	})
}

// A change of a counter and its condition go into the action of an update: the condition sees deltas that have not
// changed the write id, and a condition that fails prepares the operation again.
func TestAlso(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, barrels))
	table := entity.NewTable(db.DB, newBarrel())
	_, err := table.Put(t.Context(), &barrel{ID: "a", Label: "old", Stock: 5})
	require.NoError(t, err)
	key := dynastay.Key{PK: "a"}
	stock := dynastay.NameOf("stock")
	take := func(label string, n int) (prepared int, err error) {
		_, err = dynastay.Do(t.Context(), db.DB, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "Barrel.Take",
			Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
				prepared++
				change, err := table.Change(ctx, key, func(s *barrel) error { s.Label = label; return nil })
				if err != nil {
					return none, err
				}
				if change.Before.Stock < n {
					return none, dynastay.Invalid("Stock", "must be at least %d", n)
				}
				change.Also(expression.Set(stock, stock.Minus(expression.Value(n))), stock.GreaterThanEqual(expression.Value(n)))
				return none, change.AddTo(tx)
			},
		}))
		return prepared, err
	}
	read := func() barrel {
		s, err := table.Get(t.Context(), key, dynastay.Consistent)
		require.NoError(t, err)
		return *s
	}

	prepared, err := take("first", 2)
	require.NoError(t, err)
	assert.Equal(t, 1, prepared)
	assert.Equal(t, barrel{"a", "first", 3}, read())

	// A delta between the read and the write: the first time it leaves enough, the second time it does not.
	delta := dynastay.MustCompile(expression.NewBuilder().WithUpdate(expression.Set(stock, stock.Minus(expression.Value(1)))))
	meanwhile := func() {
		db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			_, err := dynastay.Do(ctx, db.Direct, dynastay.NewOp(dynastay.OpSpec[struct{}]{
				Name: "Barrel.Delta", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
					tx.Update(barrels, key, delta.With(nil))
					return none, nil
				},
			}))
			assert.NoError(t, err)
		}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	}
	meanwhile()
	prepared, err = take("second", 1)
	require.NoError(t, err)
	assert.Equal(t, 1, prepared, "the delta does not overtake it")
	assert.Equal(t, barrel{"a", "second", 1}, read())

	meanwhile()
	prepared, err = take("third", 1)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.Equal(t, 2, prepared)
	assert.Equal(t, barrel{"a", "second", 0}, read())

	// If nothing else changes, the counter does not change either.
	change, err := table.Change(t.Context(), key, func(*barrel) error { return nil })
	require.NoError(t, err)
	change.Also(expression.Set(stock, expression.Value(9)), expression.ConditionBuilder{})
	assert.False(t, change.Changed())
}
