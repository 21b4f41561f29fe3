package listing_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// reads returns, for each read of the table among requests, whether it is consistent.
func reads(t *testing.T, sent []dyntest.Request) (consistent []bool) {
	t.Helper()
	for _, r := range sent {
		var body struct {
			ConsistentRead bool
			IndexName      string
		}
		require.NoError(t, json.Unmarshal(r.Body, &body))
		if (r.Operation == "GetItem" || r.Operation == "Query") && body.IndexName == "" {
			consistent = append(consistent, body.ConsistentRead)
		}
	}
	return consistent
}

// Local engines always read consistently, so only the requests show whether DynamoDB would.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	ctx := t.Context()
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-03"))
	_, err := h.repo.Book(ctx, booking("bk_2", nights("2025-02-05", "2025-02-07")))
	require.NoError(t, err)
	_, err = h.repo.Import(ctx, reservation("BC1", 1, nights("2025-03-01", "2025-03-03")))
	require.NoError(t, err)
	for _, call := range []struct {
		name  string
		reads int
		do    func() error
	}{
		{"Book, refused", 1, func() error {
			_, err := h.repo.Book(ctx, booking("bk_3", nights("2025-02-06", "2025-02-08")))
			return err
		}},
		{"Book, again with its key", 0, func() error {
			_, err := h.repo.Book(ctx, booking("bk_4", nights("2025-02-08", "2025-02-09")), dynastay.IdempotencyKey("k"))
			return err
		}},
		{"Book, again with its key", 1, func() error {
			_, err := h.repo.Book(ctx, booking("bk_4", nights("2025-02-08", "2025-02-09")), dynastay.IdempotencyKey("k"))
			return err
		}},
		{"Modify", 1, func() error {
			_, err := h.repo.Modify(ctx, lst, "BOOKING#bk_2", nights("2025-02-05", "2025-02-06"))
			return err
		}},
		{"Modify of nights alone", 2, func() error {
			_, err := h.repo.Modify(ctx, lst, "BOOKING#bk_1", nights("2025-02-01", "2025-02-04"))
			return err
		}},
		{"Import", 2, func() error {
			_, err := h.repo.Import(ctx, reservation("BC1", 2, nights("2025-03-01", "2025-03-04")))
			return err
		}},
		{"Delete of a reservation", 2, func() error {
			got, err := h.repo.Import(ctx, reservation("BC1", 2, nights("2025-03-01", "2025-03-04")))
			if err == nil {
				err = h.repo.Delete(ctx, lst, got.EventID)
			}
			return err
		}},
		{"Block of a year", 8, func() error {
			_, err := h.repo.Block(ctx, block("year", nights("2025-07-01", "2026-06-01")))
			return err
		}},
		{"Delete of a year", 8, func() error { return h.repo.Delete(ctx, lst, "BLOCK#year") }},
		{"Sync", 2, func() error {
			_, err := h.repo.Sync(ctx, h.feed("airbnb", calendarOf(closed("a", "2025-08-01", "2025-08-05"))))
			return err
		}},
		{"Export", 2, func() error {
			_, err := h.repo.Export(ctx, lst, dynastay.MustDate("2025-06-01"), exportAll)
			return err
		}},
	} {
		stop := h.Faults.Record()
		err := call.do()
		sent := stop()
		if call.name != "Book, refused" {
			require.NoError(t, err, call.name)
		}
		got := reads(t, sent)
		assert.GreaterOrEqual(t, len(got), call.reads, call.name)
		assert.NotContains(t, got, false, call.name)
	}
}
