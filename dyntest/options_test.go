package dyntest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

func TestTablesOfTheOptions(t *testing.T) {
	t.Parallel()
	others := &dynastay.Schema{Name: "Others", Key: things.Key}
	hotel := keys.Tables()
	tests := map[string]struct {
		options []Option
		want    []*dynastay.Schema
	}{
		"none":              {nil, hotel},
		"and the hotel's":   {[]Option{Tables(things), Tables(others)}, append(keys.Tables(), things, others)},
		"twice":             {[]Option{Tables(hotel[0], things), Tables(things)}, append(keys.Tables(), things)},
		"only":              {[]Option{OnlyTables(things)}, []*dynastay.Schema{things}},
		"only, and some":    {[]Option{Tables(others), OnlyTables(things)}, []*dynastay.Schema{others, things}},
		"only none":         {[]Option{OnlyTables()}, nil},
		"only of the hotel": {[]Option{OnlyTables(hotel[1])}, hotel[1:2]},
	}
	for name, test := range tests {
		c := configure(test.options)
		require.NoError(t, c.complete(), name)
		assert.Equal(t, test.want, c.schemas, name)
	}
	namesake := &dynastay.Schema{Name: hotel[0].Name, Key: things.Key}
	err := configure([]Option{Tables(namesake)}).complete()
	assert.EqualError(t, err, "dyntest: table "+hotel[0].Name+" appears more than once with different schemas")
}

func TestOnlyTheseTablesAreMade(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	var own []string
	for _, name := range tables(t.Context(), d.Engine) {
		if len(name) > len(d.prefix) && name[:len(d.prefix)] == d.prefix {
			own = append(own, name)
		}
	}
	assert.Equal(t, []string{*d.things()}, own)
}

// Otherwise DynamoDB Local removes, by the machine's clock, items that expire by the test's clock.
func TestTablesHaveNoTimeToLive(t *testing.T) {
	t.Parallel()
	d := New(t)
	require.NotEmpty(t, keys.MetadataTable.TTL)
	name := d.TableName(keys.MetadataTable)
	out, err := d.Engine.Client().DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	require.NoError(t, err)
	assert.Equal(t, types.TimeToLiveStatusDisabled, out.TimeToLiveDescription.TimeToLiveStatus)
}

func TestSeed(t *testing.T) {
	seed := func(opts ...Option) uint64 {
		c := configure(opts)
		require.NoError(t, c.complete())
		return c.seed
	}
	t.Setenv(seedVar, "")
	assert.NotEqual(t, seed(), seed(), "they are random")
	assert.Zero(t, seed(Seed(0)))
	t.Setenv(seedVar, "18446744073709551615")
	assert.EqualValues(t, uint64(18446744073709551615), seed())
	assert.EqualValues(t, 7, seed(Seed(7)), "the option wins")
	for _, wrong := range []string{"-1", "seven", "18446744073709551616"} {
		t.Setenv(seedVar, wrong)
		assert.EqualError(t, configure(nil).complete(),
			`dyntest: DYNTEST_SEED must be a whole number between 0 and 2^64-1, got "`+wrong+`"`)
		assert.EqualValues(t, 7, seed(Seed(7)))
	}
}

func TestStreamsOnlyWhereAskedFor(t *testing.T) {
	t.Parallel()
	streamed := &dynastay.Schema{Name: "Streamed", Key: things.Key, Stream: true}
	for _, test := range []struct {
		options []Option
		want    bool
	}{
		{[]Option{OnlyTables(things, streamed)}, false},
		{[]Option{OnlyTables(things, streamed), Streams()}, true},
	} {
		d := New(t, test.options...)
		for s, want := range map[*dynastay.Schema]bool{things: false, streamed: test.want} {
			name := d.TableName(s)
			out, err := d.Engine.Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
			require.NoError(t, err)
			got := out.Table.StreamSpecification != nil && *out.Table.StreamSpecification.StreamEnabled
			assert.Equal(t, want, got, s.Name)
		}
	}
}
