package dynastay

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A write that conflicts or is overtaken at an item for which it does not queue, queues for all its items before it
// tries again. A write that already has its turn does not give it up.
func TestMeetingAnotherWriteQueues(t *testing.T) {
	conflicting := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
		{Code: aws.String("TransactionConflict")}, {Code: aws.String("None")},
	}}
	condition := &types.ConditionalCheckFailedException{Item: Item{"PK": str("SHOP#1"), "SK": str("METADATA")}}
	stored := Item{"PK": str("SHOP#1"), "SK": str("METADATA"), "ShopId": str("1"), "Name": str("a")}
	first := RefOf(shopSchema, shopKey)
	for name, test := range map[string]struct {
		answer error
		ops    func(shops) []Part
	}{
		"a conflict": {conflicting, func(table shops) []Part {
			return []Part{table.PutOp(&shop{ID: "1"}), table.PutOp(&shop{ID: "2"})}
		}},
		"a plain conflict": {&types.TransactionConflictException{}, func(table shops) []Part {
			return []Part{table.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil })}
		}},
		"overtaken": {condition, func(table shops) []Part {
			return []Part{table.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil })}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: []error{test.answer, nil}, stored: stored}
				db := client.open(nil)
				table := shops{db}
				other, err := db.gates.enter(t.Context(), []Ref{first}, nil)
				require.NoError(t, err)
				result := make(chan error, 1)
				go func() { result <- db.Write(t.Context(), test.ops(table)...) }()
				time.Sleep(time.Hour) // of the bubble: whatever does not wait for the gate has happened by then
				synctest.Wait()
				assert.Len(t, client.times, 1, "it waits for its turn")
				other.leave(nil)
				require.NoError(t, <-result)
				assert.Len(t, client.times, 2)
				assert.Empty(t, db.gates.open, "all gates are given back")
			})
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: []error{test.answer, nil}, stored: stored}
				db := client.open(nil)
				holder := NewOp(OpSpec[struct{}]{
					Name: "test.Holder", Contest: &Contest{Items: []Ref{first}},
					Prepare: func(context.Context, *Tx) (struct{}, error) { return struct{}{}, nil },
				})
				entered := make(chan error, 1)
				parts := append(test.ops(shops{db}), holder)
				go func() { entered <- db.Write(t.Context(), parts...) }()
				require.NoError(t, <-entered)
				assert.Len(t, client.times, 2)
				assert.EqualValues(t, 3, db.gates.moves, "one arrival, and a tick for each of two requests")
			})
		})
	}
}

// A refusal settles the writes that waited when its transaction was sent, one refused operation being enough for all that
// is composed with it. Whoever came later tries in person, and so does whoever the sight of it does not refuse.
func TestRefusalIsSharedByWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready, sent := make(chan struct{}), make(chan struct{})
		client := &script{answer: func(n int) error {
			if n > 1 {
				return nil
			}
			<-sent
			return cancelledBy("ConditionalCheckFailed")
		}}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		first := &purchase{name: "first", turn: "a", refusal: errSharedRefusal, preparing: func(int) { <-ready }}
		c.start(t.Context(), "first", first.op())
		note := &purchase{name: "note", turn: "b"}
		c.start(t.Context(), "composed", note.op(), (&purchase{name: "early", turn: "a", judge: errSharedRefusal}).op())
		c.start(t.Context(), "other", (&purchase{name: "other", turn: "a"}).op())
		close(ready)
		synctest.Wait()
		c.start(t.Context(), "late", (&purchase{name: "late", turn: "a", judge: errSharedRefusal}).op())
		assert.Empty(t, c.now())
		close(sent)
		assert.Equal(t, map[string]error{
			"first": errSharedRefusal, "composed": errSharedRefusal, "other": nil, "late": nil,
		}, c.now())
		assert.Equal(t, []string{"first", "other", "late"}, client.by)
		assertOpen(t, &c.db.gates)
	})
}

// A keyed write that waited is not refused for what another one saw before its record was looked for.
func TestSharedRefusalLooksAtTheRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		record := Item{"Hash": str("v0:"), "Made": &sL{Value: []types.AttributeValue{&sM{Value: Item{}}}}}
		client := &script{stored: record, answer: func(int) error { return cancelledBy("ConditionalCheckFailed") }}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		first := &purchase{name: "first", turn: "a", refusal: errSharedRefusal, preparing: func(int) { <-ready }}
		c.start(t.Context(), "first", first.op())
		c.start(t.Context(), "repetition", (&purchase{name: "repetition", turn: "a", judge: errSharedRefusal}).op(), IdempotencyKey("k"))
		close(ready)
		assert.Equal(t, map[string]error{"first": errSharedRefusal, "repetition": nil}, c.now())
		assert.Equal(t, []string{"first"}, client.by)
	})
}

