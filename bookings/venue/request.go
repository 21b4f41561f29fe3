package venue

import (
	"cmp"
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Request asks for a slot of a day, for [Repository.Request].
type Request struct {
	BookingID   string // default: a new id
	UserID      string // who the booking is for
	Date        dynastay.Date
	Slot        Slot
	Description string // what the event is; at most entity.MaxNote bytes
	Attendees   int
}

const (
	opRequest = "venue.Request"
	opUpdate  = "venue.Update"
)

// RequestOp creates a booking that is pending until an administrator decides. It does not hold the slot, and does not
// check whether it is free: [Repository.Availability] shows that, and the approval decides. It fails with
// [dynastay.ErrNotFound] if the user does not exist, with [ErrPast] if the date is before today at the venue, with
// [dynastay.ErrAlreadyExists] if there is a booking with the BookingID, with [ErrNotAllowed] if by is neither the user
// nor an administrator, and with [dynastay.ErrInvalid].
func (r *Repository) RequestOp(by Actor, q Request) *dynastay.Operation[*Booking] {
	var err error
	if q.BookingID != "" {
		_, err = bookingKey(q.BookingID)
	}
	var counted counts
	made, invalid := r.bookings.Creation(&Booking{
		ID: q.BookingID, UserID: q.UserID, Date: q.Date, Slot: q.Slot, Duration: q.Slot.Duration(), Status: Pending,
		Description: q.Description, Attendees: q.Attendees,
	})
	err = cmp.Or(err, checkID("UserID", q.UserID), by.validate(), by.mayActFor(q.UserID), invalid)
	return dynastay.NewOp(dynastay.OpSpec[*Booking]{
		Name: opRequest, Invalid: err,
		Input: func(in *dynastay.Input) {
			made.Input(in)
			in.Field("user", q.UserID) // the creation leaves out what an update cannot change
			in.Field("by", by.UserID)
		},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Booking, error) {
			if q.Date.Before(r.today()) {
				return nil, refused(opRequest, made.Value.ID, ErrPast)
			}
			if err := made.AddTo(tx); err != nil {
				return nil, err
			}
			booking := *made.Value // so that changes to the result do not affect the next preparation
			if err := counted.follow(tx, nil, &booking); err != nil {
				return nil, err
			}
			return &booking, r.audit(tx, by, AuditEntry{Action: BookingRequested, UserID: q.UserID, BookingID: booking.ID})
		},
		Restore: func(ctx context.Context, ids map[string]string) (*Booking, error) {
			return r.again(ctx, ids["bookingId"])
		},
	})
}

// Request runs [Repository.RequestOp]. 1 request.
func (r *Repository) Request(ctx context.Context, by Actor, q Request, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.RequestOp(by, q), opts...)
}

// UpdateOp changes a booking that is pending. It passes the stored booking to fn, which may change Date, Slot,
// Description and Attendees. fn may be called more than once; its errors are returned unchanged. UpdateOp fails with
// [dynastay.ErrNotFound], with a [*StatusError] if the booking is not pending, with [dynastay.ErrVersion] if the
// condition of [dynastay.IfVersion] does not hold, and like [Repository.RequestOp].
func (r *Repository) UpdateOp(
	by Actor, bookingID string, fn func(*Booking) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Booking] {
	return r.changeOp(change{
		op: opUpdate, by: by, bookingID: bookingID, opts: opts, action: BookingUpdated, from: []Status{Pending}, may: by.mayActForBooking,
		fn: func(b *Booking) error {
			if b.RequestedAt.IsZero() { // the key in the index needs it
				return unusable(change{op: opUpdate, bookingID: bookingID}, dynastay.Invalid("RequestedAt", "is required"))
			}
			read, slot := *b, b.Slot
			b.Slot = b.slot()
			if err := fn(b); err != nil {
				return err
			}
			if read.Slot = read.slot(); *b == read { // an update that changes nothing does not write the slot either
				b.Slot = slot
				return nil
			}
			b.Duration = b.Slot.Duration()
			return nil
		},
	}, by.validate())
}

// Update runs [Repository.UpdateOp]. 2 requests: a consistent read and the write.
func (r *Repository) Update(
	ctx context.Context, by Actor, bookingID string, fn func(*Booking) error, opts ...dynastay.UpdateOption,
) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(by, bookingID, fn, opts...))
}

// again reads a booking for the result of a repeated call, without its write id: that may be of another caller's write.
func (r *Repository) again(ctx context.Context, bookingID string) (*Booking, error) {
	b, err := r.Booking(ctx, bookingID, dynastay.Consistent)
	if err == nil {
		b.WriteID = ""
	}
	return b, err
}

// refused returns the error for a booking that does not allow a change, for one of the reasons of this package.
func refused(op, bookingID string, reason error) error {
	return &dynastay.Error{Op: op, Entity: "Booking", ID: bookingID, Err: reason}
}

// bookingKey returns the key of a booking that is an argument.
func bookingKey(bookingID string) (dynastay.Key, error) {
	return key.Of(venuekeys.Booking{BookingID: bookingID})
}
