package listing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Every change of an event and of a night is decoded as it is read afterwards. The items of imports and feeds pass
// through.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, streamtest.Tables(listingkeys.Table)...)
	repo := listing.New(db.DB)
	var states []*listing.Event
	was := func(err error) {
		t.Helper()
		require.NoError(t, err)
		e, err := repo.Get(ctx, lst, "BOOKING#bk_1", dynastay.Consistent)
		if err != nil {
			require.ErrorIs(t, err, dynastay.ErrNotFound)
			e = nil
		}
		states = append(states, e)
	}
	_, err := repo.Book(ctx, booking("bk_1", nights("2025-01-10", "2025-01-12")))
	was(err)
	a, err := repo.Check(ctx, lst, nights("2025-01-10", "2025-01-11"))
	require.NoError(t, err)
	_, err = repo.Modify(ctx, lst, "BOOKING#bk_1", nights("2025-01-11", "2025-01-13"))
	was(err)
	was(repo.Delete(ctx, lst, "BOOKING#bk_1"))
	_, err = repo.Import(ctx, reservation("BC1", 1, nights("2025-03-01", "2025-03-02")))
	require.NoError(t, err)

	events := streamtest.Histories(t, db, listingkeys.Table, repo.Changes().Events)
	assert.Len(t, events, 2)
	assert.Equal(t, states, events["LISTING_AVAILABILITY#"+lst+"/EVENT#BOOKING#bk_1"])
	days := streamtest.Histories(t, db, listingkeys.Table, repo.Changes().Nights)
	assert.Len(t, days, 4)
	assert.Equal(t, []*listing.Night{a.Taken[0], nil}, days["LISTING_AVAILABILITY#"+lst+"/DATE#2025-01-10"])
}
