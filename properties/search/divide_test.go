package search_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties/search"
)

// Guests are divided if there is a way to do so, with an adult in each room and nobody lost, and as equally as the rooms
// allow.
func TestDivide(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := rapid.Custom(func(t *rapid.T) availability.Limits {
			return availability.Limits{
				MaxOccupancy: rapid.IntRange(1, 5).Draw(t, "occupancy"), MaxAdults: rapid.IntRange(0, 4).Draw(t, "adults"),
				MaxChildren: rapid.IntRange(0, 4).Draw(t, "children"),
			}
		})
		rooms := rapid.SliceOfN(limits, 1, 4).Draw(t, "rooms")
		all := availability.Party{Guests: availability.Guests{
			Adults: rapid.IntRange(1, 8).Draw(t, "adults"), Children: rapid.IntRange(0, 6).Draw(t, "children"),
		}}
		all.ChildAges = rapid.SliceOfN(rapid.IntRange(0, 17), 0, all.Children).Draw(t, "ages")
		holds := make([]availability.Limits, len(rooms))
		for i, room := range rooms {
			holds[i] = room.Holds()
		}
		given := slices.Clone(all.ChildAges)
		parties := search.Divide(all, holds)
		require.Equal(t, given, all.ChildAges)
		if parties == nil {
			require.False(t, dividable(all.Guests, rooms), "there is a way")
			return
		}
		var sum availability.Guests
		var ages []int
		for i, p := range parties {
			require.NoError(t, p.Validate())
			require.True(t, p.Adults <= rooms[i].MaxAdults && p.Children <= rooms[i].MaxChildren && p.Adults+p.Children <= rooms[i].MaxOccupancy)
			sum.Adults, sum.Children, ages = sum.Adults+p.Adults, sum.Children+p.Children, append(ages, p.ChildAges...)
			for j, other := range parties[:i] {
				if rooms[i] == rooms[j] {
					require.InDelta(t, p.Adults+p.Children, other.Adults+other.Children, 1, "equal rooms")
				}
			}
		}
		require.Equal(t, all.Guests, sum)
		require.ElementsMatch(t, all.ChildAges, ages)
	})
}

// Children do not take the places of adults as long as there are others.
func TestDivideLeavesAdultsTheirPlaces(t *testing.T) {
	t.Parallel()
	couple := availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1}
	nanny := availability.Limits{MaxOccupancy: 3, MaxAdults: 1, MaxChildren: 2}
	all := availability.Party{Guests: availability.Guests{Adults: 3, Children: 2}}
	require.Equal(t, []availability.Party{
		{Guests: availability.Guests{Adults: 2}}, {Guests: availability.Guests{Adults: 1, Children: 2}},
	}, search.Divide(all, []availability.Limits{couple, nanny}))
}

// dividable tries every way.
func dividable(left availability.Guests, rooms []availability.Limits) bool {
	if len(rooms) == 0 {
		return left == availability.Guests{}
	}
	for a := 1; a <= min(left.Adults, rooms[0].MaxAdults); a++ {
		for c := 0; c <= min(left.Children, rooms[0].MaxChildren) && a+c <= rooms[0].MaxOccupancy; c++ {
			if dividable(availability.Guests{Adults: left.Adults - a, Children: left.Children - c}, rooms[1:]) {
				return true
			}
		}
	}
	return false
}
