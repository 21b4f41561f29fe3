package availability

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// ErrClosed: the room type's sales were closed for good or with its property; nights cannot be opened.
var ErrClosed = errors.New("room type is closed")

// OpenRequest puts nights of a room type on sale.
type OpenRequest struct {
	PropertyID string
	RoomTypeID string
	Nights     dynastay.Stay  // the dates, half-open: CheckOut is the first night that is not opened
	Rooms      int            // rooms on sale each night, up to MaxRooms
	Price      dynastay.Money // for one room and night, not finer than the currency's minor unit
	MinStay    int            // 0 for no bound
	MaxStay    int            // 0 for no bound
}

// Opened says what [Repository.Open] found and made.
type Opened struct {
	Opened  []dynastay.Date
	Already []dynastay.Date // had an item before and are as they were
}

// mostNights is what one transaction opens: with the check of the guard, its 100 actions.
const mostNights = 99

// Validate checks the request, of at most 732 nights; its errors name the field.
func (o OpenRequest) Validate() error { return o.validate(maxCalendar) }

func (o OpenRequest) validate(nights int) error {
	if _, err := keys.Of(keys.RoomType{PropertyID: o.PropertyID, RoomTypeID: o.RoomTypeID}); err != nil {
		return err
	}
	if err := o.Nights.Validate(); err != nil {
		return dynastay.Within("Nights", err)
	}
	if n := o.Nights.Nights(); n > nights {
		return dynastay.Invalid("Nights", "are %d, the most is %d", n, nights)
	}
	if err := o.Price.Currency().Validate(); err != nil {
		return dynastay.Within("Price.Currency", err)
	}
	switch {
	case o.Rooms < 1 || o.Rooms > MaxRooms:
		return dynastay.Invalid("Rooms", "%d is not a number of rooms from 1 to %d", o.Rooms, MaxRooms)
	case o.Price.Sign() < 0:
		return dynastay.Invalid("Price", "%s is negative", o.Price)
	case o.Price != o.Price.Round():
		return dynastay.Invalid("Price", "%s is finer than what %s is paid in", o.Price, o.Price.Currency())
	case o.MinStay < 0:
		return dynastay.Invalid("MinStay", "%d is negative", o.MinStay)
	case o.MaxStay < 0 || o.MaxStay > 0 && o.MaxStay < o.MinStay:
		return dynastay.Invalid("MaxStay", "%d is negative or less than the minimum stay of %d", o.MaxStay, o.MinStay)
	}
	return nil
}

// OpenOp opens up to 99 nights in one transaction, fewer beside other operations or an idempotency key; more are refused
// with the field "Nights". A night that has an item is left as it is: its rooms may be sold.
func (r *Repository) OpenOp(o OpenRequest) *dynastay.Operation[Opened] {
	return dynastay.NewOp(dynastay.OpSpec[Opened]{
		Name:    "availability.Open",
		Invalid: o.validate(mostNights),
		Input: func(in *dynastay.Input) {
			in.Field("property", o.PropertyID)
			in.Field("room type", o.RoomTypeID)
			in.Field("nights", o.Nights.String())
			in.Field("rooms", strconv.Itoa(o.Rooms))
			in.Field("price", o.Price.String())
			in.Field("min stay", strconv.Itoa(o.MinStay))
			in.Field("max stay", strconv.Itoa(o.MaxStay))
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Opened, error) { return r.open(ctx, tx, o) },
		Restore: func(context.Context, map[string]string) (Opened, error) {
			return Opened{Already: slices.Collect(o.Nights.Dates())}, nil
		},
	})
}

var (
	guardOpen = dynastay.Prepare(expression.NewBuilder().WithCondition(
		dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")).And(dynastay.Absent(keys.AttrClosed))))
	nightAbsent = dynastay.IfNew(keys.AvailabilityTable)
)

func (r *Repository) open(ctx context.Context, tx *dynastay.Tx, o OpenRequest) (Opened, error) {
	var result Opened
	there, err := readNights(ctx, r.db, o.RoomTypeID, o.Nights, true)
	if err != nil {
		return result, err
	}
	refused := func(kind error, field string) error {
		return &dynastay.Error{Op: "availability.Open", Entity: "RoomType", ID: o.RoomTypeID, Field: field, Kind: kind}
	}
	has := map[dynastay.Key]bool{}
	for _, row := range there {
		if row.Text("PropertyId") != o.PropertyID {
			return result, refused(dynastay.ErrNotFound, "PropertyID")
		}
		has[keys.AvailabilityTable.Key.From(row)] = true
	}
	now := r.db.Now()
	for date := range o.Nights.Dates() {
		night := &Night{
			RoomTypeID: o.RoomTypeID, PropertyID: o.PropertyID, Date: date,
			Available: o.Rooms, Total: o.Rooms, Price: o.Price, MinStay: o.MinStay, MaxStay: o.MaxStay,
			UpdatedAt: now, ExpiresAt: date.Time().AddDate(shelfLife, 0, 0),
		}
		item, err := nightEntity.Item(night)
		if err != nil {
			return result, err
		}
		if has[keys.AvailabilityTable.Key.From(dynastay.RowOf(item))] {
			result.Already = append(result.Already, date)
			continue
		}
		result.Opened = append(result.Opened, date)
		tx.Put(keys.AvailabilityTable, item).Identified().If(nightAbsent, func(dynastay.Row) error {
			return dynastay.ErrOvertaken // another opened it in the meantime
		})
	}
	if len(result.Opened) == 0 {
		return result, nil
	}
	// The guard belongs to the transaction: a room type that is closed at the same time has no night opened behind it.
	guard, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: o.RoomTypeID})
	if err != nil {
		return result, err
	}
	open := guardOpen.With(dynastay.Item{"property": dynastay.Text(o.PropertyID)})
	tx.Check(keys.PropertiesTable, guard, open, func(old dynastay.Row) error {
		switch {
		case !old.Exists():
			return refused(dynastay.ErrNotFound, "")
		case old.Text("PropertyId") != o.PropertyID:
			return refused(dynastay.ErrNotFound, "PropertyID")
		}
		return refused(ErrClosed, "")
	})
	return result, nil
}

// Open puts nights on sale, up to 732 of them, in transactions of up to 99: each of them is all or none, the whole is
// not. It can be repeated at will; what is open stays as it is.
//
// The room type must be one that package properties made: its guard is what ties it to the property. It is refused with
// [dynastay.ErrNotFound] where there is no guard, with Field "PropertyID" where the guard, or a night that is there,
// names another property, and with [ErrClosed].
//
// 2 requests for every 99 nights: a Query of what is there, and the transaction.
func (r *Repository) Open(ctx context.Context, o OpenRequest) (Opened, error) {
	var all Opened
	if err := o.Validate(); err != nil {
		return all, err
	}
	for part := o; part.Nights.CheckIn.Before(o.Nights.CheckOut); part.Nights.CheckIn = part.Nights.CheckOut {
		part.Nights.CheckOut = part.Nights.CheckIn.AddDays(mostNights)
		if part.Nights.CheckOut.IsZero() || part.Nights.CheckOut.After(o.Nights.CheckOut) {
			part.Nights.CheckOut = o.Nights.CheckOut
		}
		opened, err := dynastay.Do(ctx, r.db, r.OpenOp(part))
		if err != nil {
			return all, err
		}
		all.Opened = append(all.Opened, opened.Opened...)
		all.Already = append(all.Already, opened.Already...)
	}
	return all, nil
}
