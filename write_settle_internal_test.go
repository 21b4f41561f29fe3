package dynastay

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shopItem is a stored shop with a write id, or without one if it is zero.
func shopItem(id, before stamp, name string) Item {
	item := shopSchema.Key.Of(shopKey)
	item["ShopId"], item["Name"] = str("1"), str(name)
	if id != (stamp{}) {
		raw := append(append([]byte{}, id[:]...), before[:]...)
		item["WriteId"] = &sB{Value: raw}
	}
	return item
}

// The refusal of a request that follows a lost one contains the item, which is not read again.
func TestRefusalShowsTheItem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		seen  Item
		want  error
		reads int
	}{
		"the first request's": {nil, nil, 2}, // its id is set when it is read
		"another's":           {shopItem(stamp{2}, stamp{1}, "b"), nil, 3},
		"two others'":         {shopItem(stamp{3}, stamp{2}, "c"), ErrOutcomeUnknown, 2},
		"none":                {nil, ErrOutcomeUnknown, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusal := &types.ConditionalCheckFailedException{Item: test.seen}
				client := &script{answers: []error{io.ErrUnexpectedEOF, refusal, nil}}
				client.read = func(_ context.Context, n int) (Item, error) {
					if n == 2 && name == "the first request's" { // it arrived
						for _, v := range client.last.(*dynamodb.UpdateItemInput).ExpressionAttributeValues {
							if ids := stampsOf(v); ids.before == (stamp{1}) {
								refusal.Item = shopItem(ids.own, ids.before, "mine")
							}
						}
					}
					if n == 3 {
						return test.seen, nil
					}
					return shopItem(stamp{1}, stamp{}, "a"), nil
				}
				table := shops{client.open(nil)}
				_, err := table.Update(t.Context(), shopKey, func(s *shop) error { s.Name = "mine"; return nil })
				assert.ErrorIs(t, err, test.want)
				if test.want != nil {
					assert.ErrorIs(t, err, refusal, "why it is not known")
					assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
				}
				assert.Equal(t, test.reads, client.reads)
			})
		})
	}
}

// A transaction cannot be sent again just because the item has not changed: only its token makes two requests one, and
// a rejected transaction is not sent again.
func TestRejectedTransactionIsNotSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &script{answers: []error{io.ErrUnexpectedEOF, &smithy.GenericAPIError{Code: "AccessDeniedException"}}}
		client.read = func(context.Context, int) (Item, error) { return shopItem(stamp{1}, stamp{}, "a"), nil }
		db := client.open(nil)
		table := shops{db}
		rename := table.UpdateOp(shopKey, func(s *shop) error { s.Name = "mine"; return nil })
		assert.ErrorIs(t, db.Write(t.Context(), rename, table.PutOp(&shop{ID: "2"})), ErrOutcomeUnknown)
		assert.Len(t, client.times, 2)
	})
}

type label struct{}

// The outcome of a write is determined even after its caller's context has ended, and still on behalf of that caller.
func TestResultsAreReadAfterTheEnd(t *testing.T) {
	t.Parallel()
	record := Item{"Hash": str("v0:"), "Made": &sL{Value: []types.AttributeValue{&sM{Value: Item{}}, &sM{Value: Item{}}}}}
	own := func(record Item) error {
		e := cancelledBy("None", "None", "ConditionalCheckFailed").(*types.TransactionCanceledException)
		e.CancellationReasons[2].Item = record
		return e
	}
	for name, test := range map[string]struct {
		answer error
		reads  int // the record, if the response does not contain it, and the result
	}{
		"the record is seen":     {own(record), 2},
		"the record is not seen": {own(nil), 3},
		"the answer is lost":     {io.ErrUnexpectedEOF, 3},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), label{}, "caller"))
			client := &script{answers: []error{test.answer}}
			client.read = func(late context.Context, n int) (Item, error) {
				assert.Equal(t, "caller", late.Value(label{}))
				if n > 1 {
					assert.Error(t, ctx.Err())
				}
				if err := late.Err(); err != nil {
					return nil, err
				}
				if n == test.reads-1 && n > 1 {
					return record, nil
				}
				return shopItem(stamp{1}, stamp{}, "a"), nil
			}
			db := client.open(&Options{Observer: RequestObserver(func(_ context.Context, c Call) {
				if c.Operation == "TransactWriteItems" {
					cancel()
				}
			})})
			table := shops{db}
			rename := table.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil }, AgreedOn("b"))
			unread := NewOp(OpSpec[struct{}]{
				Name: "unread", Input: func(*Input) {},
				Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
					tx.Delete(shopSchema, Key{"x", "y"})
					return struct{}{}, nil
				},
			})
			require.NoError(t, db.Write(ctx, rename, unread, IdempotencyKey("k")))
			assert.Equal(t, "a", rename.Result().Name)
			assert.Equal(t, test.reads, client.reads)
		})
	}
}

// All reads after the caller's context has ended share one budget, however many there are.
func TestOneBudgetForAllReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		const settle = 10 * time.Second
		record := Item{"Hash": str("v0:"), "Made": &sL{Value: []types.AttributeValue{&sM{Value: Item{}}}}}
		client := &script{answers: []error{io.ErrUnexpectedEOF}}
		client.read = func(late context.Context, n int) (Item, error) {
			switch n {
			case 1:
				return shopItem(stamp{1}, stamp{}, "first"), nil
			case 2: // the engine is slow to return the record
				require.NoError(t, late.Err())
				time.Sleep(settle / 2)
				return record, nil
			}
			<-late.Done() // and does not return the result
			return nil, late.Err()
		}
		var ended time.Time
		db := client.open(&Options{Settle: settle, Observer: RequestObserver(func(context.Context, Call) {
			if len(client.times) == 1 && ended.IsZero() {
				ended = time.Now()
				cancel()
			}
		})})
		rename := shops{db}.UpdateOp(shopKey, func(s *shop) error { s.Name = "mine"; return nil }, AgreedOn("mine"))
		assert.ErrorIs(t, db.Write(ctx, rename, IdempotencyKey("k")), ErrCommitted)
		assert.Equal(t, 3, client.reads)
		assert.Equal(t, settle, time.Since(ended))
	})
}

