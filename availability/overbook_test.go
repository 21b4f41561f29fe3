package availability_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// limitedNights stores the nights of the stay, and returns a request for rooms of them.
func limitedNights(t *testing.T, left, limits [3]int, rooms, overbook int) (*dyntest.DB, *availability.Repository, availability.QuoteRequest) {
	t.Helper()
	db, repo := open(t)
	for i := range left {
		putNights(t, db, night(roomTypeID, stay.CheckIn.AddDays(i).String(), dynastay.Item{
			"AvailableRooms": dynastay.Number(left[i]), "OverbookLimit": dynastay.Number(limits[i]),
		}))
	}
	req := request(stay, room(roomTypeID, rooms))
	req.Overbook = overbook
	return db, repo, req
}

// A sale may overbook a night up to its limit, or up to the quote's if that is higher. As long as rooms are left, it costs what
// it costs without a limit, and otherwise one more transaction, which is refused and says what the limit is.
func TestOverbookLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		left, limits    [3]int
		rooms, overbook int
		nights          []dynastay.Date // overbooked
		refused         []dynastay.Date
		queries, writes int
	}{
		{name: "rooms left", left: [3]int{2, 2, 2}, limits: [3]int{2, 2, 2}, rooms: 2, writes: 1},
		{name: "one night", left: [3]int{2, 1, 2}, limits: [3]int{0, 1, 0}, rooms: 2, nights: dates("2026-07-11"), writes: 2},
		{
			name: "every night, each to its limit", left: [3]int{0, 1, -1}, limits: [3]int{2, 1, 3}, rooms: 2,
			nights: dates("2026-07-10", "2026-07-11", "2026-07-12"), writes: 2,
		},
		{name: "above the limit of one", left: [3]int{0, 1, -1}, limits: [3]int{2, 1, 2}, rooms: 2, refused: dates("2026-07-12")},
		{name: "no limit on one", left: [3]int{0, 1, 1}, limits: [3]int{2, 0, 2}, rooms: 2, refused: dates("2026-07-11")},
		{name: "negative, as no limit", left: [3]int{1, 1, 0}, limits: [3]int{0, 0, -5}, rooms: 1, refused: dates("2026-07-12")},
		{
			name: "the quote allows more", left: [3]int{0, 0, -1}, limits: [3]int{1, 1, 1}, rooms: 1, overbook: 2,
			nights: dates("2026-07-10", "2026-07-11", "2026-07-12"), queries: 1, writes: 1,
		},
		{
			name: "the quote allows less", left: [3]int{0, -1, 1}, limits: [3]int{1, 2, 1}, rooms: 1, overbook: 1,
			nights: dates("2026-07-10", "2026-07-11"), queries: 1, writes: 1,
		},
		{name: "above both", left: [3]int{0, -2, 1}, limits: [3]int{1, 2, 1}, rooms: 1, overbook: 1, refused: dates("2026-07-11")},
		{
			name: "as much as can be", left: [3]int{-9_999, 1, 1}, limits: [3]int{50_000, 0, 0}, rooms: 1,
			nights: dates("2026-07-10"), writes: 2,
		},
		{name: "more than can be", left: [3]int{-10_000, 1, 1}, limits: [3]int{50_000, 0, 0}, rooms: 1, refused: dates("2026-07-10")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo, req := limitedNights(t, test.left, test.limits, test.rooms, test.overbook)
			q, err := repo.Quote(t.Context(), req)
			if test.overbook == 0 {
				checked, failed := repo.Check(t.Context(), propertyID, roomTypeID, test.rooms, stay)
				require.NoError(t, failed)
				assert.Equal(t, err == nil, checked.OK())
				assert.Equal(t, err == nil, checked.Left() >= test.rooms)
			}
			if test.refused != nil {
				var on []dynastay.Date
				for _, n := range blame.As[*availability.Refused](t, err).Nights {
					assert.Equal(t, availability.SoldOut, n.Reason)
					on = append(on, n.Date)
				}
				assert.Equal(t, test.refused, on)
				_, err = sold(t, db.DB, quoteOf(t, req, money("280.00 USD")))
				assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.SoldOut))
				assert.Equal(t, test.left[:], available(t, db))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.nights, q.Lines[0].Overbooked)
			stop := db.Faults.Record()
			got, err := sold(t, db.DB, q)
			require.NoError(t, err)
			requests := stop()
			assert.Equal(t, test.nights, got)
			assert.Equal(t, []int{test.queries, test.writes}, []int{count(requests, "Query"), count(requests, "TransactWriteItems")})
			assert.Len(t, requests, test.queries+test.writes)
			for i, n := range test.left {
				assert.Equal(t, n-test.rooms, available(t, db)[i])
			}
		})
	}
}

