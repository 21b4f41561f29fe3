package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/wire"
)

// opened is what [openHotel] returns.
type opened struct {
	db    *dyntest.DB
	hotel fixture.Hotel
	repo  *availability.Repository
}

// Local engines always read consistently, so the requests show whether a read that decides a write would do so on
// DynamoDB as well.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reads int
		call  func(t *testing.T, o opened)
	}{
		"Update": {2, func(t *testing.T, o opened) {
			update(t, o.repo, o.hotel, oneNight(oneDay), availability.Change{Rooms: ptr(4)})
		}},
		"Update that is overtaken": {3, func(t *testing.T, o opened) {
			beforeWrite(o.db, func() { update(t, direct(o.db), o.hotel, oneNight(oneDay), availability.Change{Rooms: ptr(3)}) })
			update(t, o.repo, o.hotel, oneNight(oneDay), availability.Change{Rooms: ptr(4)})
		}},
		"Update that is refused": {3, func(t *testing.T, o opened) {
			sell(t, o.db, o.hotel, 5)
			_, err := o.repo.Update(t.Context(), updateOf(o.hotel, oneNight(oneDay), availability.Change{Rooms: ptr(4)}))
			require.Error(t, err)
		}},
		"CloseSales": {4, func(t *testing.T, o opened) {
			_, err := o.repo.CloseSales(t.Context(), o.hotel.ID)
			require.NoError(t, err)
		}},
		"ReopenSales": {3, func(t *testing.T, o opened) {
			_, err := o.repo.ReopenSales(t.Context(), o.hotel.ID)
			require.NoError(t, err)
		}},
		"Suspend": {4, func(t *testing.T, o opened) {
			_, err := suspension.do(t.Context(), o.db.DB, o.hotel.ID, o.hotel.RoomTypeID)
			require.NoError(t, err)
		}},
		"Withdraw": {5, func(t *testing.T, o opened) {
			_, err := o.repo.Withdraw(t.Context(), availability.House{ID: o.hotel.ID}, o.hotel.RoomTypeID)
			require.NoError(t, err)
		}},
		"SoldAhead": {1, func(t *testing.T, o opened) {
			require.NoError(t, o.repo.SoldAhead(t.Context(), availability.House{ID: o.hotel.ID}, []string{o.hotel.RoomTypeID}))
		}},
		"a sale that may overbook": {1, func(t *testing.T, o opened) {
			q := quoteOf(t, request2(o.hotel, oneNight(oneDay)), money("280.00 USD"))
			q.Overbook = 1
			_, err := sold(t, o.db.DB, q)
			require.NoError(t, err)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 5)
			stop := db.Faults.Record()
			test.call(t, opened{db, hotel, repo})
			assert.Equal(t, test.reads, wire.Consistent(t, stop()))
		})
	}
}
