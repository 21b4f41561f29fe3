package availability

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// TakeOut adds to tx the action that takes one room of a night out of order. It needs a room that is left, unless the night
// may be overbooked, as by a quote. A stop-sell does not matter. If its condition fails, the operation is prepared again, and
// [Repository.CheckTakeOut] says why. It returns a [*dynastay.InvalidError] for an invalid id or date. It is for authors of
// operations, like [Repository.GiveBack].
func (r *Repository) TakeOut(tx *dynastay.Tx, propertyID, roomTypeID string, date dynastay.Date, overbook int) error {
	night, err := NightRef(roomTypeID, date)
	if err != nil {
		return err
	}
	tx.Update(keys.AvailabilityTable, night.Key, takeOut.With(dynastay.Item{
		"property": dynastay.Text(propertyID), "least": dynastay.Number(1 - overbook),
		"one": dynastay.Number(1), "now": dynastay.Instant(r.db.Now()),
	})).Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
	return nil
}

// PutBack adds to tx the action that returns a room that was out of order. If the night no longer has an item, or none of its
// rooms are out of order, the action is skipped, as by [Repository.GiveBack].
func (r *Repository) PutBack(tx *dynastay.Tx, propertyID, roomTypeID string, date dynastay.Date) error {
	night, err := NightRef(roomTypeID, date)
	if err != nil {
		return err
	}
	tx.Update(keys.AvailabilityTable, night.Key, putBackRoom.With(dynastay.Item{
		"property": dynastay.Text(propertyID),
		"one":      dynastay.Number(1), "minus": dynastay.Number(-1), "now": dynastay.Instant(r.db.Now()),
	})).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
	return nil
}

// A number is changed only if it is one: otherwise, DynamoDB would reject the whole transaction as invalid, on every attempt. A
// comparison holds only for a number.
var (
	outOfOrder = dynastay.NameOf(attrOutOfOrder)
	ofProperty = dynastay.NameOf("PropertyId").Equal(dynastay.Param("property"))
	takeOut    = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(ofProperty.
				And(dynastay.NameOf(attrAvailable).GreaterThanEqual(dynastay.Param("least"))).
				And(expression.AttributeNotExists(outOfOrder).Or(expression.AttributeType(outOfOrder, expression.Number)))).
			WithUpdate(moved(dynastay.NameOf(attrAvailable).Minus(dynastay.Param("one")), "one")))
	putBackRoom = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(ofProperty.
				And(expression.AttributeType(dynastay.NameOf(attrAvailable), expression.Number)).
				And(outOfOrder.GreaterThanEqual(dynastay.Param("one")))).
			WithUpdate(moved(dynastay.NameOf(attrAvailable).Plus(dynastay.Param("one")), "minus")))
)

func moved(left expression.SetValueBuilder, by string) expression.UpdateBuilder {
	return expression.Set(dynastay.NameOf(attrAvailable), left).Set(dynastay.NameOf(attrUpdated), dynastay.Param("now")).
		Add(outOfOrder, dynastay.Param(by))
}

// CheckTakeOut returns a [*Refused] with the nights of a room type on which no room can be taken out of order, because they
// are not on sale, or because too few rooms are left and they may not be overbooked; nil if there are none. It reads
// consistently. 1 request.
func (r *Repository) CheckTakeOut(ctx context.Context, propertyID, roomTypeID string, nights dynastay.Stay, overbook int) (err error) {
	ctx, end := r.db.Begin(ctx, "availability.CheckTakeOut")
	defer func() { end(err) }()
	rows, err := r.read(ctx, roomTypeID, nights, dynastay.Consistent)
	if err != nil {
		return err
	}
	byDate := map[dynastay.Date]*Night{}
	for _, row := range rows {
		night, err := r.entity.Value(row)
		if err != nil {
			return err
		}
		byDate[night.Date] = night
	}
	var all []RefusedNight
	for date := range nights.Dates() {
		switch night := byDate[date]; {
		case night == nil || night.PropertyID != propertyID:
			all = append(all, RefusedNight{RoomTypeID: roomTypeID, Date: date, Reason: NotOnSale})
		case night.Available+overbook < 1:
			all = append(all, RefusedNight{RoomTypeID: roomTypeID, Date: date, Reason: SoldOut, Left: max(0, night.Available)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &Refused{all}
}
