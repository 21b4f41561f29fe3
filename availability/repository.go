package availability

import (
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Repository reads and updates the inventory.
type Repository struct {
	db     *dynastay.DB
	entity *entity.Entity[Night]
}

// New returns a repository. It sends no requests. Create one for the process and share it.
func New(db *dynastay.DB) *Repository { return &Repository{db, newEntity()} }

// maxCalendar is the maximum number of nights that Open, Check and Prices accept: two years. That is as long as nights
// are kept, and further ahead than rooms are sold.
const maxCalendar = 2 * 366

// Availability is the result of [Repository.Check].
type Availability struct {
	Nights  []Night        // the nights that have an item, in order
	Refused []RefusedNight // why the stay cannot be sold; empty if it can
}

// OK reports whether the stay can be sold.
func (a Availability) OK() bool { return len(a.Refused) == 0 }

// Check reports whether a number of rooms of one type can be sold for a stay, and if not, lists every night that cannot
// be sold, with the reason. The result may already be out of date; only a sale is certain. The stay may have at most
// 732 nights.
//
// Pattern A1: Availability, PK = ROOM#{roomTypeId}, SK from DATE#{check-in} to DATE#{last night}, 1 request
func (r *Repository) Check(ctx context.Context, propertyID, roomTypeID string, rooms int, stay dynastay.Stay, opts ...dynastay.ReadOption) (Availability, error) {
	if _, err := keys.Of(keys.Property{PropertyID: propertyID}); err != nil {
		return Availability{}, err
	}
	if rooms < 1 || rooms > MaxRooms {
		return Availability{}, dynastay.Invalid("Rooms", "must be between 1 and 10,000")
	}
	nights, err := r.nights(ctx, roomTypeID, stay, opts...)
	if err != nil {
		return Availability{}, err
	}
	return check(propertyID, Line{RoomTypeID: roomTypeID, Quantity: rooms}, stay, nights), nil
}

// Prices returns the price of one room for each night of a stay. A night that was never opened is left out; a night
// that is sold out is included. The stay may have at most 732 nights.
//
// Pattern A2: Availability, PK = ROOM#{roomTypeId}, SK from DATE#{check-in} to DATE#{last night}, 1 request
func (r *Repository) Prices(ctx context.Context, roomTypeID string, stay dynastay.Stay, opts ...dynastay.ReadOption) ([]NightPrice, error) {
	nights, err := r.nights(ctx, roomTypeID, stay, opts...)
	if err != nil {
		return nil, err
	}
	prices := make([]NightPrice, len(nights))
	for i, n := range nights {
		prices[i] = NightPrice{n.Date, n.Price}
	}
	return prices, nil
}

// Quote returns the price of a stay, or fails with [*Refused], which lists every night that cannot be sold, with the
// reason. It reserves nothing. If the total of the stored prices cannot be computed, for example because the currencies
// differ, or a price is more precise than the minor unit of its currency, Quote returns [dynastay.ErrCorrupt]. 1
// request per room type.
func (r *Repository) Quote(ctx context.Context, req QuoteRequest) (*Quote, error) {
	now := r.db.Now()
	if err := req.Validate(now); err != nil {
		return nil, err
	}
	q := &Quote{Property: req.Property, Stay: req.Stay, Guests: req.Guests, Sleeps: sleeps(req.Rooms), At: now}
	refused := &Refused{}
	for _, room := range merged(req.Rooms) {
		nights, err := r.nights(ctx, room.RoomTypeID, req.Stay)
		if err != nil {
			return nil, err
		}
		line := room.line()
		refused.Nights = append(refused.Nights, check(req.Property.ID, line, req.Stay, nights).Refused...)
		for _, n := range nights {
			line.Nights = append(line.Nights, NightPrice{n.Date, n.Price})
		}
		q.Lines = append(q.Lines, line)
	}
	if len(refused.Nights) > 0 {
		return nil, refused
	}
	for i := range q.Lines {
		line := &q.Lines[i]
		var err error
		if line.Subtotal, err = line.sum(q.Stay); err == nil {
			q.Total, err = q.Total.Add(line.Subtotal)
		}
		if err != nil {
			// Only the text: prices that cannot be added up are not the caller's mistake and must not match ErrInvalid.
			return nil, &dynastay.Error{
				Op: "availability.Quote", Entity: "RoomType", ID: line.RoomTypeID, Kind: dynastay.ErrCorrupt,
				Err: errors.New(err.Error()),
			}
		}
	}
	return q, nil
}

func check(propertyID string, line Line, stay dynastay.Stay, nights []Night) Availability {
	a := Availability{Nights: nights}
	byDate := map[dynastay.Date]*Night{}
	for i := range nights {
		byDate[nights[i].Date] = &nights[i]
	}
	for date := range stay.Dates() {
		a.Refused = append(a.Refused, refuse(propertyID, line, stay, date, byDate[date])...)
	}
	return a
}

func (r *Repository) nights(ctx context.Context, roomTypeID string, stay dynastay.Stay, opts ...dynastay.ReadOption) ([]Night, error) {
	if err := stay.Validate(); err != nil {
		return nil, dynastay.Within("Stay", err)
	}
	if stay.Nights() > maxCalendar {
		return nil, dynastay.Invalid("Stay", "must have at most %d nights", maxCalendar)
	}
	rows, err := r.read(ctx, roomTypeID, stay, opts...)
	if err != nil {
		return nil, err
	}
	nights := make([]Night, len(rows))
	for i, row := range rows {
		night, err := r.entity.Value(row)
		if err != nil {
			return nil, err
		}
		nights[i] = *night
	}
	return nights, nil
}

// read reads the nights of a half-open range. A night's sort key ends with its date, so the bounds are the first and
// the last night; the example in the hotel-booking document also includes the check-out date.
func (r *Repository) read(ctx context.Context, roomTypeID string, stay dynastay.Stay, opts ...dynastay.ReadOption) ([]dynastay.Row, error) {
	first, err := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: stay.CheckIn})
	if err != nil {
		return nil, err
	}
	last, err := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: stay.LastNight()})
	if err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, r.db, keys.AvailabilityTable, dynastay.Query{
		Partition: first.PK, Range: dynastay.Range{From: first.SK, To: last.SK}, Consistent: slices.Contains(opts, dynastay.Consistent),
	})
}
