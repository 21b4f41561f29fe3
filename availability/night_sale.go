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
	price      dynastay.Money // the quoted price of the night, if rooms are taken for it; otherwise unset
	rates      []rateSale     // of the rate plans that are concerned, ordered by id
	rules      rules          // of the night, and of its rates that are sold, which the stay must meet
}

// overbooks reports whether the sale takes more rooms than the night had when it was seen.
func (at nightSale) overbooks(seen map[dynastay.Ref]dynastay.Row) bool {
	row := seen[at.ref]
	return at.rooms > 0 && row.Exists() && row.Int(attrAvailable) < at.rooms
}

// returnable reports whether rooms can be returned to a night. A night of a different property under the same room type
// id counts as missing: the rooms did not come from it.
func returnable(night dynastay.Row, propertyID string) bool {
	return night.Exists() && night.Text("PropertyId") == propertyID && night.Value(attrAvailable).Kind() == dynastay.KindNumber
}

// nightSalesOf returns what changes a booking to match a quote. A night that the booking keeps with the same quantity is not
// among it, unless the stay must meet a rule of it. The lines of one room type meet in one entry a night: a transaction has
// one action for an item.
func nightSalesOf(q *Quote, booked Booked) (all []nightSale) {
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
		at := &all[i]
		if at.rooms > 0 {
			at.quoted(q)
		}
		at.rules = booked.rules(q.Stay, at.date, at.rooms > 0)
	}
	all = slices.DeleteFunc(all, func(at nightSale) bool { return at.rooms == 0 && at.rules == 0 })
	for _, line := range booked.Lines {
		if line.Quantity < 1 {
			continue
		}
		for date := range booked.Stay.Dates() {
			if !q.has(line.RoomTypeID) || !q.Stay.Contains(date) {
				all = append(all, nightSale{
					ref: nightRef(line.RoomTypeID, date), roomTypeID: line.RoomTypeID, date: date, rooms: -line.Quantity,
				})
			}
		}
	}
	return all
}

// The actions of sales without rate plans, indexed by the rules that apply.
var (
	takeOf     = variants(func(r rules) *dynastay.Compiled { return prepareTake(taking{rules: r, priced: true}) })
	overbookOf = variants(func(r rules) *dynastay.Compiled { return prepareTake(taking{rules: r, priced: true, over: true}) })
	returnOf   = variants(prepareReturn)
	checkOf    = variants(prepareCheck)
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
	enough := available.GreaterThanEqual(dynastay.Param("rooms"))
	if form.over {
		// The first condition keeps a sale from being reported as an overbooking after rooms were returned.
		enough = available.LessThan(dynastay.Param("rooms")).And(available.GreaterThanEqual(dynastay.Param("least")))
	}
	// The key of a night holds only the room type's id, so the property is checked as well.
	condition := name("PropertyId").Equal(dynastay.Param("property")).
		And(enough).
		And(notTrue(name("IsBlocked"))).
		And(notTrue(name(keys.AttrPropertyClosed)))
	more := []expression.ConditionBuilder{name("Currency").Equal(dynastay.Param("currency"))}
	if form.priced {
		more = slices.Insert(more, 0, name("PricePerNight").Equal(dynastay.Param("price")))
	}
	more = append(more, form.rules.conditions(nil)...)
	for i, asserted := range form.rates {
		of := rateParam(i)
		path := func(attribute string) expression.NameBuilder {
			return name("Rates").AppendName(dynastay.ParamName(of)).AppendName(name(attribute))
		}
		if asserted&ratePriced != 0 {
			more = append(more, path("P").Equal(dynastay.Param(of+" price")))
		}
		if asserted&rateSold != 0 {
			more = append(more, notTrue(path("S")))
			more = append(more, form.rules.conditions(path)...)
		}
	}
	return dynastay.MustCompile(expression.NewBuilder().
		WithCondition(and(condition, more...)).
		WithUpdate(expression.Set(available, available.Minus(dynastay.Param("rooms"))).
			Set(name(attrUpdated), dynastay.Param("now"))))
}

// prepareReturn requires AvailableRooms to be a number. Without this condition, a night that other software stored without
// that number would make DynamoDB reject the whole transaction as invalid, on every attempt.
func prepareReturn(r rules) *dynastay.Compiled {
	available := dynastay.NameOf(attrAvailable)
	condition := dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")).
		And(expression.AttributeType(available, expression.Number))
	return dynastay.MustCompile(expression.NewBuilder().
		WithCondition(and(condition, r.conditions(nil)...)).
		WithUpdate(expression.Set(available, available.Plus(dynastay.Param("rooms"))).
			Set(dynastay.NameOf(attrUpdated), dynastay.Param("now"))))
}

// prepareCheck has the rules alone. A night without an item has none.
func prepareCheck(r rules) *dynastay.Compiled {
	if r == 0 {
		return nil
	}
	conditions := r.conditions(nil)
	return dynastay.MustCompile(expression.NewBuilder().WithCondition(and(conditions[0], conditions[1:]...)))
}

func and(condition expression.ConditionBuilder, more ...expression.ConditionBuilder) expression.ConditionBuilder {
	for _, c := range more {
		condition = condition.And(c)
	}
	return condition
}

// add adds the action for one night.
func (s *Sale) add(tx *dynastay.Tx, at nightSale, over bool) {
	q, key := s.quote, at.ref.Key
	values := dynastay.Item{
		"property": dynastay.Text(q.Property.ID),
		"rooms":    dynastay.Number(max(at.rooms, -at.rooms)),
		"least":    dynastay.Number(at.rooms - q.Overbook),
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
		tx.Update(keys.AvailabilityTable, key, returnOf[at.rules].With(values)).Else(func(old dynastay.Row) error {
			if returnable(old, q.Property.ID) {
				return dynastay.ErrOvertaken // a rule; the contest determines which
			}
			return dynastay.ErrSkip
		})
	default:
		tx.Check(keys.AvailabilityTable, key, checkOf[at.rules].With(values), nil)
	}
}
