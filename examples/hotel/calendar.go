package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

// widest is the width of a drawn calendar, in characters. Longer ranges are drawn as blocks of whole weeks.
const widest = 107

// legend explains the signs of a calendar. It is printed above the first of them.
var legend = []string{
	"Rooms left on each date: 0 is sold out, -2 is overbooked by 2, × is taken off sale, · is not put on sale.",
	"A letter beside it: a is closed to arrival, d is closed to departure, b is closed to both.",
	"Below: each price, from its first date on. The bars show the share of the rooms that are sold.",
}

// draw returns the lines of a calendar: the legend, then two for each room type, with the rooms left and the prices,
// the occupancy, and the totals.
func draw(c *availability.Calendar, rooms []properties.RoomType) []string {
	s := &sheet{rooms: rooms, label: len("Occupancy")}
	for _, room := range rooms {
		s.label = max(s.label, utf8.RuneCountInString(room.Name))
	}
	s.label += 2
	s.cell = s.cellWidth(c.Days)
	lines := append(slices.Clone(legend), "")
	for _, days := range s.blocks(c.Days) {
		lines = append(lines, s.block(days)...)
	}
	t := c.Totals()
	total := fmt.Sprintf("%d of %d room nights sold (%.0f%%); %d left, %d off sale, %d overbooked",
		t.Sold, t.Rooms, 100*t.Occupancy(), t.Left, t.Closed, t.Overbooked)
	return append(lines, total)
}

// sheet is the layout of a calendar.
type sheet struct {
	rooms []properties.RoomType
	label int // width of the first column
	cell  int // width of a date: the text, aligned at the right, and one character for a mark
}

// cellWidth returns the width at which no number of rooms and no price touches the next one.
func (s *sheet) cellWidth(days []availability.Day) int {
	width := len("Mo ")
	for _, room := range s.rooms {
		for _, day := range days {
			width = max(width, utf8.RuneCountInString(left(day.Night(room.ID)))+1)
		}
		for _, run := range prices(days, room.ID) {
			if run.from+run.dates < len(days) {
				width = max(width, (len(run.price)+run.dates)/run.dates)
			}
		}
	}
	return width
}

// blocks splits the days where a week begins.
func (s *sheet) blocks(days []availability.Day) (all [][]availability.Day) {
	fit := max(7, (widest-s.label)/s.cell)
	for len(days) > fit {
		cut := fit
		for days[cut].Date.Weekday() != time.Monday {
			cut--
		}
		all = append(all, days[:cut])
		days = days[cut:]
	}
	return append(all, days)
}

// block draws days side by side.
func (s *sheet) block(days []availability.Day) []string {
	month := days[0].Date.Time().Format("Jan 2006")
	lines := []string{
		s.line(month, days, func(d availability.Day) string { return d.Date.Weekday().String()[:2] + " " }),
		s.line("", days, func(d availability.Day) string { return strconv.Itoa(d.Date.Time().Day()) + " " }),
	}
	for _, room := range s.rooms {
		lines = append(lines, "",
			s.line(room.Name, days, func(d availability.Day) string { return left(d.Night(room.ID)) + closed(d, room.ID) }),
			s.priceLine(days, room.ID))
	}
	return append(lines, "", s.line("Occupancy", days, bar), "")
}

func (s *sheet) line(label string, days []availability.Day, cell func(availability.Day) string) string {
	line := fmt.Sprintf("%-*s", s.label, label)
	for _, day := range days {
		line += fmt.Sprintf("%*s", s.cell, cell(day))
	}
	return strings.TrimRight(line, " ")
}

// left is the number of rooms left, or why none can be sold. An overbooking is shown even in a stop-sell.
func left(n *availability.Night) string {
	switch {
	case n == nil:
		return "·"
	case n.Available >= 0 && (n.StopSell || n.PropertyClosed):
		return "×"
	}
	return strconv.Itoa(n.Available)
}

// closed marks a date on which no stay may begin or end.
func closed(day availability.Day, roomTypeID string) string {
	night := day.Night(roomTypeID)
	arrival := night != nil && night.ClosedToArrival
	departure := slices.Contains(day.ClosedToDeparture, roomTypeID)
	switch {
	case arrival && departure:
		return "b"
	case arrival:
		return "a"
	case departure:
		return "d"
	}
	return " "
}

// priceRun is a number of dates with one price, or of dates that are not on sale.
type priceRun struct {
	from, dates int
	price       string
}

func prices(days []availability.Day, roomTypeID string) (runs []priceRun) {
	for i, day := range days {
		price := ""
		if night := day.Night(roomTypeID); night != nil {
			price = strings.TrimSuffix(night.Price.Amount(), ".00")
		}
		if n := len(runs); n > 0 && runs[n-1].price == price {
			runs[n-1].dates++
			continue
		}
		runs = append(runs, priceRun{i, 1, price})
	}
	return runs
}

// priceLine draws each price below the first of its dates.
func (s *sheet) priceLine(days []availability.Day, roomTypeID string) string {
	line := strings.Repeat(" ", s.label+s.cell-len("Mo "))
	for _, run := range prices(days, roomTypeID) {
		line += fmt.Sprintf("%-*s", run.dates*s.cell, run.price)
	}
	return strings.TrimRight(line, " ")
}

var bars = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// bar is the height of a day's occupancy: none if nothing is sold, and the full height only if everything is.
func bar(day availability.Day) string {
	sold := min(day.Totals().Occupancy(), 1)
	if sold <= 0 { // below 0 if other software stored more rooms left than rooms
		return " "
	}
	return strings.Repeat(bars[int(sold*7)], 2) + " "
}
