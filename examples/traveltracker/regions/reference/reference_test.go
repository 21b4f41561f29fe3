package reference_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/regions/reference"
	"github.com/dynastay/dynastay/keys/key"
)

// byType returns the regions of a type by code.
func byType(t regions.Type) map[string]regions.Region {
	all := map[string]regions.Region{}
	for _, r := range reference.Regions() {
		if r.Type == t {
			all[r.Code] = r
		}
	}
	return all
}

func TestRegionsAreComplete(t *testing.T) {
	assert.Len(t, reference.Regions(), 249+51+13)
	assert.Len(t, byType(regions.Country), 249)
	assert.Len(t, byType(regions.USState), 51)
	assert.Len(t, byType(regions.CanadianProvince), 13)
	boxes := map[regions.Type]int{}
	for _, r := range reference.Regions() {
		require.NoError(t, r.Validate(), r.Code)
		assert.NotContains(t, []string{"None", "Unknown"}, r.Capital, r.Code)
		assert.NotEmpty(t, r.DisplayName, r.Code)
		assert.Equal(t, reference.Version, r.DataVersion)
		assert.NotEmpty(t, r.Continent, r.Code)
		assert.Equal(t, r.Type != regions.Country, r.Parent != "", r.Code)
		assert.Len(t, r.Code, 2)
		folded := map[string]bool{key.Fold(r.Name): true}
		for _, alias := range r.Aliases {
			assert.False(t, folded[key.Fold(alias)], "%s: %s adds nothing", r.Code, alias)
			folded[key.Fold(alias)] = true
		}
		if r.Box != nil {
			boxes[r.Type]++
		}
	}
	assert.Equal(t, map[regions.Type]int{regions.Country: 248, regions.USState: 51, regions.CanadianProvince: 13}, boxes, "every line of the file is used")
}

// Changing the result does not change the data.
func TestRegionsAreTheCallers(t *testing.T) {
	for _, r := range reference.Regions() {
		if r.Box != nil {
			r.Box.North = -1
		}
		if len(r.Aliases) > 0 {
			r.Aliases[0] = "changed"
		}
	}
	us := byType(regions.Country)["US"]
	assert.Equal(t, regions.Box{North: 71.41, South: 18.91, East: -66.94, West: 172.42}, *us.Box)
	assert.Equal(t, "USA", us.Aliases[0])
}

// Every country is found by the name that Unicode's CLDR has for it in English, except for these.
func TestNamesAgreeWithCLDR(t *testing.T) {
	differ := map[string]string{}
	for code, r := range byType(regions.Country) {
		cldr := display.English.Regions().Name(language.MustParseRegion(code))
		names := []string{key.Fold(r.Name)}
		for _, alias := range r.Aliases {
			names = append(names, key.Fold(alias))
		}
		if !slices.Contains(names, key.Fold(cldr)) {
			differ[code] = cldr
		}
	}
	assert.Equal(t, map[string]string{
		"GS": "South Georgia & South Sandwich Islands", "HK": "Hong Kong SAR China", "HM": "Heard & McDonald Islands",
		"MM": "Myanmar (Burma)", "MO": "Macau SAR China", "UM": "U.S. Outlying Islands", "VC": "St. Vincent & Grenadines",
	}, differ)
}

// Continents are those of the UN's M49 standard, except for the islands around Antarctica. The British Indian Ocean
// Territory is in Africa there, and in Oceania in CLDR, which has the groups.
func TestContinentsAgreeWithM49(t *testing.T) {
	m49 := map[regions.Continent][]string{
		regions.Africa: {"002"}, regions.Asia: {"142"}, regions.Europe: {"150"}, regions.Oceania: {"009"},
		regions.NorthAmerica: {"021", "013", "029"}, regions.SouthAmerica: {"005"},
	}
	for code, r := range byType(regions.Country) {
		if r.Continent == regions.Antarctica {
			assert.Contains(t, []string{"AQ", "BV", "GS", "HM", "TF"}, code)
			continue
		}
		if code == "IO" {
			assert.Equal(t, regions.Africa, r.Continent)
			continue
		}
		assert.True(t, slices.ContainsFunc(m49[r.Continent], func(group string) bool {
			return language.MustParseRegion(group).Contains(language.MustParseRegion(code))
		}), "%s is not in %s", code, r.Continent)
	}
}

func TestSomeRegions(t *testing.T) {
	for _, c := range []struct {
		all                                map[string]regions.Region
		code, name, display, capital, from string
	}{
		{byType(regions.Country), "KR", "South Korea", "South Korea", "Seoul", ""},
		{byType(regions.Country), "AQ", "Antarctica", "Antarctica", "", ""},
		{byType(regions.Country), "KZ", "Kazakhstan", "Kazakhstan", "Astana", ""},
		{byType(regions.USState), "GA", "Georgia", "Georgia, United States", "Atlanta", "US"},
		{byType(regions.USState), "DC", "District of Columbia", "District of Columbia, United States", "", "US"},
		{byType(regions.CanadianProvince), "YT", "Yukon", "Yukon, Canada", "Whitehorse", "CA"},
		{byType(regions.CanadianProvince), "NT", "Northwest Territories", "Northwest Territories, Canada", "Yellowknife", "CA"},
	} {
		r := c.all[c.code]
		assert.Equal(t, []string{c.name, c.display, c.capital, c.from}, []string{r.Name, r.DisplayName, r.Capital, r.Parent})
	}
}

