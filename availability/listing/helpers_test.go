package listing_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	keys "github.com/dynastay/dynastay/keys/listing"
)

// home is a database with the repository.
type home struct {
	*dyntest.DB
	repo *listing.Repository
}

func newHome(t *testing.T, opts ...dyntest.Option) *home {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{dyntest.Tables(keys.Table)}, opts...)...)
	return &home{db, listing.New(db.DB)}
}

const (
	lst  = "lst_123abc"
	host = "host_456def"
)

func nights(checkIn, checkOut string) dynastay.Stay { return dynastay.MustStay(checkIn, checkOut) }

func booking(id string, stay dynastay.Stay) listing.Booking {
	return listing.Booking{ListingID: lst, HostID: host, BookingID: id, Stay: stay}
}

func block(id string, stay dynastay.Stay) listing.Block {
	return listing.Block{ListingID: lst, HostID: host, BlockID: id, Stay: stay, Note: "paint"}
}

func reservation(externalID string, revision int, stay dynastay.Stay) listing.Reservation {
	return listing.Reservation{
		ListingID: lst, HostID: host, Source: listing.BookingCom, ExternalID: externalID, Revision: revision, Stay: stay,
	}
}

func cancelled(d listing.Reservation) listing.Reservation {
	d.Cancelled, d.Stay = true, dynastay.Stay{}
	return d
}

// year is long enough for everything that the tests store.
var year = nights("2025-01-01", "2026-12-01")

// held returns which event holds which night, and checks that each event holds exactly the nights of its item.
func (h *home) held(t *testing.T) map[string]string {
	t.Helper()
	a, err := h.repo.Check(t.Context(), lst, year, dynastay.Consistent)
	require.NoError(t, err)
	held, of := map[string]string{}, map[string][]dynastay.Date{}
	for _, n := range a.Taken {
		held[n.Date.String()] = n.EventID
		of[n.EventID] = append(of[n.EventID], n.Date)
	}
	for e, err := range h.repo.Events(lst).All(t.Context()) {
		require.NoError(t, err)
		var want []dynastay.Date
		for date := range e.Stay.Dates() {
			want = append(want, date)
		}
		assert.Equal(t, want, of[e.ID], e.ID)
		assert.False(t, e.Moving, e.ID)
		delete(of, e.ID)
	}
	assert.Empty(t, of, "nights of no event")
	return held
}

// runs is held in a short form, such as "2025-01-10 to 2025-01-12 BOOKING#bk_1".
func (h *home) runs(t *testing.T) (runs []string) {
	t.Helper()
	h.held(t)
	a, err := h.repo.Check(t.Context(), lst, year, dynastay.Consistent)
	require.NoError(t, err)
	for i := 0; i < len(a.Taken); {
		first := a.Taken[i]
		last := first
		for i++; i < len(a.Taken) && a.Taken[i].EventID == first.EventID && a.Taken[i].Date == last.Date.AddDays(1); i++ {
			last = a.Taken[i]
		}
		runs = append(runs, fmt.Sprintf("%s to %s %s", first.Date, last.Date, first.EventID))
	}
	return runs
}

// together runs f n times at once.
func together(n int, f func(n int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// context is the test's, for helpers of property tests, whose own context ends with each check.
func (h *home) context() context.Context { return context.Background() }
