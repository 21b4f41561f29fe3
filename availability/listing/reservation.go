package listing

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Reservation is one delivery of a channel: a reservation as it was at one revision. A channel may deliver revisions
// late, repeatedly and in any order.
type Reservation struct {
	ListingID string
	HostID    string // of the first import; later deliveries do not change it
	Source    Source // BookingCom, Airbnb or Other
	// ExternalID is the channel's id of the reservation. A reservation of several listings is imported once for each.
	ExternalID string
	// Revision orders the deliveries of a reservation: a larger one is newer. It is at least 1, and comes from the
	// channel: a sequence number, or the time of the change in milliseconds. Never use the time at which a delivery was
	// received, because a late one would then be the newest. For a channel without revisions, take a delivery as a
	// signal, note the time, and read the reservation from the channel.
	Revision int
	// BookingID is the platform's own id of the booking. The first import determines it: later ones must have the same
	// or none. Default: a new id with the prefix bk_.
	BookingID string
	Stay      dynastay.Stay // at most MaxNights nights; ignored if Cancelled
	Cancelled bool
}

// Outcome is what an import has done.
type Outcome string

// The outcomes.
const (
	Created   Outcome = "created"   // the reservation holds its nights
	Changed   Outcome = "changed"   // its dates have changed
	Cancelled Outcome = "cancelled" // its nights are free, or it was cancelled before it was ever imported
	Unchanged Outcome = "unchanged" // the revision is newer, but nothing in it is new
	Repeated  Outcome = "repeated"  // the revision was imported before, completely; nothing was written
	Outdated  Outcome = "outdated"  // a newer revision was imported before; nothing was written
)

// Imported is the result of an import.
type Imported struct {
	Outcome Outcome
	// BookingID is the platform's own id of the booking, and EventID that of its event. They are empty if the
	// reservation was cancelled before it was ever imported.
	BookingID, EventID string
	Event              *Event `json:",omitzero"` // as it was written; nil if it was deleted, or if nothing was written
}

// RevisionError means that a revision was imported before, with other dates. Nothing was written.
type RevisionError struct {
	Revision        int
	Stay, Delivered dynastay.Stay // what was imported before, and what was delivered now
}

// Error returns the revision and both stays.
func (e *RevisionError) Error() string {
	return fmt.Sprintf("revision %d was imported before with the dates %s, not %s", e.Revision, e.Stay, e.Delivered)
}

// Is makes it match [dynastay.ErrRefused].
func (*RevisionError) Is(target error) bool { return target == dynastay.ErrRefused }

// imported is what is known of a channel's reservation. It remains when the reservation is cancelled.
type imported struct {
	ListingID  string
	Source     Source
	ExternalID string
	BookingID  string // "" if the reservation was cancelled before it was ever imported
	Revision   int    // the newest that was imported; 0 if none was
	Stay       dynastay.Stay
	Cancelled  bool // by the channel
	Deleted    bool // its event was deleted otherwise
	Pending    bool // a change that takes several transactions may have left its event incomplete
	CreatedAt  time.Time
	UpdatedAt  time.Time
	WriteID    dynastay.WriteID
}

// The attributes for the revision that was imported last, and for imported.Pending.
const (
	attrRevision = "revision"
	attrPending  = "pending"
)

func newImports() *entity.Entity[imported] {
	return entity.New(entity.Spec[imported]{
		Name: "Import", Operations: "listing", Schema: listingkeys.Table, Created: "createdAt", Updated: "updatedAt",
		Key: func(g *imported) (dynastay.Key, error) {
			return key.Of(listingkeys.Import{ListingID: g.ListingID, Source: string(g.Source), ExternalID: g.ExternalID})
		},
		Codec: entity.Declare(func(f *entity.Fields, g *imported) {
			f.String("listingId", &g.ListingID)
			entity.String(f, "eventSource", &g.Source)
			f.String("externalReservationId", &g.ExternalID)
			f.String("bookingId", &g.BookingID)
			f.Int(attrRevision, &g.Revision)
			f.Date("checkIn", &g.Stay.CheckIn)
			f.Date("checkOut", &g.Stay.CheckOut)
			f.IfSet().Bool("cancelled", &g.Cancelled)
			f.IfSet().Bool("deleted", &g.Deleted)
			f.IfSet().Bool(attrPending, &g.Pending)
			f.Time("createdAt", &g.CreatedAt)
			f.Time("updatedAt", &g.UpdatedAt)
			f.WriteID(listingkeys.AttrWriteID, &g.WriteID)
		}),
	})
}

// holds reports whether the reservation has an event.
func (g *imported) holds() bool { return g.revision() > 0 && !g.Cancelled && !g.Deleted }

// mayHold is like holds, but also true if an import that takes several transactions is not complete.
func (g *imported) mayHold() bool { return g.holds() || g != nil && g.Pending }

func (g *imported) revision() int {
	if g == nil {
		return 0
	}
	return g.Revision
}

// writeID is "" if the reservation is not known yet.
func (g *imported) writeID() dynastay.WriteID {
	if g == nil {
		return ""
	}
	return g.WriteID
}

// compare returns the outcome of a delivery that changes nothing, or "" for one that must be written; g is nil if the
// reservation is not known yet.
func (g *imported) compare(d Reservation) (Outcome, error) {
	switch {
	case g == nil || d.Revision > g.Revision:
		return "", nil
	case d.Revision < g.Revision:
		return Outdated, nil
	case d.Cancelled == g.Cancelled && (d.Cancelled || d.Stay == g.Stay):
		return Repeated, nil
	case g.Cancelled: // a reservation that has the same revision both ways was cancelled last
		return Outdated, nil
	case d.Cancelled:
		return "", nil
	}
	return "", &RevisionError{Revision: d.Revision, Stay: g.Stay, Delivered: d.Stay}
}

// validate checks a delivery.
func (d Reservation) validate() error {
	if !slices.Contains(channels, d.Source) {
		return dynastay.Invalid("Source", "must be one of %s", join(channels))
	}
	if d.Revision < 1 {
		return dynastay.Invalid("Revision", "must be positive")
	}
	if _, err := key.Of(listingkeys.Import{ListingID: d.ListingID, Source: string(d.Source), ExternalID: d.ExternalID}); err != nil {
		return err
	}
	if d.BookingID != "" {
		if _, err := listingkeys.BookingEventID(d.BookingID); err != nil {
			return err
		}
	}
	e := d.event("any")
	if d.Cancelled {
		e.Stay = dynastay.Stay{CheckIn: anyDay, CheckOut: anyDay.AddDays(1)}
	}
	return e.validate()
}

// anyDay is a valid date.
var anyDay = dynastay.MustDate("2000-01-01")

// event returns the event of the reservation.
func (d Reservation) event(bookingID string) *Event {
	id, _ := listingkeys.BookingEventID(bookingID) // validated, drawn or stored
	return &Event{
		ListingID: d.ListingID, HostID: d.HostID, ID: id, Kind: KindBooking, Source: d.Source,
		BookingID: bookingID, ExternalID: d.ExternalID, Stay: d.Stay,
	}
}

func (d Reservation) agreed(in *dynastay.Input) {
	in.Field("listing", d.ListingID)
	in.Field("host", d.HostID)
	in.Field("source", string(d.Source))
	in.Field("reservation", d.ExternalID)
	in.Field("revision", strconv.Itoa(d.Revision))
	in.Field("booking", d.BookingID)
	if !d.Cancelled {
		in.Field("stay", d.Stay.String())
	}
}
