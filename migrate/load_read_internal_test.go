package migrate

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

var stayLines = LinesOf("stays", func(*bookings.Import) ([]string, error) { return nil, nil }, nil)

// FuzzLines reads files of any content. A line that can be read is the same again after it was written as JSON; any other has an error
// that says what is wrong with the line.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		"ID,Stay.CheckIn,Rooms[0].Agreed,Data[a]\n1,2026-07-01,1.00 USD;2.00 USD,x\n",
		"Rooms[1].Quantity,Guests.Adults\n2,1\n,\n3\n", "\ufeffID\r\n\"a\nb\"\r\n", "Rooms\n\"[{\"\"Name\"\": \"\"x\"\"}]\"\n",
		`{"ID": "1", "Stay": {"CheckIn": "2026-07-01"}}` + "\n\n{\"CreatedAt\": 5}", `[{}]`, `{"Rooms": [{"Agreed": ["x"]}]}`, "",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	begun := stayLines
	begun.complete = begun.begin()
	f.Fuzz(func(t *testing.T, text string, table bool) {
		lines, last := linesOf(&Load{CSV: table, Lines: stayLines}, strings.NewReader(text)), 0
		for {
			one, err := lines.next()
			if err != nil {
				return // the end, or a file that is no CSV
			}
			require.Greater(t, one.number, last)
			last = one.number
			v, err := begun.read(t.Context(), one)
			if err != nil {
				require.ErrorIs(t, err, dynastay.ErrInvalid)
				continue
			}
			again, err := json.Marshal(v)
			require.NoError(t, err)
			var read bookings.Import
			require.NoError(t, decode(again, &read))
			require.Equal(t, v, &read)
		}
	})
}

// A header says where each cell belongs, and what it must be.
func TestPathsOfHeaders(t *testing.T) {
	t.Parallel()
	type inner struct {
		Text string
		List []int
		Deep []struct{ Map map[string]bool }
		Next *int
	}
	for name, want := range map[string]any{
		"Text": "", "text": "", "List": []int{}, "List[99]": 0, "Deep[0].Map[a b].": nil, "Deep[0]Map": nil, "Text.": nil, "Deep[0].Map[a b]": false, "Deep[0].Map": map[string]bool{}, "Next": new(int),
		"Text.x": nil, "Deep.Map": nil, "List[-1]": nil, "List[": nil, ".": nil, "": nil, "List[100]": nil,
	} {
		_, at, err := pathOf(reflect.TypeFor[inner](), name)
		if want == nil {
			assert.ErrorIs(t, err, dynastay.ErrInvalid, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, reflect.TypeOf(want), at, name)
	}
}

// A file that cannot be read is no invalid line.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	_, err := linesOf(&Load{Lines: stayLines}, io.MultiReader(strings.NewReader("{}\n"), broken{lost})).next()
	require.NoError(t, err)
	again := linesOf(&Load{Lines: stayLines}, broken{lost})
	_, err = again.next()
	assert.ErrorIs(t, err, lost)
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
