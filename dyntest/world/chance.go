package world

import (
	"math/bits"
	"math/rand/v2"
)

// dice draw numbers that follow from the seed. Every part of a world has its own dice, so that it can be made without
// the others. One draw takes one number of the source, whatever the bound, so a longer list does not change later
// draws.
type dice struct{ source *rand.PCG }

// purpose distinguishes the dice of different parts.
type purpose uint64

const (
	forProperty purpose = iota + 1
	forBookings
	forUser
	forReferences
	forChanges
	forImages
	forLives
	forPayments
	forPromo
	forDiscounts
	forPast
	forReviews
	forAccount
	forListing
	forHost
	forVenue
	forRates
	forRateSales
	forPastRates
	forCharges
	forChargedSales
	forPastCharges
	forTerms
	forOrigins
	forUnits
	forUnitSales
	forPastUnits
	forHousekeeping
	forRepairs
)

func (w *World) dice(of purpose, i int) dice {
	return dice{rand.NewPCG(mix(w.opts.Seed), mix(uint64(of)<<32|uint64(i)))}
}

// mix spreads neighbouring numbers over all 64 bits (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a number from 0 to n-1.
func (d dice) below(n int) int {
	high, _ := bits.Mul64(d.source.Uint64(), uint64(n))
	return int(high)
}

// between returns a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.below(high-low+1) }

// percent returns true in p of 100 cases.
func (d dice) percent(p int) bool { return d.below(100) < p }

func pick[T any](d dice, list []T) T { return list[d.below(len(list))] }

// share is a value and its weight among the others of its list.
type share[T any] struct {
	weight int
	value  T
}

func draw[T any](d dice, shares []share[T]) T {
	total := 0
	for _, s := range shares {
		total += s.weight
	}
	at := d.below(total)
	for _, s := range shares {
		if at -= s.weight; at < 0 {
			return s.value
		}
	}
	panic("world: internal error: no share was chosen")
}
