package dynastay_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

func TestWriteRefusesBeforeSending(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	stop := db.Faults.Record()

	err := db.Write(ctx, outbox.PutOp(&message{ID: "m"}), outbox.CreateOp(&message{ID: "m"}))
	invalid := blame.As[*dynastay.InvalidError](t, err)
	assert.Equal(t, "Message.Put (Operations[0]) and Message.Create (Operations[1]) both write item m, and a transaction can write an item only once", invalid.Reason)

	var many []dynastay.Part
	for i := range 101 {
		many = append(many, outbox.PutOp(&message{ID: fmt.Sprint(i)}))
	}
	invalid = blame.Invalid(t, db.Write(ctx, many...), "Operations")
	assert.Contains(t, invalid.Reason, "at most 100 actions")

	require.ErrorAs(t, db.Write(ctx, outbox.PutOp(&message{ID: "john@example.com", Text: string(make([]byte, 400<<10))})), &invalid)
	assert.Contains(t, invalid.Reason, "item *** must be at most")

	large := string(make([]byte, 300<<10))
	many = nil
	for i := range 14 {
		many = append(many, outbox.PutOp(&message{ID: fmt.Sprint(i), Text: large}))
	}
	require.ErrorAs(t, db.Write(ctx, many...), &invalid)
	assert.Contains(t, invalid.Reason, "bytes in total")

	// The field is the same alone and composed; the operation's place is beside it.
	alone := db.Write(ctx, outbox.PutOp(&message{}))
	assert.EqualError(t, alone, "Message.Put: invalid ID: is required")
	composed := db.Write(ctx, outbox.PutOp(&message{ID: "m"}), outbox.PutOp(&message{}))
	assert.EqualError(t, composed, "Message.Put: Operations[1]: invalid ID: is required")
	for _, err := range []error{alone, composed} {
		blame.Invalid(t, err, "ID")
	}
	placed := blame.As[*dynastay.Error](t, composed)
	assert.Equal(t, "Operations[1]", placed.Entity)
	blame.Invalid(t, db.Write(ctx, outbox.PutOp(&message{ID: "m"}), dynastay.IdempotencyKey("a"), dynastay.IdempotencyKey("b")), "IdempotencyKey")
	for field, read := range map[string]func() error{
		"Key.PK": func() error { _, err := outbox.Get(ctx, dynastay.Key{}, dynastay.Consistent); return err },
		"Consistent": func() error {
			_, err := dynastay.QueryAll(ctx, db.DB, keys.BookingsTable, dynastay.Query{
				Index: keys.UserBookingsIndex, Partition: "USER#1", Consistent: true,
			})
			return err
		},
		"Partition": func() error { _, err := outbox.List(dynastay.Query{}).Page(ctx, dynastay.Paging{}); return err },
		"Index": func() error {
			_, err := outbox.List(dynastay.Query{Index: strings.Repeat("i", 1000), Partition: "p"}).Page(ctx, dynastay.Paging{})
			return err
		},
	} {
		require.ErrorAs(t, read(), &invalid, field)
		assert.Equal(t, field, invalid.Field)
		assert.Less(t, len(invalid.Error()), 150, field)
	}
	assert.Empty(t, stop())
}

// A nil pointer to an operation is a Part that is not nil.
func TestWriteRefusesNil(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	var none *dynastay.Operation[*message]
	stop := db.Faults.Record()
	for _, part := range []dynastay.Part{nil, none} {
		for i, parts := range [][]dynastay.Part{
			{part, outbox.CreateOp(&message{ID: "m"})},
			{outbox.CreateOp(&message{ID: "m"}), part, dynastay.IdempotencyKey("k")},
		} {
			invalid := blame.As[*dynastay.InvalidError](t, db.Write(t.Context(), parts...))
			assert.Equal(t, dynastay.InvalidError{Field: fmt.Sprintf("Operations[%d]", i), Reason: "is nil"}, *invalid)
		}
	}
	_, err := dynastay.Do(t.Context(), db.DB, none)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.Empty(t, stop())
}

// A write of nothing is refused or sends no write, and nil is not an operation.
func TestWriteOfNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "a"})
	require.NoError(t, err)
	stop := db.Faults.Record()
	for text, parts := range map[string][]dynastay.Part{
		"invalid Operations: must not be empty": {dynastay.IdempotencyKey("k")},
		"invalid Operations[1]: is nil":         {outbox.PutOp(&message{ID: "n"}), nil},
	} {
		err := db.Write(ctx, parts...)
		require.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.EqualError(t, err, text)
	}
	assert.Empty(t, stop())

	stop = db.Faults.Record()
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "a"; return nil })
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "a", Version: 1}, got)
	sent := stop()
	require.Len(t, sent, 1)
	assert.Equal(t, "GetItem", sent[0].Operation)
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
	blame.Invalid(t, err, "Sent")

	// A delta between the read and the write neither interferes nor is lost, with or without a write id.
	add := dynastay.MustCompile(expression.NewBuilder().WithUpdate(expression.Add(expression.Name("sent"), expression.Value(1)))).With(nil)
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
