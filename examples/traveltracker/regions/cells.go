package regions

import (
	"math"

	"github.com/mmcloughlin/geohash"

	"github.com/dynastay/dynastay/keys/key"
)

// grid is the division of the map into cells, which are geohashes of one length. A cell does not include its northern
// and eastern edges, except at the north pole. The cells at -180° include the antimeridian.
type grid struct{ characters, columns, rows int }

var (
	small = grid{2, 32, 32} // keys.CellCharacters
	large = grid{1, 8, 4}
)

// maxSmall is the number of small cells from which on a region has large cells.
const maxSmall = 24

// cellsOf returns the cells of a region's box.
func cellsOf(b Box) []string {
	if cells := small.cells(b); len(cells) <= maxSmall {
		return cells
	}
	return large.cells(b)
}

// cellOf returns the small cell of a point.
func cellOf(p key.Point) string {
	return small.cells(Box{North: p.Latitude, South: p.Latitude, East: p.Longitude, West: p.Longitude})[0]
}

// cells returns the cells that a valid box touches. Two boxes that meet have a cell in common.
func (g grid) cells(b Box) (all []string) {
	west, east := g.column(b.West), g.column(b.East)
	if b.West > b.East {
		east += g.columns
	}
	east = min(east, west+g.columns-1)
	for row := g.row(b.South); row <= g.row(b.North); row++ {
		for column := west; column <= east; column++ {
			all = append(all, g.cell(column%g.columns, row))
		}
	}
	return all
}

// column returns the column of a longitude, counted from -180°, up to g.columns for 180°.
func (g grid) column(longitude float64) int {
	return int(math.Floor((longitude + 180) / 360 * float64(g.columns)))
}

func (g grid) row(latitude float64) int {
	return min(int(math.Floor((latitude+90)/180*float64(g.rows))), g.rows-1)
}

// cell returns the geohash of a cell, which is that of its middle.
func (g grid) cell(column, row int) string {
	middle := func(i, of int) float64 { return (float64(i) + 0.5) / float64(of) }
	return geohash.EncodeWithPrecision(
		middle(row, g.rows)*180-90, middle(column, g.columns)*360-180, uint(g.characters))
}
