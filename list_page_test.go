package dynastay

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/internal/testing/fake"
)

// onlyQueries answers queries with a function; any other request panics and ends the test.
func onlyQueries(answer func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error)) fake.Client {
	return fake.Client{Do: func(r *fake.Request) (any, error) { return answer(r.In.(*dynamodb.QueryInput)) }}
}

// noRequests is a DB whose client fails the test when it is called.
func noRequests(t testing.TB) *DB {
	return Open(onlyQueries(func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		t.Error("a request was sent")
		return nil, errors.New("no requests")
	}), nil)
}

var pagedSchema = &Schema{
	Name: "Paged", Key: KeyNames{"PK", "SK"},
	Indexes: []Index{
		{Name: "ByUser", Key: KeyNames{"GSI1PK", "GSI1SK"}},
		{Name: "Inverted", Key: KeyNames{"SK", "PK"}},
		{Name: "Unsorted", Key: KeyNames{Partition: "GSI2PK"}},
	},
}

func asItem(_ context.Context, row Row) (Item, error) { return row.Item(), nil }

// ask reads one page of a query.
func ask(db *DB, s *Schema, q Query, p Paging) (Page[Item], error) {
	return ListOf(db, s, q, asItem).Page(context.Background(), p)
}

// pageAt sends q, once, and answers that the page ended at last.
func pageAt(t require.TestingT, q Query, p Paging, last Item) (Page[Item], *dynamodb.QueryInput) {
	var sent dynamodb.QueryInput
	db := Open(onlyQueries(func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		sent = *in
		return &dynamodb.QueryOutput{LastEvaluatedKey: last}, nil
	}), nil)
	p.Reads = 1
	page, err := ask(db, pagedSchema, q, p)
	require.NoError(t, err)
	return page, &sent
}

func TestCursorLeadsToTheKeyThatThePageEndedAt(t *testing.T) {
	word := rapid.OneOf(rapid.StringMatching(`[A-Z]{1,8}#[a-z0-9-]{1,8}`), rapid.StringN(1, 20, -1))
	rapid.Check(t, func(t *rapid.T) {
		pk, sk, gsi, sort := word.Draw(t, "pk"), word.Draw(t, "sk"), word.Draw(t, "gsi"), word.Draw(t, "sort")
		for index, c := range map[string]struct {
			partition string
			last      Item
		}{
			"":         {pk, Item{"PK": str(pk), "SK": str(sk)}},
			"ByUser":   {gsi, Item{"PK": str(pk), "SK": str(sk), "GSI1PK": str(gsi), "GSI1SK": str(sort)}},
			"Inverted": {sk, Item{"PK": str(pk), "SK": str(sk)}},
			"Unsorted": {gsi, Item{"PK": str(pk), "SK": str(sk), "GSI2PK": str(gsi)}},
		} {
			q := Query{Name: "test", Index: index, Partition: c.partition}
			page, sent := pageAt(t, q, Paging{}, c.last)
			assert.Nil(t, sent.ExclusiveStartKey)
			require.NotEmpty(t, page.Next)
			raw, err := base64.RawURLEncoding.DecodeString(string(page.Next))
			require.NoError(t, err, "a cursor is safe in a URL")
			assert.NotContains(t, string(raw), "GSI1PK")
			end, sent := pageAt(t, q, Paging{After: page.Next}, nil)
			assert.Equal(t, c.last, sent.ExclusiveStartKey)
			assert.Empty(t, end.Next, "no key is the end")
		}
	})
}

func refusedCursor(t require.TestingT, err error) {
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "Paging.After", invalid.Field)
	assert.ErrorIs(t, err, ErrCursor)
	assert.ErrorIs(t, err, ErrInvalid)
}

func TestCursorRefusesEveryAlteredByte(t *testing.T) {
	q := Query{Name: "test", Index: "ByUser", Partition: "USER#1"}
	page, _ := pageAt(t, q, Paging{}, Item{"PK": str("BOOKING#1"), "SK": str("METADATA"), "GSI1PK": str("USER#1"), "GSI1SK": str("CREATED#1")})
	good, db := string(page.Next), noRequests(t)
	refuse := func(cursor string) {
		t.Helper()
		_, err := ask(db, pagedSchema, q, Paging{After: Cursor(cursor)})
		refusedCursor(t, err)
	}
	for i := range good {
		for _, c := range "A-_09z\n= é\x00" {
			if altered := good[:i] + string(c) + good[i+1:]; altered != good {
				refuse(altered)
			}
		}
		for bit := range 8 {
			altered := []byte(good)
			altered[i] ^= 1 << bit
			refuse(string(altered))
		}
		refuse(good[:i] + good[i+1:])
		refuse(good[:i] + "\n" + good[i:])
		if i > 0 {
			refuse(good[:i])
		}
	}
	for _, garbage := range []string{"=", "\n", "AQ", good + "A", good + "\r", good + good, "****", strings.Repeat("A", 1<<16), "\xff"} {
		refuse(garbage)
	}
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	raw[0]++
	refuse(base64.RawURLEncoding.EncodeToString(raw))
	assert.ErrorContains(t, func() error { _, err := Cursor(base64.RawURLEncoding.EncodeToString(raw)).position(""); return err }(), "different version")
}

