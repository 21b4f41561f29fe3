package bookings

import (
	"context"
	"time"

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
func (r *Repository) RetireUnit(ctx context.Context, house availability.House, unitID string) (_ *units.Unit, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.RetireUnit")
	defer func() { end(err) }()
	today, err := house.Today(r.db.Now())
	if err != nil {
		return nil, dynastay.Within("House", err)
	}
	unit, err := r.units.Retire(ctx, house.ID, unitID, func(ctx context.Context) ([]units.TakenNight, error) {
		// One month more, because the clock of whoever assigned it may have been in the next month.
		last := dynastay.MonthOf(today).CheckIn.Time().AddDate(0, units.MostAhead+2, 0)
		has, err := r.whoHas(ctx, house.ID, unitID, dynastay.Stay{CheckIn: today, CheckOut: dynastay.DateOf(last, time.UTC)})
		return has.taken, err
	})
	if err != nil {
		return nil, err
	}
	return unit, nil
}

// holders are those whom the plan names for nights of a unit.
type holders struct {
	taken  []units.TakenNight // that somebody has
	stale  []units.TakenNight // whose booking does not have them any more
	owners map[string]owner
}

// whoHas returns who has a unit.
func (r *Repository) whoHas(ctx context.Context, propertyID, unitID string, nights dynastay.Stay) (has holders, err error) {
	all, err := r.units.Taken(ctx, propertyID, unitID, nights)
	if err != nil {
		return has, err
	}
	has.owners = map[string]owner{}
	for _, n := range all {
		still, err := r.has(ctx, n, has.owners)
		if err != nil {
			return has, err
		}
		if still {
			has.taken = append(has.taken, n)
		} else {
			has.stale = append(has.stale, n)
		}
	}
	return has, nil
}
