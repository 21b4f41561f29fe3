package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// mostNights is the number of nights that one transaction can take and free. With the event, an imported reservation
// and the record of an idempotency key, it has 100 actions.
const mostNights = 97

// IncompleteError means that a change of an event takes several transactions, and that some of them were written. The
// event may hold nights of its old dates and of its new ones; nobody else can book any of them. Call the method again
// with the same arguments to complete the change, or [Repository.Delete] to free all nights of the event. The methods
// complete or undo what another call has left incomplete, but an operation for [dynastay.DB.Write] fails with this
// error.
type IncompleteError struct {
	ListingID string
	EventID   string
	// Err is the error of the transaction that failed; nil if an earlier call left the event incomplete. It is not
	// unwrapped: its kind may say that nothing was written.
	Err error
}

// Error returns the event and the error.
func (e *IncompleteError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("an earlier change of %s of %s is not complete", e.EventID, e.ListingID)
	}
	return fmt.Sprintf("the change of %s of %s is not complete: %v", e.EventID, e.ListingID, e.Err)
}

// partsError is the error of an intent that changes more nights than one transaction can take.
type partsError struct{ in intent }

func (e *partsError) Error() string {
	return fmt.Sprintf("%s changes more than %d nights", listingkeys.EventIDOf(e.in.at), mostNights)
}

// maxSettles is the number of times that a call settles what other calls have left incomplete.
const maxSettles = 5

// whole makes a change in as many transactions as it takes. write writes the only one, or the last one if last is true.
// It fails with a partsError if the nights are too many for it.
//
// All nights that the event needs are taken before any is freed: at no time can somebody else book a night of the dates
// that the event has, or of those that it will have. If a night is taken, what the event has taken is freed again.
// See docs/decisions/0018-listing-events.md for who settles a change that was broken off.
func whole[R any](ctx context.Context, r *Repository, write func(last bool) (R, error)) (result R, err error) {
	for range maxSettles {
		result, err = write(false)
		var long *partsError
		if errors.As(err, &long) {
			result, err = inParts(ctx, r, long.in, write)
		}
		var left *IncompleteError
		if !errors.As(err, &left) || left.Err != nil {
			break
		}
		at, invalid := listingkeys.Event(left.ListingID, left.EventID)
		if invalid != nil {
			return result, err
		}
		if err := r.settle(ctx, at); err != nil {
			return result, err
		}
	}
	return result, err
}

func inParts[R any](ctx context.Context, r *Repository, in intent, write func(last bool) (R, error)) (result R, err error) {
	wrote, before, err := r.writeParts(ctx, in)
	if err == nil {
		result, err = write(true)
	}
	var taken *Taken
	var long *partsError
	switch {
	case err == nil:
		return result, nil
	case wrote && in.op == opDelete && r.deleted(ctx, in, err):
		return result, nil
	case errors.As(err, &long): // another caller has undone it
		err = in.fail(dynastay.ErrContention)
	case !wrote || errors.Is(err, dynastay.ErrContention) && r.undone(ctx, in, before):
	case errors.As(err, &taken):
		if undo := r.settle(ctx, in.at); undo != nil {
			err = in.incomplete(errors.Join(err, undo))
		}
	default:
		err = in.incomplete(err)
	}
	var none R
	return none, err
}

// undone reports whether another caller has undone the change: the event has the version that it had before. If it has
// another one, the change may have been completed.
func (r *Repository) undone(ctx context.Context, in intent, before int) bool {
	h, err := r.read(ctx, in.at)
	return err == nil && !h.moving(in.stay) && h.version() == before
}

// deleted reports whether another caller has completed a deletion that has begun. It cannot have been undone: that is
// done only to changes that have nights to take.
func (r *Repository) deleted(ctx context.Context, in intent, failed error) bool {
	if !errors.Is(failed, dynastay.ErrNotFound) && !errors.Is(failed, dynastay.ErrContention) {
		return false
	}
	h, err := r.read(ctx, in.at)
	return err == nil && !h.moving(in.stay) // if there is one, it is a new event with the same id
}

func (in intent) incomplete(err error) error {
	return &IncompleteError{ListingID: listingOf(in.at), EventID: listingkeys.EventIDOf(in.at), Err: err}
}

