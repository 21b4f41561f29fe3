package keys

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

func TestKeysKeepTheGuarantees(t *testing.T) {
	for name, types := range spaces() {
		t.Run(name, func(t *testing.T) { keytest.Check(t, types...) })
	}
}

func FuzzParse(f *testing.F) {
	for _, stored := range misspelt {
		f.Add(stored.PK, stored.SK)
	}
	keytest.Fuzz(f, slices.Collect(maps.Values(spaces()))...)
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
	failure := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, "PropertyByCity", failure.Entity)
	assert.Equal(t, "CITY#New York#USA/RATING#11.0#PROPERTY#prop_1", failure.ID)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "Rating")
}
