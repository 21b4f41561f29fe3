package availability

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// OpenAheadError means that nights of a room type are open at prices in another currency, so that its base price cannot
// have this one. The nights must have passed before the call can succeed.
type OpenAheadError struct {
	RoomTypeID string
	Currency   dynastay.Currency // of the first night
	Dates      []dynastay.Date   // in order
}

// Error returns the number of nights and the first three of them.
func (e *OpenAheadError) Error() string {
	var first []string
	for _, date := range e.Dates[:min(len(e.Dates), mostShown)] {
		first = append(first, date.String())
	}
	if len(e.Dates) > mostShown {
		first = append(first, "…")
	}
	return fmt.Sprintf("%s open for sale in %s: %s", are(len(e.Dates), "night"), e.Currency, strings.Join(first, ", "))
}

// Is reports whether target is [dynastay.ErrRefused].
func (*OpenAheadError) Is(target error) bool { return target == dynastay.ErrRefused }

func are(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
}

// ChangeCurrency adds to tx what the base price of a room type needs to get another currency. It is for authors of
// operations that change room types, such as those of package properties: the transaction must also write the room type.
// If nights are open for yesterday or later at prices in another currency, ChangeCurrency returns an [*OpenAheadError].
// Yesterday counts because the clock of a process that sells may be a little behind. Once the write has succeeded,
// [Repository.Open] accepts only the new currency, even if it has read the room type before. Of house, only ID and
// TimeZone are used. 2 requests.
func (r *Repository) ChangeCurrency(ctx context.Context, tx *dynastay.Tx, house House, roomTypeID string, to dynastay.Currency) error {
	today, err := r.todayAt(house)
	if err != nil {
		return err
	}
	key, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: roomTypeID})
	if err != nil {
		return err
	}
	// Before the nights: an opening that the Query does not find leaves another id on the guard.
	guard, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
	if err != nil {
		return err
	}
	if err := r.openIn(ctx, house.ID, roomTypeID, yesterday(today), to); err != nil {
		return err
	}
	unopened := dynastay.AsRead("PropertyId", guard).And(dynastay.AsRead(keys.AttrOpened, guard))
	if guard.Text("PropertyId") != house.ID { // no nights can be opened, and the guard is not this property's
		tx.Check(keys.PropertiesTable, key, dynastay.MustCompile(expression.NewBuilder().WithCondition(unopened)).With(nil), overtaken)
		return nil
	}
	tx.Update(keys.PropertiesTable, key, dynastay.MustCompile(expression.NewBuilder().WithCondition(unopened).
		WithUpdate(expression.Set(dynastay.NameOf(keys.AttrCurrency), expression.Value(string(to))))).With(nil)).Else(overtaken)
	return nil
}

// openIn returns an [*OpenAheadError] for the nights from a date on whose currency is not the given one.
func (r *Repository) openIn(ctx context.Context, propertyID, roomTypeID string, from dynastay.Date, currency dynastay.Currency) error {
	rows, err := r.nightsFrom(ctx, roomTypeID, from)
	if err != nil {
		return err
	}
	open := &OpenAheadError{RoomTypeID: roomTypeID}
	for _, row := range rows {
		other := dynastay.Currency(row.Text("Currency"))
		if row.Text("PropertyId") != propertyID || other == currency {
			continue
		}
		night, err := keys.Parse[keys.Night](keys.AvailabilityTable.Key.From(row))
		if err != nil {
			return err
		}
		open.Currency, open.Dates = cmp.Or(open.Currency, other), append(open.Dates, night.Date)
	}
	if len(open.Dates) > 0 {
		return open
	}
	return nil
}

// guardOpen is the condition for opening nights. The currency is on the guard once it has changed.
var guardOpen = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")).
		And(dynastay.Absent(keys.AttrClosed)).
		And(dynastay.Absent(keys.AttrCurrency).Or(dynastay.NameOf(keys.AttrCurrency).Equal(dynastay.Param("currency"))))).
	WithUpdate(expression.Set(dynastay.NameOf(keys.AttrOpened), dynastay.Param("opening"))))

// onGuard adds the update of the guard in the transaction, so no night is opened for a room type that is closed, or whose
// currency changes, at the same time. It costs as much as a check.
func (o OpenRequest) onGuard(tx *dynastay.Tx) error {
	key, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: o.RoomTypeID})
	if err != nil {
		return err
	}
	tx.Update(keys.PropertiesTable, key, guardOpen.With(dynastay.Item{
		"property": dynastay.Text(o.PropertyID), "currency": dynastay.Text(string(o.Price.Currency())), "opening": dynastay.Text(rand.Text()),
	})).Else(func(old dynastay.Row) error {
		switch {
		case !old.Exists():
			return o.refused(dynastay.ErrNotFound, "")
		case old.Text("PropertyId") != o.PropertyID:
			return o.refused(dynastay.ErrNotFound, "PropertyID")
		case isClosed(old):
			return o.refused(ErrClosed, "")
		}
		return fitsPrice(o.RoomTypeID, old, o.Price)
	})
	return nil
}

// inOtherCurrencies returns the nights whose price is not in the currency of the quote: that of the first night that the
// booking keeps, or of the first night.
func (q *Quote) inOtherCurrencies(booked Booked) (all []RefusedNight) {
	var kept, first dynastay.Currency
	goesOn := booked.GoesOn(q.Lines)
	for i, line := range q.Lines {
		for _, night := range line.Nights {
			if night.Price.Validate() == nil { // otherwise there is no quote for another reason
				kept = cmp.Or(kept, booked.kept(goesOn[i], &line, night.Date).Price.Currency())
				first = cmp.Or(first, night.Price.Currency())
			}
		}
	}
	currency := cmp.Or(kept, first)
	for _, line := range q.Lines {
		for _, night := range line.Nights {
			if night.Price.Validate() == nil && night.Price.Currency() != currency {
				all = append(all, RefusedNight{RoomTypeID: line.RoomTypeID, Date: night.Date, Reason: OtherCurrency, Price: night.Price})
			}
		}
	}
	return all
}
