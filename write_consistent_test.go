package dynastay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/wire"
)

// Every read on which a decision is based is consistent. Local engines always read consistently, so the test checks the
// request.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.Direct, 1)
	repo := bookings.New(db.DB, nil)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	key := dynastay.IdempotencyKey("k")
	made, err := repo.Create(ctx, request, key)
	require.NoError(t, err)
	_, err = outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	lose := func(operation string) {
		db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: operation, Nth: 1, EveryAttempt: true})
	}
	short := db.Open(brief)
	for name, test := range map[string]struct {
		reads int
		call  func() error
	}{
		"before an update": {1, func() error { _, err := outbox.Update(ctx, keyOf("m"), increment); return err }},
		"after a lost answer to an update": {2, func() error {
			lose("UpdateItem")
			_, err := outbox.Update(ctx, keyOf("m"), increment)
			return err
		}},
		"after a lost answer to a transaction": {1, func() error {
			lose("TransactWriteItems")
			box := entity.NewTable(short, messageEntity)
			return short.Write(ctx, box.PutOp(&message{ID: "x"}), box.PutOp(&message{ID: "y"}))
		}},
		"after a lost answer under a key": {2, func() error { // the record, and the result
			lose("TransactWriteItems")
			_, err := entity.NewTable(short, messageEntity).Create(ctx, &message{ID: "z"}, dynastay.IdempotencyKey("z"))
			return err
		}},
		"after a refusal behind a lost answer": {1, func() error {
			db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			err := db.Write(ctx, outbox.CreateOp(&message{ID: "m"}), outbox.PutOp(&message{ID: "n"}))
			assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			return nil
		}},
		"an update and its repetition": {3, func() error { // before it, before the repetition, and the result
			for range 2 {
				op := outbox.UpdateOp(keyOf("m"), func(m *message) error { m.Text = "u"; return nil }, dynastay.AgreedOn("u"))
				if err := db.Write(ctx, op, dynastay.IdempotencyKey("u")); err != nil {
					return err
				}
			}
			return nil
		}},
		"what a key made":      {1, func() error { _, err := db.MadeBy(ctx, key); return err }},
		"the booking of a key": {2, func() error { _, err := repo.MadeBy(ctx, key); return err }},
		"a replay":             {1, func() error { _, err := repo.Create(ctx, request, key); return err }},
		"the record after a refusal, and the nights": {2, func() error {
			_, err := repo.Create(ctx, request, dynastay.IdempotencyKey("other"))
			var refused *bookings.Refused
			assert.ErrorAs(t, err, &refused)
			return nil
		}},
	} {
		stop := db.Faults.Record()
		require.NoError(t, test.call(), name)
		assert.Equal(t, test.reads, wire.Consistent(t, stop(), name), name)
	}
	stop := db.Faults.Record()
	_, err = repo.Cancel(ctx, made.ID, "", nil)
	require.NoError(t, err)
	assert.Contains(t, string(stop()[0].Body), `"ConsistentRead":true`, "a cancellation")
}
