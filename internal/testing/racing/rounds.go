package racing

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/dynastay/dynastay/dyntest"
)

var (
	rounds = flag.Int("racing.rounds", 4, "how many times each race is drawn anew")
	seed   = flag.Uint64("racing.seed", 0, "what the first round is drawn from, and one more for each after it; 0 draws it")
)

// Rounds runs f several times, each time with a different random source and new tables.
func Rounds(t *testing.T, f func(t *testing.T, db *dyntest.DB, draw *rand.Rand), opts ...dyntest.Option) {
	t.Helper()
	first := *seed
	if first == 0 {
		first = uint64(rand.Uint32())
	}
	for n := range uint64(*rounds) {
		t.Run(fmt.Sprint("seed ", first+n), func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, append(slices.Clone(opts), dyntest.Seed(first+n))...)
			f(t, db, rand.New(rand.NewPCG(first+n, 0)))
		})
	}
}

// One returns a random one of the values.
func One[V any](draw *rand.Rand, values ...V) V { return values[draw.IntN(len(values))] }

// Together calls f with 0 to n−1 at once, and waits for all.
func Together(n int, f func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	all.Wait()
}
