// Package desk books rooms, prepares the guest's registration card, and notifies the guest through the outbox. A booking, its
// card and its message are written in one transaction, so none of them ever exists without the others.
package desk

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"

	"example.com/frontdesk/outbox"
	"example.com/frontdesk/registration"
)

// Confirmed is the topic of the message about a booking; its Ref is the booking's id.
const Confirmed = "booking.confirmed"

// Desk takes orders.
type Desk struct {
	db         *dynastay.DB
	properties *properties.Repository
	nights     *availability.Repository
	bookings   *bookings.Repository
	cards      *registration.Cards
	outbox     *outbox.Outbox
}

// New returns a desk. It sends nothing.
func New(db *dynastay.DB) *Desk {
	return &Desk{db, properties.New(db, nil), availability.New(db), bookings.New(db, nil), registration.New(db), outbox.New(db)}
}

// Order asks for rooms of one type.
type Order struct {
	PropertyID string
	RoomTypeID string
	Rooms      int
	Stay       dynastay.Stay
	Guests     availability.Guests
	UserID     string
	Guest      bookings.Guest
}

// Book books an order at today's prices. The request's id makes it happen once: if a call fails with
// [dynastay.ErrOutcomeUnknown] or [dynastay.ErrCommitted], or its answer is lost, repeat it with the same id. An id that the
// user has used for a different order is refused with [dynastay.ErrIdempotencyMismatch]. Users do not share ids.
//
// 4 requests: for a booking that the request has already made, for the property with its rooms, for the nights, and for the
// transaction. A refusal takes one more.
func (d *Desk) Book(ctx context.Context, requestID string, o Order) (*bookings.Booking, error) {
	// First, because when a call is repeated, the last room may be sold, to this very guest, or the price may have changed.
	made, err := d.madeBy(ctx, requestID, o)
	if !errors.Is(err, dynastay.ErrNotFound) {
		return made, err
	}
	booked, refusal := d.book(ctx, requestID, o)
	var refused *bookings.Refused
	if errors.As(refusal, &refused) || errors.Is(refusal, dynastay.ErrIdempotencyMismatch) {
		// Or the first call was still in flight: it may have taken the last room since the check above.
		made, err := d.madeBy(ctx, requestID, o)
		if !errors.Is(err, dynastay.ErrNotFound) {
			return made, err
		}
	}
	return booked, refusal
}

// keyOf returns the request's key, which belongs to its user: guessing another user's request id reveals nothing.
func keyOf(requestID string, o Order) dynastay.Idempotency {
	return dynastay.IdempotencyKey(requestID).Of(o.UserID)
}

// madeBy returns the booking that the request has made, or [dynastay.ErrNotFound].
func (d *Desk) madeBy(ctx context.Context, requestID string, o Order) (*bookings.Booking, error) {
	made, err := d.bookings.MadeBy(ctx, keyOf(requestID, o))
	if err == nil && !o.made(made) {
		return nil, dynastay.ErrIdempotencyMismatch
	}
	return made, err
}

func (d *Desk) book(ctx context.Context, requestID string, o Order) (*bookings.Booking, error) {
	property, err := d.properties.GetWithRooms(ctx, o.PropertyID)
	if err != nil {
		return nil, err
	}
	ask, err := property.Card().QuoteRequest(o.Stay, o.Guests, properties.Choice{RoomTypeID: o.RoomTypeID, Quantity: o.Rooms})
	if err != nil {
		return nil, err
	}
	quote, err := d.nights.Quote(ctx, ask)
	if err != nil {
		return nil, err
	}
	booking := d.bookings.CreateOp(bookings.Request{Quote: quote, UserID: o.UserID, Guest: o.Guest})
	card := d.cards.CreateFromOp(func() (*registration.Card, error) {
		b := booking.Result()
		return &registration.Card{
			BookingID: b.ID, PropertyID: b.PropertyID, GuestName: b.Guest.FirstName + " " + b.Guest.LastName, Arrival: b.Stay.CheckIn,
		}, nil
	}, "card") // everything on it follows from the booking
	message := d.outbox.SendOp(Confirmed, func() string { return booking.Result().ID })
	if err := d.db.Write(ctx, keyOf(requestID, o), booking, card, message); err != nil {
		return nil, err
	}
	return booking.Result(), nil
}

// Find returns a user's booking. Somebody else's is [dynastay.ErrNotFound]. 1 request.
func (d *Desk) Find(ctx context.Context, userID, bookingID string) (*bookings.Booking, error) {
	b, err := d.bookings.Get(ctx, bookingID)
	if err == nil && (userID == "" || b.UserID != userID) {
		return nil, dynastay.ErrNotFound
	}
	return b, err
}

// Cancel cancels a user's booking and removes its card, in one transaction. Somebody else's is [dynastay.ErrNotFound]; one
// that is cancelled already is refused with a [*bookings.StatusError]. 5 requests: for the card, for what the two operations
// change, and for the transaction.
func (d *Desk) Cancel(ctx context.Context, userID, bookingID string) error {
	parts := []dynastay.Part{dynastay.IfUser(userID), d.bookings.CancelOp(bookingID, "by the guest", nil)}
	card, err := d.cards.ByBooking(ctx, bookingID)
	switch {
	case err == nil:
		parts = append(parts, d.cards.DeleteOp(card.ID, dynastay.OrMissing()))
	case !errors.Is(err, dynastay.ErrNotFound):
		return err
	}
	return d.db.Write(ctx, parts...)
}

// made reports whether the booking is that of the order.
func (o Order) made(b *bookings.Booking) bool {
	return b.PropertyID == o.PropertyID && b.Stay == o.Stay && b.Guests == o.Guests && b.Guest == o.Guest &&
		len(b.Lines) == 1 && b.Lines[0].RoomTypeID == o.RoomTypeID && b.Lines[0].Quantity == o.Rooms
}

// Relay delivers the confirmations: it calls send at least once for each booking.
func (d *Desk) Relay(send func(context.Context, *bookings.Booking) error) *outbox.Relay {
	return &outbox.Relay{Outbox: d.outbox, Deliver: func(ctx context.Context, m *outbox.Message) error {
		b, err := d.bookings.Get(ctx, m.Ref)
		if err != nil {
			return err
		}
		return send(ctx, b)
	}}
}
