package bookings

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
)

// RetireUnit takes a unit out of use, unless somebody has it tonight at the property or later: it then returns a [*units.TakenError]
// with all such nights, and the unit stays in use. A retired unit is not assigned any more, and its room type can be changed.
// [units.Repository.Update] takes it into use again.
//
// It first marks the unit, so that nobody gets it any more, and then looks who has it. If the program ends in between, the unit is
// retired although somebody may have it: call RetireUnit again. It fails with [dynastay.ErrNotFound] if the property has no such
// unit. Of house, only ID and TimeZone are used.
//
// 3 requests, 1 more for each booking that the plan names, and 2 to take the mark back.
func (r *Repository) RetireUnit(ctx context.Context, house availability.House, unitID string) (*units.Unit, error) {
	today, err := house.Today(r.db.Now())
	if err != nil {
		return nil, dynastay.Within("House", err)
	}
	unit, err := dynastay.Do(ctx, r.db, r.units.RetireOp(house.ID, unitID))
	if err != nil {
		return nil, err
	}
	has, err := r.whoHas(ctx, house.ID, unitID, today)
	if err != nil || len(has) == 0 {
		return unit, err
	}
	taken := &units.TakenError{Nights: has}
	_, err = r.units.Update(ctx, house.ID, unitID, func(u *units.Unit) error {
		u.Retired = false
		return nil
	})
	if err != nil {
		return nil, errors.Join(taken, err)
	}
	return nil, taken
}

// whoHas returns the nights from a date on on which bookings have a unit.
func (r *Repository) whoHas(ctx context.Context, propertyID, unitID string, from dynastay.Date) (has []units.TakenNight, err error) {
	ahead, err := r.units.Ahead(ctx, propertyID, unitID, from)
	if err != nil {
		return nil, err
	}
	owners := map[string]owner{}
	for _, n := range ahead {
		by, known := owners[n.By.String()]
		if !known {
			if by, err = r.ownerOf(ctx, n.By); err != nil {
				return nil, err
			}
			owners[n.By.String()] = by
		}
		if by.has(n.Night) {
			has = append(has, n)
		}
	}
	return has, nil
}
