package ical

import (
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/dynastay/dynastay/internal/shown"
)

// zoneOf returns the time zone of a property: that of the listing if it names none. For a zone that is not known it
// returns nil, and the name for an error text.
func zoneOf(prop *ics.BaseProperty, listing *time.Location) (*time.Location, string) {
	var names []string
	for param, values := range prop.ICalParameters {
		if strings.EqualFold(param, "TZID") {
			names = append(names, values...)
		}
	}
	switch len(names) {
	case 0:
		return listing, ""
	case 1:
		return location(names[0]), shown.Truncated(oneLine(names[0]))
	}
	return nil, "of several"
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
