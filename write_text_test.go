package dynastay

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

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
				db := (&script{answers: []error{test.answer}, stored: test.stored}).open(&Options{Retry: Retry{Attempts: 2}})
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
			db := (&script{answer: func(int) error { return cancelledBy("ConditionalCheckFailed") }}).open(&Options{Retry: Retry{Attempts: 2}})
			p := purchase{name: "buy", turn: "a", refusal: reason}
			op := p.op()
			if reason == nil {
				op.spec.Contest = nil
			}
			assert.EqualError(t, db.Write(t.Context(), op), want)
		})
	}
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
			db := (&script{answers: []error{cancelledBy("None", "None", "ConditionalCheckFailed")}, stored: test.record}).open(nil)
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
				client := &script{answers: test.answers, read: func(context.Context, int) (Item, error) { return nil, test.read }}
				db := client.open(&Options{Retry: Retry{Attempts: 3}})
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

// If several operations are refused, the error is that of the first one.
func TestFirstRefusalIsTold(t *testing.T) {
	t.Parallel()
	first := &purchase{name: "first", turn: "a", judge: errSharedRefusal, refusal: errSharedRefusal}
	second := NewOp(OpSpec[struct{}]{Name: "second", Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
		tx.Put(nightsSchema, nightsSchema.Key.Of(gateRef("b").Key)).If(Expr{}, func(Row) error { return errNoRoom })
		return struct{}{}, nil
	}})
	client := &script{answer: func(int) error { return cancelledBy("ConditionalCheckFailed", "ConditionalCheckFailed") }}
	assert.Equal(t, errSharedRefusal, client.open(atOnce).Write(t.Context(), first.op(), second))
}
