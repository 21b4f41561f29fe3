package regions_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// meet compares two boxes point by point: if they have a point in common, then also one whose coordinates are edges.
func meet(a, b regions.Box) bool {
	inside := func(x regions.Box, latitude, longitude float64) bool {
		if latitude < x.South || latitude > x.North {
			return false
		}
		width := x.East - x.West
		if width < 0 {
			width += 360
		}
		for _, turn := range []float64{-360, 0, 360} {
			if d := longitude + turn - x.West; d >= 0 && d <= width {
				return true
			}
		}
		return false
	}
	for _, latitude := range []float64{a.South, a.North, b.South, b.North} {
		for _, longitude := range []float64{a.West, a.East, b.West, b.East} {
			if inside(a, latitude, longitude) && inside(b, latitude, longitude) {
				return true
			}
		}
	}
	return false
}

// boxes draws boxes of all sizes, many of which cross the antimeridian, contain a pole, or end at edges of cells and of
// each other.
func boxes() *rapid.Generator[regions.Box] {
	return rapid.Custom(func(t *rapid.T) regions.Box {
		edge := func(most, step float64, name string) float64 {
			switch rapid.IntRange(0, 3).Draw(t, name+" kind") {
			case 0:
				return rapid.SampledFrom([]float64{-most, most, 0, most - step, step - most}).Draw(t, name)
			case 1:
				return float64(rapid.IntRange(-int(most/step), int(most/step)).Draw(t, name)) * step
			}
			return float64(rapid.IntRange(-int(most), int(most)).Draw(t, name))
		}
		near := rapid.Bool().Draw(t, "small")
		b := regions.Box{South: edge(90, 5.625, "south"), West: edge(180, 11.25, "west")}
		b.North, b.East = edge(90, 5.625, "north"), edge(180, 11.25, "east")
		if near {
			b.North = min(90, b.South+float64(rapid.IntRange(0, 10).Draw(t, "height")))
			if b.East = b.West + float64(rapid.IntRange(0, 20).Draw(t, "width")); b.East > 180 {
				b.East -= 360
			}
		}
		if b.North < b.South {
			b.North, b.South = b.South, b.North
		}
		return b
	})
}

// The regions in view are those that a comparison of all boxes finds, for views and regions of all sizes.
//
//	go test ./examples/traveltracker/regions -run BruteForce -count=1 -rapid.checks=1000 -model.views=10
func TestInViewAgreesWithBruteForce(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	stored := map[regions.Ref]regions.Box{}
	met := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		var data []regions.Region
		for i := range rapid.IntRange(1, 4).Draw(rt, "regions") {
			b := boxes().Draw(rt, "region")
			// Most regions stay as an earlier history has left them.
			r := regions.Region{
				Type: rapid.SampledFrom(regions.Types()).Draw(rt, "type"), Name: "x", Box: &b,
				Code: fmt.Sprint(i, rapid.IntRange(0, 9).Draw(rt, "code")),
			}
			data = append(data, r)
		}
		_, err := a.repo.Load(t.Context(), data)
		require.NoError(rt, err)
		for _, r := range data {
			stored[r.Ref()] = *r.Box
		}
		for range *views {
			view := boxes().Draw(rt, "view")
			types := rapid.SliceOfNDistinct(rapid.SampledFrom(regions.Types()), 0, 3, rapid.ID[regions.Type]).Draw(rt, "types")
			var want []regions.Placed
			for ref, b := range stored {
				if (len(types) == 0 || slices.Contains(types, ref.Type)) && meet(view, b) {
					want = append(want, regions.Placed{Ref: ref, Box: b})
				}
			}
			slices.SortFunc(want, func(a, b regions.Placed) int {
				return strings.Compare(string(a.Type)+"#"+a.Code, string(b.Type)+"#"+b.Code)
			})
			var got []regions.Placed
			sent := a.Measure(func() { got, err = a.repo.InView(t.Context(), view, types...) })
			require.NoError(rt, err)
			require.Equal(rt, want, got, "%+v", view)
			require.LessOrEqual(rt, sent.Requests, regions.MaxPartitions)
			met["cells"] += min(len(want), btoi(sent.Requests > 3))
			met["all"] += min(len(want), btoi(sent.Requests <= 3))
			met["crossing"] += min(len(want), btoi(view.West > view.East))
			met["pole"] += min(len(want), btoi(view.North == 90 || view.South == -90))
			met["none"] += btoi(len(want) == 0)
		}
	})
	a.check(t)
	for _, kind := range []string{"cells", "all", "crossing", "pole", "none"} {
		assert.NotZero(t, met[kind], kind)
	}
	t.Log(met)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Boxes that only touch each other meet, also across the antimeridian; the longitudes 180 and -180 are the same.
