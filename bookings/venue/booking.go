package venue

import (
	"errors"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Status is how far a booking has come.
type Status string

// The statuses of a booking.
const (
	Pending   Status = "pending"   // requested; an administrator decides
	Approved  Status = "approved"  // its event holds the slot
	Rejected  Status = "rejected"  // by an administrator
	Cancelled Status = "cancelled" // by the user or by an administrator, before or after it was approved
)

// Booking is a request for a slot of a day, and what became of it.
type Booking struct {
	ID     string
	UserID string
	Date   dynastay.Date `json:",omitzero"`
	// Slot is "" in a booking of other software for half a day, which does not say which half; see [Repository.Update].
	Slot        Slot
	Duration    Duration // follows from the slot, if there is one
	Description string   // what the event is; it becomes the title of the event
	Attendees   int
	Status      Status
	DecidedBy   string    // the user who approved, rejected or cancelled the booking last
	DecidedAt   time.Time `json:",omitzero"` // when they did
	Reason      string    // of a rejection or a cancellation
	EventID     string    // while the booking is approved

	RequestedAt time.Time `json:",omitzero"`
	UpdatedAt   time.Time `json:",omitzero"`
	Version     int       // 1 for a new booking, incremented by every change
	WriteID     dynastay.WriteID
}

// maxAttendees is far more than any hall admits, and keeps mistyped numbers out.
const maxAttendees = 100_000

const attrStatus = "status"

func newBookings(pending key.Shards) *entity.Entity[Booking] {
	return entity.New(entity.Spec[Booking]{
		Name: "Booking", Operations: "venue", Schema: venuekeys.Table, Validate: (*Booking).validate,
		ID: "bookingId", Prefix: "bkg_", Created: "requestedAt", Updated: "updatedAt", Version: "version",
		Kept: []string{"userId", attrStatus, "decidedBy", "decidedAt", "reason", "eventId"},
		Key:  func(b *Booking) (dynastay.Key, error) { return key.Of(venuekeys.Booking{BookingID: b.ID}) },
		IDOf: func(at dynastay.Key) string { return strings.TrimPrefix(at.PK, "BOOKING#") },
		Codec: entity.Declare(func(f *entity.Fields, b *Booking) {
			f.Const("entityType", "Booking")
			f.String("bookingId", &b.ID)
			f.String("userId", &b.UserID)
			f.Date("date", &b.Date)
			entity.String(f, "timeSlot", &b.Slot)
			entity.String(f, "duration", &b.Duration)
			f.String("eventDescription", &b.Description)
			f.Int("attendees", &b.Attendees)
			entity.String(f, attrStatus, &b.Status)
			f.String("decidedBy", &b.DecidedBy)
			f.Time("decidedAt", &b.DecidedAt)
			f.String("reason", &b.Reason)
			f.String("eventId", &b.EventID)
			f.Time("requestedAt", &b.RequestedAt)
			f.Time("updatedAt", &b.UpdatedAt)
			f.IfSet().Int("version", &b.Version)
			f.WriteID(venuekeys.AttrWriteID, &b.WriteID)
		}),
		Indexes: map[string]func(*Booking) (dynastay.Key, error){
			venuekeys.Index: func(b *Booking) (dynastay.Key, error) {
				if b.Status != Pending {
					return dynastay.Key{}, nil
				}
				return key.Of(venuekeys.BookingByStatus{Shard: pending.Of(b.ID), RequestedAt: b.RequestedAt, BookingID: b.ID})
			},
		},
	})
}

// slot returns the slot of a booking. Other software stores only the duration, which is enough for a whole day.
func (b *Booking) slot() Slot {
	if b.Slot == "" && b.Duration == WholeDay {
		return FullDay
	}
	return b.Slot
}

// validate checks what users can set.
func (b *Booking) validate() error {
	if err := checkDate("Date", b.Date); err != nil {
		return err
	}
	if err := b.Slot.validate(); err != nil {
		return err
	}
	if err := entity.CheckText(b.Description, entity.MaxNote); err != nil {
		return dynastay.Within("Description", err)
	}
	if strings.TrimSpace(b.Description) == "" {
		return dynastay.Invalid("Description", "is required")
	}
	if b.Attendees < 1 || b.Attendees > maxAttendees {
		return dynastay.Invalid("Attendees", "must be between 1 and %d", maxAttendees)
	}
	return nil
}

func checkDate(field string, date dynastay.Date) error {
	if date.IsZero() {
		return dynastay.Invalid(field, "is required")
	}
	return nil
}

// checkText checks an optional text that is an argument.
func checkText(field, text string) error {
	return dynastay.Within(field, entity.CheckText(text, entity.MaxNote))
}

// checkTitle checks an optional title, which must not be blank.
func checkTitle(title string) error {
	if title != "" && strings.TrimSpace(title) == "" {
		return dynastay.Invalid("Title", "must not be blank")
	}
	return checkText("Title", title)
}

// checkID checks an id that is an argument.
func checkID(field, id string) error {
	_, err := key.Of(venuekeys.User{UserID: id})
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return err
}

// StatusError means that the status of a booking does not allow a change. It is returned within a [*dynastay.Error]
// that names the booking.
type StatusError struct{ Status Status }

// Error returns the status.
func (e *StatusError) Error() string { return "not allowed while the status is " + string(e.Status) }

// Is makes it match [dynastay.ErrRefused].
func (*StatusError) Is(target error) bool { return target == dynastay.ErrRefused }

// The other reasons why a booking or an event cannot be changed. They are returned within a [*dynastay.Error].
var (
	ErrPast      = dynastay.Refusal("the date has passed")
	ErrNoSlot    = dynastay.Refusal("the booking does not say which half of the day it is for")
	ErrOfBooking = dynastay.Refusal("the event belongs to a booking")
)
