package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/examples/report"
)

// names are the names of the listings, in the order of their rows.
var names = []struct{ id, name string }{{loft, "Loft"}, {garden, "Garden house"}, {sea, "Sea view"}}

// marks say at the beginning of a bar where a booking was made.
var marks = map[listing.Source]string{
	listing.Localstays: "L", listing.BookingCom: "B", listing.Airbnb: "A", listing.Other: "O", listing.HostClosed: "x",
}

var legend = []string{
	"L booked here  B Booking.com  A Airbnb  x blocked  · free  * today",
	"[ check-in, after noon  ] check-out, before noon  < since last month  > until next month",
}

// draw draws the month of all listings of the host, read with one list. It reads a night more on each side, because a
// bar may begin before the month and end after it.
func (s *story) draw(ctx context.Context, found *report.Findings) error {
	today := dynastay.DateOf(s.today, s.zone)
	month := dynastay.MonthOf(today)
	around := dynastay.Stay{CheckIn: month.CheckIn.AddDays(-1), CheckOut: month.CheckOut.AddDays(1)}
	held := map[string]map[dynastay.Date]*listing.Night{}
	for night, err := range s.calendar.ByHostBetween(hostID, around).All(ctx) {
		if err != nil {
			return err
		}
		if held[night.ListingID] == nil {
			held[night.ListingID] = map[dynastay.Date]*listing.Night{}
		}
		held[night.ListingID][night.Date] = night
	}
	weekdays, days := "", ""
	for date := range month.Dates() {
		weekdays += date.Weekday().String()[:2] + " "
		day := fmt.Sprintf("%2d ", date.Time().Day())
		if date == today {
			day = strings.Replace(day, " ", "*", 1)
		}
		days += day
	}
	found.Add("%-13s%s", today.Time().Format("Jan 2006"), strings.TrimRight(weekdays, " "))
	found.Add("%-13s%s", "", strings.TrimRight(days, " "))
	for _, l := range names {
		found.Add("%-13s%s", l.name, s.row(month, held[l.id]))
	}
	for _, line := range legend {
		found.Add("%s", line)
	}
	for _, l := range names {
		booked, blocked := 0, 0
		for date := range month.Dates() {
			switch night := held[l.id][date]; {
			case night == nil:
			case night.Kind == listing.KindBooking:
				booked++
			default:
				blocked++
			}
		}
		found.Add("%-13s%2d nights booked  %2d blocked  %2d free", l.name, booked, blocked, month.Nights()-booked-blocked)
	}
	return nil
}

// row draws the nights of a listing. A date has three characters: in the first one a stay ends, in the second one
// another begins, so that a check-out and a check-in on the same date are next to each other.
func (s *story) row(month dynastay.Stay, held map[dynastay.Date]*listing.Night) string {
	row := ""
	for date := month.CheckIn; !date.After(month.CheckOut); date = date.AddDays(1) {
		before, night := held[date.AddDays(-1)], held[date]
		goesOn := before != nil && night != nil && before.EventID == night.EventID
		last := date == month.CheckOut
		switch {
		case before == nil:
			row += " "
		case goesOn && date == month.CheckIn:
			row += s.paint("<", night)
		case goesOn && last:
			row += s.paint(">", before)
		case date == month.CheckIn:
			row += " " // a stay of last month
		case goesOn:
			row += s.paint(line(night), night)
		default:
			row += s.paint("]", before)
		}
		switch {
		case last: // the night belongs to the next month
		case night == nil:
			row += "· "
		case goesOn && date != month.CheckIn:
			row += s.paint(line(night)+line(night), night)
		case goesOn:
			row += s.paint(marks[night.Source]+line(night), night)
		default:
			row += s.paint("["+marks[night.Source], night)
		}
	}
	return strings.TrimRight(row, " ")
}

// line is what a bar consists of: bookings of double lines, blocks of single ones.
func line(night *listing.Night) string {
	if night.Kind == listing.KindBlock {
		return "-"
	}
	return "="
}

// paint gives bookings and blocks their colours.
func (s *story) paint(text string, night *listing.Night) string {
	if !s.colours {
		return text
	}
	colour := "\x1b[32m" // green
	if night.Kind == listing.KindBlock {
		colour = "\x1b[90m" // gray
	}
	return colour + text + "\x1b[0m"
}
