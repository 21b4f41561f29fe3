package people_test

import (
	"math/big"
)

// exact returns a number as it is compared.
func exact(digits string) string {
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return "not a number: " + digits
	}
	return r.RatString()
}
