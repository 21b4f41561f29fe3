package dynastay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shop is an entity with six attributes, one of them a map, and attributes that are derived from them.
type shop struct {
	ID      string
	Name    string
	City    string
	Stars   int
	Price   Money
	Tags    []string
	Spec    spec
	Version int
	Touched time.Time
}

type spec struct {
	Colour string
	Size   int
	Stock  map[string]int
}

var shopSchema = &Schema{
	Name: "Shops", Key: KeyNames{"PK", "SK"},
	Indexes: []Index{{Name: "ByCity", Key: KeyNames{"GSI1PK", "GSI1SK"}}, {Name: "ByTag", Key: KeyNames{Partition: "GSI2PK"}}},
}

func shopEntity() *Entity[shop] {
	e := &Entity[shop]{
		Name: "Shop", Schema: shopSchema, Version: "Version", Touched: "UpdatedAt",
		Codec: Declare(func(f *Fields, s *shop) {
			f.String("ShopId", &s.ID)
			f.String("Name", &s.Name)
			f.String("City", &s.City)
			f.Int("Stars", &s.Stars)
			f.Money("Price", "Currency", &s.Price)
			f.Strings("Tags", &s.Tags)
			f.Map("Spec", func(f *Fields) {
				f.String("Colour", &s.Spec.Colour)
				f.Int("Size", &s.Spec.Size)
				Keyed(f, "Stock", &s.Spec.Stock, func(f *Fields, name string, n *int) { f.Int(name, n) })
			})
			f.IfSet().Int("Version", &s.Version)
			f.Time("UpdatedAt", &s.Touched)
		}),
		Key: func(s *shop) (Key, error) { return Key{"SHOP#" + s.ID, "METADATA"}, nil },
		Validate: func(s *shop) error {
			if s.Name == "forbidden" {
				return Invalid("Name", "is forbidden")
			}
			return nil
		},
	}
	// An index key that vanishes without a city, from two inputs.
	e.Derived = append(e.Derived, IndexKey(shopSchema, "ByCity", func(s *shop) (Key, error) {
		if s.City == "" {
			return Key{}, nil
		}
		return Key{"CITY#" + s.City, fmt.Sprintf("STARS#%d#SHOP#%s", s.Stars, s.ID)}, nil
	})...)
	e.Derived = append(e.Derived, IndexKey(shopSchema, "ByTag", func(s *shop) (Key, error) {
		if len(s.Tags) == 0 {
			return Key{}, nil
		}
		return Key{PK: "TAG#" + s.Tags[0]}, nil
	})...)
	e.Derived = append(e.Derived,
		CopyOf[shop]("Card.Name", "Name"),
		CopyOf[shop]("Card.Colour", "Spec.Colour"),
		CopyOf[shop]("Card.Price", "Price"),
		Derived[shop]{Name: "Card.Total", Value: func(s *shop) (types.AttributeValue, error) {
			return N(s.Stars + s.Spec.Size), nil
		}},
		// Written into the map that the codec declares as well.
		Derived[shop]{Name: "Spec.Label", Value: func(s *shop) (types.AttributeValue, error) {
			return S(s.Name + "/" + s.Spec.Colour), nil
		}},
		Derived[shop]{Name: "StockSum", Value: func(s *shop) (types.AttributeValue, error) {
			sum := 0
			for _, n := range s.Spec.Stock {
				sum += n
			}
			return N(sum), nil
		}},
	)
	return e
}

var (
	noon    = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	shopKey = Key{"SHOP#1", "METADATA"}
)

func shops() *Table[shop] {
	return NewTable(Open(nil, &Options{Clock: func() time.Time { return noon }}), shopEntity())
}

var shopWord = rapid.SampledFrom([]string{"", "a", "b"})

