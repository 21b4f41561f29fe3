package availability

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// direction is that of a change of sales.
//
// The guard of a room type decides whether it is on sale. It has the id of the closing or reopening that last changed
// it, and nights are marked or unmarked only while it still has that id, in the same transaction. So a caller that was
// overtaken never leaves a night on sale, even if the guard has been reopened and closed again in the meantime. Callers
// that close the same guard at the same time share the id and do not disturb each other.
// See docs/decisions/0010-inventory.md for why an id is needed.
type direction struct {
	state string // the attribute of the guard that holds the id
	other string // the one that it replaces
	lost  error  // what it means if the guard has another id
	mark  bool   // mark the nights, or remove the mark
	night *dynastay.Compiled
}

var closing = direction{
	state: keys.AttrClosed, other: keys.AttrReopened, lost: ErrReopened, mark: true,
	night: moveNight(expression.Not(marked), expression.Set(dynastay.NameOf(keys.AttrPropertyClosed), expression.Value(true))),
}

var reopening = direction{
	state: keys.AttrReopened, other: keys.AttrClosed, lost: ErrClosed,
	night: moveNight(marked, expression.Remove(dynastay.NameOf(keys.AttrPropertyClosed))),
}

// marked is the condition that a night is marked, with whatever value: only NULL and false mean that it is not.
var marked = expression.Not(notTrue(dynastay.NameOf(keys.AttrPropertyClosed)))

func moveNight(before expression.ConditionBuilder, change expression.UpdateBuilder) *dynastay.Compiled {
	own := dynastay.NameOf("PropertyId").Equal(dynastay.Param("property"))
	return dynastay.MustCompile(expression.NewBuilder().WithCondition(own.And(before)).
		WithUpdate(change.Set(dynastay.NameOf(attrUpdated), dynastay.Param("now"))))
}

// guard is the guard of a room type after the transaction.
type guard struct {
	roomTypeID string
	changed    bool                        // by the transaction
	id         string                      // that the transaction wrote
	left       bool                        // neither it nor its nights are changed
	holds      expression.ConditionBuilder // that the guard has not been changed since
	err        error                       // why it was not changed
}

// guardsOp closes or reopens the guards of room types.
func (r *Repository) guardsOp(m salesMove, propertyID string, rooms []string) *dynastay.Operation[[]guard] {
	return dynastay.NewOp(dynastay.OpSpec[[]guard]{
		Name: m.op,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) ([]guard, error) {
			return r.guards(ctx, tx, m, propertyID, rooms)
		},
	})
}

// guards reads the guards of room types consistently, and adds their changes.
func (r *Repository) guards(
	ctx context.Context, tx *dynastay.Tx, m salesMove, propertyID string, rooms []string,
) ([]guard, error) {
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
	changed := false
	for i, id := range rooms {
		if guards[i], err = m.guard(tx, propertyID, id, all[i], rows[i]); err != nil {
			return nil, err
		}
		changed = changed || guards[i].changed
	}
	if changed && m.notSuspended {
		err = m.checkStatus(tx, propertyID)
	}
	return guards, err
}

// guard adds what the move does with a guard that was read.
func (m salesMove) guard(
	tx *dynastay.Tx, propertyID, roomTypeID string, key dynastay.Key, row dynastay.Row,
) (guard, error) {
	g := guard{roomTypeID: roomTypeID}
	if owner := row.Text("PropertyId"); owner != "" && owner != propertyID {
		g.err = m.refused(roomTypeID, dynastay.ErrAlreadyExists)
		return g, nil
	}
	switch m.step(row) {
	case leave:
		g.left = true
	case keep:
		g.holds = m.asRead(row)
	case hold:
		g.holds = m.asRead(row)
		tx.Check(keys.PropertiesTable, key, g.unchanged(), overtaken)
	case change:
		g.changed, g.id = true, m.prefix+rand.Text() // not Options.NewID, which may generate the same id twice
		g.holds = dynastay.NameOf(m.state).Equal(expression.Value(g.id))
		tx.Update(keys.PropertiesTable, key, m.change(propertyID, g.id, row)).Else(overtaken)
		if m.roomExists {
			return g, m.checkRoom(tx, propertyID, roomTypeID)
		}
	}
	return g, nil
}

func overtaken(dynastay.Row) error { return dynastay.ErrOvertaken }

// asRead is the condition that a guard that is already as it should be has not been changed since.
func (m salesMove) asRead(row dynastay.Row) expression.ConditionBuilder {
	if !row.Exists() {
		return expression.AttributeNotExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition))
	}
	return dynastay.AsRead(m.state, row)
}

func (g guard) unchanged() dynastay.Expr {
	return dynastay.MustCompile(expression.NewBuilder().WithCondition(g.holds)).With(nil)
}

func (m salesMove) change(propertyID, id string, row dynastay.Row) dynastay.Expr {
	return dynastay.MustCompile(expression.NewBuilder().
		WithCondition(dynastay.AsRead("PropertyId", row).And(dynastay.AsRead(m.state, row)).And(dynastay.AsRead(m.other, row))).
		WithUpdate(expression.
			Set(dynastay.NameOf(m.state), expression.Value(id)).
			Set(dynastay.NameOf("PropertyId"), expression.Value(propertyID)).
			Set(dynastay.NameOf(keys.AttrEntityType), expression.Value("Guard")).
			Remove(dynastay.NameOf(m.other)))).With(nil)
}

func (m salesMove) refused(roomTypeID string, kind error) error {
	failed := &dynastay.Error{Op: m.op, Entity: "RoomType", ID: roomTypeID, Kind: kind}
	if errors.Is(kind, dynastay.ErrAlreadyExists) {
		failed.Field, failed.Err = "RoomTypeID", errors.New("the id belongs to a different property")
	}
	return failed
}

// checkRoom adds the check that the room type exists: the guard of one that was deleted stays as it is.
func (m salesMove) checkRoom(tx *dynastay.Tx, propertyID, roomTypeID string) error {
	room, err := keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: roomTypeID})
	if err != nil {
		return err
	}
	tx.Check(keys.PropertiesTable, room, roomExists, func(dynastay.Row) error {
		return m.refused(roomTypeID, dynastay.ErrNotFound)
	})
	return nil
}

// checkStatus adds the check that the property is neither suspended nor being deleted.
func (m salesMove) checkStatus(tx *dynastay.Tx, propertyID string) error {
	property, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return err
	}
	tx.Check(keys.PropertiesTable, property, notSuspended, func(dynastay.Row) error {
		return suspended(m.op, propertyID)
	})
	return nil
}

func suspended(op, propertyID string) error {
	return &dynastay.Error{Op: op, Entity: "Property", ID: propertyID, Kind: ErrSuspended}
}

var (
	roomExists = dynastay.MustCompile(expression.NewBuilder().WithCondition(
		expression.AttributeExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition)))).With(nil)
	// notSuspended holds for a missing status as well.
	notSuspended = dynastay.MustCompile(expression.NewBuilder().WithCondition(expression.Not(
		hasStatus(keys.PropertySuspended).Or(hasStatus(keys.PropertyDeleting))))).With(nil)
)

func hasStatus(status string) expression.ConditionBuilder {
	return dynastay.NameOf(keys.AttrStatus).Equal(expression.Value(status))
}
