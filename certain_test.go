package dynastay_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/fixture"
)

// brief gives up after two requests.
var brief = &dynastay.Options{Retry: dynastay.Retry{Attempts: 2, Base: time.Millisecond}}

// before runs f once, before the nth request of the operation from now.
func before(db *dyntest.DB, operation string, nth int, f func(ctx context.Context)) {
	db.Faults.Inject(dyntest.Before(f), dyntest.When{Operation: operation, Nth: nth})
}

func increment(m *message) error {
	m.Sent++
	return nil
}

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

type lock struct {
	Name    string
	Holder  string
	WriteID dynastay.WriteID
}

var lockEntity = entity.New(entity.Spec[lock]{
	Name:   "Lock",
	Schema: outboxTable,
	Key:    func(l *lock) (dynastay.Key, error) { return keyOf(l.Name), nil },
	Codec: entity.Declare(func(f *entity.Fields, l *lock) {
		f.String("id", &l.Name)
		f.String("holder", &l.Holder)
		f.WriteID("WriteId", &l.WriteID)
	}),
})

// Only the holder of a lock can release it, however similar the locks are.
func TestIfWritten(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	locks := entity.NewTable(db.DB, lockEntity)
	first, err := locks.Create(ctx, &lock{Name: "night audit", Holder: "a"})
	require.NoError(t, err)
	assert.Len(t, first.WriteID, 16)
	read, err := locks.Get(ctx, keyOf("night audit"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, first, read, "Create and Get hand out the same id")
	require.NoError(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(first.WriteID)))

	second, err := locks.Create(ctx, &lock{Name: "night audit", Holder: "a"})
	require.NoError(t, err)
	assert.NotEqual(t, first.WriteID, second.WriteID)
	stale := dynastay.IfWritten(first.WriteID)
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("night audit"), stale), dynastay.ErrVersion)
	_, err = locks.Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "b"; return nil }, stale)
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	third, err := locks.Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "b"; return nil }, dynastay.IfWritten(second.WriteID))
	require.NoError(t, err)
	assert.NotEqual(t, second.WriteID, third.WriteID)
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(second.WriteID)), dynastay.ErrVersion)
	require.NoError(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(third.WriteID)))
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(third.WriteID)), dynastay.ErrNotFound)

	// An update that is overtaken between its read and its write.
	fourth, err := locks.Create(ctx, &lock{Name: "night audit"})
	require.NoError(t, err)
	before(db, "UpdateItem", 1, func(ctx context.Context) {
		_, err := entity.NewTable(db.Direct, lockEntity).Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "c"; return nil })
		assert.NoError(t, err)
	})
	_, err = locks.Update(ctx, keyOf("night audit"), func(l *lock) error { l.Holder = "d"; return nil }, dynastay.IfWritten(fourth.WriteID))
	assert.ErrorIs(t, err, dynastay.ErrVersion)

	for _, id := range []dynastay.WriteID{"", "x", first.WriteID + "A", "AAAAAAAAAAA="} {
		stop := db.Faults.Record()
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, locks.Delete(ctx, keyOf("night audit"), dynastay.IfWritten(id)), &invalid, "%q", id)
		assert.Equal(t, "WriteID", invalid.Field)
		_, err := locks.Update(ctx, keyOf("night audit"), func(*lock) error { return nil }, dynastay.IfWritten(id))
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.Empty(t, stop())
	}
}

// Tagged structs contain the id like any other attribute; what they write into it is ignored.
func TestWriteIDOfTaggedEntities(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	type tagged struct {
		ID      string           `dynamodbav:"id"`
		WriteID dynastay.WriteID `dynamodbav:"WriteId"`
	}
	db, _ := openOutbox(t, dynastay.Options{})
	table := entity.NewTable(db.DB, entity.New(entity.Spec[tagged]{
		Name: "Tagged", Schema: outboxTable, Codec: entity.Tagged[tagged](),
		Key: func(v *tagged) (dynastay.Key, error) { return keyOf(v.ID), nil },
	}))
	made, err := table.Put(ctx, &tagged{ID: "t"})
	require.NoError(t, err)
	again, err := table.Put(ctx, made)
	require.NoError(t, err)
	assert.NotEqual(t, made.WriteID, again.WriteID)
	got, err := table.Get(ctx, keyOf("t"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, again, got)
	text, err := json.Marshal(got)
	require.NoError(t, err)
	assert.Contains(t, string(text), string(got.WriteID), "it can go through a form")
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
		_, err := bookings.New(db.Direct, nil).Cancel(ctx, made.ID, "plans changed")
		assert.NoError(t, err)
	})
	err = mine.Write(ctx, bookings.New(mine, nil).CancelOp(made.ID, "plans changed"), outbox.CreateOp(&message{ID: "refund"}))
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

