package consumer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

// The environment of a process that this test binary starts as a consumer.
const (
	envEndpoint = "CONSUMER_TEST_ENDPOINT"
	envPrefix   = "CONSUMER_TEST_PREFIX"
)

func TestMain(m *testing.M) {
	if os.Getenv(envEndpoint) != "" {
		if err := consume(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	m.Run()
}

// deliveriesTable has one item for each gauge, with the readings in the order in which they were delivered.
var deliveriesTable = &dynastay.Schema{Name: "Deliveries", Key: dynastay.KeyNames{Partition: "PK"}}

var deliver = dynastay.Prepare(expression.NewBuilder().WithUpdate(expression.Set(expression.Name("Readings"),
	expression.ListAppend(expression.IfNotExists(expression.Name("Readings"), expression.Value([]int{})), dynastay.Param("reading")))))

// consume is a process that stores every delivery until it is interrupted, or killed.
func consume() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fixed := credentials.NewStaticCredentialsProvider("dyntest", "dyntest", "")
	endpoint := aws.String(os.Getenv(envEndpoint))
	client := dynamodb.New(dynamodb.Options{BaseEndpoint: endpoint, Region: "us-east-1", Credentials: fixed})
	streams := dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: endpoint, Region: "us-east-1", Credentials: fixed})
	db := dynastay.Open(client, &dynastay.Options{TablePrefix: os.Getenv(envPrefix)})
	spec := quick(consumer.Spec{
		Router: stream.NewRouter(stream.On(gauges(db), func(ctx context.Context, c stream.Change[gauge]) error {
			expr := deliver.With(dynastay.Item{"reading": &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Number(c.New.Reading)}}})
			_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: aws.String(db.TableName(deliveriesTable)), Key: deliveriesTable.Key.Of(dynastay.Key{PK: c.New.Name}),
				UpdateExpression: expr.Update, ExpressionAttributeNames: expr.Names, ExpressionAttributeValues: expr.Values,
			})
			return err
		})),
		OnError: ignore,
	})
	spec.Lease = 600 * time.Millisecond
	return consumer.New(db, streams, spec).Run(ctx)
}

// Three processes share the shards, and are killed, interrupted and started while changes are made.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(deliveriesTable))
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), envEndpoint+"="+db.Engine.Endpoint(), envPrefix+"="+db.TableName(&dynastay.Schema{}))
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		return cmd
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	processes := []*exec.Cmd{start(), start(), start()}
	defer func() {
		for _, p := range processes {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	}()
	readings, count := map[string]int{}, 0
	for range 6 {
		for range 40 {
			turn(t, db.Direct, readings, names(5)[random.IntN(5)])
		}
		// So that every process is killed in the middle of its work, and not before it.
		last := count
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			count = delivered(c, t.Context(), db, readings).len()
			require.Greater(c, count, last+5)
		}, patience, time.Millisecond)
		i := random.IntN(3)
		require.NoError(t, processes[i].Process.Signal([]os.Signal{os.Kill, os.Kill, os.Interrupt}[random.IntN(3)]))
		_ = processes[i].Wait()
		processes[i] = start()
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		delivered(c, t.Context(), db, readings).complete(c, readings)
	}, patience, 50*time.Millisecond)
}

// delivered returns what the processes have stored.
func delivered(t require.TestingT, ctx context.Context, db *dyntest.DB, readings map[string]int) *book {
	b := &book{}
	for name := range readings {
		row, err := db.Direct.Get(ctx, deliveriesTable, dynastay.Key{PK: name}, dynastay.Consistent)
		require.NoError(t, err)
		for _, n := range row.Value("Readings").List() {
			reading, err := strconv.Atoi(n.Text())
			require.NoError(t, err)
			b.note(&gauge{name, reading})
		}
	}
	return b
}
