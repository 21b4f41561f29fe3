package availability

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/concurrent"
	"github.com/dynastay/dynastay/keys"
)

// ErrReopened means that another caller reopened the sales of a room type while they were being closed.
var ErrReopened = errors.New("room type was reopened")

// SalesChange is the result of [Repository.CloseSales] and [Repository.ReopenSales].
type SalesChange struct {
	RoomTypes int // the room types of the property
	Nights    int // the nights that this call took off sale, or put back
}

// CloseSales takes a whole property off sale: the nights of all its room types from today on, and the opening of new
// nights. The stop-sells, prices and restrictions of the nights are kept and apply again after [Repository.ReopenSales].
// Bookings are not affected.
//
// CloseSales first closes the guard of every room type, which refuses to open nights with [ErrClosed], and then marks
// the nights. While it runs, nights that are not marked yet can still be sold; once it has returned without an error,
// none can. After an error, or if the program ends, call it again: it continues with the nights that are not marked. If
// another caller reopens the sales at the same time, the one that changed the guards last wins, and the other gets
// [ErrReopened] or [ErrClosed]. A room type that is created later is not closed.
//
// CloseSales returns [dynastay.ErrNotFound] if the property does not exist, and [dynastay.ErrAlreadyExists] with Field
// "RoomTypeID" if the guard of a room type names a different property. It takes 1 request for the property, 1 for every
// 100 room types, 1 for the nights of each room type, and 1 for every 99 nights that it marks.
func (r *Repository) CloseSales(ctx context.Context, propertyID string) (SalesChange, error) {
	return r.moveSales(ctx, closing, propertyID)
}

// ReopenSales puts a property back on sale that [Repository.CloseSales] took off sale: the guards of its room types, then
// their nights from today on. Like CloseSales, it can be repeated and continues where it was interrupted. Its errors and
// requests are those of CloseSales, but every 50 room types take 1 request.
func (r *Repository) ReopenSales(ctx context.Context, propertyID string) (SalesChange, error) {
	return r.moveSales(ctx, reopening, propertyID)
}

// salesMove is one direction of a change of a property's sales. The guard of a room type decides: nights are marked only
// while it is closed and unmarked only while it is open, in the same transaction. So whichever caller changed the guard
// last, the nights end up as the guard says, and no night is left on sale by a caller that was overtaken.
type salesMove struct {
	op    string
	close bool
	// guard changes the guard of a room type.
	guard *dynastay.Prepared
	// holds is the condition that the guard is still as this move left it, and lost the error if it is not.
	holds *dynastay.Prepared
	lost  error
	// night marks or unmarks a night.
	night *dynastay.Prepared
}

var closing = func() salesMove {
	property, closed := dynastay.NameOf("PropertyId"), dynastay.NameOf(keys.AttrClosed)
	own := property.Equal(dynastay.Param("property"))
	return salesMove{
		op: "availability.CloseSales", close: true, lost: ErrReopened,
		// A room type that other software created has no guard yet.
		guard: dynastay.Prepare(expression.NewBuilder().WithCondition(dynastay.Absent("PropertyId").Or(own)).WithUpdate(expression.
			Set(closed, expression.Value(true)).
			Set(property, dynastay.Param("property")).
			Set(dynastay.NameOf(keys.AttrEntityType), expression.Value("Guard")))),
		holds: dynastay.Prepare(expression.NewBuilder().WithCondition(own.And(closed.Equal(expression.Value(true))))),
		night: dynastay.Prepare(expression.NewBuilder().WithCondition(own).WithUpdate(expression.
			Set(dynastay.NameOf(keys.AttrPropertyClosed), expression.Value(true)).
			Set(dynastay.NameOf(attrUpdated), dynastay.Param("now")))),
	}
}()

var reopening = func() salesMove {
	property, closed := dynastay.NameOf("PropertyId"), dynastay.NameOf(keys.AttrClosed)
	own := property.Equal(dynastay.Param("property"))
	return salesMove{
		op: "availability.ReopenSales", lost: ErrClosed,
		guard: dynastay.Prepare(expression.NewBuilder().WithCondition(own).WithUpdate(expression.Remove(closed))),
		holds: dynastay.Prepare(expression.NewBuilder().WithCondition(dynastay.Absent(keys.AttrClosed))),
		night: dynastay.Prepare(expression.NewBuilder().WithCondition(own).WithUpdate(expression.
			Remove(dynastay.NameOf(keys.AttrPropertyClosed)).
			Set(dynastay.NameOf(attrUpdated), dynastay.Param("now")))),
	}
}()

func (r *Repository) moveSales(ctx context.Context, m salesMove, propertyID string) (SalesChange, error) {
	var done SalesChange
	rooms, today, err := r.roomsOf(ctx, m.op, propertyID)
	if err != nil {
		return done, err
	}
	most := mostNights + 1
	if !m.close {
		most /= 2 // each guard takes two actions
	}
	for part := range slices.Chunk(rooms, most) {
		if err := r.db.Write(ctx, r.guardsOp(m, propertyID, part)); err != nil {
			return done, err
		}
	}
	done.RoomTypes = len(rooms)
	moved, errs := make([]int, len(rooms)), make([]error, len(rooms))
	_ = concurrent.Each(ctx, len(rooms), func(ctx context.Context, i int) error {
		moved[i], errs[i] = r.moveNights(ctx, m, propertyID, rooms[i], today)
		return nil // a room type that fails does not stop the others
	})
	for _, n := range moved {
		done.Nights += n
	}
	return done, errors.Join(errs...)
}

