package venue

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

const (
	opApprove = "venue.Approve"
	opReject  = "venue.Reject"
	opCancel  = "venue.Cancel"
)

// Approval approves a booking, for [Repository.Approve].
type Approval struct {
	BookingID string
	// Version is the version of the booking that the administrator has seen, because the user may have changed it
	// since.
	Version int
	Title   string // of the event; default: the description of the booking
	// Code opens the doors, from ValidFrom until ValidUntil; see [LockCode]. Default: none.
	Code                  string
	ValidFrom, ValidUntil time.Time
}

// ApproveOp approves a pending booking: its event takes the slot. If other events hold the slot, or one that overlaps
// it, ApproveOp fails with [*SlotTaken], and the booking stays pending.
//
// It fails with [ErrNotAllowed] unless by is an administrator, with [dynastay.ErrNotFound], with a [*StatusError] if
// the booking is not pending, with [dynastay.ErrVersion] if it has another version, with [ErrPast] if its date is
// before today at the venue, with [ErrNoSlot] if the booking does not say which half of the day it is for, and with
// [dynastay.ErrInvalid].
func (r *Repository) ApproveOp(by Actor, a Approval) *dynastay.Operation[*Booking] {
	event := Event{ID: r.db.NewID(r.event.Prefix)}
	code := LockCode{EventID: event.ID, Code: a.Code, ValidFrom: a.ValidFrom, ValidUntil: a.ValidUntil}.asStored()
	return r.changeOp(change{
		op: opApprove, by: by, bookingID: a.BookingID, version: a.Version, action: BookingApproved, from: []Status{Pending},
		may: anybody,
		input: func(in *dynastay.Input) {
			in.Field("title", a.Title)
			code.input(in)
		},
		also: func(ctx context.Context, tx *dynastay.Tx, c *entity.Change[Booking]) (string, error) {
			b := c.Before
			switch {
			case b.Date.Before(r.today()):
				return "", refused(opApprove, b.ID, ErrPast)
			case b.slot() == "":
				return "", refused(opApprove, b.ID, ErrNoSlot)
			}
			event.BookingID, event.Date, event.Slot, event.Type, event.CreatedBy = b.ID, b.Date, b.slot(), PrivateBooking, b.UserID
			event.Title = cmp.Or(a.Title, b.Description)
			_, err := r.take(ctx, tx, event, func(ctx context.Context) (bool, error) { return r.unchanged(ctx, c.Row) })
			if err != nil || a.Code == "" {
				return event.ID, err
			}
			code.Date, code.Slot = event.Date, event.Slot
			code.CreatedAt = r.db.Now()
			return event.ID, r.putCode(tx, by, &code, AuditEntry{UserID: b.UserID, BookingID: b.ID})
		},
		set: func(b *Booking) { b.Status, b.EventID, b.Reason = Approved, event.ID, "" },
	}, cmp.Or(by.admin(), checkTitle(a.Title), r.checkCode(&code, a.Code != "")))
}

// Approve runs [Repository.ApproveOp]. 2 requests: a consistent read of the booking, and the write; 2 more after a
// refusal.
func (r *Repository) Approve(ctx context.Context, by Actor, a Approval, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.ApproveOp(by, a), opts...)
}

// Rejection rejects a booking, for [Repository.Reject].
type Rejection struct {
	BookingID string
	Version   int    // see [Approval]
	Reason    string // for the user; at most entity.MaxNote bytes
}

// RejectOp rejects a pending booking. It fails with [ErrNotAllowed] unless by is an administrator, with
// [dynastay.ErrNotFound], with a [*StatusError] if the booking is not pending, and with [dynastay.ErrVersion] if it has
// another version.
func (r *Repository) RejectOp(by Actor, j Rejection) *dynastay.Operation[*Booking] {
	return r.changeOp(change{
		op: opReject, by: by, bookingID: j.BookingID, version: j.Version, action: BookingRejected, note: j.Reason,
		from: []Status{Pending}, may: anybody,
		set: func(b *Booking) { b.Status, b.Reason = Rejected, j.Reason },
	}, by.admin())
}

