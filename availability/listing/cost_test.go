package listing_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
)

// cost is what a call consumes; write units on the table and on the index.
type cost struct {
	requests     int
	read         float64
	table, index float64
}

// The costs in the README, with generated ids and a clock that moves.
func TestCosts(t *testing.T) {
	t.Parallel()
	var got cost
	h := newHome(t, dyntest.With(dynastay.Options{Observer: func(_ context.Context, c dynastay.Call) {
		got.requests += c.Requests()
		for _, u := range c.Usage {
			got.read += u.ReadUnits
			if u.Index == "" {
				got.table += u.WriteUnits
			} else {
				got.index += u.WriteUnits
			}
		}
	}}))
	ctx := t.Context()
	dynoxide := strings.HasPrefix(h.Engine.Name(), "dynoxide")
	costs := func(what string, want cost, do func() error) {
		t.Helper()
		got = cost{}
		require.NoError(t, do(), what)
		assert.Equal(t, want.requests, got.requests, "requests: %s", what)
		if dynoxide {
			assert.Equal(t, want, got, what)
		}
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
