package dynastay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// While one caller determines the outcome of its booking, the next one gets its turn at the nights.
func TestSettlingHoldsNoGate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 1}})
	hotel := fixture.New(t, db.Direct, 5)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	repo := bookings.New(db.DB, nil)
	for name, opts := range map[string][]dynastay.WriteOption{"no key": nil, "a key": {dynastay.IdempotencyKey("k")}} {
		db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		before(db, "GetItem", 1, func(context.Context) {
			_, err := repo.Create(ctx, request) // would wait here forever if the gates were still held
			assert.NoError(t, err)
		})
		_, err := repo.Create(ctx, request, opts...)
		require.NoError(t, err, name)
	}
}

// While one caller reads the record of its key, the next one gets its turn as well.
func TestRefusalHoldsNoGate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.Direct, 1)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	repo := bookings.New(db.DB, nil)
	_, err := repo.Create(ctx, request)
	require.NoError(t, err)
	var refused *bookings.Refused
	before(db, "GetItem", 1, func(context.Context) {
		_, err := repo.Create(ctx, request) // would wait here forever if the gates were still held
		assert.ErrorAs(t, err, &refused)
	})
	_, err = repo.Create(ctx, request, dynastay.IdempotencyKey("k"))
	assert.ErrorAs(t, err, &refused)
}
