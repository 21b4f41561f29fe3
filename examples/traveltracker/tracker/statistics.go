package tracker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// Reference is what statistics need to know of the world: the regions that are loaded.
type Reference struct {
	// Continents has all regions that are loaded, by type and code, each with the code of its continent, "" for none.
	Continents map[regions.Type]map[string]regions.Continent
}

// ReferenceOf returns the Reference of regions.
func ReferenceOf(all []regions.Region) Reference {
	ref := Reference{Continents: map[regions.Type]map[string]regions.Continent{}}
	for _, region := range all {
		if ref.Continents[region.Type] == nil {
			ref.Continents[region.Type] = map[string]regions.Continent{}
		}
		ref.Continents[region.Type][region.Code] = region.Continent
	}
	return ref
}

// Progress is how much of the world a user has visited.
type Progress struct {
	Visited    int     // regions
	Percentage float64 // of the loaded regions, with two decimal places; visited regions that are not loaded do not count
}

// Statistics are those of a user on a day.
type Statistics struct {
	UserID     string
	Date       dynastay.Date // the day in UTC on which they were calculated
	Countries  Progress
	USStates   Progress
	Provinces  Progress
	Total      Progress
	Continents []regions.Continent // of the countries, sorted; a state does not imply its country
	// ByContinent is the progress in the countries of each continent of which a country is loaded.
	ByContinent map[regions.Continent]Progress
	Recent      []RecentVisit
	StreakDays  int // the longest run of days with a visit, one after another

	CalculatedAt time.Time
	Expires      time.Time // 7 days after Date
	WriteID      dynastay.WriteID
}

// RecentVisit is one of the ten visits that were marked last.
type RecentVisit struct {
	VisitID
	RegionName  string
	VisitedDate dynastay.Date
}

const (
	maxRecent = 10
	statsDays = 7
)

// Calculate returns the statistics of visits. It reads nothing.
func Calculate(userID string, date dynastay.Date, visits []*Visit, ref Reference) Statistics {
	s := Statistics{UserID: userID, Date: date, Expires: date.AddDays(statsDays).Time()}
	visited := map[regions.Type]map[string]bool{}
	days := map[dynastay.Date]bool{}
	for _, v := range visits {
		if v.Deleted {
			continue
		}
		if visited[v.RegionType] == nil {
			visited[v.RegionType] = map[string]bool{}
		}
		visited[v.RegionType][v.RegionCode] = true
		days[v.day()] = true
		s.Recent = append(s.Recent, RecentVisit{v.VisitID, v.RegionName, v.VisitedDate})
	}
	known, loaded := 0, 0
	for kind, p := range map[regions.Type]*Progress{
		regions.Country: &s.Countries, regions.USState: &s.USStates, regions.CanadianProvince: &s.Provinces,
	} {
		n := ref.known(kind, visited[kind])
		*p = Progress{len(visited[kind]), percentage(n, len(ref.Continents[kind]))}
		s.Total.Visited += p.Visited
		known, loaded = known+n, loaded+len(ref.Continents[kind])
	}
	s.Total.Percentage = percentage(known, loaded)
	for code := range visited[regions.Country] {
		if continent := ref.Continents[regions.Country][code]; continent != "" && !slices.Contains(s.Continents, continent) {
			s.Continents = append(s.Continents, continent)
		}
	}
	slices.Sort(s.Continents)
	s.ByContinent = ref.byContinent(visited[regions.Country])
	slices.SortFunc(s.Recent, func(a, b RecentVisit) int {
		return cmp.Or(b.MarkedAt.Compare(a.MarkedAt), cmp.Compare(a.RegionType, b.RegionType), cmp.Compare(a.RegionCode, b.RegionCode))
	})
	s.Recent = s.Recent[:min(len(s.Recent), maxRecent)]
	s.StreakDays = longestRun(days)
	return s
}

// day returns the day of a visit: the one that the user has given, or that on which it was marked, in UTC.
func (v *Visit) day() dynastay.Date {
	if !v.VisitedDate.IsZero() {
		return v.VisitedDate
	}
	return dynastay.DateOf(v.MarkedAt, time.UTC)
}

// known returns how many of the visited regions are loaded.
func (ref Reference) known(of regions.Type, visited map[string]bool) (n int) {
	for code := range visited {
		if _, loaded := ref.Continents[of][code]; loaded {
			n++
		}
	}
	return n
}

func (ref Reference) byContinent(visited map[string]bool) map[regions.Continent]Progress {
	total, seen := map[regions.Continent]int{}, map[regions.Continent]int{}
	for code, continent := range ref.Continents[regions.Country] {
		if continent == "" {
			continue
		}
		total[continent]++
		if visited[code] {
			seen[continent]++
		}
	}
	if len(total) == 0 {
		return nil
	}
	all := map[regions.Continent]Progress{}
	for continent, n := range total {
		all[continent] = Progress{Visited: seen[continent], Percentage: percentage(seen[continent], n)}
	}
	return all
}

func percentage(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(float64(part)/float64(whole)*10_000) / 100
}

func longestRun(days map[dynastay.Date]bool) (longest int) {
	for day := range days {
		if days[day.AddDays(-1)] {
			continue // not the first day of a run
		}
		n := 1
		for days[day.AddDays(n)] {
			n++
		}
		longest = max(longest, n)
	}
	return longest
}
