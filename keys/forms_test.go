package keys

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// hostile are strings made of what keys are made of.
func hostile() *rapid.Generator[string] {
	fragments := rapid.SampledFrom([]string{
		"a", "b", "a@b", "p1", "p10", "0", "1", "2", "3", "5", "A", "F", "K", "@", ".", " ", "#", "%", "%23", "%2", "\x00", "\n",
		"\u0085", "\u00a0", "é", "e\u0301", "\u0301", "\u0331", "\u212a", "日", "\xff", "METADATA", "GUARD", "PAYMENT", "#SHARD#1",
		"#PROPERTY#", "#BOOKING#", "CURRENCY#USD", "2025-01-15", "09.2", "config", "email", "NORTH", "dr5",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(fragments, 1, 5).Draw(t, "fragments"), "")
	})
}

func geohashes(characters int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune(geohashAlphabet)), characters, characters, -1)
}

// draw sets a field to anything that it accepts.
func draw(t *rapid.T, name string, v value) {
	accepted := func(s string) string {
		if _, ok := v.(*idValue); ok {
			return strings.Map(func(r rune) rune {
				if r == '#' || r < ' ' || r == 0x85 || r == utf8.RuneError {
					return '_'
				}
				return r
			}, s)
		}
		return "a" + strings.ToValidUTF8(s, "")
	}
	switch v := v.(type) {
	case *idValue:
		*v = idValue(accepted(hostile().Draw(t, name)))
	case *textValue:
		*v = textValue(accepted(hostile().Draw(t, name)))
	case *emailValue:
		*v = emailValue(rapid.SampledFrom([]string{
			"a@b", "A@b", " a@B ", "a%23@b", "a#@b", "H\u0331@b", "h\u0331@b", "\u212a@b", "k@b", strings.Repeat("0f", 32),
		}).Draw(t, name))
	case *wordValue:
		*v = wordValue(rapid.StringMatching(`[a-z0-9_-]{1,64}`).Draw(t, name))
	case geohashValue:
		*v.v = geohashes(v.characters).Draw(t, name)
	case *cellValue:
		*v = cellValue(rapid.OneOf(rapid.Just(NorthCell), rapid.Just(SouthCell), geohashes(cellCharacters)).Draw(t, name))
	case *currencyValue:
		*v = currencyValue(rapid.SampledFrom([]string{"USD", "EUR", "JPY", "KWD"}).Draw(t, name))
	case *starsValue:
		*v = starsValue(rapid.IntRange(1, 5).Draw(t, name))
	case *ratingValue:
		*v = ratingValue(rapid.IntRange(0, 100).Draw(t, name))
	case *priceValue:
		*v = priceValue(rapid.Int64Range(0, 999_999_999_999_999).Draw(t, name))
	case *scoreValue:
		*v = scoreValue(rapid.Int64Range(0, 9_999_999_999).Draw(t, name))
	case *dateValue:
		*v = dateValue(dynastay.MustDate("0001-01-01").AddDays(rapid.IntRange(0, 3652058).Draw(t, name)))
	case *instantValue:
		seconds := rapid.Int64Range(-62135596800+1, 253402300799).Draw(t, name)
		zone := time.FixedZone("", 60*rapid.IntRange(-720, 840).Draw(t, name+" zone"))
		*v = instantValue(time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, name+" nanoseconds")).In(zone))
	case *shardValue:
		*v = shardValue(rapid.IntRange(0, 1000).Draw(t, name))
	default:
		t.Fatalf("no generator for %s, a %T", name, v)
	}
}

// normalise sets a field to the value that a key keeps of it.
func normalise(t require.TestingT, v value) {
	switch v := v.(type) {
	case *textValue:
		normal, err := keytext.Normal(string(*v))
		require.NoError(t, err)
		*v = textValue(normal)
	case *emailValue:
		if strings.Contains(string(*v), "@") {
			normal, err := NormalEmail(string(*v))
			require.NoError(t, err)
			*v = emailValue(normal)
		}
	case *instantValue:
		*v = instantValue(time.Unix(time.Time(*v).Unix(), 0).UTC())
	}
}

// drawn is a key with random fields.
func drawn(t *rapid.T, e entry) any {
	return e.change(e.sample, func(name string, v value) { draw(t, name, v) })
}

// forEach checks a property of every entry by itself.
func forEach(t *testing.T, property func(*rapid.T, entry)) {
	for _, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, e) })
		})
	}
}

// fuzzAny checks the property of an entry that the input chooses.
func fuzzAny(f *testing.F, property func(*rapid.T, entry)) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { property(t, rapid.SampledFrom(entries).Draw(t, "entry")) }))
}

