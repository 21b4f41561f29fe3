package dynastay

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The bounds of a transaction are those of DynamoDB, to the action and the byte.
func TestBoundsOfTransactions(t *testing.T) {
	ops := []operation{NewOp(OpSpec[struct{}]{Name: "test"})}
	const overhead = len("PK") + len("SK") + len("s") + len("T")
	item := func(pk string, size int) Item {
		return Item{"PK": str(pk), "SK": str("s"), "T": str(strings.Repeat("x", size-overhead-len(pk)))}
	}
	check := func(actions ...Action) error {
		return (&Tx{actions: actions, owner: make([]int, len(actions))}).check(ops)
	}
	put := func(pk string, size int) Action { return Put(shopSchema, item(pk, size), Expr{}, nil) }
	refused := func(t *testing.T, reason string, err error) {
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "Operations", invalid.Field)
		assert.Contains(t, invalid.Reason, reason)
	}
	t.Run("actions", func(t *testing.T) {
		var all []Action
		for i := range 100 {
			all = append(all, Delete(shopSchema, Key{itoa(i), "s"}, Expr{}, nil))
		}
		assert.NoError(t, check(all...))
		refused(t, "make 101 actions together", check(append(all, Delete(shopSchema, Key{"x", "s"}, Expr{}, nil))...))
	})
	t.Run("an item", func(t *testing.T) {
		require.Equal(t, 400<<10, SizeOf(item("a", 400<<10)))
		assert.NoError(t, check(put("a", 400<<10)))
		refused(t, "an item of 409601 bytes", check(put("a", 400<<10+1)))
	})
	t.Run("all together", func(t *testing.T) {
		// Each action counts its item, its key (here two bytes), and the values of its expression.
		var all []Action
		for i := range 10 {
			all = append(all, put(itoa(i), 400<<10))
		}
		fill := 4<<20 - 10*(400<<10+2)
		last := Update(shopSchema, Key{"x", "s"}, Expr{Values: Item{":0": str(strings.Repeat("x", fill-4))}}, nil)
		assert.NoError(t, check(append(all, last)...))
		last.expr.Values = Item{":0": str(strings.Repeat("x", fill-3))}
		refused(t, "are 4194305 bytes together", check(append(all, last)...))
	})
}

// What an action's failure says, and what its function is shown.
func TestFailureOfAnAction(t *testing.T) {
	var shown []Item
	a := Update(shopSchema, shopKey, Expr{Condition: aws.String("…")}, func(old Item) error {
		shown = append(shown, old)
		return ErrVersion
	})
	bare := Item{"id": str("m")}
	for i, line := range []struct{ reported, old Item }{{nil, nil}, {Item{}, nil}, {bare, bare}} { // some engines report no item as {}
		f := a.failure(line.reported)
		assert.Equal(t, Failure{Ref: RefOf(shopSchema, shopKey), Old: line.old, Err: ErrVersion}, f)
		assert.Equal(t, line.old, shown[i])
	}
	a.failed = nil
	assert.Equal(t, &Error{Entity: "Shops", ID: "SHOP#1/METADATA", Kind: ErrVersion}, a.failure(nil).Err)
	a.failed = func(Item) error { return nil }
	assert.Equal(t, &Error{Entity: "Shops", ID: "SHOP#1/METADATA", Err: errNoReason}, a.failure(nil).Err)
}

// An update's function that leaves what cannot be stored writes nothing.
func TestChangeThatCannotBeStored(t *testing.T) {
	stored := storedShop(t, shop{Name: "a"})
	table := shops()
	_, err := table.ChangeOf(shopKey, stored, func(s *shop) error { s.Name = "\xff"; return nil })
	assert.ErrorIs(t, err, ErrInvalid)
	_, err = table.ChangeOf(shopKey, stored, func(s *shop) error { s.ID = "2"; return nil })
	assert.EqualError(t, err, "invalid: the key of Shop SHOP#1/METADATA cannot change")
	boom := errors.New("boom")
	table.entity.Key = func(*shop) (Key, error) { return shopKey, boom }
	_, err = table.ChangeOf(shopKey, stored, func(*shop) error { return nil })
	assert.Same(t, boom, err)
}

// The version, the time and the id of a write are not for an update's function, whether they are stored so far or not.
func TestFunctionDoesNotSetWhatTheLibraryKeeps(t *testing.T) {
	for name, stored := range map[string]Item{
		"stored": storedShop(t, shop{Name: "a", Version: 3, Touched: noon}), "not stored": storedShop(t, shop{Name: "a"}),
	} {
		c, err := shops().ChangeOf(shopKey, stored, func(s *shop) error {
			s.Version, s.Touched = 9, noon.AddDate(1, 0, 0)
			return nil
		})
		require.NoError(t, err)
		assert.False(t, c.Changed(), name)
	}
}

// Nor is the write id of a tagged struct, which is encoded like any other attribute.
func TestFunctionDoesNotSetTheID(t *testing.T) {
	type lock struct {
		Holder  string  `dynamodbav:"Name"`
		WriteID WriteID `dynamodbav:"WriteId"`
	}
	table := NewTable(Open(nil, nil), &Entity[lock]{
		Name: "Lock", Schema: shopSchema, Key: func(*lock) (Key, error) { return shopKey, nil }, Codec: Tagged[lock](),
	})
	for name, stored := range map[string]Item{
		"stored": shopItem(stamp{1}, stamp{}, ""), "not stored": shopItem(stamp{}, stamp{}, ""),
	} {
		c, err := table.ChangeOf(shopKey, stored, func(l *lock) error { l.WriteID = "AAAAAAAAAAAAAAAA"; return nil })
		require.NoError(t, err)
		assert.False(t, c.Changed(), name)
	}
}

