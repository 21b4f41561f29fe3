package chargetext_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/chargetext"
)

// Whatever is read is written again as it was.
func FuzzParse(f *testing.F) {
	for _, test := range golden {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := chargetext.Parse(text)
		if err != nil {
			return
		}
		again, err := chargetext.Text(list)
		require.NoError(t, err)
		assert.Equal(t, text, again)
	})
}