func anyShop() *rapid.Generator[shop] {
	return rapid.Custom(func(t *rapid.T) shop {
		s := shop{
			ID: "1", Name: shopWord.Draw(t, "Name"), City: shopWord.Draw(t, "City"), Stars: rapid.IntRange(0, 2).Draw(t, "Stars"),
			Version: rapid.IntRange(0, 2).Draw(t, "Version"),
			Spec:    spec{Colour: shopWord.Draw(t, "Colour"), Size: rapid.IntRange(0, 2).Draw(t, "Size")},
		}
		if rapid.Bool().Draw(t, "priced") {
			s.Price = MustMoney(rapid.SampledFrom([]string{"1", "2.50"}).Draw(t, "Price"), "USD")
		}
		if rapid.Bool().Draw(t, "tagged") {
			s.Tags = rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 0, 2).Draw(t, "Tags")
		}
		if rapid.Bool().Draw(t, "stocked") {
			s.Spec.Stock = rapid.MapOfN(rapid.SampledFrom([]string{"r1", "r.2"}), rapid.IntRange(0, 2), 1, 2).Draw(t, "Stock")
		}
		return s
	})
}

// unknown attributes are put into every stored item at all levels, and must never be touched.
var unknown = map[string]types.AttributeValue{
	"X": str("kept"), "Spec.X": num("1"), "Card.X": &sM{Value: Item{"Y": str("kept")}}, "Spec.Stock.X.Y": num("7"),
}

// anyStored draws a stored shop as the library, or other software, may have left it.
func anyStored() *rapid.Generator[Item] {
	null := &sNULL{Value: true}
	return rapid.Custom(func(t *rapid.T) Item {
		s := anyShop().Draw(t, "stored")
		item, err := shopEntity().Item(&s)
		require.NoError(t, err)
		item = cloneItem(item)
		if rapid.Bool().Draw(t, "identified") {
			item["WriteId"] = stamp{9}.over(nil)
		}
		for name, v := range unknown {
			if parent := parentOf(name); name != "Spec.Stock.X.Y" && (parent == "" || isMap(at(item, parent))) && rapid.Bool().Draw(t, name) {
				place(item, name, v)
			}
		}
		for _, name := range []string{"Card", "Spec", "Spec.Stock", "City", "Stars", "Price", "GSI1PK", "Card.Name", "Version", "StockSum"} {
			parent := parentOf(name)
			if parent != "" && !isMap(at(item, parent)) || rapid.IntRange(0, 5).Draw(t, "spoil "+name) > 0 {
				continue
			}
			switch rapid.IntRange(0, 2).Draw(t, "spoilt "+name) {
			case 0:
				place(item, name, null)
			case 1:
				unplace(item, name)
			case 2:
				if slices.Contains([]string{"GSI1PK", "Card.Name"}, name) {
					place(item, name, str("stale"))
				}
				if slices.Contains([]string{"Card", "Spec", "Spec.Stock"}, name) {
					place(item, name, &sM{Value: Item{}})
				}
			}
		}
		return item
	})
}

func isMap(v types.AttributeValue) bool { _, ok := v.(*sM); return ok }

func parentOf(path string) string {
	if i := strings.LastIndex(path, "."); i >= 0 {
		return path[:i]
	}
	return ""
}

func unplace(item Item, path string) {
	if m, ok := at(item, parentOf(path)).(*sM); ok {
		item = m.Value
	}
	name, _, _ := step(path[strings.LastIndex(path, ".")+1:])
	delete(item, name)
}

// anyEdit draws an update's function.
func anyEdit() *rapid.Generator[func(*shop) error] {
	return rapid.Custom(func(t *rapid.T) func(*shop) error {
		to := anyShop().Draw(t, "to")
		what := rapid.SliceOfNDistinct(rapid.SampledFrom(
			[]string{"Name", "City", "Stars", "Price", "Tags", "Colour", "Size", "Stock"},
		), 0, 8, rapid.ID).Draw(t, "what")
		return func(s *shop) error {
			for _, field := range what {
				switch field {
				case "Name":
					s.Name = to.Name
				case "City":
					s.City = to.City
				case "Stars":
					s.Stars = to.Stars
				case "Price":
					s.Price = to.Price
				case "Tags":
					s.Tags = to.Tags
				case "Colour":
					s.Spec.Colour = to.Spec.Colour
				case "Size":
					s.Spec.Size = to.Spec.Size
				case "Stock":
					s.Spec.Stock = to.Spec.Stock
				}
			}
			return nil
		}
	})
}

