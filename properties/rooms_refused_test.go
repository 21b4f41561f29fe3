package properties_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// While a room type is taken off sale to be deleted, another call deletes the only other one. The deletion is refused,
// and the room type is on sale as before, or closed as the host left it.
func TestDeleteTheOnlyRoomTypeThatIsLeft(t *testing.T) {
	t.Parallel()
	for _, closed := range []bool{false, true} {
		s := openSeller(t, 2, 2)
		offer := s.mustQuote(s.rooms[0])
		if closed {
			require.NoError(t, second(s.nights.CloseSales(t.Context(), s.id)))
		}
		defer s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			assert.NoError(t, s.direct.DeleteRoomType(ctx, s.id, s.rooms[1]))
		}), dyntest.When{Operation: "Query", Nth: 1}).Stop()
		stop := s.db.Faults.Record()
		blame.Of(t, s.repo.DeleteRoomType(t.Context(), s.id, s.rooms[0]), dynastay.ErrInvalid, "RoomTypeID")
		requests := wire.Operations(stop())
		if closed {
			assert.Equal(t, []string{"Query", "Query", "BatchGetItem"}, requests[len(requests)-3:], "the guard is not read again")
			s.assertOffSale(offer)
			continue
		}
		_, err := s.book(offer)
		require.NoError(t, err)
	}
}

// As above, but the property is suspended before the room type is put back. The error matches both failures.
func TestDeleteTheOnlyRoomTypeOfASuspendedProperty(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 2)
	defer s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, s.direct.DeleteRoomType(ctx, s.id, s.rooms[1]))
	}), dyntest.When{Operation: "Query", Nth: 1}).Stop()
	defer s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, second(s.direct.Suspend(ctx, s.id)))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 3}).Stop()
	err := s.repo.DeleteRoomType(t.Context(), s.id, s.rooms[0])
	require.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorIs(t, err, availability.ErrSuspended)
}

// A property that is being deleted refuses all changes of its room types.
func TestRoomTypesOfADeletedProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	room := create(t, repo, grand("p1", pending)).Rooms[0].ID
	set(t, db, keyOf("p1"), "SET #Status = :s REMOVE GSI11PK, GSI11SK", dynastay.Item{":s": dynastay.Text("deleting")})
	sent := writes(db)
	assertNotAllowed(t, second(repo.AddRoomTypes(t.Context(), "p1", slights("r", 1))), properties.Deleting)
	assertNotAllowed(t, second(repo.UpdateRoomType(t.Context(), "p1", room, func(*properties.RoomType) error { return nil })), properties.Deleting)
	assertNotAllowed(t, repo.DeleteRoomType(t.Context(), "p1", room), properties.Deleting)
	assert.Equal(t, sent, writes(db))
}

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
	open := blame.As[*availability.OpenAheadError](t, err)
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
	open := blame.As[*availability.OpenAheadError](t, c.change(t.Context()))
	assert.Equal(t, []dynastay.Date{c.today.AddDays(1)}, open.Dates)
	c.Clock.Set(c.today.AddDays(3).Time().Add(fixture.Now.Sub(c.today.Time())))
	spent := c.Measure(func() { require.NoError(t, c.change(t.Context())) })
	assert.Equal(t, 4, spent.Requests, "the property, the guard, the nights, and the write")

	blame.Invalid(t, c.open(c.nights, c.today.AddDays(9), inDollars), "Price.Currency")
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

// The error names the currency of the others, whichever room type sorts first.
func TestCurrencyOfTheOthers(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	for _, id := range []string{"room_a_of_p1", "room_b_of_p1"} {
		_, err := repo.UpdateRoomType(t.Context(), "p1", id, func(r *properties.RoomType) error {
			r.BasePrice = dynastay.MustMoney("90", "EUR")
			return nil
		})
		blame.Of(t, err, dynastay.ErrInvalid, "BasePrice.Currency")
		assert.ErrorContains(t, err, "must be USD, the currency of the other room types")
	}
	// The only room type may change it.
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p1", "room_a_of_p1"))
	require.NoError(t, second(repo.UpdateRoomType(t.Context(), "p1", "room_b_of_p1", func(r *properties.RoomType) error {
		r.BasePrice = dynastay.MustMoney("90", "EUR")
		return nil
	})))
	checkDerived(t, db, "p1")
}
