package regions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// What people type finds regions by the beginning of any of their names.
func TestByName(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	country := func(code, name string, aliases ...string) regions.Region {
		return regions.Region{Type: regions.Country, Code: code, Name: name, Aliases: aliases}
	}
	a.create(t, korea(), faroes(), country("CI", "Côte d'Ivoire", "Ivory Coast"), country("DE", "Germany", "Deutschland"),
		country("BA", "Bosnia & Herzegovina"), country("KP", "North Korea"), country("AX", "Åland Islands"),
		regions.Region{Type: regions.USState, Code: "NM", Name: "New Mexico"},
		regions.Region{Type: regions.CanadianProvince, Code: "NB", Name: "New Brunswick"})
	for typed, want := range map[string][]string{
		"Færøerne": {"FO"}, "faeroerne": {"FO"}, "FÖROYAR": {"FO"}, "faroe": {"FO"}, "fa": {"FO"}, "f": {"FO"},
		"south kor": {"KR"}, "SOUTH-KOREA": {"KR"}, "kor": {"KR"}, "republic of": {"KR"}, "대한": {"KR"}, "korea": {"KR"},
		"cote d ivoire": {"CI"}, "COTE D'IVOIRE": {"CI"}, "ivory": {"CI"}, "cote d’iv": {"CI"}, "deutsch": {"DE"}, "germ": {"DE"},
		"bosnia and": {"BA"}, "bosnia & h": {"BA"}, "aland": {"AX"}, "n": {"KP"}, "new": nil, "land": nil, "koreas": nil,
	} {
		assert.Equal(t, want, codes(t, a.repo.ByName(regions.Country, typed), 50), typed)
	}
	assert.Equal(t, []string{"NM"}, codes(t, a.repo.ByName(regions.USState, "new"), 50))
	assert.Equal(t, []string{"NB"}, codes(t, a.repo.ByName(regions.CanadianProvince, "new"), 50))
	assert.Equal(t, []*regions.Match{{
		Ref: regions.Ref{Type: regions.Country, Code: "KR"}, Name: "Republic of Korea", DisplayName: "South Korea", Matched: "South Korea",
	}}, listed(t, a.repo.ByName(regions.Country, "south"), 50))
	assert.Equal(t, "Republic of Korea", listed(t, a.repo.ByName(regions.Country, "rep"), 50)[0].Matched)
}

// Regions whose names overlap are listed once each, in the order of their first names, whatever the size of the pages.
func TestByNameAgreesWithBruteForce(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringMatching("[ab]{1,3}")
		names := map[string][]string{}
		var data []regions.Region
		for i := range 5 {
			all := rapid.SliceOfN(name, 1, 5).Draw(rt, "names")
			code := fmt.Sprintf("C%d", i)
			names[code] = all
			typed := slices.Clone(all)
			for i := range typed {
				typed[i] = strings.ToUpper(typed[i][:1]) + "-" + typed[i][1:]
			}
			data = append(data, regions.Region{Type: regions.Country, Code: code, Name: typed[0], Aliases: typed[1:]})
		}
		_, err := a.repo.Load(t.Context(), data)
		require.NoError(rt, err)
		prefix := name.Draw(rt, "prefix")
		var rows []string
		for code, all := range names {
			own := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return !strings.HasPrefix(n, prefix) })
			if len(own) > 0 {
				rows = append(rows, slices.Min(own)+"#"+code)
			}
		}
		slices.Sort(rows)
		var want []string
		for _, row := range rows {
			_, code, _ := strings.Cut(row, "#")
			want = append(want, code)
		}
		found += len(want)
		require.Equal(rt, want, codes(t, a.repo.ByName(regions.Country, prefix), rapid.IntRange(1, 3).Draw(rt, "limit")))
	})
	a.check(t)
	assert.Positive(t, found)
}

// Regions of other software are found by their own name; the sort key of their row has no code.
func TestByNameOfOtherSoftware(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.put(t, document(t))
	broken := document(t)
	broken["SK"], broken["name"] = "REGION#XX", 7.0
	a.put(t, broken)
	page, err := a.repo.ByName(regions.USState, "cal").Page(t.Context(), dynastay.Paging{})
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)
	assert.Len(t, page.Items, 1)
}
