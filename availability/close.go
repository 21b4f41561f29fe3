package availability

import (
	"context"
	"errors"
	"slices"

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

// CloseSales takes a whole property off sale: the nights of all its room types, and the opening of new nights. The
// stop-sells, prices and restrictions of the nights are kept and apply again after [Repository.ReopenSales]. Bookings are
// not affected.
//
// CloseSales first closes the guard of every room type, which refuses to open nights with [ErrClosed], and then marks
// the nights from yesterday on. While it runs, nights that are not marked yet can still be sold; once it has returned
// without an error, none can. After an error, or if the program ends, call it again: it continues with the nights that
// are not marked. If another caller reopens the sales at the same time, the one that changed the guard of a room type last
// wins, and the other gets [ErrReopened] or [ErrClosed]. A room type that is created later is not closed, and neither are
// the nights of one that the property no longer has.
//
// CloseSales returns [dynastay.ErrNotFound] if the property does not exist. If the guard of a room type names a
// different property, it closes the others and returns [dynastay.ErrAlreadyExists] with Field "RoomTypeID". It takes 1
// request for the property, 2 for every 100 room types, and for each room type 1 for every 99 nights that it marks, and 1
// more before and after that. If the nights are being sold so fast that 99 of them cannot be marked at once, it marks
// fewer at a time.
func (r *Repository) CloseSales(ctx context.Context, propertyID string) (SalesChange, error) {
	return r.moveSales(ctx, closing, propertyID)
}

// ReopenSales puts a property back on sale that [Repository.CloseSales] took off sale: the guards of its room types, then
// their nights from yesterday on. Like CloseSales, it can be repeated and continues where it was interrupted. Its errors
// and requests are those of CloseSales, but it takes 1 request to change 50 guards.
func (r *Repository) ReopenSales(ctx context.Context, propertyID string) (SalesChange, error) {
	return r.moveSales(ctx, reopening, propertyID)
}

func (r *Repository) moveSales(ctx context.Context, m salesMove, propertyID string) (SalesChange, error) {
	var done SalesChange
	rooms, from, err := r.roomsOf(ctx, m.op, propertyID)
	if err != nil {
		return done, err
	}
	done.RoomTypes = len(rooms)
	most := mostNights + 1
	if !m.mark {
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
	moved, failed := make([]int, len(guards)), make([]error, len(guards))
	_ = concurrent.Each(ctx, len(guards), func(ctx context.Context, i int) error {
		if failed[i] = guards[i].err; failed[i] == nil {
			moved[i], failed[i] = r.moveNights(ctx, m, propertyID, guards[i], from)
		}
		return nil // a room type that fails does not stop the others
	})
	for _, n := range moved {
		done.Nights += n
	}
	return done, errors.Join(failed...)
}

// roomsOf returns the room types of a property, and the date of yesterday there. 1 request.
func (r *Repository) roomsOf(ctx context.Context, op, propertyID string) (rooms []string, yesterday dynastay.Date, err error) {
	property, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, yesterday, err
	}
	// METADATA sorts before ROOM#, and nothing after it, so one Query reads both.
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: property.PK, Range: dynastay.Range{From: property.SK}, Consistent: true,
	})
	if err != nil {
		return nil, yesterday, err
	}
	if len(rows) == 0 {
		return nil, yesterday, &dynastay.Error{Op: op, Entity: "Property", ID: propertyID, Kind: dynastay.ErrNotFound}
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
	today, err := r.today(op, propertyID, metadata)
	// The clock of a process that sells may be a little behind, so that today is still yesterday there.
	return rooms, today.AddDays(-1), err
}
