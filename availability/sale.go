package availability

import (
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Sale takes the rooms of a quote out of the inventory. It is for authors of operations that sell nights, as package
// bookings does: the actions for [dynastay.OpSpec.Prepare], and the meaning of their failures.
type Sale struct {
	db    *dynastay.DB
	quote *Quote
}

// Sale of a quote that [Quote.Validate] accepts.
func (r *Repository) Sale(q *Quote) *Sale { return &Sale{r.db, q} }

// saleOf is the update of one night, by whether the stay arrives on it and whether it is its last. The condition is
// what keeps a night from being oversold: it is the database that counts, not what was read before.
var saleOf = func() (prepared [2][2]*dynastay.Prepared) {
	for arrival := range 2 {
		for last := range 2 {
			prepared[arrival][last] = prepareSale(arrival == 1, last == 1)
		}
	}
	return prepared
}()

func prepareSale(arrival, last bool) *dynastay.Prepared {
	name := dynastay.NameOf
	// A room type's id is all that a night's key holds, so the property is asked for as well.
	condition := name("PropertyId").Equal(dynastay.Param("property")).
		And(name("AvailableRooms").GreaterThanEqual(dynastay.Param("rooms"))).
		And(notTrue("IsBlocked")).
		And(notTrue(keys.AttrPropertyClosed)).
		And(name("PricePerNight").Equal(dynastay.Param("price"))).
		And(name("Currency").Equal(dynastay.Param("currency")))
	if arrival {
		nights := dynastay.Param("nights")
		condition = condition.
			And(notTrue("ClosedToArrival")).
			And(dynastay.Absent("MinStay").Or(name("MinStay").LessThanEqual(nights))).
			And(dynastay.Absent("MaxStay").Or(name("MaxStay").GreaterThanEqual(nights)).
				Or(name("MaxStay").LessThanEqual(expression.Value(0))))
	}
	if last {
		condition = condition.And(notTrue("ClosedToDeparture"))
	}
	return dynastay.Prepare(expression.NewBuilder().WithCondition(condition).WithUpdate(
		expression.Set(name("AvailableRooms"), name("AvailableRooms").Minus(dynastay.Param("rooms"))).
			Set(name("LastUpdated"), dynastay.Param("now"))))
}

// notTrue reads a flag that may be missing, NULL or false.
func notTrue(path string) expression.ConditionBuilder {
	return dynastay.Absent(path).Or(dynastay.NameOf(path).Equal(expression.Value(false)))
}

// Contends are the nights: callers in one process queue for them.
func (s *Sale) Contends() []dynastay.Ref {
	var refs []dynastay.Ref
	for _, line := range s.quote.Lines {
		for _, night := range line.Nights {
			refs = append(refs, nightRef(line.RoomTypeID, night.Date))
		}
	}
	return refs
}

func nightRef(roomTypeID string, date dynastay.Date) dynastay.Ref {
	// A quote was validated before it comes here, and a key that cannot be built contends with nothing.
	key, _ := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: date})
	return dynastay.RefOf(keys.AvailabilityTable, key)
}

// Add adds one action for each night of each room type.
func (s *Sale) Add(tx *dynastay.Tx) {
	q := s.quote
	for _, line := range q.Lines {
		for i, night := range line.Nights {
			arrival, last := 0, 0
			if i == 0 {
				arrival = 1
			}
			if i == len(line.Nights)-1 {
				last = 1
			}
			expr := saleOf[arrival][last].With(dynastay.Item{
				"property": dynastay.S(q.Property.ID),
				"rooms":    dynastay.N(line.Quantity),
				"price":    &types.AttributeValueMemberN{Value: night.Price.Amount()},
				"currency": dynastay.S(string(night.Price.Currency())),
				"nights":   dynastay.N(q.Stay.Nights()),
				"now":      dynastay.T(s.db.Now()),
			})
			ref := nightRef(line.RoomTypeID, night.Date)
			tx.Add(dynastay.Update(keys.AvailabilityTable, ref.Key, expr, func(old dynastay.Item) error {
				return s.judgeNight(line, night, old)
			}))
		}
	}
}

