package consumer_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

var errBroken = errors.New("the search index is down")

// failing returns a router whose handler calls fail with each reading, and notes the reading if that returns nil.
func (b *book) failing(db *dyntest.DB, fail func(context.Context, *gauge) error) *stream.Router {
	return stream.NewRouter(stream.On(gauges(db.DB), func(ctx context.Context, c stream.Change[gauge]) error {
		if err := fail(ctx, c.New); err != nil {
			return err
		}
		b.note(c.New)
		return nil
	}))
}

// letters are changes that were passed to DeadLetter.
type letters struct {
	records []stream.Record
	errs    []error
}

func (l *letters) add(_ context.Context, r stream.Record, err error) error {
	l.records, l.errs = append(l.records, r), append(l.errs, err)
	return nil
}

func ignore(context.Context, *consumer.Error) {}

func TestPermanentFailureGoesToDeadLetterAtOnce(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"permanent": func() error { return stream.Permanent(errBroken) },
		"panic":     func() error { panic(errBroken) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDB(t)
			b, dead, attempts := &book{}, &letters{}, 0
			turn(t, db.DB, map[string]int{}, "g", "g", "g")
			c := consumer.New(db.DB, db.Streams, quick(consumer.Spec{
				Router: b.failing(db, func(_ context.Context, g *gauge) error {
					if g.Reading == 2 {
						attempts++
						return fail()
					}
					return nil
				}),
				DeadLetter: dead.add, OnError: ignore,
			}))
			require.NoError(t, c.Drain(t.Context()))
			assert.Equal(t, []int{1, 3}, b.of("g"), "the shard goes on behind it")
			assert.Equal(t, 1, attempts)
			require.Len(t, dead.records, 1)
			assert.Equal(t, 2, dead.records[0].New.Int("Reading"))
			assert.ErrorIs(t, dead.errs[0], stream.ErrPermanent)
		})
	}
}

func TestOtherFailureGoesToDeadLetterAfterGiveUp(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC)))
	b, dead, attempts := &book{}, &letters{}, 0
	turn(t, db.DB, map[string]int{}, "g", "g")
	c := consumer.New(db.DB, db.Streams, quick(consumer.Spec{
		Router: b.failing(db, func(_ context.Context, g *gauge) error {
			if g.Reading == 1 {
				attempts++
				db.Clock.Advance(time.Minute)
				return errBroken
			}
			return nil
		}),
		DeadLetter: dead.add, GiveUp: 3 * time.Minute, OnError: ignore,
	}))
	require.NoError(t, c.Drain(t.Context()))
	assert.Equal(t, 4, attempts, "the first failure, and one for each minute")
	assert.Equal(t, []int{2}, b.of("g"))
	require.Len(t, dead.errs, 1)
	assert.ErrorIs(t, dead.errs[0], errBroken)
}

// The time since the first failure is stored, so a consumer that is restarted often gives up too.
func TestGiveUpCountsAcrossRestarts(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC)))
	b, dead := &book{}, &letters{}
	turn(t, db.DB, map[string]int{}, "g", "g")
	run := func() (attempts int) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		spec := quick(consumer.Spec{
			Router: b.failing(db, func(_ context.Context, g *gauge) error {
				if g.Reading == 2 {
					return nil
				}
				attempts++
				stop() // the process is restarted
				return errBroken
			}),
			DeadLetter: dead.add, OnError: ignore,
		})
		spec.Poll = 1 // the pause after a failure has ended when stop has: the change must not be tried again
		c := consumer.New(db.DB, db.Streams, spec)
		_ = c.Drain(ctx)
		return attempts
	}
	assert.Equal(t, 1, run())
	db.Clock.Advance(4 * time.Minute)
	assert.Equal(t, 1, run())
	assert.Empty(t, dead.records)
	db.Clock.Advance(time.Minute)
	assert.Equal(t, 1, run())
	assert.Len(t, dead.records, 1, "5 minutes after the first failure")
}