// Derived attributes that other software left stale are mended by the next change, and are none themselves.
func TestStaleIsNoChange(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", City: "Rome"})
	stored["GSI1PK"] = str("CITY#Paris")
	c, err := shops().ChangeOf(shopKey, stored, func(*shop) error { return nil })
	require.NoError(t, err)
	assert.False(t, c.Changed())

	table, boom := shops(), errors.New("boom")
	table.entity.Derived = append(table.entity.Derived, Derived[shop]{Name: "Bad", Value: func(*shop) (types.AttributeValue, error) {
		return str("bad"), boom
	}})
	_, err = table.ChangeOf(shopKey, stored, func(s *shop) error { s.Name = "b"; return nil })
	assert.Same(t, boom, err)
}

// An item without a write id is adopted while all that the entity knows is as it was read, what it did not have included.
func TestAdoptionIsConditional(t *testing.T) {
	bare := storedShop(t, shop{Name: "a"})
	table := shops()
	table.entity.Version, table.entity.Touched = "", ""
	c, err := table.ChangeOf(shopKey, bare, func(s *shop) error { s.City = "Rome"; return nil })
	require.NoError(t, err)
	a := action(t, c)
	assert.True(t, evaluation{expr: a.expr, item: bare}.holds())
	there := cloneItem(bare)
	there["City"] = str("Paris")
	assert.False(t, evaluation{expr: a.expr, item: there}.holds())

	a = changeOf(t, bare, func(s *shop) { s.Name = "b" })
	for name, v := range (Item{"Version": num("1"), "UpdatedAt": str("2026-01-02T13:00:00Z")}) {
		there := cloneItem(bare)
		there[name] = v
		assert.False(t, evaluation{expr: a.expr, item: there}.holds(), name)
	}
}

// A put leaves its write id in the item that is stored, not in the one that it was made of, and follows no other write,
// whatever id it was made with.
func TestPutHasAnIDOfItsOwn(t *testing.T) {
	given := shopSchema.Key.Of(shopKey)
	given["WriteId"] = stamp{7}.over(nil)
	asGiven := cloneItem(given)
	tx := Tx{stamp: stamp{1}}
	tx.Add(Put(shopSchema, given, Expr{}, nil).Identified())
	assert.Equal(t, asGiven, given)
	assert.Equal(t, stamp{1}.over(nil), tx.actions[0].item["WriteId"])
}

// Every way in which two forms of an entity can differ.
func TestCompare(t *testing.T) {
	m := func(item Item) types.AttributeValue { return &sM{Value: item} }
	inner, other := m(Item{"A": str("a"), "B": str("b")}), m(Item{"A": str("x"), "C": str("c")})
	null := &sNULL{Value: true}
	for name, line := range map[string]struct {
		stored, before, after types.AttributeValue
		set                   Item
		remove                []string
	}{
		"the same":                     {inner, inner, inner, Item{}, nil},
		"within a map":                 {inner, inner, other, Item{"M.A": str("x"), "M.C": str("c")}, []string{"M.B"}},
		"a map that vanishes":          {inner, inner, nil, Item{}, []string{"M.A", "M.B"}},
		"a map that becomes none":      {inner, inner, null, Item{"M": null}, nil},
		"a map that becomes text":      {inner, inner, str("t"), Item{"M": str("t")}, nil},
		"a map that is not stored":     {nil, inner, other, Item{"M": other}, nil},
		"the same, not stored":         {nil, inner, inner, Item{}, nil},
		"not stored, and none either":  {nil, inner, nil, Item{}, nil},
		"not stored, becomes text":     {nil, inner, str("t"), Item{"M": str("t")}, nil},
		"text that becomes a map":      {str("t"), str("t"), inner, Item{"M": inner}, nil},
		"a map that appears":           {nil, nil, inner, Item{"M": inner}, nil},
		"text that appears":            {nil, nil, str("t"), Item{"M": str("t")}, nil},
		"text beside an unknown map":   {inner, nil, str("t"), Item{"M": str("t")}, nil},
		"a map in one that was unread": {m(Item{"X": str("x")}), nil, inner, Item{"M.A": str("a"), "M.B": str("b")}, nil},
		"text that changes":            {str("t"), str("t"), str("u"), Item{"M": str("u")}, nil},
		"text that vanishes":           {str("t"), str("t"), nil, Item{}, []string{"M"}},
	} {
		form := func(v types.AttributeValue) Item {
			if v == nil {
				return Item{}
			}
			return Item{"M": v}
		}
		d := &difference{stored: form(line.stored), set: Item{}, remove: map[string]bool{}}
		d.compare("", form(line.before), form(line.after))
		assert.Equal(t, line.set, d.set, name)
		assert.Equal(t, line.remove, slices.Sorted(maps.Keys(d.remove)), name)
		assert.Equal(t, len(line.set)+len(line.remove) == 0, d.empty(), name)
	}
}

// An update that writes nothing shows what is stored.
func TestNothingWrittenIsNothingShown(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", Version: 3, Touched: noon})
	c, err := shops().ChangeOf(shopKey, stored, func(s *shop) error { s.Version, s.Touched = 9, noon.AddDate(1, 0, 0); return nil })
	require.NoError(t, err)
	assert.False(t, c.Changed())
	assert.Equal(t, 3, c.After.Version)
	assert.Equal(t, noon, c.After.Touched)
}
