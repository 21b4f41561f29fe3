package availability_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
)

// Every change of a night is decoded as it is read afterwards, whether it was opened, updated, sold, returned, closed
// or reopened, and so is the hotel-booking document's item.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tables := streamtest.Tables(keys.AvailabilityTable, keys.MetadataTable, withoutIndexes(keys.PropertiesTable), withoutIndexes(keys.BookingsTable))
	db := dyntest.New(t, append(tables, dyntest.At(fixture.Now))...)
	repo, hotel := availability.New(db.DB), fixture.New(t, db.DB, 5)
	const day = "2026-07-21"
	var states []*availability.Night
	was := func(err error) {
		t.Helper()
		require.NoError(t, err)
		night := nightOf(t, repo, hotel, day)
		states = append(states, &night)
		db.Clock.Advance(time.Minute)
	}

	was(nil)
	update(t, repo, hotel, oneNight(day), availability.Change{Price: money("199.50 USD"), MinStay: aws.Int(2), ClosedToArrival: aws.Bool(true)})
	was(nil)
	update(t, repo, hotel, oneNight(day), availability.Change{MinStay: aws.Int(0), ClosedToArrival: aws.Bool(false)})
	was(nil)
	was(sellQuote(t, db.DB, repo, hotel.Quote(t, db.DB, oneNight(day), 2)))
	_, err := dynastay.Do(ctx, db.DB, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.GiveBack",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			return struct{}{}, repo.GiveBack(tx, hotel.ID, hotel.RoomTypeID, date(day), 1)
		},
	}))
	was(err)
	_, err = repo.CloseSales(ctx, hotel.ID)
	was(err)
	_, err = repo.ReopenSales(ctx, hotel.ID)
	was(err)
	require.Equal(t, []int{5, 3, 4}, []int{states[2].Available, states[3].Available, states[4].Available})
	require.True(t, states[5].PropertyClosed)
	remove(t, db, hotel.RoomTypeID, day) // as the time to live does

	putNights(t, db, raw.Document(t, "testdata/night.json"))
	document, err := repo.Check(ctx, "prop_123", "room_789", 1, dynastay.MustStay("2025-01-15", "2025-01-16"))
	require.NoError(t, err)
	require.Len(t, document.Nights, 1)

	nights := streamtest.Histories(t, db, keys.AvailabilityTable, repo.Changes().Nights)
	assert.Equal(t, append(states, nil), nights["ROOM#"+hotel.RoomTypeID+"/DATE#"+day])
	assert.Equal(t, []*availability.Night{&document.Nights[0]}, nights["ROOM#room_789/DATE#2025-01-15"])
	assert.Len(t, nights, 31+1, "the month that is open, and the document's night")
}
