package availability

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// ErrClosed means that sales of the room type were closed, permanently or together with its property, by its host or
// because the property is suspended, so no nights can be opened. From [Repository.ReopenSales] and [SalesMove.Finish],
// it means that another caller closed the sales at the same time.
var ErrClosed = dynastay.Refusal("room type is closed")

// OpenRequest puts nights of a room type on sale.
type OpenRequest struct {
	PropertyID string
	RoomTypeID string
	Nights     dynastay.Stay  // from today on, half-open: CheckOut is the first night that is not opened
	Weekdays   Weekdays       // which of these nights to open; the zero value means every night
	Rooms      int            // number of rooms to put on sale each night, at most the Total of the room type
	Price      dynastay.Money // per room and night, in whole minor units of the room type's currency
	MinStay    int            // nights; 0 means no minimum
	MaxStay    int            // nights; 0 means no maximum
	// OverbookLimit is the number of rooms by which every sale may overbook a night, 0 to MaxRooms; 0 means none.
	OverbookLimit int
	// Rates are those of the property's rate plans, by their ids: the price of each plan that has prices of its own, and
	// restrictions of stays under a plan. All of them together have at most MaxRatesSize bytes as stored.
	Rates map[string]Rate

	AboveCapacity bool // allows more rooms than the room type has, at most MaxRooms
	// StopSell opens the nights without selling them yet, so that [Repository.Update] can set their restrictions first.
	StopSell       bool
	StopSellReason string // at most 60 bytes; only with StopSell
}

// Opened is the result of [Repository.Open].
type Opened struct {
	Opened  []dynastay.Date `json:",omitzero"` // put on sale by this call
	Already []dynastay.Date `json:",omitzero"` // already open before this call; left unchanged
}

// mostNights is the number of nights that one transaction can open: with the check of the guard, it has 100 actions.
const mostNights = 99

// Validate checks the request, whose range may have at most 732 nights. Its errors name the field.
func (o OpenRequest) Validate() error {
	if _, err := keys.Of(keys.RoomType{PropertyID: o.PropertyID, RoomTypeID: o.RoomTypeID}); err != nil {
		return err
	}
	if err := checkRange("Nights", o.Nights, o.Weekdays); err != nil {
		return err
	}
	if err := checkPrice(o.Price); err != nil {
		return err
	}
	if o.Rooms < 1 || o.Rooms > MaxRooms {
		return dynastay.Invalid("Rooms", "must be between 1 and 10,000")
	}
	if err := checkOverbookLimit(&o.OverbookLimit); err != nil {
		return err
	}
	if err := checkStays(&o.MinStay, &o.MaxStay); err != nil {
		return err
	}
	if err := checkRates(o.Rates, o.Price.Currency()); err != nil {
		return err
	}
	return checkReason(o.StopSell, o.StopSellReason)
}

// checkRange checks a range of dates and the days of the week in it.
func checkRange(field string, dates dynastay.Stay, on Weekdays) error {
	if err := checkDates(field, dates); err != nil {
		return err
	}
	if err := on.Validate(); err != nil {
		return err
	}
	if len(on.dates(dates)) == 0 {
		return dynastay.Invalid("Weekdays", "must include a day between %s and %s, got %s", dates.CheckIn, dates.LastNight(), on)
	}
	return nil
}

func checkDates(field string, dates dynastay.Stay) error {
	if err := dates.Validate(); err != nil {
		return dynastay.Within(field, err)
	}
	if dates.Nights() > maxCalendar {
		return dynastay.Invalid(field, "must have at most %d nights", maxCalendar)
	}
	return nil
}

// checkStays rejects limits that no stay can meet; one that is nil is not known.
func checkStays(minStay, maxStay *int) error {
	switch {
	case minStay != nil && *minStay < 0:
		return dynastay.Invalid("MinStay", "must not be negative")
	case maxStay != nil && *maxStay < 0:
		return dynastay.Invalid("MaxStay", "must not be negative")
	case minStay != nil && maxStay != nil:
		return checkLimits(*minStay, *maxStay)
	}
	return nil
}

