package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties"
)

// What the calls cost that concern the charges of a hotel with 3 amenities and 2 room types, whose item has less than 2 KB.
// Three charges have less than 1 KB, and twenty less than 3 KB.
func TestCostOfCharges(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, costs := properties.New(db.DB, nil), page.Costs{DB: db}
	_, err := repo.Create(t.Context(), grand("p1"), []properties.RoomType{king("r1", "100"), king("r2", "200")})
	require.NoError(t, err)
	update := func(fn func(*charges.List) error) func() error {
		return func() error { return second(repo.UpdateCharges(t.Context(), "p1", fn)) }
	}
	var more []charges.Charge
	for i := range 17 {
		more = append(more, salesTax(fmt.Sprint("t", i)))
	}
	for _, row := range []struct {
		name, why string
		call      func() error
		want      dyntest.Bill
	}{
		{
			"look for charges where there are none", "a read that finds nothing",
			func() error { return second(repo.Charges(t.Context(), "p1")) },
			dyntest.Bill{Requests: 1, ReadUnits: 0.5},
		},
		{
			"the first three charges", "the list and, with its card, the property twice; its 8 index rows with the card",
			update(add(salesTax("state"), salesTax("city"), unitFee("USD"))),
			dyntest.Bill{Requests: 3, ReadUnits: 2, TableUnits: 6, IndexUnits: 8},
		},
		{
			"read three charges", "half a unit for every 4 KB",
			func() error { return second(repo.Charges(t.Context(), "p1")) },
			dyntest.Bill{Requests: 1, ReadUnits: 0.5},
		},
		{
			"rename one", "names are not on the card, so nothing in an index changes",
			update(rename),
			dyntest.Bill{Requests: 3, ReadUnits: 2, TableUnits: 6},
		},
		{
			"17 more", "the list has nearly 3 KB",
			update(add(more...)),
			dyntest.Bill{Requests: 3, ReadUnits: 2, TableUnits: 10, IndexUnits: 8},
		},
		{
			"change nothing", "the property and the list are read",
			update(func(*charges.List) error { return nil }),
			dyntest.Bill{Requests: 2, ReadUnits: 2},
		},
	} {
		costs.Measure(t, row.name, row.why, row.want, func() { require.NoError(t, row.call(), row.name) })
	}
	costs.Section(t, "charges")
}

// The charges of a property without any are neither read nor written by what else happens to it. With charges or plans or
// both, a deletion reads them with one request more.
func TestPropertiesWithoutChargesCostNothingMore(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	for i, has := range []struct {
		plans, charges bool
		more           int
	}{{false, false, 0}, {false, true, 1}, {true, false, 1}, {true, true, 1}} {
		id := fmt.Sprint("p", i)
		_, err := repo.Create(t.Context(), grand(id), []properties.RoomType{king("r"+id, "100")})
		require.NoError(t, err)
		if has.plans {
			_, err = repo.CreateRatePlan(t.Context(), ratePlan("x", func(p *availability.RatePlan) { p.PropertyID = id }))
			require.NoError(t, err)
		}
		if has.charges {
			_, err = repo.UpdateCharges(t.Context(), id, add(salesTax("a")))
			require.NoError(t, err)
		}
		var operations []string
		watched := properties.New(observe(db, func(c dynastay.Call) { operations = append(operations, c.Operation) }), nil)
		require.NoError(t, watched.Adopt(t.Context(), id))
		require.Len(t, operations, 1+has.more, "adopted already")
		operations = nil
		require.NoError(t, watched.Delete(t.Context(), id))
		queries := 0
		for _, operation := range operations {
			if operation == "Query" {
				queries++
			}
		}
		require.Equal(t, 6+has.more, queries, "%+v", has)
		require.Empty(t, partition(t, db, "RATES#"+id))
	}
}
