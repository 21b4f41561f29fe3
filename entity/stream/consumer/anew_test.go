package consumer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

// createAnew deletes the table of the gauges with its stream, and creates both again.
func createAnew(t *testing.T, db *dyntest.DB) {
	t.Helper()
	name, client := db.TableName(gaugesTable), db.Engine.Client()
	_, err := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &name})
	require.NoError(t, err)
	require.NoError(t, dynamodb.NewTableNotExistsWaiter(client).Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}, patience))
	require.NoError(t, gaugesTable.Create(t.Context(), client, name, &dynastay.TableOptions{Deletable: true}))
}

// enableAgain ends the stream of the gauges, and starts another one.
func enableAgain(t *testing.T, db *dyntest.DB) {
	t.Helper()
	name := db.TableName(gaugesTable)
	for _, spec := range []*types.StreamSpecification{
		{StreamEnabled: aws.Bool(false)},
		{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	} {
		_, err := db.Engine.Client().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &name, StreamSpecification: spec})
		require.NoError(t, err)
	}
}

// A stream that takes the place of another one is read from its beginning, also where its shards have the ids of the
// first one's: those of a simulation are drawn from one seed, and an engine may name a shard after the table.
func TestAnotherStream(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(*testing.T, *dyntest.DB){"created anew": createAnew, "enabled again": enableAgain} {
		for _, running := range []bool{true, false} {
			for _, resharded := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, running %t, resharded %t", name, running, resharded), func(t *testing.T) {
					t.Parallel()
					followAnotherStream(t, replace, running, resharded)
				})
			}
		}
	}
}

func followAnotherStream(t *testing.T, replace func(*testing.T, *dyntest.DB), running, resharded bool) {
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	streams := consumer.Streams(db.Streams)
	if resharded {
		streams = db.Reshard(1, 2)
	}
	b, readings := &book{}, map[string]int{}
	c := consumer.New(db.DB, streams, quick(consumer.Spec{Router: b.router(db.DB), OnError: func(context.Context, *consumer.Error) {}}))
	stop := run(t, c)
	seen := func() {
		for range 2 {
			turn(t, db.DB, readings, names(3)...)
			require.EventuallyWithT(t, func(t *assert.CollectT) { b.complete(t, readings) }, patience, time.Millisecond)
		}
	}
	seen()
	if !running {
		stop()
	}
	replace(t, db)
	if !running {
		stop = run(t, c)
	}
	seen()
	stop()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, c.Drain(ctx), "the shards of the first stream have ended")
	first, open := map[string]bool{}, 0
	for _, row := range positions(t, db) {
		own, _ := strings.CutPrefix(row.Text("SK"), "SHARD#")
		if id := row.Text("ShardId"); own == id {
			first[id] = true
		} else {
			assert.Regexp(t, "^"+id+"@[0-9a-f]{16}$", own, "the key of the first one is taken")
			assert.True(t, first[id])
		}
		if row.Text("EndedAt") == "" {
			open++
		}
	}
	shards, err := c.Shards(t.Context())
	require.NoError(t, err)
	assert.Len(t, shards, open)
	if !resharded {
		assert.Equal(t, 1, open)
	}
}
