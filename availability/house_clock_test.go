package availability_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// After midnight, a stay may begin on the date that the property still works on, until the end of the date after it. In Santiago,
// 6 September 2026 begins at 01:00.
func TestBusinessDate(t *testing.T) {
	t.Parallel()
	for zone, midnight := range map[string]string{"": "2026-09-06T00:00:00Z", "America/Santiago": "2026-09-06T04:00:00Z"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			began, err := time.Parse(time.RFC3339, midnight) // the 6th at the property
			require.NoError(t, err)
			before, today, after := date("2026-09-05"), date("2026-09-06"), date("2026-09-07")
			db := dyntest.New(t, inventoryTables, dyntest.At(began))
			repo := availability.New(db.DB)
			for _, day := range []string{"2026-09-04", "2026-09-05", "2026-09-06", "2026-09-07"} {
				putNights(t, db, night(roomTypeID, day))
			}
			quote := func(checkIn, business dynastay.Date) (*availability.Quote, error) {
				req := request(dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(1)}, room(roomTypeID, 1))
				req.Property.TimeZone, req.BusinessDate = zone, business
				q, err := repo.Quote(t.Context(), req)
				invalid := req.Validate(db.Clock.Now())
				assert.Equal(t, err == nil, invalid == nil, "%v, %v", err, invalid)
				return q, err
			}
			refused := func(checkIn, business dynastay.Date, field string) {
				t.Helper()
				stop := db.Faults.Record()
				_, err := quote(checkIn, business)
				blame.Invalid(t, err, field)
				assert.Empty(t, stop())
			}
			none := dynastay.Date{}
			refused(before, none, "Stay.CheckIn")
			refused(before, today, "Stay.CheckIn")
			refused(before.AddDays(-1), before, "Stay.CheckIn")
			refused(before.AddDays(-1), before.AddDays(-1), "BusinessDate")
			refused(after, after, "BusinessDate")
			for _, checkIn := range []dynastay.Date{before, today, after} {
				q, err := quote(checkIn, before)
				require.NoError(t, err)
				assert.Equal(t, before, q.BusinessDate)
				assert.Equal(t, q, q.Clone())
				assert.NoError(t, q.Validate(), "regardless of the time")
				assert.NoError(t, q.Current(began))
			}
			q, err := quote(before, before)
			require.NoError(t, err)
			db.Clock.Set(began.Add(-time.Millisecond)) // still the 5th
			early, err := quote(before, before)
			require.NoError(t, err)
			refused(before, before.AddDays(1), "BusinessDate")
			end := began.Add(24 * time.Hour)
			if zone != "" {
				end = began.Add(23 * time.Hour) // the day has no first hour
			}
			for _, one := range []*availability.Quote{q, early} {
				assert.NoError(t, one.Current(began.Add(-time.Millisecond)))
				assert.NoError(t, one.Current(end.Add(-time.Millisecond)))
				blame.Invalid(t, one.Current(end), "BusinessDate")
			}
			plain := q.Clone()
			plain.BusinessDate = none
			blame.Invalid(t, plain.Current(began), "Stay.CheckIn")
		})
	}
}

// The windows and discounts of a plan count from the business date.
func TestDaysAheadOfTheBusinessDate(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.At(fixture.Now)) // 1 June, 12:00
	repo := availability.New(db.DB)
	for _, day := range []string{"2026-05-31", "2026-06-01", "2026-06-02"} {
		putNights(t, db, night(roomTypeID, day))
	}
	none := 0
	for _, test := range []struct {
		name       string
		conditions availability.RateConditions
		checkIn    string
		sold       [2]bool // without a business date, and on that of yesterday
	}{
		{"on the same day", availability.RateConditions{MaxDaysAhead: &none}, "2026-05-31", [2]bool{false, true}},
		{"on the same day, a day ahead", availability.RateConditions{MaxDaysAhead: &none}, "2026-06-01", [2]bool{true, false}},
		{"a day ahead", availability.RateConditions{MinDaysAhead: 1}, "2026-06-01", [2]bool{false, true}},
	} {
		for i, business := range []dynastay.Date{{}, date("2026-05-31")} {
			in := date(test.checkIn)
			req := request(dynastay.Stay{CheckIn: in, CheckOut: in.AddDays(1)}, room(roomTypeID, 1))
			req.BusinessDate = business
			req.Guests = availability.Guests{Adults: 1}
			req.RatePlans = []availability.RatePlan{{
				ID: "desk", PropertyID: req.Property.ID, Name: "Desk", Active: true, Derived: &availability.Derivation{}, Conditions: test.conditions,
			}}
			req.Rooms[0].RatePlanID = "desk"
			_, err := repo.Quote(t.Context(), req)
			assert.Equal(t, test.sold[i], err == nil, "%s, %s: %v", test.name, business, err)
		}
	}
}
