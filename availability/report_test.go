package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/availability"
)

// A later report replaces the entries that it has, and no others.
func TestReportMerge(t *testing.T) {
	t.Parallel()
	entry := func(day string, departure bool, result availability.Result) availability.DateReport {
		return availability.DateReport{RoomTypeID: roomTypeID, Date: date(day), Departure: departure, Result: result}
	}
	first := availability.Report{Dates: []availability.DateReport{
		entry("2026-07-10", true, availability.Unknown), entry("2026-07-10", false, availability.Unknown), entry("2026-07-11", false, availability.Written),
	}}
	later := availability.Report{Dates: []availability.DateReport{
		entry("2026-07-10", false, availability.Written), entry("2026-07-12", false, availability.Written),
	}}
	assert.Equal(t, []availability.DateReport{
		entry("2026-07-10", true, availability.Unknown), entry("2026-07-10", false, availability.Written), entry("2026-07-11", false, availability.Written),
	}, first.Merge(later).Dates)
	assert.Equal(t, 2, first.Count(availability.Unknown), "the first report is not changed")
}
