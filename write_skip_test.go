package dynastay_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// The operations of these tests count down the message "m", which the write can do without, and put others.
var countDown = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(dynastay.NameOf("sent").GreaterThanEqual(dynastay.Param("n"))).
	WithUpdate(expression.Add(dynastay.NameOf("sent"), expression.Value(-1)).Set(dynastay.NameOf("text"), dynastay.Param("by"))))

// skipping is one of these operations. Its result is whether "m" was skipped.
type skipping struct {
	outbox  *entity.Table[message]
	without bool     // it leaves the action out itself
	put     []string // must not exist
}

func (s skipping) op() *dynastay.Operation[bool] {
	return dynastay.NewOp(dynastay.OpSpec[bool]{
		Name: "test.Skip", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (bool, error) {
			skipped := tx.Skipped(outboxTable, keyOf("m"))
			if !skipped || !s.without {
				expr := countDown.With(dynastay.Item{"n": dynastay.Number(1), "by": dynastay.Text("skip")})
				tx.Update(outboxTable, keyOf("m"), expr).Else(func(old dynastay.Row) error {
					if !old.Exists() {
						return dynastay.ErrNotFound
					}
					return dynastay.ErrSkip
				})
			}
			for _, id := range s.put {
				tx.Put(outboxTable, outboxTable.Key.Of(keyOf(id))).
					If(dynastay.IfNew(outboxTable), func(dynastay.Row) error { return dynastay.ErrAlreadyExists })
			}
			return skipped, nil
		},
		Restore: func(context.Context, map[string]string) (bool, error) { return true, nil },
	})
}

func newSkipping(t *testing.T, put ...string) (*dyntest.DB, skipping) {
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(t.Context(), &message{ID: "m"})
	require.NoError(t, err)
	return db, skipping{outbox: outbox, put: put}
}

// A refusal goes before what can be skipped, whichever operation has it and wherever it comes in the transaction.
func TestRefusalBeforeSkip(t *testing.T) {
	t.Parallel()
	db, s := newSkipping(t, "n", "o")
	_, err := s.outbox.Create(t.Context(), &message{ID: "o"})
	require.NoError(t, err)
	only := skipping{outbox: s.outbox, put: []string{"n"}}
	for name, ops := range map[string]func() []dynastay.Part{
		"in one operation": func() []dynastay.Part { return []dynastay.Part{s.op()} },
		"in the next":      func() []dynastay.Part { return []dynastay.Part{only.op(), s.outbox.CreateOp(&message{ID: "o"})} },
		"in the first":     func() []dynastay.Part { return []dynastay.Part{s.outbox.CreateOp(&message{ID: "o"}), only.op()} },
		"under a key":      func() []dynastay.Part { return []dynastay.Part{s.op(), dynastay.IdempotencyKey("k")} },
	} {
		before := db.Faults.Count("TransactWriteItems")
		assert.ErrorIs(t, db.Write(t.Context(), ops()...), dynastay.ErrAlreadyExists, name)
		assert.Equal(t, 1, db.Faults.Count("TransactWriteItems")-before, name)
		_, err := s.outbox.Get(t.Context(), keyOf("n"), dynastay.Consistent)
		assert.ErrorIs(t, err, dynastay.ErrNotFound, name)
	}
}

// What was skipped is checked again when the rest is written.
func TestSkippedIsCheckedAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		between  func(*entity.Table[message]) error // before the second transaction
		without  bool
		skipped  bool
		requests int
		sent     int
		err      error
	}{
		"nothing happens": {nil, false, true, 2, 0, nil},
		"it can be carried out by now": {func(other *entity.Table[message]) error {
			_, err := other.Update(context.Background(), keyOf("m"), func(m *message) error { m.Sent = 3; return nil })
			return err
		}, false, false, 3, 2, nil},
		"it is refused by now": {func(other *entity.Table[message]) error {
			return other.Delete(context.Background(), keyOf("m"))
		}, false, false, 3, 0, dynastay.ErrNotFound},
		"the operation leaves it out": {func(other *entity.Table[message]) error {
			_, err := other.Update(context.Background(), keyOf("m"), func(m *message) error { m.Sent = 3; return nil })
			return err
		}, true, true, 2, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, s := newSkipping(t, "n")
			s.without = test.without
			if test.between != nil {
				db.Faults.Inject(dyntest.Before(func(context.Context) {
					assert.NoError(t, test.between(entity.NewTable(db.Direct, messageEntity)))
				}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
			}
			before, op := db.Faults.Count("TransactWriteItems"), s.op()
			err := db.Write(t.Context(), op)
			assert.Equal(t, test.requests, db.Faults.Count("TransactWriteItems")-before)
			if test.err != nil {
				assert.ErrorIs(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.skipped, op.Result())
			m, err := s.outbox.Get(t.Context(), keyOf("m"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, test.sent, m.Sent)
			_, err = s.outbox.Get(t.Context(), keyOf("n"), dynastay.Consistent)
			assert.NoError(t, err)
		})
	}
}

// If nothing else is written, an action that was refused is not checked again, except with the record of a key.
func TestSkippedAlone(t *testing.T) {
	t.Parallel()
	db, s := newSkipping(t)
	before := db.Faults.Count("TransactWriteItems")
	op := s.op()
	require.NoError(t, db.Write(t.Context(), op))
	assert.True(t, op.Result())
	assert.Equal(t, 1, db.Faults.Count("TransactWriteItems")-before)
	for range 2 {
		require.NoError(t, db.Write(t.Context(), s.op(), dynastay.IdempotencyKey("k")))
	}
	assert.Equal(t, 4, db.Faults.Count("TransactWriteItems")-before, "refused, then with the check, and once more")

	_, err := s.outbox.Create(t.Context(), &message{ID: "l"})
	require.NoError(t, err)
	before = db.Faults.Count("TransactWriteItems")
	other := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Other", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			expr := countDown.With(dynastay.Item{"n": dynastay.Number(1), "by": dynastay.Text("other")})
			tx.Update(outboxTable, keyOf("l"), expr).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
			return none, nil
		},
	})
	require.NoError(t, db.Write(t.Context(), s.op(), other))
	assert.Equal(t, 2, db.Faults.Count("TransactWriteItems")-before, "two are checked together")
}

// What was refused beside another action is checked again, even if there is nothing else to write by now.
func TestSkippedAloneByNow(t *testing.T) {
	t.Parallel()
	db, _ := newSkipping(t)
	before, runs := db.Faults.Count("TransactWriteItems"), 0
	require.NoError(t, db.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Fewer", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			expr := countDown.With(dynastay.Item{"n": dynastay.Number(1), "by": dynastay.Text("fewer")})
			tx.Update(outboxTable, keyOf("m"), expr).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
			if runs++; runs == 1 {
				tx.Put(outboxTable, outboxTable.Key.Of(keyOf("n")))
			}
			return none, nil
		},
	})))
	assert.Equal(t, 2, db.Faults.Count("TransactWriteItems")-before)
}