// action is what a change adds to a write, nil where there is nothing to write.
func action[T any](t require.TestingT, c *Change[T]) *Action {
	tx := Tx{stamp: stamp{1}}
	require.NoError(t, c.AddTo(&tx))
	require.Equal(t, c.Changed(), len(tx.actions) == 1)
	if len(tx.actions) == 0 {
		return nil
	}
	return &tx.actions[0]
}

func derivedRight(t require.TestingT, e *Entity[shop], item Item) {
	v, err := e.Value(item)
	require.NoError(t, err)
	encoded, err := e.Codec.Encode(v)
	require.NoError(t, err)
	for _, d := range e.Derived {
		want, err := d.of(v, encoded)
		require.NoError(t, err)
		assert.True(t, equal(want, at(item, d.Name)), "%s is %#v, not %#v", d.Name, at(item, d.Name), want)
	}
}

func TestUpdateWritesTheDifference(t *testing.T) {
	table := shops()
	e := table.entity
	rapid.Check(t, func(t *rapid.T) {
		stored, edit := anyStored().Draw(t, "item"), anyEdit().Draw(t, "edit")
		asRead := cloneItem(stored)
		c, err := table.ChangeOf(shopKey, stored, edit)
		require.NoError(t, err)
		assert.Equal(t, asRead, stored, "the item as read stays as it was")
		wanted := *c.Before
		require.NoError(t, edit(&wanted))
		before, err := e.Codec.Encode(c.Before)
		require.NoError(t, err)
		after, err := e.Codec.Encode(&wanted)
		require.NoError(t, err)
		a := action(t, c)
		if a == nil {
			assert.True(t, holds(before, after) && holds(after, before), "nothing is written where nothing changed")
			return
		}
		run := evaluation{expr: a.expr, item: stored}
		assert.True(t, run.holds(), "%s on the item as read", *a.expr.Condition)
		got, written, err := run.apply()
		require.NoError(t, err, "%s", *a.expr.Update)

		// What is written is what was meant, and what the caller was shown.
		var left shop
		require.NoError(t, e.Codec.Decode(got, &left))
		assert.Equal(t, *c.After, left)
		wanted.Version, wanted.Touched = c.Before.Version+1, noon
		assert.Equal(t, encoded(t, e, &wanted), encoded(t, e, &left))
		assert.Equal(t, carried, a.trace(got))
		assert.Equal(t, untouched, a.trace(stored))

		// What depends on the change is right. Stale values are repaired with it.
		derivedRight(t, e, got)

		// What the library does not know stays.
		for name := range unknown {
			assert.Equal(t, at(stored, name), at(got, name), name)
		}

		// Nothing is set or removed that was right before.
		for _, path := range written {
			path := PathOf(path...)
			switch path {
			case e.Version, e.Touched, "WriteId":
			case "Currency": // it may be stored without an amount, and then reads as unset
			default:
				assert.False(t, equal(at(stored, path), at(got, path)), "%s is written without need", path)
			}
		}
		// Equal updates are equal requests, but for their ids.
		again, err := table.ChangeOf(shopKey, stored, edit)
		require.NoError(t, err)
		assert.Equal(t, a.expr, action(t, again).expr)
	})
}

func encoded(t require.TestingT, e *Entity[shop], s *shop) Item {
	item, err := e.Codec.Encode(s)
	require.NoError(t, err)
	return item
}

