package availability

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Sale takes the rooms of a quote out of the inventory. It is for authors of operations that sell nights, such as those
// of package bookings. It provides the actions for [dynastay.OpSpec.Prepare], and the error if one of them fails.
type Sale struct {
	nights *Repository
	quote  *Quote
}

// Sale returns the sale of a quote. The quote must have passed [Quote.Validate].
func (r *Repository) Sale(q *Quote) *Sale { return &Sale{r, q} }

// saleOf holds the update of one night, indexed by whether it is the first and whether it is the last night of the
// stay, and by whether it is overbooked. The condition keeps a night from being oversold: it compares the rooms left in
// the database at the time of the write, not what was read earlier.
var saleOf = func() (prepared [2][2][2]*dynastay.Prepared) {
	for arrival := range 2 {
		for last := range 2 {
			for over := range 2 {
				prepared[arrival][last][over] = prepareSale(arrival == 1, last == 1, over == 1)
			}
		}
	}
	return prepared
}()

func prepareSale(arrival, last, over bool) *dynastay.Prepared {
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
		expression.Set(available, available.Minus(dynastay.Param("rooms"))).
			Set(name(attrUpdated), dynastay.Param("now"))))
}

// notTrue is the condition that a flag is missing, NULL or false.
func notTrue(path string) expression.ConditionBuilder {
	return dynastay.Absent(path).Or(dynastay.NameOf(path).Equal(expression.Value(false)))
}

// Contest returns the contest for the nights: callers in one process queue for them, and a refusal lists every night
// that cannot be sold, with its reasons. To find these, it reads the nights again, with 1 request per room type.
func (s *Sale) Contest() *dynastay.Contest {
	return &dynastay.Contest{Items: s.refs(), Judge: s.judge, See: s.see}
}

func (s *Sale) refs() []dynastay.Ref {
	var refs []dynastay.Ref
	for _, line := range s.quote.Lines {
		for _, night := range line.Nights {
			refs = append(refs, nightRef(line.RoomTypeID, night.Date))
		}
	}
	return refs
}

// NightRef returns a reference to the item of a night, for the [dynastay.Contest] of an operation that sells or returns
// its rooms. It returns a [*dynastay.InvalidError] for an invalid id or date.
func NightRef(roomTypeID string, date dynastay.Date) (dynastay.Ref, error) {
	key, err := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: date})
	return dynastay.RefOf(keys.AvailabilityTable, key), err
}

// nightRef is for the nights of a quote. The error is ignored because the quote has been validated.
func nightRef(roomTypeID string, date dynastay.Date) dynastay.Ref {
	ref, _ := NightRef(roomTypeID, date)
	return ref
}

// Add adds one action for each night of each room type. It returns the lines of the quote, with the nights that are
// overbooked if the write succeeds. If the quote allows overbooking, this takes 1 request per room type, otherwise
// none.
func (s *Sale) Add(ctx context.Context, tx *dynastay.Tx) ([]Line, error) {
	q := s.quote
	seen := map[dynastay.Ref]dynastay.Row{}
	if q.Overbook > 0 {
		var err error
		if seen, err = s.see(ctx); err != nil {
			return nil, err
		}
	}
	lines := q.Clone().Lines
	for i, line := range q.Lines {
		lines[i].Overbooked = nil
		for j, night := range line.Nights {
			ref := nightRef(line.RoomTypeID, night.Date)
			over := 0
			if row := seen[ref]; row.Exists() && row.Int(attrAvailable) < line.Quantity {
				over = 1
				lines[i].Overbooked = append(lines[i].Overbooked, night.Date)
			}
			expr := saleOf[is(j == 0)][is(j == len(line.Nights)-1)][over].With(dynastay.Item{
				"property": dynastay.Text(q.Property.ID),
				"rooms":    dynastay.Number(line.Quantity),
				"least":    dynastay.Number(line.Quantity - q.Overbook),
				"price":    &types.AttributeValueMemberN{Value: night.Price.Amount()},
				"currency": dynastay.Text(string(night.Price.Currency())),
				"nights":   dynastay.Number(q.Stay.Nights()),
				"now":      dynastay.Instant(s.nights.db.Now()),
			})
			tx.Update(keys.AvailabilityTable, ref.Key, expr)
		}
	}
	return lines, nil
}

