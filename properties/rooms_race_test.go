package properties_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// The host reopens the sales while a room type is being deleted: the deletion fails, and the room type stays.
func TestDeleteRoomTypeThatIsReopened(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := availability.New(db.Direct).ReopenSales(ctx, "p1")
		assert.NoError(t, err)
	}), dyntest.When{Nth: 1, Match: func(r dyntest.Request) bool {
		return r.Operation == "TransactWriteItems" && strings.Contains(string(r.Body), `"Delete":`)
	}})
	err := repo.DeleteRoomType(t.Context(), "p1", "room_a_of_p1")
	require.ErrorIs(t, err, availability.ErrReopened)
	checkDerived(t, db, "p1")
	assert.Len(t, get(t, repo, "p1").AmenityIDs, 3)
	guard := dynastay.RowOf(partition(t, db, "ROOM#room_a_of_p1")["GUARD"])
	assert.Empty(t, guard.Text(keys.AttrClosed))
	_, err = repo.GetRoomType(t.Context(), "p1", "room_a_of_p1")
	require.NoError(t, err)
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p1", "room_a_of_p1"))
	checkDerived(t, db, "p1")
}

// Of a change of the currency and an opening that meet, the first one wins: there is never a night in the other currency.
// The nights that were opened before, and are past, must not hide those that are opened meanwhile.
func TestCurrencyChangesWhileNightsAreOpened(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{false, true} {
		c := newCurrencies(t)
		if before {
			require.NoError(t, c.open(c.nights, c.today, inDollars))
			c.today = c.today.AddDays(3)
			c.Clock.Set(c.today.Time().Add(fixture.Now.Sub(dynastay.DateOf(fixture.Now, nil).Time())))
		}
		direct := availability.New(c.Direct)
		c.Faults.Inject(dyntest.Before(func(context.Context) {
			assert.NoError(t, c.open(direct, c.today, inDollars))
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		c.refused(t, c.change(t.Context()), c.today, c.today.AddDays(1))
	}
	for _, nights := range []int{2, 150} { // in one transaction, and in two
		c := newCurrencies(t)
		direct := properties.New(c.Direct, nil)
		c.Faults.Inject(dyntest.Before(func(context.Context) {
			assert.NoError(t, second(direct.UpdateRoomType(t.Context(), "p1", "room_1", euros)))
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		_, err := c.nights.Open(t.Context(), availability.OpenRequest{
			PropertyID: "p1", RoomTypeID: "room_1", Rooms: 2, Price: inDollars,
			Nights: dynastay.Stay{CheckIn: c.today, CheckOut: c.today.AddDays(nights)},
		})
		assert.EqualError(t, err, "invalid Price.Currency: must be EUR, the currency of the base price of room type room_1")
		prices, err := c.nights.Prices(t.Context(), "room_1", dynastay.Stay{CheckIn: c.today, CheckOut: c.today.AddDays(nights)}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Empty(t, prices.Nights)
	}
}
