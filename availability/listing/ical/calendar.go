package ical

import (
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
)

// The limits of calendars.
const (
	MaxBytes   = 4 << 20 // of a calendar's text
	MaxEntries = 10_000  // of a calendar
	MaxText    = 255     // bytes of a UID, a summary or a name
)

// Calendar is what a feed says about the nights of a listing. Each list has the order of the feed. UIDs need not be
// unique: some channels use one UID for several stays.
type Calendar struct {
	// Entries hold nights. Events with the same UID and the same Stay are one Entry.
	Entries []Entry `json:",omitzero"`
	// Free are the events that hold no night: cancelled ones, and those that begin and end on the same day.
	Free []Entry `json:",omitzero"`
	// Problems are the events that could not be read, so their nights are unknown. Keep what an earlier feed said about
	// the UID of a Problem, beside the Entries that have the same UID. If it has no UID, do not free any night that an
	// earlier feed held.
	Problems []Problem `json:",omitzero"`
}

// Entry is one event of a feed.
type Entry struct {
	UID           string        // "" if it has none, or one of more than MaxText bytes
	Stay          dynastay.Stay `json:",omitzero"` // half-open; in Calendar.Free without nights, or the zero Stay, or those of a cancelled event
	Summary       string        // one line of at most MaxText bytes; it may contain the name of a guest
	Booked        bool          // it is the reservation of a guest; otherwise the nights are closed, for whatever reason
	ReservationID string        // the channel's id of the reservation, if the feed contains it
	Cancelled     bool          // only in Calendar.Free
	Sequence      int           // the revision of the event, 0 if it has none
	Modified      time.Time     `json:",omitzero"` // of the last change, in UTC; zero if the feed does not say. Some channels write the current time
}

// Problem is an event that could not be read. It contains no text of the event except UID.
type Problem struct {
	Number int    // its position in the feed: 1 is the first event
	UID    string // as Entry.UID
	Kind   ProblemKind
	Detail string // for people, such as "DTSTART is missing"
}

// ProblemKind says why an event could not be read.
type ProblemKind string

// The kinds of problems.
const (
	Unreadable ProblemKind = "UNREADABLE" // its dates are missing, malformed or contradictory, or its end is missing
	Recurring  ProblemKind = "RECURRING"  // it is a series, or the cancellation of one occurrence
)

// IncompleteError means that a text is not a complete calendar: it is empty, an error page, or cut off. It says nothing
// about nights, so keep what an earlier feed said.
type IncompleteError struct {
	Reason string // such as "END:VCALENDAR is missing"
}

// Error returns the reason.
func (e *IncompleteError) Error() string { return "not a complete calendar: " + e.Reason }

// TooLargeError means that a calendar exceeds a limit of [Read]. Nothing of it was read, so keep what an earlier feed
// said. Exactly one of the fields is set, to the limit that is exceeded.
type TooLargeError struct {
	Bytes   int // MaxBytes
	Entries int // MaxEntries
}

// Error returns the limit.
func (e *TooLargeError) Error() string {
	if e.Bytes > 0 {
		return fmt.Sprintf("calendar has more than %d bytes", e.Bytes)
	}
	return fmt.Sprintf("calendar has more than %d entries", e.Entries)
}
