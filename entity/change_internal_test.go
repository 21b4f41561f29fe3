package entity

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	values "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// An update whose function sets a value that cannot be stored writes nothing.
func TestChangeThatCannotBeStored(t *testing.T) {
	stored := storedShop(t, shop{Name: "a"})
	table := shops()
	_, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), func(s *shop) error { s.Name = "\xff"; return nil })
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	_, err = table.ChangeOf(shopKey, dynastay.RowOf(stored), func(s *shop) error { s.ID = "2"; return nil })
	assert.EqualError(t, err, "invalid: the key of Shop SHOP#1/METADATA cannot be changed")
	boom := errors.New("boom")
	table.core.Key = func(any) (dynastay.Key, error) { return shopKey, boom }
	_, err = table.ChangeOf(shopKey, dynastay.RowOf(stored), func(*shop) error { return nil })
	assert.Same(t, boom, err)
}

// An update's function must not change the version, the time or the id, whether they are stored yet or not.
func TestFunctionDoesNotSetWhatTheLibraryKeeps(t *testing.T) {
	for name, stored := range map[string]dynastay.Item{
		"stored": storedShop(t, shop{Name: "a", Version: 3, Touched: noon}), "not stored": storedShop(t, shop{Name: "a"}),
	} {
		for field, edit := range map[string]func(*shop){
			"Version": func(s *shop) { s.Version = 9 }, "Touched": func(s *shop) { s.Touched = noon.AddDate(1, 0, 0) },
		} {
			_, err := shops().ChangeOf(shopKey, dynastay.RowOf(stored), func(s *shop) error { edit(s); return nil })
			assert.EqualError(t, err, "invalid "+field+": is managed by the library and cannot be changed", name)
		}
	}
}

// Nor is the write id of a tagged struct, which is encoded like any other attribute.
func TestFunctionDoesNotSetTheID(t *testing.T) {
	type lock struct {
		Holder  string           `dynamodbav:"Name"`
		WriteID dynastay.WriteID `dynamodbav:"WriteId"`
	}
	table := NewTable(dynastay.Open(nil, nil), New(Spec[lock]{
		Name: "Lock", Schema: shopSchema, Key: func(*lock) (dynastay.Key, error) { return shopKey, nil }, Codec: Tagged[lock](),
	}))
	for name, stored := range map[string]dynastay.Item{
		"stored":     {"PK": str("SHOP#1"), "SK": str("METADATA"), "Name": str(""), "WriteId": &sB{Value: []byte("abcdefghijkl")}},
		"not stored": {"PK": str("SHOP#1"), "SK": str("METADATA"), "Name": str("")},
	} {
		c, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), func(l *lock) error { l.WriteID = "AAAAAAAAAAAAAAAA"; return nil })
		require.NoError(t, err)
		assert.False(t, c.Changed(), name)
	}
}

// Derived attributes that other software left stale are repaired by the next change, but do not count as a change.
func TestStaleIsNoChange(t *testing.T) {
	stored := storedShop(t, shop{Name: "a", City: "Rome"})
	stored["GSI1PK"] = str("CITY#Paris")
	c, err := shops().ChangeOf(shopKey, dynastay.RowOf(stored), func(*shop) error { return nil })
	require.NoError(t, err)
	assert.False(t, c.Changed())

	spec, boom := shopSpec(), errors.New("boom")
	spec.Derived = append(spec.Derived, Derived[shop]{Name: "Bad", Value: func(*shop) (types.AttributeValue, error) {
		return str("bad"), boom
	}})
	table := NewTable(dynastay.Open(nil, nil), New(spec))
	_, err = table.ChangeOf(shopKey, dynastay.RowOf(stored), func(s *shop) error { s.Name = "b"; return nil })
	assert.Same(t, boom, err)
}

// An item without a write id is updated only if all attributes that the entity knows, including missing ones, are as
// they were read.
func TestAdoptionIsConditional(t *testing.T) {
	bare := storedShop(t, shop{Name: "a"})
	spec := shopSpec()
	spec.Version, spec.Updated = "", ""
	table := NewTable(dynastay.Open(nil, nil), New(spec))
	c, err := table.ChangeOf(shopKey, dynastay.RowOf(bare), func(s *shop) error { s.City = "Rome"; return nil })
	require.NoError(t, err)
	a := action(t, c)
	assert.True(t, evaluation{expr: a.expr, item: bare}.holds())
	there := cloneItem(bare)
	there["City"] = str("Paris")
	assert.False(t, evaluation{expr: a.expr, item: there}.holds())

	a = changeOf(t, bare, func(s *shop) { s.Name = "b" })
	for name, v := range (dynastay.Item{"Version": num("1"), "UpdatedAt": str("2026-01-02T13:00:00Z")}) {
		there := cloneItem(bare)
		there[name] = v
		assert.False(t, evaluation{expr: a.expr, item: there}.holds(), name)
	}
}

