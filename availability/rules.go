package availability

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
)

// rules are the restrictions of a night that a stay must meet, as bits.
type rules uint8

const (
	ruleArrival rules = 1 << iota
	ruleMinStay
	ruleMaxStay
	ruleDeparture

	arrivalRules = ruleArrival | ruleMinStay | ruleMaxStay
	allRules     = arrivalRules | ruleDeparture
)

func (r rules) has(one rules) bool { return r&one != 0 }

// rules returns the restrictions of a night that a stay must meet to replace that of the booking. More says whether it
// takes rooms of the night, which must meet all of them. Those of an edge that stays where it is were met when the stay
// was booked, whatever the host has changed since. Only the length is checked anew, in the direction in which it changes:
// a guest must not book three nights to meet a minimum, and then drop one. A guest who has arrived may.
func (b Booked) rules(stay dynastay.Stay, date dynastay.Date, more bool) (all rules) {
	if date == stay.CheckIn {
		switch {
		case more || stay.CheckIn != b.Stay.CheckIn:
			all |= arrivalRules
		case b.Arrived:
		case stay.Nights() < b.Stay.Nights():
			all |= ruleMinStay
		case stay.Nights() > b.Stay.Nights():
			all |= ruleMaxStay
		}
	}
	if date == stay.LastNight() && (more || stay.CheckOut != b.Stay.CheckOut) {
		all |= ruleDeparture
	}
	return all
}

// conditions are those under which a night meets the rules.
func (r rules) conditions() (all []expression.ConditionBuilder) {
	name, nights := dynastay.NameOf, dynastay.Param("nights")
	if r.has(ruleArrival) {
		all = append(all, notTrue("ClosedToArrival"))
	}
	if r.has(ruleMinStay) {
		all = append(all, dynastay.Absent("MinStay").Or(name("MinStay").LessThanEqual(nights)))
	}
	if r.has(ruleMaxStay) {
		all = append(all, dynastay.Absent("MaxStay").Or(name("MaxStay").GreaterThanEqual(nights)).
			Or(name("MaxStay").LessThanEqual(expression.Value(0))))
	}
	if r.has(ruleDeparture) {
		all = append(all, notTrue("ClosedToDeparture"))
	}
	return all
}

// notTrue is the condition that a flag is missing, NULL or false.
func notTrue(path string) expression.ConditionBuilder {
	return dynastay.Absent(path).Or(dynastay.NameOf(path).Equal(expression.Value(false)))
}

// broken returns the rules of a night that a stay does not meet.
func (r rules) broken(roomTypeID string, stay dynastay.Stay, night *Night) (all []RefusedNight) {
	add := func(reason Reason, nights int) {
		all = append(all, RefusedNight{RoomTypeID: roomTypeID, Date: night.Date, Reason: reason, Nights: nights})
	}
	if r.has(ruleArrival) && night.ClosedToArrival {
		add(ClosedToArrival, 0)
	}
	if r.has(ruleMinStay) && night.MinStay > stay.Nights() {
		add(MinStay, night.MinStay)
	}
	if r.has(ruleMaxStay) && night.MaxStay > 0 && night.MaxStay < stay.Nights() {
		add(MaxStay, night.MaxStay)
	}
	if r.has(ruleDeparture) && night.ClosedToDeparture {
		add(ClosedToDeparture, 0)
	}
	return all
}
