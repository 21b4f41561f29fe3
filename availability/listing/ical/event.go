package ical

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dynastay/dynastay"
)

// event is a component that says when the listing is busy.
type event struct {
	component string
	number    int
	props     map[string][]*property
	broken    string // why it cannot be read, such as "DTSTART is malformed"
}

func (e *event) add(name string, prop *property) {
	switch {
	case prop != nil:
		e.props[name] = append(e.props[name], prop)
	case decidesNights(name):
		e.broken = name + " is malformed"
	}
}

// decidesNights reports whether an event without this property could hold fewer nights. Other lines may be malformed:
// some exporters do not escape the line breaks of a description.
func decidesNights(name string) bool {
	return isTime(name) || slices.Contains([]string{"DURATION", "RRULE", "RDATE"}, name)
}

func (e *event) text(name string) string {
	if props := e.props[name]; len(props) > 0 {
		return props[0].text()
	}
	return ""
}

// isCancelled reports whether STATUS says so. A line of a description may look like another STATUS.
func (e *event) isCancelled() bool {
	return e.has("STATUS") && !slices.ContainsFunc(e.props["STATUS"], func(p *property) bool {
		return !strings.EqualFold(p.text(), "CANCELLED")
	})
}

func (e *event) has(name string) bool { return len(e.props[name]) > 0 }

func (e *event) read(cancelled bool, z *zones) (Entry, *Problem) {
	entry := Entry{
		UID:       e.text("UID"),
		Summary:   cut(e.text("SUMMARY")),
		Cancelled: cancelled || e.isCancelled(),
		Sequence:  revision(e.text("SEQUENCE")),
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
	case e.broken != "":
		return problem(Unreadable, e.broken)
	case entry.Cancelled && e.has("RECURRENCE-ID"):
		return problem(Recurring, "one occurrence of a series is cancelled")
	case !entry.Cancelled && (e.has("RRULE") || e.has("RDATE")):
		return problem(Recurring, "the event is a series")
	}
	stay, unreadable := e.stay(z)
	switch {
	case unreadable != "" && !entry.Cancelled:
		return problem(Unreadable, unreadable)
	case unreadable == "":
		entry.Stay = stay
	}
	return entry, nil
}

// stay returns the nights of an event, or why they cannot be read.
func (e *event) stay(z *zones) (stay dynastay.Stay, unreadable string) {
	start, unreadable := e.moment("DTSTART", z)
	if unreadable != "" {
		return stay, unreadable
	}
	end := start
	switch {
	case e.has("DTEND") && e.has("DURATION"):
		return stay, "there are both DTEND and DURATION"
	case e.has("DTEND"):
		end, unreadable = e.moment("DTEND", z)
	case e.has("DURATION"):
		end, unreadable = e.after(start)
	}
	if unreadable != "" {
		return stay, unreadable
	}
	return span{start, end}.stay(z.listing)
}

func (e *event) moment(name string, z *zones) (m moment, unreadable string) {
	switch props := e.props[name]; len(props) {
	case 0:
		return m, name + " is missing"
	case 1:
		m, ok := momentOf(props[0], z)
		if !ok {
			return m, name + " must be a date or a time"
		}
		return m, ""
	}
	return m, "there is more than one " + name
}

func (e *event) after(start moment) (end moment, unreadable string) {
	if len(e.props["DURATION"]) > 1 {
		return end, "there is more than one DURATION"
	}
	end, ok := start.add(e.text("DURATION"))
	if !ok {
		return end, "DURATION must be a duration that is not negative"
	}
	return end, ""
}

// revision returns 0 for what is not one: that does not matter to the nights.
func revision(text string) int {
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
