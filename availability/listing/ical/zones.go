package ical

import (
	"strings"
	"time"
)

// zones are the time zones of a calendar.
type zones struct {
	listing *time.Location
	found   map[string]*time.Location // by name; nil if it is not known
	defined map[string]*definition    // by name
	size    int                       // observances that are defined
}

func newZones(listing *time.Location) *zones {
	return &zones{listing: listing, found: map[string]*time.Location{}, defined: map[string]*definition{}}
}

// define keeps the first definition of a name that has an end.
func (z *zones) define(d *definition) {
	z.size += len(d.observances)
	if z.size <= maxObservances && z.defined[d.name] == nil {
		z.defined[d.name] = d
	}
}

// of returns the time zone of a property, which is that of the listing if it names none, and nil if it is not known.
func (z *zones) of(p *property) *time.Location {
	switch len(p.zones) {
	case 0:
		return z.listing
	case 1:
		return z.named(p.zones[0])
	}
	return nil
}

// named prefers a zone that is known to the one that the calendar defines, because many definitions are only right for
// the year in which they were written. An abbreviation such as EST means what the calendar says: it may have a summer.
func (z *zones) named(name string) *time.Location {
	if loc, ok := z.found[name]; ok {
		return loc
	}
	loc := location(name)
	if loc != nil && loc.String() == z.listing.String() {
		loc = z.listing
	}
	if d := z.defined[name]; d != nil && (loc == nil || !strings.Contains(name, "/") && windows[name] == "") {
		if defined := d.location(); defined != nil {
			loc = defined
		}
	}
	z.found[name] = loc
	return loc
}

// location returns nil for a name that is not known. If a name begins with '/', an application has put something before
// the name of the zone, which has at most three parts.
func location(name string) *time.Location {
	if iana, ok := windows[name]; ok {
		name = iana
	}
	if !strings.HasPrefix(name, "/") {
		return load(name)
	}
	parts := strings.Split(name, "/")
	for n := min(3, len(parts)); n > 0; n-- {
		if loc := load(strings.Join(parts[len(parts)-n:], "/")); loc != nil {
			return loc
		}
	}
	return nil
}

func load(name string) *time.Location {
	// To LoadLocation, "" is UTC, and "Local" is the zone of the machine that this process runs on.
	if name == "" || name == "Local" {
		return nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return loc
}