func TestChangeIsTriedUntilDeadLetterTakesIt(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b, buried := &book{}, 0
	turn(t, db.DB, map[string]int{}, "g", "g")
	var told []error
	c := consumer.New(db.DB, db.Streams, quick(consumer.Spec{
		Router: b.failing(db, func(_ context.Context, g *gauge) error {
			if g.Reading == 1 {
				return stream.Permanent(errBroken)
			}
			return nil
		}),
		DeadLetter: func(context.Context, stream.Record, error) error {
			switch buried++; buried {
			case 1:
				return errors.New("the queue is full")
			case 2:
				panic("no queue")
			}
			return nil
		},
		OnError: func(_ context.Context, err *consumer.Error) { told = append(told, err) },
	}))
	require.NoError(t, c.Drain(t.Context()))
	assert.Equal(t, 3, buried)
	assert.Equal(t, []int{2}, b.of("g"))
	require.Len(t, told, 5, "three failures of the handler, two of DeadLetter")
	assert.ErrorContains(t, told[1], "dead letter: the queue is full")
	assert.ErrorContains(t, told[3], "dead letter: panic: no queue")
}

func TestWithoutDeadLetterAChangeIsTriedUntilItSucceeds(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC)))
	db.Requires(dyntest.SingleShards)
	b, attempts := &book{}, 0
	turn(t, db.DB, map[string]int{}, "g", "g")
	var failing []consumer.Shard
	var first string
	var c *consumer.Consumer
	c = consumer.New(db.DB, db.Streams, quick(consumer.Spec{
		Router: b.failing(db, func(ctx context.Context, g *gauge) error {
			if g.Reading == 2 {
				return nil
			}
			switch attempts++; {
			case attempts == 5:
				return nil
			case attempts == 2:
				// The failure is stored together with the lease.
				require.Eventually(t, func() bool {
					var err error
					failing, err = c.Shards(ctx)
					return assert.NoError(t, err) && failing[0].Failing != ""
				}, time.Minute, 10*time.Millisecond)
			}
			db.Clock.Advance(time.Hour)
			return stream.Permanent(errBroken)
		}),
		OnError: func(_ context.Context, err *consumer.Error) { first = err.Record.ID() },
	}))
	require.NoError(t, c.Drain(t.Context()))
	assert.Equal(t, []int{1, 2}, b.of("g"))
	require.Len(t, failing, 1)
	assert.Equal(t, first, failing[0].Failing)
	assert.Equal(t, errBroken.Error(), failing[0].Failure)
	assert.Equal(t, time.Date(2037, 1, 1, 1, 0, 0, 0, time.UTC), failing[0].FailingSince)
	after, err := c.Shards(t.Context())
	require.NoError(t, err)
	require.Len(t, after, 1)
	assert.Empty(t, after[0].Failing+after[0].Failure+after[0].Owner)
	assert.Zero(t, after[0].FailingSince)
}

// An iterator expires after 15 minutes, for example during a long pause. That is no failure, unless a new one expires
// too.
func TestExpiredIteratorIsReplaced(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	shards := db.Reshard(1000, 1000)
	b, readings := &book{}, map[string]int{}
	var told []error
	c := consumer.New(db.DB, shards, quick(consumer.Spec{
		Router:  b.router(db.DB),
		OnError: func(_ context.Context, err *consumer.Error) { told = append(told, err) },
	}))
	stop := run(t, c)
	for range 3 {
		turn(t, db.DB, readings, "g")
		require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, patience, time.Millisecond)
		shards.ExpireIterators()
	}
	stop()
	assert.Empty(t, told)

	turn(t, db.DB, readings, "g")
	db.Faults.Inject(dyntest.Fail("ExpiredIteratorException"), dyntest.When{Operation: "GetRecords", Nth: 1, Times: 3})
	stop = run(t, c)
	require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, patience, time.Millisecond)
	stop()
	assert.Len(t, told, 2, "all but the first")
}

