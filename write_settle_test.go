package dynastay_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// Another caller makes exactly the same change while the request of the first one is lost. Values cannot distinguish
// the two.
func TestIdenticalChangesAreToldApart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opts []dynastay.UpdateOption
		want error
		sent int
	}{
		"both are done":                      {nil, nil, 2},
		"one version is for one caller only": {[]dynastay.UpdateOption{dynastay.IfVersion(1)}, dynastay.ErrVersion, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "m"})
			require.NoError(t, err)
			other := entity.NewTable(db.Direct, messageEntity)
			db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "UpdateItem", Nth: 1})
			before(db, "GetItem", 2, func(ctx context.Context) { // the first read is for the update, the second one to settle it
				_, err := other.Update(ctx, keyOf("m"), increment, test.opts...)
				assert.NoError(t, err)
			})
			_, err = outbox.Update(ctx, keyOf("m"), increment, test.opts...)
			assert.ErrorIs(t, err, test.want)
			got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, test.sent, got.Sent)
		})
	}
}

// An item that was overwritten once still shows whether the previous write was carried out.
func TestWriteIDsReachOneWriteBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault dyntest.Fault
		sent  int // by both callers; both succeed
	}{
		"the answer was lost":  {dyntest.LoseAnswer(), 11},
		"the request was lost": {dyntest.LoseRequest(), 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "m"})
			require.NoError(t, err)
			db.Faults.Inject(test.fault, dyntest.When{Operation: "UpdateItem", Nth: 1})
			before(db, "GetItem", 2, func(ctx context.Context) {
				_, err := entity.NewTable(db.Direct, messageEntity).Update(ctx, keyOf("m"), func(m *message) error {
					m.Sent += 10
					return nil
				})
				assert.NoError(t, err)
			})
			_, err = outbox.Update(ctx, keyOf("m"), increment)
			require.NoError(t, err)
			got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, test.sent, got.Sent)
		})
	}
}

// A delete is never sent again if its response is lost: it could delete what another caller has created since.
func TestDeletionIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]dynastay.UpdateOption{"any": nil, "one version": {dynastay.IfVersion(1)}} {
		for fault, lose := range map[string]dyntest.Fault{"answer": dyntest.LoseAnswer(), "request": dyntest.LoseRequest()} {
			t.Run(name+", lost "+fault, func(t *testing.T) {
				t.Parallel()
				ctx := t.Context()
				db, outbox := openOutbox(t, dynastay.Options{})
				other := entity.NewTable(db.Direct, messageEntity)
				_, err := outbox.Create(ctx, &message{ID: "m", Text: "first"})
				require.NoError(t, err)
				db.Faults.Inject(lose, dyntest.When{Operation: "DeleteItem", Nth: 1})
				before(db, "GetItem", 1, func(ctx context.Context) {
					_, err := other.Put(ctx, &message{ID: "m", Text: "another's"})
					assert.NoError(t, err)
				})
				assert.ErrorIs(t, outbox.Delete(ctx, keyOf("m"), opts...), dynastay.ErrOutcomeUnknown)
				assert.Equal(t, 1, db.Faults.Count("DeleteItem"))
				got, err := other.Get(ctx, keyOf("m"), dynastay.Consistent)
				require.NoError(t, err)
				assert.Equal(t, "another's", got.Text)
			})
		}
	}
}

// A raw delete without a condition requires only that the item does not exist.
func TestUnconditionalDeletion(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	remove := func() error {
		return db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "test.Remove",
			Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
				tx.Delete(outboxTable, keyOf("m"))
				return struct{}{}, nil
			},
		}))
	}
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "DeleteItem", Nth: 1})
	assert.NoError(t, remove())
	_, err = outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "DeleteItem", Nth: 1})
	assert.ErrorIs(t, remove(), dynastay.ErrOutcomeUnknown)
}

// A worker consumes an item before the caller that put it gets a response. The item is not put again.
func TestConsumedItemIsNotBroughtBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	worker := entity.NewTable(db.Direct, messageEntity)
	for name, put := range map[string]func(context.Context, *message, ...dynastay.WriteOption) (*message, error){
		"create": outbox.Create, "put": outbox.Put,
	} {
		db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "PutItem", Nth: 1})
		before(db, "GetItem", 1, func(ctx context.Context) { assert.NoError(t, worker.Delete(ctx, keyOf("m"))) })
		sent := db.Faults.Count("PutItem")
		_, err := put(ctx, &message{ID: "m"})
		assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown, name)
		assert.Equal(t, sent+1, db.Faults.Count("PutItem"), name)
		_, err = worker.Get(ctx, keyOf("m"), dynastay.Consistent)
		assert.ErrorIs(t, err, dynastay.ErrNotFound, name)
	}
}

// An item whose key was generated for the write proves the write, whoever has written the item since.
func TestDrawnKeyProvesTheWrite(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for drawn, want := range map[bool]error{true: nil, false: dynastay.ErrOutcomeUnknown} {
		db, _ := openOutbox(t, dynastay.Options{})
		worker := entity.NewTable(db.Direct, messageEntity)
		db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "PutItem", Nth: 1})
		before(db, "GetItem", 1, func(ctx context.Context) {
			for range 2 {
				_, err := worker.Update(ctx, keyOf("m"), increment)
				assert.NoError(t, err)
			}
		})
		assert.ErrorIs(t, db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "test.Put",
			Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
				put := tx.Put(outboxTable, outboxTable.Key.Of(keyOf("m"))).Identified()
				if drawn {
					put.Drawn()
				}
				return struct{}{}, nil
			},
		})), want)
	}
}

