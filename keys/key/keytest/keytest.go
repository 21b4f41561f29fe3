// Package keytest checks the guarantees of package key for the keys of any package. Use it in the tests of that
// package:
//
//	func TestKeys(t *testing.T) {
//		keytest.Check(t, // all types of key that share a table or an index
//			keytest.Samples(Guest{GuestID: "guest_1"}),
//			keytest.Samples(Visit{GuestID: "guest_1", Day: day, VisitID: "visit_1"}))
//		keytest.InOrder(t, Visit{"guest_1", day, "v9"}, Visit{"guest_1", day.AddDays(1), "v1"})
//	}
//
// A declaration that compiles and does not panic can still be wrong: a field may be missing or have another field's
// name, two types of key may have the same text, a [key.Custom] may read different values than it writes or not sort
// correctly, and a key may be longer than DynamoDB allows.
package keytest

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// Type is a type of key with sample keys.
type Type struct {
	name     string
	fields   []reflect.StructField // the exported fields
	hidden   bool                  // there are unexported fields
	pk, sk   []string              // the names of the fields in the form
	samples  []any
	sortKind string

	of         func(any) (dynastay.Key, error)
	partition  func(any) (string, error)
	sortPrefix func(any) (string, error)
	parse      func(dynastay.Key) (any, error)
}

var inBraces = regexp.MustCompile(`\{(.*?)\}`)

// Samples returns the type of key K, which must be a struct, with sample keys. The samples must be in the form that
// [key.Parse] returns: times in UTC and whole seconds, texts and addresses in their normal form. [Check] varies the
// values of the exported fields. Strings, numbers, times and dates get arbitrary values, fields of other types only the
// values of the other samples.
func Samples[K any, P key.Layout[K]](samples ...K) Type {
	y := Type{
		name:       reflect.TypeFor[K]().Name(),
		sortKind:   key.SortKind[K, P](),
		of:         func(k any) (dynastay.Key, error) { return key.Of[K, P](k.(K)) },
		partition:  func(k any) (string, error) { return key.Partition[K, P](k.(K)) },
		sortPrefix: func(k any) (string, error) { return key.SortPrefix[K, P](k.(K)) },
		parse:      func(stored dynastay.Key) (any, error) { return key.Parse[K, P](stored) },
	}
	for _, k := range samples {
		y.samples = append(y.samples, k)
	}
	for i := range reflect.TypeFor[K]().NumField() {
		if f := reflect.TypeFor[K]().Field(i); f.IsExported() {
			y.fields = append(y.fields, f)
		} else {
			y.hidden = true
		}
	}
	pk, sk, _ := strings.Cut(key.Template[K, P](), " / ")
	for _, match := range inBraces.FindAllStringSubmatch(pk, -1) {
		y.pk = append(y.pk, match[1])
	}
	for _, match := range inBraces.FindAllStringSubmatch(sk, -1) {
		y.sk = append(y.sk, match[1])
	}
	return y
}

// Check checks all types of key that share a table or an index:
//
//   - Parse accepts exactly what Of writes, byte for byte; other text fails with [dynastay.ErrCorrupt].
//   - Parse reverses Of, field by field: no value affects another field, whatever the values are. So keys with
//     different values are different.
//   - No key can be parsed as two types.
//   - Every field is part of the key. An invalid value fails with a [*dynastay.InvalidError] that names its field.
//   - Partition and SortPrefix need only their own fields, and return a part of the stored key.
//   - No key is longer than DynamoDB allows: 2048 bytes for a partition key, 1024 for a sort key.
//
// t is a *testing.T, or a *rapid.T.
func Check(t rapid.TB, types ...Type) {
	t.Helper()
	require.NotEmpty(t, types, "at least one type is required")
	var texts []string
	for _, y := range types {
		require.NotEmpty(t, y.samples, "%s has no samples", y.name)
		require.False(t, y.hidden && len(y.fields) == 0, "%s has no exported fields and cannot be checked", y.name)
		for _, k := range y.samples {
			texts = append(texts, y.checkSample(t, k)...)
		}
		y.checkLength(t)
	}
	for _, y := range types {
		varied := map[string]bool{}
		rapid.Check(t, func(t *rapid.T) { y.checkValues(t, types, texts, varied) })
		for _, f := range y.fields {
			require.True(t, varied[f.Name], "%s.%s is not in the key, or the samples must have different values of it", y.name, f.Name)
		}
		rapid.Check(t, func(t *rapid.T) { y.checkAltered(t, types, texts) })
	}
}

