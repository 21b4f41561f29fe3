package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

const header = "type,code,south,west,north,east\n"

func TestParse(t *testing.T) {
	got, err := parse("# a comment\n" + header + "country,FO,61.41,-7.43,62.36,-6.4\n")
	require.NoError(t, err)
	assert.Equal(t, map[regions.Ref]regions.Box{
		{Type: regions.Country, Code: "FO"}: {North: 62.36, South: 61.41, East: -6.4, West: -7.43},
	}, got)
	for name, text := range map[string]string{
		"nothing":            "",
		"a column missing":   header + "country,FO,61.41,-7.43,62.36\n",
		"not a number":       header + "country,FO,61.41,-7.43,62.36,x\n",
		"no latitude":        header + "country,FO,61.41,-7.43,92,-6.4\n",
		"upside down":        header + "country,FO,62.36,-7.43,61.41,-6.4\n",
		"twice":              header + "country,FO,0,0,0,0\ncountry,FO,0,0,0,0\n",
		"a broken quotation": header + "country,\"FO,0,0,0,0\n",
	} {
		_, err := parse(text)
		assert.Error(t, err, name)
	}
}

// Whatever is accepted is a valid box.
func FuzzParse(f *testing.F) {
	f.Add(boxesCSV)
	f.Add(header + "country,FJ,-21.76,174.62,-12.47,-178.2\n")
	f.Add(header + "country,A,NaN,-1,1e400,0x1p-2\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parse(text)
		if err != nil {
			return
		}
		for ref, box := range all {
			if err := box.Validate(); err != nil {
				t.Fatalf("%v: %v", ref, err)
			}
		}
	})
}
