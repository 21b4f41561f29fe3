package availability_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// flags and bounds are the values that other software may store; nil means that the attribute is missing.
var (
	flagsOff = []types.AttributeValue{nil, null, no}
	flags    = []types.AttributeValue{nil, null, no, yes, yes, yes}
	bounds   = []types.AttributeValue{nil, null, number("-1"), number("0"), number("1"), number("2"), number("2"), number("3"), number("3"), number("4")}
)

// spoil gives a night one attribute that may prevent a sale, or may look as if it does.
func spoil(t *rapid.T, item dynastay.Item) {
	oneOf := func(name string, values ...types.AttributeValue) {
		v := values[rapid.IntRange(0, len(values)-1).Draw(t, name)]
		if item[name] = v; v == nil {
			delete(item, name)
		}
	}
	switch rapid.SampledFrom([]int{0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 8, 9}).Draw(t, "spoiled") {
	case 0:
		oneOf("AvailableRooms", nil, null, number("-1"), number("0"), number("1"), number("2"), number("3"))
		if v := item["AvailableRooms"]; v == nil || v == null {
			delete(item, "OverbookLimit") // the check does not know that nothing can be subtracted
		} else {
			oneOf("OverbookLimit", nil, null, number("-1"), number("0"), number("1"), number("2"), number("2"), number("3"), number("100000"))
		}
	case 1:
		oneOf("IsBlocked", flags...)
	case 2:
		oneOf("PropertyClosed", flags...)
	case 3:
		oneOf("ClosedToArrival", flags...)
	case 4:
		oneOf("ClosedToDeparture", flags...)
	case 5:
		oneOf("MinStay", bounds...)
	case 6:
		oneOf("MaxStay", bounds...)
	case 7:
		oneOf("PropertyId", nil, null, dynastay.Text("prop_124"), dynastay.Text(propertyID))
	case 8:
		oneOf("PricePerNight", nil, null, number("280.00"), number("2.8E2"), number("280.01"), number("0"), number("-280"))
	case 9:
		oneOf("Currency", nil, null, dynastay.Text("EUR"), dynastay.Text("usd"), dynastay.Text("USD"))
	}
}

// The check and the refusal, written in Go, agree with DynamoDB's condition, whatever is stored: a stay is sold if and
// only if the check refuses no night and the prices are those of the quote.
func TestCheckAgreesWithTheDatabase(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{
		Clock: fixture.Clock,
		// There are no other writers: if a sale neither succeeds nor is refused at once, or once it knows the limit of
		// overbooking, check and condition disagree.
		Retry: dynastay.Retry{Attempts: 2},
	}))
	nights, repo := availability.New(db.DB), bookings.New(db.DB, nil)
	drawn, sold := 0, 0
	scenario := func(t *rapid.T) {
		drawn++
		stay := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(rapid.IntRange(1, 3).Draw(t, "nights"))}
		req := request(stay)
		for i := range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "room types") {
			id := fmt.Sprintf("room_%d_%d", drawn, i)
			req.Rooms = append(req.Rooms, room(id, rapid.IntRange(1, 3).Draw(t, "rooms")))
		}
		req = request(stay, req.Rooms...)
		spoiled := rapid.SampledFrom([]int{0, 1, 1, 1, 1, 2, 2, 4}).Draw(t, "spoils")
		var items []dynastay.Item
		for _, r := range req.Rooms {
			for d := range stay.Dates() {
				item := night(r.RoomTypeID, d.String())
				for _, name := range []string{"IsBlocked", "PropertyClosed", "ClosedToArrival", "ClosedToDeparture"} {
					if item[name] = rapid.SampledFrom(flagsOff).Draw(t, name); item[name] == nil {
						delete(item, name)
					}
				}
				items = append(items, item)
			}
		}
		for range spoiled {
			// Most rules concern the first and the last night.
			at := rapid.SampledFrom([]int{0, 0, len(items) - 1, len(items) - 1, len(items) / 2}).Draw(t, "night")
			spoil(t, items[at])
		}
		if rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
			items = items[1:]
		}
		putNights(t, db, items...)

		before, want := see(t, nights, req)
		made, err := repo.Create(context.Background(), fixture.Request(quoteOf(t, req, fixture.Price)))
		after, _ := see(t, nights, req)
		if len(want) == 0 {
			require.NoError(t, err, "%v", items)
			assert.Equal(t, bookings.Confirmed, made.Status)
			for i, n := range before {
				assert.Equal(t, n.Available-quantityOf(req, n.RoomTypeID), after[i].Available)
			}
			sold++
			return
		}
		refused := blame.As[*availability.Refused](t, err, "%v", items)
		assert.Equal(t, want, refused.Nights)
		assert.Equal(t, before, after, "nothing was written")
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 4 { // 100 scenarios are too few to meet every condition reliably
			scenario(t)
		}
	})
	t.Logf("%d of %d were sold", sold, drawn)
	if !t.Failed() {
		assert.NotZero(t, sold)
		assert.Less(t, sold, drawn)
	}
}