// Every way in which two forms of an entity can differ.
func TestCompare(t *testing.T) {
	m := func(item dynastay.Item) types.AttributeValue { return &sM{Value: item} }
	inner, other := m(dynastay.Item{"A": str("a"), "B": str("b")}), m(dynastay.Item{"A": str("x"), "C": str("c")})
	null := &sNULL{Value: true}
	for name, line := range map[string]struct {
		stored, before, after types.AttributeValue
		set                   dynastay.Item
		remove                []string
	}{
		"the same":                     {inner, inner, inner, dynastay.Item{}, nil},
		"within a map":                 {inner, inner, other, dynastay.Item{"M.A": str("x"), "M.C": str("c")}, []string{"M.B"}},
		"a map that vanishes":          {inner, inner, nil, dynastay.Item{}, []string{"M.A", "M.B"}},
		"a map that becomes none":      {inner, inner, null, dynastay.Item{"M": null}, nil},
		"a map that becomes text":      {inner, inner, str("t"), dynastay.Item{"M": str("t")}, nil},
		"a map that is not stored":     {nil, inner, other, dynastay.Item{"M": other}, nil},
		"the same, not stored":         {nil, inner, inner, dynastay.Item{}, nil},
		"not stored, and none either":  {nil, inner, nil, dynastay.Item{}, nil},
		"not stored, becomes text":     {nil, inner, str("t"), dynastay.Item{"M": str("t")}, nil},
		"text that becomes a map":      {str("t"), str("t"), inner, dynastay.Item{"M": inner}, nil},
		"a map that appears":           {nil, nil, inner, dynastay.Item{"M": inner}, nil},
		"text that appears":            {nil, nil, str("t"), dynastay.Item{"M": str("t")}, nil},
		"text beside an unknown map":   {inner, nil, str("t"), dynastay.Item{"M": str("t")}, nil},
		"a map in one that was unread": {m(dynastay.Item{"X": str("x")}), nil, inner, dynastay.Item{"M.A": str("a"), "M.B": str("b")}, nil},
		"text that changes":            {str("t"), str("t"), str("u"), dynastay.Item{"M": str("u")}, nil},
		"text that vanishes":           {str("t"), str("t"), nil, dynastay.Item{}, []string{"M"}},
	} {
		form := func(v types.AttributeValue) dynastay.Item {
			if v == nil {
				return dynastay.Item{}
			}
			return dynastay.Item{"M": v}
		}
		d := &difference{stored: form(line.stored), set: dynastay.Item{}, remove: map[string]bool{}}
		d.compare("", form(line.before), form(line.after))
		assert.Equal(t, line.set, d.set, name)
		assert.Equal(t, line.remove, slices.Sorted(maps.Keys(d.remove)), name)
		assert.Equal(t, len(line.set)+len(line.remove) == 0, d.empty(), name)
	}
}

type parcel struct{ ID, Name, Phone, Label, Tone string }

func parcels(derived ...Derived[parcel]) *Table[parcel] {
	return NewTable(dynastay.Open(nil, nil), New(Spec[parcel]{
		Name: "Parcel", Schema: shopSchema, Derived: derived,
		Key: func(p *parcel) (dynastay.Key, error) { return dynastay.Key{PK: "PARCEL#" + p.ID, SK: "METADATA"}, nil },
		Codec: Declare(func(f *Fields, p *parcel) {
			f.String("ParcelId", &p.ID)
			f.Map("To.Whom", func(f *Fields) { // a name with a dot
				f.String("Name", &p.Name)
				f.String("Phone", &p.Phone)
			})
			f.String("Tone", &p.Tone)
			f.Map("To", func(f *Fields) { f.String("Label", &p.Label) })
		}),
	}))
}

