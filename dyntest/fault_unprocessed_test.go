package dyntest

import (
	"encoding/json"
	"io"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func putBatch(d *DB, ids ...string) *dynamodb.BatchWriteItemInput {
	var writes []types.WriteRequest
	for _, id := range ids {
		item := key(id)
		item["value"] = &types.AttributeValueMemberS{Value: "<1>"}
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
	}
	return &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*d.things(): writes}}
}

func getBatch(d *DB, ids ...string) *dynamodb.BatchGetItemInput {
	yes, asked := true, types.KeysAndAttributes{}
	asked.ConsistentRead = &yes
	asked.ProjectionExpression, asked.ExpressionAttributeNames = aws.String("pk, #v"), map[string]string{"#v": "value"}
	for _, id := range ids {
		asked.Keys = append(asked.Keys, key(id))
	}
	return &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*d.things(): asked}}
}

func TestUnprocessedWrites(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	client := d.impatient()
	i := d.Faults.Inject(Unprocessed(2), When{})
	in := putBatch(d, "a", "b", "c", "d")
	in.RequestItems[*d.things()][3] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key("d")}}
	out, err := client.BatchWriteItem(ctx, in)
	require.NoError(t, err)
	writes := in.RequestItems[*d.things()]
	assert.Equal(t, map[string][]types.WriteRequest{*d.things(): writes[2:]}, out.UnprocessedItems)
	assert.Equal(t, "<1>", read(t, d, "b"))
	assert.Empty(t, read(t, d, "c"))

	out, err = client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: out.UnprocessedItems})
	require.NoError(t, err)
	assert.Equal(t, map[string][]types.WriteRequest{*d.things(): writes[3:]}, out.UnprocessedItems, "one is processed in any case")
	assert.Equal(t, "<1>", read(t, d, "c"))

	out, err = client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: out.UnprocessedItems})
	require.NoError(t, err)
	assert.Empty(t, out.UnprocessedItems)
	assert.Equal(t, 2, i.Hits())
	assert.Equal(t, 2, i.counted, "a batch of one does not match")
}

// The last table by name is the first to lose its items.
func TestUnprocessedOfSeveralTables(t *testing.T) {
	t.Parallel()
	more := &dynastay.Schema{Name: "Zebras", Key: things.Key}
	d := New(t, OnlyTables(things, more))
	in := putBatch(d, "a", "b", "c")
	zebras, writes := d.TableName(more), in.RequestItems[*d.things()]
	in.RequestItems[zebras] = writes[:2]
	for n, want := range map[int]map[string][]types.WriteRequest{
		1:  {zebras: writes[1:2]},
		2:  {zebras: writes[:2]},
		3:  {zebras: writes[:2], *d.things(): writes[2:]},
		99: {zebras: writes[:2], *d.things(): writes[1:]},
	} {
		d.Faults.Inject(Unprocessed(n), When{Table: "Zebras", Nth: 1})
		out, err := d.impatient().BatchWriteItem(t.Context(), in)
		require.NoError(t, err)
		assert.Equal(t, want, out.UnprocessedItems)
	}
}

func TestUnprocessedKeys(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	_, err := d.Engine.Client().BatchWriteItem(ctx, putBatch(d, "a", "b", "c"))
	require.NoError(t, err)
	i := d.Faults.Inject(Unprocessed(1), When{Operation: "BatchGetItem", Nth: 1})
	in := getBatch(d, "a", "b", "c")
	out, err := d.impatient().BatchGetItem(ctx, in)
	require.NoError(t, err)
	assert.Len(t, out.Responses[*d.things()], 2)
	asked := in.RequestItems[*d.things()]
	asked.Keys = asked.Keys[2:]
	assert.Equal(t, map[string]types.KeysAndAttributes{*d.things(): asked}, out.UnprocessedKeys)
	assert.Equal(t, 1, i.Hits())

	out, err = d.impatient().BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: out.UnprocessedKeys})
	require.NoError(t, err)
	want := dynastay.Item{"pk": &types.AttributeValueMemberS{Value: "c"}, "value": &types.AttributeValueMemberS{Value: "<1>"}}
	assert.Equal(t, []map[string]types.AttributeValue{want}, out.Responses[*d.things()])
}

