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

// However a write fails, its error names all of its operations, and errors.As finds the SDK's error.
func TestErrorsNameTheWrite(t *testing.T) {
	t.Parallel()
	throttle := &types.ProvisionedThroughputExceededException{}
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException"}
	conflicting := cancelledBy("TransactionConflict", "None")
	taken := cancelledBy("None", "None", "ConditionalCheckFailed")
	unreadable := Item{
		"Hash": str("v0:"), "Made": &sL{Value: []types.AttributeValue{&sM{Value: Item{}}, &sM{Value: Item{}}}},
		"Stars": str("many"),
	}
	for name, test := range map[string]struct {
		answer error
		key    []Part
		stored Item
		kind   error
		cause  string
	}{
		"lost for good":                 {io.ErrUnexpectedEOF, nil, nil, ErrOutcomeUnknown, "unexpected EOF"},
		"lost for good, under a key":    {io.ErrUnexpectedEOF, []Part{IdempotencyKey("k")}, nil, ErrOutcomeUnknown, "unexpected EOF"},
		"throttled":                     {throttle, nil, nil, ErrThrottled, "ProvisionedThroughputExceededException"},
		"rejected":                      {denied, nil, nil, ErrRejected, "AccessDeniedException"},
		"a conflict":                    {conflicting, nil, nil, ErrContention, "TransactionCanceledException"},
		"the record expired meanwhile":  {taken, []Part{IdempotencyKey("k")}, nil, ErrContention, "the idempotency key was already used"},
		"the result cannot be read":     {taken, []Part{IdempotencyKey("k")}, unreadable, ErrCommitted, "the result could not be read back: Shop.Put: "},
		"a cancellation without reason": {cancelledBy("None", "None"), nil, nil, ErrRejected, "TransactionCanceledException"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := Open(&script{answers: []error{test.answer}, stored: test.stored}, &Options{Retry: Retry{Attempts: 2}})
				err := db.Write(t.Context(), append(pair(db), test.key...)...)
				var told *Error
				require.ErrorAs(t, err, &told)
				assert.Equal(t, Error{Op: "Shop.Put + Shop.Put", Entity: "write", Kind: test.kind, Err: told.Err}, *told)
				assert.ErrorContains(t, err, test.cause)
				if test.answer != taken {
					assert.ErrorIs(t, err, test.answer)
				}
			})
		})
	}
}

// What is overtaken until the budget is spent, and a condition that does not hold without a reason, name the write as well.
func TestErrorsOfOneOperation(t *testing.T) {
	t.Parallel()
	for reason, want := range map[error]string{
		ErrOvertaken: "buy: write: conflicts with other writes: overtaken by another write",
		nil:          "Nights a/2026-07-10: " + errNoReason.Error(),
	} {
		synctest.Test(t, func(t *testing.T) {
			db := Open(&staged{answer: func(int) error { return cancelledBy("ConditionalCheckFailed") }}, &Options{Retry: Retry{Attempts: 2}})
			p := purchase{name: "buy", turn: "a", refusal: reason}
			op := p.op()
			if reason == nil {
				op.spec.Contest = nil
			}
			assert.EqualError(t, db.Write(t.Context(), op), want)
		})
	}
}

// counting is a script that counts its reads, and answers them by a function.
type counting struct {
	script
	reads int
	read  func(ctx context.Context, n int) (Item, error)
}

func (c *counting) GetItem(ctx context.Context, _ *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c.reads++
	item, err := c.read(ctx, c.reads)
	return &dynamodb.GetItemOutput{Item: item}, err
}

// A record that is not this write's, or that nobody can make sense of, is told by its key.
func TestErrorsNameTheKey(t *testing.T) {
	t.Parallel()
	list := func(made ...types.AttributeValue) types.AttributeValue { return &sL{Value: made} }
	one := &sM{Value: Item{}}
	for name, test := range map[string]struct {
		record Item
		kind   error
	}{
		"another input":       {Item{"Hash": str("v2:another"), "Made": list(one, one)}, ErrIdempotencyMismatch},
		"fewer results":       {Item{"Hash": str("v0:"), "Made": list(one)}, ErrCorrupt},
		"more results":        {Item{"Hash": str("v0:"), "Made": list(one, one, one)}, ErrCorrupt},
		"no results, no hash": {Item{"PK": str("IDEMPOTENCY#k")}, ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			db := Open(&script{answers: []error{cancelledBy("None", "None", "ConditionalCheckFailed")}, stored: test.record}, nil)
			err := db.Write(t.Context(), append(pair(db), IdempotencyKey("k"))...)
			var told *Error
			require.ErrorAs(t, err, &told)
			assert.Equal(t, Error{Op: "Shop.Put + Shop.Put", Entity: "IdempotencyKey", ID: "IDEMPOTENCY#k", Kind: test.kind}, *told)
		})
	}
	assert.Equal(t, []map[string]string{{}, {"PK": "p"}}, madeOf(RowOf(Item{"Made": list(str("none"), &sM{Value: Item{"PK": str("p")}})})))
	assert.Nil(t, madeOf(RowOf(Item{})))
}

