package world

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two bookings with the same reference would share its guard, and one guard would be lost silently.
func TestReferencesAreAPermutation(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	for seed := range uint64(3) {
		w := New(Options{Seed: seed})
		seen := make(map[[referenceLength]byte]bool, 2*n)
		for i := range n {
			for _, number := range []int{i, references - 1 - i} { // from both ends
				drawn := w.reference(number)
				require.False(t, seen[drawn], "seed %d: the reference of %d appears more than once", seed, number)
				seen[drawn] = true
				require.Less(t, max(drawn[0], drawn[1], drawn[2], drawn[3], drawn[4], drawn[5]), byte(32))
			}
		}
	}
	assert.NotEqual(t, New(Options{Seed: 1}).reference(7), New(Options{Seed: 2}).reference(7))
}

func TestDraw(t *testing.T) {
	t.Parallel()
	d := dice{rand.NewPCG(1, 2)}
	count := map[string]int{}
	for range 10_000 {
		count[draw(d, []share[string]{{1, "rare"}, {9, "often"}, {0, "never"}})]++
		assert.Contains(t, []int{3, 4, 5}, d.between(3, 5))
	}
	assert.InDelta(t, 1000, count["rare"], 150)
	assert.Zero(t, count["never"])
	for range 100 {
		assert.False(t, d.percent(0))
		assert.True(t, d.percent(100))
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "the-rose-b-b-sao-paulo-7", slug("The Rose B&B São Paulo", 7))
	assert.Equal(t, "gudrun", mailName("Guðrún"))
	assert.Equal(t, "yildiz", mailName("Yıldız"))
}