// A dropped map is removed with what other software stored in it; others that begin with the same name are not.
func TestDrop(t *testing.T) {
	t.Parallel()
	key := dynastay.Key{PK: "PARCEL#1", SK: "METADATA"}
	whom := dynastay.Item{"Name": str("Ann"), "Phone": str("1"), "Elsewhere": str("kept")}
	item := dynastay.Item{
		"PK": str(key.PK), "SK": str(key.SK), "ParcelId": str("1"), "To.Whom": &sM{Value: whom},
		"To": &sM{Value: dynastay.Item{"Label": str("fragile")}}, "Elsewhere": str("kept"),
	}
	clear := func(p *parcel) error { p.Name, p.Phone, p.Label = "", "", ""; return nil }
	change := func(item dynastay.Item, fn func(*parcel) error, derived ...Derived[parcel]) *Change[parcel] {
		c, err := parcels(derived...).ChangeOf(key, dynastay.RowOf(item), fn)
		require.NoError(t, err)
		return c
	}
	c := change(item, clear)
	require.NoError(t, c.Drop("To.Whom"))
	whole, label := dynastay.PathOf("To.Whom"), dynastay.PathOf("To", "Label")
	assert.Equal(t, map[string]bool{whole: true, label: true}, c.diff.remove)
	assert.Empty(t, c.diff.set)
	assert.Equal(t, &parcel{ID: "1"}, c.After)

	item["Tone"] = str("high")
	c = change(item, func(p *parcel) error { p.Label, p.Tone = "", ""; return nil })
	require.NoError(t, c.Drop("To"))
	assert.Equal(t, map[string]bool{"To": true, "Tone": true}, c.diff.remove)
	delete(item, "Tone")

	// Only other software's attributes are in the map.
	item["To.Whom"] = &sM{Value: dynastay.Item{"Elsewhere": str("kept")}}
	c = change(item, clear)
	require.NoError(t, c.Drop("To.Whom"))
	assert.Equal(t, map[string]bool{whole: true, label: true}, c.diff.remove)

	// There is no map.
	delete(item, "To.Whom")
	c = change(item, clear)
	require.NoError(t, c.Drop("To.Whom"))
	assert.Equal(t, map[string]bool{label: true}, c.diff.remove)

	item["To.Whom"] = &sM{Value: whom}
	for name, c := range map[string]*Change[parcel]{
		"unchanged": change(item, func(p *parcel) error { p.Label = ""; return nil }),
		"changed":   change(item, func(p *parcel) error { p.Name, p.Phone = "Bob", ""; return nil }),
		"derived":   change(item, clear, CopyOf[parcel](dynastay.PathOf("To.Whom", "Id"), "ParcelId")),
	} {
		assert.ErrorContains(t, c.Drop("To.Whom"), "Change.Drop requires a map in which nothing is set or derived", name)
	}
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
		for _, opts := range [][]dynastay.UpdateOption{nil, {dynastay.IfVersion(c.version)}} {
			change, err := shops().ChangeOf(shopKey, dynastay.RowOf(stored), rename, opts...)
			require.NoError(t, err)
			assert.Equal(t, c.version, change.Before.Version)
			a := action(t, change)
			assert.Equal(t, c.version+1, change.After.Version)
			assert.Equal(t, noon, change.After.Touched)
			run := evaluation{expr: a.expr, item: stored}
			require.True(t, run.holds())
			got, _, err := run.apply()
			require.NoError(t, err)
			assert.Equal(t, num(strconv.Itoa(c.version+1)), got["Version"])

			moved := cloneItem(stored)
			moved["Version"] = num(strconv.Itoa(c.version + 1))
			assert.False(t, evaluation{expr: a.expr, item: moved}.holds())
			if opts != nil {
				assert.ErrorIs(t, refused(change, moved), dynastay.ErrVersion)
			} else {
				assert.ErrorIs(t, refused(change, moved), dynastay.ErrContention)
			}
			assert.ErrorIs(t, refused(change, nil), dynastay.ErrNotFound)
		}
		_, err := shops().ChangeOf(shopKey, dynastay.RowOf(stored), rename, dynastay.IfVersion(c.version+1))
		assert.ErrorIs(t, err, dynastay.ErrVersion)
	}
}

func TestChangeOfRefusals(t *testing.T) {
	table, stored := shops(), storedShop(t, shop{Name: "a"})
	boom := errors.New("boom")
	_, err := table.ChangeOf(shopKey, dynastay.Row{}, func(*shop) error { return nil })
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.ErrorContains(t, err, "Shop SHOP#1/METADATA")
	_, err = table.ChangeOf(shopKey, dynastay.RowOf(stored), func(*shop) error { return boom })
	assert.Same(t, boom, err, "the function's errors pass unchanged")
	_, err = table.ChangeOf(shopKey, dynastay.RowOf(stored), func(s *shop) error { s.Name = "forbidden"; return nil })
	assert.EqualError(t, err, "invalid Name: is forbidden")
	_, err = table.ChangeOf(shopKey, dynastay.RowOf(stored), func(s *shop) error { s.ID = "2"; return nil })
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	spoilt := cloneItem(stored)
	values.Place(spoilt, "Spec.Size", str("large"))
	_, err = table.ChangeOf(shopKey, dynastay.RowOf(spoilt), func(*shop) error { return nil })
	e := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, dynastay.Error{Entity: "Shop", ID: "SHOP#1/METADATA", Field: "Spec.Size", Kind: dynastay.ErrCorrupt, Err: e.Err}, *e)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)

	c, err := table.ChangeOf(shopKey, dynastay.RowOf(stored), func(*shop) error { return nil })
	require.NoError(t, err)
	assert.False(t, c.Changed())
	assert.Nil(t, action(t, c))
}
