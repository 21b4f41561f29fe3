package keys

import (
	"strings"

	"github.com/dynastay/dynastay"
)

const geohashAlphabet = "0123456789bcdefghjkmnpqrstuvwxyz"

func (k *Box) cell() (string, error) { return k.Cell, checkCell(k.Cell) }

func (k *Box) setCell(text string) error {
	k.Cell = text
	return checkCell(text)
}

func checkCell(cell string) error {
	if len(cell) < 1 || len(cell) > CellCharacters || strings.Trim(cell, geohashAlphabet) != "" {
		return dynastay.Invalid("", "must be a geohash of one or two characters")
	}
	return nil
}