// A delta stores no id, so it is sent as a transaction, whose token makes two requests one.
func TestDeltaIsATransaction(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	made, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	add := dynastay.Prepare(expression.NewBuilder().WithUpdate(expression.Add(expression.Name("sent"), expression.Value(1)))).With(nil)
	delta := func() error {
		return db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "test.Count",
			Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
				tx.Update(outboxTable, keyOf("m"), add)
				return struct{}{}, nil
			},
		}))
	}
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	require.NoError(t, delta())
	assert.Equal(t, 2, db.Faults.Count("TransactWriteItems"))
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 1, got.Sent)
	_ = made

	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
	mine := db.Open(brief)
	err = mine.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Count",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Update(outboxTable, keyOf("m"), add)
			return struct{}{}, nil
		},
	}))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
}

// Concurrent changes to different attributes are both kept: the one that was overtaken is prepared again.
func TestTwoEditorsBothSurvive(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	before(db, "UpdateItem", 1, func(ctx context.Context) {
		_, err := entity.NewTable(db.Direct, messageEntity).Update(ctx, keyOf("m"), increment)
		assert.NoError(t, err)
	})
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "mine"; return nil })
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "mine", Sent: 1, Version: 3}, got)
	stored, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, stored, got)
}

// An update's function must not change counters, because the write would undo deltas that it did not see.
func TestUpdateLeavesCountersAlone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	counted := messageEntity.Spec
	counted.Counters = []string{"sent"}
	table := entity.NewTable(db.DB, entity.New(counted))
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	_, err = table.Update(ctx, keyOf("m"), increment)
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "Sent", invalid.Field)

	// A delta between the read and the write neither interferes nor is lost, with or without a write id.
	add := dynastay.Prepare(expression.NewBuilder().WithUpdate(expression.Add(expression.Name("sent"), expression.Value(1)))).With(nil)
	for i, id := range []string{"m", "bare"} {
		if i == 1 {
			require.NoError(t, db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
				yield(outboxTable, dynastay.Item{"id": dynastay.Text(id), "sent": dynastay.Number(0)})
			}))
		}
		runs := new(atomic.Int32)
		before(db, "UpdateItem", 1, func(ctx context.Context) {
			assert.NoError(t, db.Direct.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
				Name: "test.Count",
				Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
					tx.Update(outboxTable, keyOf(id), add)
					return struct{}{}, nil
				},
			})))
		})
		_, err = table.Update(ctx, keyOf(id), func(m *message) error { runs.Add(1); m.Text = "edited"; return nil })
		require.NoError(t, err)
		assert.EqualValues(t, 1, runs.Load())
		got, err := outbox.Get(ctx, keyOf(id), dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, &message{ID: id, Text: "edited", Sent: 1, Version: 2 - i}, got)
	}
}

// A failed condition without a reason is a programming error, never a success.
func TestNoReasonIsNoSuccess(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 2}})
	for want, spec := range map[string]dynastay.OpSpec[struct{}]{
		"must not return nil for a failed condition": {},
		"conflicts with other writes: overtaken by another write": {Contest: &dynastay.Contest{
			Items: []dynastay.Ref{dynastay.RefOf(outboxTable, keyOf("missing"))},
			Judge: func(map[dynastay.Ref]dynastay.Row) error { return nil },
		}},
	} {
		spec.Name = "test.Check"
		spec.Prepare = func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Check(outboxTable, keyOf("missing"), exists, func(dynastay.Row) error { return nil })
			return struct{}{}, nil
		}
		assert.ErrorContains(t, db.Write(ctx, dynastay.NewOp(spec)), want)
	}
}
