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

// While bookings change from early to flex, some with fewer and some with more rooms, flex is stopped or gets another price.
// Once that is acknowledged, no change to flex succeeds, and no room is lost or sold twice.
func TestPlanStopsDuringChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change availability.RateChange
		reason availability.Reason
	}{
		"stop-sell": {availability.RateChange{StopSell: ptr(true)}, availability.StopSell},
		"price":     {availability.RateChange{Price: money("333.00 USD")}, availability.PriceChanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const rooms, guests = 60, 24
			db, hotel, repo := openHotel(t, rooms)
			plans := plansOnSale()
			for i := range plans {
				plans[i].PropertyID = hotel.ID
			}
			putPlans(t, db, hotel.ID, plans...)
			update(t, repo, hotel, fixture.Stay, availability.Change{Rates: rateChanges{
				"flex": {Price: money("300.00 USD")}, "early": {Price: money("250.00 USD")},
			}})
			of := func(planID string, quantity int) availability.QuoteRequest {
				req := requestUnder(fixture.Stay, roomsUnder(planID, quantity, adults(1)))
				req.Property.ID, req.Rooms[0].RoomTypeID, req.RatePlans = hotel.ID, hotel.RoomTypeID, plans
				return req
			}
			q, err := repo.Quote(t.Context(), of("early", 2))
			require.NoError(t, err)
			has := bookedAs(fixture.Stay, q.Lines)
			var quotes []*availability.Quote
			for n := 1; n <= 3; n++ { // fewer rooms, as many, and more
				q, err := repo.Requote(t.Context(), of("flex", n), has)
				require.NoError(t, err)
				require.NoError(t, q.Validate())
				quotes = append(quotes, q)
			}
			for range guests {
				_, err := sellAt(t.Context(), db.DB, q)
				require.NoError(t, err)
			}

			other := db.Open(&dynastay.Options{Clock: fixture.Clock})
			var stopped atomic.Bool
			var late, moved, stays atomic.Int64
			var taken atomic.Int64
			taken.Store(2 * guests)
			var wg sync.WaitGroup
			for i := range guests {
				if i == guests/2 {
					wg.Go(func() {
						_, err := repo.Update(context.Background(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
							changeOf(hotel.RoomTypeID, fixture.Stay, availability.Change{Rates: rateChanges{"flex": test.change}}),
						}})
						assert.NoError(t, err)
						stopped.Store(true)
					})
				}
				wg.Go(func() {
					after := stopped.Load()
					n := i % len(quotes)
					_, err := resell(context.Background(), []*dynastay.DB{db.DB, other}[i%2], quotes[n], has)
					var refused *availability.Refused
					switch {
					case err == nil:
						moved.Add(1)
						taken.Add(int64(n + 1 - 2))
						if after {
							late.Add(1)
						}
					case errors.As(err, &refused) && refused.Has(test.reason):
						stays.Add(1)
					default:
						assert.Fail(t, "another outcome", "%v", err)
					}
				})
			}
			wg.Wait()
			assert.Zero(t, late.Load(), "a change to flex after its stop")
			assert.EqualValues(t, guests, moved.Load()+stays.Load())
			for _, q := range quotes {
				_, err := resell(t.Context(), other, q, has)
				assert.True(t, blame.As[*availability.Refused](t, err).Has(test.reason), "the stop is over all")
			}
			calendar, err := repo.Calendar(t.Context(), hotel.ID, fixture.Stay)
			require.NoError(t, err)
			for _, day := range calendar.Days {
				night := day.Night(hotel.RoomTypeID)
				assert.EqualValues(t, night.Total, int64(night.Available)+taken.Load(), "%s", day.Date)
			}
		})
	}
}
