package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/regions/reference"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

func (s *story) search(ctx context.Context, found *report.Findings) error {
	page, err := s.regions.ByName(regions.Country, "south kor").Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, m := range page.Items {
		found.Add("%s  %s, by %q", m.Code, m.Name, m.Matched)
	}
	near, err := s.regions.InView(ctx, regions.Box{North: -10, South: -25, West: 170, East: -170}, regions.Country)
	if err != nil {
		return err
	}
	var codes []string
	for _, r := range near {
		codes = append(codes, r.Code)
	}
	slices.Sort(codes)
	found.Add("170° E to 170° W: %s", strings.Join(codes, " "))
	return nil
}

var continents = []struct {
	code regions.Continent
	name string
}{
	{regions.Africa, "Africa"}, {regions.Antarctica, "Antarctica"}, {regions.Asia, "Asia"}, {regions.Europe, "Europe"},
	{regions.NorthAmerica, "North America"}, {regions.Oceania, "Oceania"}, {regions.SouthAmerica, "South America"},
}

func (s *story) progress(ctx context.Context, found *report.Findings) error {
	stats, err := s.repo.Statistics(ctx, ana)
	if err != nil {
		return err
	}
	total := map[regions.Continent]int{}
	for _, r := range reference.Regions() {
		if r.Type == regions.Country {
			total[r.Continent]++
		}
	}
	for _, c := range continents {
		found.Add("%-14s %s %3d of %d", c.name, s.bar(stats.ByContinent[c.code].Visited, total[c.code]), stats.ByContinent[c.code].Visited,
			total[c.code])
	}
	found.Add("%d countries, %.2f %%; %d states, %.2f %%; %d days in a row", stats.Countries.Visited, stats.Countries.Percentage,
		stats.USStates.Visited, stats.USStates.Percentage, stats.StreakDays)
	return nil
}

const barWidth = 40

// bar draws a part of a whole.
func (s *story) bar(part, whole int) string {
	full := int(math.Ceil(float64(part) / float64(whole) * barWidth))
	if s.colours {
		return "\x1b[32m" + strings.Repeat("█", full) + "\x1b[90m" + strings.Repeat("░", barWidth-full) + "\x1b[0m"
	}
	return strings.Repeat("#", full) + strings.Repeat(".", barWidth-full)
}

func (s *story) cached(ctx context.Context, found *report.Findings) error {
	stats, err := s.repo.Statistics(ctx, ana)
	if err == nil {
		found.Add("calculated at %s", stats.CalculatedAt.Format("15:04"))
	}
	return err
}

func (s *story) recount(ctx context.Context, found *report.Findings) error {
	wrong, err := s.repo.Recount(ctx, ana)
	if err != nil {
		return err
	}
	if wrong {
		return errors.New("the counters were wrong")
	}
	found.Add("they are right")
	return nil
}

func (s *story) leave(ctx context.Context, found *report.Findings) error {
	s.phone.do(s, tracker.Operation{Type: tracker.Delete, Visit: s.phone.visitOf("IT")})
	if err := s.repo.Erase(ctx, ana); err != nil {
		return err
	}
	_, err := s.phone.push(ctx, s, tracker.ServerWins)
	if !errors.Is(err, dynastay.ErrNotFound) {
		return fmt.Errorf("the phone has brought something back: %w", err)
	}
	found.Add("the phone is told: %v", err)
	return nil
}
