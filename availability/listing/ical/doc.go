// Package ical reads and writes the calendars in which channels such as Airbnb, Booking.com and Vrbo publish the nights
// on which a listing is not available: iCalendar (RFC 5545), a text that is fetched again and again.
//
//	calendar, err := ical.Read(response.Body, zone)
//	var incomplete *ical.IncompleteError
//	if errors.As(err, &incomplete) { … } // an error page, or half of a calendar: keep what you had
//
// # What an entry holds
//
// [Read] divides the events of a feed into three lists. An event of [Calendar.Entries] holds nights. One of
// [Calendar.Free] holds none, and says so. [Calendar.Problems] could not be read; a problem is no permission to free
// nights. Nothing is left out. If Read is in doubt, it holds a night too many, because a night that is free by mistake
// is sold twice.
//
//	Event                                          Nights
//	dates 10 to 13                                 10, 11, 12
//	date 10, without an end or with end 10         10
//	10th 15:00 to 13th 11:00                       10, 11, 12, in the time zone of the listing
//	10th 00:00 to 12th 23:59                       10, 11, 12: an end in the last minute of a day is midnight
//	10th 11:00 to 10th 14:00                       none, such as a cleaning: Free
//	10th 15:00, without an end or with the same    10
//	10th 00:00 to 13th 00:00 in another zone       10, 11, 12, as it is written: these are whole days
//	9th 23:00 to 12th 23:00, in UTC                9, 10, 11, 12: it may be midnight where the event was written
//	times in a zone that is not known              also the nights before and after
//	STATUS:CANCELLED, or METHOD:CANCEL             none: Free
//	STATUS:TENTATIVE                               as if it were confirmed
//	TRANSP:TRANSPARENT                             as if it were opaque
//	RRULE or RDATE                                 Problem: occurrences are not expanded
//	RECURRENCE-ID                                  its own dates; if it is cancelled, Problem
//	DURATION                                       as the end; both DTEND and DURATION: Problem
//	an end before the start                        Problem
//	dates 10 to 31 December 2099                   all of them: the reader decides how far ahead it looks
//	VFREEBUSY, VAVAILABILITY                       Problem: they say when the listing is busy, in another form
//	VTODO, VJOURNAL, VALARM, X-…                   not an event
//
// Transparent events hold nights because calendar applications make an event of a whole day transparent unless its
// author asks for something else. A host who closes a week in such an application sees a closed week.
//
// Times without a zone are times in the zone of the listing. A TZID is a name of the IANA time zone database, with or
// without the prefix of an application (/example.org/2025/Europe/Rome), or a name that Windows uses, or else that of a
// VTIMEZONE in the calendar, such as "Customized Time Zone". If it is none of these, or the VTIMEZONE has rules that
// Read does not know, the zone is not known.
//
// An event that begins and ends at midnight, or in the last minute of a day, is one of whole days, whatever its zone
// and that of the listing. Many applications write whole days as midnights in UTC. If such an event were moved to the
// clocks of the listing, the days of a listing in America would all begin a night early, and its last night would be
// sold again.
//
// Where clocks are put forward at midnight, that midnight does not exist. It is the beginning of its day nevertheless,
// in whatever form it is written. Where they are put back, 24 hours from midnight on are a night although they end at
// 23:00.
//
// # Malformed calendars
//
// Some exporters do not escape the line breaks of a description, so that its lines look like lines of the event. BEGIN
// and END count only with the name of a component, so "End: 11:00" is nothing. An event in which a component lacks its
// END, or which has two starts, is one Problem, and the others are read. Where STATUS or METHOD are there twice, both
// have to cancel.
//
// # Guests
//
// An event is a reservation ([Entry.Booked]) only if the channel says so, because channels write events of many other
// kinds: nights that the host closed, nights outside the booking window, and nights that were booked elsewhere, perhaps
// in the very calendar that the feed is read for.
//
//	Feed                 Summary                         Booked   ReservationID
//	Airbnb               Reserved, with a URL            yes      from the URL in the description
//	Airbnb, formerly     Jane Doe (HMABCDEF12)           yes      HMABCDEF12
//	Airbnb               Airbnb (Not available)          no
//	Booking.com          CLOSED - Not available          no: it writes this for reservations too
//	Vrbo, HomeAway       Reserved - Jane                 yes
//	Vrbo, HomeAway       Blocked                         no
//	others               Reserved, or Reserved - …       yes, also in other languages: Reserviert, Réservé, Reservado …
//	others               anything else, or nothing       no
//
// # Personal data
//
// Feeds contain names of guests, digits of their telephone numbers and whatever a host writes. Of all that, an Entry
// has only Summary, which may be a guest's name: treat it as personal data, or drop it. Descriptions, locations and
// attendees are not kept, and neither [Problem] nor an error quotes them. [Write] takes no texts of events, so that a
// published calendar cannot contain a guest's data.
//
// # The library for the format
//
// Lines are unfolded, escaped and folded by github.com/arran4/golang-ical. Read parses them and puts them together
// itself: the parser of the library accepts a calendar that ends before END:VCALENDAR, gives up the whole calendar for
// one malformed line, and takes a time for a line that grows with the square of its length.
package ical
