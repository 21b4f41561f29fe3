package availability_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
)

// Rooms are sold between the read and the write of an update that lowers the total from 10 rooms, 3 of them sold: the update
// counts them, and reports them.
func TestSalesBetweenTheReadAndTheWriteOfAnUpdate(t *testing.T) {
	t.Parallel()
	type night struct{ total, available int }
	for _, test := range []struct {
		name       string
		change     availability.Change
		refused    *availability.SoldError
		overbooked int
		want       night
	}{
		{"as many as the total", availability.Change{Rooms: ptr(5)}, nil, 0, night{5, 0}},
		{"more than the total", availability.Change{Rooms: ptr(4)}, &availability.SoldError{Sold: 5, Rooms: 4}, 0, night{10, 5}},
		{"more than the total, which was overbooked", availability.Change{Rooms: ptr(2), Overbook: 3}, nil, 3, night{2, -3}},
		{"more than may be overbooked", availability.Change{Rooms: ptr(2), Overbook: 2}, &availability.SoldError{Sold: 5, Rooms: 2}, 0, night{10, 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 10)
			sell := func(rooms int) {
				req := fixture.Request(hotel.Quote(t, db.Direct, oneNight("2026-07-10"), rooms))
				_, err := bookings.New(db.Direct, nil).Create(context.Background(), req)
				assert.NoError(t, err)
			}
			sell(3)
			db.Faults.Inject(dyntest.Before(func(context.Context) { sell(2) }), dyntest.When{Operation: "UpdateItem", Nth: 1})

			report, err := repo.Update(t.Context(), availability.UpdateRequest{
				PropertyID: hotel.ID, Changes: []availability.Change{changeOf(hotel.RoomTypeID, oneNight("2026-07-10"), test.change)},
			})
			if test.refused != nil {
				var refused *availability.SoldError
				require.ErrorAs(t, err, &refused)
				assert.Equal(t, test.refused, refused)
			} else {
				require.NoError(t, err)
			}
			require.Len(t, report.Dates, 1)
			assert.Equal(t, test.overbooked, report.Dates[0].Overbooked)
			n := nightOf(t, repo, hotel, "2026-07-10")
			assert.Equal(t, test.want, night{n.Total, n.Available})
		})
	}
}
