package availability

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// salesMove is one direction of a change of a property's sales.
//
// The guard of a room type decides whether it is on sale. It has the id of the closing or of the reopening that it was
// last changed by, and nights are marked or unmarked only while it still has that id, in the same transaction. So no
// caller that was overtaken leaves a night on sale, not even if the guard has been reopened and closed again in the
// meantime. Callers that close the same guard at the same time share the id and do not disturb each other.
type salesMove struct {
	op    string
	state string // the attribute of the guard that holds the id
	other string // the one that it replaces
	lost  error  // what it means if the guard has another id
	mark  bool   // mark the nights, or remove the mark
	night *dynastay.Prepared
}

var closing = salesMove{
	op: "availability.CloseSales", state: keys.AttrClosed, other: keys.AttrReopened, lost: ErrReopened, mark: true,
	night: moveNight(expression.Not(marked), expression.Set(dynastay.NameOf(keys.AttrPropertyClosed), expression.Value(true))),
}

var reopening = salesMove{
	op: "availability.ReopenSales", state: keys.AttrReopened, other: keys.AttrClosed, lost: ErrClosed,
	night: moveNight(marked, expression.Remove(dynastay.NameOf(keys.AttrPropertyClosed))),
}

// marked is the condition that a night is marked, with whatever value: only NULL and false mean that it is not.
var marked = expression.Not(notTrue(keys.AttrPropertyClosed))

func moveNight(before expression.ConditionBuilder, change expression.UpdateBuilder) *dynastay.Prepared {
	own := dynastay.NameOf("PropertyId").Equal(dynastay.Param("property"))
	return dynastay.Prepare(expression.NewBuilder().WithCondition(own.And(before)).
		WithUpdate(change.Set(dynastay.NameOf(attrUpdated), dynastay.Param("now"))))
}

// guard is the guard of a room type after it was changed.
type guard struct {
	roomTypeID string
	holds      expression.ConditionBuilder // that it has not been changed since
	err        error                       // why it was not changed
}

// guardsOp closes or reopens the guards of room types. A guard that is already in that state is not written.
func (r *Repository) guardsOp(m salesMove, propertyID string, rooms []string) *dynastay.Operation[[]guard] {
	return dynastay.NewOp(dynastay.OpSpec[[]guard]{
		Name: m.op,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) ([]guard, error) {
			all := make([]dynastay.Key, len(rooms))
			for i, id := range rooms {
				var err error
				if all[i], err = keys.Of(keys.RoomTypeGuard{RoomTypeID: id}); err != nil {
					return nil, err
				}
			}
			rows, err := r.db.GetAll(ctx, keys.PropertiesTable, all, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			guards := make([]guard, len(rooms))
			for i, id := range rooms {
				if guards[i], err = m.guard(tx, propertyID, id, all[i], rows[i]); err != nil {
					return nil, err
				}
			}
			return guards, nil
		},
	})
}

// guard adds the change of a guard that was read consistently.
func (m salesMove) guard(tx *dynastay.Tx, propertyID, roomTypeID string, key dynastay.Key, row dynastay.Row) (guard, error) {
	g := guard{roomTypeID: roomTypeID}
	partition := dynastay.NameOf(keys.PropertiesTable.Key.Partition)
	owner := row.Text("PropertyId")
	switch {
	case !row.Exists() && !m.mark: // a room type of other software, which was never closed
		g.holds = expression.AttributeNotExists(partition)
		return g, nil
	case owner != "" && owner != propertyID:
		g.err = &dynastay.Error{
			Op: m.op, Entity: "RoomType", ID: roomTypeID, Field: "RoomTypeID", Kind: dynastay.ErrAlreadyExists,
			Err: errors.New("the id belongs to a different property"),
		}
		return g, nil
	case !row.Value(m.state).IsNull():
		g.holds = dynastay.AsRead(m.state, row)
		return g, nil
	}
	// Not Options.NewID, which may generate the same id twice.
	id := expression.Value(dynastay.Text(rand.Text()))
	g.holds = dynastay.NameOf(m.state).Equal(id)
	expr := dynastay.Prepare(expression.NewBuilder().
		WithCondition(dynastay.AsRead("PropertyId", row).And(dynastay.AsRead(m.state, row)).And(dynastay.AsRead(m.other, row))).
		WithUpdate(expression.
			Set(dynastay.NameOf(m.state), id).
			Set(dynastay.NameOf("PropertyId"), expression.Value(propertyID)).
			Set(dynastay.NameOf(keys.AttrEntityType), expression.Value("Guard")).
			Remove(dynastay.NameOf(m.other)))).With(nil)
	overtaken := func(dynastay.Row) error { return dynastay.ErrOvertaken }
	tx.Update(keys.PropertiesTable, key, expr).Else(overtaken)
	if m.mark {
		return g, nil
	}
	// The guard of a room type that was deleted stays closed.
	room, err := keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: roomTypeID})
	if err != nil {
		return g, err
	}
	tx.Check(keys.PropertiesTable, room, roomExists, func(dynastay.Row) error {
		return &dynastay.Error{Op: m.op, Entity: "RoomType", ID: roomTypeID, Kind: dynastay.ErrNotFound}
	})
	return g, nil
}

var roomExists = dynastay.Prepare(expression.NewBuilder().WithCondition(
	expression.AttributeExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition)))).With(nil)