// Whose time is up while others are ahead has sent nothing, and is told that it was contention.
func TestContextEndsTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		client := &script{answer: func(int) error { <-release; return nil }}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		c.start(t.Context(), "first", (&purchase{name: "first", turn: "a"}).op())
		ctx, cancel := context.WithCancel(t.Context())
		c.start(ctx, "second", (&purchase{name: "second", turn: "a"}).op(), (&purchase{name: "third", turn: "b"}).op())
		cancel()
		err := c.now()["second"]
		assert.ErrorIs(t, err, ErrContention)
		assert.ErrorIs(t, err, context.Canceled)
		assert.EqualError(t, err, "second + third: write: conflicts with other writes: context canceled")
		close(release)
		c.now()
		assert.Equal(t, []string{"first"}, client.by)

		// Where nobody is ahead it was not contention.
		c.start(ctx, "ended", (&purchase{name: "ended", turn: "a"}).op())
		err = c.now()["ended"]
		assert.EqualError(t, err, "ended: write: context canceled")
		assert.NotErrorIs(t, err, ErrContention)
		assert.Equal(t, []string{"first"}, client.by, "nothing was sent")
		assertOpen(t, &c.db.gates)
	})
}

// A write that meets another one where it has its turn, or where no turns are taken, sends the same again. Where it has
// none it takes its turn for all that it writes, and prepares again.
func TestConflictTakesATurn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		noGates  bool
		codes    []string
		prepared int
	}{
		"where it has its turn": {false, []string{"TransactionConflict", "None"}, 1},
		"where it has none":     {false, []string{"None", "TransactionConflict"}, 2},
		"where no turns are":    {true, []string{"None", "TransactionConflict"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var db *DB
				client := &script{answer: func(n int) error {
					if n == 1 {
						return cancelledBy(test.codes...)
					}
					db.gates.mu.Lock()
					defer db.gates.mu.Unlock()
					if !test.noGates {
						for _, name := range []string{"m", "idle"} {
							assert.Contains(t, db.gates.open, gateRef(name), "the turns that it had")
						}
					}
					_, there := db.gates.open[gateRef("b")]
					assert.Equal(t, test.prepared == 2, there)
					return nil
				}}
				db = client.open(&Options{NoGates: test.noGates, Retry: atOnce.Retry})
				p := &purchase{name: "p", turn: "m", others: []string{"b"}}
				idle := NewOp(OpSpec[struct{}]{
					Name: "idle", Contest: &Contest{Items: gateRefs("idle")}, Prepare: func(context.Context, *Tx) (struct{}, error) { return struct{}{}, nil },
				})
				require.NoError(t, db.Write(t.Context(), p.op(), idle))
				assert.Equal(t, test.prepared, p.prepared)
				require.Len(t, client.tokens, 2)
				assert.Equal(t, test.prepared == 1, client.tokens[0] == client.tokens[1])
				assertOpen(t, &db.gates)
			})
		})
	}
}

// Only what was seen is shared, and only where it refused the write for good.
func TestNothingSeenIsNothingShared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failed []string
		reason error
		want   error
	}{
		"it is not about the contest": {[]string{"None", "ConditionalCheckFailed"}, errSharedRefusal, errSharedRefusal},
		"it was only overtaken":       {[]string{"ConditionalCheckFailed"}, ErrOvertaken, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ready := make(chan struct{})
				client := &script{answer: func(n int) error {
					if n == 1 {
						return cancelledBy(test.failed...)
					}
					return nil
				}}
				c := &calls{db: client.open(atOnce), ended: map[string]error{}}
				first := (&purchase{
					name: "first", turn: "a", others: []string{"b"}, refusal: test.reason, preparing: func(n int) { <-ready },
				}).op()
				c.start(t.Context(), "first", first)
				c.start(t.Context(), "second", (&purchase{name: "second", turn: "a", judge: errSharedRefusal}).op())
				close(ready)
				assert.Equal(t, map[string]error{"first": test.want, "second": nil}, c.now())
			})
		})
	}
}

