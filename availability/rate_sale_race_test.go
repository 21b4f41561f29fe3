package availability_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// The stop-sell of a plan stops its buyers, and nobody else: neither those of a plan that is derived from it, nor those of
// other plans or of none.
func TestStopOfOnePlanDuringSales(t *testing.T) {
	t.Parallel()
	const rooms, buyers = 120, 100
	db, hotel, repo := openHotel(t, rooms)
	plans := plansOnSale()
	for i := range plans {
		plans[i].PropertyID = hotel.ID
	}
	putPlans(t, db, hotel.ID, plans...)
	update(t, repo, hotel, fixture.Stay, availability.Change{Rates: rateChanges{
		"flex": {Price: money("300.00 USD")}, "early": {Price: money("250.00 USD")},
	}})
	names := []string{"flex", "non-ref", "early", "club", ""}
	quotes := map[string]*availability.Quote{}
	for _, plan := range names {
		req := requestUnder(fixture.Stay, roomsUnder(plan, 1, adults(1)))
		req.Property.ID, req.Rooms[0].RoomTypeID, req.RatePlans = hotel.ID, hotel.RoomTypeID, plans
		var err error
		quotes[plan], err = repo.Quote(t.Context(), req)
		require.NoError(t, err, plan)
	}

	other := db.Open(&dynastay.Options{Clock: fixture.Clock})
	var stopped atomic.Bool
	var sold, late, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range buyers {
		if i == buyers/2 {
			wg.Go(func() {
				_, err := repo.Update(context.Background(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
					changeOf(hotel.RoomTypeID, fixture.Stay, availability.Change{Rates: rateChanges{"flex": {StopSell: ptr(true)}}}),
				}})
				assert.NoError(t, err)
				stopped.Store(true)
			})
		}
		wg.Go(func() {
			after, plan := stopped.Load(), names[i%len(names)]
			_, err := sellAt(context.Background(), []*dynastay.DB{db.DB, other}[i%2], quotes[plan])
			var no *availability.Refused
			switch {
			case err == nil:
				sold.Add(1)
				if plan == "flex" && after {
					late.Add(1)
				}
			case plan == "flex" && errors.As(err, &no) && no.Has(availability.StopSell):
				refused.Add(1)
			default:
				assert.Fail(t, "another outcome", "%q: %v", plan, err)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, late.Load(), "sales of flex after its stop")
	assert.EqualValues(t, buyers, sold.Load()+refused.Load())
	for _, plan := range names {
		_, err := sellAt(t.Context(), other, quotes[plan])
		if plan == "flex" {
			assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.StopSell))
			continue
		}
		require.NoError(t, err, plan)
		sold.Add(1)
	}
	calendar, err := repo.Calendar(t.Context(), hotel.ID, fixture.Stay)
	require.NoError(t, err)
	for _, day := range calendar.Days {
		assert.EqualValues(t, rooms-sold.Load(), day.Night(hotel.RoomTypeID).Available, "%s", day.Date)
	}
}
