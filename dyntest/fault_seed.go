package dyntest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
)

const seedVar = "DYNTEST_SEED"

// Seed sets the seed of random faults and of [DB.Reshard]. Default: the number in the environment variable DYNTEST_SEED
// if that is set, otherwise a random seed for each test.
func Seed(seed uint64) Option {
	return func(c *config) { c.seeded, c.seed = true, seed }
}

func defaultSeed() (uint64, error) {
	text := os.Getenv(seedVar)
	if text == "" {
		return rand.Uint64(), nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("dyntest: %s must be a whole number between 0 and 2^64-1, got %q", seedVar, text)
	}
	return seed, nil
}