// Whatever changed in between, the write is refused: by the id where there is one, otherwise by what the entity declares
// and derives.
func TestUpdateIsConditionalOnTheItemAsRead(t *testing.T) {
	table := shops()
	rapid.Check(t, func(t *rapid.T) {
		stored, edit := anyStored().Draw(t, "item"), anyEdit().Draw(t, "edit")
		c, err := table.ChangeOf(shopKey, stored, edit)
		require.NoError(t, err)
		a := action(t, c)
		if a == nil {
			return
		}
		assert.False(t, evaluation{expr: a.expr, item: Item{}}.holds(), "an update makes no item")
		refusedAfter := func(name string, v types.AttributeValue) {
			changed := cloneItem(stored)
			changed[name] = v
			assert.False(t, evaluation{expr: a.expr, item: changed}.holds(), name)
		}
		refusedAfter("WriteId", newStamp().over(stored["WriteId"]))
		if stored["WriteId"] != nil {
			return
		}
		for _, name := range []string{"Name", "City", "Tags", "Stars", "Version", "Spec", "GSI1PK", "Card", "StockSum"} {
			if !isNull(stored[name]) {
				refusedAfter(name, str("another's"))
			}
		}
	})
}

// Of two updates that were prepared from the same item the second is refused, and prepared again.
func TestConcurrentUpdatesNeverGoTogether(t *testing.T) {
	table := shops()
	rapid.Check(t, func(t *rapid.T) {
		stored := anyStored().Draw(t, "item")
		first, err := table.ChangeOf(shopKey, stored, anyEdit().Draw(t, "first"))
		require.NoError(t, err)
		second, err := table.ChangeOf(shopKey, stored, anyEdit().Draw(t, "second"))
		require.NoError(t, err)
		a, b := action(t, first), action(t, second)
		if a == nil || b == nil {
			return
		}
		between, _, err := evaluation{expr: a.expr, item: stored}.apply()
		require.NoError(t, err)
		require.False(t, evaluation{expr: b.expr, item: between}.holds())
		assert.ErrorIs(t, b.failed(between), ErrOvertaken)
	})
}

func changeOf(t *testing.T, stored Item, edit func(*shop)) *Action {
	t.Helper()
	c, err := shops().ChangeOf(shopKey, stored, func(s *shop) error { edit(s); return nil })
	require.NoError(t, err)
	return action(t, c)
}

func storedShop(t *testing.T, s shop) Item {
	t.Helper()
	s.ID = "1"
	item, err := shopEntity().Item(&s)
	require.NoError(t, err)
	return item
}

func TestUpdateExpression(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", City: "Rome", Stars: 3, Spec: spec{Colour: "red"}, Version: 4})
	stored["Secret"] = str("unknown")
	read := stamp{7}.over(nil)
	stored["WriteId"] = read
	a := changeOf(t, stored, func(s *shop) { s.City = "" })
	assert.Equal(t, "REMOVE #2, #3, #4\nSET #1 = :1, #5 = :2, #6 = :3\n", *a.expr.Update)
	assert.Equal(t, "(attribute_exists (#0)) AND (#1 = :0)", *a.expr.Condition)
	assert.Equal(t, map[string]string{
		"#0": "PK", "#1": "WriteId", "#2": "City", "#3": "GSI1PK", "#4": "GSI1SK", "#5": "UpdatedAt", "#6": "Version",
	}, a.expr.Names)
	assert.Equal(t, Item{
		":0": read, ":1": &sB{Value: []byte{1, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0}}, ":2": str("2026-01-02T12:00:00Z"), ":3": num("5"),
	}, a.expr.Values)
}

