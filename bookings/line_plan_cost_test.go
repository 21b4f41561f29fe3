package bookings_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// What bookings under rate plans cost, for three nights.
func TestCostOfLinesUnderPlans(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	index, _ := keys.AvailabilityTable.Index(keys.PropertyDateIndex)
	for date := range innNights.Dates() { // with their rows in the index
		night := i.night("a", date)
		night["Rates"] = rates(120, 150, nil)
		key, err := keys.Of(keys.NightByProperty{PropertyID: i.id, Date: date, RoomTypeID: i.roomType("a")})
		require.NoError(t, err)
		maps.Copy(night, index.Key.Of(key))
		raw.Put(t, i.DB, keys.AvailabilityTable, night)
	}
	costs := page.Costs{DB: i.DB}
	measure := func(what, why string, requests int, read, table, indexes float64, call func() error) {
		t.Helper()
		spent := i.Measure(func() { require.NoError(t, call(), what) })
		assert.Equal(t, requests, spent.Requests, what)
		if i.Has(dyntest.ExactUnits) {
			assert.Equal(t, dyntest.Cost{Requests: requests, ReadUnits: read, WriteUnits: table + indexes}, spent.Cost, what)
		}
		costs.Add(what, why, spent.Bill())
	}
	var b *bookings.Booking
	create := func(q *availability.Quote) func() error {
		return func() (err error) {
			b, err = i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
			return err
		}
	}
	modify := func(want ...under) func() error {
		m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, want...))
		require.NoError(t, err)
		return func() error {
			_, err := i.repo.Modify(t.Context(), m)
			return err
		}
	}
	family := withChildren(4)
	measure("create under a plan", "as without plans", 1, 0, 14, 8, create(i.quoteUnder(t, innStay, under{"half", 1, family})))
	measure("create with three lines of a room type", "the nights once, and two more lines", 1, 0, 18, 8,
		create(i.quoteUnder(t, innStay, under{"flex", 1, adults(2)}, under{"flex", 1, adults(1)}, under{"half", 1, family})))
	measure("modify: another party", "the booking and its line. The total differs, and so one row each by user, property, status and check-in", 2, 1, 6, 4,
		modify(under{"flex", 1, adults(2)}, under{"flex", 1, adults(1)}, under{"half", 1, withChildren(4, 12)}))
	measure("modify: another plan", "also a check of each night, which costs as much as a write", 2, 1, 12, 4,
		modify(under{"flex", 1, adults(2)}, under{"nonref", 1, adults(1)}, under{"half", 1, withChildren(4, 12)}))
	measure("modify: a room more", "the booking, which is below 1 KB now that its lines have no policy in common, its new line and the three nights", 2, 1, 10, 7,
		modify(under{"flex", 2, adults(2)}, under{"nonref", 1, adults(1)}, under{"half", 1, withChildren(4, 12)}))
	measure("cancel four lines", "the booking and each night once; the lines stay", 2, 1, 8, 8, func() error {
		_, err := i.repo.Cancel(t.Context(), b.ID, "", nil)
		return err
	})
	costs.Section(t, "bookings under rate plans")
}
