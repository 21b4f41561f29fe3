package bookings_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

// Both lists contain what a look at every booking finds, whatever the dates and the pages.
func TestInHouseAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(seedOf(t), 0))
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	repo, all := bookings.New(db.DB, nil), randomBookings(draw, 150)
	load(t, db, bookings.Options{}, all)
	found := 0
	for _, propertyID := range listProperties {
		var there []bookings.InHouse
		for _, b := range all {
			if b.PropertyID == propertyID && b.Status == bookings.CheckedIn {
				there = append(there, bookings.InHouse{BookingID: b.ID, CheckOut: b.Stay.CheckOut})
			}
		}
		slices.SortFunc(there, func(a, b bookings.InHouse) int {
			return cmp.Or(a.CheckOut.Compare(b.CheckOut), strings.Compare(a.BookingID, b.BookingID))
		})
		require.Equal(t, there, lists.Paged(t, repo.InHouse(propertyID), 1+draw.IntN(10)))
		for _, from := range []dynastay.Date{{}, today.AddDays(-1), today, today.AddDays(1)} {
			for _, to := range []dynastay.Date{{}, today.AddDays(2), today.AddDays(40)} {
				var leaving []bookings.InHouse
				for _, one := range there {
					if within(one.CheckOut, from, to) {
						leaving = append(leaving, one)
					}
				}
				q := bookings.CheckOutQuery{PropertyID: propertyID, From: from, To: to}
				require.Equal(t, leaving, lists.Paged(t, repo.Departures(q), 1+draw.IntN(10)), "%+v", q)
				found += len(leaving)
			}
		}
	}
	assert.Positive(t, found)
}

// Guests are in the list from their arrival to their departure, whatever the desk takes back, and at the date on which they now
// leave.
func TestInHouseFollowsTheBooking(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	at := func(day int) { i.Clock.Set(time.Date(2026, 7, day, 12, 0, 0, 0, time.UTC)) }
	b := i.book(t, twoNights, rooms{"a": 1}) // from 10 to 12 July
	other := i.next(t)                       // another property, whose guests are in no list of this one
	away := other.book(t, twoNights, rooms{"a": 1})
	at(10)
	_, err := other.repo.CheckIn(t.Context(), away.ID, nil)
	require.NoError(t, err)

	for _, step := range []struct {
		name string
		day  int
		do   func() error
		out  string // the date of departure, or "" if nobody is there
	}{
		{"booked", 10, func() error { return nil }, ""},
		{"check in", 10, func() error { _, err := i.repo.CheckIn(t.Context(), b.ID, nil); return err }, "2026-07-12"},
		{"undo the check-in", 10, func() error { _, err := i.repo.UndoCheckIn(t.Context(), b.ID); return err }, ""},
		{"no-show", 11, func() error { _, err := i.repo.NoShow(t.Context(), b.ID); return err }, ""},
		{"reinstate", 11, func() error { _, err := i.repo.Reinstate(t.Context(), b.ID); return err }, "2026-07-12"},
		{"stay longer", 11, func() error {
			later := dynastay.Stay{CheckIn: twoNights.CheckIn, CheckOut: dynastay.MustDate("2026-07-14")}
			_, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, later, rooms{"a": 1}))
			return err
		}, "2026-07-14"},
		{"too long", 15, func() error { return nil }, "2026-07-14"},
		{"check out", 15, func() error { _, err := i.repo.CheckOut(t.Context(), b.ID); return err }, ""},
		{"undo the check-out", 15, func() error { _, err := i.repo.UndoCheckOut(t.Context(), b.ID); return err }, "2026-07-14"},
	} {
		at(step.day)
		require.NoError(t, step.do(), step.name)
		var want []bookings.InHouse
		if step.out != "" {
			want = []bookings.InHouse{{BookingID: b.ID, CheckOut: dynastay.MustDate(step.out)}}
		}
		assert.Equal(t, want, lists.All(t, i.repo.InHouse(i.id)), step.name)
		tomorrow := dynastay.DateOf(i.Clock.Now(), time.UTC).AddDays(1)
		var leaving []bookings.InHouse
		if step.out != "" && want[0].CheckOut.Before(tomorrow) {
			leaving = want
		}
		assert.Equal(t, leaving, lists.All(t, i.repo.Departures(bookings.CheckOutQuery{PropertyID: i.id, To: tomorrow})), step.name)
		checkDerived(t, i.DB, b.ID, b.Reference)
	}
	assert.Len(t, lists.All(t, other.repo.InHouse(other.id)), 1)
}

// Invalid arguments are refused before any request.
func TestInHouseRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables)
	repo := bookings.New(db.DB, nil)
	stop := db.Faults.Record()
	for _, test := range []struct {
		list  dynastay.List[bookings.InHouse]
		field string
	}{
		{repo.InHouse(""), "PropertyID"},
		{repo.InHouse("prop#1"), "PropertyID"},
		{repo.Departures(bookings.CheckOutQuery{From: today, To: today.AddDays(1)}), "PropertyID"},
		{repo.Departures(bookings.CheckOutQuery{PropertyID: "prop_1", From: today, To: today}), "To"},
		{repo.Departures(bookings.CheckOutQuery{PropertyID: "prop_1", From: today, To: today.AddDays(-1)}), "To"},
	} {
		_, err := test.list.Page(t.Context(), dynastay.Paging{})
		blame.Invalid(t, err, test.field)
	}
	assert.Empty(t, stop())
}

// A page costs the same however many guests leave later, have left, or have not arrived.
func TestCostOfInHouse(t *testing.T) {
	t.Parallel()
	const page = 50
	db := dyntest.New(t, bookingTables)
	repo := bookings.New(db.DB, nil)
	measure := func() dyntest.Cost {
		return db.Measure(func() {
			got, err := repo.Departures(bookings.CheckOutQuery{PropertyID: "prop_1", To: today.AddDays(1)}).Page(t.Context(), dynastay.Paging{})
			require.NoError(t, err)
			assert.Len(t, got.Items, page)
		}).Cost
	}
	fill := func(n int, out dynastay.Date, status bookings.Status) {
		var all []*bookings.Booking
		for range n {
			all = append(all, booking(db.NewID("bkg_"), dynastay.Stay{CheckIn: out.AddDays(-1), CheckOut: out}, status))
		}
		load(t, db, bookings.Options{}, all)
	}
	fill(page, today, bookings.CheckedIn)
	few := measure()
	assert.Equal(t, 1, few.Requests)
	if db.Has(dyntest.ExactUnits) {
		assert.Equal(t, 1.0, few.ReadUnits, "50 times the keys, of about 130 bytes")
	}
	fill(page, today.AddDays(1), bookings.CheckedIn)
	for _, status := range statuses {
		if status != bookings.CheckedIn {
			fill(page/5, today, status)
		}
	}
	assert.Equal(t, few, measure())
}
