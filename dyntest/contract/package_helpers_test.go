package contract_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/contract"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// lag is enough for an engine on this machine.
const lag = 20 * time.Millisecond

// on returns the target of an engine.
func on(e *engine.Engine) contract.Target {
	client := e.Client()
	return contract.Target{Client: client, Admin: client, Streams: e.Streams(), Prefix: "test-", Lag: lag}
}

// differing returns the cases in which the target differs, with what was seen.
func differing(t *testing.T, target contract.Target) map[string]string {
	t.Helper()
	results, err := contract.Check(t.Context(), target)
	require.NoError(t, err)
	require.Len(t, results, len(contract.Cases()))
	differs := map[string]string{}
	for _, r := range results {
		if r.Verdict == contract.Differs {
			differs[r.Case.String()] = r.Seen
		}
	}
	return differs
}

// unbroken has what differs without a broken client: a func() map[string]string for each endpoint.
var unbroken sync.Map

// notices asserts that exactly these cases notice that a target is broken: each says that it differs, and all others,
// in this group and in the others, say what they say without the break. A case in which the engine of the test differs
// anyway can say nothing else.
func notices(t *testing.T, breaks func(*contract.Target), group string, cases ...string) {
	t.Helper()
	t.Parallel()
	e := dyntest.New(t, dyntest.OnlyTables()).Engine
	once, _ := unbroken.LoadOrStore(e.Endpoint(), sync.OnceValue(func() map[string]string { return differing(t, on(e)) }))
	before := once.(func() map[string]string)()
	target := on(e)
	breaks(&target)
	var noticed, want []string
	for name := range differing(t, target) {
		if _, anyway := before[name]; !anyway {
			noticed = append(noticed, name)
		}
	}
	for _, name := range cases {
		if _, anyway := before[group+": "+name]; !anyway {
			want = append(want, group+": "+name)
		}
	}
	assert.ElementsMatch(t, want, noticed)
}

// client is a break of the client only.
func client(breaks func(dynastay.Client) dynastay.Client) func(*contract.Target) {
	return func(target *contract.Target) { target.Client = breaks(target.Client) }
}

type options = func(*dynamodb.Options)

// querying is a client with another Query.
type querying struct {
	dynastay.Client
	query func(context.Context, dynastay.Client, dynamodb.QueryInput) (*dynamodb.QueryOutput, error)
}

func (c querying) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...options) (*dynamodb.QueryOutput, error) {
	return c.query(ctx, c.Client, *in)
}

// queries is a break of queries only.
func queries(query func(context.Context, dynastay.Client, dynamodb.QueryInput) (*dynamodb.QueryOutput, error)) func(*contract.Target) {
	return client(func(c dynastay.Client) dynastay.Client { return querying{c, query} })
}

// transacting is a client with another TransactWriteItems.
type transacting struct {
	dynastay.Client
	write func(context.Context, dynastay.Client, dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error)
}

func (c transacting) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...options) (*dynamodb.TransactWriteItemsOutput, error) {
	return c.write(ctx, c.Client, *in)
}

// writes is a break of transactions only.
func writes(write func(context.Context, dynastay.Client, dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error)) func(*contract.Target) {
	return client(func(c dynastay.Client) dynastay.Client { return transacting{c, write} })
}

// putting is a client that puts other items.
type putting struct {
	dynastay.Client
	instead func(dynastay.Item)
}

func (c putting) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...options) (*dynamodb.PutItemOutput, error) {
	other := *in
	other.Item = maps.Clone(in.Item)
	c.instead(other.Item)
	return c.Client.PutItem(ctx, &other, o...)
}

// puts is a break of the items that are put.
func puts(instead func(dynastay.Item)) func(*contract.Target) {
	return client(func(c dynastay.Client) dynastay.Client { return putting{c, instead} })
}

// updating is a client with other updates.
type updating struct {
	dynastay.Client
	instead func(*dynamodb.UpdateItemInput)
}

func (c updating) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...options) (*dynamodb.UpdateItemOutput, error) {
	other := *in
	c.instead(&other)
	return c.Client.UpdateItem(ctx, &other, o...)
}

// updatesOf is a break of updates only.
func updatesOf(instead func(*dynamodb.UpdateItemInput)) func(*contract.Target) {
	return client(func(c dynastay.Client) dynastay.Client { return updating{c, instead} })
}
