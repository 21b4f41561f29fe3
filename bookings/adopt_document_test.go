package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// The document's booking is adopted: what the library's lists need is there, and nothing else has changed.
func TestAdoptRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _, repo := open(t, 1)
	db.Clock.Set(time.Date(2024, 11, 10, 9, 20, 0, 0, time.UTC))
	theirs := raw.Document(t, "testdata/booking.json")
	line := raw.Document(t, "testdata/line.json")
	raw.Put(t, db, bookingsTable, theirs, line)
	arrivals := repo.ByCheckIn(bookings.CheckInQuery{Date: dynastay.MustDate("2025-01-15"), PropertyID: "prop_123"})
	page, err := arrivals.Page(ctx, dynastay.Paging{})
	require.NoError(t, err)
	require.Empty(t, page.Items, "the document has no such index")
	before, err := repo.Get(ctx, "bkg_12345")
	require.NoError(t, err)

	for _, item := range []dynastay.Item{theirs, line} {
		stop := db.Faults.Record()
		adopted, err := repo.AdoptRow(ctx, dynastay.RowOf(item))
		require.NoError(t, err)
		is := dynastay.RowOf(item).Text("EntityType") == "Booking"
		assert.Equal(t, is, adopted)
		assert.Len(t, stop(), map[bool]int{true: 2}[is])
	}
	page, err = arrivals.Page(ctx, dynastay.Paging{})
	require.NoError(t, err)
	assert.Len(t, page.Items, 1)
	after, err := repo.Get(ctx, "bkg_12345")
	require.NoError(t, err)
	assert.Equal(t, before, after)
	guard, err := keys.Of(keys.ReferenceGuard{Reference: "BKG-2024-XYZ123"})
	require.NoError(t, err)
	assert.NotEmpty(t, raw.Get(t, db, bookingsTable, guard), "nobody else gets its reference")
	got := plain(t, raw.Get(t, db, bookingsTable, keyOf("bkg_12345")))
	for name, value := range plain(t, theirs) {
		if name != "GSI3SK" {
			assert.Equal(t, value, got[name], name)
		}
	}
	adopted, err := repo.AdoptRow(ctx, dynastay.RowOf(theirs))
	require.NoError(t, err)
	assert.False(t, adopted)
}
