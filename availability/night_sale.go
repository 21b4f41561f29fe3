package availability

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// nightSale is what a sale does to one night of a room type.
type nightSale struct {
	ref        dynastay.Ref
	roomTypeID string
	date       dynastay.Date
	lines      []int          // of the quote; none if the night is not in it
	rooms      int            // to take, for all lines together; negative to return
	sells      bool           // a line of the quote gets the night anew: it is not one that the booking keeps
	agreed     bool           // such a line gets it at an agreed price; without sells, only such ones
	price      dynastay.Money // the quoted price of the night, if it is sold at that; otherwise unset
	rates      []rateSale     // of the rate plans that are concerned, ordered by id
	rules      rules          // of the night, and of its rates that are sold, which the stay must meet
	kept       rules          // of its rates that are kept
}

// gets reports whether a line gets the night anew.
func (at nightSale) gets() bool { return at.sells || at.agreed }

// returnable reports whether rooms can be returned to a night. A night of a different property under the same room type
// id counts as missing: the rooms did not come from it.
func returnable(night dynastay.Row, propertyID string) bool {
	return night.Exists() && night.Text("PropertyId") == propertyID && night.Value(attrAvailable).Kind() == dynastay.KindNumber
}

// nightSalesOf returns what changes a booking to match a quote. A night that the booking keeps with the same quantities and
// plans is not among it, unless the stay must meet a rule of it. The lines of one room type meet in one entry a night: a
// transaction has one action for an item.
func nightSalesOf(q *Quote, booked Booked, goesOn []int) (all []nightSale) {
	first := map[string]int{} // where the nights of a room type begin
	for i, line := range q.Lines {
		from, there := first[line.RoomTypeID]
		if !there {
			from = len(all)
			first[line.RoomTypeID] = from
		}
		had := booked.quantity(line.RoomTypeID)
		for n, night := range line.Nights {
			if !there {
				at := nightSale{ref: nightRef(line.RoomTypeID, night.Date), roomTypeID: line.RoomTypeID, date: night.Date}
				if booked.Stay.Contains(night.Date) {
					at.rooms = -had
				}
				all = append(all, at)
			}
			at := &all[from+n]
			at.lines, at.rooms = append(at.lines, i), at.rooms+line.Quantity
		}
	}
	for i := range all {
		all[i].quoted(q, booked, goesOn)
	}
	all = slices.DeleteFunc(all, func(at nightSale) bool { return at.rooms == 0 && at.rules == 0 && !at.gets() })
	for i, line := range booked.Lines {
		quantity := booked.quantity(line.RoomTypeID)
		if quantity < 1 || slices.ContainsFunc(booked.Lines[:i], func(l Line) bool { return l.RoomTypeID == line.RoomTypeID }) {
			continue
		}
		for date := range booked.Stay.Dates() {
			if !q.has(line.RoomTypeID) || !q.Stay.Contains(date) {
				all = append(all, nightSale{
					ref: nightRef(line.RoomTypeID, date), roomTypeID: line.RoomTypeID, date: date, rooms: -quantity,
				})
			}
		}
	}
	return all
}

// The actions of sales without rate plans, indexed by the rules that apply.
var (
	takeOf = variants(func(r rules) *dynastay.Compiled {
		return prepareTake(taking{rules: r, rooms: 1, sells: true, priced: true})
	})
	overbookOf = variants(func(r rules) *dynastay.Compiled {
		return prepareTake(taking{rules: r, rooms: 1, sells: true, priced: true, over: asQuoted})
	})
	exceedOf = variants(func(r rules) *dynastay.Compiled {
		return prepareTake(taking{rules: r, rooms: 1, sells: true, priced: true, over: asLimited})
	})
	returnOf = variants(func(r rules) *dynastay.Compiled { return prepareTake(taking{rules: r, rooms: -1}) })
	checkOf  = variants(func(r rules) *dynastay.Compiled {
		if r == 0 {
			return nil
		}
		return prepareTake(taking{rules: r})
	})
)

func variants(compile func(rules) *dynastay.Compiled) (all [allRules + 1]*dynastay.Compiled) {
	for r := range all {
		all[r] = compile(rules(r))
	}
	return all
}

