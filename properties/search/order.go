package search

import (
	"cmp"
	"math"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/properties"
)

// candidate is a property that meets the filters of cards.
type candidate struct {
	card     *properties.Card
	distance float64
}

// rank is where a property stands in an order: the lowest comes first. It is part of cursors.
type rank struct {
	By [2]int64 `json:"b"`
	ID string   `json:"i"`
	// Backwards is set if equal properties are in descending order of their ids, as in an index that is read backwards.
	Backwards bool `json:"d,omitempty"`
}

func (a rank) compare(b rank) int {
	ids := cmp.Compare(a.ID, b.ID)
	if a.Backwards {
		ids = -ids
	}
	return cmp.Or(cmp.Compare(a.By[0], b.By[0]), cmp.Compare(a.By[1], b.By[1]), ids)
}

// rank returns the rank of a candidate in an order that is known before the nights have been read.
func (r Request) rank(c candidate) rank {
	at := rank{ID: c.card.PropertyID}
	switch r.Sort {
	case Recommended:
		at.By = [2]int64{-int64(c.card.FeaturedScore), -int64(c.card.Rating)}
		if r.Rank != nil {
			at.By = [2]int64{-ordered(r.Rank(c.card))}
		}
	case BestRated:
		at.By[0], at.Backwards = -int64(c.card.Rating), !r.aroundPoint()
	case LowestPrice:
		at.By[0] = minor(c.card.Prices.Min)
	case HighestPrice:
		at.By[0] = -minor(c.card.Prices.Max)
	case Nearest:
		at.By[0] = ordered(c.distance)
	}
	return at
}

// totalRank returns the rank of an offer in an order by total.
func (r Request) totalRank(o Offer) rank {
	at := rank{ID: o.Property.PropertyID}
	if at.By[0] = minor(pays(o.Quotes[0])); r.Sort == HighestTotal {
		at.By[0] = -at.By[0]
	}
	return at
}

// minor returns an amount in the minor unit of its currency. Orders by price are within one currency.
func minor(m dynastay.Money) int64 {
	n, err := m.Minor()
	if err != nil {
		return math.MaxInt64 // too large
	}
	return n
}

// ordered returns a whole number for any number, in the same order. NaN comes first.
func ordered(f float64) int64 {
	if math.IsNaN(f) {
		return math.MinInt64 + 1 // can be negated
	}
	bits := int64(math.Float64bits(f))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}
