package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// The visits of a user in countries, and the operations of a device named "country", are in one partition of the index.
func TestADeviceNamedCountry(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("country", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	h.one("country", tracker.ServerWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("x")}))
	for name, list := range map[string]dynastay.List[*tracker.Visit]{
		"VisitsOfType": h.repo.VisitsOfType(user, regions.Country), "Recent": h.repo.Recent(user, regions.Country),
	} {
		page, err := list.Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err, name)
		require.Len(t, page.Items, 1, name)
		assert.Equal(t, italy, page.Items[0].VisitID, name)
	}
	page, err := h.repo.ByDevice(user, "country").Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	assert.Equal(t, tracker.Update, page.Items[1].Type)
}

// What DynamoDB has not removed yet is not listed any more, apart from what waits for a decision.
func TestExpiredEntriesAreNotListed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, h.conflicting()).Outcome)
	o := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("b")})
	require.Equal(t, tracker.Rejected, h.one("tablet", tracker.ServerWins, o).Outcome)
	with := func(status tracker.Status) int { return len(pageOf(t, h.repo.ByStatus(status))) }
	by := func(id string) int { return len(pageOf(t, h.repo.ByDevice(user, id))) }
	h.Clock.Set(base.Add(30*24*time.Hour - time.Second))
	assert.Equal(t, []int{3, 1, 1, 2, 2}, []int{
		with(tracker.StatusApplied), with(tracker.StatusConflict), with(tracker.StatusPending), by("phone"), by("tablet"),
	})
	h.Clock.Advance(time.Minute)
	assert.Equal(t, []int{0, 0, 1, 0, 1}, []int{
		with(tracker.StatusApplied), with(tracker.StatusConflict), with(tracker.StatusPending), by("phone"), by("tablet"),
	})
}

func TestTheVisitsOfARegion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	second, gone, other := italy, italy, italy
	second.MarkedAt, gone.MarkedAt, other.RegionCode = base, base.Add(time.Second), "ITA"
	for _, id := range []tracker.VisitID{second, italy, gone, other} {
		h.one("phone", tracker.ServerWins, h.op(tracker.Create, id, 0, tracker.VisitEdit{}))
	}
	h.one("phone", tracker.ServerWins, h.op(tracker.Delete, gone, 1, tracker.VisitEdit{}))
	var got []tracker.VisitID
	for _, v := range pageOf(t, h.repo.VisitsOfRegion(user, regions.Country, "IT")) {
		got = append(got, v.VisitID)
	}
	assert.Equal(t, []tracker.VisitID{italy, second}, got)
	v, err := h.repo.Visit(t.Context(), user, gone, dynastay.Consistent)
	require.NoError(t, err)
	assert.True(t, v.Deleted)
	gone.RegionCode = "FR"
	_, err = h.repo.Visit(t.Context(), user, gone)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.VisitsOfRegion(user, regions.Country, "").Page(t.Context(), dynastay.Paging{})
	require.ErrorIs(t, err, dynastay.ErrInvalid)
}

// A list of a type that does not exist is an error, and not empty.
func TestListsOfATypeThatDoesNotExist(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	sent := h.Faults.Count("Query")
	for name, list := range map[string]dynastay.List[*tracker.Visit]{
		"VisitsOfType": h.repo.VisitsOfType(user, "countries"), "Recent": h.repo.Recent(user, "countries"),
		"VisitsOfRegion": h.repo.VisitsOfRegion(user, "countries", "IT"), "Visitors": h.repo.Visitors("countries", "IT"),
	} {
		_, err := list.Page(t.Context(), dynastay.Paging{})
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, "RegionType", invalid.Field)
	}
	assert.Equal(t, sent, h.Faults.Count("Query"))
}
