package key_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/key"
)

// declared is a key of any declaration.
type declared struct{ form func(*key.Form) }

func (k *declared) Form(f *key.Form) { k.form(f) }

func TestWhatIsNoDeclaration(t *testing.T) {
	var s string
	var n int
	var i64 int64
	id, other, shard := key.ID("ID", &s), key.Word("Other", &s), key.Shard("Shard", &n)
	pk := func(parts ...any) func(*key.Form) { return func(f *key.Form) { f.PK(parts...) } }
	for _, test := range []struct {
		want string
		form func(*key.Form)
	}{
		{"Form must call PK", func(*key.Form) {}},
		{"PK must be called only once", func(f *key.Form) { f.PK("A"); f.PK("A") }},
		{"SK must be called after PK", func(f *key.Form) { f.SK("A"); f.PK("A") }},
		{"SK must be called only once", func(f *key.Form) { f.PK("A"); f.SK("A"); f.SK("A") }},
		{"PK must have at least one part", pk()},
		{"SK must have at least one part", func(f *key.Form) { f.PK("A"); f.SK() }},
		{"PK must not contain an empty literal", pk("A#", id, "")},
		{"SK must not contain an empty literal", func(f *key.Form) { f.PK("A"); f.SK("", id) }},
		{"a part of PK must be a string or a Value, got *string", pk("A#", &s)},
		{"a part of PK must be a string or a Value, got <nil>", pk(nil)},
		{"the literal \"B#\" after the value ID must begin with '#'", pk("A#", id, "B#", id)},
		{"the value Other must be separated from the value ID by a literal", pk("A#", id, other)},
		{"the Shard Shard must be the last part of PK, after at least one other", pk(shard)},
		{"the Shard Shard must be the last part of PK, after at least one other", pk("A#", shard, "#B")},
		{"the Shard Shard must be the last part of PK, after at least one other", func(f *key.Form) { f.PK("A"); f.SK("A#", id, shard) }},
		{"Digits must have a width between 1 and 19, got 0", pk(key.Digits("Digits", &i64, 0))},
		{"Digits must have a width between 1 and 19, got 20", pk(key.Digits("Digits", &i64, 20))},
		{"Whole must have limits with 0 <= least <= most, got -1 and 5", pk(key.Whole("Whole", &n, -1, 5))},
		{"Whole must have limits with 0 <= least <= most, got 5 and 4", pk(key.Whole("Whole", &n, 5, 4))},
		{"Geohash must have between 1 and 12 characters, got 0", pk(key.Geohash("Geohash", &s, 0))},
		{"Geohash must have between 1 and 12 characters, got 13", pk(key.Geohash("Geohash", &s, 13))},
	} {
		assert.PanicsWithValue(t, "key: key_test.declared: "+test.want, func() { key.Of(declared{test.form}) })
	}
}

func TestPartitionAloneIsAKey(t *testing.T) {
	stored, err := key.Of(login{"john@example.com"})
	require.NoError(t, err)
	assert.Equal(t, dynastay.Key{PK: "EMAIL#john@example.com"}, stored)
	back, err := key.Parse[login](stored)
	require.NoError(t, err)
	assert.Equal(t, login{"john@example.com"}, back)

	_, err = key.Parse[login](dynastay.Key{PK: stored.PK, SK: "A"})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	prefix, err := key.SortPrefix(login{})
	require.NoError(t, err)
	assert.Empty(t, prefix)
	assert.Empty(t, key.SortKind[login]())
	assert.Equal(t, "EMAIL#{Email}", key.Template[login]())
}

func TestSortKindAndTemplate(t *testing.T) {
	assert.Equal(t, "DAY#", key.SortKind[Visit]())
	assert.Equal(t, "PROFILE", key.SortKind[Guest]())
	assert.Equal(t, "GUEST#{GuestID} / DAY#{Day}#VISIT#{VisitID}", key.Template[Visit]())
	assert.Empty(t, key.SortKind[everything](), "it begins with a value")
}

func TestSortPrefixEndsBehindTheFirstValue(t *testing.T) {
	for want, k := range map[string]declared{
		"A":     {func(f *key.Form) { f.PK("P"); f.SK("A") }},
		"A#x":   {func(f *key.Form) { s := "x"; f.PK("P"); f.SK("A#", key.ID("ID", &s)) }},
		"A#x#B": {func(f *key.Form) { s := "x"; f.PK("P"); f.SK("A#", key.ID("ID", &s), "#B", "C") }},
		"x#":    {func(f *key.Form) { s := "x"; f.PK("P"); f.SK(key.ID("ID", &s), "#", key.ID("ID", &s)) }},
	} {
		prefix, err := key.SortPrefix(k)
		require.NoError(t, err)
		assert.Equal(t, want, prefix)
	}
}

func TestParseErrors(t *testing.T) {
	_, err := key.Parse[Visit](dynastay.Key{PK: "GUEST#guest_1", SK: "DAY#2025-02-30#VISIT#visit_1"})
	failure := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, "Visit", failure.Entity)
	assert.Equal(t, "GUEST#guest_1/DAY#2025-02-30#VISIT#visit_1", failure.ID)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "sort key: invalid Day")

	for want, stored := range map[string]dynastay.Key{
		"partition key: \"GUEST#\" is missing":                 {PK: "guest#1", SK: "DAY#2025-01-15#VISIT#v"},
		"sort key: \"#VISIT#\" is missing":                     {PK: "GUEST#1", SK: "DAY#2025-01-15"},
		"invalid VisitID: must not contain '#'":                {PK: "GUEST#1", SK: "DAY#2025-01-15#VISIT#v#"},
		"invalid GuestID: must not contain control characters": {PK: "GUEST#\t", SK: "DAY#2025-01-15#VISIT#v"},
	} {
		_, err := key.Parse[Visit](stored)
		assert.ErrorContains(t, err, want)
	}
	_, err = key.Parse[login](dynastay.Key{PK: "EMAIL#John@example.com"})
	assert.ErrorContains(t, err, "must be in canonical form")
}
