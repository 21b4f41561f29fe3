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

// allRulesOf returns the restrictions of a night that a stay must meet to be sold.
func allRulesOf(stay dynastay.Stay, date dynastay.Date) rules { return Booked{}.rules(stay, date) }

// rules returns the restrictions of a night that a stay must meet to replace that of the booking, if the booking keeps the
// night. Those of an edge that stays where it is were met when the stay was booked, whatever the host has changed since.
// Only the length is checked anew, in the direction in which it changes: a guest must not book three nights to meet a
// minimum, and then drop one. A guest who has arrived may.
func (b Booked) rules(stay dynastay.Stay, date dynastay.Date) (all rules) {
	if date == stay.CheckIn {
		switch {
		case stay.CheckIn != b.Stay.CheckIn:
			all |= arrivalRules
		case b.Arrived:
		case stay.Nights() < b.Stay.Nights():
			all |= ruleMinStay
		case stay.Nights() > b.Stay.Nights():
			all |= ruleMaxStay
		}
	}
	if date == stay.LastNight() && stay.CheckOut != b.Stay.CheckOut {
		all |= ruleDeparture
	}
	return all
}

// attributes are where a night has its rules, and where it has those of a rate.
var (
	nightRules = map[rules]string{ruleArrival: "ClosedToArrival", ruleMinStay: "MinStay", ruleMaxStay: "MaxStay", ruleDeparture: "ClosedToDeparture"}
	rateRules  = map[rules]string{ruleArrival: "A", ruleMinStay: "N", ruleMaxStay: "X", ruleDeparture: "D"}
)

// conditions are those under which a night meets the rules, or under which a rate of it does, whose attributes are at path.
func (r rules) conditions(path func(attribute string) expression.NameBuilder) (all []expression.ConditionBuilder) {
	names := rateRules
	if path == nil {
		names, path = nightRules, dynastay.NameOf
	}
	at, nights := func(rule rules) expression.NameBuilder { return path(names[rule]) }, dynastay.Param("nights")
	if r.has(ruleArrival) {
		all = append(all, notTrue(at(ruleArrival)))
	}
	if r.has(ruleMinStay) {
		least := at(ruleMinStay)
		all = append(all, absent(least).Or(least.LessThanEqual(nights)))
	}
	if r.has(ruleMaxStay) {
		most := at(ruleMaxStay)
		all = append(all, absent(most).Or(most.GreaterThanEqual(nights)).Or(most.LessThanEqual(expression.Value(0))))
	}
	if r.has(ruleDeparture) {
		all = append(all, notTrue(at(ruleDeparture)))
	}
	return all
}

// absent is [dynastay.Absent] for a path whose names may be parameters.
func absent(path expression.NameBuilder) expression.ConditionBuilder {
	return expression.AttributeNotExists(path).Or(expression.AttributeType(path, expression.Null))
}

// notTrue is the condition that a flag is missing, NULL or false.
func notTrue(path expression.NameBuilder) expression.ConditionBuilder {
	return absent(path).Or(path.Equal(expression.Value(false)))
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
