package availability

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// opUpdate is the name of the operation in errors.
const opUpdate = "availability.Update"

// written is the result of updating one night.
type written struct {
	changed    bool
	overbooked int
}

// writeNight updates one night with one request, on condition that the night is the one that was read. If another
// caller has changed the night in the meantime, writeNight reads it again.
// See docs/decisions/0010-inventory.md for why an update is no transaction.
func (r *Repository) writeNight(ctx context.Context, propertyID string, night *edit) (written, error) {
	row, fresh := night.row, false
	read := func(ctx context.Context) (err error) {
		row, err = r.db.Get(ctx, keys.AvailabilityTable, nightRef(night.roomTypeID, night.date).Key, dynastay.Consistent)
		fresh = true
		return err
	}
	planned := true
	got, err := dynastay.Do(ctx, r.db, dynastay.NewOp(dynastay.OpSpec[written]{
		Name: opUpdate,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (got written, err error) {
			if !planned {
				if err = read(ctx); err != nil {
					return got, err
				}
			}
			planned = false
			got, err = r.update(tx, propertyID, night, row)
			var sold *SoldError
			outdated := errors.As(err, &sold) || errors.Is(err, ErrRatesFull) || errors.Is(err, ErrMixedCurrencies)
			if outdated && !fresh { // rooms may have been returned, and rates cleared, since the night was read
				if err = read(ctx); err == nil {
					got, err = r.update(tx, propertyID, night, row)
				}
			}
			return got, err
		},
	}))
	return got, night.meaning(err)
}

// meaning returns the error of a night for an error of its entity.
func (n *edit) meaning(err error) error {
	switch {
	case errors.Is(err, dynastay.ErrNotFound): // it was deleted after it was read
		return n.failure(ErrNotOpen, nil)
	case errors.Is(err, dynastay.ErrInvalid): // the stored night, not the request
		return n.failure(dynastay.ErrCorrupt, errors.New(err.Error()))
	}
	return err
}

// update adds the update of a night that was read consistently.
func (r *Repository) update(tx *dynastay.Tx, propertyID string, night *edit, row dynastay.Row) (got written, err error) {
	if !row.Exists() || row.Text("PropertyId") != propertyID {
		return got, night.failure(ErrNotOpen, nil)
	}
	if night.set.Rooms != nil {
		for _, name := range []string{attrAvailable, "TotalRooms"} {
			if row.Value(name).Kind() != dynastay.KindNumber {
				return got, night.failure(dynastay.ErrCorrupt, errors.New(name+" must be a number"))
			}
		}
	}
	change, err := r.table.ChangeOf(nightRef(night.roomTypeID, night.date).Key, row, night.set.apply)
	if err != nil {
		return got, err
	}
	// The key of a night holds only the room type's id, so the property is checked as well.
	condition := dynastay.NameOf("PropertyId").Equal(expression.Value(dynastay.Text(propertyID)))
	deltas := expression.Set(dynastay.NameOf(attrUpdated), expression.Value(dynastay.Instant(r.db.Now())))
	left := change.Before.Available
	if by := change.After.Total - change.Before.Total; by != 0 {
		available := dynastay.NameOf(attrAvailable)
		left += by
		switch {
		case by < 0 && left < -night.set.Overbook:
			return got, night.failure(nil, &SoldError{
				Sold: change.Before.Sold(), OutOfOrder: change.Before.OutOfOrder, Rooms: *night.set.Rooms,
			})
		case left < 0: // sales would change the overbooking that is reported
			condition = condition.And(available.Equal(expression.Value(change.Before.Available)))
		default: // sales do not change the write id, so rooms may have been sold since the night was read
			condition = condition.And(available.GreaterThanEqual(expression.Value(-by)))
		}
		deltas = deltas.Set(available, available.Plus(expression.Value(by)))
	}
	if got.changed = change.Changed(); night.set.Rooms != nil {
		got.overbooked = max(0, -left)
	}
	change.Also(deltas, condition)
	if ratesEnd(row, change.Before, change.After) {
		if err := change.Drop("Rates"); err != nil {
			return got, err
		}
	}
	return got, change.AddTo(tx)
}

// failure returns the error of the night.
func (n *edit) failure(kind, cause error) error {
	return &dynastay.Error{Op: opUpdate, Entity: "Night", ID: n.roomTypeID + " " + n.date.String(), Kind: kind, Err: cause}
}

// apply sets the values of the change on a night.
func (c Change) apply(n *Night) error {
	if c.Price.IsSet() {
		n.Price = c.Price
	}
	set(&n.Total, c.Rooms)
	set(&n.OverbookLimit, c.OverbookLimit)
	set(&n.MinStay, c.MinStay)
	set(&n.MaxStay, c.MaxStay)
	set(&n.ClosedToArrival, c.ClosedToArrival)
	set(&n.ClosedToDeparture, c.ClosedToDeparture)
	if c.StopSell != nil {
		n.StopSell, n.StopSellReason = *c.StopSell, c.StopSellReason
	}
	if (c.MinStay != nil || c.MaxStay != nil) && checkLimits(n.MinStay, n.MaxStay) != nil {
		return &LimitsError{"", n.MinStay, n.MaxStay}
	}
	return c.applyRates(n)
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