// writeParts writes transactions until so few nights are left that the last one can carry out the intent. wrote reports
// whether it has written any, or may have; before is the version of the event before the change.
func (r *Repository) writeParts(ctx context.Context, in intent) (wrote bool, before int, err error) {
	in.mine = nil // an earlier call may have taken some of the nights
	if err := r.refuseEarly(ctx, in); err != nil {
		return false, 0, err
	}
	in.still = nil // the parts check it themselves
	if in.before != nil {
		if err := in.before(ctx); err != nil {
			return false, 0, err
		}
	}
	for {
		p, err := dynastay.Do(ctx, r.db, r.partOp(in, !wrote, &before))
		wrote = wrote || p.started || errors.Is(err, dynastay.ErrOutcomeUnknown)
		if err != nil || p.left <= mostNights {
			return wrote, before, err
		}
	}
}

// refuseEarly spares a change that cannot succeed the transactions before the refusal, and those that undo them.
func (r *Repository) refuseEarly(ctx context.Context, in intent) error {
	c := r.contest(in)
	if c.See == nil {
		return nil
	}
	seen, err := c.See(ctx)
	if err != nil {
		return err
	}
	refusal := c.Judge(seen)
	if refusal == nil || in.still == nil {
		return refusal
	}
	still, err := in.still(ctx)
	if err == nil && !still {
		err = errOvertaken
	}
	return cmp.Or(err, refusal)
}

// part is the result of one transaction of several.
type part struct {
	started bool // the event is on its way
	left    int  // nights to take and to free
}

// partOp takes or frees some nights. It writes nothing if the last transaction can do it. Only the first part starts a
// change: if another caller has undone it since, or changed the event, the two must not undo each other's parts for
// ever.
func (r *Repository) partOp(in intent, first bool, before *int) *dynastay.Operation[part] {
	in.asked = append(slices.Clone(in.asked), inPart)
	if !first {
		in.last = true
		in.asked = append(in.asked, writtenBefore) // the first part has changed the write id
	}
	return dynastay.NewOp(dynastay.OpSpec[part]{
		Name: in.op, Contest: r.contest(in),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (part, error) {
			h, err := r.read(ctx, in.at)
			if err != nil {
				return part{}, err
			}
			if err := r.permitted(h, in); err != nil || h.event == nil && in.event == nil {
				return part{}, err
			}
			*before = h.version() // the parts do not change it
			take, free := h.moves(in.stay)
			left := len(take) + len(free)
			if h.writes(take, free) <= mostNights {
				return part{h.moving(in.stay), left}, nil
			}
			if h.foreign() { // it only gets an item: some of its nights are enough to show that it is still there
				take, free, h.nights = nil, nil, h.nights[:min(len(h.nights), mostNights)]
			}
			if len(take) > 0 {
				free = nil
			}
			take, free = take[:min(len(take), mostNights)], free[:min(len(free), mostNights)]
			if in.also != nil {
				if err := in.also(ctx, tx, h); err != nil {
					return part{}, err
				}
			}
			after, err := r.setEvent(tx, h, in, func(e *Event) {
				if h.event == nil {
					e.Stay = dynastay.Stay{}
				}
				e.Moving, e.Target = true, in.stay
			})
			if err != nil {
				return part{}, err
			}
			return part{true, left - len(take) - len(free)}, r.moveNights(tx, h, in.at, after, take, free)
		},
	})
}

// settle completes or undoes a change that is not complete: it undoes one that has nights to take, because that may be
// refused, and completes any other. It does nothing if another caller has done so.
func (r *Repository) settle(ctx context.Context, at dynastay.Key) error {
	for {
		left, err := dynastay.Do(ctx, r.db, r.settleOp(intent{op: "listing.Settle", at: at}))
		if err != nil || left == 0 {
			return err
		}
	}
}

// settleOp returns the number of nights that are left to free.
func (r *Repository) settleOp(in intent) *dynastay.Operation[int] {
	return dynastay.NewOp(dynastay.OpSpec[int]{
		Name: in.op, Contest: r.contest(in),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (int, error) {
			h, err := r.read(ctx, in.at)
			if err != nil || h.event == nil || !h.event.Moving {
				return 0, err
			}
			to, back := h.event.Target, false
			take, free := h.moves(to)
			if h.event.Back || len(take) > 0 {
				to, back = h.event.Stay, true
				_, free = h.moves(to)
			}
			now := free[:min(len(free), mostNights)]
			after, err := r.setEvent(tx, h, in, func(e *Event) {
				e.Back = back
				if len(now) == len(free) {
					e.Stay, e.Moving, e.Target, e.Back = to, false, dynastay.Stay{}, false
				}
			})
			if err == nil && after == nil {
				err = r.forget(ctx, tx, h)
			}
			if err != nil {
				return 0, err
			}
			return len(free) - len(now), r.moveNights(tx, h, in.at, after, nil, now)
		},
	})
}
