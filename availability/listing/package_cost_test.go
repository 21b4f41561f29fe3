package listing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
)

// cost is in requests, read units, and write units on the table and on the index.
type cost dyntest.Bill

// The costs in docs/costs.md, with generated ids and a clock that moves.
func TestCosts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ctx := t.Context()
	costs := func(what string, want cost, do func() error) {
		t.Helper()
		dyntest.Costs(t, h.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
	var event *listing.Event
	costs("Book, three nights", cost{1, 0, 8, 3}, func() (err error) {
		event, err = h.repo.Book(ctx, booking(h.NewID("bk_"), nights("2025-01-10", "2025-01-13")))
		return err
	})
	costs("Check", cost{1, 0.5, 0, 0}, func() error {
		_, err := h.repo.Check(ctx, lst, nights("2025-01-01", "2025-01-08"))
		return err
	})
	costs("Modify: one night more and one less", cost{2, 1, 6, 2}, func() error {
		_, err := h.repo.Modify(ctx, lst, event.ID, nights("2025-01-11", "2025-01-14"))
		return err
	})
	costs("Delete, three nights", cost{2, 1, 8, 3}, func() error { return h.repo.Delete(ctx, lst, event.ID) })
	costs("Import", cost{2, 1, 10, 3}, func() error {
		_, err := h.repo.Import(ctx, reservation("BC1", 1, nights("2025-01-10", "2025-01-13")))
		return err
	})
	costs("Import, repeated", cost{1, 1, 0, 0}, func() error {
		_, err := h.repo.Import(ctx, reservation("BC1", 1, nights("2025-01-10", "2025-01-13")))
		return err
	})
	costs("Import, newer, unchanged", cost{2, 1, 1, 0}, func() error {
		_, err := h.repo.Import(ctx, reservation("BC1", 2, nights("2025-01-10", "2025-01-13")))
		return err
	})
	costs("Import, other dates", cost{3, 2, 8, 2}, func() error {
		_, err := h.repo.Import(ctx, reservation("BC1", 3, nights("2025-01-11", "2025-01-14")))
		return err
	})
	costs("Import, cancelled", cost{3, 2, 10, 3}, func() error {
		_, err := h.repo.Import(ctx, cancelled(reservation("BC1", 4, dynastay.Stay{})))
		return err
	})
	costs("Block, a year", cost{13, 45, 738, 365}, func() error {
		_, err := h.repo.Block(ctx, block("year", nights("2025-02-01", "2026-02-01")))
		return err
	})
	costs("ByHostBetween, a month", cost{1, 1, 0, 0}, func() error {
		_, err := h.repo.ByHostBetween(host, nights("2025-03-01", "2025-04-01")).Page(ctx, dynastay.Paging{Limit: 100})
		return err
	})
	costs("Delete, a year", cost{12, 38, 738, 365}, func() error { return h.repo.Delete(ctx, lst, "BLOCK#year") })
}
