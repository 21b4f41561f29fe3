package dyntest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// Another process changes the property between the read and the write of an update.
func TestAnotherProcessWritesInBetween(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	between := h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := properties.New(h.Direct, nil).Update(ctx, h.ID, func(p *properties.Property) error {
			p.Name, p.FeaturedScore = "Other", 10
			return nil
		})
		require.NoError(t, err)
	}), dyntest.When{Operation: "UpdateItem", Table: "Properties", Nth: 1})
	got, err := properties.New(h.DB.DB, nil).Update(t.Context(), h.ID, score)
	require.NoError(t, err)
	assert.Equal(t, 11, got.FeaturedScore, "the function ran again on what the other process wrote")
	assert.Equal(t, "Other", got.Name)
	assert.Equal(t, got, h.property(t))
	assert.Equal(t, 1, between.Hits())
}

// Another process takes the last rooms between the quote and the booking.
func TestAnotherProcessIsFaster(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	mine, other := h.ask(t, "ada"), fixture.Request(h.Quote(t, h.Direct, fixture.Stay, 10))
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := bookings.New(h.Direct, nil).Create(ctx, other)
		require.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err := bookings.New(h.DB.DB, nil).Create(t.Context(), mine)
	refused := blame.As[*bookings.Refused](t, err)
	assert.True(t, refused.Has(availability.SoldOut))
	assert.Empty(t, h.bookedBy(t, "ada"))
	assert.Equal(t, []int{0, 0, 0}, h.Left(t, h.Direct, fixture.Stay))
}

// The caller's context ends right after the commit: the booking is made, and the caller learns that.
func TestTheCallerLeavesAfterTheCommit(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	ctx, cancel := context.WithCancel(t.Context())
	after := h.Faults.Inject(dyntest.After(func(context.Context) { cancel() }),
		dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	made, err := bookings.New(h.DB.DB, nil).Create(ctx, h.ask(t, "ada"))
	require.NoError(t, err)
	assert.ErrorIs(t, ctx.Err(), context.Canceled)
	assert.Equal(t, 1, after.Hits())
	h.assertSold(t, 1, "ada")
	assert.Equal(t, h.bookedBy(t, "ada")[0].ID, made.ID)
}

// givesUp ends its context once the fault has happened.
func givesUp(t *testing.T, i *dyntest.Injection) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		select {
		case <-i.Happened():
		case <-t.Context().Done():
		}
	}()
	return ctx
}

// The caller gives up while the request, or its answer, is in flight.
func TestTheCallerGivesUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		what dyntest.Fault
		sold int
	}{
		"request": {dyntest.Delay(time.Hour), 0}, "answer": {dyntest.DelayAnswer(time.Hour), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHouse(t)
			slow := h.Faults.Inject(test.what, dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			_, err := bookings.New(h.DB.DB, nil).Create(givesUp(t, slow), h.ask(t, "ada"))
			if test.sold == 0 {
				assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
				assert.ErrorIs(t, err, context.Canceled)
			} else {
				assert.NoError(t, err, "it is still read")
			}
			assert.Equal(t, 1, slow.Hits())
			h.assertSold(t, test.sold, "ada")
		})
	}
}
