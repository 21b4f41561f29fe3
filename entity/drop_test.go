package entity

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

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