// With rooms left, a sale has the same requests and units whether or not the nights have a limit.
func TestOverbookLimitCostsNothing(t *testing.T) {
	t.Parallel()
	bill := func(limit int) dyntest.Bill {
		db, repo, req := limitedNights(t, [3]int{2, 2, 2}, [3]int{limit, limit, limit}, 2, 0)
		q, err := repo.Quote(t.Context(), req)
		require.NoError(t, err)
		return db.Measure(func() {
			_, err := sold(t, db.DB, q)
			require.NoError(t, err)
		}).Bill()
	}
	without := bill(0)
	assert.Equal(t, 1, without.Requests)
	assert.Equal(t, without, bill(10_000))
}

// What others do between the refusal and the next transaction decides: the limit that is in force when the rooms are sold, and
// the rooms that are left then.
func TestOverbookLimitChangesDuringASale(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		overbook int
		set      string
		value    int
		nights   []dynastay.Date
		refused  bool
		after    int // of the second night
		writes   int
	}{
		{name: "removed", set: "OverbookLimit = :n", value: 0, refused: true, after: 0, writes: 2},
		{name: "lowered", set: "OverbookLimit = :n", value: 1, nights: dates("2026-07-11"), after: -1, writes: 3},
		{name: "raised", set: "OverbookLimit = :n", value: 5, nights: dates("2026-07-11"), after: -1, writes: 2},
		{name: "rooms returned", set: "AvailableRooms = :n", value: 1, after: 0, writes: 3},
		{name: "rooms sold", set: "AvailableRooms = :n", value: -1, nights: dates("2026-07-11"), after: -2, writes: 2},
		{name: "the last ones sold", set: "AvailableRooms = :n", value: -2, refused: true, after: -2, writes: 2},
		{name: "removed, below what the quote allows", overbook: 1, set: "OverbookLimit = :n", nights: dates("2026-07-11"), after: -1, writes: 2},
		{name: "removed, which the quote allows itself", overbook: 2, set: "OverbookLimit = :n", nights: dates("2026-07-11"), after: -1, writes: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo, req := limitedNights(t, [3]int{5, 0, 5}, [3]int{0, 2, 0}, 1, test.overbook)
			q, err := repo.Quote(t.Context(), req)
			require.NoError(t, err)
			nth := 2 // a sale that may not overbook itself is refused once
			if test.overbook > 0 {
				nth = 1
			}
			stop := db.Faults.Record()
			db.Faults.Inject(dyntest.Before(func(context.Context) {
				change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#2026-07-11"},
					test.set, dynastay.Item{":n": dynastay.Number(test.value)})
			}), dyntest.When{Operation: "TransactWriteItems", Nth: nth})
			got, err := sold(t, db.DB, q)
			if test.refused {
				assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.SoldOut))
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, test.nights, got)
			assert.Equal(t, test.after, available(t, db)[1])
			assert.Equal(t, test.writes, count(stop(), "TransactWriteItems"))
		})
	}
}

// A night without a limit is not overbooked: once its rooms are returned, the sale takes them.
func TestRoomsReturnedAfterARefusal(t *testing.T) {
	t.Parallel()
	db, _, req := limitedNights(t, [3]int{5, 0, 5}, [3]int{0, 0, 0}, 1, 0)
	db.Faults.Inject(dyntest.Before(func(context.Context) {
		change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#2026-07-11"},
			"AvailableRooms = :n", dynastay.Item{":n": dynastay.Number(1)})
	}), dyntest.When{Operation: "Query", Nth: 1})
	stop := db.Faults.Record()
	got, err := sold(t, db.DB, quoteOf(t, req, money("280.00 USD")))
	require.NoError(t, err)
	assert.Empty(t, got)
	assert.Equal(t, []int{4, 0, 4}, available(t, db))
	assert.Equal(t, 2, count(stop(), "TransactWriteItems"))
}

// A limit allows more rooms, and nothing else: restrictions, stop-sells and prices count as for any sale, under plans and at
// agreed prices as well.
func TestOverbookLimitAllowsOnlyRooms(t *testing.T) {
	t.Parallel()
	limit := dynastay.Item{"AvailableRooms": dynastay.Number(0), "OverbookLimit": dynastay.Number(1)}
	for name, test := range map[string]struct {
		more    dynastay.Item
		room    availability.Room
		refused availability.Reason
	}{
		"under a plan":        {room: roomsUnder("flex", 1, adults(2))},
		"at an agreed price":  {room: agreedAt(1, "90", "90", "90")},
		"a stop-sell":         {dynastay.Item{"IsBlocked": yes}, room(roomTypeID, 1), availability.StopSell},
		"closed":              {dynastay.Item{"PropertyClosed": yes}, room(roomTypeID, 1), availability.PropertyClosed},
		"a longer stay only":  {dynastay.Item{"MinStay": number("4")}, room(roomTypeID, 1), availability.MinStay},
		"another price":       {dynastay.Item{"PricePerNight": number("281")}, room(roomTypeID, 1), availability.PriceChanged},
		"another, for a plan": {ratesOnSale(dynastay.Item{"flex": mapOf(dynastay.Item{"P": number("301")})}), roomsUnder("flex", 1, adults(2)), availability.PriceChanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			put := func(more ...dynastay.Item) {
				for d := range stay.Dates() {
					putNights(t, db, night(roomTypeID, d.String(), append([]dynastay.Item{limit, ratesOnSale(nil)}, more...)...))
				}
			}
			put()
			q := quoted(t, repo, test.room)
			put(test.more)
			got, err := sold(t, db.DB, q)
			if test.refused != "" {
				assert.True(t, blame.As[*availability.Refused](t, err).Has(test.refused))
				assert.False(t, blame.As[*availability.Refused](t, err).Has(availability.SoldOut))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, dates("2026-07-10", "2026-07-11", "2026-07-12"), got)
			assert.Equal(t, []int{-1, -1, -1}, available(t, db))
		})
	}
}

