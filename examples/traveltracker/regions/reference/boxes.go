package reference

import (
	_ "embed" // boxes.csv
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

//go:embed boxes.csv
var boxesCSV string

// parse reads boxes with the columns type, code, south, west, north and east. The first line has their names.
func parse(text string) (map[regions.Ref]regions.Box, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment, r.FieldsPerRecord = '#', 6
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("boxes: %d lines: %w", len(lines), err)
	}
	all := map[regions.Ref]regions.Box{}
	for _, line := range lines[1:] {
		ref, edges := regions.Ref{Type: regions.Type(line[0]), Code: line[1]}, [4]float64{}
		for i, text := range line[2:] {
			if edges[i], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("boxes: %s %s: %w", ref.Type, ref.Code, err)
			}
		}
		box := regions.Box{South: edges[0], West: edges[1], North: edges[2], East: edges[3]}
		if err := box.Validate(); err != nil {
			return nil, fmt.Errorf("boxes: %s %s: %w", ref.Type, ref.Code, err)
		}
		if _, twice := all[ref]; twice {
			return nil, fmt.Errorf("boxes: %s %s occurs twice", ref.Type, ref.Code)
		}
		all[ref] = box
	}
	return all, nil
}
