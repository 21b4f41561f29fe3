package ical

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rules in the forms that calendars use give the same hours as the time zone database.
func TestRulesOfZones(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		like        string
		first, last int
		texts       []string // of each observance: its offsets, its first time, and its rule or dates
	}{
		"Europe": {"Europe/Berlin", 1997, 2040, []string{
			"+0100 +0200 19810329T020000 RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "+0200 +0100 19961027T030000 RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
		}},
		"Outlook": {"Europe/Berlin", 1997, 2040, []string{
			"+0100 +0200 16010101T020000 RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3", "+0200 +0100 16010101T030000 RRULE:FREQ=YEARLY;WKST=MO;BYDAY=-1SU;BYMONTH=10",
		}},
		"days of the month": {"America/New_York", 2007, 2040, []string{
			"-0500 -0400 20070311T020000 RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8,9,10,11,12,13,14;BYDAY=SU",
			"-0400 -0500 20071104T020000 RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
		}},
		"from the end of the month": {"Europe/Berlin", 1997, 2040, []string{
			"+0100 +0200 19810329T020000 RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=-1,-2,-3,-4,-5,-6,-7;BYDAY=SU",
			"+0200 +0100 19961027T030000 RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
		}},
		"half hours": {"Australia/Adelaide", 2009, 2040, []string{
			"+0930 +1030 20081005T020000 RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=1SU", "+1030 +0930 20080406T030000 RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU",
		}},
		"a day of the year": {"Asia/Tehran", 2017, 2019, []string{
			"+0330 +0430 20170322T000000 RRULE:FREQ=YEARLY;UNTIL=20190322", "+0430 +0330 20170922T000000 RRULE:FREQ=YEARLY",
		}},
		"until": {"America/Sao_Paulo", 2009, 2050, []string{
			"-0300 -0200 20081019T000000 RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=3SU;UNTIL=20171015T030000Z", "-0300 -0200 20181104T000000",
			"-0200 -0300 20090215T000000 RRULE:FREQ=YEARLY;BYMONTH=2;BYDAY=3SU;UNTIL=20110220T000000", "-0200 -0300 20120226T000000",
			"-0200 -0300 20130217T000000 RRULE:FREQ=YEARLY;BYMONTH=2;BYDAY=3SU;UNTIL=20140216T020000Z", "-0200 -0300 20150222T000000",
			"-0200 -0300 20160221T000000 RRULE:FREQ=YEARLY;BYMONTH=2;BYDAY=3SU;UNTIL=20190217T020000Z",
		}},
		"dates": {"Africa/Cairo", 2016, 2024, []string{
			"+0200 +0300 20230428T000000 RDATE:20240426T000000", "+0300 +0200 20231027T000000 RDATE;VALUE=DATE-TIME:20241101T000000",
		}},
		"never again": {"Etc/GMT-1", 1982, 1984, []string{
			"+0100 +0200 19810329T020000 RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=00010101T000000", "+0200 +0100 19810927T030000",
		}},
		"seconds": {"Africa/Monrovia", 1960, 1980, []string{"-004430 +0000 19720107T000000"}},
	} {
		d := &definition{name: name}
		for _, text := range test.texts {
			d.observances = append(d.observances, observance{})
			part := strings.SplitN(text, " ", 4)
			lines := append([]string{"TZOFFSETFROM:" + part[0], "TZOFFSETTO:" + part[1], "DTSTART:" + part[2]}, part[3:]...)
			for _, line := range lines {
				key, prop := parse(line)
				d.add(false, key, prop)
			}
		}
		got, like := d.location(), zone(t, test.like)
		require.NotNil(t, got, name)
		for at := time.Date(test.first, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() <= test.last; at = at.Add(30 * time.Minute) {
			if offsetAt(at, got) != offsetAt(at, like) {
				assert.Equal(t, at.In(like).String(), at.In(got).String(), name)
				break
			}
		}
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}