func (s *Sale) judgeNight(line Line, quoted NightPrice, item dynastay.Item) error {
	nights, err := s.refusals(line, quoted, item)
	switch {
	case err != nil:
		return err
	case len(nights) == 0:
		return dynastay.ErrOvertaken // it could be sold after all
	}
	return &Refused{nights}
}

// refusals says why a stored night cannot be sold as quoted; none means that it can.
func (s *Sale) refusals(line Line, quoted NightPrice, item dynastay.Item) ([]RefusedNight, error) {
	var night *Night
	if item != nil {
		var err error
		if night, err = nightEntity.Value(item); err != nil {
			return nil, err
		}
	}
	all := refuse(s.quote.Property.ID, line.Room, s.quote.Stay, quoted.Date, night)
	if night != nil && night.PropertyID == s.quote.Property.ID && night.Price != quoted.Price {
		all = append(all, RefusedNight{
			RoomTypeID: line.RoomTypeID, Date: quoted.Date, Reason: PriceChanged, Price: night.Price,
		})
	}
	return all, nil
}

// Refused names every night that cannot be sold and its reasons. DynamoDB does not promise to report every action that
// would fail, so the nights are read once more, consistently: 1 request a room type. If all of them can be sold by
// then, the answer is [dynastay.ErrOvertaken].
func (s *Sale) Refused(ctx context.Context) (map[dynastay.Ref]dynastay.Item, error) {
	seen := map[dynastay.Ref]dynastay.Item{}
	for _, line := range s.quote.Lines {
		items, err := readNights(ctx, s.db, line.RoomTypeID, s.quote.Stay, true)
		if err != nil {
			return nil, err
		}
		for _, night := range line.Nights {
			seen[nightRef(line.RoomTypeID, night.Date)] = nil
		}
		for _, item := range items {
			seen[dynastay.RefOf(keys.AvailabilityTable, keys.AvailabilityTable.Key.From(item))] = item
		}
	}
	if err := s.Judge(seen); err != nil {
		return seen, err
	}
	return nil, dynastay.ErrOvertaken
}

// Judge refuses the sale for what was seen of its nights. Nights that were not seen count as free; nil means that
// nothing speaks against the sale.
func (s *Sale) Judge(seen map[dynastay.Ref]dynastay.Item) error {
	var all []RefusedNight
	for _, line := range s.quote.Lines {
		for _, night := range line.Nights {
			item, known := seen[nightRef(line.RoomTypeID, night.Date)]
			if !known {
				continue
			}
			nights, err := s.refusals(line, night, item)
			if err != nil {
				return err
			}
			all = append(all, nights...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &Refused{all}
}

// giveBack asks for a number to add to: DynamoDB would refuse the whole transaction as invalid, every time, for a night
// that other software left without one.
var giveBack = dynastay.Prepare(expression.NewBuilder().
	WithCondition(dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")).
		And(expression.AttributeType(dynastay.NameOf("AvailableRooms"), expression.Number))).
	WithUpdate(expression.
		Set(dynastay.NameOf("AvailableRooms"), dynastay.NameOf("AvailableRooms").Plus(dynastay.Param("rooms"))).
		Set(dynastay.NameOf("LastUpdated"), dynastay.Param("now"))))

// GiveBack is the action that returns rooms to one night. missing is called where the night has no item any more, or
// none that counts its rooms; its error is the action's.
func (r *Repository) GiveBack(propertyID, roomTypeID string, date dynastay.Date, rooms int, missing func() error) (dynastay.Action, error) {
	key, err := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: date})
	if err != nil {
		return dynastay.Action{}, err
	}
	expr := giveBack.With(dynastay.Item{
		"property": dynastay.S(propertyID),
		"rooms":    &types.AttributeValueMemberN{Value: strconv.Itoa(rooms)},
		"now":      dynastay.T(r.db.Now()),
	})
	// A night of another property under the same room type counts as missing: the rooms are not that property's.
	return dynastay.Update(keys.AvailabilityTable, key, expr, func(dynastay.Item) error { return missing() }), nil
}