// The refund of a cancellation never arrives, and another caller cancels the same booking in the meantime: the combined
// write is not considered done, and no other caller is told that the cancellation was its own.
func TestCancellationIsAcknowledgedOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.Direct, 3)
	made, err := bookings.New(db.Direct, nil).Create(ctx, fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1)))
	require.NoError(t, err)
	mine := db.Open(brief)
	lost := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems"})
	before(db, "GetItem", 1, func(ctx context.Context) {
		_, err := bookings.New(db.Direct, nil).Cancel(ctx, made.ID, "plans changed", nil)
		assert.NoError(t, err)
	})
	err = mine.Write(ctx, bookings.New(mine, nil).CancelOp(made.ID, "plans changed", nil), outbox.CreateOp(&message{ID: "refund"}))
	assert.ErrorIs(t, err, dynastay.ErrContention, "it can never be carried out any more")
	assert.Equal(t, 2, lost.Hits())
	lost.Stop()
	_, err = outbox.Get(ctx, keyOf("refund"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, []int{3, 3, 3}, hotel.Left(t, db.Direct, fixture.Stay), "the rooms came back once")
}

// A transaction whose responses are all lost is proved by the write ids that it stored, even if it does not generate an
// id.
func TestTransactionIsProvedByItsWriteIDs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, what := range map[string]struct {
		fault dyntest.Fault
		want  error
	}{
		"carried out":   {dyntest.LoseAnswer(), nil},
		"never arrived": {dyntest.LoseRequest(), dynastay.ErrOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "a"})
			require.NoError(t, err)
			db.Faults.Inject(what.fault, dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
			mine := db.Open(brief)
			box := entity.NewTable(mine, messageEntity)
			err = mine.Write(ctx, box.UpdateOp(keyOf("a"), increment), box.PutOp(&message{ID: "b"}))
			assert.ErrorIs(t, err, what.want)
			got, err := outbox.Get(ctx, keyOf("a"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, what.want == nil, got.Sent == 1)
		})
	}
}

// An item that existed before does not prove that a write arrived.
func TestWitnessMustBeTheWritesOwn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.DB, 3)
	made, err := bookings.New(db.DB, nil).Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	_, err = outbox.Put(ctx, &message{ID: "there", Text: "told"})
	require.NoError(t, err)

	mine := db.Open(&dynastay.Options{Clock: fixture.Clock, Retry: brief.Retry})
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems"})
	repo, box := bookings.New(mine, nil), entity.NewTable(mine, messageEntity)
	for name, op := range map[string]dynastay.Part{
		"create": repo.CreateOp(fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))),
		"cancel": repo.CancelOp(made.ID, "", nil),
		"delete": box.DeleteOp(keyOf("missing")),
	} {
		err := mine.Write(ctx, op, box.PutOp(&message{ID: "there", Text: "told"}))
		assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown, name)
	}
}

// terse is a DynamoDB that reports only one failing action, and cannot read the idempotency records.
func terse(r *fake.Request) (any, error) {
	if in, reads := r.In.(*dynamodb.GetItemInput); reads && strings.HasSuffix(*in.TableName, "Metadata") {
		return nil, &types.ProvisionedThroughputExceededException{}
	}
	out, err := r.Send()
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		reported := false
		for i, reason := range cancelled.CancellationReasons {
			if reported {
				cancelled.CancellationReasons[i] = types.CancellationReason{}
			}
			reported = reported || *reason.Code != "None"
		}
	}
	return out, err
}

// As long as it is unknown whether this caller has the last room, it must not be told that the room is sold.
func TestRefusalIsNotCertainWithoutTheRecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.DB, 1)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	repo := bookings.New(over(db, terse, 3), nil)
	_, err := repo.Create(ctx, req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	_, err = repo.Create(ctx, req, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	var refused *bookings.Refused
	assert.False(t, errors.As(err, &refused), "%v", err)

	// A refusal because of the record needs no read.
	got, err := bookings.New(db.DB, nil).Create(ctx, req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, bookings.Confirmed, got.Status)
}

// Everything that is read after the caller's deadline shares one short budget.
func TestOneBudgetAfterTheDeadline(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{Settle: 20 * time.Millisecond})
	outbox := entity.NewTable(db.DB, messageEntity)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	db.Faults.Inject(dyntest.After(func(context.Context) { cancel() }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	reads := 0
	db.Faults.Inject(dyntest.Before(func(late context.Context) {
		reads++
		<-late.Done() // an engine that does not respond: only the budget ends this
	}), dyntest.When{Operation: "GetItem", Match: func(dyntest.Request) bool { return true }})
	_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, reads, "no second budget for a second read")
}

// The budget starts when the caller's context ends, not before.
func TestReadsWithinTheCallersTimeAreNotBounded(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{Settle: time.Nanosecond, Retry: dynastay.Retry{Attempts: 1}})
	outbox := entity.NewTable(db.DB, messageEntity)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	got, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, "m", got.ID)
}
