// Package venuekeys defines the table of a venue, its index and its keys. Package bookings/venue is the repository that
// uses them, and package key has the guarantees of all keys.
//
//	Table
//	  items  User, EmailGuard, Booking, UserBooking, Event, LockCode, Payment, Notification, AuditEntry
//	  GSI1   UserByEmail, BookingByStatus
//
// # How the keys differ from the venue-booking document
//
// The venue-booking document is a design document that is not part of this repository. Its time of a request is not
// unique, so the sort key of a pending booking ends in the booking's id here. It does not say how an e-mail address
// stays unique: an item for each address does that. It reserves an index GSI2, which nothing needs and which is not
// created.
package venuekeys

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
	"github.com/dynastay/dynastay/keys/key"
)

// Index is the index of [Table], for addresses and for pending bookings.
const Index = "GSI1"

// AttrWriteID is the attribute for write ids, see [dynastay.WriteID].
const AttrWriteID = "writeId"

// Table contains everything of a venue. Only records of idempotency keys expire, if Options.Idempotency of package
// dynastay names this table. The index projects all attributes: both its lists need
// whole entities, and a booking has a row in it only while it is pending.
var Table = &dynastay.Schema{
	Name: "VenueBooking",
	Key:  dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{{
		Name: Index, Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}, Project: dynastay.ProjectAll,
	}},
	TTL:     "expiresAt",
	WriteID: AttrWriteID,
	Stream:  true,
}

// User is the item of a user: USER#{UserID} / METADATA.
type User struct{ UserID string }

func (k *User) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("METADATA")
}

// UserByEmail is the row of a [User] in [Index]: EMAIL#{Email} / USER. Email is an address or its hash, see
// key.HashEmail.
type UserByEmail struct{ Email string }

func (k *UserByEmail) Form(f *key.Form) {
	f.PK("EMAIL#", key.Email("Email", &k.Email))
	f.SK("USER")
}

// EmailGuard is the item that lets only one user have an address: EMAIL#{Email} / GUARD.
type EmailGuard struct{ Email string }

func (k *EmailGuard) Form(f *key.Form) {
	f.PK("EMAIL#", key.Email("Email", &k.Email))
	f.SK("GUARD")
}

// Booking is the item of a booking: BOOKING#{BookingID} / METADATA.
type Booking struct{ BookingID string }

func (k *Booking) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("METADATA")
}

// BookingByStatus is the row of a pending [Booking] in [Index]: STATUS#PENDING / {RequestedAt}#BOOKING#{BookingID}. The
// partition may be sharded.
type BookingByStatus struct {
	Shard       int
	RequestedAt time.Time
	BookingID   string
}

func (k *BookingByStatus) Form(f *key.Form) {
	f.PK("STATUS#PENDING", key.Shard("Shard", &k.Shard))
	f.SK(key.Instant("RequestedAt", &k.RequestedAt), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

// UserBooking is the item of a booking in the partition of its user: USER#{UserID} / BOOKING#{BookingID}.
type UserBooking struct{ UserID, BookingID string }

func (k *UserBooking) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("BOOKING#", key.ID("BookingID", &k.BookingID))
}

// Slots are the slots of a day, as they are in the sort keys of events.
var Slots = []string{"MORNING", "AFTERNOON", "FULLDAY"}

// Event is the item of what takes place in a slot: EVENT#{Date} / {Slot}. Slot is one of [Slots].
type Event struct {
	Date dynastay.Date
	Slot string
}

func (k *Event) Form(f *key.Form) {
	f.PK(eventPrefix, key.Date("Date", &k.Date))
	f.SK(key.Custom("Slot",
		func() (string, error) { return k.Slot, checkSlot(k.Slot) },
		func(text string) error { k.Slot = text; return checkSlot(text) }))
}

func checkSlot(slot string) error {
	if !slices.Contains(Slots, slot) {
		return dynastay.Invalid("", "must be MORNING, AFTERNOON or FULLDAY")
	}
	return nil
}

const eventPrefix = "EVENT#"

// LockCode is the item of the code that opens the doors for an event: EVENT#{EventID} / LOCKCODE. An id that has the
// form of a date is refused, because its partition would be that of a day.
type LockCode struct{ EventID string }

func (k *LockCode) Form(f *key.Form) {
	f.PK(eventPrefix, key.Custom("EventID",
		func() (string, error) { return k.EventID, CheckEventID(k.EventID) },
		func(text string) error { k.EventID = text; return CheckEventID(text) }))
	f.SK("LOCKCODE")
}

// CheckEventID returns a [*dynastay.InvalidError] without a field unless id can be the id of an event.
func CheckEventID(id string) error {
	if err := keytext.CheckID(id); err != nil {
		return dynastay.Invalid("", "%s", err)
	}
	if _, err := dynastay.ParseDate(id); err == nil {
		return dynastay.Invalid("", "must not have the form of a date")
	}
	return nil
}

// Payment is the item of a payment: BOOKING#{BookingID} / PAYMENT#{PaymentID}.
type Payment struct{ BookingID, PaymentID string }

func (k *Payment) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("PAYMENT#", key.ID("PaymentID", &k.PaymentID))
}

// Notification is the item of a message to a user: USER#{UserID} / NOTIFICATION#{CreatedAt}#{NotificationID}.
type Notification struct {
	UserID         string
	CreatedAt      time.Time
	NotificationID string
}

func (k *Notification) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("NOTIFICATION#", key.Instant("CreatedAt", &k.CreatedAt), "#", key.ID("NotificationID", &k.NotificationID))
}

// AuditEntry is the item of an entry in the audit log: AUDIT#{Date} / {At}#{EntryID}. Date is that of At in UTC.
type AuditEntry struct {
	Date    dynastay.Date
	At      time.Time
	EntryID string
}

func (k *AuditEntry) Form(f *key.Form) {
	f.PK("AUDIT#", key.Date("Date", &k.Date))
	f.SK(key.Instant("At", &k.At), "#", key.ID("EntryID", &k.EntryID))
}
