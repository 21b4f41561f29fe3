package availability

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Discounts reduce the lodging of a stay, after supplements for the party; meals keep their prices. They compete: the
// stay gets the one that makes it cheapest, and of equal ones the first in the order of the fields. There may be three of
// each kind.
type Discounts struct {
	Early     []DaysDiscount   `json:",omitzero"` // for stays that begin at least so many days from now, ascending
	Late      []DaysDiscount   `json:",omitzero"` // for stays that begin at most so many days from now, ascending
	Length    []NightsDiscount `json:",omitzero"` // for stays of at least so many nights, ascending
	FreeNight int              // 7 for every seventh night free; 2 to MaxNights, 0 for none
}

// DaysDiscount is a discount that depends on the days between today at the property and the check-in.
type DaysDiscount struct {
	Days    int              // 0 to 732
	Percent dynastay.Percent `json:",omitzero"` // of the lodging of each night
}

// NightsDiscount is a discount that depends on the length of the stay.
type NightsDiscount struct {
	Nights  int              // 2 to MaxNights
	Percent dynastay.Percent `json:",omitzero"` // of the lodging of each night
}

func (d Discounts) validate() error {
	if err := checkTiers("Early", d.Early, 0, maxDaysAhead, DaysDiscount.tier); err != nil {
		return err
	}
	if err := checkTiers("Late", d.Late, 0, maxDaysAhead, DaysDiscount.tier); err != nil {
		return err
	}
	if err := checkTiers("Length", d.Length, 2, MaxNights, NightsDiscount.tier); err != nil {
		return err
	}
	if d.FreeNight != 0 && (d.FreeNight < 2 || d.FreeNight > MaxNights) {
		return dynastay.Invalid("FreeNight", "must be 0 or between 2 and %d", MaxNights)
	}
	return nil
}

func (d DaysDiscount) tier() (string, int, dynastay.Percent) { return "Days", d.Days, d.Percent }

func (d NightsDiscount) tier() (string, int, dynastay.Percent) { return "Nights", d.Nights, d.Percent }

func checkTiers[D any](field string, all []D, least, most int, tier func(D) (string, int, dynastay.Percent)) error {
	if len(all) > maxTiers {
		return dynastay.Invalid(field, "must have at most %d entries", maxTiers)
	}
	for i, d := range all {
		name, from, percent := tier(d)
		at := fmt.Sprintf("%s[%d]", field, i)
		if from < least || from > most {
			return dynastay.Invalid(at+"."+name, "must be between %d and %d", least, most)
		}
		if i > 0 {
			if _, before, _ := tier(all[i-1]); from <= before {
				return dynastay.Invalid(at+"."+name, "must be above that of the entry before, %d", before)
			}
		}
		if err := percent.Validate(); err != nil {
			return dynastay.Within(at+".Percent", err)
		}
	}
	return nil
}

// cheapest returns the lodging of each night with the discount that makes the stay cheapest, and which that is; "" for
// none. Each night is rounded half up to the minor unit.
func (d Discounts) cheapest(lodging []exact, ahead int) ([]exact, StepKind) {
	best, kind := lodging, StepKind("")
	try := func(k StepKind, of func(i int) exact) {
		nights := make([]exact, len(lodging))
		for i := range lodging {
			nights[i] = of(i)
		}
		if sumOf(nights).n.Cmp(sumOf(best).n) < 0 {
			best, kind = nights, k
		}
	}
	less := func(p dynastay.Percent) func(int) exact {
		return func(i int) exact { return lodging[i].percent(dynastay.MaxPercent - p).round(1) }
	}
	for _, early := range d.Early {
		if ahead >= early.Days {
			try(StepEarly, less(early.Percent))
		}
	}
	for _, late := range d.Late {
		if ahead <= late.Days {
			try(StepLate, less(late.Percent))
		}
	}
	for _, length := range d.Length {
		if len(lodging) >= length.Nights {
			try(StepLength, less(length.Percent))
		}
	}
	if d.FreeNight > 0 {
		try(StepFreeNight, func(i int) exact {
			if (i+1)%d.FreeNight == 0 {
				return exactOf(dynastay.Money{})
			}
			return lodging[i]
		})
	}
	return best, kind
}

func sumOf(all []exact) exact {
	sum := exactOf(dynastay.Money{})
	for _, x := range all {
		sum = sum.plus(x)
	}
	return sum
}

func (p *RatePlan) declareDiscounts(f *entity.Fields) {
	d := &p.Discounts
	entity.List(f, "Early", &d.Early, func(f *entity.Fields, d *DaysDiscount) { declareDays(f, d) })
	entity.List(f, "Late", &d.Late, func(f *entity.Fields, d *DaysDiscount) { declareDays(f, d) })
	entity.List(f, "Length", &d.Length, func(f *entity.Fields, d *NightsDiscount) {
		f.Int("Nights", &d.Nights)
		entity.Custom(f, "Percent", &d.Percent, storedPercent, percentOf)
	})
	f.IfSet().Int("FreeNight", &d.FreeNight)
}

func declareDays(f *entity.Fields, d *DaysDiscount) {
	f.Int("Days", &d.Days)
	entity.Custom(f, "Percent", &d.Percent, storedPercent, percentOf)
}
