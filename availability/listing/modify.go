package listing

import (
	"context"

	"github.com/dynastay/dynastay"
)

const opModify = "listing.Modify"

// ErrImported is the error for a change of the dates of an imported reservation: they come from its channel, and the
// next delivery would overwrite the change. Import a newer revision instead.
var ErrImported = dynastay.Refusal("the dates of an imported reservation come from its channel")

// ModifyOp moves an event to other dates, which may overlap those that it has. The nights that it needs are taken and
// those that it no longer needs are freed in one transaction. If other events hold some of them, it fails with
// [*Taken], and the event keeps what it has. It fails with [ErrImported] for an imported reservation, with
// [dynastay.ErrNotFound], and with
// [dynastay.ErrVersion] if the condition of [dynastay.IfVersion] or [dynastay.IfWritten] does not hold.
//
// It needs one action for each night that is taken or freed, one for the event, and one for an idempotency key. A
// transaction has at most 100 actions; [Repository.Modify] also moves longer events.
func (r *Repository) ModifyOp(
	listingID, eventID string, stay dynastay.Stay, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Event] {
	in, err := r.modifying(listingID, eventID, stay, opts)
	return r.modifyOp(in, err, 0)
}

func (r *Repository) modifyOp(in intent, invalid error, most int) *dynastay.Operation[*Event] {
	if invalid != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Event]{Name: opModify, Invalid: invalid})
	}
	return r.op(in, most)
}

func (r *Repository) modifying(listingID, eventID string, stay dynastay.Stay, opts []dynastay.UpdateOption) (intent, error) {
	in, err := r.of(opModify, listingID, eventID, stay, opts)
	if err == nil {
		err = r.event.CheckUpdate(opts...)
	}
	if err == nil {
		err = checkStay(stay)
	}
	in.check = func(e *Event) error {
		if e.imported() {
			return &dynastay.Error{Op: opModify, Entity: "Event", ID: e.ID, Err: ErrImported}
		}
		return nil
	}
	return in, err
}

// Modify runs [Repository.ModifyOp]. 2 requests: a consistent read of the event, and the write; 1 more after a refusal,
// and 2 or more if the event has no item of its own. If more than 97 nights change, it takes several transactions, see
// the package documentation.
//
// Pattern L5: localstays-availability, pk = LISTING_AVAILABILITY#{listingId}, EVENT#{eventId} and a DATE#{date} for each night, 2 requests
func (r *Repository) Modify(
	ctx context.Context, listingID, eventID string, stay dynastay.Stay, opts ...dynastay.UpdateOption,
) (_ *Event, err error) {
	ctx, end := r.db.Begin(ctx, "listing.Modify")
	defer func() { end(err) }()
	in, invalid := r.modifying(listingID, eventID, stay, opts)
	return whole(ctx, r, func(last bool) (*Event, error) {
		if in.last = last; last {
			in.asked = append(in.asked, writtenBefore) // the first part has changed the write id
		}
		return dynastay.Do(ctx, r.db, r.modifyOp(in, invalid, mostNights))
	})
}
