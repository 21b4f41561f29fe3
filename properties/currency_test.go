package properties_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// currencies is a property with one room type in US dollars, whose host wants euros.
type currencies struct {
	*dyntest.DB
	repo   *properties.Repository
	nights *availability.Repository
	today  dynastay.Date
}

func newCurrencies(t *testing.T) *currencies {
	db := dyntest.New(t, dyntest.Tables(keys.PropertiesTable, keys.AvailabilityTable), dyntest.At(fixture.Now))
	c := &currencies{db, properties.New(db.DB, nil), availability.New(db.DB), dynastay.DateOf(fixture.Now, nil)}
	_, err := c.repo.Create(t.Context(), grand("p1"), []properties.RoomType{king("room_1", "250.00")})
	require.NoError(t, err)
	return c
}

func euros(r *properties.RoomType) error {
	r.BasePrice = dynastay.MustMoney("230.00", "EUR")
	return nil
}

// change changes the currency of the room type.
func (c *currencies) change(ctx context.Context) error {
	return second(c.repo.UpdateRoomType(ctx, "p1", "room_1", euros))
}

// open opens two nights.
func (c *currencies) open(nights *availability.Repository, from dynastay.Date, price dynastay.Money) error {
	return second(nights.Open(context.Background(), availability.OpenRequest{
		PropertyID: "p1", RoomTypeID: "room_1", Rooms: 2, Price: price, Nights: dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(2)},
	}))
}

var (
	inDollars = dynastay.MustMoney("250.00", "USD")
	inEuros   = dynastay.MustMoney("230.00", "EUR")
)

// refused checks that the change is refused with the nights that are still to come, and nothing changes.
func (c *currencies) refused(t *testing.T, err error, dates ...dynastay.Date) {
	t.Helper()
	var open *availability.OpenAheadError
	require.ErrorAs(t, err, &open)
	assert.Equal(t, &availability.OpenAheadError{RoomTypeID: "room_1", Currency: "USD", Dates: dates}, open)
	room, err := c.repo.GetRoomType(t.Context(), "p1", "room_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, inDollars, room.BasePrice)
	p, err := c.repo.Get(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, inDollars, p.Prices.Min)
}

// While nights are open, a room type keeps its currency: it is the one that its nights are sold in.
func TestCurrencyOfOpenNights(t *testing.T) {
	t.Parallel()
	c := newCurrencies(t)
	require.NoError(t, c.open(c.nights, c.today, inDollars))
	err := c.change(t.Context())
	c.refused(t, err, c.today, c.today.AddDays(1))
	assert.EqualError(t, err, "properties.UpdateRoomType: RoomType room_1 (BasePrice.Currency): 2 nights are open for sale in USD: "+
		c.today.String()+", "+c.today.AddDays(1).String())

	// Another price in the same currency is no such change.
	_, err = c.repo.UpdateRoomType(t.Context(), "p1", "room_1", func(r *properties.RoomType) error {
		r.BasePrice = dynastay.MustMoney("260.00", "USD")
		return nil
	})
	require.NoError(t, err)

	// Yesterday counts, because a clock may be behind. After that, nobody can sell the nights any more.
	c.Clock.Set(c.today.AddDays(2).Time().Add(fixture.Now.Sub(c.today.Time())))
	var open *availability.OpenAheadError
	require.ErrorAs(t, c.change(t.Context()), &open)
	assert.Equal(t, []dynastay.Date{c.today.AddDays(1)}, open.Dates)
	c.Clock.Set(c.today.AddDays(3).Time().Add(fixture.Now.Sub(c.today.Time())))
	spent := c.Measure(func() { require.NoError(t, c.change(t.Context())) })
	assert.Equal(t, 4, spent.Requests, "the property, the guard, the nights, and the write")

	var invalid *dynastay.InvalidError
	require.ErrorAs(t, c.open(c.nights, c.today.AddDays(9), inDollars), &invalid)
	assert.Equal(t, "Price.Currency", invalid.Field)
	require.NoError(t, c.open(c.nights, c.today.AddDays(9), inEuros))
}

// A room type that was never opened changes its currency, and back.
func TestCurrencyWithoutNights(t *testing.T) {
	t.Parallel()
	c := newCurrencies(t)
	require.NoError(t, c.change(t.Context()))
	_, err := c.repo.UpdateRoomType(t.Context(), "p1", "room_1", func(r *properties.RoomType) error {
		r.BasePrice = inDollars
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, c.open(c.nights, c.today, inDollars))
	c.refused(t, c.change(t.Context()), c.today, c.today.AddDays(1))
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