// watched is a context that counts those waiting for its end.
type watched struct {
	context.Context
	done    chan struct{}
	waiting *int
}

func (c watched) Done() <-chan struct{} { return c.done }

func (c watched) AfterFunc(func()) (stop func() bool) {
	*c.waiting++
	return func() bool { *c.waiting--; return true }
}

// A finished write leaves nothing behind in a context that continues.
func TestNothingIsLeftInTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := watched{t.Context(), make(chan struct{}), new(int)}
		var during int
		client := &script{answers: []error{io.ErrUnexpectedEOF}}
		client.read = func(context.Context, int) (Item, error) { during = *ctx.waiting; return nil, nil }
		db := client.open(&Options{Retry: Retry{Attempts: 1}})
		assert.ErrorIs(t, db.Write(ctx, pair(db)...), ErrOutcomeUnknown)
		assert.Equal(t, 1, during)
		assert.Zero(t, *ctx.waiting)
	})
}

// A refusal is passed on without reading where it is certain.
func TestCertainRefusalReadsNothing(t *testing.T) {
	t.Parallel()
	client := &script{answers: []error{cancelledBy("ConditionalCheckFailed", "None")}}
	db := client.open(nil)
	table := shops{db}
	err := db.Write(t.Context(), table.CreateOp(&shop{ID: "1"}), table.PutOp(&shop{ID: "2"}))
	assert.ErrorIs(t, err, ErrAlreadyExists)
	assert.Zero(t, client.reads)
}

// The record decides about a keyed write that was lost, and no other item is read. That it is done is told once, though its
// result cannot be read.
func TestRecordDecides(t *testing.T) {
	t.Parallel()
	record := Item{"Hash": str("v0:"), "Made": &sL{Value: []types.AttributeValue{&sM{Value: Item{}}}}}
	read := Item{"PK": str("SHOP#1"), "SK": str("METADATA"), "ShopId": str("1"), "WriteId": stamp{1}.over(nil)}
	overwritten := Item{"PK": str("SHOP#1"), "SK": str("METADATA"), "WriteId": stamp{2}.over(stamp{1}.over(nil))}
	for name, test := range map[string]struct {
		record Item
		want   error
		reads  int
	}{
		"it is there": {record, ErrCommitted, 3},
		"it is not":   {nil, ErrOutcomeUnknown, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: []error{io.ErrUnexpectedEOF}, read: func(_ context.Context, n int) (Item, error) {
					switch n {
					case 1:
						return read, nil
					case 2:
						return test.record, nil
					}
					return overwritten, errors.New("no answer")
				}}
				db := client.open(&Options{Retry: Retry{Attempts: 2}})
				op := shops{db}.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil }, AgreedOn("b"))
				assert.ErrorIs(t, db.Write(t.Context(), op, IdempotencyKey("k")), test.want)
				assert.Equal(t, test.reads, client.reads)
			})
		})
	}
}

// A write that leaves no id was refused after a lost request: nothing can tell whether that is still to come.
func TestRefusalOfDeltasAfterALostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &script{answer: func(n int) error {
			if n == 1 {
				return io.ErrUnexpectedEOF
			}
			return cancelledBy("ConditionalCheckFailed")
		}}
		refused := errors.New("refused")
		p := purchase{name: "p", turn: "a", refusal: refused} // its put leaves no id
		err := client.open(nil).Write(t.Context(), p.op())
		assert.ErrorIs(t, err, ErrOutcomeUnknown)
		assert.NotErrorIs(t, err, refused)
		assert.Equal(t, client.tokens[0], client.tokens[1])
	})
}

// ending is a context that ends at a time without telling who waits for it, as one does that ends between a pause and the
// request behind it.
type ending struct {
	context.Context
	at time.Time
}

func (c ending) Err() error {
	if time.Now().After(c.at) {
		return context.DeadlineExceeded
	}
	return nil
}

// A context that ends between two requests is told beside what the last one came to.
func TestEndOfTheContextIsTold(t *testing.T) {
	t.Parallel()
	throttle := &types.ProvisionedThroughputExceededException{}
	for want, answer := range map[error]error{ErrThrottled: throttle, ErrOutcomeUnknown: io.ErrUnexpectedEOF} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			db := (&script{answers: []error{answer}}).open(&Options{Observer: RequestObserver(func(_ context.Context, c Call) { cancel() })})
			err := db.Write(ctx, pair(db)...)
			assert.ErrorIs(t, err, want)
			assert.ErrorIs(t, err, answer)
			assert.ErrorIs(t, err, context.Canceled)
		})
	}
}

// After a lost answer a context that ends does not mean that nothing was sent.
func TestContextEndsBehindAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &script{answers: []error{io.ErrUnexpectedEOF}}
		db := client.open(&Options{Retry: Retry{Base: time.Hour, Cap: time.Hour}})
		err := db.Write(ending{t.Context(), time.Now()}, pair(db)...)
		assert.ErrorIs(t, err, ErrOutcomeUnknown)
		assert.Len(t, client.times, 2)
	})
}
