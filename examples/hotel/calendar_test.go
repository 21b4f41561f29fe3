package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

// calendarOf returns dates on which every room type has four rooms at 90 USD, and 120.50 USD on Fridays and Saturdays.
func calendarOf(dates dynastay.Stay, rooms []properties.RoomType) *availability.Calendar {
	c := &availability.Calendar{}
	for date := range dates.Dates() {
		day := availability.Day{Date: date}
		for _, room := range rooms {
			price := usd("90.00")
			if weekend.Has(date) {
				price = usd("120.50")
			}
			day.Nights = append(day.Nights, availability.Night{RoomTypeID: room.ID, Date: date, Total: 4, Available: 4, Price: price})
		}
		c.Days = append(c.Days, day)
	}
	return c
}

func TestDraw(t *testing.T) {
	t.Parallel()
	rooms := []properties.RoomType{{ID: "a", Name: "Attic"}, {ID: "b", Name: "Blue Room"}}
	c := calendarOf(dynastay.MustStay("2026-06-01", "2026-06-12"), rooms)
	attic := func(i int) *availability.Night { return &c.Days[i].Nights[0] }
	c.Days[0].Nights = c.Days[0].Nights[1:] // not open
	c.Days[1].Nights = c.Days[1].Nights[1:]
	c.Days[1].ClosedToDeparture = []string{"a", "b"}
	attic(2).StopSell = true
	attic(3).Available = 0
	attic(4).Available = -1
	attic(5).Available, attic(5).StopSell = -2, true // the overbooking matters more
	attic(6).ClosedToArrival = true
	c.Days[7].ClosedToDeparture = []string{"a"}
	attic(8).ClosedToArrival = true
	c.Days[8].ClosedToDeparture = []string{"a"}
	attic(9).ClosedToDeparture = true // about the next date
	c.Days[10].ClosedToDeparture = []string{"a"}
	c.Days[10].Nights[0].PropertyClosed, c.Days[10].Nights[1].PropertyClosed = true, true
	for i := range 8 {
		c.Days[i].Nights[len(c.Days[i].Nights)-1].Available = 4 - min(4, i)
	}
	attic(7).Available = 0
	c.Days[10].Nights[1].Available = 0

	assert.Equal(t, strings.Trim(`
Rooms left on each date: 0 is sold out, -2 is overbooked by 2, × is taken off sale, · is not put on sale.
A letter beside it: a is closed to arrival, d is closed to departure, b is closed to both.
Below: each price, from its first date on. The bars show the share of the rooms that are sold.

Jun 2026    Mo  Tu  We  Th  Fr  Sa  Su  Mo  Tu  We  Th
             1   2   3   4   5   6   7   8   9  10  11

Attic        ·   ·d  ×   0  -1  -2   4a  0d  4b  4   ×d
                    90      120.50  90

Blue Room    4   3d  2   1   0   0   0   0   4   4   ×
            90              120.50  90

Occupancy       ▂▂  ▂▂  ▇▇  ██  ██  ▄▄  ██          ▄▄

45 of 80 room nights sold (56%); 30 left, 8 off sale, 3 overbooked
`, "\n"), strings.Join(draw(c, rooms), "\n"))
}

// No number touches the next one.
func TestDrawLargeNumbers(t *testing.T) {
	t.Parallel()
	rooms := []properties.RoomType{{ID: "a", Name: "Bed"}}
	c := calendarOf(dynastay.MustStay("2026-06-02", "2026-06-04"), rooms)
	c.Days[0].Nights[0].Available, c.Days[1].Nights[0].Available = 1200, 7
	assert.Equal(t, "Bed        1200    7", draw(c, rooms)[len(legend)+4])
}

// A month that is wider than a page is drawn as blocks of whole weeks, each with its prices.
func TestDrawInBlocks(t *testing.T) {
	t.Parallel()
	rooms := []properties.RoomType{{ID: "a", Name: "The Room Above the Door"}}
	lines := draw(calendarOf(dynastay.MustStay("2026-07-01", "2026-08-01"), rooms), rooms)
	assert.Equal(t, strings.Trim(`
Rooms left on each date: 0 is sold out, -2 is overbooked by 2, × is taken off sale, · is not put on sale.
A letter beside it: a is closed to arrival, d is closed to departure, b is closed to both.
Below: each price, from its first date on. The bars show the share of the rooms that are sold.

Jul 2026                  We  Th  Fr  Sa  Su  Mo  Tu  We  Th  Fr  Sa  Su  Mo  Tu  We  Th  Fr  Sa  Su
                           1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19

The Room Above the Door    4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4
                          90      120.50  90                  120.50  90                  120.50  90

Occupancy

Jul 2026                  Mo  Tu  We  Th  Fr  Sa  Su  Mo  Tu  We  Th  Fr
                          20  21  22  23  24  25  26  27  28  29  30  31

The Room Above the Door    4   4   4   4   4   4   4   4   4   4   4   4
                          90              120.50  90                  120.50

Occupancy

0 of 124 room nights sold (0%); 124 left, 0 off sale, 0 overbooked
`, "\n"), strings.Join(lines, "\n"))
}
