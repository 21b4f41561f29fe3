package dynastay_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// Bookings of different nights that all change the same counter: none gives up.
func TestConflictsOfOtherOperationsQueue(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const callers = 48
	db := dyntest.New(t, outboxTables, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, callers)
	_, err := entity.NewTable(db.Direct, messageEntity).Create(ctx, &message{ID: "counter"})
	require.NoError(t, err)
	db.Faults.Conflicts(2 * time.Millisecond)
	repo, box := bookings.New(db.DB, nil), entity.NewTable(db.DB, messageEntity)
	var wg sync.WaitGroup
	for n := range callers {
		checkIn := fixture.Stay.CheckIn.AddDays(n % 12)
		quote := hotel.Quote(t, db.Direct, dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(1)}, 1)
		wg.Go(func() {
			err := db.Write(ctx, repo.CreateOp(fixture.Request(quote)), box.UpdateOp(keyOf("counter"), increment))
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	got, err := entity.NewTable(db.Direct, messageEntity).Get(ctx, keyOf("counter"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, callers, got.Sent)
}

// A write that was overtaken once queues for the item from then on.
func TestOvertakenUpdateQueues(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			_, err := outbox.Update(ctx, keyOf("m"), increment)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 64, got.Sent)
	assert.Less(t, db.Faults.Count("UpdateItem"), 3*64, "it would be some 260 without turns")
}