// DynamoDB Local numbers the changes of all tables together. It refuses to continue to read a shard that was empty, as
// if changes had been removed, if another table has changed before the first change of the shard.
func TestFirstChangeOfATableAfterThoseOfAnother(t *testing.T) {
	t.Parallel()
	db, other := newDB(t), newDB(t)
	b := &book{}
	defer run(t, consumer.New(db.DB, db.Streams, quick(consumer.Spec{
		Router: b.router(db.DB), OnError: func(_ context.Context, err *consumer.Error) { assert.NoError(t, err) },
	})))()
	require.Eventually(t, func() bool { return db.Faults.Count("GetRecords") > 1 }, patience, time.Millisecond)
	turn(t, other.DB, map[string]int{}, "a", "b")
	turn(t, db.DB, map[string]int{}, "g")
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, []int{1}, b.of("g")) }, patience, 10*time.Millisecond)
}

// Changes that were removed before they were handled are reported, and the consumer goes on behind them.
func TestTrimmedChangesAreReported(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	shards := db.Reshard(3, 3)
	b, readings := &book{}, map[string]int{}
	told := make(chan *consumer.TrimmedError, 100)
	spec := quick(consumer.Spec{Router: b.router(db.DB), OnError: func(_ context.Context, err *consumer.Error) {
		var lost *consumer.TrimmedError
		if assert.ErrorAs(t, err, &lost) {
			told <- lost
		}
	}})
	turn(t, db.DB, readings, "g", "g")
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { b.complete(c, readings) })
	for range 20 {
		turn(t, db.DB, readings, "g")
	}
	shards.Trim(gaugesTable, 1)
	db.Clock.Advance(24 * time.Hour)
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) {
		assert.Contains(c, b.of("g"), 22)
		assert.NotEmpty(c, told)
	})
	assert.Equal(t, []int{1, 2, 22}, b.of("g"))
	trimmed := <-told
	assert.Equal(t, db.TableName(gaugesTable), trimmed.Table)
	assert.NotEmpty(t, trimmed.Sequence)
	assert.ErrorContains(t, trimmed, "was trimmed after sequence number")
}

// The same holds for a shard from which nothing has been handled yet: reading it from its beginning gives no error.
func TestTrimmedShardThatWasNotReadIsReported(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	shards := db.Reshard(100, 100)
	b, readings := &book{}, map[string]int{}
	told := make(chan error, 100)
	spec := quick(consumer.Spec{Router: b.router(db.DB), OnError: func(_ context.Context, err *consumer.Error) { told <- err }})
	require.NoError(t, consumer.New(db.DB, shards, spec).Drain(t.Context()))
	for range 20 {
		turn(t, db.DB, readings, "g")
	}
	db.Clock.Advance(24 * time.Hour)
	shards.Trim(gaugesTable, 1)
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { assert.Equal(c, []int{20}, b.of("g")) })
	lost := blame.As[*consumer.TrimmedError](t, <-told)
	assert.Empty(t, lost.Sequence)
}

// If a shard was read less than 24 hours ago, what was removed since then had been handled.
func TestQuietShardHasLostNothing(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	shards := db.Reshard(9, 9)
	b, readings := &book{}, map[string]int{}
	spec := quick(consumer.Spec{OnError: func(_ context.Context, err *consumer.Error) { assert.NoError(t, err) }})
	spec.Router = b.failing(db, func(_ context.Context, g *gauge) error {
		if g.Reading == 3 {
			shards.ExpireIterators() // the next one must not begin with this change again
		}
		return nil
	})
	turn(t, db.DB, readings, "g", "g")
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { b.complete(c, readings) })
	require.NoError(t, consumer.New(db.DB, shards, spec).Drain(t.Context())) // to its present end
	shards.Trim(gaugesTable, 0)
	db.Clock.Advance(24*time.Hour - time.Second)
	turn(t, db.DB, readings, "g")
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { b.complete(c, readings) })
	assert.Equal(t, []int{1, 2, 3}, b.of("g"))
}
