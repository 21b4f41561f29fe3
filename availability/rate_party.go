package availability

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Party are the guests of one room. Children of unknown age may stay too; they cost as much as those of the dearest band.
type Party struct {
	Guests
	ChildAges []int `json:",omitzero"` // at check-in, 0 to 17, of at most Children children
	// ExtraBeds are for children. Those of unknown age get them first, then the eldest, also if they count as adults.
	ExtraBeds int
}

// Validate checks the party by itself, without the limits of a room. Its errors name the field.
func (p Party) Validate() error {
	switch {
	case p.Adults < 1 || p.Adults > MaxGuests:
		return dynastay.Invalid("Adults", "must be between 1 and 1,000")
	case p.Children < 0 || p.Children > MaxGuests:
		return dynastay.Invalid("Children", "must be between 0 and 1,000")
	case len(p.ChildAges) > p.Children:
		return dynastay.Invalid("ChildAges", "must have at most one age for each of the %d children", p.Children)
	case p.ExtraBeds < 0 || p.ExtraBeds > p.Children:
		return dynastay.Invalid("ExtraBeds", "must be between 0 and %d, the number of children", p.Children)
	}
	for i, age := range p.ChildAges {
		if age < 0 || age > maxChildAge {
			return dynastay.Invalid(fmt.Sprintf("ChildAges[%d]", i), "must be between 0 and 17")
		}
	}
	return nil
}

const maxChildAge = 17

// PartyPrices say how the price of a night, which is for the room, depends on who stays in it.
type PartyPrices struct {
	Included   int        // the adults whose stay the price covers; 0 for any number
	ExtraAdult Supplement `json:",omitzero"` // for each further adult; requires Included
	SingleUse  Supplement `json:",omitzero"` // for an adult who stays alone, without children; usually negative
	// Bands are the prices for children, by age. A child who is older than all of them counts as an adult; without bands,
	// every child does.
	Bands []AgeBand `json:",omitzero"` // ascending, at most 6
}

// AgeBand is the price for a child of a certain age, in addition to that of the night.
type AgeBand struct {
	Through int        // the highest age, 0 to 17; the lowest one follows the band before
	Bedless Supplement `json:",omitzero"` // for a child without an extra bed
	WithBed Supplement `json:",omitzero"` // for a child with one
}

// Supplement is a percentage of the night's price or an amount for a night, or neither. It is not negative, except that
// of [PartyPrices.SingleUse], and at most 999.99 percent.
type Supplement struct {
	Percent dynastay.Percent `json:",omitzero"` // 2000 is 20 percent
	Amount  dynastay.Money   `json:",omitzero"`
}

func (p *PartyPrices) validate(c *amounts) error {
	switch {
	case p.Included < 0 || p.Included > MaxGuests:
		return dynastay.Invalid("Included", "must be between 0 and 1,000")
	case p.Included == 0 && p.ExtraAdult != Supplement{}:
		return dynastay.Invalid("ExtraAdult", "requires Included, the number of adults whose stay the price covers")
	case len(p.Bands) > maxBands:
		return dynastay.Invalid("Bands", "must have at most %d entries", maxBands)
	}
	if err := p.ExtraAdult.validate(c, 0); err != nil {
		return dynastay.Within("ExtraAdult", err)
	}
	if err := p.SingleUse.validate(c, -dynastay.MaxPercent); err != nil {
		return dynastay.Within("SingleUse", err)
	}
	for i, band := range p.Bands {
		at := fmt.Sprintf("Bands[%d]", i)
		if err := checkThrough(i, band.Through, func(i int) int { return p.Bands[i].Through }); err != nil {
			return dynastay.Within(at, err)
		}
		if err := band.Bedless.validate(c, 0); err != nil {
			return dynastay.Within(at+".Bedless", err)
		}
		if err := band.WithBed.validate(c, 0); err != nil {
			return dynastay.Within(at+".WithBed", err)
		}
	}
	return nil
}

// checkThrough checks the highest age of a band.
func checkThrough(i, age int, of func(int) int) error {
	if age < 0 || age > maxChildAge {
		return dynastay.Invalid("Through", "must be between 0 and 17")
	}
	if i > 0 && age <= of(i-1) {
		return dynastay.Invalid("Through", "must be above that of the band before, %d", of(i-1))
	}
	return nil
}