// Items that the engine itself leaves are not lost, and two faults that leave the same item add up.
func TestUnprocessedAddsToTheEngines(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	d.Faults.Inject(Unprocessed(1), When{Times: 2})
	send := func(operation, body, answer string) (arrived string, got map[string]any) {
		arrived, resp, err := mock(t, d.Faults, operation, body, answer)
		require.NoError(t, err)
		assert.Empty(t, resp.Header, "they belong to a different body")
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &got))
		return arrived, got
	}
	arrived, got := send("BatchWriteItem", `{"RequestItems":{"T":[1,2],"U":[3,4]}}`, `{"UnprocessedItems":{"T":[2],"U":[3]}}`)
	assert.JSONEq(t, `{"RequestItems":{"T":[1,2],"U":[3]}}`, arrived)
	assert.Equal(t, map[string]any{"T": []any{2.}, "U": []any{3., 4.}}, got["UnprocessedItems"])
	arrived, got = send("BatchGetItem", `{"RequestItems":{"T":{"Keys":[1,2],"X":0}}}`, `{"UnprocessedKeys":{"T":{"Keys":[1],"X":0}}}`)
	assert.JSONEq(t, `{"RequestItems":{"T":{"Keys":[1],"X":0}}}`, arrived)
	assert.Equal(t, map[string]any{"T": map[string]any{"Keys": []any{1., 2.}, "X": 0.}}, got["UnprocessedKeys"])

	outer := d.Faults.Inject(Unprocessed(1), When{})
	inner := d.Faults.Inject(Unprocessed(1), When{Optional: true})
	_, got = send("BatchWriteItem", `{"RequestItems":{"T":[1,2]}}`, `{}`)
	assert.Equal(t, map[string]any{"T": []any{2.}}, got["UnprocessedItems"])
	assert.Equal(t, []int{1, 0}, []int{outer.Hits(), inner.Hits()})
}

// An error of the engine is passed on unchanged.
func TestUnprocessedOfARefusedBatch(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	i := d.Faults.Inject(Unprocessed(1), When{Optional: true})
	in := putBatch(d, "a", "b", "c")
	delete(in.RequestItems[*d.things()][0].PutRequest.Item, "sk")
	_, err := d.impatient().BatchWriteItem(t.Context(), in)
	assert.ErrorContains(t, err, "ValidationException")
	assert.Zero(t, i.Hits())
	assert.Equal(t, 1, i.counted)
}

// ids returns n different ids.
func ids(n int) (all []string) {
	for i := range n {
		all = append(all, strconv.Itoa(i))
	}
	return all
}

// A batch that DynamoDB refuses as a whole must not become one that it accepts.
func TestUnprocessedLeavesInvalidBatchesWhole(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	client, i := d.impatient(), d.Faults.Inject(Unprocessed(1), When{Optional: true})
	other := putBatch(d, "a", "b", "a") // which puts two versions of a
	other.RequestItems[*d.things()][2].PutRequest.Item["value"] = &types.AttributeValueMemberS{Value: "2"}
	deleted := putBatch(d, "a", "b", "a")
	deleted.RequestItems[*d.things()][2] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key("a")}}
	for name, in := range map[string]*dynamodb.BatchWriteItemInput{
		"too many": putBatch(d, ids(26)...), "put twice": other, "put and deleted": deleted,
	} {
		_, err := client.BatchWriteItem(ctx, in)
		assert.ErrorContains(t, err, "ValidationException", name)
	}
	for name, in := range map[string]*dynamodb.BatchGetItemInput{
		"too many": getBatch(d, ids(101)...), "twice": getBatch(d, "a", "b", "a"),
	} {
		_, err := client.BatchGetItem(ctx, in)
		assert.ErrorContains(t, err, "ValidationException", name)
	}
	assert.Zero(t, i.counted)

	_, err := client.BatchWriteItem(ctx, putBatch(d, ids(25)...))
	require.NoError(t, err)
	_, err = client.BatchGetItem(ctx, getBatch(d, ids(100)...))
	require.NoError(t, err)
	assert.Equal(t, 2, i.Hits(), "these are as large as they may be")
}

// Without a schema, the key attributes are unknown.
func TestUnprocessedOfUnknownTables(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	i := d.Faults.Inject(Unprocessed(1), When{Optional: true})
	put := func(item string) string { return `{"PutRequest":{"Item":` + item + `}}` }
	a, same, another := put(`{"pk":{"S":"a"},"v":{"S":"1"}}`), put(`{"v":{"S":"1"},"pk":{"S":"a"}}`), put(`{"pk":{"S":"a"},"v":{"S":"2"}}`)
	for writes, hits := range map[string]int{a + "," + same: 0, a + "," + another: 1} {
		before := i.Hits()
		_, _, err := mock(t, d.Faults, "BatchWriteItem", `{"RequestItems":{"T":[`+writes+`]}}`, `{}`)
		require.NoError(t, err)
		assert.Equal(t, hits, i.Hits()-before, writes)
	}
}
