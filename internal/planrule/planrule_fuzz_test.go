package planrule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/planrule"
)

// Whatever is parsed is the same when it is written and parsed again.
func FuzzParse(f *testing.F) {
	for _, test := range golden {
		f.Add(test.text)
		f.Add(test.text[1:])
	}
	for _, text := range []string{
		"", "null", `{"C":"EUR","m":{"a":"5"}}`, `{"c":"KWD","d":{"a":-0.00}}`, `{"o":{"t":null,"d":[]}}`, `{"g":{"b":[null]}}`,
		`{"c":"EUR","m":{"a":1e3}}`, `{"p":"` + "\xff" + `"}`, `{"d":{},"d":{"f":"x"}}`, `{"o":{"d":["","2026-07-10"]}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := planrule.Parse(text)
		if err != nil {
			assert.Nil(t, p)
			return
		}
		again, err := planrule.Text(p)
		require.NoError(t, err)
		same, err := planrule.Parse(again)
		require.NoError(t, err)
		assert.Equal(t, p, same)
	})
}