// roomsOf returns the room types of a property, and the current date there. 1 request.
func (r *Repository) roomsOf(ctx context.Context, op, propertyID string) (rooms []string, today dynastay.Date, err error) {
	property, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, today, err
	}
	// METADATA sorts before ROOM#, and nothing after it, so one Query reads both.
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: property.PK, Range: dynastay.Range{From: property.SK}, Consistent: true,
	})
	if err != nil {
		return nil, today, err
	}
	if len(rows) == 0 {
		return nil, today, &dynastay.Error{Op: op, Entity: "Property", ID: propertyID, Kind: dynastay.ErrNotFound}
	}
	var metadata dynastay.Row
	for _, row := range rows {
		key := keys.PropertiesTable.Key.From(row)
		if key == property {
			metadata = row
		} else if room, err := keys.Parse[keys.RoomType](key); err == nil { // no nights can be sold under any other id
			rooms = append(rooms, room.RoomTypeID)
		}
	}
	today, err = r.today(op, propertyID, metadata)
	return rooms, today, err
}

// guardsOp closes or reopens the guards of room types.
func (r *Repository) guardsOp(m salesMove, propertyID string, rooms []string) *dynastay.Operation[struct{}] {
	own := dynastay.Item{"property": dynastay.Text(propertyID)}
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: m.op,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			for _, id := range rooms {
				guard, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: id})
				if err != nil {
					return none, err
				}
				if tx.Skipped(keys.PropertiesTable, guard) {
					continue
				}
				tx.Update(keys.PropertiesTable, guard, m.guard.With(own)).Else(func(old dynastay.Row) error {
					if !old.Exists() { // only reopening requires it to exist, and without a guard nothing was closed
						return dynastay.ErrSkip
					}
					return &dynastay.Error{
						Op: m.op, Entity: "RoomType", ID: id, Field: "RoomTypeID", Kind: dynastay.ErrAlreadyExists,
					}
				})
				if m.close {
					continue
				}
				// The guard of a room type that was deleted stays closed.
				room, err := keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: id})
				if err != nil {
					return none, err
				}
				tx.Check(keys.PropertiesTable, room, exists.With(nil), func(dynastay.Row) error {
					return &dynastay.Error{Op: m.op, Entity: "RoomType", ID: id, Kind: dynastay.ErrNotFound}
				})
			}
			return none, nil
		},
	})
}

var exists = dynastay.Prepare(expression.NewBuilder().WithCondition(
	expression.AttributeExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition))))

// moveNights marks or unmarks the nights of a room type from today on, and returns how many.
func (r *Repository) moveNights(ctx context.Context, m salesMove, propertyID, roomTypeID string, today dynastay.Date) (moved int, err error) {
	first, err := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: today})
	if err != nil {
		return 0, err
	}
	// Read after the guard was changed: nights that were opened before that are all seen, and no others can be opened.
	rows, err := dynastay.QueryAll(ctx, r.db, keys.AvailabilityTable, dynastay.Query{
		Partition: first.PK, Range: dynastay.Range{From: first.SK}, Consistent: true,
	})
	if err != nil {
		return 0, err
	}
	var nights []dynastay.Key
	for _, row := range rows {
		if row.Text("PropertyId") == propertyID && row.Value(keys.AttrPropertyClosed).Bool() != m.close {
			nights = append(nights, keys.AvailabilityTable.Key.From(row))
		}
	}
	for part := range slices.Chunk(nights, mostNights) {
		n, err := dynastay.Do(ctx, r.db, r.nightsOp(m, propertyID, roomTypeID, part))
		if err != nil {
			return moved, err
		}
		moved += n
	}
	return moved, nil
}

// nightsOp marks or unmarks nights, on condition that the guard of their room type says the same.
func (r *Repository) nightsOp(m salesMove, propertyID, roomTypeID string, nights []dynastay.Key) *dynastay.Operation[int] {
	own := dynastay.Item{"property": dynastay.Text(propertyID)}
	return dynastay.NewOp(dynastay.OpSpec[int]{
		Name: m.op,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (moved int, err error) {
			guard, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: roomTypeID})
			if err != nil {
				return 0, err
			}
			tx.Check(keys.PropertiesTable, guard, m.holds.With(own), func(dynastay.Row) error {
				return &dynastay.Error{Op: m.op, Entity: "RoomType", ID: roomTypeID, Kind: m.lost}
			})
			expr := m.night.With(dynastay.Item{"property": own["property"], "now": dynastay.Instant(r.db.Now())})
			for _, night := range nights {
				if tx.Skipped(keys.AvailabilityTable, night) {
					continue
				}
				moved++
				// A night that was deleted in the meantime is not on sale.
				tx.Update(keys.AvailabilityTable, night, expr).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
			}
			return moved, nil
		},
	})
}
