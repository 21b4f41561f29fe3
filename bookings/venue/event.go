package venue

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// EventType is a kind of event. A venue may define its own, such as "maintenance".
type EventType string

// PrivateBooking is the type of the event of a booking, and of no other event.
const PrivateBooking EventType = "private_booking"

// Event is what takes place in a slot. It holds the slot until it is deleted.
type Event struct {
	ID        string
	BookingID string        // "" for an event that an administrator created
	Date      dynastay.Date `json:",omitzero"`
	Slot      Slot
	Type      EventType
	Title     string
	CreatedBy string // the user whose booking it is, or the administrator

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int       // 1 for a new event, incremented by every update
	WriteID   dynastay.WriteID
}

// EventRef says which event is meant. Its date and slot say where it is stored, and another event may have the slot
// later.
type EventRef struct {
	Date dynastay.Date `json:",omitzero"`
	Slot Slot
	ID   string
}

// Ref returns the reference of the event.
func (e *Event) Ref() EventRef { return EventRef{e.Date, e.Slot, e.ID} }

// userID returns the user whose booking the event is of, or "".
func (e *Event) userID() string {
	if e.BookingID == "" {
		return ""
	}
	return e.CreatedBy
}

const (
	attrBookingID = "bookingId"
	attrEventID   = "eventId"
)

func newEvents() *entity.Entity[Event] {
	return entity.New(entity.Spec[Event]{
		Name: "Event", Operations: "venue", Schema: venuekeys.Table, Validate: (*Event).validate,
		ID: attrEventID, Prefix: "evt_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Kept: []string{attrBookingID, "createdBy", "date", "timeSlot"},
		Key:  func(e *Event) (dynastay.Key, error) { return eventKey(e.Date, e.Slot) },
		IDOf: nameOfSlot,
		Codec: entity.Declare(func(f *entity.Fields, e *Event) {
			f.Const("entityType", "Event")
			f.String(attrEventID, &e.ID)
			f.String(attrBookingID, &e.BookingID)
			f.Date("date", &e.Date)
			entity.String(f, "timeSlot", &e.Slot)
			entity.String(f, "eventType", &e.Type)
			f.String("title", &e.Title)
			f.String("createdBy", &e.CreatedBy)
			f.Time("createdAt", &e.CreatedAt)
			f.Time("updatedAt", &e.UpdatedAt)
			f.IfSet().Int("version", &e.Version)
			f.WriteID(venuekeys.AttrWriteID, &e.WriteID)
		}),
	})
}

// nameOfSlot names a slot in errors, such as "2025-11-15 FULL_DAY".
func nameOfSlot(at dynastay.Key) string {
	return strings.TrimPrefix(at.PK, "EVENT#") + " " + string(slotOf(at))
}

// validate checks what administrators can set.
func (e *Event) validate() error {
	if err := venuekeys.CheckEventID(e.ID); err != nil {
		return dynastay.Within("ID", err)
	}
	if err := checkDate("Date", e.Date); err != nil {
		return err
	}
	if err := e.Slot.validate(); err != nil {
		return err
	}
	for _, text := range []struct{ field, value string }{{"Type", string(e.Type)}, {"Title", e.Title}} {
		if err := entity.CheckText(text.value, entity.MaxNote); err != nil {
			return dynastay.Within(text.field, err)
		}
		if strings.TrimSpace(text.value) == "" {
			return dynastay.Invalid(text.field, "is required")
		}
	}
	if (e.Type == PrivateBooking) != (e.BookingID != "") {
		return dynastay.Invalid("Type", "must be %s for the events of bookings, and for no others", PrivateBooking)
	}
	return nil
}
