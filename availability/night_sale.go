package availability

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// nightSale is what a sale does to one night of a room type.
type nightSale struct {
	ref           dynastay.Ref
	roomTypeID    string
	date          dynastay.Date
	line          int            // in the quote; -1 if the night is not in it
	rooms         int            // to take; negative to return
	price         dynastay.Money // the quoted price, if it is new; otherwise unset
	arrival, last bool           // whether the rules of the night for arrivals and for departures apply
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
// among it, except that a stay with other dates must meet the rules of its first and its last night anew.
func nightSalesOf(q *Quote, booked Booked) (all []nightSale) {
	moved := q.Stay != booked.Stay
	for i, line := range q.Lines {
		had := booked.quantity(line.RoomTypeID)
		for j, night := range line.Nights {
			at := nightSale{
				ref: nightRef(line.RoomTypeID, night.Date), roomTypeID: line.RoomTypeID, date: night.Date, line: i, rooms: line.Quantity,
			}
			if booked.Stay.Contains(night.Date) {
				at.rooms -= had
			}
			if at.rooms != 0 {
				at.price = night.Price
			}
			if moved || at.rooms > 0 {
				at.arrival, at.last = j == 0, j == len(line.Nights)-1
			}
			if at.rooms != 0 || at.arrival || at.last {
				all = append(all, at)
			}
		}
	}
	for _, line := range booked.Lines {
		if line.Quantity < 1 {
			continue
		}
		for date := range booked.Stay.Dates() {
			if !q.has(line.RoomTypeID) || !q.Stay.Contains(date) {
				all = append(all, nightSale{
					ref: nightRef(line.RoomTypeID, date), roomTypeID: line.RoomTypeID, date: date, line: -1, rooms: -line.Quantity,
				})
			}
		}
	}
	return all
}

// The actions of the sales, indexed by whether the rules for arrivals and for departures apply, and by a third property:
// whether the night is overbooked, or whether the price of a night is checked although rooms are returned.
var (
	takeOf   = variants(prepareTake)
	returnOf = variants(prepareReturn)
	checkOf  = variants(prepareCheck)
)

func variants(prepare func(arrival, last, third bool) *dynastay.Prepared) (all [2][2][2]*dynastay.Prepared) {
	for i := range 8 {
		all[i&1][i>>1&1][i>>2] = prepare(i&1 == 1, i>>1&1 == 1, i>>2 == 1)
	}
	return all
}

// prepareTake has the condition that keeps a night from being oversold: it compares the rooms left in the database at the
// time of the write, not what was read earlier.
func prepareTake(arrival, last, over bool) *dynastay.Prepared {
	name := dynastay.NameOf
	available := name(attrAvailable)
	enough := available.GreaterThanEqual(dynastay.Param("rooms"))
	if over {
		// The first condition keeps a sale from being reported as an overbooking after rooms were returned.
		enough = available.LessThan(dynastay.Param("rooms")).And(available.GreaterThanEqual(dynastay.Param("least")))
	}
	// The key of a night holds only the room type's id, so the property is checked as well.
	condition := name("PropertyId").Equal(dynastay.Param("property")).
		And(enough).
		And(notTrue("IsBlocked")).
		And(notTrue(keys.AttrPropertyClosed))
	return dynastay.Prepare(expression.NewBuilder().
		WithCondition(and(condition, append(priced(), rulesFor(arrival, last)...)...)).
		WithUpdate(expression.Set(available, available.Minus(dynastay.Param("rooms"))).
			Set(name(attrUpdated), dynastay.Param("now"))))
}

// prepareReturn requires AvailableRooms to be a number. Without this condition, a night that other software stored without
// that number would make DynamoDB reject the whole transaction as invalid, on every attempt.
func prepareReturn(arrival, last, checked bool) *dynastay.Prepared {
	available := dynastay.NameOf(attrAvailable)
	rules := rulesFor(arrival, last)
	if checked {
		rules = append(priced(), rules...)
	}
	condition := dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")).
		And(expression.AttributeType(available, expression.Number))
	return dynastay.Prepare(expression.NewBuilder().
		WithCondition(and(condition, rules...)).
		WithUpdate(expression.Set(available, available.Plus(dynastay.Param("rooms"))).
			Set(dynastay.NameOf(attrUpdated), dynastay.Param("now"))))
}

// prepareCheck has the rules alone. A night without an item has none.
func prepareCheck(arrival, last, _ bool) *dynastay.Prepared {
	rules := rulesFor(arrival, last)
	if len(rules) == 0 {
		return nil
	}
	return dynastay.Prepare(expression.NewBuilder().WithCondition(and(rules[0], rules[1:]...)))
}

func and(condition expression.ConditionBuilder, more ...expression.ConditionBuilder) expression.ConditionBuilder {
	for _, c := range more {
		condition = condition.And(c)
	}
	return condition
}

func priced() []expression.ConditionBuilder {
	return []expression.ConditionBuilder{
		dynastay.NameOf("PricePerNight").Equal(dynastay.Param("price")),
		dynastay.NameOf("Currency").Equal(dynastay.Param("currency")),
	}
}

func rulesFor(arrival, last bool) (rules []expression.ConditionBuilder) {
	name, nights := dynastay.NameOf, dynastay.Param("nights")
	if arrival {
		rules = append(rules,
			notTrue("ClosedToArrival"),
			dynastay.Absent("MinStay").Or(name("MinStay").LessThanEqual(nights)),
			dynastay.Absent("MaxStay").Or(name("MaxStay").GreaterThanEqual(nights)).
				Or(name("MaxStay").LessThanEqual(expression.Value(0))))
	}
	if last {
		rules = append(rules, notTrue("ClosedToDeparture"))
	}
	return rules
}

// notTrue is the condition that a flag is missing, NULL or false.
func notTrue(path string) expression.ConditionBuilder {
	return dynastay.Absent(path).Or(dynastay.NameOf(path).Equal(expression.Value(false)))
}

// add adds the action for one night.
func (s *Sale) add(tx *dynastay.Tx, at nightSale, over bool) {
	q, key := s.quote, at.ref.Key
	values := dynastay.Item{
		"property": dynastay.Text(q.Property.ID),
		"rooms":    dynastay.Number(max(at.rooms, -at.rooms)),
		"least":    dynastay.Number(at.rooms - q.Overbook),
		"price":    &types.AttributeValueMemberN{Value: at.price.Amount()},
		"currency": dynastay.Text(string(at.price.Currency())),
		"nights":   dynastay.Number(q.Stay.Nights()),
		"now":      dynastay.Instant(s.nights.db.Now()),
	}
	arrival, last := is(at.arrival), is(at.last)
	switch {
	case at.rooms > 0:
		tx.Update(keys.AvailabilityTable, key, takeOf[arrival][last][is(over)].With(values))
	case at.rooms < 0:
		expr := returnOf[arrival][last][is(at.price.IsSet())].With(values)
		tx.Update(keys.AvailabilityTable, key, expr).Else(func(old dynastay.Row) error {
			if returnable(old, q.Property.ID) {
				return dynastay.ErrOvertaken // the price or a rule; the contest determines which
			}
			return dynastay.ErrSkip
		})
	default:
		tx.Check(keys.AvailabilityTable, key, checkOf[arrival][last][0].With(values), nil)
	}
}

func is(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
