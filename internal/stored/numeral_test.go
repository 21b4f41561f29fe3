package stored

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIntegerInEveryForm(t *testing.T) {
	for text, want := range map[string]int{
		"7": 7, "-7": -7, "007": 7, "0": 0, "0.00": 0, "-0.0": 0, "1.00": 1, "-12.0": -12, "1E2": 100, "1.5e1": 15,
		"120e-1": 12, "9223372036854775807.0": math.MaxInt, "-9223372036854775808.0": math.MinInt,
	} {
		n, err := Integer(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, n, text)
	}
	for _, text := range []string{
		"", "x", "1.5", "15e-1", "1e19", "9223372036854775808", "9223372036854775808.0", "1e400", "1e999999999",
	} {
		_, err := Integer(text)
		assert.Error(t, err, text)
	}
}
