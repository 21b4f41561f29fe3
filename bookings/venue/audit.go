package venue

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Action is what an entry of the audit log records.
type Action string

// The actions.
const (
	BookingRequested Action = "booking.requested"
	BookingUpdated   Action = "booking.updated"
	BookingApproved  Action = "booking.approved"
	BookingRejected  Action = "booking.rejected"
	BookingCancelled Action = "booking.cancelled"
	EventCreated     Action = "event.created"
	EventUpdated     Action = "event.updated"
	EventDeleted     Action = "event.deleted"
	LockCodeSet      Action = "lockcode.set"
	RoleSet          Action = "user.role"
)

// AuditEntry says who did what, and when.
type AuditEntry struct {
	ID     string
	At     time.Time `json:",omitzero"`
	By     string    // the user who did it
	Role   Role      // with which role
	Action Action
	// UserID and BookingID say whose booking or role it was. They are "" for an event without a booking, and for a code of
	// [Repository.SetLockCode], which does not read the event: the entry of its approval names both. UserID is also "" for
	// an event of other software that does not say whose it is.
	UserID    string
	BookingID string
	EventID   string // of an event, a code, an approval, and the cancellation of an approved booking
	Note      string // the reason of a rejection or a cancellation, the title of an event, or the role
}

func newAuditEntries() *entity.Entity[AuditEntry] {
	return entity.New(entity.Spec[AuditEntry]{
		Name: "AuditEntry", Operations: "venue", Schema: venuekeys.Table, ID: "auditId", Prefix: "aud_", Created: "at",
		Key: func(e *AuditEntry) (dynastay.Key, error) {
			return key.Of(venuekeys.AuditEntry{Date: dynastay.DateOf(e.At, nil), At: e.At, EntryID: e.ID})
		},
		Codec: entity.Declare(func(f *entity.Fields, e *AuditEntry) {
			f.Const("entityType", "AuditEntry")
			f.String("auditId", &e.ID)
			f.Time("at", &e.At)
			f.String("by", &e.By)
			entity.String(f, "role", &e.Role)
			entity.String(f, "action", &e.Action)
			f.String("userId", &e.UserID)
			f.String("bookingId", &e.BookingID)
			f.String("eventId", &e.EventID)
			f.String("note", &e.Note)
		}),
	})
}

// audit adds the action that writes an entry of the audit log.
func (r *Repository) audit(tx *dynastay.Tx, by Actor, e AuditEntry) error {
	e.ID, e.At, e.By, e.Role = r.db.NewID(r.entry.Prefix), r.db.Now(), by.UserID, by.Role
	item, err := r.entry.Item(&e)
	if err == nil {
		tx.Put(venuekeys.Table, item).Drawn()
	}
	return err
}

// Audit lists the entries of the audit log of a day in UTC, in the order of their times.
//
// 1 request: VenueBooking, PK = AUDIT#{date}.
func (r *Repository) Audit(date dynastay.Date) dynastay.List[*AuditEntry] {
	partition, err := key.Partition(venuekeys.AuditEntry{Date: date})
	if err != nil {
		return dynastay.NoList[*AuditEntry](err)
	}
	return r.entries.List(dynastay.Query{Name: "venue.Audit", Partition: partition})
}