// The boxes of states and provinces are within that of their country, apart from rounding, and have a plausible size.
func TestBoxes(t *testing.T) {
	for _, part := range []struct {
		regions.Type
		country  string
		rounding float64
	}{{regions.USState, "US", 0}, {regions.CanadianProvince, "CA", 0.11}} {
		whole := *byType(regions.Country)[part.country].Box
		for code, r := range byType(part.Type) {
			for _, longitude := range []float64{r.Box.West + part.rounding, r.Box.East - part.rounding} {
				assert.True(t, whole.Contains(key.Point{Latitude: r.Box.South + part.rounding, Longitude: longitude}), code)
				assert.True(t, whole.Contains(key.Point{Latitude: r.Box.North - part.rounding, Longitude: longitude}), code)
			}
		}
	}
	for code, r := range byType(regions.Country) {
		if code == "UM" {
			assert.Nil(t, r.Box)
			continue
		}
		width := r.Box.East - r.Box.West
		assert.Equal(t, slices.Contains([]string{"FJ", "KI", "NZ", "RU", "US"}, code), width < 0, "%s crosses the antimeridian", code)
		if width < 0 {
			width += 360
		}
		assert.Less(t, width, map[bool]float64{true: 361, false: 172}[code == "AQ"], code)
	}
}

// All regions are loaded, and found by what people type and where they are.
func TestLoad(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.Table))
	repo := regions.New(db.DB)
	changed, err := repo.Load(t.Context(), reference.Regions())
	require.NoError(t, err)
	assert.Equal(t, 313, changed)
	sent := db.Measure(func() { changed, err = repo.Load(t.Context(), reference.Regions()) })
	require.NoError(t, err)
	assert.Zero(t, changed)
	assert.Equal(t, 4, sent.Requests)

	for typed, want := range map[string][]string{
		"south korea": {"KR"}, "Russia": {"RU"}, "usa": {"US"}, "UK": {"GB", "UA"}, "ivory coast": {"CI"}, "cote d ivoire": {"CI"},
		"czechia": {"CZ"}, "Česko": {"CZ"}, "Deutschland": {"DE"}, "Færøerne": {"FO"}, "Føroyar": {"FO"}, "faroe": {"FO"},
		"holland": {"NL"}, "burma": {"MM"}, "swaziland": {"SZ"}, "turk": {"TR", "TM", "TC"}, "日本": {"JP"},
		"united": {"AE", "GB", "TZ", "US", "UM", "VI"},
		"guinea": {"GN", "GW"}, "congo": {"CG", "CD"}, "north": {"GB", "MP", "KP", "MK"}, "atlantis": nil,
	} {
		var got []string
		for m, err := range repo.ByName(regions.Country, typed).All(t.Context()) {
			require.NoError(t, err)
			got = append(got, m.Code)
		}
		assert.Equal(t, want, got, typed)
	}
	country := func(codes ...string) (all []regions.Ref) {
		for _, code := range codes {
			all = append(all, regions.Ref{Type: regions.Country, Code: code})
		}
		return all
	}
	for name, c := range map[string]struct {
		view regions.Box
		want []regions.Ref
	}{
		"the Bering Strait": {regions.Box{North: 66, South: 65, East: -168, West: -170}, append(country("RU", "US"), regions.Ref{Type: regions.USState, Code: "AK"})},
		"Taveuni":           {regions.Box{North: -16.7, South: -17, East: -179.9, West: 179.9}, country("FJ")},
		"the south pole":    {regions.Box{North: -85, South: -90, East: 180, West: -180}, country("AQ")},
		"Calgary": {regions.Box{North: 51.2, South: 50.9, East: -113.9, West: -114.2}, append([]regions.Ref{
			{Type: regions.CanadianProvince, Code: "AB"}, {Type: regions.CanadianProvince, Code: "BC"},
		}, country("CA", "US")...)},
		"Malé":   {regions.Box{North: 4.2, South: 4.1, East: 73.6, West: 73.4}, country("MV")},
		"Zürich": {regions.Box{North: 47.4, South: 47.3, East: 8.6, West: 8.5}, country("CH", "DE", "FR")},
	} {
		found, err := repo.InView(t.Context(), c.view)
		require.NoError(t, err)
		var got []regions.Ref
		for _, p := range found {
			got = append(got, p.Ref)
		}
		assert.Equal(t, c.want, got, name)
	}
	world, err := repo.InView(t.Context(), regions.Box{North: 90, South: -90, East: 180, West: -180})
	require.NoError(t, err)
	assert.Equal(t, 248+51+13, len(world))
	page, err := repo.All(regions.CanadianProvince).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Len(t, page.Items, 13)
}
