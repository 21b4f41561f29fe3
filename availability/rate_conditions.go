package availability

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// RateConditions say for which stays a plan is sold. The zero value means any.
type RateConditions struct {
	MinStay, MaxStay int // nights; 0 means no limit
	// MinDaysAhead and MaxDaysAhead limit the whole days between today at the property and the check-in. 0 and nil mean no
	// limit; a MaxDaysAhead of 0 is for arrivals on the same day. At most 732.
	MinDaysAhead int
	MaxDaysAhead *int     `json:",omitzero"`
	Arrivals     Weekdays // days of the week on which a stay may begin
	// Dates are half-open ranges, at most 10; every night of the stay must be in one of them. None means any date.
	Dates []dynastay.Stay `json:",omitzero"`
}

// maxDaysAhead is two years, as long as nights can be open.
const maxDaysAhead = 732

func (c RateConditions) validate() error {
	switch {
	case c.MinStay < 0 || c.MinStay > MaxNights:
		return dynastay.Invalid("MinStay", "must be between 0 and %d", MaxNights)
	case c.MaxStay < 0 || c.MaxStay > MaxNights:
		return dynastay.Invalid("MaxStay", "must be between 0 and %d", MaxNights)
	case c.MaxStay > 0 && c.MaxStay < c.MinStay:
		return dynastay.Invalid("MaxStay", "must not be less than MinStay, %d", c.MinStay)
	case c.MinDaysAhead < 0 || c.MinDaysAhead > maxDaysAhead:
		return dynastay.Invalid("MinDaysAhead", "must be between 0 and %d", maxDaysAhead)
	case c.MaxDaysAhead != nil && (*c.MaxDaysAhead < c.MinDaysAhead || *c.MaxDaysAhead > maxDaysAhead):
		return dynastay.Invalid("MaxDaysAhead", "must be between MinDaysAhead, %d, and %d", c.MinDaysAhead, maxDaysAhead)
	case len(c.Dates) > maxRanges:
		return dynastay.Invalid("Dates", "must have at most %d entries", maxRanges)
	}
	if err := c.Arrivals.Validate(); err != nil {
		return dynastay.Invalid("Arrivals", "%s", err.(*dynastay.InvalidError).Reason)
	}
	for i, dates := range c.Dates {
		if err := dates.Validate(); err != nil {
			return dynastay.Within(fmt.Sprintf("Dates[%d]", i), err)
		}
	}
	return nil
}

// broken returns the conditions that a stay does not meet which is booked on a certain day.
func (c RateConditions) broken(stay dynastay.Stay, today dynastay.Date) (all []RefusedNight) {
	add := func(n RefusedNight) { all = append(all, n) }
	ahead := today.DaysUntil(stay.CheckIn)
	if stay.Nights() < c.MinStay {
		add(RefusedNight{Date: stay.CheckIn, Reason: MinStay, Nights: c.MinStay})
	}
	if c.MaxStay > 0 && stay.Nights() > c.MaxStay {
		add(RefusedNight{Date: stay.CheckIn, Reason: MaxStay, Nights: c.MaxStay})
	}
	if c.MinDaysAhead > 0 && ahead < c.MinDaysAhead { // after midnight, the check-in may be before today
		add(RefusedNight{Date: stay.CheckIn, Reason: TooLate, Days: c.MinDaysAhead})
	}
	if c.MaxDaysAhead != nil && ahead > *c.MaxDaysAhead {
		add(RefusedNight{Date: stay.CheckIn, Reason: TooEarly, Days: *c.MaxDaysAhead})
	}
	if !c.Arrivals.Has(stay.CheckIn) {
		add(RefusedNight{Date: stay.CheckIn, Reason: ClosedToArrival})
	}
	for date := range stay.Dates() {
		in := func(dates dynastay.Stay) bool { return dates.Contains(date) }
		if len(c.Dates) > 0 && !slices.ContainsFunc(c.Dates, in) {
			add(RefusedNight{Date: date, Reason: NotOnSale})
		}
	}
	return all
}

func (p *RatePlan) declareConditions(f *entity.Fields) {
	c := &p.Conditions
	f.IfSet().Int("MinStay", &c.MinStay)
	f.IfSet().Int("MaxStay", &c.MaxStay)
	f.IfSet().Int("MinDaysAhead", &c.MinDaysAhead)
	entity.Custom(f, "MaxDaysAhead", &c.MaxDaysAhead, func(days *int) (types.AttributeValue, error) {
		if days == nil {
			return nil, nil
		}
		return dynastay.Number(*days), nil
	}, func(v dynastay.Value) (*int, error) {
		digits, err := digitsOf(v)
		if err != nil {
			return nil, err
		}
		days, err := strconv.Atoi(digits)
		return &days, err
	})
	arrivals := int(c.Arrivals)
	f.IfSet().Int("Arrivals", &arrivals)
	if f.Decoding() {
		if arrivals < 0 || arrivals >= int(noDays) {
			f.Fail("Arrivals", errors.New("must be a set of days"))
		}
		c.Arrivals = Weekdays(arrivals & int(noDays-1))
	}
	entity.List(f, "Dates", &c.Dates, func(f *entity.Fields, dates *dynastay.Stay) {
		f.Date("From", &dates.CheckIn)
		f.Date("To", &dates.CheckOut)
	})
}
