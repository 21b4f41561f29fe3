package listing

import (
	"slices"

	"github.com/dynastay/dynastay"
	calendar "github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// register is what an event holds: nothing at first, and then what the calls for it write.
type register struct {
	listing, event string
	calls          []*call
}

// sure reports whether the event has certainly held the nights of the call at some time of it. A delivery that was
// acknowledged may have changed nothing.
func (c *call) sure() bool {
	if c.delivery == nil {
		return c.Done()
	}
	return slices.ContainsFunc(c.answers, func(a outcome) bool {
		return a.what == calendar.Created || a.what == calendar.Changed || a.what == calendar.Cancelled
	})
}

// parts reports whether the call may take several transactions, so that some nights are taken although it is refused.
func (c *call) parts() bool { return c.listing == castle }

func someNights(stay dynastay.Stay) bool { return stay != dynastay.Stay{} }

func noNights(stay dynastay.Stay) bool { return stay == dynastay.Stay{} }

func theNight(date dynastay.Date) func(dynastay.Stay) bool {
	return func(stay dynastay.Stay) bool { return stay.Contains(date) }
}

// atLast is the time of what is stored in the end.
var atLast = checker.Since(checker.Ever)

// possible reports whether the event can have held such nights at some moment of a time, whatever one of the calls has
// written: somebody can have written them before, and nobody has certainly written others in between.
func (r *register) possible(but *call, at checker.Span, such func(dynastay.Stay) bool) bool {
	var others []*call // that have certainly written other nights before
	for _, c := range r.calls {
		if c != but && c.Within.To < at.From && !such(c.stay) && c.sure() {
			others = append(others, c)
		}
	}
	overwritten := func(written checker.Moment) bool {
		return slices.ContainsFunc(others, func(c *call) bool { return written < c.Within.From })
	}
	if such(dynastay.Stay{}) && !overwritten(0) {
		return true
	}
	return slices.ContainsFunc(r.calls, func(c *call) bool {
		can := c.Could() || c.parts() && at != atLast
		return c != but && can && c.Within.From <= at.To && such(c.stay) && !overwritten(c.Within.To)
	})
}

// tenancy is the time in which an event has certainly held a night. It is empty if it ends before it begins.
type tenancy struct {
	checker.Span
	*call
}

// tenancy is that of a call for one of its nights: until somebody may have written others.
func (r *register) tenancy(c *call, date dynastay.Date) tenancy {
	t := tenancy{checker.Since(c.Within.To), c}
	for _, other := range r.calls {
		if other != c && other.Could() && other.Within.To >= c.Within.From && !other.stay.Contains(date) {
			t.To = min(t.To, other.Within.From)
		}
	}
	return t
}

// tenancies are those of a listing by night.
type tenancies map[dynastay.Date][]tenancy

func (all tenancies) add(r *register) {
	for _, c := range r.calls {
		if noNights(c.stay) || !c.sure() {
			continue
		}
		for date := range c.stay.Dates() {
			if t := r.tenancy(c, date); t.From < t.To {
				all[date] = append(all[date], t)
			}
		}
	}
}

// holder is an event that has certainly held a night all the time; nil if nobody knows.
func (all tenancies) holder(date dynastay.Date, at checker.Span) *call {
	for _, t := range all[date] {
		if t.From < at.From && at.To < t.To {
			return t.call
		}
	}
	return nil
}
