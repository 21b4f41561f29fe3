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
	Nights     dynastay.Stay  // the dates from today on, half-open: CheckOut is the first night that is not opened
	Rooms      int            // rooms on sale each night, up to those of the room type
	Overbook   bool           // allows more than those, up to MaxRooms
	Price      dynastay.Money // for one room and night, in whole minor units of the room type's currency
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
	if o.Nights.Nights() > nights {
		return dynastay.Invalid("Nights", "must be at most %d nights", nights)
	}
	if err := o.Price.Validate(); err != nil {
		return dynastay.Within("Price", err)
	}
	switch {
	case o.Rooms < 1 || o.Rooms > MaxRooms:
		return dynastay.Invalid("Rooms", "must be between 1 and %d", MaxRooms)
	case o.Price.Sign() < 0:
		return dynastay.Invalid("Price", "must not be negative")
	case o.MinStay < 0:
		return dynastay.Invalid("MinStay", "must not be negative")
	case o.MaxStay < 0 || o.MaxStay > 0 && o.MaxStay < o.MinStay:
		return dynastay.Invalid("MaxStay", "must be 0 or at least MinStay (%d)", o.MinStay)
	}
	return nil
}

// refused says that the room type cannot be opened, whatever the request asks for.
func (o OpenRequest) refused(kind error, field string) error {
	return &dynastay.Error{Op: "availability.Open", Entity: "RoomType", ID: o.RoomTypeID, Field: field, Kind: kind}
}

// OpenOp opens up to 99 nights in one transaction, fewer beside other operations or an idempotency key; more are refused
// with the field "Nights". A night that has an item is left as it is: its rooms may be sold. Its refusals are those of
// [Repository.Open].
func (r *Repository) OpenOp(o OpenRequest) *dynastay.Operation[Opened] {
	return r.openOp(o, r.fits)
}

func (r *Repository) openOp(o OpenRequest, fits func(context.Context, OpenRequest) error) *dynastay.Operation[Opened] {
	return dynastay.NewOp(dynastay.OpSpec[Opened]{
		Name:    "availability.Open",
		Invalid: o.validate(mostNights),
		Input: func(in *dynastay.Input) {
			in.Field("property", o.PropertyID)
			in.Field("room type", o.RoomTypeID)
			in.Field("nights", o.Nights.String())
			in.Field("rooms", strconv.Itoa(o.Rooms))
			in.Field("overbook", strconv.FormatBool(o.Overbook))
			in.Field("price", o.Price.String())
			in.Field("min stay", strconv.Itoa(o.MinStay))
			in.Field("max stay", strconv.Itoa(o.MaxStay))
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Opened, error) {
			// Not in Invalid: a retry after midnight must find the nights that it opened.
			if err := fits(ctx, o); err != nil {
				return Opened{}, err
			}
			return r.open(ctx, tx, o)
		},
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

// fits refuses what the room type does not have, and nights of the past. 1 request.
func (r *Repository) fits(ctx context.Context, o OpenRequest) error {
	roomType, err := keys.Of(keys.RoomType{PropertyID: o.PropertyID, RoomTypeID: o.RoomTypeID})
	if err != nil {
		return err
	}
	property, err := keys.Of(keys.Property{PropertyID: o.PropertyID})
	if err != nil {
		return err
	}
	rows, err := r.db.GetAll(ctx, keys.PropertiesTable, []dynastay.Key{roomType, property}, dynastay.Consistent)
	if err != nil {
		return err
	}
	room, house := rows[0], House{TimeZone: rows[1].Text("TimeZone")}
	if !room.Exists() {
		return o.refused(dynastay.ErrNotFound, "")
	}
	today, err := house.today(r.db.Now())
	if err != nil { // the text alone: the zone is not in the request
		return &dynastay.Error{
			Op: "availability.Open", Entity: "Property", ID: o.PropertyID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
		}
	}
	if err := notPast(o.Nights, today); err != nil {
		return dynastay.Within("Nights", err)
	}
	if o.Price.Currency() != dynastay.Currency(room.Text("Currency")) {
		return dynastay.Invalid("Price.Currency", "must be the currency of the room type's base price")
	}
	if most := room.Int("TotalRooms"); o.Rooms > most && !o.Overbook {
		return dynastay.Invalid("Rooms", "must be at most %d, the number of rooms of this type, unless Overbook is set", most)
	}
	return nil
}

func (r *Repository) open(ctx context.Context, tx *dynastay.Tx, o OpenRequest) (Opened, error) {
	var result Opened
	there, err := r.read(ctx, o.RoomTypeID, o.Nights, dynastay.Consistent)
	if err != nil {
		return result, err
	}
	has := map[dynastay.Key]bool{}
	for _, row := range there {
		if row.Text("PropertyId") != o.PropertyID {
			return result, o.refused(dynastay.ErrNotFound, "PropertyID")
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
		item, err := r.entity.Item(night)
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
			return o.refused(dynastay.ErrNotFound, "")
		case old.Text("PropertyId") != o.PropertyID:
			return o.refused(dynastay.ErrNotFound, "PropertyID")
		}
		return o.refused(ErrClosed, "")
	})
	return result, nil
}

// Open puts nights on sale, up to 732 of them, in transactions of up to 99: each of them is all or none, the whole is
// not. It can be repeated at will; what is open stays as it is.
//
// The room type must be one that package properties made: its guard is what ties it to the property. It is refused with
// [dynastay.ErrNotFound] where the property has no such room type or there is no guard, with Field "PropertyID" where the
// guard, or a night that is there, names another property, and with [ErrClosed].
//
// What does not fit the room type or the calendar is refused with the field named: "Nights.CheckIn" before today at the
// property, "Price.Currency" where the base price has another, "Rooms" above the rooms of the type without Overbook.
//
// 1 request for these checks, and 2 for every 99 nights: a Query of what is there, and the transaction.
func (r *Repository) Open(ctx context.Context, o OpenRequest) (Opened, error) {
	var all Opened
	if err := o.Validate(); err != nil {
		return all, err
	}
	if err := r.fits(ctx, o); err != nil {
		return all, err
	}
	checked := func(context.Context, OpenRequest) error { return nil }
	for part := o; part.Nights.CheckIn.Before(o.Nights.CheckOut); part.Nights.CheckIn = part.Nights.CheckOut {
		part.Nights.CheckOut = part.Nights.CheckIn.AddDays(mostNights)
		if part.Nights.CheckOut.IsZero() || part.Nights.CheckOut.After(o.Nights.CheckOut) {
			part.Nights.CheckOut = o.Nights.CheckOut
		}
		opened, err := dynastay.Do(ctx, r.db, r.openOp(part, checked))
		if err != nil {
			return all, err
		}
		all.Opened = append(all.Opened, opened.Opened...)
		all.Already = append(all.Already, opened.Already...)
	}
	return all, nil
}
