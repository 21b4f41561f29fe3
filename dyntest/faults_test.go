package dyntest

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func once(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }

// impatient is the test's client without the SDK's retries.
func (d *DB) impatient() *dynamodb.Client {
	return d.Engine.Client(d.front, once)
}

// gate is a transport below the faults that holds every request until it is opened.
type gate struct {
	next    http.RoundTripper
	arrived chan struct{}
	open    chan struct{}
}

// gated is a client whose requests wait between the faults and the engine.
func (d *DB) gated() (*dynamodb.Client, *gate) {
	g := &gate{d.network(), make(chan struct{}), make(chan struct{})}
	return d.clientOver(g, once), g
}

func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	g.arrived <- struct{}{}
	<-g.open
	return g.next.RoundTrip(req)
}

func TestRecord(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	stop := d.Faults.Record()
	require.NoError(t, put(ctx, d.Client, d, "a<b", "1"))
	_, err := d.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: d.things(), Key: key("a<b")})
	require.NoError(t, err)
	requests := stop()
	require.NoError(t, put(ctx, d.Client, d, "later", ""))

	require.Len(t, requests, 2)
	assert.Len(t, stop(), 2, "the recording is stopped")
	assert.Equal(t, "PutItem", requests[0].Operation)
	assert.Equal(t,
		`{"Item":{"pk":{"S":"a<b"},"sk":{"S":"thing"},"value":{"S":"1"}},"TableName":"Things"}`, string(requests[0].Body))
	assert.Equal(t, "GetItem", requests[1].Operation)
	assert.Equal(t,
		`{"Key":{"pk":{"S":"a<b"},"sk":{"S":"thing"}},"TableName":"Things"}`, string(requests[1].Body))
	assert.Equal(t, 2, d.Faults.Count("PutItem"))
	assert.Zero(t, d.Faults.Count("CreateTable"), "set-up does not count")
}
