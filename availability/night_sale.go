package availability

import (
	"slices"
	"strconv"
	"strings"
	"sync"

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

// rateSale is what a sale asserts of a night for one rate plan.
type rateSale struct {
	planID string
	price  dynastay.Money // the quoted price of the plan for the night, which may be the source of other plans; or unset
	sold   bool           // rooms are taken under the plan, so its restrictions count
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

// quoted adds what the lines assert of the night: the source of their prices, and the restrictions of their plans.
func (at *nightSale) quoted(q *Quote) {
	rate := func(planID string) *rateSale {
		i, there := slices.BinarySearchFunc(at.rates, planID, func(r rateSale, id string) int { return strings.Compare(r.planID, id) })
		if !there {
			at.rates = slices.Insert(at.rates, i, rateSale{planID: planID})
		}
		return &at.rates[i]
	}
	for _, i := range at.lines {
		line := &q.Lines[i]
		price := line.Nights[q.Stay.CheckIn.DaysUntil(at.date)].stored()
		if source := line.source(); source == "" {
			at.price = price
		} else {
			rate(source).price = price
		}
		if line.Plan != nil {
			rate(line.Plan.ID).sold = true
		}
	}
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

// taking is the form of a condition under which rooms are taken.
type taking struct {
	rules  rules
	over   bool                      // overbooks
	priced bool                      // asserts the price of the night
	rates  [maxPlans + maxPlans]byte // what it asserts of each rate: bits, ratePriced and rateSold; 0 for none
}

const (
	ratePriced = 1 << iota
	rateSold
)

// takings are the conditions with rate plans that sales have had so far, by their forms. There are few: what a night asserts
// depends on the plans that are sold together. Building one costs as much as all other work of a sale.
var takings sync.Map

// take returns the condition of a night that rooms are taken from.
func (at nightSale) take(over bool) *dynastay.Compiled {
	if len(at.rates) == 0 {
		if over {
			return overbookOf[at.rules]
		}
		return takeOf[at.rules]
	}
	form := taking{rules: at.rules, over: over, priced: at.price.IsSet()}
	for i, rate := range at.rates {
		if rate.price.IsSet() {
			form.rates[i] |= ratePriced
		}
		if rate.sold {
			form.rates[i] |= rateSold
		}
	}
	if known, there := takings.Load(form); there {
		return known.(*dynastay.Compiled)
	}
	compiled, _ := takings.LoadOrStore(form, prepareTake(form))
	return compiled.(*dynastay.Compiled)
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

// rateParam is the parameter for the id of a rate plan.
func rateParam(i int) string { return "plan" + strconv.Itoa(i) }

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

// currency returns that of the prices which are asserted, which is the same for all.
func (at nightSale) currency() dynastay.Currency {
	if at.price.IsSet() || len(at.rates) == 0 {
		return at.price.Currency()
	}
	priced := slices.IndexFunc(at.rates, func(r rateSale) bool { return r.price.IsSet() })
	return at.rates[priced].price.Currency()
}

// add adds the action for one night.
func (s *Sale) add(tx *dynastay.Tx, at nightSale, over bool) {
	q, key := s.quote, at.ref.Key
	values := dynastay.Item{
		"property": dynastay.Text(q.Property.ID),
		"rooms":    dynastay.Number(max(at.rooms, -at.rooms)),
		"least":    dynastay.Number(at.rooms - q.Overbook),
		"price":    &types.AttributeValueMemberN{Value: at.price.Amount()},
		"currency": dynastay.Text(string(at.currency())),
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
