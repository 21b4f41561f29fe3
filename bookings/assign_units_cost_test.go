package bookings_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// What units cost, with drawn ids: the booking has between 1 and 2 KB, which is 4 units in a transaction, its line and a unit up to
// 1 KB, and so has a month of a unit that is booked by few guests. A check of an item costs as much as a write.
func TestCostOfUnits(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: moving()}))
	l := &life{db, fixture.New(t, db.Direct, 500), bookings.New(db.DB, nil)}
	costs := page.Costs{DB: db}
	month := dynastay.MonthOf(fixture.Stay.CheckIn)
	l.hotel.Open(t, db.Direct, availability.OpenRequest{
		PropertyID: l.hotel.ID, RoomTypeID: l.hotel.RoomTypeID, Nights: month, Rooms: 500, Price: fixture.Price,
	})
	repo, direct := units.New(db.DB), bookings.New(db.Direct, nil)
	var all []units.Unit
	for n := range 500 {
		all = append(all, units.Unit{PropertyID: l.hotel.ID, ID: fmt.Sprint(100 + n), RoomTypeID: l.hotel.RoomTypeID, Floor: fmt.Sprint(1 + n/100)})
	}
	do := func(err error) { require.NoError(t, err) }
	measure := func(what, why string, want dyntest.Bill, f func()) { costs.Measure(t, what, why, want, f) }
	measure("create 500 units", "2 for each, in 10 transactions, and 2 for each check that the property has the room type, once a transaction",
		dyntest.Bill{Requests: 11, ReadUnits: 1, TableUnits: 1020}, func() {
			_, err := repo.CreateAll(t.Context(), all)
			do(err)
		})
	measure("list 500 units", "about 280 bytes each, in pages", dyntest.Bill{Requests: 4, ReadUnits: 17.5}, func() {
		for _, err := range repo.List(l.hotel.ID).All(t.Context()) {
			do(err)
		}
	})
	measure("housekeeping of a unit", "as a delta, in a transaction of one action: it need not be read",
		dyntest.Bill{Requests: 1, TableUnits: 2}, func() {
			do(repo.SetHousekeeping(t.Context(), l.hotel.ID, "100", units.Inspected, "staff_7"))
		})
	first, second, whole := l.book(t, fixture.Stay, 1), l.book(t, fixture.Stay, 1), l.book(t, month, 1)
	measure("assign a unit for three nights", "the booking, its line, the month of the unit, and a check of the unit",
		dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4 + 2 + 2 + 2}, func() {
			_, err := l.repo.AssignUnits(t.Context(), first.ID, l.to("100"))
			do(err)
		})
	measure("assign a unit that somebody has", "the transaction fails; both bookings are read, to see who has it. DynamoDB also charges for the transaction",
		dyntest.Bill{Requests: 4, ReadUnits: 3}, func() {
			_, err := l.repo.AssignUnits(t.Context(), second.ID, l.to("100"))
			require.Error(t, err)
		})
	measure("assign a unit for a month of 31 nights", "the month has between 1 and 2 KB",
		dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4 + 2 + 4 + 2}, func() {
			_, err := l.repo.AssignUnits(t.Context(), whole.ID, l.to("101"))
			do(err)
		})
	measure("move guests to another unit", "two months of units, and a check of the other unit",
		dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4 + 2 + 2 + 2 + 2}, func() {
			_, err := l.repo.MoveUnit(t.Context(), first.ID, bookings.UnitMove{From: "100", To: "102"})
			do(err)
		})
	_, err := direct.AssignUnits(t.Context(), second.ID, l.to("103"))
	do(err)
	measure("swap the units of two bookings", "both bookings with their lines, two months of units, and both units are checked",
		dyntest.Bill{Requests: 3, ReadUnits: 2, TableUnits: 2*(4+2) + 2*2 + 2*2}, func() {
			_, err := l.repo.SwapUnits(t.Context(), bookings.UnitSwap{
				A: bookings.UnitOf{BookingID: first.ID, UnitID: "102"}, B: bookings.UnitOf{BookingID: second.ID, UnitID: "103"},
			})
			do(err)
		})
	measure("unassign a unit", "no unit is checked", dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4 + 2 + 2}, func() {
		_, err := l.repo.UnassignUnits(t.Context(), second.ID, nil)
		do(err)
	})
	measure("cancel a booking with a unit", "2 more than without, for the month of the unit",
		dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4 + 3*2 + 2, IndexUnits: 8}, func() {
			_, err := l.repo.Cancel(t.Context(), first.ID, "", nil)
			do(err)
		})
	measure("unassigned arrivals", "the arrivals, and the month of two units",
		dyntest.Bill{Requests: 2, ReadUnits: 1.5}, func() {
			got, err := l.repo.Unassigned(t.Context(), l.hotel.ID, fixture.Stay.CheckIn)
			do(err)
			assert.Len(t, got, 1)
		})
	measure("retire a unit", "the unit is read and written twice, and 26 months are read, most of which do not exist",
		dyntest.Bill{Requests: 5, ReadUnits: 28, TableUnits: 2}, func() {
			_, err := l.repo.RetireUnit(t.Context(), availability.House{ID: l.hotel.ID}, "104")
			do(err)
		})
	house := availability.House{ID: l.hotel.ID}
	out := bookings.OutOfOrder{UnitID: "105", ID: "w1", Nights: fixture.Stay, Reason: "window broken", By: "staff_7"}
	measure("take a unit out of order for three nights", "the unit, its month, and three nights with their index",
		dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 2 + 2 + 3*2, IndexUnits: 3}, func() {
			_, err := l.repo.TakeOutOfOrder(t.Context(), house, out)
			do(err)
		})
	measure("take a unit out of order that somebody has",
		"the transaction fails; then the unit, the month, the booking and the nights are read. DynamoDB also charges for the transaction",
		dyntest.Bill{Requests: 6, ReadUnits: 5}, func() {
			refused := out
			refused.UnitID = "101"
			_, err := l.repo.TakeOutOfOrder(t.Context(), house, refused)
			require.ErrorAs(t, err, new(*units.TakenError))
		})
	measure("put a unit back", "what was written when it was taken out of order",
		dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 2 + 2 + 3*2, IndexUnits: 3}, func() {
			_, err := l.repo.EndOutOfOrder(t.Context(), house, bookings.OutOfOrderEnd{UnitID: "105", ID: "w1", By: "staff_7"})
			do(err)
		})
	for n := range 500 {
		id := fmt.Sprint(100 + n)
		if id == "101" {
			continue
		}
		days := units.NewDays(l.hotel.ID)
		for date := range month.Dates() {
			days.Take(units.Night{UnitID: id, Date: date}, units.Occupant{BookingID: fmt.Sprintf("bkg_01KWCM4G00Y8P2HT11B8Y%05d", n), Line: 1})
		}
		do(db.Direct.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: "take", Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			return struct{}{}, days.AddTo(tx)
		}})))
	}
	measure("the room plan of a month, 500 units", "about 1.2 KB each, consistently", dyntest.Bill{Requests: 1, ReadUnits: 145}, func() {
		plan, err := repo.Plan(t.Context(), l.hotel.ID, month.CheckIn)
		do(err)
		assert.Len(t, plan, 500)
	})
	costs.Section(t, "units")
}
