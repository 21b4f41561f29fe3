package dynastay_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

func TestWriteComposes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.DB, 1)
	repo := bookings.New(db.DB, nil)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))

	before := db.Faults.Count("TransactWriteItems")
	made, note := repo.CreateOp(req), outbox.PutOp(&message{ID: "m1", Text: "booked"})
	require.NoError(t, db.Write(ctx, dynastay.IdempotencyKey("r1"), made, note))
	assert.Equal(t, before+1, db.Faults.Count("TransactWriteItems"), "one transaction")
	got, err := outbox.Get(ctx, keyOf("m1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "booked", got.Text)

	again, noteAgain := repo.CreateOp(req), outbox.PutOp(&message{ID: "m1", Text: "booked"})
	require.NoError(t, db.Write(ctx, dynastay.IdempotencyKey("r1"), again, noteAgain))
	assert.Equal(t, made.Result(), again.Result(), "the key covers the whole write, and every operation has its result back")
	assert.Equal(t, "booked", noteAgain.Result().Text)

	err = db.Write(ctx, repo.CreateOp(req), outbox.PutOp(&message{ID: "m2", Text: "booked"}))
	blame.As[*bookings.Refused](t, err)
	_, err = outbox.Get(ctx, keyOf("m2"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "all or nothing")
}

// An operation behind another one knows what that makes, each time that they are prepared.
func TestLaterOperationsKnowTheResult(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	tries := 0
	made := dynastay.NewOp(dynastay.OpSpec[string]{
		Name: "test.Draw",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (string, error) {
			tries++
			id := fmt.Sprint("m", tries)
			item := outboxTable.Key.Of(keyOf(id))
			tx.Put(outboxTable, item).If(dynastay.IfNew(outboxTable), func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return id, nil
		},
	})
	_, err := outbox.Create(ctx, &message{ID: "m1"}) // so that the first id is taken
	require.NoError(t, err)
	note := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Note",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			item := outboxTable.Key.Of(keyOf("note"))
			item["text"] = dynastay.Text("about " + made.Result())
			tx.Put(outboxTable, item)
			return struct{}{}, nil
		},
	})
	require.NoError(t, db.Write(ctx, made, note))
	got, err := outbox.Get(ctx, keyOf("note"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "about m2", got.Text)
}

func TestWriteRetries(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	throttle := &types.ProvisionedThroughputExceededException{}
	for name, test := range map[string]struct {
		errs []error
		sent int
		want error
		kind error
	}{
		"throttled":                    {errs: []error{throttle, throttle}, sent: 3},
		"throttled in the transaction": {errs: []error{cancelled("None", "ThrottlingError")}, sent: 2},
		"conflict":                     {errs: []error{cancelled("TransactionConflict", "None")}, sent: 2},
		"in progress":                  {errs: []error{&types.TransactionInProgressException{}}, sent: 2},
		"throttled for good":           {errs: []error{throttle, throttle, throttle, throttle, throttle}, sent: 5, want: dynastay.ErrThrottled},
		"refused as such":              {errs: []error{&smithy.GenericAPIError{Code: "ValidationException"}}, sent: 1, want: errAny},
		"item too large":               {errs: []error{cancelled("ValidationError", "None")}, sent: 1, want: errAny},
	} {
		t.Run(name, func(t *testing.T) {
			client := &faulty{errs: test.errs}
			mine := dynastay.Open(fake.Client{Next: db.Client, Do: client.do}, &dynastay.Options{
				TablePrefix: prefix(db), Retry: dynastay.Retry{Attempts: 5, Base: time.Microsecond, Cap: time.Microsecond},
			})
			table := entity.NewTable(mine, messageEntity)
			err := mine.Write(ctx, table.PutOp(&message{ID: "a"}), table.PutOp(&message{ID: "b"}))
			switch test.want {
			case nil:
				assert.NoError(t, err)
			case errAny:
				assert.ErrorIs(t, err, test.errs[0])
				assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			default:
				assert.ErrorIs(t, err, test.want)
			}
			assert.Equal(t, test.sent, client.sent)
		})
	}
}

var errAny = errors.New("the engine's own error")

// A condition that does not hold outweighs a conflict on another item: waiting would not help.
func TestRefusalOutweighsConflict(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{})
	client := &faulty{errs: []error{cancelled("TransactionConflict", "ConditionalCheckFailed")}}
	mine := dynastay.Open(fake.Client{Next: db.Client, Do: client.do}, &dynastay.Options{TablePrefix: prefix(db)})
	table := entity.NewTable(mine, messageEntity)
	err := mine.Write(t.Context(), table.PutOp(&message{ID: "a"}), table.CreateOp(&message{ID: "b"}))
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	assert.Equal(t, 1, client.sent)
}

// The context ends the waiting, and the error says so beside its kind.
func TestContextEndsTheWaiting(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	client := &faulty{errs: []error{cancelled("TransactionConflict", "None")}}
	mine := dynastay.Open(fake.Client{Next: db.Client, Do: client.do}, &dynastay.Options{
		TablePrefix: prefix(db), Retry: dynastay.Retry{Base: time.Hour, Cap: time.Hour},
		Observer: dynastay.RequestObserver(func(context.Context, dynastay.Call) { cancel() }),
	})
	table := entity.NewTable(mine, messageEntity)
	err := mine.Write(ctx, table.PutOp(&message{ID: "a"}), table.PutOp(&message{ID: "b"}))
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, dynastay.ErrContention)
}
