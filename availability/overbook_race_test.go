package availability_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
)

// While buyers in two processes buy and return rooms, the limit is raised, lowered and removed. The history of the night shows
// every sale together with the limit at that moment: none leaves fewer rooms than it allows, and those that do not fit the
// rooms left are reported as overbooked, and no others.
func TestSalesWhileTheLimitChanges(t *testing.T) {
	t.Parallel()
	const buyers, rooms = 64, 3
	db := dyntest.New(t, append(streamtest.Tables(
		keys.AvailabilityTable, keys.MetadataTable, withoutIndexes(keys.PropertiesTable), withoutIndexes(keys.BookingsTable),
	), dyntest.With(dynastay.Options{Clock: fixture.Clock}))...)
	hotel, repo := fixture.New(t, db.DB, rooms), availability.New(db.DB)
	day := oneNight(oneDay)
	q := hotel.Quote(t, db.DB, day, 1)
	patient := &dynastay.Options{
		Clock: fixture.Clock, Retry: dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond},
	}
	processes := []*dynastay.DB{db.Open(patient), db.Open(patient)}

	done, changed := make(chan struct{}), make(chan struct{})
	var staff, all sync.WaitGroup
	staff.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			_, err := repo.Update(context.Background(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
				changeOf(hotel.RoomTypeID, day, availability.Change{OverbookLimit: aws.Int([]int{2, 0, 3, 1}[n%4])}),
			}})
			assert.NoError(t, err)
			select {
			case changed <- struct{}{}: // somebody waits for another limit
			default:
			}
		}
	})
	var bought, over, returned atomic.Int64
	for i := range buyers {
		all.Go(func() {
			ctx, on := context.Background(), processes[i%2]
			got, err := sellAt(ctx, on, q)
			for range 9 {
				if refused := (*availability.Refused)(nil); !errors.As(err, &refused) {
					break
				}
				<-changed
				got, err = sellAt(ctx, on, q)
			}
			if refused := (*availability.Refused)(nil); errors.As(err, &refused) {
				assert.True(t, refused.Has(availability.SoldOut))
				return
			}
			if !assert.NoError(t, err) {
				return
			}
			bought.Add(1)
			if len(got.Lines[0].Overbooked) > 0 {
				over.Add(1)
			}
			if i%3 > 0 {
				_, err = dynastay.Do(ctx, on, dynastay.NewOp(dynastay.OpSpec[struct{}]{
					Name: "test.GiveBack", Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
						return struct{}{}, availability.New(on).GiveBack(tx, hotel.ID, hotel.RoomTypeID, date(oneDay), 1)
					},
				}))
				assert.NoError(t, err)
				returned.Add(1)
			}
		})
	}
	all.Wait()
	close(done)
	staff.Wait()

	var sales, below, limits int64
	for _, r := range streamtest.Records(t, db, keys.AvailabilityTable) {
		if !r.Old.Exists() || r.New.Text("Date") != oneDay {
			continue
		}
		before, after, limit := r.Old.Int("AvailableRooms"), r.New.Int("AvailableRooms"), r.New.Int("OverbookLimit")
		if limit != r.Old.Int("OverbookLimit") {
			limits++
		}
		if after >= before {
			continue
		}
		sales++
		if after < 0 {
			below++
			require.GreaterOrEqual(t, after, -limit, "%s", r)
		}
	}
	t.Logf("%d sales, %d of them below zero, %d returns, %d changes of the limit", sales, below, returned.Load(), limits)
	assert.Equal(t, []int64{sales, below}, []int64{bought.Load(), over.Load()})
	assert.NotZero(t, below)
	assert.Greater(t, limits, int64(1))
	assert.Equal(t, rooms-int(bought.Load()-returned.Load()), nightOf(t, repo, hotel, oneDay).Available)
}
