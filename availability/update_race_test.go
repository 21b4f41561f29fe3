package availability_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

const oneDay = "2026-07-10"

// sell changes the rooms left as a sale does, which leaves the write id alone.
func sell(t *testing.T, db *dyntest.DB, h fixture.Hotel, rooms int) {
	change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + h.RoomTypeID, SK: "DATE#" + oneDay},
		"AvailableRooms = AvailableRooms - :n", dynastay.Item{":n": dynastay.Number(rooms)})
}

// beforeWrite runs do just before the first UpdateItem of an update, which happens after its read.
func beforeWrite(db *dyntest.DB, do func()) {
	db.Faults.Inject(dyntest.Before(func(context.Context) { do() }), dyntest.When{Operation: "UpdateItem", Nth: 1})
}

// direct returns a repository whose requests pass no faults.
func direct(db *dyntest.DB) *availability.Repository { return availability.New(db.Direct) }

// Rooms that are sold between the read and the write stay sold, and no sale makes the update fail.
func TestSalesDuringAnUpdate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		sold       int // between the read and the write; two are sold before
		change     availability.Change
		left       int
		total      int
		overbooked int
		refused    *availability.SoldError
		updates    int
	}{
		{name: "another value", sold: 3, change: availability.Change{MinStay: ptr(2)}, left: 5, total: 10, updates: 1},
		{name: "more rooms", sold: 3, change: availability.Change{Rooms: ptr(12), AboveCapacity: true}, left: 7, total: 12, updates: 1},
		{name: "fewer rooms", sold: 3, change: availability.Change{Rooms: ptr(7)}, left: 2, total: 7, updates: 1},
		{name: "exactly those sold", sold: 3, change: availability.Change{Rooms: ptr(5)}, left: 0, total: 5, updates: 1},
		{
			name: "fewer than sold by then", sold: 4, change: availability.Change{Rooms: ptr(5)}, left: 4, total: 10,
			refused: &availability.SoldError{Sold: 6, Rooms: 5}, updates: 1,
		},
		{
			name: "overbooked by then", sold: 4, change: availability.Change{Rooms: ptr(5), Overbook: 1}, left: -1, total: 5,
			overbooked: 1, updates: 2,
		},
		{
			name: "more overbooked by then", sold: 4, change: availability.Change{Rooms: ptr(1), Overbook: 5}, left: -5, total: 1,
			overbooked: 5, updates: 2,
		},
		{
			name: "more overbooked than allowed by then", sold: 4, change: availability.Change{Rooms: ptr(1), Overbook: 4}, left: 4, total: 10,
			refused: &availability.SoldError{Sold: 6, Rooms: 1}, updates: 1,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 10)
			sell(t, db, hotel, 2)
			beforeWrite(db, func() { sell(t, db, hotel, test.sold) })
			stop := db.Faults.Record()
			report, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
				changeOf(hotel.RoomTypeID, oneNight(oneDay), test.change),
			}})
			assert.Equal(t, test.updates, count(stop(), "UpdateItem"))
			if test.refused != nil {
				sold := blame.As[*availability.SoldError](t, err)
				assert.Equal(t, test.refused, sold)
				assert.Equal(t, availability.NotWritten, report.Dates[0].Result)
			} else {
				require.NoError(t, err)
				assert.Equal(t, availability.Written, report.Dates[0].Result)
			}
			assert.Equal(t, test.overbooked, report.Dates[0].Overbooked)
			assert.Len(t, report.Overbooked(), min(test.overbooked, 1))
			n := nightOf(t, repo, hotel, oneDay)
			assert.Equal(t, []int{test.left, test.total}, []int{n.Available, n.Total})
		})
	}
}

// Two callers that change the same night: the later one reads it again, and sets all of its values.
func TestUpdateThatIsOvertaken(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 10)
	sell(t, db, hotel, 2)
	beforeWrite(db, func() {
		update(t, direct(db), hotel, oneNight(oneDay), availability.Change{Rooms: ptr(6), Price: money("1.00 USD"), MinStay: ptr(4)})
	})
	dyntest.Budget(t, db, dyntest.Cost{Requests: 2 + 1 + 2, ReadUnits: 4, WriteUnits: 5}, func() {
		report := update(t, repo, hotel, oneNight(oneDay), availability.Change{Rooms: ptr(7), Price: money("2.00 USD")})
		assert.Equal(t, 1, report.Count(availability.Written))
	})
	n := nightOf(t, repo, hotel, oneDay)
	assert.Equal(t, []int{7, 5, 4}, []int{n.Total, n.Available, n.MinStay})
	assert.Equal(t, money("2.00 USD"), n.Price)
}

