package units

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Why a unit cannot be assigned. The [*dynastay.Error] that is returned names the unit.
var (
	ErrRetired       = dynastay.Refusal("the unit is retired")
	ErrOtherRoomType = dynastay.Refusal("the unit has another room type")
)

// Fit adds to tx a check that a unit exists, is not retired and has a room type. It is for authors of operations that assign units.
// If the check of an earlier preparation failed, Fit returns the reason: an error that matches [dynastay.ErrNotFound], [ErrRetired]
// or [ErrOtherRoomType].
func Fit(tx *dynastay.Tx, propertyID, unitID, roomTypeID string) error {
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return err
	}
	if err := Misfits(tx, propertyID, unitID, roomTypeID); err != nil {
		return err
	}
	tx.Check(keys.PropertiesTable, key, fits.With(dynastay.Item{"room type": dynastay.Text(roomTypeID)}),
		func(dynastay.Row) error { return dynastay.ErrOvertaken })
	return nil
}

// FitAndLeave is [Fit] for a unit that one booking leaves and another one gets: it becomes dirty.
func (r *Repository) FitAndLeave(tx *dynastay.Tx, propertyID, unitID, roomTypeID string) error {
	if err := Misfits(tx, propertyID, unitID, roomTypeID); err != nil {
		return err
	}
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return err
	}
	values := r.kept(Dirty, "")
	values["room type"] = dynastay.Text(roomTypeID)
	tx.Update(keys.PropertiesTable, key, fitsAndKeep.With(values)).Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
	return nil
}

// Misfits returns the error of [Fit], if its check failed, and adds nothing.
func Misfits(tx *dynastay.Tx, propertyID, unitID, roomTypeID string) error {
	if roomTypeID == "" {
		return &dynastay.Error{Entity: "Unit", ID: unitID, Kind: ErrOtherRoomType}
	}
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return err
	}
	if row, found := tx.Found(keys.PropertiesTable, key); found {
		if kind := misfit(row, roomTypeID); kind != nil {
			return &dynastay.Error{Entity: "Unit", ID: unitID, Kind: kind}
		}
	}
	return nil
}

func misfit(row dynastay.Row, roomTypeID string) error {
	switch {
	case !row.Exists():
		return dynastay.ErrNotFound
	case row.Value(attrRetired).Bool():
		return ErrRetired
	case row.Text("RoomTypeId") != roomTypeID:
		return ErrOtherRoomType
	}
	return nil
}

var (
	fit = dynastay.NameOf("RoomTypeId").Equal(dynastay.Param("room type")).
		And(expression.Not(dynastay.NameOf(attrRetired).Equal(expression.Value(true))))
	fits        = dynastay.MustCompile(expression.NewBuilder().WithCondition(fit))
	fitsAndKeep = dynastay.MustCompile(expression.NewBuilder().WithCondition(fit).WithUpdate(setHousekeeping))
)
