package bookings_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
)

// atOnce runs n calls at the same time.
func atOnce(n int, call func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			call(i)
		})
	}
	close(start)
	wg.Wait()
}

// Of many callers that create a code, in two processes and in two spellings, one succeeds, and its code is stored.
func TestRaceForAPromoCode(t *testing.T) {
	t.Parallel()
	const callers = 64
	db, repo := openPromos(t)
	repos := []*bookings.Repository{repo, bookings.New(db.Open(&dynastay.Options{Clock: fixture.Clock}), nil)}
	var won, refused atomic.Int64
	atOnce(callers, func(i int) {
		p := bookings.PromoCode{Code: []string{"RACE", "race"}[i%2], Percent: bookings.Percent(i + 1), Active: true}
		made, err := repos[i/2%2].CreatePromoCode(context.Background(), p)
		switch {
		case err == nil:
			assert.Equal(t, p.Percent, made.Percent)
			assert.Zero(t, won.Swap(int64(p.Percent)))
		case errors.Is(err, dynastay.ErrAlreadyExists):
			refused.Add(1)
		default:
			assert.NoError(t, err)
		}
	})
	assert.EqualValues(t, callers-1, refused.Load())
	got, err := repo.PromoCode(t.Context(), "RACE", dynastay.Consistent)
	require.NoError(t, err)
	assert.EqualValues(t, won.Load(), got.Percent)
}

// useOp counts one use of a code, as a delta.
func useOp() *dynastay.Operation[struct{}] {
	one := dynastay.Prepare(expression.NewBuilder().
		WithUpdate(expression.Add(dynastay.NameOf("UsageCount"), expression.Value(dynastay.Number(1)))).
		WithCondition(expression.AttributeExists(dynastay.NameOf("Code"))))
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: "use", Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
		tx.Update(keys.MetadataTable, dynastay.Key{PK: "PROMO#SUMMER2024", SK: "METADATA"}, one.With(nil))
		return struct{}{}, nil
	}})
}

// Uses are counted while a code is switched, and none is lost. A use that is counted between the read and the update
// does not overtake the update, even for an item that other software wrote, without a write id.
func TestUsesDoNotDelayDeactivation(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable), dyntest.At(fixture.Now))
	counted := 0
	repo := bookings.New(db.Open(&dynastay.Options{Clock: fixture.Clock, Observer: func(_ context.Context, c dynastay.Call) {
		if c.Operation == "GetItem" {
			counted++
			assert.NoError(t, db.Direct.Write(context.Background(), useOp()))
		}
	}}), nil)
	put(t, db, "Metadata", testdata(t, "promo_code.json"))
	for i, to := range []func(context.Context, string, ...dynastay.WriteOption) (*bookings.PromoCode, error){
		repo.DeactivatePromoCode, repo.ActivatePromoCode, repo.DeactivatePromoCode,
	} {
		sent := operations(db, func() {
			got, err := to(ctx, "SUMMER2024")
			require.NoError(t, err)
			assert.Equal(t, i+1, got.Version)
		})
		assert.Equal(t, []string{"GetItem", "UpdateItem"}, sent)
	}
	assert.Equal(t, 3, counted, "one use after each read")
	got, err := bookings.New(db.Direct, nil).PromoCode(ctx, "SUMMER2024", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 237, got.UsageCount)
	assert.False(t, got.Active)
	assert.Equal(t, 3, got.Version)
}

// Many uses and switches at once, with the conflicts that DynamoDB has: each is carried out once.
func TestRaceOfUsesAndSwitches(t *testing.T) {
	t.Parallel()
	const callers = 64
	db, _ := openPromos(t)
	own := db.Open(&dynastay.Options{Clock: fixture.Clock, Retry: dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}})
	repo := bookings.New(own, nil)
	made, err := repo.CreatePromoCode(t.Context(), summer())
	require.NoError(t, err)
	db.Faults.Conflicts(time.Millisecond)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.1})
	var last atomic.Int64
	atOnce(callers, func(i int) {
		ctx := context.Background()
		switch i % 8 {
		case 0:
			p, err := repo.DeactivatePromoCode(ctx, "SUMMER2024")
			assert.NoError(t, err)
			assert.False(t, p.Active)
			highest(&last, p.Version)
		case 4:
			p, err := repo.ActivatePromoCode(ctx, "summer2024")
			assert.NoError(t, err)
			assert.True(t, p.Active)
			highest(&last, p.Version)
		default:
			assert.NoError(t, own.Write(ctx, useOp()))
		}
	})
	got, err := repo.PromoCode(t.Context(), "SUMMER2024", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, callers*6/8, got.UsageCount)
	assert.EqualValues(t, last.Load(), got.Version)
	made.UsageCount, made.Version, made.Active = got.UsageCount, got.Version, got.Version%2 == 1
	assert.Equal(t, made, got, "the switches alternate, beginning with the first deactivation")
}

// highest sets n to v if v is greater.
func highest(n *atomic.Int64, v int) {
	for {
		old := n.Load()
		if old >= int64(v) || n.CompareAndSwap(old, int64(v)) {
			return
		}
	}
}

// A write whose response or request is lost, or which is throttled, is carried out once. Only a creation without an
// idempotency key is not sent again if its request is lost.
func TestPromoCodeFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]dyntest.Fault{
		"lost answer": dyntest.LoseAnswer(), "lost request": dyntest.LoseRequest(), "throttled": dyntest.Throttle(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, repo := openPromos(t)
			db.Faults.Inject(fault, dyntest.When{Operation: "PutItem", Nth: 1})
			made, err := repo.CreatePromoCode(ctx, summer())
			if name == "lost request" {
				require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown, "that no item exists does not show that none was written")
				made, err = repo.CreatePromoCode(ctx, summer())
			}
			require.NoError(t, err)
			db.Faults.Inject(fault, dyntest.When{Operation: "UpdateItem", Nth: 1})
			off, err := repo.DeactivatePromoCode(ctx, "SUMMER2024")
			require.NoError(t, err)
			made.Active, made.Version = false, 2
			assert.Equal(t, made, off)
			db.Faults.Inject(fault, dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			on, err := repo.ActivatePromoCode(ctx, "SUMMER2024", dynastay.IdempotencyKey("k"))
			require.NoError(t, err)
			made.Active, made.Version = true, 3
			assert.Equal(t, made, on)
			got, err := repo.PromoCode(ctx, "SUMMER2024", dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, made, got)
		})
	}
}

// A different process retries a creation whose response never arrived.
func TestRetryOfAPromoCode(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := openPromos(t)
	once := bookings.New(onceOnly(db), nil)
	key := dynastay.IdempotencyKey("request-1")
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "GetItem", Nth: 1, Times: 2})
	_, err := once.CreatePromoCode(ctx, summer(), key)
	require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	_, err = repo.CreatePromoCode(ctx, summer())
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists, "it was committed")
	made, err := repo.CreatePromoCode(ctx, summer(), key)
	require.NoError(t, err)
	assert.Equal(t, 1, made.Version)
}
