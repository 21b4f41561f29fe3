package dynastay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
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
		fault     dyntest.Fault
		kind      error
		asItEnded error // the kind if the context ends as the response arrives
	}{
		{dyntest.Throttle(), dynastay.ErrThrottled, dynastay.ErrThrottled},
		{dyntest.Fail("AccessDeniedException"), dynastay.ErrRejected, dynastay.ErrRejected},
		{dyntest.Fail("InternalServerError"), dynastay.ErrUnavailable, dynastay.ErrUnavailable},
		{dyntest.LoseAnswer(), dynastay.ErrUnavailable, nil},
	}
	for operation, read := range reads {
		for _, f := range faults {
			broken := db.Faults.Inject(f.fault, dyntest.When{Operation: operation})
			failure := blame.As[*dynastay.Error](t, read(t.Context()), operation)
			assert.Equal(t, f.kind, failure.Kind, operation)
			broken.Stop()

			ctx, cancel := context.WithCancel(t.Context())
			broken = db.Faults.Inject(f.fault, dyntest.When{
				Operation: operation, Match: func(dyntest.Request) bool { cancel(); return true },
				Optional: f.asItEnded == nil, // there is no response by then
			})
			err := read(ctx)
			require.ErrorAs(t, err, &failure, operation)
			assert.Equal(t, f.asItEnded, failure.Kind, "%s: %v", operation, f.fault)
			assert.ErrorIs(t, err, context.Canceled, "%s: %v", operation, f.fault)
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

// A batch that was throttled before its context ended says so, whichever request came last.
func TestThrottledBatchAsTheContextEnds(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 3, Base: 1, Cap: 1}})
	for _, what := range []dyntest.Fault{dyntest.Throttle(), dyntest.Unprocessed(1)} {
		first := db.Faults.Inject(what, dyntest.When{Operation: "BatchGetItem", Nth: 1})
		ctx, cancel := context.WithCancel(t.Context())
		second := db.Faults.Inject(dyntest.Before(func(context.Context) { cancel() }), dyntest.When{Operation: "BatchGetItem", Nth: 2})
		_, err := db.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("m"), keyOf("n")})
		assert.ErrorIs(t, err, dynastay.ErrThrottled)
		assert.ErrorIs(t, err, context.Canceled)
		assert.NotErrorIs(t, err, dynastay.ErrUnavailable)
		first.Stop()
		second.Stop()
	}
}

// An update that cannot be prepared, because its read was throttled until the context ended, says both.
func TestUpdateThrottledAsTheContextEnds(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	db.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "GetItem", Match: func(dyntest.Request) bool { cancel(); return true }})
	_, err := outbox.Update(ctx, keyOf("m"), func(*message) error { return nil })
	assert.ErrorIs(t, err, dynastay.ErrThrottled)
	assert.ErrorIs(t, err, context.Canceled)
}
