package bookings

import (
	"cmp"
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/keys"
)

// OutOfOrder is a request of [Repository.TakeOutOfOrder].
type OutOfOrder struct {
	UnitID string
	// ID is chosen by the caller, such as the number of a work order: it must be valid as [key.ID], and is unique in the unit.
	ID string
	// Nights are from yesterday at the property on, because the night that has begun may be that of yesterday, and at most
	// [units.MostAhead] months ahead.
	Nights dynastay.Stay
	Reason string // such as "window broken", at most entity.MaxName bytes
	By     string // who decided it: an id of at most 128 bytes that the platform has for a member of the staff
	// Overbook allows that too few rooms are left for those who have booked: the number of rooms left may fall to −Overbook,
	// but not below. It is a decision of the property's staff. 0 to [availability.MaxRooms].
	Overbook int
}

func (o OutOfOrder) record() units.OutOfOrder {
	return units.OutOfOrder{ID: o.ID, Asked: o.Nights, Reason: o.Reason, By: o.By}
}

func (o OutOfOrder) validate(today dynastay.Date) error {
	if err := cmp.Or(units.CheckID("UnitID", o.UnitID), o.record().Validate()); err != nil {
		return err
	}
	switch {
	case o.Nights.CheckIn.Before(today.AddDays(-1)):
		return dynastay.Invalid("Nights", "must begin yesterday at the property, %s, or later", today.AddDays(-1))
	case o.Overbook < 0 || o.Overbook > availability.MaxRooms:
		return dynastay.Invalid("Overbook", "must be between 0 and 10,000")
	}
	return dynastay.Within("Nights", tooFar(o.Nights, today))
}

// TakeOutOfOrder takes a unit out of order on some nights: nobody gets it, and there is one room less to sell. If bookings
// have it, it fails with a [*units.TakenError] that names them: move their guests first. If a night has no room left, or is
// not on sale, it fails with an [*availability.Refused] that names the nights; Overbook allows the former. If both are so, the
// error matches both. It also fails with [units.ErrRetired], [units.ErrOutOfOrderFull] and [dynastay.ErrNotFound]. Nothing has
// changed then.
//
// A time of several months is written month by month, and whoever looks meanwhile sees a shorter time. If the program ends in
// between, or somebody was faster in a later month, [units.OutOfOrder.Nights] are fewer than those that were asked for: the
// same call continues, and [Repository.EndOutOfOrder] gives up what is there. If all is done, the same call does nothing. If
// the time was ended early, it fails with [units.ErrOutOfOrderEnded], and if the unit has other nights under the id, with
// [dynastay.ErrAlreadyExists].
//
// Of house, only ID and TimeZone are used. 2 requests: the read, and the transaction. For a time in several months, 2 for each
// month, and 3 more. A refusal takes 3 more, and 1 for each booking that the plan names.
func (r *Repository) TakeOutOfOrder(ctx context.Context, house availability.House, o OutOfOrder) (_ *units.Unit, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.TakeOutOfOrder")
	defer func() { end(err) }()
	today, err := house.Today(r.db.Now())
	if err != nil {
		return nil, dynastay.Within("House", err)
	}
	if err := o.validate(today); err != nil {
		return nil, err
	}
	if dynastay.MonthOf(o.Nights.CheckIn) != dynastay.MonthOf(o.Nights.LastNight()) {
		// Of several months, the first would be written before the last is refused.
		if err := r.mayBeTakenOut(ctx, house.ID, o); err != nil {
			return nil, err
		}
	}
	for {
		step, err := dynastay.Do(ctx, r.db, r.takeOutOp(house.ID, o, today))
		if err != nil {
			return nil, err
		}
		if !step.More {
			return step.Unit, nil
		}
	}
}

func (r *Repository) takeOutOp(propertyID string, o OutOfOrder, today dynastay.Date) *dynastay.Operation[units.Step] {
	return dynastay.NewOp(dynastay.OpSpec[units.Step]{
		Name: "bookings.TakeOutOfOrder",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (units.Step, error) {
			step, err := r.units.TakeOut(ctx, tx, propertyID, o.UnitID, o.record(), today)
			if err != nil {
				return step, err
			}
			c := newUnitChange(propertyID)
			for date := range step.Nights.Dates() {
				c.Take(units.Night{UnitID: o.UnitID, Date: date}, units.Occupant{OutOfOrder: o.ID})
				if err := r.nights.TakeOut(tx, propertyID, step.Unit.RoomTypeID, date, o.Overbook); err != nil {
					return step, err
				}
			}
			failed, err := queueForNights(ctx, tx, c, step)
			if err != nil {
				return step, err
			}
			if !failed {
				return step, c.AddTo(tx)
			}
			has, err := r.inTheWay(ctx, step.Unit, o, step.Nights)
			if err != nil {
				return step, err
			}
			for _, n := range has.stale {
				c.Seize(n.Night, n.By)
			}
			checkOwners(tx, has.owners)
			return step, c.AddTo(tx)
		},
	})
}

