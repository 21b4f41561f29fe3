package availability

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

const opWithdraw = "availability.Withdraw"

// Withdrawal is a room type that [Repository.Withdraw] took off sale. It is for authors of operations that delete room
// types, such as those of package properties.
type Withdrawal struct {
	nights     *Repository
	propertyID string
	from       dynastay.Date
	guard      guard
}

// Withdraw takes one room type off sale for good, so that it can be deleted, unless rooms are sold for tonight or
// later: it then returns a [*SoldAheadError], and the room type is on sale as before.
//
// Withdraw reads the nights, closes the guard of the room type, which refuses to open nights with [ErrClosed], and
// marks the nights as [Repository.CloseSales] does. Then it reads them again. If a room was sold in the meantime, it
// puts the room type back on sale, provided that this call closed it. If that fails as well, the error matches both
// failures: for example, it also matches [ErrSuspended] if the property has been suspended since. A room type that was
// already closed stays closed.
//
// After another error, or if the program ends, call Withdraw again, or put the room type back on sale with
// [Repository.ReopenSales]. Withdraw returns [ErrReopened] if another caller reopened the sales at the same time or
// closed the whole property, [dynastay.ErrNotFound] if the property has no such room type, and
// [dynastay.ErrAlreadyExists] with Field "RoomTypeID" if its guard names a different property.
//
// Of house, only ID and TimeZone are used. Withdraw takes 2 requests for the guard, 3 Queries, 1 request for every 99
// nights that are marked, and 1 more Query if any were. If a room was sold in the meantime, it takes as many again,
// except for 2 of the Queries.
func (r *Repository) Withdraw(ctx context.Context, house House, roomTypeID string) (_ *Withdrawal, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Withdraw")
	defer func() { end(err) }()
	today, err := r.todayAt(house)
	if err != nil {
		return nil, err
	}
	if err := r.soldFrom(ctx, house.ID, today, roomTypeID); err != nil {
		return nil, err
	}
	g, err := r.moveRoom(ctx, withdraw, house.ID, roomTypeID, yesterday(today))
	if err != nil {
		return nil, err
	}
	w := &Withdrawal{r, house.ID, yesterday(today), g}
	// A room may have been sold before its night was marked.
	err = r.soldFrom(ctx, house.ID, today, roomTypeID)
	var sold *SoldAheadError
	if errors.As(err, &sold) {
		if failed := w.PutBack(ctx); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// PutBack puts the room type back on sale if it is not deleted after all. It does nothing if the room type was already
// closed before [Repository.Withdraw], or if another caller has closed it since. Its errors are those of
// [Repository.ReopenSales]. It takes 2 requests for the guard, 1 Query, 1 request for every 99 nights that are put back,
// and 1 more Query if any were.
func (w *Withdrawal) PutBack(ctx context.Context) (err error) {
	ctx, end := w.nights.db.Begin(ctx, "availability.PutBack")
	defer func() { end(err) }()
	if !w.guard.changed {
		return nil
	}
	_, err = w.nights.moveRoom(ctx, putBack(w.guard.id), w.propertyID, w.guard.roomTypeID, w.from)
	return err
}

// moveRoom closes or reopens one room type.
func (r *Repository) moveRoom(
	ctx context.Context, m salesMove, propertyID, roomTypeID string, from dynastay.Date,
) (guard, error) {
	guards, err := dynastay.Do(ctx, r.db, r.guardsOp(m, propertyID, []string{roomTypeID}))
	if err != nil {
		return guard{}, err
	}
	_, err = r.moveAll(ctx, m, propertyID, guards, from)
	return guards[0], err
}

// Check adds a check to the transaction that deletes the room type: if the room type is no longer off sale, or another
// caller has closed it since, the write returns [ErrReopened].
func (w *Withdrawal) Check(tx *dynastay.Tx) error {
	key, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: w.guard.roomTypeID})
	if err != nil {
		return err
	}
	tx.Check(keys.PropertiesTable, key, w.guard.unchanged(), func(dynastay.Row) error {
		return withdraw.refused(w.guard.roomTypeID, ErrReopened)
	})
	return nil
}
