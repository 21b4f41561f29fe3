package availability

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Repository reads and updates the inventory.
type Repository struct {
	db     *dynastay.DB
	entity *entity.Entity[Night]
	plans  *entity.Entity[RatePlan]
	table  *entity.Table[Night]
}

// New returns a repository. It sends no requests. Create one for the process and share it.
func New(db *dynastay.DB) *Repository {
	return &Repository{db, nightEntity(), ratePlanEntity(), entity.NewTable(db, nightEntity())}
}

// maxCalendar is the maximum number of nights that one call opens, updates or reads: two years. That is as long as
// nights are kept, and further ahead than rooms are sold.
const maxCalendar = 2 * 366

// Check reports whether a number of rooms of one type can be sold for a stay, and if not, lists every night that cannot
// be sold, with the reason. The result may already be out of date; only a sale is certain. The stay may have at most
// 732 nights.
//
// Pattern A1: Availability, PK = ROOM#{roomTypeId}, SK from DATE#{check-in} to DATE#{last night}, 1 request
func (r *Repository) Check(
	ctx context.Context, propertyID, roomTypeID string, rooms int, stay dynastay.Stay, opts ...dynastay.ReadOption,
) (_ Availability, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Check")
	defer func() { end(err) }()
	req := CheckRequest{PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: rooms}
	if err := req.Validate(); err != nil {
		return Availability{}, err
	}
	nights, err := r.nights(ctx, roomTypeID, stay, opts...)
	if err != nil {
		return Availability{}, err
	}
	return req.answer(stay, nights), nil
}

// Prices returns the price of one room for each night of a stay, and their sum. A night that was never opened is left
// out; a night that is sold out is included. The stay may have at most 732 nights.
//
// Pattern A2: Availability, PK = ROOM#{roomTypeId}, SK from DATE#{check-in} to DATE#{last night}, 1 request
func (r *Repository) Prices(
	ctx context.Context, roomTypeID string, stay dynastay.Stay, opts ...dynastay.ReadOption,
) (_ Prices, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Prices")
	defer func() { end(err) }()
	nights, err := r.nights(ctx, roomTypeID, stay, opts...)
	if err != nil {
		return Prices{}, err
	}
	return pricesOf(nights, stay), nil
}

// Quote returns the price of a stay, or fails with [*Refused], which lists every night that cannot be sold, with the
// reason. It reserves nothing. If the total of the stored prices cannot be computed, for example because a price is more
// precise than the minor unit of its currency, Quote returns [dynastay.ErrCorrupt]. 1 request per room type.
func (r *Repository) Quote(ctx context.Context, req QuoteRequest) (_ *Quote, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Quote")
	defer func() { end(err) }()
	now := r.db.Now()
	if err := req.Validate(now); err != nil {
		return nil, err
	}
	nights := map[string][]Night{}
	for _, room := range merged(req.Rooms) {
		if _, read := nights[room.RoomTypeID]; read {
			continue
		}
		var err error
		if nights[room.RoomTypeID], err = r.nights(ctx, room.RoomTypeID, req.Stay); err != nil {
			return nil, err
		}
	}
	return req.quote(nights, now)
}

func (r *Repository) nights(ctx context.Context, roomTypeID string, stay dynastay.Stay, opts ...dynastay.ReadOption) ([]Night, error) {
	if err := checkDates("Stay", stay); err != nil {
		return nil, err
	}
	rows, err := r.read(ctx, roomTypeID, stay, opts...)
	if err != nil {
		return nil, err
	}
	nights := make([]Night, 0, len(rows))
	for _, row := range rows {
		night, err := r.entity.Value(row)
		if err != nil {
			return nil, err
		}
		if !night.expired(r.db.Now()) {
			nights = append(nights, *night)
		}
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