// queueForNights queues for the nights of a unit, and of its room type. It reports whether a condition on one of them has failed.
func queueForNights(ctx context.Context, tx *dynastay.Tx, c *unitChange, step units.Step) (failed bool, err error) {
	items, err := c.Items()
	if err != nil {
		return false, err
	}
	for date := range step.Nights.Dates() {
		night, err := availability.NightRef(step.Unit.RoomTypeID, date)
		if err != nil {
			return false, err
		}
		items = append(items, night)
	}
	for _, item := range items {
		_, found := tx.Found(keys.AvailabilityTable, item.Key)
		failed = failed || found
	}
	return failed, tx.Contend(ctx, dynastay.Contest{Items: items})
}

// inTheWay returns an error for what keeps a unit from being taken out of order on some nights, or else what it takes over.
func (r *Repository) inTheWay(ctx context.Context, unit *units.Unit, o OutOfOrder, nights dynastay.Stay) (has holders, err error) {
	if has, err = r.whoHas(ctx, unit.PropertyID, unit.ID, nights); err != nil {
		return has, err
	}
	err = r.nights.CheckTakeOut(ctx, unit.PropertyID, unit.RoomTypeID, nights, o.Overbook)
	if len(has.taken) > 0 && (err == nil || errors.As(err, new(*availability.Refused))) {
		err = errors.Join(&units.TakenError{Nights: has.taken}, err)
	}
	return has, err
}

// mayBeTakenOut returns an error if a unit cannot be taken out of order on all nights on which it is not yet.
func (r *Repository) mayBeTakenOut(ctx context.Context, propertyID string, o OutOfOrder) error {
	unit, err := r.units.Get(ctx, propertyID, o.UnitID, dynastay.Consistent)
	if err != nil {
		return err
	}
	nights := o.Nights
	for _, out := range unit.OutOfOrder {
		if out.ID != o.ID {
			continue
		}
		if out.Asked != o.Nights || !out.EndedAt.IsZero() {
			return nil // the transaction says that it is not this time, or was ended
		}
		nights.CheckIn = out.Nights.CheckOut
	}
	if unit.Retired || !nights.CheckIn.Before(nights.CheckOut) {
		return nil
	}
	_, err = r.inTheWay(ctx, unit, o, nights)
	return err
}

// OutOfOrderEnd is a request of [Repository.EndOutOfOrder].
type OutOfOrderEnd struct {
	UnitID string
	ID     string // of the [units.OutOfOrder]
	// From is the first night on which the unit can be used again. Default: tonight at the property. It is at the earliest
	// that of yesterday, because the past is not changed.
	From dynastay.Date
	By   string // who ends it: an id of at most 128 bytes that the platform has for a member of the staff
}

// EndOutOfOrder ends a time early in which a unit is out of order, or gives it up before it has begun: the unit can be
// assigned, and its nights are for sale. It returns only what [Repository.TakeOutOfOrder] took. If the time ends before From
// anyway, it does nothing. It fails with [dynastay.ErrNotFound] if the unit has no time with the id. Several months are
// returned one by one, the last one first; after an error, the same call continues.
//
// Of house, only ID and TimeZone are used. 2 requests for each month.
func (r *Repository) EndOutOfOrder(ctx context.Context, house availability.House, end OutOfOrderEnd) (_ *units.Unit, err error) {
	ctx, ended := r.db.Begin(ctx, "bookings.EndOutOfOrder")
	defer func() { ended(err) }()
	today, err := house.Today(r.db.Now())
	if err != nil {
		return nil, dynastay.Within("House", err)
	}
	err = cmp.Or(units.CheckID("UnitID", end.UnitID), units.CheckID("ID", end.ID), units.CheckBy(end.By))
	if end.From == (dynastay.Date{}) {
		end.From = today
	}
	if err == nil && end.From.Before(today.AddDays(-1)) {
		err = dynastay.Invalid("From", "must be yesterday at the property, %s, or later", today.AddDays(-1))
	}
	if err != nil {
		return nil, err
	}
	for {
		step, err := dynastay.Do(ctx, r.db, r.putBackOp(house.ID, end))
		if err != nil {
			return nil, err
		}
		if !step.More {
			return step.Unit, nil
		}
	}
}

func (r *Repository) putBackOp(propertyID string, end OutOfOrderEnd) *dynastay.Operation[units.Step] {
	return dynastay.NewOp(dynastay.OpSpec[units.Step]{
		Name: "bookings.EndOutOfOrder",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (units.Step, error) {
			step, err := r.units.PutBack(ctx, tx, propertyID, end.UnitID, end.ID, end.From, end.By)
			if err != nil {
				return step, err
			}
			c := newUnitChange(propertyID)
			for date := range step.Nights.Dates() {
				c.Free(units.Night{UnitID: end.UnitID, Date: date}, units.Occupant{OutOfOrder: end.ID})
				if err := r.nights.PutBack(tx, propertyID, step.Unit.RoomTypeID, date); err != nil {
					return step, err
				}
			}
			if _, err := queueForNights(ctx, tx, c, step); err != nil {
				return step, err
			}
			return step, c.AddTo(tx)
		},
	})
}
