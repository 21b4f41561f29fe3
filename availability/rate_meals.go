package availability

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// MealPlan is which meals a stay has.
type MealPlan string

// The meal plans; "" is not said.
const (
	RoomOnly     MealPlan = "room_only"
	Breakfast    MealPlan = "breakfast"
	HalfBoard    MealPlan = "half_board"
	FullBoard    MealPlan = "full_board"
	AllInclusive MealPlan = "all_inclusive"
)

// Validate returns an error for text that is not a meal plan.
func (m MealPlan) Validate() error {
	switch m {
	case "", RoomOnly, Breakfast, HalfBoard, FullBoard, AllInclusive:
		return nil
	}
	return dynastay.Invalid("", "must be empty or one of room_only, breakfast, half_board, full_board, all_inclusive")
}

// Meals are the meals of a plan, and what they are worth in a night. Meals are no percentage of a room, and have other
// taxes, so a price consists of lodging and meals. A night whose price is less than the included meals of the party is
// not on sale. Amounts require Plan.
type Meals struct {
	Plan MealPlan
	// Added means that the amounts are added to the price of the night, after supplements for the party and discounts.
	// Otherwise the price includes them: what remains is the lodging.
	Added bool
	Adult dynastay.Money `json:",omitzero"` // for each adult and night, and each child if there are no Bands
	// Bands are the amounts for children, by age. A child who is older than all of them counts as an adult; without bands,
	// every child does.
	Bands []MealBand `json:",omitzero"` // ascending, at most 6
}

// MealBand is what the meals of a child of a certain age are worth in a night.
type MealBand struct {
	Through int            // the highest age, 0 to 17; the lowest one follows the band before
	Amount  dynastay.Money `json:",omitzero"`
}

func (m Meals) validate(c *amounts) error {
	if err := m.Plan.Validate(); err != nil {
		return dynastay.Within("Plan", err)
	}
	if none := m.Plan == "" || m.Plan == RoomOnly; none && (m.Added || m.Adult.IsSet() || len(m.Bands) > 0) {
		return dynastay.Invalid("Plan", "must name the meals that have amounts")
	}
	if len(m.Bands) > maxBands {
		return dynastay.Invalid("Bands", "must have at most %d entries", maxBands)
	}
	for i, band := range m.Bands {
		at := fmt.Sprintf("Bands[%d]", i)
		if err := checkThrough(i, band.Through, func(i int) int { return m.Bands[i].Through }); err != nil {
			return dynastay.Within(at, err)
		}
		if err := c.positive(at+".Amount", band.Amount); err != nil {
			return err
		}
	}
	return c.positive("Adult", m.Adult)
}

// price returns the value of a party's meals for a night.
func (m Meals) price(party Party) exact {
	bands := make([]int, len(m.Bands))
	for i, band := range m.Bands {
		bands[i] = band.Through
	}
	g := party.group(bands)
	total := exactOf(m.Adult).times(g.adults)
	for _, c := range g.children {
		total = total.plus(inBand(c.band, m.Bands, func(b MealBand) exact { return exactOf(b.Amount) }))
	}
	return total
}

func (p *RatePlan) declareMeals(f *entity.Fields, currency dynastay.Currency) {
	m := &p.Meals
	entity.String(f, "Plan", &m.Plan)
	f.IfSet().Bool("Added", &m.Added)
	f.Amount("Adult", currency, &m.Adult)
	entity.List(f, "Bands", &m.Bands, func(f *entity.Fields, b *MealBand) {
		f.Int("Through", &b.Through)
		f.Amount("Amount", currency, &b.Amount)
	})
}
