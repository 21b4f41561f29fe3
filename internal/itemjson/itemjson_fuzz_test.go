package itemjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/itemjson"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// FuzzLine reads lines of any content. One that can be read is JSON, and says the same again after it was written.
func FuzzLine(f *testing.F) {
	for _, text := range []string{
		`{"Item":{"PK":{"S":"USER#ada"},"N":{"N":"1.50"},"B":{"B":"AAH/"},"L":{"L":[{"NULL":true},{"BOOL":false}]}}}`,
		`{"Item":{"SS":{"SS":["a"]},"NS":{"NS":["1e3"]},"BS":{"BS":["AA=="]},"M":{"M":{"\ud800":{"S":"\u0000"}}}}}`,
		`{"Item":{"A":{"S":"x","N":"1"}}}`, `{"Item":{}} {}`, `{"Item":{"A":{"L":[,]}}}`, `{}`, ``, nested(70),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		item, err := itemjson.Line(text)
		if err != nil {
			require.Nil(t, item)
			return
		}
		require.True(t, json.Valid(text))
		line := raw.ExportLine(t, item)
		again, err := itemjson.Line([]byte(line))
		require.NoError(t, err)
		require.Equal(t, line, raw.ExportLine(t, again))
	})
}