func TestIndexKeysAppearAndVanish(t *testing.T) {
	hidden := storedShop(t, shop{Name: "a"})
	for _, name := range []string{"GSI1PK", "GSI1SK", "GSI2PK", ""} {
		assert.NotContains(t, hidden, name)
	}
	a := changeOf(t, hidden, func(s *shop) { s.City, s.Tags = "Rome", []string{"x"} })
	shown, _, err := evaluation{expr: a.expr, item: hidden}.apply()
	require.NoError(t, err)
	assert.Equal(t, str("CITY#Rome"), shown["GSI1PK"])
	assert.Equal(t, str("STARS#0#SHOP#1"), shown["GSI1SK"])
	assert.Equal(t, str("TAG#x"), shown["GSI2PK"])
	a = changeOf(t, shown, func(s *shop) { s.City, s.Tags = "", nil })
	again, _, err := evaluation{expr: a.expr, item: shown}.apply()
	require.NoError(t, err)
	for _, name := range []string{"GSI1PK", "GSI1SK", "GSI2PK", ""} {
		assert.NotContains(t, again, name)
	}
	assert.Panics(t, func() { IndexKey(shopSchema, "None", func(*shop) (Key, error) { return Key{}, nil }) })
}

func TestMissingMapIsSetWholeAndOnlyWhileMissing(t *testing.T) {
	for _, missing := range []types.AttributeValue{nil, &sNULL{Value: true}} {
		stored := storedShop(t, shop{Name: "a", Spec: spec{Colour: "red"}})
		for _, name := range []string{"Spec", "Card"} {
			delete(stored, name)
			if missing != nil {
				stored[name] = missing
			}
		}
		a := changeOf(t, stored, func(s *shop) { s.Spec.Colour = "blue" })
		got, _, err := evaluation{expr: a.expr, item: stored}.apply()
		require.NoError(t, err)
		assert.Equal(t, &sM{Value: Item{"Colour": str("blue"), "Size": num("0"), "Label": str("a/blue")}}, got["Spec"])
		assert.Equal(t, &sM{Value: Item{"Name": str("a"), "Colour": str("blue"), "Total": num("0")}}, got["Card"])
		for _, name := range []string{"Spec", "Card"} {
			there := cloneItem(stored)
			there[name] = &sM{Value: Item{"X": str("another's")}}
			assert.False(t, evaluation{expr: a.expr, item: there}.holds(), name)
		}
	}
}

func TestNamesWithDotsAreNames(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", Spec: spec{Stock: map[string]int{"r.1": 1, "r.2": 2, "r3": 3}}})
	a := changeOf(t, stored, func(s *shop) { s.Spec.Stock = map[string]int{"r.1": 5, "r3": 3, "r.4": 4} })
	got, written, err := evaluation{expr: a.expr, item: stored}.apply()
	require.NoError(t, err)
	assert.Equal(t, Item{"r.1": num("5"), "r3": num("3"), "r.4": num("4")}, at(got, "Spec.Stock").(*sM).Value)
	assert.Contains(t, written, []string{"Spec", "Stock", "r.1"})
}

func TestVersions(t *testing.T) {
	rename := func(s *shop) error { s.Name += "!"; return nil }
	for _, c := range []struct {
		stored  types.AttributeValue
		version int
	}{{nil, 0}, {&sNULL{Value: true}, 0}, {num("1"), 1}, {num("41"), 41}} {
		stored := storedShop(t, shop{Name: "a"})
		delete(stored, "Version")
		if c.stored != nil {
			stored["Version"] = c.stored
		}
		for _, opts := range [][]UpdateOption{nil, {IfVersion(c.version)}} {
			change, err := shops().ChangeOf(shopKey, stored, rename, opts...)
			require.NoError(t, err)
			assert.Equal(t, c.version, change.Before.Version)
			a := action(t, change)
			assert.Equal(t, c.version+1, change.After.Version)
			assert.Equal(t, noon, change.After.Touched)
			run := evaluation{expr: a.expr, item: stored}
			require.True(t, run.holds())
			got, _, err := run.apply()
			require.NoError(t, err)
			assert.Equal(t, num(itoa(c.version+1)), got["Version"])

			moved := cloneItem(stored)
			moved["Version"] = num(itoa(c.version + 1))
			assert.False(t, evaluation{expr: a.expr, item: moved}.holds())
			if opts != nil {
				assert.ErrorIs(t, a.failed(moved), ErrVersion)
			} else {
				assert.ErrorIs(t, a.failed(moved), ErrOvertaken)
			}
			assert.ErrorIs(t, a.failed(nil), ErrNotFound)
		}
		_, err := shops().ChangeOf(shopKey, stored, rename, IfVersion(c.version+1))
		assert.ErrorIs(t, err, ErrVersion)
	}
}

