package catalog_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties/catalog"
)

// cost is the requests of one call with its units, and the actions of its transaction.
type cost struct {
	requests    []string
	read, write float64
	actions     int
}

// For writes of single items the exact units are compared. For transactions only the number of items is, except for the
// creation on dynoxide: local engines count their units differently from each other and from DynamoDB, which takes 2 for
// each KB.
func TestCosts(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	var spent cost
	observed := db.Open(&dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
		assert.Equal(t, 1, c.Requests())
		spent.requests = append(spent.requests, c.Operation)
		spent.read, spent.write = spent.read+c.ReadUnits(), spent.write+c.WriteUnits()
	})})
	locations, costs := catalog.Locations(observed), page.Costs{DB: db}
	measure := func(what, why string, call func() error) cost {
		t.Helper()
		spent = cost{}
		stop := db.Faults.Record()
		costs.Add(what, why, db.Measure(func() { require.NoError(t, call(), what) }).Bill())
		for _, sent := range stop() {
			var body struct{ TransactItems []any }
			require.NoError(t, json.Unmarshal(sent.Body, &body))
			spent.actions += len(body.TransactItems)
		}
		return spent
	}
	list := func(what, why string, l dynastay.List[*catalog.Location]) cost {
		t.Helper()
		return measure(what, why, func() error {
			found, err := l.Page(t.Context(), dynastay.Paging{})
			assert.Len(t, found.Items, 1)
			return err
		})
	}
	unspecified := func(c cost) cost {
		assert.Positive(t, c.write)
		c.write = 0
		return c
	}
	update := func(what, why string, edit func(*catalog.Location)) cost {
		t.Helper()
		return measure(what, why, func() error {
			_, err := locations.Update(t.Context(), "new-york", func(l *catalog.Location) error { edit(l); return nil })
			return err
		})
	}
	query, transaction := []string{"Query"}, []string{"GetItem", "TransactWriteItems"}

	// A location and six names of up to 1 KB each, twice for the transaction.
	creation := measure("create", "the location and its 6 names, in a transaction",
		func() error { _, err := locations.Create(t.Context(), newYork()); return err })
	if db.Has(dyntest.ExactUnits) {
		assert.Equal(t, 14.0, creation.write)
	}
	assert.Equal(t, cost{[]string{"TransactWriteItems"}, 0, 0, 7}, unspecified(creation))

	get := func(why string, opts ...dynastay.ReadOption) cost {
		return measure("get", why, func() error { _, err := locations.Get(t.Context(), "new-york", opts...); return err })
	}
	assert.Equal(t, cost{[]string{"GetItem"}, 0.5, 0, 0}, get("half a unit for every 4 KB"))
	assert.Equal(t, cost{[]string{"GetItem"}, 1, 0, 0}, get("", dynastay.Consistent))
	assert.Equal(t, cost{query, 0.5, 0, 0}, list("find by a name", "the name has a copy of the location", locations.Find("nyc")))
	assert.Equal(t, cost{query, 0.5, 0, 0}, list("complete the beginning of a name", "four names of a quarter KB",
		locations.Complete("n")))
	assert.Equal(t, cost{query, 0.5, 0, 0}, list("a page of all", "half a unit for every 4 KB", locations.All()))

	assert.Equal(t, cost{transaction, 1, 0, 7}, unspecified(update("change", "all names have copies",
		func(l *catalog.Location) { l.Latitude = 41 })))
	assert.Equal(t, cost{transaction, 1, 0, 9}, unspecified(update("change an alias",
		"an alias is two names, without the country and with it: two items are deleted and two are put",
		func(l *catalog.Location) { l.Aliases[0] = "Gotham" })))
	assert.Equal(t, cost{[]string{"GetItem"}, 1, 0, 0}, update("change nothing", "it is seen by the read",
		func(*catalog.Location) {}))

	deletion := measure("delete", "the location and its names, in a transaction",
		func() error { return locations.Delete(t.Context(), "new-york") })
	assert.Equal(t, cost{transaction, 1, 0, 7}, unspecified(deletion))

	setting := feesOf(observed, "fees") // a single item
	assert.Equal(t, cost{[]string{"PutItem"}, 0, 1, 0}, measure("create a setting", "a single item",
		func() error { _, err := setting.Create(t.Context(), fees{}); return err }))
	assert.Equal(t, cost{[]string{"GetItem"}, 0.5, 0, 0}, measure("get a setting", "half a unit for every 4 KB",
		func() error { _, err := setting.Get(t.Context()); return err }))
	assert.Equal(t, cost{[]string{"GetItem", "UpdateItem"}, 1, 1, 0}, measure("change a setting", "one plain update", func() error {
		_, err := setting.Update(t.Context(), func(v *fees) error { v.Percent++; return nil })
		return err
	}))
	assert.Equal(t, cost{[]string{"DeleteItem"}, 0, 1, 0}, measure("delete a setting", "one plain delete",
		func() error { return setting.Delete(t.Context()) }))
	costs.Section(t, "catalogues")
}
