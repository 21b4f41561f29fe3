package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/examples/report"
)

// draw draws the slots of the month: a week in a row, a morning and an afternoon for each day.
func (s *story) draw(ctx context.Context, found *report.Findings) error {
	days, err := s.hall.Availability(ctx, dynastay.MonthOf(july(1)))
	if err != nil {
		return err
	}
	found.Add("%s     Mo   Tu   We   Th   Fr   Sa   Su", days[0].Date.Time().Format("Jan 2006"))
	var numbers, slots string
	line := func() {
		found.Add("%s", strings.TrimRight("            "+numbers, " "))
		found.Add("%s", strings.TrimRight("            "+slots, " "))
		numbers, slots = "", ""
	}
	column := (int(days[0].Date.Weekday()) + 6) % 7 // Monday is the first one
	numbers, slots = strings.Repeat("     ", column), strings.Repeat("     ", column)
	for _, day := range days {
		numbers += fmt.Sprintf(" %2d  ", day.Date.Time().Day())
		slots += s.cell(day) + " "
		if column++; column == 7 {
			line()
			column = 0
		}
	}
	if column > 0 {
		line()
	}
	found.Add("morning and afternoon: ## booked  xx the hall's own  ·  free")
	for _, day := range days {
		for _, e := range day.Events {
			found.Add("%s %-9s  %s", e.Date, e.Slot, e.Title)
		}
	}
	return nil
}

// cell draws a day in four characters: two for the morning, two for the afternoon.
func (s *story) cell(day venue.Day) string {
	cell := ""
	for _, slot := range []venue.Slot{venue.Morning, venue.Afternoon} {
		mark := "· "
		for _, e := range day.Events {
			if e.Slot.Overlaps(slot) {
				mark = s.paint(e)
			}
		}
		cell += mark
	}
	return cell
}

// paint gives bookings and the hall's own events their marks and colours.
func (s *story) paint(e *venue.Event) string {
	mark, colour := "##", "\x1b[32m" // green
	if e.Type != venue.PrivateBooking {
		mark, colour = "xx", "\x1b[90m" // gray
	}
	if !s.colours {
		return mark
	}
	return colour + mark + "\x1b[0m"
}