// Reject runs [Repository.RejectOp]. 2 requests: a consistent read of the booking, and the write.
func (r *Repository) Reject(ctx context.Context, by Actor, j Rejection, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.RejectOp(by, j), opts...)
}

// Cancellation cancels a booking, for [Repository.Cancel].
type Cancellation struct {
	BookingID string
	// Version is the version of the booking that the user or the administrator has seen. A user who withdraws a request
	// does not cancel, without knowing it, a booking that was approved meanwhile.
	Version int
	Reason  string // at most entity.MaxNote bytes
}

// CancelOp cancels a booking that is pending or approved. The event of an approved booking is deleted with its lock
// code, which frees the slot. It fails with [ErrNotAllowed] if by is neither the user of the booking nor an
// administrator, with [dynastay.ErrNotFound], with a [*StatusError] if the booking is rejected or cancelled already,
// with [dynastay.ErrVersion] if it has another version, and with [ErrPast] if it is approved and its date is before
// today at the venue.
func (r *Repository) CancelOp(by Actor, l Cancellation) *dynastay.Operation[*Booking] {
	return r.changeOp(change{
		op: opCancel, by: by, bookingID: l.BookingID, version: l.Version, action: BookingCancelled, note: l.Reason,
		from: []Status{Pending, Approved}, may: by.mayActForBooking,
		also: func(ctx context.Context, tx *dynastay.Tx, c *entity.Change[Booking]) (string, error) {
			if c.Before.Status != Approved {
				return "", nil
			}
			if c.Before.Date.Before(r.today()) {
				return "", refused(opCancel, c.Before.ID, ErrPast)
			}
			return r.free(ctx, tx, c.Before)
		},
		set: func(b *Booking) { b.Status, b.Reason, b.EventID = Cancelled, l.Reason, "" },
	}, by.validate())
}

// Cancel runs [Repository.CancelOp]. 2 requests: a consistent read of the booking, and the write; 1 more for a booking
// that other software has approved.
func (r *Repository) Cancel(ctx context.Context, by Actor, l Cancellation, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(by, l), opts...)
}

// anybody is for changes that only administrators can make: by.admin has checked that already.
func anybody(*Booking) error { return nil }

func (a Actor) mayActForBooking(b *Booking) error { return a.mayActFor(b.UserID) }

// unchanged reports whether a booking is as it was read.
func (r *Repository) unchanged(ctx context.Context, read dynastay.Row) (bool, error) {
	now, err := r.db.Get(ctx, venuekeys.Table, venuekeys.Table.Key.From(read), dynastay.Consistent)
	return reflect.DeepEqual(now.Item(), read.Item()), err
}

// ofBooking is the condition that an event is that of a booking.
var ofBooking = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(dynastay.NameOf(attrBookingID).Equal(dynastay.Param("booking"))))

// free adds the actions that delete the event of a booking and its lock code, and returns the id of the event. If other
// software has deleted the event, or given the slot to somebody else, there is nothing to free.
func (r *Repository) free(ctx context.Context, tx *dynastay.Tx, b *Booking) (eventID string, err error) {
	slot, eventID := b.slot(), b.EventID
	if slot == "" || eventID == "" { // other software does not store them
		event, err := r.eventOf(ctx, b)
		if err != nil || event == nil {
			return eventID, err
		}
		slot, eventID = event.Slot, event.ID
	}
	at, err := eventKey(b.Date, slot)
	if err != nil {
		return "", err
	}
	tx.Delete(venuekeys.Table, at).
		If(ofBooking.With(dynastay.Item{"booking": dynastay.Text(b.ID)}), func(dynastay.Row) error { return dynastay.ErrSkip })
	revoke(tx, eventID)
	return eventID, nil
}

// eventOf finds the event of a booking among those of its day. It returns nil if there is none.
func (r *Repository) eventOf(ctx context.Context, b *Booking) (*Event, error) {
	all, err := r.EventsOn(ctx, b.Date, dynastay.Consistent)
	for _, e := range all {
		if e.BookingID == b.ID {
			return e, nil
		}
	}
	return nil, err
}
