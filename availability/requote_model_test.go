package availability_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// The refusal of a changed booking, written in Go, agrees with DynamoDB's conditions, whatever is stored: a quote is sold if
// and only if it would be quoted again. Either the rooms are then those of the quote, or nothing has changed.
func TestRequoteAgreesWithTheDatabase(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{
		Clock: fixture.Clock,
		// If a change neither succeeds nor is refused, the two disagree. A night that cannot take rooms back needs an attempt.
		Retry: dynastay.Retry{Attempts: 4, Base: time.Microsecond},
	}))
	repo := availability.New(db.DB)
	week := dynastay.MustStay("2026-07-08", "2026-07-15")
	drawn, sold, left := 0, 0, 0
	refusedBy := map[string]int{}
	scenario := func(t *rapid.T) {
		drawn++
		id := fmt.Sprintf("room_%d", drawn)
		draw := func(name string) (rooms []availability.Room) {
			for _, plan := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"flex", "early", "non-ref", "club", ""}), 1, 3, rapid.ID[string]).Draw(t, name) {
				r := roomsUnder(plan, rapid.IntRange(1, 2).Draw(t, "rooms"), adults(rapid.IntRange(1, 2).Draw(t, "adults")))
				r.RoomTypeID = id
				rooms = append(rooms, r)
			}
			return rooms
		}
		items := map[dynastay.Date]dynastay.Item{}
		for d := range week.Dates() {
			items[d] = night(id, d.String(), dynastay.Item{"AvailableRooms": dynastay.Number(9), "TotalRooms": dynastay.Number(9)}, ratesOnSale(nil))
		}
		putNights(t, db, slices.Collect(maps.Values(items))...)
		before := draw("booked")
		q, err := repo.Quote(context.Background(), requestUnder(stay, before...))
		require.NoError(t, err)
		_, err = sellAt(context.Background(), db.DB, q)
		require.NoError(t, err)
		has := bookedAs(stay, q.Lines)
		has.Arrived = rapid.IntRange(0, 4).Draw(t, "arrived") == 0

		to := stay
		switch rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "moves") {
		case 1:
			to.CheckOut = to.CheckIn.AddDays(rapid.SampledFrom([]int{1, 2, 4, 5}).Draw(t, "nights"))
		case 2:
			to.CheckIn = to.CheckIn.AddDays(rapid.SampledFrom([]int{-2, -1, 1, 2}).Draw(t, "later"))
		case 3:
			to.CheckIn, to.CheckOut = to.CheckIn.AddDays(1), to.CheckOut.AddDays(1)
		}
		rooms := before
		if rapid.IntRange(0, 3).Draw(t, "other rooms") > 0 {
			rooms = draw("wanted")
		}
		req := requestUnder(to, rooms...)
		q, err = repo.Requote(context.Background(), req, has)
		require.NoError(t, err)
		require.NoError(t, q.Validate())
		require.NoError(t, repo.SaleFor(q, has).Current(fixture.Now))

		for range rapid.SampledFrom([]int{0, 1, 1, 2, 4}).Draw(t, "spoils") {
			at := to.CheckIn.AddDays(rapid.SampledFrom([]int{0, 0, to.Nights() - 1, to.Nights() / 2}).Draw(t, "night"))
			item := items[at]
			item["AvailableRooms"] = dynastay.Number(leftOf(t, db, id, week)[at])
			if rapid.IntRange(0, 2).Draw(t, "of the night") == 0 {
				spoil(t, item)
			} else {
				spoilRate(t, item, append(slices.Clone(before), rooms...))
			}
			putNights(t, db, item)
		}
		was := leftOf(t, db, id, week)
		now, no := repo.Requote(context.Background(), req, has)
		same := no == nil && slices.EqualFunc(q.Lines, now.Lines, func(a, b availability.Line) bool {
			return slices.EqualFunc(a.Nights, b.Nights, func(a, b availability.NightPrice) bool { return a.Price == b.Price && a.Source == b.Source })
		})
		if len(repo.SaleFor(q, has).Contest().Items) == 0 {
			left++
			return
		}
		got, err := resell(context.Background(), db.DB, q, has)
		after := leftOf(t, db, id, week)
		refused := (*availability.Refused)(nil)
		if !same {
			require.ErrorAs(t, err, &refused, "%v", no)
			for _, n := range refused.Nights {
				refusedBy[n.RatePlanID+" "+string(n.Reason)]++
			}
			assert.Equal(t, was, after, "nothing was written")
			return
		}
		require.NoError(t, err, "%v", items)
		sold++
		for d := range week.Dates() {
			taken := 0
			if to.Contains(d) {
				taken += roomsOf(rooms)
			}
			if stay.Contains(d) {
				taken -= roomsOf(before)
			}
			if slices.Contains(got.Missing, availability.MissingNight{RoomTypeID: id, Date: d}) {
				assert.Negative(t, taken)
				taken = 0
			}
			assert.Equal(t, was[d]-taken, after[d], "%s", d)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 24 {
			scenario(t)
		}
	})
	t.Logf("%d of %d were sold, %d had nothing to write; refused: %v", sold, drawn, left, refusedBy)
	if !t.Failed() {
		assert.NotZero(t, sold)
		assert.Greater(t, len(refusedBy), 10, "many reasons")
	}
}

// leftOf returns the rooms that are left on each night, 0 if none are stored.
func leftOf(t require.TestingT, db *dyntest.DB, roomTypeID string, dates dynastay.Stay) map[dynastay.Date]int {
	rows, err := dynastay.QueryAll(context.Background(), db.Direct, keys.AvailabilityTable, dynastay.Query{
		Partition: "ROOM#" + roomTypeID, Range: dynastay.Range{From: "DATE#" + dates.CheckIn.String()}, Consistent: true,
	})
	require.NoError(t, err)
	left := map[dynastay.Date]int{}
	for i, row := range rows {
		left[dates.CheckIn.AddDays(i)] = row.Int("AvailableRooms")
	}
	return left
}
