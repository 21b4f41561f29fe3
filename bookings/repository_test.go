package bookings_test

import (
	"fmt"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// setText sets an attribute of a booking's item without the library.
func setText(t *testing.T, db *dyntest.DB, key dynastay.Key, name, value string) {
	t.Helper()
	row, err := db.Direct.Get(t.Context(), bookingsTable, key, dynastay.Consistent)
	require.NoError(t, err)
	require.True(t, row.Exists())
	item := row.Item()
	item[name] = dynastay.Text(value)
	raw.Put(t, db, bookingsTable, item)
}

func TestGetAll(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 9)
	var made []*bookings.Booking
	for range 4 {
		b, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
		require.NoError(t, err)
		made = append(made, b)
	}
	one, two, three, four := made[0], made[1], made[2], made[3]

	spent := db.Measure(func() {
		got, err := repo.GetAll(ctx, []string{two.ID, "bkg_none", one.ID, two.ID, three.ID})
		require.NoError(t, err)
		assert.Equal(t, []*bookings.Booking{two, nil, one, two, three}, got, "with their lines")
	})
	assert.Equal(t, 4, spent.Requests)
	if db.Has(dyntest.ExactUnits) { // DynamoDB Local counts nothing for what it does not find
		assert.Equal(t, 4*0.5, spent.ReadUnits)
	}
	spent = db.Measure(func() {
		got, err := repo.GetAll(ctx, []string{two.ID, one.ID}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, []*bookings.Booking{two, one}, got)
	})
	assert.Equal(t, dyntest.Cost{Requests: 2, ReadUnits: 2}, spent.Cost, "consistent reads cost twice as much")
	assert.Empty(t, operations(db, func() {
		got, err := repo.GetAll(ctx, nil)
		require.NoError(t, err)
		assert.Empty(t, got)
	}))

	// A booking that cannot be decoded, or a line of which cannot, does not hide the others.
	setText(t, db, keyOf(three.ID), "NumberOfAdults", "two")
	setText(t, db, dynastay.Key{PK: keyOf(two.ID).PK, SK: "ROOM#" + hotel.RoomTypeID}, "Quantity", "one")
	got, err := repo.GetAll(ctx, []string{three.ID, one.ID, two.ID, three.ID, four.ID, "bkg_none"})
	assert.Equal(t, []*bookings.Booking{nil, one, nil, nil, four, nil}, got)
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, unreadable.Items, 2, "each once, in the order of the ids")
	assert.ErrorContains(t, unreadable.Items[0], three.ID+" (NumberOfAdults)")
	assert.ErrorContains(t, unreadable.Items[1], two.ID+"/ROOM#"+hotel.RoomTypeID+" (Quantity)")
	for _, err := range unreadable.Items {
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	}
	got, err = repo.GetAll(ctx, []string{one.ID, two.ID})
	assert.Equal(t, []*bookings.Booking{one, nil}, got)
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)
}

func TestGetAllFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 9)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)

	assert.Empty(t, operations(db, func() {
		for _, id := range []string{"", "bkg#1"} {
			got, err := repo.GetAll(ctx, []string{made.ID, id})
			blame.Invalid(t, err, "BookingIDs[1].BookingID", id)
			assert.Nil(t, got)
		}
	}))

	for nth := 1; nth <= 3; nth++ {
		denied := db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "Query", Nth: nth})
		got, err := repo.GetAll(ctx, []string{made.ID, "bkg_none", "bkg_2"})
		assert.Nil(t, got)
		var api smithy.APIError
		assert.ErrorAs(t, err, &api, fmt.Sprint("request ", nth))
		assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
		assert.Equal(t, 1, denied.Hits())
	}
}

func TestUnknownBooking(t *testing.T) {
	t.Parallel()
	_, _, repo := open(t, 1)
	_, err := repo.Cancel(t.Context(), "bkg_none", "", nil)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.Get(t.Context(), "bkg_none")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.ByReference(t.Context(), "BKG-2026-NONE00")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}