func (s Supplement) validate(c *amounts, least dynastay.Percent) error {
	switch {
	case s.Percent != 0 && s.Amount.IsSet():
		return dynastay.Invalid("Amount", "must not be set together with Percent")
	case s.Percent < least || s.Percent > maxRaise:
		return dynastay.Invalid("Percent", "must be between %s and 999.99, got %s", least, s.Percent)
	case least == 0:
		return c.positive("Amount", s.Amount)
	}
	return c.signed("Amount", s.Amount)
}

// of returns the supplement to a price.
func (s Supplement) of(price exact) exact {
	if s.Percent != 0 {
		return price.percent(s.Percent)
	}
	return exactOf(s.Amount)
}

// price returns the price of a night for a party.
func (p *PartyPrices) price(night exact, party Party) exact {
	bands := make([]int, len(p.Bands))
	for i, band := range p.Bands {
		bands[i] = band.Through
	}
	g := party.group(bands)
	total := night
	if g.adults == 1 && party.Children == 0 {
		total = total.plus(p.SingleUse.of(night))
	}
	if further := g.adults - p.Included; p.Included > 0 && further > 0 {
		total = total.plus(p.ExtraAdult.of(night).times(further))
	}
	for _, c := range g.children {
		supplement := func(b AgeBand) exact {
			if c.bed {
				return b.WithBed.of(night)
			}
			return b.Bedless.of(night)
		}
		total = total.plus(inBand(c.band, p.Bands, supplement))
	}
	return total
}

// inBand returns the amount of a band, or the highest amount of all if the band is unknown.
func inBand[B any](band int, bands []B, amount func(B) exact) exact {
	if band >= 0 {
		return amount(bands[band])
	}
	dearest := amount(bands[0])
	for _, b := range bands[1:] {
		if a := amount(b); a.n.Cmp(dearest.n) > 0 {
			dearest = a
		}
	}
	return dearest
}

// grouped is a party by age.
type grouped struct {
	adults   int // with the children who count as adults
	children []child
}

// child is a child who does not count as an adult.
type child struct {
	band int // −1 for one of unknown age
	bed  bool
}

// group divides a party by the highest ages of ascending bands. Without bands, children of unknown age count as adults
// too.
func (p Party) group(bands []int) grouped {
	g := grouped{adults: p.Adults}
	if len(bands) == 0 {
		g.adults += p.Children
		return g
	}
	beds := p.ExtraBeds
	next := func() bool {
		beds--
		return beds >= 0
	}
	for range p.Children - len(p.ChildAges) {
		g.children = append(g.children, child{-1, next()})
	}
	ages := slices.Clone(p.ChildAges)
	slices.SortFunc(ages, func(a, b int) int { return cmp.Compare(b, a) })
	for _, age := range ages {
		bed := next()
		if band := slices.IndexFunc(bands, func(through int) bool { return age <= through }); band >= 0 {
			g.children = append(g.children, child{band, bed})
		} else {
			g.adults++
		}
	}
	return g
}

// declareParty stores beside the map whether there is one: prices of its own that change nothing have no attributes.
func (p *RatePlan) declareParty(f *entity.Fields, currency dynastay.Currency) {
	has, party := p.Party != nil, PartyPrices{}
	if has {
		party = *p.Party
	}
	f.IfSet().Bool("HasParty", &has)
	f.Map("Party", func(f *entity.Fields) {
		f.IfSet().Int("Included", &party.Included)
		f.Map("ExtraAdult", func(f *entity.Fields) { declareSupplement(f, &party.ExtraAdult, currency) })
		f.Map("SingleUse", func(f *entity.Fields) { declareSupplement(f, &party.SingleUse, currency) })
		entity.List(f, "Bands", &party.Bands, func(f *entity.Fields, b *AgeBand) {
			f.Int("Through", &b.Through)
			f.Map("Bedless", func(f *entity.Fields) { declareSupplement(f, &b.Bedless, currency) })
			f.Map("WithBed", func(f *entity.Fields) { declareSupplement(f, &b.WithBed, currency) })
		})
	})
	if f.Decoding() {
		if p.Party = nil; has {
			p.Party = &party
		}
	}
}

func declareSupplement(f *entity.Fields, s *Supplement, currency dynastay.Currency) {
	entity.Custom(f, "Percent", &s.Percent, storedPercent, percentOf)
	f.Amount("Amount", currency, &s.Amount)
}