// prepareTake has the condition that keeps a night from being oversold: it compares the rooms left in the database at the
// time of the write, not what was read earlier. It has the rules of refuse, which says why a night cannot be sold.
func prepareTake(form taking) *dynastay.Compiled {
	name := dynastay.NameOf
	available := name(attrAvailable)
	var all []expression.ConditionBuilder
	if form.rooms != 0 || form.sells || form.agreed { // a night without an item has no rules
		// The key of a night holds only the room type's id, so the property is checked as well.
		all = append(all, name("PropertyId").Equal(dynastay.Param("property")))
	}
	switch {
	case form.over != within:
		// The first condition keeps a sale from being reported as an overbooking after rooms were returned.
		all = append(all, available.LessThan(dynastay.Param("rooms")).And(available.GreaterThanEqual(dynastay.Param("least"))))
		if form.over == asLimited { // a condition has no arithmetic, so the limit is known, and must not be lower by now
			all = append(all, name(attrLimit).GreaterThanEqual(dynastay.Param("limit")))
		}
	case form.rooms > 0:
		all = append(all, available.GreaterThanEqual(dynastay.Param("rooms")))
	case form.rooms < 0:
		// Without this condition, a night that other software stored without that number would make DynamoDB reject the whole
		// transaction as invalid, on every attempt.
		all = append(all, expression.AttributeType(available, expression.Number))
	}
	if form.agreed {
		all = append(all, notTrue(name(keys.AttrPropertyClosed)))
	}
	if form.sells {
		all = append(all, notTrue(name("IsBlocked")), notTrue(name(keys.AttrPropertyClosed)))
		if form.priced {
			all = append(all, name("PricePerNight").Equal(dynastay.Param("price")))
		}
		all = append(all, name("Currency").Equal(dynastay.Param("currency")))
	}
	all = append(all, form.rules.conditions(nil)...)
	for i := range form.rates {
		all = append(all, form.ofRate(i)...)
	}
	build := expression.NewBuilder().WithCondition(and(all[0], all[1:]...))
	update := func(left expression.SetValueBuilder) expression.Builder {
		return build.WithUpdate(expression.Set(available, left).Set(name(attrUpdated), dynastay.Param("now")))
	}
	switch {
	case form.rooms > 0:
		build = update(available.Minus(dynastay.Param("rooms")))
	case form.rooms < 0:
		build = update(available.Plus(dynastay.Param("rooms")))
	}
	return dynastay.MustCompile(build)
}

// ofRate are the conditions for a rate of the night.
func (form taking) ofRate(i int) (all []expression.ConditionBuilder) {
	of, asserted := rateParam(i), form.rates[i]
	path := func(attribute string) expression.NameBuilder {
		return dynastay.NameOf("Rates").AppendName(dynastay.ParamName(of)).AppendName(dynastay.NameOf(attribute))
	}
	if asserted&ratePriced != 0 {
		all = append(all, path("P").Equal(dynastay.Param(of+" price")))
	}
	if asserted&rateSold != 0 {
		all = append(all, notTrue(path("S")))
		all = append(all, form.rules.conditions(path)...)
	}
	if asserted&rateKept != 0 {
		all = append(all, form.kept.conditions(path)...)
	}
	return all
}

func and(condition expression.ConditionBuilder, more ...expression.ConditionBuilder) expression.ConditionBuilder {
	for _, c := range more {
		condition = condition.And(c)
	}
	return condition
}

// add adds the action for one night, given what is known of it.
func (s *Sale) add(tx *dynastay.Tx, at nightSale, known dynastay.Row) {
	q, key, over, limit := s.quote, at.ref.Key, s.overbooks(at, known), limited(known.Int(attrLimit))
	values := dynastay.Item{
		"property": dynastay.Text(q.Property.ID),
		"rooms":    dynastay.Number(max(at.rooms, -at.rooms)),
		"least":    dynastay.Number(at.rooms - max(q.Overbook, limit)),
		"limit":    dynastay.Number(limit),
		"price":    &types.AttributeValueMemberN{Value: at.price.Amount()},
		"currency": dynastay.Text(string(q.Total.Currency())),
		"nights":   dynastay.Number(q.Stay.Nights()),
		"now":      dynastay.Instant(s.nights.db.Now()),
	}
	for i, rate := range at.rates {
		values[rateParam(i)] = dynastay.Text(rate.planID)
		values[rateParam(i)+" price"] = &types.AttributeValueMemberN{Value: rate.price.Amount()}
	}
	switch {
	case at.rooms > 0:
		tx.Update(keys.AvailabilityTable, key, at.take(over).With(values))
	case at.rooms < 0:
		back := tx.Update(keys.AvailabilityTable, key, at.take(within).With(values))
		if at.gets() {
			return
		}
		back.Else(func(old dynastay.Row) error {
			if returnable(old, q.Property.ID) {
				return dynastay.ErrOvertaken // a rule; the contest determines which
			}
			return dynastay.ErrSkip
		})
	default:
		tx.Check(keys.AvailabilityTable, key, at.take(within).With(values), nil)
	}
}
