package availability

import (
	"fmt"

	"github.com/dynastay/dynastay"
)

// NightEntity is the stored form of a night.
var NightEntity = nightEntity()

// Agreed adds what the hash of an update contains.
func Agreed(u UpdateRequest, in *dynastay.Input) { u.agreed(in) }

// Continued shows with which lines of a booking the rooms go on.
func Continued(b Booked, rooms []Room) (all []string) {
	for _, one := range b.continued(merged(rooms), b.Stay) {
		text := "new"
		if one.with >= 0 {
			text = fmt.Sprint(b.number(one.with))
		}
		text += fmt.Sprintf(" %d×%s", one.Quantity, one.RatePlanID)
		if one.Party != nil {
			text += fmt.Sprintf(" for %d", one.Party.Adults)
		}
		all = append(all, text)
	}
	return all
}

// ConditionsAnew returns the conditions of a plan that a stay must meet.
func ConditionsAnew(b Booked, c RateConditions, stay dynastay.Stay) RateConditions {
	return b.conditions(c, stay)
}
