package ical

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/dynastay/dynastay"
)

// maxLine is the number of bytes of an unfolded line that are parsed. The time that golang-ical takes for a line grows
// with the square of its length.
const maxLine = 4096

// Read reads the calendar of a listing. Zone is the time zone of the listing; nil means UTC. Several calendars in one
// text are read as one.
//
// It returns an [*IncompleteError] for a text that is not a complete calendar, a [*TooLargeError] for one over
// [MaxBytes] or [MaxEntries], and the errors of r. An event that cannot be read is not an error but a [Problem]. A
// complete calendar without events is not an error either: channels publish it for a listing without reservations.
func Read(r io.Reader, zone *time.Location) (*Calendar, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the calendar: %w", err)
	case len(text) > MaxBytes:
		return nil, &TooLargeError{Bytes: MaxBytes}
	}
	if zone == nil {
		zone = time.UTC
	}
	p := parser{listing: zone}
	stream := ics.NewCalendarStream(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	for {
		line, err := stream.ReadLine()
		if line != nil {
			if err := p.line(string(*line)); err != nil {
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading the calendar: %w", err)
		}
	}
	switch {
	case len(p.open) > 0:
		return nil, &IncompleteError{"END:" + p.open[0] + " is missing"}
	case !p.found:
		return nil, &IncompleteError{"BEGIN:VCALENDAR is missing"}
	}
	return &p.calendar, nil
}

// parser puts lines together to components.
type parser struct {
	listing  *time.Location
	found    bool     // a calendar
	open     []string // the components that have begun and not ended
	method   string   // of the open calendar
	events   []*event // of the open calendar
	number   int      // of events
	calendar Calendar
	known    map[held]int // positions in calendar.Entries
}

type held struct {
	uid  string
	stay dynastay.Stay
}

const calendarName = "VCALENDAR"

func (p *parser) line(line string) error {
	name, prop := parse(line)
	switch {
	case name == "BEGIN" && prop != nil:
		return p.begin(component(prop))
	case name == "END" && prop != nil:
		return p.end(component(prop))
	case len(p.open) == 0:
		return &IncompleteError{"there is a line outside BEGIN:VCALENDAR and END:VCALENDAR"}
	case len(p.open) == 1 && name == "METHOD" && prop != nil:
		p.method = strings.ToUpper(strings.TrimSpace(prop.Value))
	case len(p.open) == 2 && isEvent(p.open[1]):
		p.events[len(p.events)-1].add(name, prop)
	}
	return nil
}

func (p *parser) begin(name string) error {
	switch {
	case (name == calendarName) != (len(p.open) == 0):
		return &IncompleteError{"BEGIN:VCALENDAR is not where a calendar begins"}
	case isEvent(name) && len(p.open) > 1:
		return &IncompleteError{"END:" + p.open[1] + " is missing"}
	case isEvent(name):
		if p.number++; p.number > MaxEntries {
			return &TooLargeError{Entries: MaxEntries}
		}
		p.events = append(p.events, &event{component: name, number: p.number, props: map[string][]*ics.BaseProperty{}})
	}
	p.open = append(p.open, name)
	return nil
}

func (p *parser) end(name string) error {
	last := len(p.open) - 1
	if last < 0 || p.open[last] != name {
		return &IncompleteError{"an END does not match its BEGIN"}
	}
	p.open = p.open[:last]
	if last > 0 {
		return nil
	}
	// METHOD concerns all events of the calendar, also those before it.
	for _, e := range p.events {
		p.keep(e, p.method == "CANCEL")
	}
	p.found, p.method, p.events = true, "", nil
	return nil
}

func (p *parser) keep(e *event, cancelled bool) {
	entry, problem := e.read(cancelled, p.listing)
	switch {
	case problem != nil:
		p.calendar.Problems = append(p.calendar.Problems, *problem)
	case entry.Cancelled || entry.Stay.Nights() == 0:
		p.calendar.Free = append(p.calendar.Free, entry)
	default:
		p.hold(entry)
	}
}

func (p *parser) hold(e Entry) {
	key := held{e.UID, e.Stay}
	if i, ok := p.known[key]; ok {
		if e.Booked && !p.calendar.Entries[i].Booked {
			p.calendar.Entries[i] = e
		}
		return
	}
	if p.known == nil {
		p.known = map[held]int{}
	}
	p.known[key] = len(p.calendar.Entries)
	p.calendar.Entries = append(p.calendar.Entries, e)
}

// isEvent reports whether a component says when the listing is busy.
func isEvent(name string) bool {
	return slices.Contains([]string{"VEVENT", "VFREEBUSY", "VAVAILABILITY"}, name)
}

func component(prop *ics.BaseProperty) string { return strings.ToUpper(strings.TrimSpace(prop.Value)) }

// parse returns the name of a line in upper case, which golang-ical would look for anywhere in the line. The property is
// nil if the line is malformed.
func parse(line string) (name string, prop *ics.BaseProperty) {
	end := strings.IndexFunc(line, func(r rune) bool { return !isNameRune(r) })
	if end < 0 {
		end = len(line)
	}
	name = strings.ToUpper(line[:end])
	if len(line) > maxLine {
		if decidesNights(name) {
			return name, nil
		}
		line = line[:maxLine]
	}
	prop, err := ics.ParseProperty(ics.ContentLine(line))
	if err != nil {
		return name, nil
	}
	return name, prop
}

func isNameRune(r rune) bool {
	return r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}
