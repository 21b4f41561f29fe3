package ical

import (
	"regexp"
	"slices"
)

const (
	calendarName = "VCALENDAR"
	maxDepth     = 8 // of components in components: a place in an alarm in an event in a calendar has 4
)

var (
	// events say when the listing is busy.
	events = []string{"VEVENT", "VFREEBUSY", "VAVAILABILITY"}
	// components are the others of RFC 5545, 7953 and 9073.
	components = []string{
		calendarName, "VTODO", "VJOURNAL", "VALARM", "VTIMEZONE", "STANDARD", "DAYLIGHT", "AVAILABLE", "PARTICIPANT",
		"VLOCATION", "VRESOURCE",
	}
	extension = regexp.MustCompile(`^X-[A-Z0-9-]+$`)
)

func isEvent(name string) bool { return slices.Contains(events, name) }

// isComponent reports whether a component has this name. Lines of a description may look like a BEGIN or END, such as
// "End: 11:00".
func isComponent(name string) bool {
	return isEvent(name) || slices.Contains(components, name) || extension.MatchString(name)
}
