package dynastay

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// staged is a client whose transactions are answered by a function, which may block. It keeps whose they were, and stores
// nothing but one item, which every read finds.
type staged struct {
	Client
	mu     sync.Mutex
	by     []string
	tokens []string
	answer func(n int) error
	stored Item
}

func (c *staged) TransactWriteItems(
	_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	c.mu.Lock()
	c.by, c.tokens = append(c.by, RowOf(in.TransactItems[0].Put.Item).Text("By")), append(c.tokens, *in.ClientRequestToken)
	n := len(c.by)
	c.mu.Unlock()
	if c.answer == nil {
		return &dynamodb.TransactWriteItemsOutput{}, nil
	}
	return &dynamodb.TransactWriteItemsOutput{}, c.answer(n)
}

func (c *staged) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return &dynamodb.GetItemOutput{Item: c.stored}, nil
}

func cancelledBy(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, code := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
	}
	return e
}

// purchase is an operation that takes turns for one item and writes it, and perhaps others without turns.
type purchase struct {
	name      string
	turn      string
	others    []string
	preparing func(n int)
	refusal   error // what a condition that does not hold means
	judge     error // what it makes of another's refusal
	prepared  int
}

var nightsSchema = &Schema{Name: "Nights", Key: KeyNames{"PK", "SK"}}

func (p *purchase) op() *Operation[struct{}] {
	return NewOp(OpSpec[struct{}]{
		Name: p.name, Input: func(*Input) {},
		Contest: &Contest{Items: gateRefs(p.turn), Judge: func(map[Ref]Row) error {
			if p.prepared > 0 && p.refusal != nil {
				return p.refusal // it is its own
			}
			return p.judge
		}},
		Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
			if p.prepared++; p.preparing != nil {
				p.preparing(p.prepared)
			}
			for _, name := range append([]string{p.turn}, p.others...) {
				item := nightsSchema.Key.Of(gateRef(name).Key)
				item["By"] = str(p.name)
				tx.Put(nightsSchema, item).If(Expr{}, func(Row) error { return p.refusal })
			}
			return struct{}{}, nil
		},
	})
}

// atOnce leaves no pauses between requests.
var atOnce = &Options{Retry: Retry{Base: 1, Cap: 1}}

// calls are writes that go on at once, and how they ended.
type calls struct {
	db    *DB
	mu    sync.Mutex
	ended map[string]error
}

func (c *calls) start(ctx context.Context, name string, parts ...Part) {
	go func() {
		err := c.db.Write(ctx, parts...)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended[name] = err
	}()
	synctest.Wait()
}

func (c *calls) now() map[string]error {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.ended)
}

// A refusal settles the writes that waited when its transaction was sent, one refused operation being enough for all that
// is composed with it. Whoever came later tries in person, and so does whoever the sight of it does not refuse.
func TestRefusalIsSharedByWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready, sent := make(chan struct{}), make(chan struct{})
		client := &staged{answer: func(n int) error {
			if n > 1 {
				return nil
			}
			<-sent
			return cancelledBy("ConditionalCheckFailed")
		}}
		c := &calls{db: Open(client, atOnce), ended: map[string]error{}}
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
		client := &staged{stored: record, answer: func(int) error { return cancelledBy("ConditionalCheckFailed") }}
		c := &calls{db: Open(client, atOnce), ended: map[string]error{}}
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
		client := &staged{answer: func(int) error { <-release; return nil }}
		c := &calls{db: Open(client, atOnce), ended: map[string]error{}}
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
				client := &staged{answer: func(n int) error {
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
				db = Open(client, &Options{NoGates: test.noGates, Retry: atOnce.Retry})
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
				client := &staged{answer: func(n int) error {
					if n == 1 {
						return cancelledBy(test.failed...)
					}
					return nil
				}}
				c := &calls{db: Open(client, atOnce), ended: map[string]error{}}
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
		client := &staged{answer: func(n int) error {
			if n == 1 {
				return cancelledBy("None", "TransactionConflict")
			}
			return cancelledBy("ConditionalCheckFailed")
		}}
		c := &calls{db: Open(client, atOnce), ended: map[string]error{}}
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
		client := &staged{answer: func(n int) error {
			if n > 1 {
				return nil
			}
			<-release
			return cancelledBy("ConditionalCheckFailed")
		}}
		c := &calls{db: Open(client, atOnce), ended: map[string]error{}}
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
		client := &staged{answer: func(int) error { <-release; return nil }}
		c := &calls{db: Open(client, &Options{NoGates: true, Retry: atOnce.Retry}), ended: map[string]error{}}
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
				client := &staged{answer: func(n int) error {
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
				require.NoError(t, Open(client, atOnce).Write(t.Context(), parts...))
				assert.Len(t, client.by, 2)
			})
		})
	}
}
