package listing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// cost is in requests, read units, and write units on the table and on the index.
type cost dyntest.Bill

// What each call costs, with generated ids and a clock that moves.
func TestCosts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ctx := t.Context()
	costs := page.Costs{DB: h.DB}
	measure := func(what, why string, want cost, do func() error) {
		t.Helper()
		costs.Measure(t, what, why, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
	var event *listing.Event
	measure("Book (L2): three nights", "the event and its nights",
		cost{1, 0, 8, 3}, func() (err error) {
			event, err = h.repo.Book(ctx, booking(h.NewID("bk_"), nights("2025-01-10", "2025-01-13")))
			return err
		})
	measure("Check (L1): a week", "half a unit for every 4 KB", cost{1, 0.5, 0, 0}, func() error {
		_, err := h.repo.Check(ctx, lst, nights("2025-01-01", "2025-01-08"))
		return err
	})
	measure("Modify (L5): one night more and one less", "the nights that are kept are not written",
		cost{2, 1, 6, 2}, func() error {
			_, err := h.repo.Modify(ctx, lst, event.ID, nights("2025-01-11", "2025-01-14"))
			return err
		})
	measure("Delete (L4): three nights", "the event and its nights",
		cost{2, 1, 8, 3}, func() error { return h.repo.Delete(ctx, lst, event.ID) })
	measure("Import: new, three nights",
		"also what is known of the reservation. It is read first, because most deliveries are repeated",
		cost{2, 1, 10, 3}, func() error {
			_, err := h.repo.Import(ctx, reservation("BC1", 1, nights("2025-01-10", "2025-01-13")))
			return err
		})
	measure("Import: a delivery that is repeated", "it is recognised by the read", cost{1, 1, 0, 0}, func() error {
		_, err := h.repo.Import(ctx, reservation("BC1", 1, nights("2025-01-10", "2025-01-13")))
		return err
	})
	measure("Import: a newer revision with nothing new", "one plain update of what is known",
		cost{2, 1, 1, 0}, func() error {
			_, err := h.repo.Import(ctx, reservation("BC1", 2, nights("2025-01-10", "2025-01-13")))
			return err
		})
	measure("Import: one night more and one less", "also the event, which is read", cost{3, 2, 8, 2}, func() error {
		_, err := h.repo.Import(ctx, reservation("BC1", 3, nights("2025-01-11", "2025-01-14")))
		return err
	})
	measure("Import: cancelled", "the same, with three nights", cost{3, 2, 10, 3}, func() error {
		_, err := h.repo.Import(ctx, cancelled(reservation("BC1", 4, dynastay.Stay{})))
		return err
	})
	measure("Block (L3): a year", "4 transactions with the event in each. Each reads the nights that the event already has",
		cost{13, 45, 738, 365}, func() error {
			_, err := h.repo.Block(ctx, block("year", nights("2025-02-01", "2026-02-01")))
			return err
		})
	measure("ByHostBetween (L7): a month", "half a unit for every 4 KB", cost{1, 1, 0, 0}, func() error {
		_, err := h.repo.ByHostBetween(host, nights("2025-03-01", "2025-04-01")).Page(ctx, dynastay.Paging{Limit: 100})
		return err
	})
	measure("Delete (L4): a year", "the same",
		cost{12, 38, 738, 365}, func() error { return h.repo.Delete(ctx, lst, "BLOCK#year") })
	entries := []entry{reserved("a", "2025-06-20", "2025-06-25"), closed("b", "2025-06-25", "2025-07-03")}
	h.sync(t, entries...)
	feed := h.feed("airbnb", calendarOf(entries...))
	measure("Sync: nothing has changed",
		"the time of the download, the events of the listing, and its nights from today on: a read unit for every 4 KB",
		cost{3, 2, 2, 0}, func() error {
			_, err := h.repo.Sync(ctx, feed)
			return err
		})
	costs.Section(t, "listing calendar")
}
