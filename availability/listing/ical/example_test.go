package ical_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
)

func ExampleRead() {
	feed := strings.NewReader("BEGIN:VCALENDAR\r\n" +
		"BEGIN:VEVENT\r\nUID:1@example.org\r\nDTSTART;VALUE=DATE:20270610\r\nDTEND;VALUE=DATE:20270614\r\n" +
		"SUMMARY:Reserved - Jane\r\nEND:VEVENT\r\n" +
		"BEGIN:VEVENT\r\nUID:2@example.org\r\nDTSTART:20270620T150000\r\nDTEND:20270622T110000\r\n" +
		"SUMMARY:Blocked\r\nEND:VEVENT\r\n" +
		"BEGIN:VEVENT\r\nUID:3@example.org\r\nDTSTART;VALUE=DATE:20270701\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\n" +
		"END:VCALENDAR\r\n")
	calendar, err := ical.Read(feed, time.UTC)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range calendar.Entries {
		fmt.Println(e.UID, e.Stay, e.Booked)
	}
	for _, p := range calendar.Problems {
		fmt.Println(p.UID, p.Kind, p.Detail)
	}

	_, err = ical.Read(strings.NewReader("<html>Bad gateway</html>"), time.UTC)
	var incomplete *ical.IncompleteError
	fmt.Println(errors.As(err, &incomplete))
	// Output:
	// 1@example.org 2027-06-10 to 2027-06-14 true
	// 2@example.org 2027-06-20 to 2027-06-22 false
	// 3@example.org RECURRING the event is a series
	// true
}

func ExampleWrite() {
	var text strings.Builder
	err := ical.Write(&text, "House by the sea", []ical.Event{{
		UID:      "evt_1@example.org",
		Stay:     dynastay.MustStay("2027-06-10", "2027-06-14"),
		Modified: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.ReplaceAll(text.String(), "\r\n", "\n"))
	// Output:
	// BEGIN:VCALENDAR
	// VERSION:2.0
	// PRODID:-//dynastay//availability of a listing//EN
	// CALSCALE:GREGORIAN
	// X-WR-CALNAME:House by the sea
	// BEGIN:VEVENT
	// UID:evt_1@example.org
	// DTSTAMP:20270102T030405Z
	// LAST-MODIFIED:20270102T030405Z
	// DTSTART;VALUE=DATE:20270610
	// DTEND;VALUE=DATE:20270614
	// SUMMARY:Not available
	// TRANSP:OPAQUE
	// END:VEVENT
	// END:VCALENDAR
}
