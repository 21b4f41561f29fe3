package bookings_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// Imports that are repeated wait for the same nights as others that are refused. They share the refusal of the nights, which says
// nothing about the booking that exists.
func TestImportAgainBesideOthersThatAreRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, hotel, repo := openInJuly(t, 2)
	stay := dynastay.MustStay("2026-07-12", "2026-07-14")
	first := elsewhere(hotel, "pms-1", stay, bookings.Confirmed)
	_, err := repo.Import(ctx, first)
	require.NoError(t, err)
	const callers = 20
	var again, others [callers]error
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			_, others[n] = repo.Import(ctx, elsewhere(hotel, fmt.Sprintf("pms-2%d", n), stay, bookings.Confirmed))
		})
		wg.Go(func() { _, again[n] = repo.Import(ctx, first) })
	}
	wg.Wait()
	for n := range callers {
		assert.ErrorIs(t, again[n], dynastay.ErrAlreadyExists)
		assert.ErrorAs(t, others[n], new(*bookings.Refused))
	}
}
