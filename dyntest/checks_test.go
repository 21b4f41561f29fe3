package dyntest

import "flag"

// A random test of this package makes 20 histories, a fifth of rapid's default: with more, the package takes too long
// on DynamoDB Local. -rapid.checks changes it.
func init() {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