func is(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// refusals returns why a stored night cannot be sold as quoted; it is empty if the night can be sold.
func (s *Sale) refusals(line Line, quoted NightPrice, row dynastay.Row) ([]RefusedNight, error) {
	var night *Night
	if row.Exists() {
		var err error
		if night, err = s.nights.entity.Value(row); err != nil {
			return nil, err
		}
	}
	overbook := s.quote.Overbook
	if row.Value(attrAvailable).Kind() != dynastay.KindNumber {
		overbook = 0 // nothing can be subtracted from it
	}
	all := refuse(s.quote.Property.ID, line, overbook, s.quote.Stay, quoted.Date, night)
	if night != nil && night.PropertyID == s.quote.Property.ID && night.Price != quoted.Price {
		all = append(all, RefusedNight{
			RoomTypeID: line.RoomTypeID, Date: quoted.Date, Reason: PriceChanged, Price: night.Price,
		})
	}
	return all, nil
}

func (s *Sale) see(ctx context.Context) (map[dynastay.Ref]dynastay.Row, error) {
	seen := map[dynastay.Ref]dynastay.Row{}
	for _, line := range s.quote.Lines {
		rows, err := s.nights.read(ctx, line.RoomTypeID, s.quote.Stay, dynastay.Consistent)
		if err != nil {
			return nil, err
		}
		for _, night := range line.Nights {
			seen[nightRef(line.RoomTypeID, night.Date)] = dynastay.Row{}
		}
		for _, row := range rows {
			seen[dynastay.RefOf(keys.AvailabilityTable, keys.AvailabilityTable.Key.From(row))] = row
		}
	}
	return seen, nil
}

// judge refuses the sale if any of the nights that were read cannot be sold as quoted.
func (s *Sale) judge(seen map[dynastay.Ref]dynastay.Row) error {
	var all []RefusedNight
	for _, line := range s.quote.Lines {
		for _, night := range line.Nights {
			row, known := seen[nightRef(line.RoomTypeID, night.Date)]
			if !known {
				continue
			}
			nights, err := s.refusals(line, night, row)
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

// giveBack requires AvailableRooms to be a number. Without this condition, a night that other software stored without
// that number would make DynamoDB reject the whole transaction as invalid, on every attempt.
var giveBack = dynastay.Prepare(expression.NewBuilder().
	WithCondition(dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")).
		And(expression.AttributeType(dynastay.NameOf(attrAvailable), expression.Number))).
	WithUpdate(expression.
		Set(dynastay.NameOf(attrAvailable), dynastay.NameOf(attrAvailable).Plus(dynastay.Param("rooms"))).
		Set(dynastay.NameOf(attrUpdated), dynastay.Param("now"))))

// GiveBack adds to tx the action that returns rooms of one night to the inventory. It returns a
// [*dynastay.InvalidError] for an invalid id or date. If the night no longer has an item, or its item has no number of
// available rooms, the action is skipped: [dynastay.OpSpec.Prepare] runs again, and must not call GiveBack for a night for
// which [dynastay.Tx.Skipped] is true.
func (r *Repository) GiveBack(tx *dynastay.Tx, propertyID, roomTypeID string, date dynastay.Date, rooms int) error {
	night, err := NightRef(roomTypeID, date)
	if err != nil {
		return err
	}
	expr := giveBack.With(dynastay.Item{
		"property": dynastay.Text(propertyID),
		"rooms":    dynastay.Number(rooms),
		"now":      dynastay.Instant(r.db.Now()),
	})
	// A night of a different property under the same room type id counts as missing: the rooms did not come from it.
	tx.Update(keys.AvailabilityTable, night.Key, expr).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
	return nil
}
