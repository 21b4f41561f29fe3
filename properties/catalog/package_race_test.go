package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties/catalog"
)

// Sixteen callers in two processes replace aliases of one location at the same time, through conflicts, lost requests
// and lost responses.
// No acknowledged change is lost, and the items of the names are exactly those of the location.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	const callers, rounds = 16, 4
	patient := dynastay.Options{Retry: dynastay.Retry{Attempts: 500}}
	db := dyntest.New(t, catalogTables, dyntest.With(patient))
	processes := []*catalog.Catalog[catalog.Location]{catalog.Locations(db.DB), catalog.Locations(db.Open(&patient))}
	create(t, processes[0], city("new-york", "New York", "USA"))

	storm := db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.4})
	var wg sync.WaitGroup
	possible := make([][]string, callers) // the aliases that each caller may have left
	var unknown, acknowledged [callers]int
	update := func(i, round int) (alias string, err error) {
		own := fmt.Sprintf("caller %d ", i)
		alias = fmt.Sprintf("%s round %d", own, round)
		_, err = processes[i%2].Update(context.Background(), "new-york", func(l *catalog.Location) error {
			l.Aliases = slices.DeleteFunc(l.Aliases, func(a string) bool { return strings.HasPrefix(a, own) })
			l.Aliases = append(l.Aliases, alias)
			return nil
		})
		return alias, err
	}
	for i := range callers {
		wg.Go(func() {
			for round := range rounds {
				alias, err := update(i, round)
				switch {
				case err == nil:
					possible[i] = []string{alias}
					acknowledged[i]++
				case errors.Is(err, dynastay.ErrOutcomeUnknown):
					possible[i] = append(possible[i], alias)
					unknown[i]++
				default:
					assert.NoError(t, err)
				}
			}
		})
	}
	wg.Wait()
	storm.Stop()
	assert.Positive(t, storm.Hits())
	for i := range callers {
		if acknowledged[i] == 0 { // every outcome is unknown, so nothing is known about the alias
			alias, err := update(i, rounds)
			require.NoError(t, err)
			possible[i] = []string{alias}
			acknowledged[i]++
		}
	}

	got, err := processes[0].Get(t.Context(), "new-york", dynastay.Consistent)
	require.NoError(t, err)
	writes, maybe := 1, 0
	for i := range callers {
		writes, maybe = writes+acknowledged[i], maybe+unknown[i]
	}
	assert.GreaterOrEqual(t, got.Version, writes, "an acknowledged update is lost")
	assert.LessOrEqual(t, got.Version, writes+maybe, "an update was made twice")
	assert.Len(t, got.Aliases, callers)
	for i := range callers {
		assert.True(t, slices.ContainsFunc(possible[i], func(a string) bool { return slices.Contains(got.Aliases, a) }), possible[i])
	}
	checkLocations(t, db)
	assert.Len(t, partition(t, db, "locations"), 1+2+2*callers)
}

// An update that is overtaken by one that moves the names starts again from these names.
func TestOvertakenUpdate(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations, elsewhere := catalog.Locations(db.DB), catalog.Locations(db.Direct)
	create(t, locations, newYork())
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := elsewhere.Update(ctx, "new-york", func(l *catalog.Location) error { l.Aliases = []string{"Gotham"}; return nil })
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err := locations.Update(t.Context(), "new-york", func(l *catalog.Location) error { l.City = "York"; return nil })
	require.NoError(t, err)
	checkLocations(t, db)
	assert.Len(t, partition(t, db, "locations"), 1+4)

	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := elsewhere.Update(ctx, "new-york", func(l *catalog.Location) error { l.Aliases = []string{"NYC"}; return nil })
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	require.NoError(t, locations.Delete(t.Context(), "new-york"))
	assert.Empty(t, partition(t, db, "locations"))
}
