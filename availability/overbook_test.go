package availability_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

// overbooking quotes rooms of a night with the given number of rooms left on each night of the stay.
func overbooking(t *testing.T, left [3]int, rooms, overbook int) (*dyntest.DB, *availability.Repository, *availability.Quote, error) {
	t.Helper()
	db, repo := open(t)
	for i, n := range left {
		putNights(t, db, night(roomTypeID, stay.CheckIn.AddDays(i).String(), dynastay.Item{"AvailableRooms": dynastay.Number(n)}))
	}
	req := request(stay, room(roomTypeID, rooms))
	req.Overbook = overbook
	q, err := repo.Quote(t.Context(), req)
	return db, repo, q, err
}

func available(t *testing.T, db *dyntest.DB) (left []int) {
	t.Helper()
	for _, row := range nightsOf(t, db, roomTypeID, "2026-07-10") {
		left = append(left, row.Int("AvailableRooms"))
	}
	return left
}

// sold sells a quote, and returns the overbooked nights of its line.
func sold(t *testing.T, db *dynastay.DB, q *availability.Quote) ([]dynastay.Date, error) {
	t.Helper()
	sale := availability.New(db).Sale(q)
	got, err := dynastay.Do(t.Context(), db, dynastay.NewOp(dynastay.OpSpec[availability.Sold]{
		Name: "test.Sell", Contest: sale.Contest(), Prepare: sale.Add,
	}))
	if err != nil {
		return nil, err
	}
	require.Len(t, got.Lines, 1)
	return got.Lines[0].Overbooked, nil
}

func TestOverbooking(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		left            [3]int
		rooms, overbook int
		nights          []dynastay.Date // overbooked
		refused         []dynastay.Date
	}{
		{"not allowed", [3]int{2, 1, 2}, 2, 0, nil, dates("2026-07-11")},
		{"not needed", [3]int{2, 2, 2}, 2, 1, nil, nil},
		{"one room, one night", [3]int{2, 1, 2}, 2, 1, dates("2026-07-11"), nil},
		{"every night", [3]int{0, 1, -1}, 2, 3, dates("2026-07-10", "2026-07-11", "2026-07-12"), nil},
		{"above the limit", [3]int{0, 1, -1}, 2, 2, nil, dates("2026-07-12")},
		{"a limit for the night, not for the sale", [3]int{-1, 5, 5}, 1, 1, nil, dates("2026-07-10")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, _, q, err := overbooking(t, test.left, test.rooms, test.overbook)
			if test.refused != nil {
				var refused *availability.Refused
				require.ErrorAs(t, err, &refused)
				var on []dynastay.Date
				for _, n := range refused.Nights {
					assert.Equal(t, availability.SoldOut, n.Reason)
					assert.GreaterOrEqual(t, n.Left, 0)
					on = append(on, n.Date)
				}
				assert.Equal(t, test.refused, on)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.nights, q.Lines[0].Overbooked)
			require.NoError(t, q.Validate())
			var got []dynastay.Date
			requests := 1
			if test.overbook > 0 {
				requests = 2
			}
			dyntest.Budget(t, db, dyntest.Cost{Requests: requests, ReadUnits: 1, WriteUnits: 12}, func() {
				got, err = sold(t, db.DB, q)
				require.NoError(t, err)
			})
			assert.Equal(t, test.nights, got)
			for i, n := range test.left {
				assert.Equal(t, n-test.rooms, available(t, db)[i])
			}
		})
	}
}

// What happens between the read and the sale decides what is reported: a night is reported as overbooked exactly if it
// was when it was sold.
func TestOverbookingIsReportedAsItHappened(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		left   [3]int
		change int // of the second night, just before the transaction
		nights []dynastay.Date
		after  []int
	}{
		{"sold in the meantime", [3]int{5, 1, 5}, -1, dates("2026-07-11"), []int{4, -1, 4}},
		{"returned in the meantime", [3]int{5, 0, 5}, 1, nil, []int{4, 0, 4}},
		{"still overbooked", [3]int{5, 0, 5}, -1, dates("2026-07-11"), []int{4, -2, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, _, q, err := overbooking(t, test.left, 1, 2)
			require.NoError(t, err)
			db.Faults.Inject(dyntest.Before(func(context.Context) {
				change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#2026-07-11"},
					"AvailableRooms = AvailableRooms + :n", dynastay.Item{":n": dynastay.Number(test.change)})
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			got, err := sold(t, db.DB, q)
			require.NoError(t, err)
			assert.Equal(t, test.nights, got)
			assert.Equal(t, test.after, available(t, db))
		})
	}
}

// The limit holds at the time of the sale, and restrictions apply to overbookings as well.
func TestOverbookingHasALimit(t *testing.T) {
	t.Parallel()
	db, _, q, err := overbooking(t, [3]int{0, 0, 0}, 1, 2)
	require.NoError(t, err)
	for range 2 {
		_, err = sold(t, db.DB, q)
		require.NoError(t, err)
	}
	_, err = sold(t, db.DB, q)
	var refused *availability.Refused
	require.ErrorAs(t, err, &refused)
	assert.True(t, refused.Has(availability.SoldOut))
	assert.Equal(t, []int{-2, -2, -2}, available(t, db))

	db, _, q, err = overbooking(t, [3]int{0, 0, 0}, 1, 2)
	require.NoError(t, err)
	change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#2026-07-11"}, "IsBlocked = :y", dynastay.Item{":y": yes})
	_, err = sold(t, db.DB, q)
	require.ErrorAs(t, err, &refused)
	assert.True(t, refused.Has(availability.StopSell))
}

func TestOverbookingIsValidated(t *testing.T) {
	t.Parallel()
	req := request(stay, room(roomTypeID, 1))
	for _, bad := range []int{-1, availability.MaxRooms + 1} {
		req.Overbook = bad
		assertInvalid(t, req.Validate(stay.CheckIn.Time()), "Overbook", "request")
		q := quoteOf(t, request(stay, room(roomTypeID, 1)), money("280.00 USD"))
		q.Overbook = bad
		assertInvalid(t, q.Validate(), "Overbook", "quote")
	}
	req.Overbook = availability.MaxRooms
	assert.NoError(t, req.Validate(stay.CheckIn.Time()))
}

// A copy of a quote shares no memory with it.
func TestCloneCopiesOverbookedNights(t *testing.T) {
	t.Parallel()
	_, _, q, err := overbooking(t, [3]int{0, 0, 0}, 1, 2)
	require.NoError(t, err)
	q.Clone().Lines[0].Overbooked[0] = date("2030-01-01")
	assert.Equal(t, date("2026-07-10"), q.Lines[0].Overbooked[0])
}
