package availability

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// ErrReopened means that another caller reopened the sales of a room type while they were being closed, or closed them
// for a different reason. Call the method again: it then marks the nights that are still on sale.
var ErrReopened = dynastay.Refusal("room type was reopened by another caller")

// ErrSuspended means that the property is suspended or is being deleted, so that its host cannot close or reopen its
// sales.
var ErrSuspended = dynastay.Refusal("property is suspended or is being deleted")

// SalesChange is the result of [Repository.CloseSales], [Repository.ReopenSales] and [SalesMove.Finish].
type SalesChange struct {
	RoomTypes int // the room types of the property
	Nights    int // the nights that this call took off sale, or put back
}

// CloseSales takes a whole property off sale: no night of its room types can be sold, and no further nights can be
// opened. The stop-sells, prices and restrictions of the nights are kept and apply again after
// [Repository.ReopenSales]. They can be changed with [Repository.Update] in the meantime. Bookings are not affected. A
// night that cannot be sold for this reason is refused with [PropertyClosed].
//
// CloseSales first closes the guard of every room type, which refuses to open nights with [ErrClosed], and then marks
// the nights from yesterday on. While it runs, nights that are not marked yet can still be sold; once it has returned
// without an error, none can. After an error, or if the program ends, call it again: it continues with the nights that
// are not marked. If another caller reopens the sales at the same time, the caller that changes the guard of a room
// type last wins, and the other one gets [ErrReopened] or [ErrClosed]. A room type that is created later is not closed,
// and neither are the nights of a room type that the property no longer has. If the property is suspended and approved
// again later, its sales stay closed.
//
// CloseSales returns [dynastay.ErrNotFound] if the property does not exist, and [ErrSuspended] if it is suspended or is
// being deleted. If the guard of a room type names a different property, CloseSales closes the other room types and
// returns [dynastay.ErrAlreadyExists] with Field "RoomTypeID". It takes 1 request for the property, and 2 for every 99
// room types. Each room type takes 1 Query, 1 request for every 99 nights that are marked, and 1 more Query if any
// were. If the nights are being sold so fast that 99 of them cannot be marked at once, CloseSales marks fewer at a
// time.
func (r *Repository) CloseSales(ctx context.Context, propertyID string) (_ SalesChange, err error) {
	ctx, end := r.db.Begin(ctx, "availability.CloseSales")
	defer func() { end(err) }()
	return r.moveSales(ctx, closeSales, propertyID)
}

// ReopenSales puts a property back on sale that [Repository.CloseSales] took off sale. It changes the guards of the
// room types, and then their nights from yesterday on. It also puts back a room type that [Repository.Withdraw] took
// off sale, unless it has been deleted. Like CloseSales, it can be repeated, and then continues where it was
// interrupted. Its errors and requests are those of CloseSales, except that it takes 2 requests for every 49 room
// types.
func (r *Repository) ReopenSales(ctx context.Context, propertyID string) (_ SalesChange, err error) {
	ctx, end := r.db.Begin(ctx, "availability.ReopenSales")
	defer func() { end(err) }()
	return r.moveSales(ctx, reopenSales, propertyID)
}

func (r *Repository) moveSales(ctx context.Context, m salesMove, propertyID string) (SalesChange, error) {
	var done SalesChange
	rooms, from, err := r.roomsOf(ctx, m.op, propertyID)
	if err != nil {
		return done, err
	}
	done.RoomTypes = len(rooms)
	most := mostNights // one more action checks the property
	if m.roomExists {
		most /= 2 // each guard takes two actions
	}
	var guards []guard
	for part := range slices.Chunk(rooms, most) {
		moved, err := dynastay.Do(ctx, r.db, r.guardsOp(m, propertyID, part))
		if err != nil {
			return done, err
		}
		guards = append(guards, moved...)
	}
	done.Nights, err = r.moveAll(ctx, m, propertyID, guards, from)
	return done, err
}

// roomsOf returns the room types of a property, and the date of yesterday there. 1 request.
func (r *Repository) roomsOf(
	ctx context.Context, op, propertyID string,
) (rooms []string, from dynastay.Date, err error) {
	property, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, from, err
	}
	// METADATA sorts before ROOM#, and nothing after it, so one Query reads both.
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: property.PK, Range: dynastay.Range{From: property.SK}, Consistent: true,
	})
	if err != nil {
		return nil, from, err
	}
	if len(rows) == 0 {
		return nil, from, &dynastay.Error{Op: op, Entity: "Property", ID: propertyID, Kind: dynastay.ErrNotFound}
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
	if status := metadata.Text(keys.AttrStatus); status == keys.PropertySuspended || status == keys.PropertyDeleting {
		return nil, from, suspended(op, propertyID)
	}
	today, err := r.today(op, propertyID, metadata)
	return rooms, yesterday(today), err
}

// yesterday returns the first date whose nights are marked: the clock of a process that sells may be a little behind,
// so that today is still yesterday there.
func yesterday(today dynastay.Date) dynastay.Date { return today.AddDays(-1) }
