package listing

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

const opDelete = "listing.Delete"

// DeleteOp deletes an event and frees its nights, when a booking is cancelled or a block is lifted. It fails with
// [dynastay.ErrNotFound], unless [dynastay.OrMissing] is given, and with [dynastay.ErrVersion] if the condition of
// [dynastay.IfVersion] or [dynastay.IfWritten] does not hold. It also deletes an event of software that writes only
// nights.
//
// It does not check whose the event is, or whether it is a booking or a block. An event id from a browser can be that
// of a booking: to lift a block, make the id from that of the block, with BlockEventID of package keys/listingkeys.
//
// If an imported reservation is deleted, a delivery of the revision that was imported last does not bring it back. A
// newer revision does.
//
// One Write cannot free nights with DeleteOp and take them with BookOp, for example to turn a block into a booking: a
// transaction has one action for an item. Delete the block first, or modify it so that it holds other nights.
//
// It needs one action for each night, one for the event, one for an imported reservation, and one for an idempotency
// key. A transaction has at most 100 actions; [Repository.Delete] also deletes longer events.
func (r *Repository) DeleteOp(listingID, eventID string, opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	in, err := r.of(opDelete, listingID, eventID, dynastay.Stay{}, opts)
	return r.deleteOp(in, err, 0)
}

func (r *Repository) deleteOp(in intent, invalid error, most int) *dynastay.Operation[struct{}] {
	if invalid != nil {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: opDelete, Invalid: invalid})
	}
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opDelete, Input: in.input, Options: in.asked, Contest: r.contest(in),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			h, err := r.read(ctx, in.at)
			if err != nil {
				return struct{}{}, err
			}
			if _, err := r.apply(tx, h, in, most); err != nil {
				return struct{}{}, err
			}
			return struct{}{}, r.forget(ctx, tx, h)
		},
	})
}

// Delete runs [Repository.DeleteOp]. 2 requests: a consistent read of the event, and the write; 1 more for an imported
// reservation, and 2 or more if the event has no item of its own. More than 97 nights take several transactions, see
// the package documentation.
//
// Pattern L4: localstays-availability, pk = LISTING_AVAILABILITY#{listingId}, EVENT#{eventId} and a DATE#{date} for each night, 2 requests
func (r *Repository) Delete(ctx context.Context, listingID, eventID string, opts ...dynastay.UpdateOption) (err error) {
	ctx, end := r.db.Begin(ctx, "listing.Delete")
	defer func() { end(err) }()
	in, invalid := r.of(opDelete, listingID, eventID, dynastay.Stay{}, opts)
	in.also = r.forgetLater
	_, err = whole(ctx, r, func(last bool) (struct{}, error) {
		if in.last = last; last {
			in.asked = append(in.asked, writtenBefore) // the first part has changed the write id
		}
		gone, err := dynastay.Do(ctx, r.db, r.deleteOp(in, invalid, mostNights))
		if left := (*IncompleteError)(nil); errors.As(err, &left) {
			in.asked = append(in.asked, dynastay.OrMissing()) // if its first change is undone, there is nothing left
		}
		return gone, err
	})
	return err
}
