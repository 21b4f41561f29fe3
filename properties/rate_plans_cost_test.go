package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties"
)

// What the calls cost that concern the rate plans of a hotel with 3 amenities and 2 room types, whose item has less than
// 2 KB, with a plan on its card less than 3 KB. Ten plans have everything that a plan can have, and less than 1 KB each.
func TestCostOfRatePlans(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, costs := properties.New(db.DB, nil), page.Costs{DB: db}
	_, err := repo.Create(t.Context(), grand("p1"), []properties.RoomType{king("r1", "100"), king("r2", "200")})
	require.NoError(t, err)
	unlisted := func(p *availability.RatePlan) { p.Advertised = false }
	rename := func(p *availability.RatePlan) error { p.Name += "!"; return nil }
	for _, row := range []struct {
		name, why string
		call      func() error
		want      dyntest.Bill
	}{
		{
			"the first rate plan", "the plan and the property twice; nothing in an index changes",
			func() error { return second(repo.CreateRatePlan(t.Context(), ratePlan("p0", complete, unlisted))) },
			dyntest.Bill{Requests: 3, ReadUnits: 2, TableUnits: 6},
		},
		{
			"nine more", "9 times the same, with the plans that are there read before",
			func() error {
				for i := 1; i < 10; i++ {
					if _, err := repo.CreateRatePlan(t.Context(), ratePlan(fmt.Sprint("p", i), complete, unlisted)); err != nil {
						return err
					}
				}
				return nil
			},
			dyntest.Bill{Requests: 27, ReadUnits: 23, TableUnits: 54},
		},
		{
			"list ten rate plans", "half a unit for every 4 KB",
			func() error { return second(repo.RatePlans(t.Context(), "p1")) },
			dyntest.Bill{Requests: 1, ReadUnits: 1.5},
		},
		{
			"rename one of ten", "the property and all plans are read, the plan and the property written",
			func() error { return second(repo.UpdateRatePlan(t.Context(), "p1", "p5", rename)) },
			dyntest.Bill{Requests: 3, ReadUnits: 4, TableUnits: 6},
		},
		{
			"advertise one of ten", "the same with the card, which changes in the property and in its 8 indexes",
			func() error {
				return second(repo.UpdateRatePlan(t.Context(), "p1", "p5", func(p *availability.RatePlan) error { p.Advertised = true; return nil }))
			},
			dyntest.Bill{Requests: 3, ReadUnits: 4, TableUnits: 8, IndexUnits: 8},
		},
		{
			"order ten", "the nine plans that move, and the property with the card, on which one of them is",
			func() error { return second(repo.OrderRatePlans(t.Context(), "p1", []string{"p9", "p5"})) },
			dyntest.Bill{Requests: 3, ReadUnits: 4, TableUnits: 24, IndexUnits: 8},
		},
	} {
		costs.Measure(t, row.name, row.why, row.want, func() { require.NoError(t, row.call(), row.name) })
	}
	costs.Section(t, "rate plans")
}

// The plans of a property without any are neither read nor written by what else happens to it.
func TestPropertiesWithoutRatePlansCostNothingMore(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	for i, want := range []int{0, 1} {
		id := fmt.Sprint("p", i+1)
		_, err := repo.Create(t.Context(), grand(id), []properties.RoomType{king("r"+id, "100")})
		require.NoError(t, err)
		for range want {
			_, err = repo.CreateRatePlan(t.Context(), ratePlan("x", func(p *availability.RatePlan) { p.PropertyID = id }))
			require.NoError(t, err)
		}
		queries := 0
		watched := properties.New(observe(db, func(c dynastay.Call) {
			if c.Operation == "Query" {
				queries++
			}
		}), nil)
		require.NoError(t, watched.Delete(t.Context(), id))
		require.Equal(t, 6+want, queries, "queries with %d plans", want)
	}
}
