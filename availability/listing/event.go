package listing

import (
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Kind says whether there is a guest.
type Kind string

// The kinds.
const (
	KindBooking Kind = "BOOKING" // a guest stays
	KindBlock   Kind = "BLOCK"   // nobody can book, for example because of maintenance
)

// Source is where an event comes from.
type Source string

// The sources.
const (
	HostClosed Source = "HOST_CLOSED" // a block by the host, by an administrator, or from a calendar entry without a guest
	Localstays Source = "LOCALSTAYS"  // a booking that was made on the platform itself
	BookingCom Source = "BOOKING_COM" // a booking that was made at Booking.com
	Airbnb     Source = "AIRBNB"      // a booking that was made at Airbnb
	Other      Source = "OTHER"       // a booking that was made on any other channel
)

var channels = []Source{BookingCom, Airbnb, Other}

// MaxNights is the maximum number of nights of an event, and of a stay that is checked: two years.
const MaxNights = 732

// Event is a booking or a block. It holds consecutive nights of one listing, which nobody else can then book. Nights of
// two events never overlap.
type Event struct {
	ListingID string
	HostID    string
	ID        string // BOOKING#{booking id} or BLOCK#{block id}
	Kind      Kind
	Source    Source
	// BookingID is the platform's own id of a booking, also if it was made on a channel. It is empty for a block.
	BookingID string
	// ExternalID is the channel's id of the reservation. It is empty for a booking of the platform itself, and for a
	// block.
	ExternalID string
	// Stay are the nights that the event holds: that of check-in, but not that of check-out.
	Stay dynastay.Stay `json:",omitzero"`
	Note string        // such as the reason of a block; at most entity.MaxNote bytes
	// Feed and UID are the name of the calendar feed that the event comes from, and the id of its entry there;
	// otherwise empty.
	Feed, UID string
	// Moving reports that a change of the event takes several transactions, and that the last one has not been written.
	// Stay are then the nights before the change, and Target those after it; the zero Stay means none. Until the change
	// is completed, or undone (Back), the event may hold nights of both. See the package documentation.
	Moving bool
	Target dynastay.Stay `json:",omitzero"`
	Back   bool

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int       // 1 for a new event, incremented by every change
	WriteID   dynastay.WriteID
}

// attrFeed is the attribute for Event.Feed.
const attrFeed = "feed"

func newEvents() *entity.Entity[Event] {
	return entity.New(entity.Spec[Event]{
		Name: "Event", Operations: "listing", Schema: listingkeys.Table,
		Created: "createdAt", Updated: "updatedAt", Version: "version",
		// The parts of a change are not versions of their own: a call with IfVersion can be repeated to complete it.
		Kept: []string{"moving", "toCheckIn", "toCheckOut", "movingBack"},
		Key:  func(e *Event) (dynastay.Key, error) { return listingkeys.Event(e.ListingID, e.ID) },
		IDOf: func(at dynastay.Key) string { return listingkeys.EventIDOf(at) },
		Codec: entity.Declare(func(f *entity.Fields, e *Event) {
			f.String("listingId", &e.ListingID)
			f.String("hostId", &e.HostID)
			f.String("eventId", &e.ID)
			entity.String(f, "kind", &e.Kind)
			entity.String(f, "eventSource", &e.Source)
			f.String("bookingId", &e.BookingID)
			f.String("externalReservationId", &e.ExternalID)
			f.Date("checkIn", &e.Stay.CheckIn)
			f.Date("checkOut", &e.Stay.CheckOut)
			f.String("note", &e.Note)
			f.String(attrFeed, &e.Feed)
			f.String("uid", &e.UID)
			f.IfSet().Bool("moving", &e.Moving)
			f.Date("toCheckIn", &e.Target.CheckIn)
			f.Date("toCheckOut", &e.Target.CheckOut)
			f.IfSet().Bool("movingBack", &e.Back)
			f.Time("createdAt", &e.CreatedAt)
			f.Time("updatedAt", &e.UpdatedAt)
			f.IfSet().Int("version", &e.Version)
			f.WriteID(listingkeys.AttrWriteID, &e.WriteID)
		}),
	})
}

// validate checks what the caller of a write has given; the errors name the fields of Booking, Block and Reservation.
func (e *Event) validate() error {
	if _, err := key.Partition(listingkeys.NightByHost{HostID: e.HostID}); err != nil {
		return err
	}
	if _, err := listingkeys.Event(e.ListingID, e.ID); err != nil {
		return err
	}
	if err := checkStay(e.Stay); err != nil {
		return err
	}
	return dynastay.Within("Note", entity.CheckText(e.Note, entity.MaxNote))
}

func checkStay(stay dynastay.Stay) error {
	if err := stay.Validate(); err != nil {
		return dynastay.Within("Stay", err)
	}
	if stay.Nights() > MaxNights {
		return dynastay.Invalid("Stay", "must be at most %d nights, got %d", MaxNights, stay.Nights())
	}
	return nil
}

// imported reports whether the dates of the event come from a channel.
func (e *Event) imported() bool { return slices.Contains(channels, e.Source) || e.Feed != "" }

// night returns one night of the event.
func (e *Event) night(date dynastay.Date, now time.Time) *Night {
	return &Night{
		ListingID: e.ListingID, HostID: e.HostID, Date: date, Kind: e.Kind, Source: e.Source,
		EventID: e.ID, BookingID: e.BookingID, ExternalID: e.ExternalID, CreatedAt: now,
	}
}

// join lists values in the words of an error.
func join[S ~string](values []S) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}