// see reads the nights, and the reasons why they cannot be sold at the fixture's price.
func see(t require.TestingT, repo *availability.Repository, req availability.QuoteRequest) (nights []availability.Night, all []availability.RefusedNight) {
	for _, room := range req.Rooms {
		got, err := repo.Check(context.Background(), propertyID, room.RoomTypeID, room.Quantity, req.Stay)
		require.NoError(t, err)
		nights = append(nights, got.Nights...)
		byDate := map[dynastay.Date]availability.Night{}
		for _, n := range got.Nights {
			byDate[n.Date] = n
		}
		for d := range req.Stay.Dates() {
			for _, r := range got.Refused {
				if r.Date == d {
					all = append(all, r)
				}
			}
			n, there := byDate[d]
			if there && n.PropertyID == propertyID && n.Price != fixture.Price {
				all = append(all, availability.RefusedNight{
					RoomTypeID: room.RoomTypeID, Date: d, Reason: availability.PriceChanged, Price: n.Price,
				})
			}
		}
	}
	return nights, all
}

func quantityOf(req availability.QuoteRequest, roomTypeID string) int {
	for _, r := range req.Rooms {
		if r.RoomTypeID == roomTypeID {
			return r.Quantity
		}
	}
	return 0
}

// A sale and its return change only the rooms left and the time of the update.
func TestSaleAndGiveBackChangeOnlyTheRooms(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	repo := bookings.New(db.DB, nil)
	one := dynastay.MustStay("2026-07-10", "2026-07-11")
	item := night(roomTypeID, "2026-07-10", dynastay.Item{
		"BlockReason": null, "Note": dynastay.Text("other software's"), "LastUpdated": dynastay.Text("2024-11-18T14:20:00Z"),
	})
	putNights(t, db, item)

	made, err := repo.Create(t.Context(), fixture.Request(quoteOf(t, request(one, room(roomTypeID, 2)), fixture.Price)))
	require.NoError(t, err)
	item["AvailableRooms"], item["LastUpdated"] = dynastay.Number(3), dynastay.Text("2026-06-01T12:00:00Z")
	assert.Equal(t, item, stored(t, db, roomTypeID, "2026-07-10"))

	_, err = repo.Cancel(t.Context(), made.ID, "", nil)
	require.NoError(t, err)
	item["AvailableRooms"] = dynastay.Number(5)
	assert.Equal(t, item, stored(t, db, roomTypeID, "2026-07-10"))
}

// Rooms are returned only to the property that they were taken from.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	back := func(property, roomTypeID string, date dynastay.Date, rooms int) (missing bool, err error) {
		return dynastay.Do(t.Context(), db.DB, dynastay.NewOp(dynastay.OpSpec[bool]{
			Name: "test.GiveBack",
			Prepare: func(_ context.Context, tx *dynastay.Tx) (bool, error) {
				night, err := availability.NightRef(roomTypeID, date)
				return err == nil && tx.Skipped(keys.AvailabilityTable, night.Key), repo.GiveBack(tx, property, roomTypeID, date, rooms)
			},
		}))
	}
	assertBack := func(missing bool, property, day, why string) {
		t.Helper()
		got, err := back(property, roomTypeID, date(day), 2)
		require.NoError(t, err, why)
		assert.Equal(t, missing, got, why)
	}
	putNights(t, db, night(roomTypeID, "2026-07-10"), night(roomTypeID, "2026-07-11", dynastay.Item{"AvailableRooms": dynastay.Number(-1)}))
	assertBack(false, propertyID, "2026-07-10", "")
	assert.Equal(t, number("7"), stored(t, db, roomTypeID, "2026-07-10")["AvailableRooms"])
	assertBack(false, propertyID, "2026-07-11", "")
	assert.Equal(t, number("1"), stored(t, db, roomTypeID, "2026-07-11")["AvailableRooms"], "an overbooking counts")
	assertBack(true, "prop_124", "2026-07-10", "different property")
	assert.Equal(t, number("7"), stored(t, db, roomTypeID, "2026-07-10")["AvailableRooms"])
	assertBack(true, propertyID, "2026-07-12", "no night")
	for _, rooms := range []types.AttributeValue{nil, null} {
		putNights(t, db, night(roomTypeID, "2026-07-13", dynastay.Item{"AvailableRooms": rooms}))
		assertBack(true, propertyID, "2026-07-13", "a night without a number of rooms")
	}
	assert.Nil(t, stored(t, db, roomTypeID, "2026-07-12"), "no night is created")

	_, err := back(propertyID, "a#b", date("2026-07-10"), 2)
	blame.Invalid(t, err, "RoomTypeID", "")
	_, err = back(propertyID, roomTypeID, dynastay.Date{}, 2)
	blame.Invalid(t, err, "Date", "")
	for _, rooms := range []int{0, -1} {
		_, err = back(propertyID, roomTypeID, date("2026-07-10"), rooms)
		blame.Invalid(t, err, "Rooms", "must be positive")
	}
}

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
				refused := blame.As[*availability.Refused](t, err)
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
	refused := blame.As[*availability.Refused](t, err)
	assert.True(t, refused.Has(availability.SoldOut))
	assert.Equal(t, []int{-2, -2, -2}, available(t, db))

	db, _, q, err = overbooking(t, [3]int{0, 0, 0}, 1, 2)
	require.NoError(t, err)
	change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#2026-07-11"}, "IsBlocked = :y", dynastay.Item{":y": yes})
	_, err = sold(t, db.DB, q)
	require.ErrorAs(t, err, &refused)
	assert.True(t, refused.Has(availability.StopSell))
}