// normal is the key as it is read back.
func normal(t require.TestingT, e entry, k any) any {
	return e.change(k, func(_ string, v value) { normalise(t, v) })
}

// rivals are the entries in the space of e.
func rivals(e entry) (all []entry) {
	for _, other := range entries {
		if other.space == e.space {
			all = append(all, other)
		}
	}
	return all
}

func TestParseUndoesOf(t *testing.T) { forEach(t, parseUndoesOf) }
func FuzzParseUndoesOf(f *testing.F) { fuzzAny(f, parseUndoesOf) }

func parseUndoesOf(t *rapid.T, e entry) {
	k := drawn(t, e)
	key, err := e.of(k)
	require.NoError(t, err)
	back, err := e.parse(key)
	require.NoError(t, err)
	assert.Equal(t, normal(t, e, k), back)
	assert.LessOrEqual(t, len(key.PK), 2048, "DynamoDB's limit")
	assert.LessOrEqual(t, len(key.SK), 1024, "DynamoDB's limit")
}

// Whatever strings a caller takes from its own callers, a key is refused or is the key of that very entity.
func TestNothingForgesAKey(t *testing.T) { forEach(t, nothingForgesAKey) }
func FuzzNothingForgesAKey(f *testing.F) { fuzzAny(f, nothingForgesAKey) }

func nothingForgesAKey(t *rapid.T, e entry) {
	fields := map[string]bool{}
	k := e.change(e.sample, func(name string, v value) {
		fields[name] = true
		text := hostile().Draw(t, name)
		switch v := v.(type) {
		case *idValue:
			*v = idValue(text)
		case *textValue:
			*v = textValue(text)
		case *emailValue:
			*v = emailValue(text)
		case *wordValue:
			*v = wordValue(text)
		case *cellValue:
			*v = cellValue(text)
		case *currencyValue:
			*v = currencyValue(text)
		case geohashValue:
			*v.v = text
		default:
			draw(t, name, v)
		}
	})
	key, err := e.of(k)
	if err != nil {
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Contains(t, fields, invalid.Field)
		assert.Zero(t, key)
		return
	}
	for _, rival := range rivals(e) {
		back, err := rival.parse(key)
		if rival.name != e.name {
			assert.Error(t, err, "%v is a %s as well", key, rival.name)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, normal(t, e, k), back)
	}
}

// Two keys of one space are equal only where kind and values are.
func TestKeysDiffer(t *testing.T) {
	forEach(t, func(t *rapid.T, e1 entry) {
		few := rapid.SampledFrom([]string{"a", "b", "a#b", "b#a", "a%23b", "a%", "%", "A", " a", "GUARD", "a#SHARD#1", "PROPERTY"})
		choose := func(e entry, label string) any {
			return e.change(e.sample, func(name string, v value) {
				switch v := v.(type) {
				case *idValue:
					*v = idValue(strings.ReplaceAll(few.Draw(t, label+name), "#", "%23"))
				case *textValue:
					*v = textValue(few.Draw(t, label+name))
				case *shardValue:
					*v = shardValue(rapid.IntRange(0, 2).Draw(t, label+name))
				}
			})
		}
		e2 := rapid.SampledFrom(rivals(e1)).Draw(t, "second")
		k1, k2 := choose(e1, "first "), choose(e2, "second ")
		key1, err := e1.of(k1)
		require.NoError(t, err)
		key2, err := e2.of(k2)
		require.NoError(t, err)
		same := e1.name == e2.name && normal(t, e1, k1) == normal(t, e2, k2)
		assert.Equal(t, same, key1 == key2, "%v, %v", key1, key2)
	})
}

func FuzzParse(f *testing.F) {
	for _, e := range entries {
		f.Add(e.pk, strings.ReplaceAll(e.sk, "|", ""))
	}
	for _, key := range misspelt {
		f.Add(key.PK, key.SK)
	}
	f.Fuzz(func(t *testing.T, pk, sk string) {
		key := dynastay.Key{PK: pk, SK: sk}
		readAs := map[string]string{}
		for _, e := range entries {
			k, err := e.parse(key)
			if err != nil {
				assert.ErrorIs(t, err, dynastay.ErrCorrupt)
				continue
			}
			again, err := e.of(k)
			require.NoError(t, err)
			assert.Equal(t, key, again, e.name)
			assert.Empty(t, readAs[e.space], "%s reads it as well", e.name)
			readAs[e.space] = e.name
		}
	})
}

