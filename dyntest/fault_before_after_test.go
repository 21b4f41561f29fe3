package dyntest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBeforeAndAfter(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	type mark struct{}
	ctx = context.WithValue(ctx, mark{}, "the caller's")
	var seen []string
	look := func(ctx context.Context) {
		seen = append(seen, read(t, d, "a"))
		assert.Equal(t, "the caller's", ctx.Value(mark{}))
		// A request that f sends with the same context does not take another turn.
		require.NoError(t, put(ctx, d.impatient(), d, "b", "own"))
	}
	before := d.Faults.Inject(Before(look), When{Operation: "PutItem", Nth: 1})
	after := d.Faults.Inject(After(look), When{Operation: "PutItem", Nth: 1})
	require.NoError(t, put(ctx, d.impatient(), d, "a", "1"))
	assert.Equal(t, []string{"", "1"}, seen)
	assert.Equal(t, 1, before.Hits())
	assert.Equal(t, 1, after.Hits())
	assert.Equal(t, 3, d.Faults.Count("PutItem"))
}

func TestTheContextEndsAfterTheCommit(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	ctx, cancel := context.WithCancel(t.Context())
	d.Faults.Inject(After(func(context.Context) { cancel() }), When{Operation: "PutItem", Nth: 1})
	assert.ErrorIs(t, put(ctx, d.Client, d, "a", "1"), context.Canceled)
	assert.Equal(t, "1", read(t, d, "a"))
	assert.Equal(t, 1, d.Faults.Count("PutItem"), "the SDK does not retry it")
}

// With Conflicts, a transaction that waits in Before holds its items.
func TestConflictsEncloseInjections(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	d.Faults.Conflicts(0)
	refused := func(context.Context) {
		assert.ErrorAs(t, put(ctx, d.impatient(), d, "n", "1"), new(*types.TransactionConflictException))
	}
	d.Faults.Inject(Before(refused), When{Operation: "TransactWriteItems", Nth: 1})
	d.Faults.Inject(After(refused), When{Operation: "TransactWriteItems", Nth: 1})
	_, err := d.impatient().TransactWriteItems(ctx, add(d, "n"))
	require.NoError(t, err)
	assert.Equal(t, "1", read(t, d, "n"))
	assert.NoError(t, put(ctx, d.impatient(), d, "n", "2"), "it is free again")
}

// lateEngine commits a request only when the last byte of its answer is read.
type lateEngine struct {
	io.Reader
	committed bool
}

func (e *lateEngine) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	e.committed = err == io.EOF
	return n, err
}

func (*lateEngine) Close() error { return nil }

// A fault after the commit waits for the commit.
func TestAfterTheCommit(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	engine := &lateEngine{}
	for name, what := range map[string]Fault{
		"lost answer": LoseAnswer(), "internal error": InternalErrorAfterCommit(), "delayed": DelayAnswer(time.Millisecond),
		"called": After(func(context.Context) { assert.True(t, engine.committed) }),
	} {
		i := d.Faults.Inject(what, When{Nth: 1})
		*engine = lateEngine{Reader: strings.NewReader(`{}`)}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://engine", nil)
		require.NoError(t, err)
		resp, err := d.Faults.inject(&exchange{req, "PutItem", []byte(`{}`)}, func(*exchange) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: engine}, nil
		})
		assert.True(t, engine.committed, name)
		assert.Equal(t, 1, i.Hits())
		if err == nil && name != "internal error" {
			text, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, `{}`, string(text), "the answer is complete")
		}
	}
}

// If the lost answer is a refusal, nothing was committed, so a test that expects a commit must not pass.
func TestARefusalIsNotACommit(t *testing.T) {
	t.Parallel()
	for _, what := range []Fault{LoseAnswer(), InternalErrorAfterCommit()} {
		d := New(t, OnlyTables(things))
		w := d.watched()
		i := d.Faults.Inject(what, When{Nth: 1})
		never := "attribute_exists(pk)"
		_, err := d.impatient().PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: d.things(), Item: key("a"), ConditionExpression: &never,
		})
		require.Error(t, err)
		var refused *types.ConditionalCheckFailedException
		assert.NotErrorAs(t, err, &refused, "the refusal is lost as well")
		assert.Zero(t, i.Hits())
		d.Faults.settle()
		require.Len(t, w.errors, 1)
		assert.Contains(t, w.errors[0], "did not happen: 1 matching request was sent; the fault was due on 1 of them but had no effect")
	}
}