// checkOverbookLimit rejects a limit that no night can have; nil is not known.
func checkOverbookLimit(rooms *int) error {
	if rooms != nil && (*rooms < 0 || *rooms > MaxRooms) {
		return dynastay.Invalid("OverbookLimit", "must be between 0 and 10,000")
	}
	return nil
}

// checkLimits rejects limits that no stay can meet.
func checkLimits(minStay, maxStay int) error {
	if maxStay > 0 && maxStay < minStay {
		return dynastay.Invalid("MaxStay", "must be 0 or at least MinStay (%d)", minStay)
	}
	return nil
}

// maxReason keeps a night, whatever else it has, below 1 KB: each sale would cost more otherwise.
const maxReason = 60

func checkReason(stopSell bool, reason string) error {
	if reason != "" && !stopSell {
		return dynastay.Invalid("StopSellReason", "requires StopSell to be true")
	}
	return dynastay.Within("StopSellReason", entity.CheckText(reason, maxReason))
}

// single is Validate for a request that must fit into one transaction.
func (o OpenRequest) single() error {
	if err := o.Validate(); err != nil {
		return err
	}
	if len(o.Weekdays.dates(o.Nights)) > mostNights {
		return dynastay.Invalid("Nights", "must have at most %d nights", mostNights)
	}
	return nil
}

// refused returns the error for a room type that cannot be opened, whatever the request says.
func (o OpenRequest) refused(kind error, field string) error {
	return &dynastay.Error{Op: "availability.Open", Entity: "RoomType", ID: o.RoomTypeID, Field: field, Kind: kind}
}

// OpenOp opens at most 99 nights in one transaction; with other operations or an idempotency key in the same
// transaction, fewer. More than 99 nights are a [*dynastay.InvalidError] for the field "Nights". A night that already
// has an item is left unchanged, because its rooms may have been sold. It otherwise returns the errors of
// [Repository.Open]. One Write takes one OpenOp per room type, because each updates the room type's guard.
func (r *Repository) OpenOp(o OpenRequest) *dynastay.Operation[Opened] {
	return r.openOp(o, r.fits)
}

func (r *Repository) openOp(o OpenRequest, fits func(context.Context, OpenRequest) error) *dynastay.Operation[Opened] {
	o.Rates = maps.Clone(o.Rates) // an operation is written later than it is validated
	return dynastay.NewOp(dynastay.OpSpec[Opened]{
		Name:    "availability.Open",
		Invalid: o.single(),
		Input: func(in *dynastay.Input) {
			in.Field("property", o.PropertyID)
			in.Field("room type", o.RoomTypeID)
			in.Field("nights", o.Nights.String())
			in.Field("rooms", strconv.Itoa(o.Rooms))
			in.Field("above capacity", strconv.FormatBool(o.AboveCapacity))
			in.Field("price", o.Price.String())
			in.Field("min stay", strconv.Itoa(o.MinStay))
			in.Field("max stay", strconv.Itoa(o.MaxStay))
			in.Field("weekdays", o.Weekdays.String())
			in.Field("stop-sell", strconv.FormatBool(o.StopSell))
			in.Field("stop-sell reason", o.StopSellReason)
			if o.OverbookLimit > 0 {
				in.Field("overbook limit", strconv.Itoa(o.OverbookLimit))
			}
			agreeOnRates(in, o.Rates)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Opened, error) {
			// Not checked in Invalid: a retry after midnight must find the nights that it opened.
			if err := fits(ctx, o); err != nil {
				return Opened{}, err
			}
			return r.open(ctx, tx, o)
		},
		Restore: func(context.Context, map[string]string) (Opened, error) {
			return Opened{Already: o.Weekdays.dates(o.Nights)}, nil
		},
	})
}

var nightAbsent = dynastay.IfNew(keys.AvailabilityTable)

// fits rejects a request that does not match the room type or the rate plans, and nights in the past. 1 request.
func (r *Repository) fits(ctx context.Context, o OpenRequest) error {
	found, err := r.roomTypes(ctx, "availability.Open", o.PropertyID, []string{o.RoomTypeID}, slices.Sorted(maps.Keys(o.Rates)))
	if err != nil {
		return err
	}
	if err := notPast(o.Nights, found.today); err != nil {
		return dynastay.Within("Nights", err)
	}
	if err := fitsPrice(o.RoomTypeID, found.rooms[0], o.Price); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(o.Rates)) {
		if err := found.plans[id].fits(o.RoomTypeID, found.rooms[0], o.Rates[id].Price); err != nil {
			return dynastay.Within(ratesAt(id), err)
		}
	}
	if o.AboveCapacity {
		return nil
	}
	return fitsRooms(o.RoomTypeID, found.rooms[0], o.Rooms)
}

