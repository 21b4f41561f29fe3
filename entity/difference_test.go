package entity

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	values "github.com/dynastay/dynastay/internal/stored"
)

func derivedRight(t require.TestingT, e *core, item dynastay.Item) {
	v, err := e.value(dynastay.RowOf(item))
	require.NoError(t, err)
	encoded, err := e.Codec.Encode(v)
	require.NoError(t, err)
	for _, d := range e.derived {
		want, err := d.of(v, encoded)
		require.NoError(t, err)
		assert.True(t, values.Equal(want, values.At(item, d.Name)), "%s is %#v, not %#v", d.Name, values.At(item, d.Name), want)
	}
}

func TestUpdateWritesTheDifference(t *testing.T) {
	table := shops()
	e := table.core.core
	rapid.Check(t, func(t *rapid.T) {
		stored, edit := anyStored().Draw(t, "item"), anyEdit().Draw(t, "edit")
		asRead := cloneItem(stored)
		c, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), edit)
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
			assert.True(t, values.Holds(before, after) && values.Holds(after, before), "nothing is written where nothing changed")
			return
		}
		run := evaluation{expr: a.expr, item: stored}
		assert.True(t, run.holds(), "%s on the item as read", *a.expr.Condition)
		got, written, err := run.apply()
		require.NoError(t, err, "%s", *a.expr.Update)

		// What is written is what was meant, and what the caller was shown.
		var left shop
		require.NoError(t, e.decode(got, &left))
		assert.Equal(t, *c.After, left)
		wanted.Version, wanted.Touched = c.Before.Version+1, noon
		assert.Equal(t, encoded(t, e, &wanted), encoded(t, e, &left))
		assert.Equal(t, &sB{Value: a.idOf(t)}, got["WriteId"])

		// What depends on the change is right. Stale values are repaired with it.
		derivedRight(t, e, got)

		// What the library does not know stays.
		for name := range unknown {
			assert.Equal(t, values.At(stored, name), values.At(got, name), name)
		}

		// Nothing is set or removed that was right before.
		for _, path := range written {
			path := dynastay.PathOf(path...)
			switch path {
			case e.Version, e.Updated, "WriteId":
			case "Currency": // it may be stored without an amount, and then reads as unset
			default:
				assert.False(t, values.Equal(values.At(stored, path), values.At(got, path)), "%s is written without need", path)
			}
		}
		// Equal updates are equal requests, but for their ids.
		again, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), edit)
		require.NoError(t, err)
		b := action(t, again)
		copy(b.idOf(t)[:6], a.idOf(t)[:6])
		assert.Equal(t, a.expr, b.expr)
	})
}

func encoded(t require.TestingT, e *core, s *shop) dynastay.Item {
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
		c, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), edit)
		require.NoError(t, err)
		a := action(t, c)
		if a == nil {
			return
		}
		assert.False(t, evaluation{expr: a.expr, item: dynastay.Item{}}.holds(), "an update makes no item")
		refusedAfter := func(name string, v types.AttributeValue) {
			changed := cloneItem(stored)
			changed[name] = v
			assert.False(t, evaluation{expr: a.expr, item: changed}.holds(), name)
		}
		refusedAfter("WriteId", &sB{Value: []byte("ABCDEFGHIJKL")})
		if stored["WriteId"] != nil {
			return
		}
		for _, name := range []string{"Name", "City", "Tags", "Stars", "Version", "Spec", "GSI1PK", "Card", "StockSum"} {
			if !values.IsNull(stored[name]) {
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
		first, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), anyEdit().Draw(t, "first"))
		require.NoError(t, err)
		second, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), anyEdit().Draw(t, "second"))
		require.NoError(t, err)
		a, b := action(t, first), action(t, second)
		if a == nil || b == nil {
			return
		}
		between, _, err := evaluation{expr: a.expr, item: stored}.apply()
		require.NoError(t, err)
		require.False(t, evaluation{expr: b.expr, item: between}.holds())
		assert.ErrorIs(t, refused(second, between), dynastay.ErrContention)
	})
}

func changeOf(t *testing.T, stored dynastay.Item, edit func(*shop)) *sent {
	t.Helper()
	c, err := shops().ChangeOf(shopKey, dynastay.RowOf(stored), func(s *shop) error { edit(s); return nil })
	require.NoError(t, err)
	return action(t, c)
}

func storedShop(t *testing.T, s shop) dynastay.Item {
	t.Helper()
	s.ID = "1"
	item, err := shopEntity().Item(&s)
	require.NoError(t, err)
	return item
}

func TestUpdateExpression(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", City: "Rome", Stars: 3, Spec: spec{Colour: "red"}, Version: 4})
	stored["Secret"] = str("unknown")
	read := &sB{Value: []byte{7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
	stored["WriteId"] = read
	a := changeOf(t, stored, func(s *shop) { s.City = "" })
	assert.Equal(t, "REMOVE #2, #3, #4\nSET #5 = :1, #6 = :2, #1 = :3\n", *a.expr.Update)
	assert.Equal(t, "(attribute_exists (#0)) AND (#1 = :0)", *a.expr.Condition)
	assert.Equal(t, map[string]string{
		"#0": "PK", "#1": "WriteId", "#2": "City", "#3": "GSI1PK", "#4": "GSI1SK", "#5": "UpdatedAt", "#6": "Version",
	}, a.expr.Names)
	assert.Equal(t, dynastay.Item{
		":0": read, ":1": str("2026-01-02T12:00:00Z"), ":2": num("5"), ":3": &sB{Value: append(a.idOf(t)[:6:6], 7, 0, 0, 0, 0, 0)},
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
		assert.Equal(t, &sM{Value: dynastay.Item{"Colour": str("blue"), "Size": num("0"), "Label": str("a/blue")}}, got["Spec"])
		assert.Equal(t, &sM{Value: dynastay.Item{"Name": str("a"), "Colour": str("blue"), "Total": num("0")}}, got["Card"])
		for _, name := range []string{"Spec", "Card"} {
			there := cloneItem(stored)
			there[name] = &sM{Value: dynastay.Item{"X": str("another's")}}
			assert.False(t, evaluation{expr: a.expr, item: there}.holds(), name)
		}
	}
}

func TestNamesWithDotsAreNames(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", Spec: spec{Stock: map[string]int{"r.1": 1, "r.2": 2, "r3": 3}}})
	a := changeOf(t, stored, func(s *shop) { s.Spec.Stock = map[string]int{"r.1": 5, "r3": 3, "r.4": 4} })
	got, written, err := evaluation{expr: a.expr, item: stored}.apply()
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{"r.1": num("5"), "r3": num("3"), "r.4": num("4")}, values.At(got, "Spec.Stock").(*sM).Value)
	assert.Contains(t, written, []string{"Spec", "Stock", "r.1"})
}

func TestNamesWithBracketsAreNames(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", Spec: spec{Stock: map[string]int{"r[1]": 1, "r[2]": 2, "r[kg]": 3}}})
	a := changeOf(t, stored, func(s *shop) { s.Spec.Stock = map[string]int{"r[1]": 5, "r[kg]": 6, "]": 4} })
	got, written, err := evaluation{expr: a.expr, item: stored}.apply()
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{"r[1]": num("5"), "r[kg]": num("6"), "]": num("4")}, values.At(got, "Spec.Stock").(*sM).Value)
	assert.Contains(t, written, []string{"Spec", "Stock", "r[2]"})
}