// A room that a booking keeps under another plan is not overbooked, whatever is left: none is taken.
func TestAnotherPlanOverbooksNothing(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	has := booking(t, db, repo, stay, roomsUnder("flex", 1, adults(2)))
	setNight(t, db, "2026-07-11", dynastay.Item{"AvailableRooms": dynastay.Number(-1), "OverbookLimit": dynastay.Number(2)})
	for _, overbook := range []int{0, 1} {
		req := requestUnder(stay, roomsUnder("early", 1, adults(2)))
		req.Overbook = overbook
		q, err := repo.Requote(t.Context(), req, has)
		require.NoError(t, err)
		assert.Empty(t, q.Lines[0].Overbooked)
		sold, err := resell(t.Context(), db.DB, q, has)
		require.NoError(t, err)
		assert.Empty(t, sold.Lines[0].Overbooked)
	}
	assert.Equal(t, []int{4, -1, 4}, available(t, db))
}

// A limit is set when nights are opened, and changed like any other value. It says nothing about what is sold already.
func TestOverbookLimitOfANight(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	later := dynastay.MustStay("2026-09-01", "2026-09-03")
	hotel.Open(t, db.DB, availability.OpenRequest{Nights: later, Rooms: 5, Price: money("280.00 USD"), OverbookLimit: 3})
	assert.Equal(t, 3, nightOf(t, repo, hotel, "2026-09-02").OverbookLimit)
	assert.Zero(t, nightOf(t, repo, hotel, oneDay).OverbookLimit)
	assert.NotContains(t, storedOf(t, db, hotel, oneDay), "OverbookLimit")

	set := func(limit int) availability.Report {
		return update(t, repo, hotel, oneNight(oneDay), availability.Change{OverbookLimit: aws.Int(limit)})
	}
	assert.Equal(t, availability.Written, set(2).Dates[0].Result)
	assert.Equal(t, availability.Unchanged, set(2).Dates[0].Result)
	assert.Equal(t, 2, nightOfRoom(t, repo, hotel, oneDay).OverbookLimit, "the index has it")
	sell(t, db, hotel, 7)
	report := set(1)
	assert.Equal(t, availability.Written, report.Dates[0].Result)
	n := nightOf(t, repo, hotel, oneDay)
	assert.Equal(t, []int{-2, 1}, []int{n.Available, n.OverbookLimit})
	assert.Equal(t, availability.Written, set(0).Dates[0].Result)
	assert.NotContains(t, storedOf(t, db, hotel, oneDay), "OverbookLimit")

	report, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, oneNight(oneDay), availability.Change{OverbookLimit: aws.Int(4)}),
		changeOf(hotel.RoomTypeID, oneNight(oneDay), availability.Change{MinStay: aws.Int(2)}),
		changeOf(hotel.RoomTypeID, oneNight("2026-07-11"), availability.Change{OverbookLimit: aws.Int(4)}),
		changeOf(hotel.RoomTypeID, oneNight("2026-07-11"), availability.Change{OverbookLimit: aws.Int(5)}),
	}})
	require.NoError(t, err)
	assert.Len(t, report.Dates, 2)
	assert.Equal(t, 4, nightOf(t, repo, hotel, oneDay).OverbookLimit)
	assert.Equal(t, 5, nightOf(t, repo, hotel, "2026-07-11").OverbookLimit)
}

// CheckAll counts the limits, from the index as well as from the table.
func TestCheckAllCountsTheLimit(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 1)
	update(t, repo, hotel, fixture.Stay, availability.Change{OverbookLimit: aws.Int(1)})
	for name, opts := range map[string][]dynastay.ReadOption{"index": nil, "table": {dynastay.Consistent}} {
		for rooms, ok := range map[int]bool{2: true, 3: false} {
			all, err := repo.CheckAll(t.Context(), []availability.CheckRequest{
				{PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: rooms},
			}, fixture.Stay, opts...)
			require.NoError(t, err)
			assert.Equal(t, ok, all[0].OK(), "%s: %d rooms", name, rooms)
			assert.Equal(t, 2, all[0].Left(), name)
			assert.Equal(t, 1, all[0].Nights[0].OverbookLimit, name)
			assert.Equal(t, name == "index", all[0].Nights[0].UpdatedAt.IsZero())
		}
	}
}
