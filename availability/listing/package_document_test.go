package listing_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// exportAll is a calendar for everybody.
var exportAll = listing.Channel{}

// stored reads the item of a night of the listing.
func (h *home) stored(t *testing.T, date string) map[string]any {
	t.Helper()
	return raw.Plain(t, raw.Get(t, h.DB, listingkeys.Table, dynastay.Key{PK: "LISTING_AVAILABILITY#" + lst, SK: "DATE#" + date}))
}

// The items of the listing-availability document are read as they are, and come back the same when their event is
// written. NULL and a missing attribute are the same.
func TestItemsOfTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/document.json")
	require.NoError(t, err)
	var items []map[string]any
	require.NoError(t, json.Unmarshal(text, &items))
	h := newHome(t)
	for _, item := range items {
		stored, err := attributevalue.MarshalMap(item)
		require.NoError(t, err)
		h.put(t, stored)
	}
	a, err := h.repo.Check(t.Context(), lst, nights("2025-01-01", "2025-03-01"))
	require.NoError(t, err)
	require.Len(t, a.Taken, 3)
	assert.Equal(t, []listing.Night{
		{lst, host, dynastay.MustDate("2025-01-15"), listing.KindBooking, listing.Localstays, "BOOKING#bk_001", "bk_001", "", a.Taken[0].CreatedAt},
		{lst, host, dynastay.MustDate("2025-01-20"), listing.KindBooking, listing.BookingCom, "BOOKING#bk_002", "bk_002", "BC789456", a.Taken[1].CreatedAt},
		{lst, host, dynastay.MustDate("2025-02-01"), listing.KindBlock, listing.HostClosed, "BLOCK#uuid-here", "", "", a.Taken[2].CreatedAt},
	}, []listing.Night{*a.Taken[0], *a.Taken[1], *a.Taken[2]})
	assert.Equal(t, "2025-01-15 10:30:00 +0000 UTC", a.Taken[0].CreatedAt.String())

	// The library writes the same items.
	other := newHome(t)
	_, err = other.repo.Book(t.Context(), booking("bk_001", nights("2025-01-15", "2025-01-16")))
	require.NoError(t, err)
	d := reservation("BC789456", 1, nights("2025-01-20", "2025-01-21"))
	d.BookingID = "bk_002"
	_, err = other.repo.Import(t.Context(), d)
	require.NoError(t, err)
	_, err = other.repo.Block(t.Context(), block("uuid-here", nights("2025-02-01", "2025-02-02")))
	require.NoError(t, err)
	for _, item := range items {
		for name, value := range item {
			if value == nil {
				delete(item, name)
			}
		}
		written := other.stored(t, item["date"].(string))
		written["createdAt"] = item["createdAt"]
		assert.Equal(t, item, written)
	}

	// Events of the document are found by their nights, can be changed, and get an item then.
	e, err := h.repo.Modify(t.Context(), lst, "BOOKING#bk_001", nights("2025-01-15", "2025-01-17"))
	require.NoError(t, err)
	assert.Equal(t, nights("2025-01-15", "2025-01-17"), e.Stay)
	got, err := h.repo.Get(t.Context(), lst, "BOOKING#bk_001")
	require.NoError(t, err)
	assert.Equal(t, e, got)
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BLOCK#uuid-here"))
	assert.Empty(t, h.stored(t, "2025-02-01"))
}
