package main

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
)

// deliveriesTable has what the handlers did.
var deliveriesTable = &dynastay.Schema{Name: "Deliveries", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}}

// notification tells a guest of an event. The text, with any personal data, is made when it is sent. The id is
// generated, so writing an event twice would leave two notifications.
type notification struct {
	BookingID string
	ID        string
	Event     string
	At        time.Time
}

type notificationKey struct{ BookingID, ID string }

func (k *notificationKey) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("NOTIFICATION#", key.ID("ID", &k.ID))
}

var notifications = entity.New(entity.Spec[notification]{
	Name: "Notification", Operations: "notifications", Schema: deliveriesTable, ID: "NotificationId", Prefix: "ntf_",
	Key: func(n *notification) (dynastay.Key, error) { return key.Of(notificationKey{n.BookingID, n.ID}) },
	Codec: entity.Declare(func(f *entity.Fields, n *notification) {
		f.String("BookingId", &n.BookingID)
		f.String("NotificationId", &n.ID)
		f.String("Event", &n.Event)
		f.Time("At", &n.At)
	}),
})

// notifier writes notifications.
type notifier struct {
	db            *dynastay.DB
	notifications *entity.Table[notification]
	crash         *faults
}

func (n *notifier) onBooking(ctx context.Context, c stream.Change[bookings.Booking]) error {
	switch {
	case c.New == nil || !c.New.AnonymisedAt.IsZero(): // nobody is left to be told
		return nil
	case c.Became(func(b *bookings.Booking) bool { return b.Status == bookings.Confirmed }):
		return n.write(ctx, c.Record, c.New.ID, "confirmed")
	case c.Became(func(b *bookings.Booking) bool { return b.Status == bookings.Cancelled }):
		return n.write(ctx, c.Record, c.New.ID, "cancelled")
	}
	return nil
}

// onRefund waits for the news that the refund has been paid. The booking's payment status does not: it counts refunds
// that are pending.
func (n *notifier) onRefund(ctx context.Context, c stream.Change[bookings.Refund]) error {
	if c.Became(func(r *bookings.Refund) bool { return r.Status == bookings.PaymentRefunded }) {
		return n.write(ctx, c.Record, c.New.BookingID, "refunded")
	}
	return nil
}

// write writes a notification. The ID of the change is the idempotency key, and everything in the notification follows
// from the change, also its time. So handling the change again writes nothing.
func (n *notifier) write(ctx context.Context, r stream.Record, bookingID, event string) error {
	_, err := n.notifications.Create(ctx, &notification{BookingID: bookingID, Event: event, At: r.At},
		dynastay.IdempotencyKey(r.ID()).Of("notifications"))
	if err != nil {
		return err
	}
	return n.crash.firstTime(r.ID())
}