func TestCursorOfAnotherQueryIsRefused(t *testing.T) {
	q := Query{Name: "test", Index: "ByUser", Partition: "USER#1", Range: Range{From: "A", To: "B"}}
	page, _ := pageAt(t, q, Paging{}, Item{"PK": str("BOOKING#1"), "SK": str("METADATA"), "GSI1PK": str("USER#1"), "GSI1SK": str("AB")})
	other := *pagedSchema
	other.Name = "Other"
	for name, c := range map[string]struct {
		schema *Schema
		change func(*Query)
	}{
		"name":      {pagedSchema, func(q *Query) { q.Name = "test2" }},
		"table":     {&other, func(*Query) {}},
		"index":     {pagedSchema, func(q *Query) { q.Index = "Inverted" }},
		"no index":  {pagedSchema, func(q *Query) { q.Index = "" }},
		"partition": {pagedSchema, func(q *Query) { q.Partition = "USER#2" }},
		"from":      {pagedSchema, func(q *Query) { q.Range.From = "AA" }},
		"to":        {pagedSchema, func(q *Query) { q.Range.To = "C" }},
		"no range":  {pagedSchema, func(q *Query) { q.Range = Range{} }},
		"prefix":    {pagedSchema, func(q *Query) { q.Range = Range{Prefix: "A"} }},
		"direction": {pagedSchema, func(q *Query) { q.Descending = true }},
		"shifted":   {pagedSchema, func(q *Query) { q.Name, q.Partition = `test","Paged`, "x" }},
	} {
		changed := q
		c.change(&changed)
		_, err := ask(noRequests(t), c.schema, changed, Paging{After: page.Next})
		t.Run(name, func(t *testing.T) { refusedCursor(t, err) })
	}
	_, sent := pageAt(t, q, Paging{Limit: 7, After: page.Next}, nil)
	assert.EqualValues(t, 7, *sent.Limit, "the limit may change from page to page")
}

// Arguments that would be equal if they were concatenated are still different queries.
func TestQueriesThatRunTogetherShareNoCursor(t *testing.T) {
	for _, between := range []string{"", ",", `","`, `\",\"`, "\x00"} {
		q := Query{Name: "test", Index: "ByUser", Partition: "USER#1", Range: Range{From: "A", To: "B" + between + "C"}}
		page, _ := pageAt(t, q, Paging{}, Item{"PK": str("BOOKING#1"), "SK": str("METADATA"), "GSI1PK": str("USER#1"), "GSI1SK": str("AB")})
		q.Range = Range{From: "A" + between + "B", To: "C"}
		_, err := ask(noRequests(t), pagedSchema, q, Paging{After: page.Next})
		refusedCursor(t, err)
	}
}

// A cursor is not signed: anyone who knows the code can forge one that is accepted. It still cannot point into a
// partition other than that of the arguments.
func TestForgedCursorStaysInThePartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Query{
			Name: "test", Partition: rapid.StringMatching(`USER#[0-9]`).Draw(t, "partition"),
			Index: rapid.SampledFrom([]string{"", "ByUser", "Inverted", "Unsorted"}).Draw(t, "index"),
		}
		text := rapid.OneOf(rapid.StringMatching(`(USER|BOOKING)#[0-9]`), rapid.String())
		forged := position{Sort: text.Draw(t, "sort"), PK: text.Draw(t, "pk"), SK: "sk" + text.Draw(t, "sk")}
		_, sent := pageAt(t, q, Paging{After: forged.cursor(q.identity(pagedSchema))}, nil)
		names := pagedSchema.Key
		if index, ok := pagedSchema.Index(q.Index); ok {
			names = index.Key
		}
		assert.Equal(t, str(q.Partition), sent.ExclusiveStartKey[names.Partition])
		asked := false
		for placeholder, name := range sent.ExpressionAttributeNames {
			if name == names.Partition {
				asked = strings.Contains(*sent.KeyConditionExpression, placeholder+" = :0")
			}
		}
		assert.True(t, asked, "the key condition names %s", names.Partition)
		assert.Equal(t, str(q.Partition), sent.ExpressionAttributeValues[":0"])
	})
}