// If the other caller happens to set the same values, the report does not claim its write.
func TestUpdateOvertakenByTheSameValues(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 10)
	beforeWrite(db, func() { update(t, direct(db), hotel, oneNight(oneDay), availability.Change{Rooms: ptr(6)}) })
	report := update(t, repo, hotel, oneNight(oneDay), availability.Change{Rooms: ptr(6)})
	assert.Equal(t, availability.Unchanged, report.Dates[0].Result)
	assert.Equal(t, 6, nightOf(t, repo, hotel, oneDay).Available)
}

// A lost request is sent again, a lost response is recognised by the write id, and neither moves the rooms twice.
func TestUpdateWithLostRequestsAndResponses(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]dyntest.Fault{
		"request": dyntest.LoseRequest(), "response": dyntest.LoseAnswer(), "error after commit": dyntest.InternalErrorAfterCommit(),
		"throttled": dyntest.Throttle(), "conflict": dyntest.Conflict(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 10)
			db.Faults.Inject(fault, dyntest.When{Operation: "UpdateItem", Nth: 1})
			report := update(t, repo, hotel, oneNight(oneDay), availability.Change{Rooms: ptr(7)})
			assert.Equal(t, availability.Written, report.Dates[0].Result)
			n := nightOf(t, repo, hotel, oneDay)
			assert.Equal(t, []int{7, 7}, []int{n.Total, n.Available})
		})
	}
}

// An update whose response is lost, and whose night cannot be read after that, is reported as unknown. A repetition
// finishes it.
func TestUpdateWithAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]dyntest.Fault{"request": dyntest.LoseRequest(), "response": dyntest.LoseAnswer()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, _ := openHotel(t, 10)
			repo := availability.New(withRetry(db, dynastay.Retry{Attempts: 1}))
			lost := db.Faults.Inject(fault, dyntest.When{Operation: "UpdateItem"})
			unread := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "GetItem"})
			u := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
				changeOf(hotel.RoomTypeID, oneNight(oneDay), availability.Change{Rooms: ptr(7)}),
			}}
			report, err := repo.Update(t.Context(), u)
			require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			assert.Equal(t, availability.Unknown, report.Dates[0].Result)
			assert.Equal(t, report.Dates, report.Retry())
			lost.Stop()
			unread.Stop()

			u.Only = report.Retry()
			_, err = repo.Update(t.Context(), u)
			require.NoError(t, err)
			n := nightOf(t, repo, hotel, oneDay)
			assert.Equal(t, []int{7, 7}, []int{n.Total, n.Available})
		})
	}
}

// withRetry opens the same tables as another process would.
func withRetry(db *dyntest.DB, retry dynastay.Retry) *dynastay.DB {
	return db.Open(&dynastay.Options{Clock: fixture.Clock, Retry: retry})
}

// A night that other software wrote has no write id; its first update is conditional on what was read, not on what
// sales change, and adopts it.
func TestUpdateOfANightWithoutAWriteID(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoom(t, db, roomTypeID)
	putNights(t, db, night(roomTypeID, oneDay, dynastay.Item{
		"LastUpdated": dynastay.Text("2026-01-01T00:00:00Z"), "Note": dynastay.Text("keep"), "GSI1SK": dynastay.Text("stale"),
	}))
	hotel := fixture.Hotel{RoomTypeID: roomTypeID}
	c := changeOf(roomTypeID, oneNight(oneDay), availability.Change{Rooms: ptr(4)})
	u := availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{c}}

	beforeWrite(db, func() {
		change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#" + oneDay},
			"AvailableRooms = AvailableRooms - :n, LastUpdated = :t",
			dynastay.Item{":n": dynastay.Number(1), ":t": dynastay.Text("2026-05-01T00:00:00Z")})
	})
	stop := db.Faults.Record()
	_, err := repo.Update(t.Context(), u)
	require.NoError(t, err)
	assert.Equal(t, 1, count(stop(), "UpdateItem"), "a sale does not overtake it")
	item := stored(t, db, hotel.RoomTypeID, oneDay)
	assert.Equal(t, number("3"), item["AvailableRooms"])
	assert.Equal(t, dynastay.Text("keep"), item["Note"])
	assert.Equal(t, dynastay.Text("DATE#2026-07-10#ROOM#room_789"), item["GSI1SK"])
	assert.Contains(t, item, "WriteId")
}

