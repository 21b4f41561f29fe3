package bookings

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
)

// RetireUnit takes a unit out of use, unless somebody has it tonight at the property or later: it then returns a [*units.TakenError]
// with all such nights, and the unit stays in use. A retired unit is not assigned any more, and its room type can be changed.
// [units.Repository.Update] takes it into use again.
//
// It first marks the unit, so that nobody gets it any more, and then looks who has it. If the program ends in between, or after another
// error, the unit is not assigned: call RetireUnit again. It fails with [dynastay.ErrNotFound] if the property has no such unit.
// Of house, only ID and TimeZone are used.
//
// 5 requests, and 1 more for each booking that the plan names. For a unit that is retired, 1.
func (r *Repository) RetireUnit(ctx context.Context, house availability.House, unitID string) (*units.Unit, error) {
	today, err := house.Today(r.db.Now())
	if err != nil {
		return nil, dynastay.Within("House", err)
	}
	unit, err := r.units.Retire(ctx, house.ID, unitID, func(ctx context.Context) ([]units.TakenNight, error) {
		return r.whoHas(ctx, house.ID, unitID, today)
	})
	if err != nil {
		return nil, err
	}
	return unit, nil
}

// whoHas returns the nights from a date on on which bookings have a unit.
func (r *Repository) whoHas(ctx context.Context, propertyID, unitID string, from dynastay.Date) (has []units.TakenNight, err error) {
	ahead, err := r.units.Ahead(ctx, propertyID, unitID, from)
	if err != nil {
		return nil, err
	}
	owners := map[string]owner{}
	for _, n := range ahead {
		by, known := owners[n.By.BookingID]
		if !known {
			if by, err = r.ownerOf(ctx, n.By); err != nil {
				return nil, err
			}
			owners[n.By.BookingID] = by
		}
		if by.has(n.Night) {
			has = append(has, n)
		}
	}
	return has, nil
}
