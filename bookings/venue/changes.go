package venue

import (
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Changes are decoders for the changes of a venue's items. Every change of a booking also changes its item in the
// user's partition, the user's statistics and the audit log, each of which is a change of its own in the stream.
type Changes struct {
	Users         stream.Decoder[User]
	Bookings      stream.Decoder[Booking]
	Events        stream.Decoder[Event]
	Payments      stream.Decoder[Payment]
	Notifications stream.Decoder[Notification]
	LockCodes     stream.Decoder[LockCode]
	AuditEntries  stream.Decoder[AuditEntry]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no
// requests.
func (r *Repository) Changes() Changes {
	return Changes{
		Users:         stream.NewDecoder(r.db, venuekeys.Table, key.Is[venuekeys.User], r.user.Value),
		Bookings:      stream.NewDecoder(r.db, venuekeys.Table, key.Is[venuekeys.Booking], r.booking.Value),
		Events:        stream.NewDecoder(r.db, venuekeys.Table, key.Is[venuekeys.Event], r.event.Value),
		Payments:      stream.NewDecoder(r.db, venuekeys.Table, key.Is[venuekeys.Payment], r.payment.Value),
		Notifications: stream.NewDecoder(r.db, venuekeys.Table, key.Is[venuekeys.Notification], r.notification.Value),
		LockCodes:     stream.NewDecoder(r.db, venuekeys.Table, key.Is[venuekeys.LockCode], r.code.Value),
		AuditEntries:  stream.NewDecoder(r.db, venuekeys.Table, key.Is[venuekeys.AuditEntry], r.entry.Value),
	}
}