// misspelt are texts that mean what some key means, or nearly so, in another spelling than its own.
var misspelt = []dynastay.Key{
	{PK: "CITY#New York#USA", SK: "RATING#9.2#PROPERTY#prop_1"},
	{PK: "CITY#New York#USA", SK: "RATING#9#PROPERTY#prop_1"},
	{PK: "CITY#New York#USA", SK: "RATING#10.1#PROPERTY#prop_1"},
	{PK: "CITY#New York#USA", SK: "RATING#09.2#PROPERTY#"},
	{PK: "CITY#New York#USA", SK: "RATING#09.2"},
	{PK: "CITY#New York#USA", SK: "RATING#09.2#PROPERTY#prop_1#"},
	{PK: "CITY#New York#USA#", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#New York", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#New York #USA", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#Malmo\u0308#Sweden", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#\xff#USA", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "city#New York#USA", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#New York#USA#STAR#05", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#New York#USA#STAR#0", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#New York#USA#STAR#6", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "CITY#New York#USA#CURRENCY#usd", SK: "PRICE#000000000150.000#PROPERTY#prop_1"},
	{PK: "GEO#dr5reg", SK: "PRICE#150"},
	{PK: "GEO#dr5reg", SK: "PRICE#000000000150#PROPERTY#prop_1"},
	{PK: "GEO#dr5reg", SK: "PRICE#-00000000150.000#PROPERTY#prop_1"},
	{PK: "GEO#DR5REG", SK: "PRICE#000000000150.000#PROPERTY#prop_1"},
	{PK: "GEO#dr5re", SK: "PRICE#000000000150.000#PROPERTY#prop_1"},
	{PK: "GEO#dr5rea", SK: "PRICE#000000000150.000#PROPERTY#prop_1"},
	{PK: "GEOCELL#North", SK: "dr5ru7vty#PROPERTY#prop_1"},
	{PK: "TYPE#Hotel", SK: "RATING#09.2#PROPERTY#prop_1"},
	{PK: "FEATURED#SHARD#0", SK: "SCORE#0000000095#PROPERTY#prop_1"},
	{PK: "FEATURED#SHARD#01", SK: "SCORE#0000000095#PROPERTY#prop_1"},
	{PK: "FEATURED#SHARD#-1", SK: "SCORE#0000000095#PROPERTY#prop_1"},
	{PK: "FEATURED#SHARD#", SK: "SCORE#0000000095#PROPERTY#prop_1"},
	{PK: "FEATURED1", SK: "SCORE#0000000095#PROPERTY#prop_1"},
	{PK: "FEATURED", SK: "SCORE#95#PROPERTY#prop_1"},
	{PK: "FEATURED", SK: "SCORE#+000000095#PROPERTY#prop_1"},
	{PK: "SLUG#a%2fb", SK: "PROPERTY"},
	{PK: "SLUG#a%2Fb", SK: "PROPERTY"},
	{PK: "SLUG#a%", SK: "PROPERTY"},
	{PK: "SLUG#a%c2%85", SK: "PROPERTY"},
	{PK: "SLUG#%20a", SK: "PROPERTY"},
	{PK: "SLUG#", SK: "PROPERTY"},
	{PK: "SLUG#a#b", SK: "PROPERTY"},
	{PK: "ROOM#room_7", SK: "DATE#2025-1-15"},
	{PK: "ROOM#room_7", SK: "DATE#2025-02-30"},
	{PK: "ROOM#room_7", SK: "DATE#"},
	{PK: "ROOM#room\t7", SK: "DATE#2025-01-15"},
	{PK: "STATUS#pending", SK: "CREATED#2024-11-10T09:15:00.5Z#BOOKING#bkg_1"},
	{PK: "STATUS#pending", SK: "CREATED#2024-11-10T09:15:00+00:00#BOOKING#bkg_1"},
	{PK: "STATUS#pending", SK: "CREATED#0001-01-01T00:00:00Z#BOOKING#bkg_1"},
	{PK: "STATUS#pending", SK: "CREATED#2024-11-10T09:15:00Z"},
	{PK: "EMAIL#John@example.com", SK: "USER"},
	{PK: "EMAIL#example.com", SK: "USER"},
	{PK: "BOOKING#bkg_1", SK: "metadata"},
	{PK: "BOOKING#bkg_1", SK: "METADATA "},
	{PK: "BOOKING#bkg_1", SK: ""},
	{PK: "", SK: ""},
}

func TestParseIsStrict(t *testing.T) {
	for _, key := range misspelt {
		for _, e := range entries {
			k, err := e.parse(key)
			if assert.Error(t, err, "%v is a %s: %+v", key, e.name, k) {
				assert.Zero(t, k)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	_, err := Parse[PropertyByCity](dynastay.Key{PK: "CITY#New York#USA", SK: "RATING#11.0#PROPERTY#prop_1"})
	var failure *dynastay.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, "PropertyByCity", failure.Entity)
	assert.Equal(t, "CITY#New York#USA/RATING#11.0#PROPERTY#prop_1", failure.ID)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "Rating")
}
