package dynastay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// A read that fails for good has the kind by which a caller decides, also if its response was lost.
func TestKindsOfReads(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 2}})
	reads := map[string]func(context.Context) error{
		"GetItem": func(ctx context.Context) error {
			_, err := outbox.Get(ctx, keyOf("m"))
			return err
		},
		"Query": func(ctx context.Context) error {
			_, err := dynastay.QueryAll(ctx, db.DB, outboxTable, dynastay.Query{Partition: keyOf("m").PK})
			return err
		},
		"BatchGetItem": func(ctx context.Context) error {
			_, err := db.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("m")})
			return err
		},
	}
	faults := []struct {
		fault dyntest.Fault
		kind  error
	}{
		{dyntest.Throttle(), dynastay.ErrThrottled},
		{dyntest.Fail("AccessDeniedException"), dynastay.ErrRejected},
		{dyntest.Fail("InternalServerError"), dynastay.ErrUnavailable},
		{dyntest.LoseAnswer(), dynastay.ErrUnavailable},
	}
	for operation, read := range reads {
		for _, f := range faults {
			broken := db.Faults.Inject(f.fault, dyntest.When{Operation: operation})
			var failure *dynastay.Error
			require.ErrorAs(t, read(t.Context()), &failure, operation)
			assert.Equal(t, f.kind, failure.Kind, operation)
			broken.Stop()
		}
		ctx, cancel := context.WithCancel(t.Context())
		stopped := db.Faults.Inject(dyntest.Before(func(context.Context) { cancel() }), dyntest.When{Operation: operation, Nth: 1})
		err := read(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.NotErrorIs(t, err, dynastay.ErrUnavailable)
		stopped.Stop()
	}
}
