package ical

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/dynastay/dynastay"
)

// Event is one range of nights on which a listing is not available, as it is published.
type Event struct {
	// UID identifies the event, also after a change of its nights: one line of at most MaxText bytes, unique in the
	// calendar. It is published; do not put a code in it with which a guest could be found or a booking be changed.
	UID      string
	Stay     dynastay.Stay `json:",omitzero"` // half-open
	Modified time.Time     `json:",omitzero"` // of the last change, in the years 1 to 9999; published in UTC and in seconds
}

// Validate checks the event. Its errors name the field.
func (e Event) Validate() error {
	if err := e.Stay.Validate(); err != nil {
		return dynastay.Within("Stay", err)
	}
	switch year := e.Modified.UTC().Year(); {
	case e.UID == "":
		return dynastay.Invalid("UID", "is required")
	case e.Modified.IsZero():
		return dynastay.Invalid("Modified", "is required")
	case year < 1 || year > 9999:
		return dynastay.Invalid("Modified", "must be in the years 1 to 9999, got %d", year)
	}
	return checkText("UID", e.UID)
}

const (
	productID = "-//dynastay//availability of a listing//EN"
	// Summary is the same for all events: a text of an event could name a guest, and other channels would publish it.
	summary = "Not available"
)

// Write writes the calendar of a listing, with events of whole days from check-in to check-out. Name is shown by
// calendar applications; it may be empty. The same events give the same bytes, in whatever order they are passed.
//
// It returns [dynastay.ErrInvalid] for a name or an event that cannot be published, for two events with the same UID,
// and for a calendar that would exceed [MaxBytes] or [MaxEntries]; nothing was written then. Otherwise it returns the
// error of w.
func Write(w io.Writer, name string, events []Event) error {
	if err := checkText("Name", name); err != nil {
		return err
	}
	if len(events) > MaxEntries {
		return dynastay.Invalid("Events", "must be at most %d, got %d", MaxEntries, len(events))
	}
	first := map[string]int{}
	for i, e := range events {
		path := fmt.Sprintf("Events[%d]", i)
		if err := e.Validate(); err != nil {
			return dynastay.Within(path, err)
		}
		if other, ok := first[e.UID]; ok {
			return dynastay.Invalid(path+".UID", "must be unique, but Events[%d] has it too", other)
		}
		first[e.UID] = i
	}
	var text bytes.Buffer
	if err := calendarOf(name, events).SerializeTo(&text, ics.WithNewLineWindows); err != nil {
		return fmt.Errorf("writing the calendar: %w", err)
	}
	if text.Len() > MaxBytes {
		return dynastay.Invalid("Events", "must be at most %d bytes as a calendar, got %d", MaxBytes, text.Len())
	}
	_, err := w.Write(text.Bytes())
	return err
}

func calendarOf(name string, events []Event) *ics.Calendar {
	calendar := &ics.Calendar{}
	calendar.SetVersion("2.0")
	calendar.SetProductId(productID)
	calendar.SetCalscale("GREGORIAN")
	if name != "" {
		calendar.SetXWRCalName(name)
	}
	sorted := slices.SortedFunc(slices.Values(events), func(a, b Event) int {
		return cmp.Or(a.Stay.CheckIn.Compare(b.Stay.CheckIn), cmp.Compare(a.UID, b.UID))
	})
	for _, e := range sorted {
		event := calendar.AddEvent(e.UID)
		// The time at which the calendar was written would change its bytes.
		event.SetDtStampTime(e.Modified)
		event.SetLastModifiedAt(e.Modified)
		event.SetAllDayStartAt(e.Stay.CheckIn.Time())
		event.SetAllDayEndAt(e.Stay.CheckOut.Time())
		event.SetSummary(summary)
		event.SetTimeTransparency(ics.TransparencyOpaque)
	}
	return calendar
}

func checkText(field, text string) error {
	switch {
	case len(text) > MaxText:
		return dynastay.Invalid(field, "must be at most %d bytes, got %d", MaxText, len(text))
	case text != oneLine(text):
		return dynastay.Invalid(field, "must be one line of valid UTF-8 without spaces around it")
	}
	return nil
}