// InOrder checks that the sort keys of the given keys are in ascending order, and that SortPrefix is a bound between
// them and a prefix only of its own keys. t is a *testing.T, or a *rapid.T.
func InOrder[K any, P key.Layout[K]](t rapid.TB, ascending ...K) {
	t.Helper()
	require.GreaterOrEqual(t, len(ascending), 2, "at least two keys are required to check their order")
	Samples[K, P](ascending...).inOrder(t)
}

func (y Type) inOrder(t rapid.TB) {
	t.Helper()
	type texts struct{ sk, prefix string }
	var lower []texts
	for _, k := range y.samples {
		stored, err := y.of(k)
		require.NoError(t, err)
		require.NotEmpty(t, stored.SK, "%s has no sort key and therefore no order", y.name)
		prefix, err := y.sortPrefix(k)
		require.NoError(t, err)
		for _, l := range lower {
			assert.Less(t, l.sk, stored.SK, "out of order")
			if l.prefix == prefix {
				continue
			}
			assert.Less(t, l.sk, prefix, "the SortPrefix is not a bound")
			if l.prefix != l.sk { // otherwise the key ends with the value, and the prefix is the whole key
				assert.False(t, strings.HasPrefix(stored.SK, l.prefix), "the SortPrefix %q finds %q", l.prefix, stored.SK)
			}
		}
		lower = append(lower, texts{stored.SK, prefix})
	}
}

// Fuzz checks for arbitrary text that each of the types accepts only what it would write, and that no two types of one
// table accept the same text. Each element of tables holds the types of key that share a table or an index, as for
// [Check].
func Fuzz(f *testing.F, tables ...[]Type) {
	for _, types := range tables {
		for _, y := range types {
			for _, k := range y.samples {
				stored, err := y.of(k)
				require.NoError(f, err)
				f.Add(stored.PK, stored.SK)
			}
		}
	}
	f.Fuzz(func(t *testing.T, pk, sk string) {
		for _, types := range tables {
			checkText(t, types, dynastay.Key{PK: pk, SK: sk})
		}
	})
}

// checkText checks that a text is a key of at most one type, and is what that type writes.
func checkText(t require.TestingT, types []Type, stored dynastay.Key) {
	var names []string
	for _, y := range types {
		k, err := y.parse(stored)
		if err != nil {
			assert.ErrorIs(t, err, dynastay.ErrCorrupt)
			assert.Zero(t, k, "%s returned for the unreadable %s", y.name, stored)
			continue
		}
		again, err := y.of(k)
		require.NoError(t, err, "%s read %s", y.name, stored)
		assert.Equal(t, stored, again, "%s accepts a text that it does not write", y.name)
		names = append(names, y.name)
	}
	assert.LessOrEqual(t, len(names), 1, "%s is a key of %s", stored, strings.Join(names, " and of "))
}

// checkSample checks what requires only the sample, and returns the texts that the key is made of.
func (y Type) checkSample(t rapid.TB, k any) []string {
	stored, err := y.of(k)
	require.NoError(t, err, "%s: %+v", y.name, k)
	back, err := y.parse(stored)
	require.NoError(t, err, "%s: %s", y.name, stored)
	require.Equal(t, k, back, "%s: Parse does not return the sample", y.name)

	for _, other := range []dynastay.Key{
		{PK: stored.PK + "#", SK: stored.SK},
		{PK: stored.PK, SK: stored.SK + "#"},
		{SK: stored.SK},
		{PK: "#" + stored.PK, SK: stored.SK},
	} {
		_, err := y.parse(other)
		require.ErrorIs(t, err, dynastay.ErrCorrupt, "%s: %s", y.name, other)
	}

	partition, err := y.partition(y.only(k, y.pk))
	require.NoError(t, err, "%s: Partition needs fields of the sort key", y.name)
	require.Equal(t, stored.PK, partition, "%s: Partition", y.name)
	prefix, err := y.sortPrefix(y.only(k, y.sk[:min(1, len(y.sk))]))
	require.NoError(t, err, "%s: SortPrefix needs more than the first field of the sort key", y.name)
	require.True(t, strings.HasPrefix(stored.SK, prefix), "%s: the SortPrefix %q of %q", y.name, prefix, stored.SK)
	require.True(t, strings.HasPrefix(prefix, y.sortKind), "%s: the SortKind %q of %q", y.name, y.sortKind, stored.SK)

	texts := []string{stored.PK, stored.SK, "#" + stored.SK}
	for _, piece := range strings.FieldsFunc(stored.PK+"#"+stored.SK, func(r rune) bool { return r == '#' }) {
		texts = append(texts, piece, "#"+piece+"#")
	}
	return texts
}