// Other software may write a night without changing its write id, against the rule. The property is checked
// nevertheless, because the key does not contain it.
func TestUpdateOfANightThatMovedToAnotherProperty(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 10)
	beforeWrite(db, func() {
		change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + hotel.RoomTypeID, SK: "DATE#" + oneDay},
			"PropertyId = :p", dynastay.Item{":p": dynastay.Text("prop_other")})
	})
	_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, oneNight(oneDay), availability.Change{Rooms: ptr(7)}),
	}})
	assert.ErrorIs(t, err, availability.ErrNotOpen)
	assert.Equal(t, number("10"), stored(t, db, hotel.RoomTypeID, oneDay)["TotalRooms"])
}

// A night that was deleted after it was read is not open.
func TestUpdateOfANightThatWasDeleted(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 10)
	beforeWrite(db, func() { remove(t, db, hotel.RoomTypeID, oneDay) })
	_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, oneNight(oneDay), availability.Change{Rooms: ptr(7)}),
	}})
	assert.ErrorIs(t, err, availability.ErrNotOpen)
	assert.Nil(t, stored(t, db, hotel.RoomTypeID, oneDay))
}

// Totals move up and down while rooms are sold beyond the total, in two processes, with conflicts, lost requests and
// lost responses: total = sold + left, and no limit is exceeded.
func TestRaceOfTotalsAndSales(t *testing.T) {
	t.Parallel()
	db, hotel, _ := openHotel(t, 10)
	night := oneNight("2026-07-10")
	db.Faults.Conflicts(time.Millisecond)
	db.Faults.Inject(dyntest.AnyOf(dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.InternalErrorAfterCommit()),
		dyntest.When{Chance: 0.15, Operation: "UpdateItem"})
	opts := &dynastay.Options{TablePrefix: prefixOf(db), Clock: fixture.Clock, Retry: dynastay.Retry{Base: time.Millisecond, Attempts: 40}}
	var wg sync.WaitGroup
	var sold atomic.Int64
	for range 2 {
		proc := dynastay.Open(db.Client, opts)
		repo := availability.New(proc)
		for range 2 {
			wg.Go(func() {
				for range 40 {
					total := 3 + rand.IntN(8)
					over := rand.IntN(3)
					_, err := repo.Update(context.Background(), updateOf(hotel, night, availability.Change{Rooms: &total, Overbook: over, MinStay: ptr(rand.IntN(2))}))
					if err != nil && !errors.Is(err, dynastay.ErrOutcomeUnknown) {
						assert.ErrorAs(t, err, new(*availability.SoldError))
					}
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				for range 15 {
					req, err := hotel.Card().QuoteRequest(night, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: hotel.RoomTypeID, Quantity: 1})
					assert.NoError(t, err)
					req.Overbook = 2
					quote, err := availability.New(db.Direct).Quote(context.Background(), req)
					if err != nil {
						continue
					}
					_, err = bookings.New(proc, nil).Create(context.Background(), fixture.Request(quote))
					if err == nil {
						sold.Add(1)
					} else { // a sale is a transaction, and no response to one is lost here
						assert.ErrorAs(t, err, new(*bookings.Refused))
					}
				}
			})
		}
	}
	wg.Wait()
	n := nightOf(t, availability.New(db.Direct), hotel, "2026-07-10")
	require.NotZero(t, sold.Load())
	assert.Equal(t, n.Total-int(sold.Load()), n.Available)
	assert.GreaterOrEqual(t, n.Available, -2, "no update lowers the total below what Overbook allows, and no sale goes beyond 2")
}