func TestChangeOfRefusals(t *testing.T) {
	table, stored := shops(), storedShop(t, shop{Name: "a"})
	boom := errors.New("boom")
	_, err := table.ChangeOf(shopKey, nil, func(*shop) error { return nil })
	assert.ErrorIs(t, err, ErrNotFound)
	assert.ErrorContains(t, err, "Shop SHOP#1/METADATA")
	_, err = table.ChangeOf(shopKey, stored, func(*shop) error { return boom })
	assert.Same(t, boom, err, "the function's errors pass unchanged")
	_, err = table.ChangeOf(shopKey, stored, func(s *shop) error { s.Name = "forbidden"; return nil })
	assert.EqualError(t, err, "invalid Name: is forbidden")
	_, err = table.ChangeOf(shopKey, stored, func(s *shop) error { s.ID = "2"; return nil })
	assert.ErrorIs(t, err, ErrInvalid)
	spoilt := cloneItem(stored)
	place(spoilt, "Spec.Size", str("large"))
	_, err = table.ChangeOf(shopKey, spoilt, func(*shop) error { return nil })
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, Error{Entity: "Shop", ID: "SHOP#1/METADATA", Field: "Spec.Size", Kind: ErrCorrupt, Err: e.Err}, *e)
	assert.NotErrorIs(t, err, ErrInvalid)

	c, err := table.ChangeOf(shopKey, stored, func(*shop) error { return nil })
	require.NoError(t, err)
	assert.False(t, c.Changed())
	assert.Nil(t, action(t, c))
}

func TestEntityItem(t *testing.T) {
	e := shopEntity()
	s := shop{ID: "1", Name: "a", City: "Rome", Stars: 3, Price: MustMoney("2.50", "USD"), Tags: []string{"x"}, Spec: spec{Colour: "red", Size: 2}}
	item, err := e.Item(&s)
	require.NoError(t, err)
	assert.Equal(t, Item{
		"PK": str("SHOP#1"), "SK": str("METADATA"), "ShopId": str("1"), "Name": str("a"), "City": str("Rome"), "Stars": num("3"),
		"Price": num("2.5"), "Currency": str("USD"), "Tags": &sL{Value: []types.AttributeValue{str("x")}},
		"Spec":   &sM{Value: Item{"Colour": str("red"), "Size": num("2"), "Label": str("a/red")}},
		"Card":   &sM{Value: Item{"Name": str("a"), "Colour": str("red"), "Price": num("2.5"), "Total": num("5")}},
		"GSI1PK": str("CITY#Rome"), "GSI1SK": str("STARS#3#SHOP#1"), "GSI2PK": str("TAG#x"), "StockSum": num("0"),
	}, item)
	back, err := e.Value(item)
	require.NoError(t, err)
	assert.Equal(t, s, *back)

	_, err = e.Item(&shop{Name: "forbidden"})
	assert.ErrorIs(t, err, ErrInvalid)
	boom := errors.New("boom")
	e.Derived = append(e.Derived, Derived[shop]{Name: "Bad", Value: func(*shop) (types.AttributeValue, error) { return nil, boom }})
	_, err = e.Item(&s)
	assert.ErrorIs(t, err, boom)
	e.Key = func(*shop) (Key, error) { return Key{}, Invalid("ID", "is missing") }
	_, err = e.Item(&s)
	assert.ErrorIs(t, err, ErrInvalid)
}