// only returns the key with the named fields of the form; the form's other fields are zero.
func (y Type) only(k any, names []string) any {
	for _, f := range y.fields {
		if slices.Contains(slices.Concat(y.pk, y.sk), f.Name) && !slices.Contains(names, f.Name) {
			k = with(k, f, reflect.Zero(f.Type))
		}
	}
	return k
}

// checkLength checks the key with the longest strings that it accepts.
func (y Type) checkLength(t rapid.TB) {
	k := y.samples[0]
	for _, f := range y.fields {
		if f.Type.Kind() != reflect.String {
			continue
		}
		for _, long := range []string{
			strings.Repeat("x", 64), strings.Repeat("x", 128), strings.Repeat("x", 254) + "@x", strings.Repeat("x", 256),
		} {
			longer := with(k, f, reflect.ValueOf(long).Convert(f.Type))
			if _, err := y.of(longer); err == nil {
				k = longer
			}
		}
	}
	stored, err := y.of(k)
	require.NoError(t, err)
	require.LessOrEqual(t, len(stored.PK), 2048, "%s: a partition key is longer than DynamoDB allows", y.name)
	require.LessOrEqual(t, len(stored.SK), 1024, "%s: a sort key is longer than DynamoDB allows", y.name)
}

// checkValues checks a key with other values. The normal form of a value is what parsing returns for it in combination
// with the sample's other values; it must be the same with any other values.
func (y Type) checkValues(t *rapid.T, types []Type, texts []string, varied map[string]bool) {
	sample := rapid.SampledFrom(y.samples).Draw(t, "sample")
	stored, err := y.of(sample)
	require.NoError(t, err)
	k, normal := sample, sample
	for _, f := range y.fields {
		v := y.draw(t, f, texts)
		if stored, err := y.of(with(k, f, v)); err != nil {
			y.checkRefusal(t, f.Name, stored, err)
			continue
		}
		alone, err := y.of(with(sample, f, v))
		if err != nil { // a Custom made of several fields
			continue
		}
		varied[f.Name] = varied[f.Name] || alone != stored
		back, err := y.parse(alone)
		require.NoError(t, err, "%s: %s", y.name, alone)
		kept := reflect.ValueOf(back).FieldByIndex(f.Index)
		require.Equal(t, with(sample, f, kept), back, "%s: %s changes other fields", y.name, f.Name)
		k, normal = with(k, f, v), with(normal, f, kept)
	}
	stored, err = y.of(k)
	require.NoError(t, err, "%s: %+v", y.name, k)
	back, err := y.parse(stored)
	require.NoError(t, err, "%s: %s", y.name, stored)
	assert.Equal(t, normal, back, "%s: %s", y.name, stored)
	checkText(t, types, stored)
}

// checkRefusal checks the error for an invalid value of a field. A [key.Custom] may be made of several fields, and have
// its own name.
func (y Type) checkRefusal(t *rapid.T, field string, stored dynastay.Key, err error) {
	names := slices.Concat(y.pk, y.sk)
	if slices.Contains(names, field) {
		names = []string{field}
	}
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid, "%s.%s", y.name, field)
	assert.Contains(t, names, invalid.Field, "%s: the error for %s", y.name, field)
	assert.NotEmpty(t, invalid.Reason, "%s.%s", y.name, field)
	assert.Zero(t, stored, "%s: a key despite the error: %v", y.name, err)
}

// checkAltered checks that a modified text of a key is either refused or the text of another key.
func (y Type) checkAltered(t *rapid.T, types []Type, texts []string) {
	stored, err := y.of(rapid.SampledFrom(y.samples).Draw(t, "sample"))
	require.NoError(t, err)
	if rapid.Bool().Draw(t, "sort key") {
		stored.SK = alter(t, stored.SK, texts)
	} else {
		stored.PK = alter(t, stored.PK, texts)
	}
	checkText(t, types, stored)
}

// with returns a copy of a key with a different value in a field.
func with(k any, f reflect.StructField, v reflect.Value) any {
	c := reflect.New(reflect.TypeOf(k)).Elem()
	c.Set(reflect.ValueOf(k))
	c.FieldByIndex(f.Index).Set(v)
	return c.Interface()
}