// What is not known is told with the reasons for it: why the answer is missing, and why reading does not help. Neither can
// be taken for a refusal.
func TestWhatIsNotKnownSaysWhy(t *testing.T) {
	t.Parallel()
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "not for you"}
	throttle := &types.ProvisionedThroughputExceededException{}
	lost := io.ErrUnexpectedEOF
	refusal := cancelledBy("ConditionalCheckFailed", "None")
	key := IdempotencyKey("k")
	for name, test := range map[string]struct {
		answers []error
		key     []Part
		read    error
		wants   []string
	}{
		"lost":                          {[]error{lost}, nil, denied, []string{"unexpected EOF", "not for you"}},
		"lost, under a key":             {[]error{lost}, []Part{key}, denied, []string{"unexpected EOF", "not for you"}},
		"refused, under a key":          {[]error{refusal}, []Part{key}, denied, []string{"already exists", "not for you"}},
		"rejected, and no time to read": {[]error{denied}, []Part{key}, throttle, []string{"not for you", "Throughput"}},
		"lost, and then refused":        {[]error{lost, refusal}, nil, denied, []string{"already exists", "not for you"}},
		"lost three times": {
			[]error{lost, errors.New("reset"), errors.New("timeout")}, nil, denied, []string{"unexpected EOF", "reset", "timeout", "not for you"},
		},
		"lost, and then no more is told": {[]error{lost, throttle}, nil, denied, []string{"unexpected EOF", "not for you"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &counting{script: script{answers: test.answers}, read: func(context.Context, int) (Item, error) { return nil, test.read }}
				db := Open(client, &Options{Retry: Retry{Attempts: 3}})
				table := shops{db}
				err := db.Write(t.Context(), append(test.key, table.CreateOp(&shop{ID: "1"}), table.PutOp(&shop{ID: "2"}))...)
				assert.ErrorIs(t, err, ErrOutcomeUnknown)
				for _, want := range test.wants {
					assert.ErrorContains(t, err, want)
				}
				for _, kind := range []error{ErrAlreadyExists, ErrRejected, ErrThrottled, ErrContention} {
					assert.NotErrorIs(t, err, kind)
				}
			})
		})
	}
}

// A refusal is passed on without reading where it is certain.
func TestCertainRefusalReadsNothing(t *testing.T) {
	t.Parallel()
	client := &counting{script: script{answers: []error{cancelledBy("ConditionalCheckFailed", "None")}}}
	db := Open(client, nil)
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
				client := &counting{script: script{answers: []error{io.ErrUnexpectedEOF}}, read: func(_ context.Context, n int) (Item, error) {
					switch n {
					case 1:
						return read, nil
					case 2:
						return test.record, nil
					}
					return overwritten, errors.New("no answer")
				}}
				db := Open(client, &Options{Retry: Retry{Attempts: 2}})
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
		client := &staged{answer: func(n int) error {
			if n == 1 {
				return io.ErrUnexpectedEOF
			}
			return cancelledBy("ConditionalCheckFailed")
		}}
		refused := errors.New("refused")
		p := purchase{name: "p", turn: "a", refusal: refused} // its put leaves no id
		err := Open(client, nil).Write(t.Context(), p.op())
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
			db := Open(&script{answers: []error{answer}}, &Options{Observer: func(_ context.Context, c Call) { cancel() }})
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
		db := Open(client, &Options{Retry: Retry{Base: time.Hour, Cap: time.Hour}})
		err := db.Write(ending{t.Context(), time.Now()}, pair(db)...)
		assert.ErrorIs(t, err, ErrOutcomeUnknown)
		assert.Len(t, client.times, 2)
	})
}
