package cost

import (
	"math"
	"slices"

	"github.com/dynastay/dynastay"
)

// Bill is what operations cost, in lines that differ in at least one dimension.
type Bill []Line

// Dimension is one of the names that a [Line] is for.
type Dimension int

// The dimensions of a line.
const (
	Operation Dimension = iota + 1
	Part
	Pattern
	Table
	Index
)

// By returns the bill with only the given dimensions, and the lines that are then equal added up: By(Table, Index) is
// what each table and index cost.
func (b Bill) By(keep ...Dimension) Bill {
	is := func(d Dimension, name string) string {
		if slices.Contains(keep, d) {
			return name
		}
		return ""
	}
	sums := map[Line]Line{}
	for _, line := range b {
		of := Line{
			Operation: is(Operation, line.Operation), Part: is(Part, line.Part), Pattern: is(Pattern, line.Pattern),
			Table: is(Table, line.Table), Index: is(Index, line.Index),
		}
		sum, there := sums[of]
		if !there {
			sum = of
		}
		sum.Requests += line.Requests
		sum.ReadUnits += line.ReadUnits
		sum.WriteUnits += line.WriteUnits
		sums[of] = sum
	}
	short := make(Bill, 0, len(sums))
	for _, line := range sums {
		short = append(short, line)
	}
	slices.SortFunc(short, compare)
	return short
}

// Sum returns the sum of all lines.
func (b Bill) Sum() (sum Line) {
	for _, line := range b {
		sum.Requests += line.Requests
		sum.ReadUnits += line.ReadUnits
		sum.WriteUnits += line.WriteUnits
	}
	return sum
}

// Times returns what n times as much costs, such as a month's bookings from the measured cost of one.
func (l Line) Times(n int) Line {
	l.Requests *= n
	l.ReadUnits *= float64(n)
	l.WriteUnits *= float64(n)
	return l
}

// Prices are those of a region's price list, for on-demand capacity. Both must be in one currency.
type Prices struct {
	Reads  dynastay.Money // of a million read units
	Writes dynastay.Money // of a million write units
}

// Of returns the price of the units of a line. The price of the reads and that of the writes are each rounded once, to
// the currency's minor unit, so the sum of many lines is best priced as one. It returns a [*dynastay.InvalidError] if a
// price is missing, or if the currencies differ.
func (p Prices) Of(l Line) (dynastay.Money, error) {
	reads, err := priceOf("Reads", p.Reads, l.ReadUnits)
	if err != nil {
		return dynastay.Money{}, err
	}
	writes, err := priceOf("Writes", p.Writes, l.WriteUnits)
	if err != nil {
		return dynastay.Money{}, err
	}
	if p.Reads.Currency() != p.Writes.Currency() {
		return dynastay.Money{}, dynastay.Invalid("Writes", "must be in %s, as Reads is", p.Reads.Currency())
	}
	return reads.Add(writes)
}

// priceOf prices half units, which are whole numbers: a read that is not consistent takes half a unit.
func priceOf(field string, million dynastay.Money, units float64) (dynastay.Money, error) {
	if !million.IsSet() {
		return dynastay.Money{}, dynastay.Invalid(field, "is required")
	}
	halves := math.Round(2 * units)
	if !(halves >= 0 && halves < math.MaxInt) { // nor NaN
		return dynastay.Money{}, dynastay.Invalid("Line", "must have a number of units that can be priced, got %g", units)
	}
	return million.Portion(int(halves), 2_000_000)
}
