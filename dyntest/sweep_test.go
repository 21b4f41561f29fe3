package dyntest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// visits and letters expire. The attribute's name is a reserved word in expressions.
var (
	visits  = &dynastay.Schema{Name: "Visits", Key: dynastay.KeyNames{Partition: "pk", Sort: "sk"}, TTL: "ttl"}
	letters = &dynastay.Schema{Name: "Letters", Key: dynastay.KeyNames{Partition: "id"}, TTL: "ttl"}
)

// expiring writes an item with or without a time to live.
func expiring(t *testing.T, d *DB, s *dynastay.Schema, pk string, ttl types.AttributeValue) dynastay.Item {
	t.Helper()
	item, name := s.Key.Of(dynastay.Key{PK: pk, SK: "x"}), d.TableName(s)
	if ttl != nil {
		item["ttl"] = ttl
	}
	_, err := d.Engine.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item})
	require.NoError(t, err)
	return item
}

func seconds(at time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(at.Unix())}
}

func ref(s *dynastay.Schema, pk, sk string) dynastay.Ref {
	return dynastay.RefOf(s, dynastay.Key{PK: pk, SK: sk})
}

// left returns the partition keys that a table still has.
func left(t *testing.T, d *DB, s *dynastay.Schema) []string {
	t.Helper()
	name := d.TableName(s)
	out, err := d.Engine.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	require.NoError(t, err)
	var all []string
	for _, item := range out.Items {
		all = append(all, s.Key.From(dynastay.RowOf(item)).PK)
	}
	return all
}

func TestSweepFollowsTheRules(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(visits, letters, things), At(noon.Add(999*time.Millisecond)))
	before := noon.Add(-time.Second)
	expiring(t, d, visits, "second before", seconds(before))
	expiring(t, d, visits, "now", seconds(noon))
	expiring(t, d, visits, "second after", seconds(noon.Add(time.Second)))
	expiring(t, d, visits, "five years", seconds(noon.AddDate(-5, 0, 0)))
	expiring(t, d, visits, "older", seconds(noon.AddDate(-5, 0, 0).Add(-time.Second)))
	expiring(t, d, visits, "none", nil)
	expiring(t, d, visits, "text", dynastay.Text(fmt.Sprint(before.Unix())))
	expiring(t, d, visits, "fraction", &types.AttributeValueMemberN{Value: fmt.Sprint(before.Unix()) + ".5"})
	expiring(t, d, letters, "b", seconds(before))
	expiring(t, d, letters, "a", seconds(before))
	expiring(t, d, things, "a", seconds(before)) // a table whose items do not expire

	assert.ElementsMatch(t, []string{"a", "b"}, left(t, d, letters), "expired items exist until they are swept")
	stop := d.Faults.Record()
	var swept []dynastay.Ref
	spent := d.Measure(func() { swept = d.Sweep() })
	assert.Empty(t, spent.Calls)
	assert.Empty(t, stop())
	assert.Equal(t, []dynastay.Ref{
		ref(letters, "a", ""), ref(letters, "b", ""), ref(visits, "five years", "x"), ref(visits, "second before", "x"),
	}, swept)
	assert.ElementsMatch(t, []string{"now", "second after", "older", "none", "text", "fraction"}, left(t, d, visits))
	assert.Empty(t, left(t, d, letters))
	assert.Len(t, left(t, d, things), 1)

	assert.Empty(t, d.Sweep())
	d.Clock.Advance(time.Second)
	assert.Equal(t, []dynastay.Ref{ref(visits, "now", "x")}, d.Sweep())
}

func TestSweepReadsAllPages(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(letters), At(noon))
	name := d.TableName(letters)
	for i := range 4 { // 1.2 MB, of which a page holds 1
		item := letters.Key.Of(dynastay.Key{PK: fmt.Sprint(i)})
		item["ttl"], item["text"] = seconds(noon.Add(-time.Minute)), dynastay.Text(strings.Repeat("x", 300_000))
		_, err := d.Engine.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item})
		require.NoError(t, err)
	}
	assert.Len(t, d.Sweep(), 4)
	assert.Empty(t, left(t, d, letters))
}

func TestSweepLeavesWhatHasChangedInTheMeantime(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(letters), At(noon))
	client, name := d.Engine.Client(), d.TableName(letters)
	read := expiring(t, d, letters, "a", seconds(noon.Add(-time.Minute)))
	expiring(t, d, letters, "a", seconds(noon.Add(-time.Second)))
	gone, err := removeUnchanged(t.Context(), client, name, letters, read)
	require.NoError(t, err)
	assert.False(t, gone)
	assert.Len(t, left(t, d, letters), 1)
	assert.Len(t, d.Sweep(), 1)

	gone, err = removeUnchanged(t.Context(), client, name, letters, read)
	require.NoError(t, err)
	assert.False(t, gone, "it no longer exists")
}

func TestSweepRequiresItsTables(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(letters), At(noon))
	name := d.TableName(letters)
	_, err := d.Client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &name})
	require.NoError(t, err)
	fake := &failing{TB: t}
	d.t = fake
	assert.PanicsWithValue(t, fake, func() { d.Sweep() })
	require.Len(t, fake.texts, 1)
	assert.Contains(t, fake.texts[0], "dyntest: sweep table Letters: ")
}

// failing is a test that records its failures. It panics where a test would end.
type failing struct {
	testing.TB
	texts []string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) {
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

func (f *failing) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(f)
}
