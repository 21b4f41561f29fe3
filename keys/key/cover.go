package key

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/mmcloughlin/geohash"

	"github.com/dynastay/dynastay"
)

// The radius that [Cover] accepts, in metres.
const (
	MinRadius = 100
	MaxRadius = 100_000
)

// MaxCellRanges is the largest number of ranges that [Cover] returns.
const MaxCellRanges = 32

// CellRange is a range of rows in an index by [Place].Cell and [Place].Geohash, see [Cover].
type CellRange struct {
	Cell string
	// From and To are the first characters of geohashes, as bounds of a [dynastay.Range]: keys that begin with From are
	// included, keys that begin with To are not. An empty bound is the start or the end of the cell's partition.
	From, To string
}

// Cover returns the ranges of an index by cell and geohash that contain all places within a radius of center, which is
// a great-circle distance in metres. The index has a partition for each [Place].Cell. Its sort keys begin with
// [Place].Geohash and a separator, such as dr5ru7vty#PROPERTY#prop_123. No row is in more than one range.
//
// The ranges also contain places outside the circle, so compute the [Distance] of every row. Two ranges of a cell are
// joined if the area between them is less than 4 % of the area that is read anyway, because a request costs more than
// reading so little in vain. The table shows the number of ranges, and the area that they read divided by the area of
// the circle, for 200 random centers each:
//
//	| latitude   | radius | ranges: median, most | ratio: median, highest |
//	|------------|--------|----------------------|------------------------|
//	| 0° to 70°  | 100 m  | 8, 12                | 1.4, 1.7               |
//	| 0° to 70°  | 10 km  | 8, 13                | 1.4, 1.6               |
//	| 0° to 70°  | 100 km | 9, 14                | 1.4, 1.7               |
//	| 70° to 79° | 10 km  | 8, 13                | 1.5, 1.7               |
//	| 70° to 79° | 100 km | 12, 18               | 1.4, 1.6               |
//	| 79° to 81° | 10 km  | 9, 15                | 1.6, 1.8               |
//	| 79° to 81° | 100 km | 13, 21               | 1.4, 1.7               |
//	| 81° to 88° | 10 km  | 11, 27               | 1.7, 2.7               |
//	| 81° to 88° | 100 km | 10, 17               | 1.8, 2.4               |
//
// A circle around a pole touches all longitudes. Whatever its radius, 32 ranges then read 18 % of the pole's cell.
//
// The radius must be between [MinRadius] and [MaxRadius]; otherwise Cover fails with a [*dynastay.InvalidError] for the
// field "Radius". For coordinates that are out of range, the field is "Latitude" or "Longitude". There are at most
// [MaxCellRanges] ranges, each in one cell.
func Cover(center Point, radius float64) ([]CellRange, error) {
	if _, err := PlaceOf(center.Latitude, center.Longitude); err != nil {
		return nil, err
	}
	if !(radius >= MinRadius && radius <= MaxRadius) { // false for NaN as well
		return nil, dynastay.Invalid("Radius", "must be between 100 and 100,000 metres")
	}
	var spans []span
	for _, z := range zones {
		spans = append(spans, z.spans(circle{center, radius + slack}.tiles(z))...)
	}
	spans = join(spans)
	ranges := make([]CellRange, len(spans))
	for i, s := range spans {
		ranges[i] = CellRange{Cell: s.cell, From: bound(s.from), To: bound(s.to)}
	}
	return ranges, nil
}

// span is a range of a cell's geohashes as numbers: from the first one to the one after the last.
type span struct {
	cell     string
	from, to uint64
	area     float64
	gap      float64 // the area between this span and the one before; infinite if that is in a different cell
}

// spans returns a span for each tile that the circle touches.
func (z zone) spans(tiles []tile) (all []span) {
	gap := 0.0
	for _, t := range tiles {
		if t.in == outside {
			gap += t.area
			continue
		}
		below := geohashBits - t.bits
		s := span{cell: z.cell, from: t.hash << below, to: (t.hash + 1) << below, area: t.area, gap: gap}
		if s.cell == "" {
			s.cell = geohash.ConvertIntToString(t.hash>>(t.bits-cellBits), cellCharacters)
		}
		if len(all) == 0 || all[len(all)-1].cell != s.cell {
			s.gap = math.Inf(1)
		}
		all = append(all, s)
		gap = 0
	}
	return all
}

// worthwhile is the least area that a further range must save, as a part of the area read. With less, the requests
// would cost more than the rows.
const worthwhile = 0.04

// join joins spans over the smallest gaps, which are 0 if nothing between them belongs to the zone, until there are few
// enough and every gap that is left is worthwhile.
func join(spans []span) (all []span) {
	order := make([]int, len(spans))
	read := 0.0
	for i, s := range spans {
		order[i] = i
		read += s.area
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spans[a].gap, spans[b].gap) })
	joined := make([]bool, len(spans))
	for i, at := range order {
		if gap := spans[at].gap; len(spans)-i <= MaxCellRanges && gap >= worthwhile*read {
			break
		}
		joined[at] = true
		read += spans[at].gap
	}
	for i, s := range spans {
		if joined[i] {
			all[len(all)-1].to = s.to
		} else {
			all = append(all, s)
		}
	}
	return all
}

// bound returns the first characters of the geohashes from a number on. Without the zeros at the end, the text sorts
// before the same keys. For the number after the last geohash, nothing is left.
func bound(n uint64) string {
	return strings.TrimRight(geohash.ConvertIntToString(n, geohashCharacters), "0")
}
