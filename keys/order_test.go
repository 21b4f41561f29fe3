package keys

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
)

// ordered compares two fields of a kind whose text sorts by value; it is false for the other kinds.
func ordered(a, b value) (sign int, ok bool) {
	switch a := a.(type) {
	case *ratingValue:
		return cmp.Compare(*a, *b.(*ratingValue)), true
	case *priceValue:
		return cmp.Compare(*a, *b.(*priceValue)), true
	case *scoreValue:
		return cmp.Compare(*a, *b.(*scoreValue)), true
	case *dateValue:
		return dynastay.Date(*a).Compare(dynastay.Date(*b.(*dateValue))), true
	case *instantValue:
		return cmp.Compare(time.Time(*a).Unix(), time.Time(*b.(*instantValue)).Unix()), true
	}
	return 0, false
}

// A row stands on the same side of a bound as its value, whatever id follows; and the prefix of a value finds the rows
// of that value and no others.
func TestSortPrefixIsABoundAndAPrefix(t *testing.T) {
	forEach(t, func(t *rapid.T, e entry) {
		if len(fieldsOf(e.sort(e.sample))) == 0 {
			return
		}
		k := drawn(t, e)
		first := fieldsOf(e.sort(k))[0].field
		sameValue := rapid.Bool().Draw(t, "same value")
		bound := e.change(k, func(name string, v value) {
			if name != first || !sameValue {
				draw(t, "bound's "+name, v)
			}
		})
		key, err := e.of(k)
		require.NoError(t, err)
		prefix, err := e.sortPrefix(bound)
		require.NoError(t, err)

		a, b := fieldsOf(e.sort(normal(t, e, k)))[0].value, fieldsOf(e.sort(normal(t, e, bound)))[0].value
		equal := assert.ObjectsAreEqual(a, b)
		composite := len(fieldsOf(e.sort(k))) > 1
		sign, ok := ordered(a, b)
		switch {
		case ok && sign != 0:
			assert.Equal(t, sign, cmp.Compare(key.SK, prefix), "%q, %q", key.SK, prefix)
		case composite && equal:
			assert.Greater(t, key.SK, prefix)
		}
		if composite {
			assert.Equal(t, equal, strings.HasPrefix(key.SK, prefix), "%q, %q", key.SK, prefix)
		} else {
			assert.Equal(t, equal, key.SK == prefix, "%q, %q", key.SK, prefix)
		}
	})
}

func TestSortPrefixOfOneIDDoesNotFindALongerOne(t *testing.T) {
	key, err := Of(BookingByCheckIn{CheckIn: date1, PropertyID: "p10", BookingID: "bkg_1"})
	require.NoError(t, err)
	for id, found := range map[string]bool{"p10": true, "p1": false, "p100": false} {
		prefix, err := SortPrefix(BookingByCheckIn{PropertyID: id})
		require.NoError(t, err)
		assert.Equal(t, found, strings.HasPrefix(key.SK, prefix), id)
	}
}

func fieldsOf(p part) (fields part) {
	for _, piece := range p {
		if piece.value != nil {
			fields = append(fields, piece)
		}
	}
	return fields
}

func TestEveryRatingSortsByValue(t *testing.T) {
	var texts []string
	for r := dynastay.Rating(0); r <= dynastay.MaxRating; r++ {
		key, err := Of(PropertyByCity{"New York", "USA", r, "prop_1"})
		require.NoError(t, err)
		texts = append(texts, key.SK)
	}
	assert.Len(t, texts, 101)
	assert.True(t, slices.IsSorted(texts), "%q", texts)
}

func TestQueriesNeedTheirOwnFieldsOnly(t *testing.T) {
	for _, e := range entries {
		key, err := e.of(e.sample)
		require.NoError(t, err)
		inSort := map[string]bool{}
		var first string
		for i, piece := range fieldsOf(e.sort(e.sample)) {
			inSort[piece.field] = true
			if i == 0 {
				first = piece.field
			}
		}
		clear := func(needed func(name string) bool) any {
			return e.change(e.sample, func(name string, v value) {
				if !needed(name) {
					erase(v)
				}
			})
		}
		partition, err := e.partition(clear(func(name string) bool { return !inSort[name] }))
		require.NoError(t, err, e.name)
		assert.Equal(t, key.PK, partition)

		want, err := e.sortPrefix(e.sample)
		require.NoError(t, err)
		prefix, err := e.sortPrefix(clear(func(name string) bool { return name == first }))
		require.NoError(t, err, e.name)
		assert.Equal(t, want, prefix)
	}
}

// erase makes a field one that no key takes.
func erase(v value) {
	switch v := v.(type) {
	case *idValue:
		*v = ""
	case *textValue:
		*v = ""
	case *emailValue:
		*v = ""
	case *wordValue:
		*v = ""
	case *cellValue:
		*v = ""
	case *currencyValue:
		*v = ""
	case geohashValue:
		*v.v = ""
	case *ratingValue:
		*v = -1
	case *starsValue:
		*v = 0
	case *priceValue:
		*v = -1
	case *scoreValue:
		*v = -1
	case *dateValue:
		*v = dateValue{}
	case *instantValue:
		*v = instantValue{}
	case *shardValue:
		*v = -1
	}
}

// Every field is checked, and the error names it and nothing else.
func TestOfNamesTheField(t *testing.T) {
	for _, e := range entries {
		var fields []string
		e.change(e.sample, func(name string, _ value) { fields = append(fields, name) })
		for _, field := range fields {
			key, err := e.of(e.change(e.sample, func(name string, v value) {
				if name == field {
					erase(v)
				}
			}))
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, err, &invalid, "%s.%s", e.name, field)
			assert.Equal(t, field, invalid.Field, e.name)
			assert.NotEmpty(t, invalid.Reason)
			assert.NotContains(t, invalid.Reason, "invalid", "one error's text within another's")
			assert.Zero(t, key)
		}
	}
}
