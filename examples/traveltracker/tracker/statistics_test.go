package tracker_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

var reference = tracker.ReferenceOf([]regions.Region{
	{Type: regions.Country, Code: "IT", Continent: "EU"}, {Type: regions.Country, Code: "FR", Continent: "EU"},
	{Type: regions.Country, Code: "JP", Continent: "AS"},
	{Type: regions.USState, Code: "CA"}, {Type: regions.USState, Code: "GA"}, {Type: regions.CanadianProvince, Code: "BC"},
})

func visit(of regions.Type, code, marked, visited string) *tracker.Visit {
	at, err := time.Parse(time.RFC3339, marked)
	if err != nil {
		panic(err)
	}
	v := &tracker.Visit{VisitID: tracker.VisitID{RegionType: of, RegionCode: code, MarkedAt: at}}
	if visited != "" {
		v.VisitedDate = dynastay.MustDate(visited)
	}
	return v
}

func TestCalculate(t *testing.T) {
	t.Parallel()
	deleted := visit(regions.Country, "FR", "2037-01-04T12:00:00Z", "")
	deleted.Deleted = true
	s := tracker.Calculate(user, dynastay.MustDate("2037-01-31"), []*tracker.Visit{
		visit(regions.Country, "IT", "2037-01-01T23:30:00-05:00", ""), // the second, in UTC
		visit(regions.Country, "IT", "2037-01-20T12:00:00Z", "2037-01-03"),
		visit(regions.Country, "XX", "2037-01-21T12:00:00Z", "2036-12-31"), // not loaded
		visit(regions.USState, "CA", "2037-01-22T12:00:00Z", "2037-01-01"),
		visit(regions.CanadianProvince, "BC", "2037-01-23T12:00:00Z", "2036-06-01"),
		deleted,
	}, reference)
	assert.Equal(t, tracker.Progress{Visited: 2, Percentage: 33.33}, s.Countries, "Italy once, and one of three that are loaded")
	assert.Equal(t, tracker.Progress{Visited: 1, Percentage: 50}, s.USStates)
	assert.Equal(t, tracker.Progress{Visited: 1, Percentage: 100}, s.Provinces)
	assert.Equal(t, tracker.Progress{Visited: 4, Percentage: 50}, s.Total, "three of six")
	assert.Equal(t, []regions.Continent{"EU"}, s.Continents, "a state does not imply its country")
	assert.Equal(t, map[regions.Continent]tracker.Progress{"EU": {Visited: 1, Percentage: 50}, "AS": {}}, s.ByContinent)
	assert.Equal(t, 4, s.StreakDays, "31 December to 3 January")
	require.Len(t, s.Recent, 5)
	assert.Equal(t, "BC", s.Recent[0].RegionCode)
	assert.Equal(t, time.Date(2037, 2, 7, 0, 0, 0, 0, time.UTC), s.Expires)
	assert.Equal(t, tracker.Statistics{UserID: user, Date: dynastay.MustDate("2037-01-31"), Expires: s.Expires},
		tracker.Calculate(user, dynastay.MustDate("2037-01-31"), nil, tracker.Reference{}))
}

// Of visits that were marked at once, as those of a batch are, always the same ones are the ten last.
func TestRecentVisitsThatWereMarkedAtOnce(t *testing.T) {
	t.Parallel()
	var visits []*tracker.Visit
	var want []string
	for _, of := range []regions.Type{regions.USState, regions.Country} {
		for _, code := range []string{"F", "E", "D", "C", "B", "A"} {
			visits = append(visits, visit(of, code, "2037-01-01T12:00:00Z", ""))
		}
	}
	for _, v := range slices.Backward(visits) {
		want = append(want, string(v.RegionType)+v.RegionCode)
	}
	var got []string
	for _, v := range tracker.Calculate(user, dynastay.MustDate("2037-01-31"), visits, reference).Recent {
		got = append(got, string(v.RegionType)+v.RegionCode)
	}
	assert.Equal(t, want[:10], got)
}

// The longest run and the ten last visits, against a plain search.
func TestCalculateAgreesWithASearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := dynastay.MustDate("2037-01-01")
		var visits []*tracker.Visit
		days := make([]bool, 40)
		for i := range rapid.IntRange(0, 25).Draw(t, "visits") {
			day := rapid.IntRange(0, 39).Draw(t, "day")
			days[day] = true
			v := visit(regions.Country, fmt.Sprint("C", i), "2037-01-01T00:00:00Z", first.AddDays(day).String())
			v.MarkedAt = v.MarkedAt.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "marked")) * time.Hour)
			visits = append(visits, v)
		}
		longest, run := 0, 0
		for _, there := range days {
			if run++; !there {
				run = 0
			}
			longest = max(longest, run)
		}
		s := tracker.Calculate(user, first, visits, reference)
		require.Equal(t, longest, s.StreakDays)
		require.Len(t, s.Recent, min(10, len(visits)))
		require.True(t, slices.IsSortedFunc(s.Recent, func(a, b tracker.RecentVisit) int { return b.MarkedAt.Compare(a.MarkedAt) }))
		for _, v := range visits {
			if !slices.ContainsFunc(s.Recent, func(r tracker.RecentVisit) bool { return r.VisitID == v.VisitID }) {
				require.False(t, v.MarkedAt.After(s.Recent[len(s.Recent)-1].MarkedAt))
			}
		}
	})
}

func TestStatisticsOfADay(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	repo := tracker.New(h.DB.DB, &tracker.Options{Reference: reference})
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{RegionName: of("Italy")}))
	first, err := repo.Statistics(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 33.33, first.Countries.Percentage)
	assert.Equal(t, []regions.Continent{"EU"}, first.Continents)
	assert.Equal(t, "Italy", first.Recent[0].RegionName)
	h.marks(1)
	queries := h.Faults.Count("Query")
	cached, err := repo.Statistics(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, first, cached, "calculated once a day")
	assert.Equal(t, queries, h.Faults.Count("Query"))
	fresh, err := repo.CalculateStatistics(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 2, fresh.Countries.Visited)
	cached, err = repo.Statistics(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, fresh, cached)
	assert.Equal(t, []*tracker.Statistics{fresh}, pageOf(t, repo.StatisticsOn(dynastay.MustDate("2037-11-10"))))
	h.Clock.Advance(24 * time.Hour)
	next, err := repo.Statistics(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, dynastay.MustDate("2037-11-11"), next.Date)
	h.Clock.Set(fresh.Expires)
	assert.Empty(t, pageOf(t, repo.StatisticsOn(fresh.Date)), "expired, and not removed yet")
	assert.Equal(t, []*tracker.Statistics{next}, pageOf(t, repo.StatisticsOn(next.Date)))
	_, err = repo.Statistics(t.Context(), "nobody")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}