func FuzzCursor(f *testing.F) {
	identity := Query{Name: "test", Partition: "USER#1"}.identity(pagedSchema)
	f.Add("")
	f.Add(string(position{SK: "METADATA"}.cursor(identity)))
	f.Add(string(position{Sort: "a", PK: "b", SK: "c"}.cursor("another")))
	f.Add("AQ")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := Cursor(text).position(identity)
		switch {
		case err != nil:
			if !errors.Is(err, ErrCursor) || !errors.Is(err, ErrInvalid) || at != (position{}) {
				t.Fatalf("%q: %v, %v", text, at, err)
			}
		case string(at.cursor(identity)) != text:
			t.Fatalf("%q and %q are the same position", text, at.cursor(identity))
		}
	})
}

// FuzzForgedCursor assumes a forged tag and tries arbitrary positions.
func FuzzForgedCursor(f *testing.F) {
	identity := Query{Name: "test", Partition: "USER#1"}.identity(pagedSchema)
	f.Add([]byte(`{"k":"METADATA"}`))
	f.Add([]byte(`{"k":1}`))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"k":"a","k":"b"} `))
	f.Fuzz(func(t *testing.T, body []byte) {
		tag := cursorTag(identity, body)
		raw := append(append([]byte{cursorVersion}, tag[:]...), body...)
		_, err := Cursor(base64.RawURLEncoding.EncodeToString(raw)).position(identity)
		if err != nil && !errors.Is(err, ErrCursor) {
			t.Fatalf("%q: %v", body, err)
		}
	})
}

func TestPagingLimit(t *testing.T) {
	for limit, want := range map[int]int32{0: 50, 1: 1, 50: 50, 1000: 1000} {
		_, sent := pageAt(t, Query{Name: "test", Partition: "USER#1"}, Paging{Limit: limit}, nil)
		assert.Equal(t, want, *sent.Limit)
	}
	for _, limit := range []int{-1, 1001, -1 << 40, 1 << 40} {
		_, err := ask(noRequests(t), pagedSchema, Query{Partition: "USER#1"}, Paging{Limit: limit})
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid, "%d", limit)
		assert.Equal(t, "Paging.Limit", invalid.Field)
		assert.NotErrorIs(t, err, ErrCursor)
	}
}

func TestQueryRequest(t *testing.T) {
	for _, c := range []struct {
		bounds    Range
		condition string
		values    Item
	}{
		{Range{}, "#0 = :0", Item{":0": str("P")}},
		{Range{From: "A"}, "(#0 = :0) AND (#1 >= :1)", Item{":0": str("P"), ":1": str("A")}},
		{Range{To: "B"}, "(#0 = :0) AND (#1 <= :1)", Item{":0": str("P"), ":1": str("B")}},
		{Range{From: "A", To: "B"}, "(#0 = :0) AND (#1 BETWEEN :1 AND :2)", Item{":0": str("P"), ":1": str("A"), ":2": str("B")}},
		{Range{Prefix: "C"}, "(#0 = :0) AND (begins_with (#1, :1))", Item{":0": str("P"), ":1": str("C")}},
	} {
		q := Query{Name: "test", Index: "ByUser", Partition: "P", Range: c.bounds}
		_, sent := pageAt(t, q, Paging{}, nil)
		assert.Equal(t, c.condition, *sent.KeyConditionExpression)
		assert.Equal(t, c.values, sent.ExpressionAttributeValues)
		assert.Equal(t, "GSI1PK", sent.ExpressionAttributeNames["#0"])
		if c.bounds != (Range{}) {
			assert.Equal(t, "GSI1SK", sent.ExpressionAttributeNames["#1"])
		}
		assert.Equal(t, "ByUser", *sent.IndexName)
		assert.Equal(t, "Paged", *sent.TableName)
		assert.Nil(t, sent.ScanIndexForward)
		assert.Nil(t, sent.ConsistentRead)
		assert.Empty(t, sent.ReturnConsumedCapacity)
	}
	_, sent := pageAt(t, Query{Partition: "P", Descending: true, Consistent: true}, Paging{}, nil)
	assert.Nil(t, sent.IndexName)
	assert.False(t, *sent.ScanIndexForward)
	assert.True(t, *sent.ConsistentRead)
	assert.Equal(t, map[string]string{"#0": "PK"}, sent.ExpressionAttributeNames)
}

func TestQueryThatMakesNoSenseIsRefused(t *testing.T) {
	for _, c := range []struct {
		q     Query
		field string
	}{
		{Query{Index: "None", Partition: "P"}, "Index"},
		{Query{Index: "Unsorted", Partition: "P", Range: Range{From: "A"}}, "Range"},
		{Query{Partition: "P", Range: Range{From: "B", To: "A"}}, "Range"},
		{Query{Partition: "P", Range: Range{Prefix: "A", To: "B"}}, "Range"},
	} {
		_, err := ask(noRequests(t), pagedSchema, c.q, Paging{})
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, c.field, invalid.Field)
	}
}
