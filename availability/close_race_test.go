package availability_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

func breakOff(r *fake.Request) (any, error) {
	if in, ok := r.In.(*dynamodb.QueryInput); ok && strings.HasSuffix(*in.TableName, keys.AvailabilityTable.Name) {
		return nil, errors.New("the program ended")
	}
	return r.Send()
}

func prefixOf(db *dyntest.DB) string {
	return strings.TrimSuffix(db.TableName(keys.AvailabilityTable), keys.AvailabilityTable.Name)
}

func broken(db *dyntest.DB) *availability.Repository {
	return availability.New(dynastay.Open(fake.Client{Next: db.Engine.Client(), Do: breakOff}, &dynastay.Options{
		TablePrefix: prefixOf(db), Clock: fixture.Clock,
	}))
}

func TestCloseSalesWhileReopenedAndClosedAgain(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5) // July
	hotel.Open(t, db.DB, availability.OpenRequest{Nights: dynastay.MustStay("2026-08-01", "2026-12-01"), Rooms: 5, Price: fixture.Price})
	direct := direct(db)
	// The transactions of CloseSales: the guard, 99 nights, the remaining nights.
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.ReopenSales(ctx, hotel.ID)
		assert.NoError(t, err)
		_, err = broken(db).CloseSales(ctx, hotel.ID)
		assert.Error(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 3})

	_, err := repo.CloseSales(t.Context(), hotel.ID)
	assertKind(t, err, availability.ErrReopened, "")
	_, err = repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	_, open := closed(t, db, hotel.RoomTypeID)
	assert.Zero(t, open)
}

func TestCloseSalesWhileReopenedAndANightOpened(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	direct := direct(db)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.ReopenSales(ctx, hotel.ID)
		assert.NoError(t, err)
		hotel.Open(t, db.Direct, availability.OpenRequest{Nights: oneNight("2026-09-01"), Rooms: 5, Price: fixture.Price})
		_, err = broken(db).CloseSales(ctx, hotel.ID)
		assert.Error(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	assertKind(t, err, availability.ErrReopened, "")
}

func TestReopenSalesWhileClosedAndReopened(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	hotel.Open(t, db.DB, availability.OpenRequest{Nights: dynastay.MustStay("2026-08-01", "2026-12-01"), Rooms: 5, Price: fixture.Price})
	direct := direct(db)
	_, err := direct.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.CloseSales(ctx, hotel.ID)
		assert.NoError(t, err)
		_, err = broken(db).ReopenSales(ctx, hotel.ID)
		assert.Error(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
	_, err = repo.ReopenSales(t.Context(), hotel.ID)
	assertKind(t, err, availability.ErrClosed, "")
	_, err = repo.ReopenSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	marked, _ := closed(t, db, hotel.RoomTypeID)
	assert.Zero(t, marked)
}

func TestCloseSalesCountsANightOnce(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	direct := direct(db)
	other := 0
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		done, err := direct.CloseSales(ctx, hotel.ID)
		assert.NoError(t, err)
		other = done.Nights
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	done, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, 31, done.Nights+other)
}

func TestCloseSalesAtMidnight(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.DB, 5)
	zone, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	db.Clock.Set(time.Date(2026, 7, 10, 23, 59, 59, 0, zone))
	quote := hotel.Quote(t, db.DB, oneNight("2026-07-10"), 1)
	behind := dynastay.Open(db.Engine.Client(), &dynastay.Options{TablePrefix: prefixOf(db), Clock: func() time.Time { return db.Now().Add(-2 * time.Second) }})
	db.Clock.Advance(2 * time.Second)
	_, err = availability.New(db.DB).CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	_, err = bookings.New(behind, nil).Create(t.Context(), fixture.Request(quote))
	refused := blame.As[*bookings.Refused](t, err)
	assert.True(t, refused.Has(availability.PropertyClosed))
}

// A sale of any of its nights is enough to cancel a transaction that marks 99. If sales keep coming, fewer are marked
// at a time.
func TestCloseSalesUnderLoad(t *testing.T) {
	t.Parallel()
	db, hotel, _ := openHotel(t, 5)
	hotel.Open(t, db.DB, availability.OpenRequest{Nights: dynastay.MustStay("2026-08-01", "2026-12-01"), Rooms: 5, Price: fixture.Price})
	busy := db.Faults.Inject(dyntest.Conflict(), dyntest.When{
		Operation: "TransactWriteItems", Match: func(r dyntest.Request) bool { return strings.Count(string(r.Body), "DATE#") > 9 },
	})
	repo := availability.New(withRetry(db, dynastay.Retry{Attempts: 2, Base: time.Millisecond}))
	done, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, 31+122, done.Nights)
	assert.Equal(t, 2, busy.Hits(), "two attempts with 99 nights")
	_, open := closed(t, db, hotel.RoomTypeID)
	assert.Zero(t, open)

	db.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Table: keys.AvailabilityTable.Name})
	_, err = repo.ReopenSales(t.Context(), hotel.ID)
	assert.ErrorIs(t, err, dynastay.ErrContention, "not even one night can be changed")
}
