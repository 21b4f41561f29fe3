package availability

import "github.com/dynastay/dynastay"

// overbooking is how a sale takes rooms of a night.
// See docs/decisions/0010-inventory.md for why it is known before the write.
type overbooking uint8

const (
	within    overbooking = iota // of those that are left
	asQuoted                     // more than that, as the quote allows
	asLimited                    // more than that, as the limit of the night allows, which is above what the quote does
)

// overbooks returns how the sale takes rooms of a night, given what is known of it. Unless it is known that too few rooms are
// left, and that the night may be overbooked, it takes those that are left.
func (s *Sale) overbooks(at nightSale, known dynastay.Row) overbooking {
	limit := limited(known.Int(attrLimit))
	switch {
	case at.rooms <= 0 || !known.Exists() || known.Int(attrAvailable) >= at.rooms || max(s.quote.Overbook, limit) == 0:
		return within
	case limit > s.quote.Overbook:
		return asLimited
	}
	return asQuoted
}
