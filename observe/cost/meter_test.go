package cost_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/observe/cost"
	"github.com/dynastay/dynastay/properties"
)

// A meter says what the wire says, by operation, part, pattern, table and index.
func TestMeter(t *testing.T) {
	t.Parallel()
	ctx, meter := t.Context(), new(cost.Meter)
	db := dyntest.New(t, dyntest.At(fixture.Now), dyntest.With(dynastay.Options{Observer: meter}))
	hotel := fixture.New(t, db.DB, 5)
	meter.Reset()
	spent := db.Measure(func() {
		_, err := properties.New(db.DB, nil).BySlug(ctx, hotel.Slug)
		require.NoError(t, err)
		_, err = bookings.New(db.DB, nil).ExpireHolds(ctx)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				_, err := properties.New(db.DB, nil).Get(ctx, hotel.ID)
				assert.NoError(t, err)
			})
		}
		wg.Wait()
	})
	bill := meter.Bill()
	sum := bill.Sum()
	assert.Equal(t, spent.Requests, sum.Requests)
	assert.InDelta(t, spent.ReadUnits, sum.ReadUnits, 1e-9)
	assert.InDelta(t, spent.WriteUnits, sum.WriteUnits, 1e-9)
	table, exact := db.TableName(keys.PropertiesTable), db.Has(dyntest.ExactUnits)
	if exact {
		assert.Contains(t, bill, cost.Line{
			Operation: "properties.Get", Part: "properties.Get", Pattern: "P7", Table: table, Requests: 4, ReadUnits: 2,
		})
		assert.Contains(t, bill, cost.Line{
			Operation: "properties.BySlug", Part: "properties.BySlug", Pattern: "P8", Table: table, Index: keys.SlugIndex, Requests: 1, ReadUnits: 0.5,
		})
	}
	byOperation := bill.By(cost.Operation)
	require.Len(t, byOperation, 3)
	assert.Equal(t, "bookings.ExpireHolds", byOperation[0].Operation)
	assert.Equal(t, sum, byOperation.Sum())
	assert.Equal(t, cost.Bill{sum}, bill.By())
	assert.Equal(t, bill, bill.By(cost.Operation, cost.Part, cost.Pattern, cost.Table, cost.Index))
	assert.Equal(t, bill, meter.Reset())
	assert.Empty(t, meter.Bill())
}

// The writes of a sweep are its parts.
func TestMeterOfParts(t *testing.T) {
	t.Parallel()
	ctx, meter := t.Context(), new(cost.Meter)
	db := dyntest.New(t, dyntest.At(fixture.Now), dyntest.With(dynastay.Options{Observer: meter}))
	hotel, repo := fixture.New(t, db.DB, 5), bookings.New(db.DB, nil)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	req.Hold = time.Hour
	_, err := repo.Create(ctx, req)
	require.NoError(t, err)
	db.Clock.Advance(2 * time.Hour)
	meter.Reset()
	swept, err := repo.ExpireHolds(ctx)
	require.NoError(t, err)
	require.Len(t, swept.Expired, 1)
	parts := map[string]int{}
	for _, line := range meter.Bill().By(cost.Operation, cost.Part) {
		assert.Equal(t, "bookings.ExpireHolds", line.Operation)
		parts[line.Part] = line.Requests
	}
	assert.Equal(t, map[string]int{"bookings.ExpireHolds": 1, "bookings.Expire": 2}, parts)
}

func TestPrices(t *testing.T) {
	t.Parallel()
	prices := cost.Prices{Reads: dynastay.MustMoney("0.125", "USD"), Writes: dynastay.MustMoney("0.625", "USD")}
	for _, test := range []struct {
		reads, writes float64
		want          string
	}{
		{0, 0, "0.00"}, {1e6, 0, "0.13"}, {0, 1e6, "0.63"}, {8e6, 8e6, "6.00"}, {39_999.5, 0, "0.00"}, {40_000, 0, "0.01"}, {4e12, 0, "500000.00"},
	} {
		got, err := prices.Of(cost.Line{ReadUnits: test.reads, WriteUnits: test.writes})
		require.NoError(t, err)
		assert.Equal(t, test.want, got.Amount(), "%v", test)
	}
	dear := cost.Prices{Reads: dynastay.MustMoney("10000", "USD"), Writes: dynastay.MustMoney("10000", "USD")}
	half, err := dear.Of(cost.Line{ReadUnits: 0.5})
	require.NoError(t, err)
	assert.Equal(t, "0.01", half.Amount(), "half a unit counts")

	one := cost.Line{Operation: "bookings.Create", Requests: 2, ReadUnits: 0.5, WriteUnits: 14}
	assert.Equal(t, cost.Line{Operation: "bookings.Create", Requests: 60, ReadUnits: 15, WriteUnits: 420}, one.Times(30))

	for want, refused := range map[string]struct {
		prices cost.Prices
		line   cost.Line
	}{
		"Reads: is required":                {cost.Prices{Writes: prices.Writes}, one},
		"Writes: is required":               {cost.Prices{Reads: prices.Reads}, one},
		"Writes: must be in USD, as Reads ": {cost.Prices{Reads: prices.Reads, Writes: dynastay.MustMoney("1", "EUR")}, one},
		"Line: must have a number of units": {prices, cost.Line{WriteUnits: -1}},
		"Line: must have a number of unit":  {prices, cost.Line{ReadUnits: 1e30}},
	} {
		_, err := refused.prices.Of(refused.line)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.ErrorContains(t, err, want)
	}
}

func ExampleMeter() {
	meter := new(cost.Meter)
	// db := dynastay.Open(client, &dynastay.Options{Observer: meter}), and later:
	prices := cost.Prices{Reads: dynastay.MustMoney("0.125", "USD"), Writes: dynastay.MustMoney("0.625", "USD")}
	for _, line := range meter.Bill().By(cost.Operation) {
		amount, err := prices.Of(line)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(line.Operation, amount)
	}
	booking := cost.Line{Requests: 2, ReadUnits: 1.5, WriteUnits: 22}
	month, err := prices.Of(booking.Times(30 * 1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("1,000 bookings a day, for 30 days:", month)
	// Output:
	// 1,000 bookings a day, for 30 days: 0.42 USD
}
