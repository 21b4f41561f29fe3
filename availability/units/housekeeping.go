package units

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

var keep = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(expression.AttributeExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition))).
	WithUpdate(setHousekeeping))

var setHousekeeping = expression.Set(dynastay.NameOf(attrHousekeeping), dynastay.Param("state")).
	Set(dynastay.NameOf(attrHousekeepingBy), dynastay.Param("by")).
	Set(dynastay.NameOf(attrHousekeepingAt), dynastay.Param("now"))

// SetHousekeepingOp records the state of a unit, and who found it so: an id of at most 128 bytes that the platform has for a member
// of the staff. It does not read the unit, so of two calls the later one counts. It fails with [dynastay.ErrNotFound] if the
// property has no such unit.
func (r *Repository) SetHousekeepingOp(propertyID, unitID string, state Housekeeping, by string) *dynastay.Operation[struct{}] {
	const name = "units.SetHousekeeping"
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err == nil {
		err = state.validate()
	}
	if err == nil {
		err = CheckBy(by)
	}
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: name, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Field("property", propertyID)
			in.Field("unit", unitID)
			in.Field("state", string(state))
			in.Field("by", by)
		},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			r.keep(tx, key, state, by).Else(func(dynastay.Row) error {
				return &dynastay.Error{Op: name, Entity: "Unit", ID: unitID, Kind: dynastay.ErrNotFound}
			})
			return struct{}{}, nil
		},
		Restore: func(context.Context, map[string]string) (struct{}, error) { return struct{}{}, nil },
	})
}

// CheckBy checks the id of who acts, which is required.
func CheckBy(by string) error {
	if by == "" {
		return dynastay.Invalid("By", "is required")
	}
	return dynastay.Within("By", entity.CheckText(by, maxBy))
}

func (r *Repository) keep(tx *dynastay.Tx, key dynastay.Key, state Housekeeping, by string) *dynastay.Action {
	return tx.Update(keys.PropertiesTable, key, keep.With(r.kept(state, by)))
}

func (r *Repository) kept(state Housekeeping, by string) dynastay.Item {
	return dynastay.Item{"state": dynastay.Text(string(state)), "by": dynastay.Text(by), "now": dynastay.Instant(r.db.Now())}
}

// SetHousekeeping runs [Repository.SetHousekeepingOp]. 1 request.
func (r *Repository) SetHousekeeping(
	ctx context.Context, propertyID, unitID string, state Housekeeping, by string, opts ...dynastay.WriteOption,
) error {
	_, err := dynastay.Do(ctx, r.db, r.SetHousekeepingOp(propertyID, unitID, state, by), opts...)
	return err
}

// Leave adds to tx the action that makes a unit dirty because guests leave it. It is for authors of operations on bookings. A unit
// that does not exist is left out.
func (r *Repository) Leave(tx *dynastay.Tx, propertyID, unitID string) {
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil || tx.Skipped(keys.PropertiesTable, key) {
		return
	}
	r.keep(tx, key, Dirty, "").Else(func(dynastay.Row) error { return dynastay.ErrSkip }).IfFits()
}
