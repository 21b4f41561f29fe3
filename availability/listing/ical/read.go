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

// Read reads the calendar of a listing. Zone is the time zone of the listing; nil means UTC. Several calendars in one
// text are read as one. Each line is read once, however long it is.
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
	cancels  []bool   // whether each METHOD of the open calendar is CANCEL
	events   []*event // of the open calendar
	zone     *definition
	zones    *zones // of the open calendar
	number   int    // of events
	calendar Calendar
	known    map[held]int // positions in calendar.Entries
}

type held struct {
	uid  string
	stay dynastay.Stay
}

func (p *parser) line(line string) error {
	name, prop := parse(line)
	component := ""
	if prop != nil {
		component = strings.ToUpper(strings.TrimSpace(prop.value))
	}
	switch {
	case name == "BEGIN" && isComponent(component):
		return p.begin(component)
	case name == "END" && isComponent(component):
		return p.end(component)
	case len(p.open) == 0:
		return &IncompleteError{"there is a line outside BEGIN:VCALENDAR and END:VCALENDAR"}
	case len(p.open) == 1 && name == "METHOD" && prop != nil:
		p.cancels = append(p.cancels, component == "CANCEL")
	case len(p.open) == 2 && isEvent(p.open[1]):
		p.events[len(p.events)-1].add(name, prop)
	case len(p.open) > 1 && p.open[1] == "VTIMEZONE" && prop != nil:
		p.zone.add(len(p.open) == 2, name, prop)
	}
	return nil
}

func (p *parser) begin(name string) error {
	if (name == calendarName) != (len(p.open) == 0) {
		return &IncompleteError{"BEGIN:VCALENDAR is not where a calendar begins"}
	}
	switch {
	case name == calendarName:
		p.zones, p.cancels, p.events = newZones(p.listing), nil, nil
	case isEvent(name):
		p.cut(1)
		if err := p.event(name, ""); err != nil {
			return err
		}
	case len(p.open) == maxDepth:
		return nil
	case name == "VTIMEZONE" && len(p.open) == 1:
		p.zone = &definition{}
	case len(p.open) == 2 && p.open[1] == "VTIMEZONE":
		p.zone.observances = append(p.zone.observances, observance{})
	}
	p.open = append(p.open, name)
	return nil
}

func (p *parser) event(component, broken string) error {
	if p.number++; p.number > MaxEntries {
		return &TooLargeError{Entries: MaxEntries}
	}
	p.events = append(p.events, &event{component: component, number: p.number, props: map[string][]*property{}, broken: broken})
	return nil
}

// end ends a component, and all that have begun in it. A line of a description may look like the end of an event; the
// END of that event, which follows, is a Problem then.
func (p *parser) end(name string) error {
	i := len(p.open) - 1
	for i >= 0 && p.open[i] != name {
		i--
	}
	switch {
	case len(p.open) == 0:
		return &IncompleteError{"an END does not match its BEGIN"}
	case i < 0 && isEvent(name):
		return p.event(name, "BEGIN:"+name+" is missing")
	case i < 0:
		return nil
	}
	p.cut(i + 1)
	p.open = p.open[:i]
	switch {
	case i == 1 && name == "VTIMEZONE":
		p.zones.define(p.zone)
	case i == 0:
		// METHOD concerns all events of the calendar, also those before it. A line of a description may look like another.
		for _, e := range p.events {
			p.keep(e, len(p.cancels) > 0 && !slices.Contains(p.cancels, false))
		}
		p.found = true
	}
	return nil
}

// cut ends the components from a depth on, because their END is missing.
func (p *parser) cut(depth int) {
	if len(p.open) <= depth {
		return
	}
	switch missing := p.open[len(p.open)-1]; {
	case len(p.open) > 1 && isEvent(p.open[1]):
		p.events[len(p.events)-1].broken = "END:" + missing + " is missing"
	case len(p.open) > 1 && p.open[1] == "VTIMEZONE":
		p.zone.broken = true
	}
	p.open = p.open[:depth]
}

func (p *parser) keep(e *event, cancelled bool) {
	entry, problem := e.read(cancelled, p.zones)
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