func (r *Repository) open(ctx context.Context, tx *dynastay.Tx, o OpenRequest) (Opened, error) {
	var result Opened
	there, err := r.read(ctx, o.RoomTypeID, o.Nights, dynastay.Consistent)
	if err != nil {
		return result, err
	}
	owners := map[dynastay.Key]string{}
	for _, row := range there {
		owners[keys.AvailabilityTable.Key.From(row)] = row.Text("PropertyId")
	}
	now := r.db.Now()
	for _, date := range o.Weekdays.dates(o.Nights) {
		night := &Night{
			RoomTypeID: o.RoomTypeID, PropertyID: o.PropertyID, Date: date,
			Available: o.Rooms, Total: o.Rooms, Price: o.Price, MinStay: o.MinStay, MaxStay: o.MaxStay,
			OverbookLimit: o.OverbookLimit, StopSell: o.StopSell, StopSellReason: o.StopSellReason, Rates: o.Rates,
			UpdatedAt: now, ExpiresAt: expiry(date),
		}
		item, err := r.entity.Item(night)
		if err != nil {
			return result, err
		}
		if owner, open := owners[keys.AvailabilityTable.Key.From(dynastay.RowOf(item))]; open {
			if owner != o.PropertyID {
				return Opened{}, o.refused(dynastay.ErrNotFound, "PropertyID")
			}
			result.Already = append(result.Already, date)
			continue
		}
		result.Opened = append(result.Opened, date)
		tx.Put(keys.AvailabilityTable, item).Identified().If(nightAbsent, func(dynastay.Row) error {
			return dynastay.ErrOvertaken // another caller opened it in the meantime
		})
	}
	if len(result.Opened) == 0 {
		return result, nil
	}
	return result, o.onGuard(tx)
}

// Open puts at most 732 nights on sale, in transactions of at most 99 nights each. Each transaction is all or nothing;
// the call as a whole is not. Open can be repeated at any time: nights that are already open are left unchanged. For a
// different price at weekends, call Open once for each price, with its Weekdays.
//
// The room type must have been created by package properties, whose guard ties the room type to the property. Open
// returns [dynastay.ErrNotFound] if the property has no such room type or the guard does not exist, and with Field
// "PropertyID" if the guard or an existing night names a different property. It returns [ErrClosed] if the room type is
// closed, unless all nights are already open.
//
// A request that does not match the room type or the calendar is a [*dynastay.InvalidError]. Its field is
// "Nights.CheckIn" if the nights begin before today at the property, "Price.Currency" if the currency differs from that
// of the base price, "Rooms" if there are more rooms than the room type has and AboveCapacity is not set, and, for
// example, "Rates[flex]" if the rate plan is not sold for the room type, and "Rates[flex].Price" if it derives its price.
// If the property has no such plan, Open returns [dynastay.ErrNotFound].
//
// These checks take 1 request, and every 99 nights take 2: a Query of the existing nights, and the transaction.
func (r *Repository) Open(ctx context.Context, o OpenRequest) (_ Opened, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Open")
	defer func() { end(err) }()
	var all Opened
	if err := o.Validate(); err != nil {
		return all, err
	}
	if err := r.fits(ctx, o); err != nil {
		return all, err
	}
	checked := func(context.Context, OpenRequest) error { return nil }
	for dates := range slices.Chunk(o.Weekdays.dates(o.Nights), mostNights) {
		part := o
		part.Nights = dynastay.Stay{CheckIn: dates[0], CheckOut: dates[len(dates)-1].AddDays(1)}
		opened, err := dynastay.Do(ctx, r.db, r.openOp(part, checked))
		if err != nil {
			return all, err
		}
		all.Opened = append(all.Opened, opened.Opened...)
		all.Already = append(all.Already, opened.Already...)
	}
	return all, nil
}
