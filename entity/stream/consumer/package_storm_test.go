package consumer_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

var stormWrites = flag.Int("storm.writes", 400, "number of writes while consumers are stopped, killed and started")

// worker is a process of a consumer. A killed one sends nothing any more, as if its machine had lost power.
type worker struct {
	stop   context.CancelFunc
	killed atomic.Bool
	done   chan struct{}
}

var errDead = errors.New("this process is dead")

// dying is a transport of a worker.
type dying struct {
	*worker
	http.RoundTripper
}

func (d dying) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.killed.Load() {
		return nil, errDead
	}
	return d.RoundTripper.RoundTrip(r)
}

func (w *worker) over(client any) *http.Client {
	over := *client.(*http.Client)
	over.Transport = dying{w, over.Transport}
	return &over
}

// talliesTable has the effects of the handler: the number of readings of each gauge.
var talliesTable = &dynastay.Schema{Name: "Tallies", Key: dynastay.KeyNames{Partition: "PK"}}

var countOne = dynastay.MustCompile(expression.NewBuilder().WithUpdate(expression.Add(expression.Name("Readings"), expression.Value(1)))).With(nil)

func countOp(name string) *dynastay.Operation[struct{}] {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "tally", Input: func(in *dynastay.Input) { in.Field("name", name) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Update(talliesTable, dynastay.Key{PK: name}, countOne)
			return struct{}{}, nil
		},
	})
}

// startWorker starts a process whose deliveries are noted in b.
func startWorker(t *testing.T, db *dyntest.DB, streams *dynamodbstreams.Client, b *book, spec consumer.Spec) *worker {
	w := &worker{done: make(chan struct{})}
	var ctx context.Context
	ctx, w.stop = context.WithCancel(t.Context())
	opts := db.Client.Options()
	opts.HTTPClient = w.over(opts.HTTPClient)
	own := dynastay.Open(dynamodb.New(opts), &dynastay.Options{TablePrefix: db.TableName(&dynastay.Schema{})})
	streamOpts := streams.Options()
	streamOpts.HTTPClient = w.over(streamOpts.HTTPClient)
	spec.Router = stream.NewRouter(stream.On(gauges(own), func(ctx context.Context, c stream.Change[gauge]) error {
		switch {
		case w.killed.Load() || ctx.Err() != nil:
			return errDead
		case rand.N(20) == 0:
			return errors.New("try again")
		case rand.N(10) == 0:
			time.Sleep(rand.N(20 * time.Millisecond)) // a slow handler
			if w.killed.Load() {
				return errDead
			}
		}
		b.note(c.New)
		return own.Write(ctx, dynastay.IdempotencyKey(c.Record.ID()).Of("tally"), countOp(c.New.Name))
	}))
	spec.OnError = func(context.Context, *consumer.Error) {}
	c := consumer.New(own, dynamodbstreams.New(streamOpts), spec)
	go func() {
		defer close(w.done)
		for ctx.Err() == nil && !w.killed.Load() { // the first look may fail
			_ = c.Run(ctx)
		}
	}()
	return w
}

func (w *worker) kill() {
	w.killed.Store(true)
	w.stop()
}

// Consumers that are stopped, killed and started at random, on shards that split, with requests that fail and responses
// that are lost, lose no change, and hand those of each item to the handler in order.
func TestNothingIsLostInAStorm(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(talliesTable))
	shards := db.Reshard(5, 40)
	b, readings := &book{}, map[string]int{}
	for _, fault := range []dyntest.Fault{
		dyntest.LoseRequest(), dyntest.LoseAnswer(), dyntest.Throttle(), dyntest.InternalError(), dyntest.InternalErrorAfterCommit(),
		dyntest.Delay(50 * time.Millisecond), dyntest.DelayAnswer(50 * time.Millisecond),
	} {
		db.Faults.Inject(fault, dyntest.When{Chance: 0.01})
	}
	spec := quick(consumer.Spec{})
	// Short, so that some leases are lost, too. But a request has a third of it, which must be enough on a busy machine.
	spec.Lease = 1200 * time.Millisecond
	var workers []*worker
	var ended sync.WaitGroup
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range *stormWrites {
		turn(t, db.Direct, readings, names(12)[random.IntN(12)])
		switch n := random.IntN(40); {
		case n < 3 && len(workers) < 4:
			workers = append(workers, startWorker(t, db, shards.Client, b, spec))
		case n == 3 && len(workers) > 0:
			w := workers[0]
			workers = workers[1:]
			w.stop()
			ended.Go(func() { <-w.done })
		case n == 4 && len(workers) > 0:
			workers[0].kill()
			workers = workers[1:]
		case n == 5:
			shards.ExpireIterators()
		}
		time.Sleep(rand.N(5 * time.Millisecond)) // so that workers live for a while
	}
	last := startWorker(t, db, shards.Client, b, spec)
	require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, 2*time.Minute, 50*time.Millisecond)
	for _, w := range append(workers, last) {
		w.stop()
		<-w.done
	}
	ended.Wait()
	b.complete(t, readings)
	for name, last := range readings {
		row, err := db.Direct.Get(t.Context(), talliesTable, dynastay.Key{PK: name})
		require.NoError(t, err)
		assert.Equal(t, last, row.Int("Readings"), "effects of the readings of %s, although %d were delivered", name, len(b.of(name)))
	}
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