// Who queues a second time may be refused there as well, by what another one saw.
func TestRefusalIsSharedAtTheSecondQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		client := &script{answer: func(n int) error {
			if n == 1 {
				return cancelledBy("None", "TransactionConflict")
			}
			return cancelledBy("ConditionalCheckFailed")
		}}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		holder := &purchase{name: "holder", turn: "b", refusal: errSharedRefusal, preparing: func(int) { <-ready }}
		c.start(t.Context(), "holder", holder.op())
		c.start(t.Context(), "second", (&purchase{name: "second", turn: "a", others: []string{"b"}, judge: errSharedRefusal}).op())
		close(ready)
		assert.Equal(t, map[string]error{"holder": errSharedRefusal, "second": errSharedRefusal}, c.now())
		assert.Equal(t, []string{"second", "holder"}, client.by)
		assertOpen(t, &c.db.gates)
	})
}

// Who is overtaken where it has its turn, by another process, keeps it.
func TestOvertakenKeepsItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		client := &script{answer: func(n int) error {
			if n > 1 {
				return nil
			}
			<-release
			return cancelledBy("ConditionalCheckFailed")
		}}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		c.start(t.Context(), "first", (&purchase{name: "first", turn: "a", refusal: ErrOvertaken}).op())
		c.start(t.Context(), "second", (&purchase{name: "second", turn: "a"}).op())
		close(release)
		assert.Equal(t, map[string]error{"first": nil, "second": nil}, c.now())
		assert.Equal(t, []string{"first", "first", "second"}, client.by)
	})
}

// Without gates the callers of one process meet in DynamoDB.
func TestNoGates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		client := &script{answer: func(int) error { <-release; return nil }}
		c := &calls{db: client.open(&Options{NoGates: true, Retry: atOnce.Retry}), ended: map[string]error{}}
		for _, name := range []string{"first", "second"} {
			c.start(t.Context(), name, (&purchase{name: name, turn: "a"}).op())
		}
		assert.Equal(t, []string{"first", "second"}, client.by)
		close(release)
		assert.Equal(t, map[string]error{"first": nil, "second": nil}, c.now())
	})
}

// An operation that was overtaken outweighs the refusals of the others, wherever it stands: they may not hold any more.
func TestOvertakenOutweighsRefusals(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for name, order := range map[string][]int{"first": {0, 1, 2}, "in the middle": {1, 0, 2}, "last": {1, 2, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &script{answer: func(n int) error {
					if n == 1 {
						return cancelledBy("ConditionalCheckFailed", "ConditionalCheckFailed", "ConditionalCheckFailed")
					}
					return nil
				}}
				all := []*purchase{
					{name: "overtaken", turn: "a", refusal: ErrOvertaken}, {name: "b", turn: "b", refusal: refused},
					{name: "c", turn: "c", refusal: refused},
				}
				var parts []Part
				for _, i := range order {
					parts = append(parts, all[i].op())
				}
				require.NoError(t, client.open(atOnce).Write(t.Context(), parts...))
				assert.Len(t, client.by, 2)
			})
		})
	}
}

// A plain update that conflicts with another write queues for the item before it reads it again, whether DynamoDB
// reports a conflict, or its own response was lost and it finds the other write's item.
func TestPlainUpdateTakesATurn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer error
		reads  []Item
	}{
		"a conflict": {&types.TransactionConflictException{}, []Item{shopItem(stamp{1}, stamp{}, "a"), shopItem(stamp{1}, stamp{}, "a")}},
		"a lost answer": {io.ErrUnexpectedEOF, []Item{
			shopItem(stamp{1}, stamp{}, "a"), shopItem(stamp{2}, stamp{1}, "b"), shopItem(stamp{2}, stamp{1}, "b"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: []error{test.answer, nil}}
				db := client.open(nil)
				client.read = func(_ context.Context, n int) (Item, error) {
					db.gates.mu.Lock()
					defer db.gates.mu.Unlock()
					_, held := db.gates.open[RefOf(shopSchema, shopKey)]
					assert.Equal(t, n == len(test.reads), held)
					return test.reads[n-1], nil
				}
				_, err := shops{db}.Update(t.Context(), shopKey, func(s *shop) error { s.Name = "mine"; return nil })
				require.NoError(t, err)
				assert.Equal(t, len(test.reads), client.reads)
				assertOpen(t, &db.gates)
			})
		})
	}
}
