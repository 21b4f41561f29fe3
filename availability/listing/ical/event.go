package ical

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	ics "github.com/arran4/golang-ical"

	"github.com/dynastay/dynastay"
)

// event is a component that says when the listing is busy.
type event struct {
	component string
	number    int
	props     map[string][]*ics.BaseProperty
	malformed string // the name of a line that decides about nights and cannot be parsed
}

func (e *event) add(name string, prop *ics.BaseProperty) {
	switch {
	case prop != nil:
		e.props[name] = append(e.props[name], prop)
	case decidesNights(name):
		e.malformed = name
	}
}

// decidesNights reports whether an event without this property could hold fewer nights. Other lines may be malformed:
// some exporters do not escape the line breaks of a description.
func decidesNights(name string) bool {
	return slices.Contains([]string{"DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "RECURRENCE-ID"}, name)
}

func (e *event) text(name string) string {
	if props := e.props[name]; len(props) > 0 {
		return oneLine(props[0].Value)
	}
	return ""
}

func (e *event) has(name string) bool { return len(e.props[name]) > 0 }

func (e *event) read(cancelled bool, listing *time.Location) (Entry, *Problem) {
	entry := Entry{
		UID:       e.text("UID"),
		Summary:   cut(e.text("SUMMARY")),
		Cancelled: cancelled || strings.EqualFold(e.text("STATUS"), "CANCELLED"),
		Sequence:  number(e.text("SEQUENCE")),
		Modified:  stamp(e.text("LAST-MODIFIED")),
	}
	if len(entry.UID) > MaxText {
		entry.UID = ""
	}
	entry.ReservationID, entry.Booked = guest(entry.Summary, e.text("DESCRIPTION"))
	problem := func(kind ProblemKind, detail string) (Entry, *Problem) {
		return Entry{}, &Problem{Number: e.number, UID: entry.UID, Kind: kind, Detail: detail}
	}
	switch {
	case e.component != "VEVENT":
		return problem(Unreadable, e.component+" is not supported")
	case e.malformed != "":
		return problem(Unreadable, e.malformed+" is malformed")
	case entry.Cancelled && e.has("RECURRENCE-ID"):
		return problem(Recurring, "one occurrence of a series is cancelled")
	case !entry.Cancelled && (e.has("RRULE") || e.has("RDATE")):
		return problem(Recurring, "the event is a series")
	}
	stay, unreadable := e.stay(listing)
	switch {
	case unreadable != nil && !entry.Cancelled:
		return problem(unreadable.kind, unreadable.detail)
	case unreadable == nil:
		entry.Stay = stay
	}
	return entry, nil
}

// unreadable says why an event has no Stay.
type unreadable struct {
	kind   ProblemKind
	detail string
}

func (e *event) stay(listing *time.Location) (dynastay.Stay, *unreadable) {
	start, err := e.moment("DTSTART", listing)
	if err != nil {
		return dynastay.Stay{}, err
	}
	end := start
	switch {
	case e.has("DTEND") && e.has("DURATION"):
		return dynastay.Stay{}, &unreadable{Unreadable, "there are both DTEND and DURATION"}
	case e.has("DTEND"):
		end, err = e.moment("DTEND", listing)
	case e.has("DURATION"):
		end, err = e.after(start)
	}
	if err != nil {
		return dynastay.Stay{}, err
	}
	stay := dynastay.Stay{CheckIn: start.date(listing), CheckOut: end.date(listing)}
	backwards := stay.CheckOut.Before(stay.CheckIn) || start.timed && end.timed && end.t.Before(start.t)
	// Without a length, or without times, the event is not a visit during the day.
	whole := stay.CheckIn == stay.CheckOut && (!start.timed || !end.timed || start.t.Equal(end.t))
	if whole || end.endsDay(listing) {
		stay.CheckOut = stay.CheckOut.AddDays(1)
	}
	switch {
	case stay.CheckIn.IsZero() || stay.CheckOut.IsZero():
		return dynastay.Stay{}, &unreadable{Unreadable, "the nights are not within the years 1 to 9999"}
	case backwards:
		return dynastay.Stay{}, &unreadable{Unreadable, "the event ends before it begins"}
	}
	return stay, nil
}

func (e *event) moment(name string, listing *time.Location) (moment, *unreadable) {
	switch props := e.props[name]; len(props) {
	case 0:
		return moment{}, &unreadable{Unreadable, name + " is missing"}
	case 1:
		return momentOf(name, props[0], listing)
	}
	return moment{}, &unreadable{Unreadable, "there is more than one " + name}
}

func (e *event) after(start moment) (moment, *unreadable) {
	if len(e.props["DURATION"]) > 1 {
		return moment{}, &unreadable{Unreadable, "there is more than one DURATION"}
	}
	end, ok := start.add(e.text("DURATION"))
	if !ok {
		return moment{}, &unreadable{Unreadable, "DURATION must be a duration that is not negative"}
	}
	return end, nil
}

// number returns 0 for what is not a revision: that does not matter to the nights.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

const stampLayout = "20060102T150405Z"

// stamp returns the zero time for what is not a time in UTC: that does not matter to the nights.
func stamp(text string) time.Time {
	t, err := time.Parse(stampLayout, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// oneLine returns valid UTF-8 (as strings.Map does) without control characters, and without spaces around it.
func oneLine(text string) string {
	space := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	return strings.TrimSpace(strings.Map(space, text))
}

// cut returns at most MaxText bytes of a text.
func cut(text string) string {
	if len(text) <= MaxText {
		return text
	}
	end := MaxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end])
}