func TestEdges(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, regions.Region{Type: regions.Country, Code: "W", Name: "West", Box: box(0, 170, 10, 180)},
		regions.Region{Type: regions.Country, Code: "E", Name: "East", Box: box(0, -180, 10, -170)},
		regions.Region{Type: regions.Country, Code: "C", Name: "Crossing", Box: box(0, 170, 10, -170)},
		regions.Region{Type: regions.Country, Code: "M", Name: "Meridian", Box: box(-45, 45, 0, 45)},
		regions.Region{Type: regions.Country, Code: "N", Name: "North", Box: box(80, -10, 90, 10)})
	for _, c := range []struct {
		view *regions.Box
		want string
	}{
		{box(0, -180, 10, -180), "CEW"}, {box(0, 180, 10, 180), "CEW"}, {box(0, 180, 10, -180), "CEW"},
		{box(10, 175, 20, 176), "CW"}, {box(10.01, 175, 20, 176), ""}, {box(5, -179, 6, -178), "CE"},
		{box(5, -170, 6, -160), "CE"}, {box(5, -169.99, 6, -160), ""}, {box(5, 160, 6, 170), "CW"},
		{box(0, -180, 0, 180), "CEMW"}, {box(-90, -180, 90, 180), "CEMNW"}, {box(-10, 30, 0, 45), "M"}, {box(0, 45, 10, 60), "M"},
		{box(0, 45.01, 10, 60), ""}, {box(90, -180, 90, 180), "N"}, {box(90, 5, 90, 6), "N"}, {box(90, 20, 90, 30), ""},
		{box(85, 179, 90, -179), ""}, {box(-90, -180, -60, 180), ""}, {box(0, 20, 10, 10), "CEMW"}, {box(0, 20, 10, -175), "CEMW"},
	} {
		found, err := a.repo.InView(t.Context(), *c.view)
		require.NoError(t, err)
		got := ""
		for _, p := range found {
			got += p.Code
		}
		assert.Equal(t, c.want, got, "%+v", *c.view)
	}
}

// The number of items of a region, and of partitions of a view, are limited.
func TestSizes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	sent := map[string]int{}
	a := newAtlas(t, dyntest.With(dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
		mu.Lock()
		defer mu.Unlock()
		sent[c.Operation] += c.Requests()
	})}))
	for _, c := range []struct {
		name       string
		box        *regions.Box
		items      int
		partitions int // of a view with this box
	}{
		{"Russia", box(41.18, 19.63, 81.86, -169.01), 10, 3},
		{"United States", box(18.91, 172.43, 71.41, -66.94), 8, 3},
		{"Antarctica", box(-90, -180, -60.52, 180), 8, 3},
		{"Fiji", box(-21.76, 174.62, -12.47, -178.2), 4, 6},
		{"Faroe Islands", box(61.41, -7.43, 62.36, -6.4), 2, 3}, // 61.875° N is the edge of two cells
		{"world", box(-90, -180, 90, 180), 32, 3},
		{"point", box(0, 0, 0, 0), 1, 2},
		{"24 cells", box(0, 0, 5.625*5+1, 11.25*3+1), 24, 25},
		{"25 cells", box(0, 0, 5.625*4+1, 11.25*4+1), 2, 27}, // 28.7° and 45.1° wide: 2 large cells
		{"30 cells and 2", box(0, 0, 5.625*5+1, 11.25*4), 2, 32},
		{"30 cells and 4", box(0, 11.25, 5.625*4, 11.25*6-1), 2, 27},
		{"32 cells", box(0, 0, 44, 44), 1, 3},
	} {
		a.create(t, regions.Region{Type: regions.Country, Code: "X", Name: c.name, Box: c.box})
		assert.Len(t, a.items(t), 1+c.items, c.name)
		a.check(t)
		clear(sent)
		found, err := a.repo.InView(t.Context(), *c.box)
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"Query": c.partitions}, sent, c.name)
		assert.Len(t, found, 1, c.name)
		require.NoError(t, regions.New(a.Direct).Delete(t.Context(), regions.Country, "X"))
	}
	clear(sent)
	_, err := a.repo.InView(t.Context(), *box(-90, -180, 90, 180), regions.USState, regions.Country, regions.USState)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"Query": 2}, sent)
}

func TestCenter(t *testing.T) {
	for _, c := range []struct {
		box  *regions.Box
		want key.Point
	}{
		{box(0, 0, 10, 20), key.Point{Latitude: 5, Longitude: 10}},
		{box(-10, 170, 0, -170), key.Point{Latitude: -5, Longitude: 180}},
		{box(0, 160, 0, -170), key.Point{Longitude: 175}},
		{box(0, 170, 0, -160), key.Point{Longitude: -175}},
		{box(0, -180, 0, 180), key.Point{}},
	} {
		assert.Equal(t, c.want, c.box.Center())
		assert.True(t, c.box.Contains(c.want))
	}
}

// An item that cannot be read does not hide the others.
func TestInViewOfUnreadableItems(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, faroes())
	a.put(t, map[string]any{"PK": "BBOX#gg", "SK": "REGION#country#XX", "region_code": "XX", "bbox_north": "62.4"})
	found, err := a.repo.InView(t.Context(), *box(61, -8, 62, -6))
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)
	require.Len(t, found, 1)
	assert.Equal(t, "FO", found[0].Code)
}

// FuzzMeets compares boxes with any edges.
func FuzzMeets(f *testing.F) {
	f.Add(0.0, 170.0, 10.0, -170.0, 5.0, 180.0, 6.0, 180.0)
	f.Add(-90.0, -180.0, 90.0, 180.0, -90.0, 180.0, -90.0, -180.0)
	f.Fuzz(func(t *testing.T, s1, w1, n1, e1, s2, w2, n2, e2 float64) {
		round := func(v, most float64) float64 { // in steps in which turning by 360° is exact
			return max(-most, min(most, math.Round(math.Mod(v, most+1)*1024)/1024))
		}
		a := *box(round(s1, 90), round(w1, 180), round(n1, 90), round(e1, 180))
		b := *box(round(s2, 90), round(w2, 180), round(n2, 90), round(e2, 180))
		if a.Validate() != nil || b.Validate() != nil {
			return
		}
		if a.Meets(b) != meet(a, b) || b.Meets(a) != meet(a, b) {
			t.Fatalf("%+v and %+v: %v", a, b, a.Meets(b))
		}
		center := a.Center()
		if !a.Contains(center) {
			t.Fatalf("%+v does not contain its center %+v", a, center)
		}
	})
}
