package availability_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// updateOf requests a change of the fixture's room type.
func updateOf(h fixture.Hotel, dates dynastay.Stay, c availability.Change) availability.UpdateRequest {
	return availability.UpdateRequest{PropertyID: h.ID, Changes: []availability.Change{changeOf(h.RoomTypeID, dates, c)}}
}

// If the nights cannot be read, none is written, and all can be retried.
func TestRetryAfterAFailedRead(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]dyntest.Fault{"500": dyntest.InternalError(), "lost": dyntest.LoseAnswer()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 5)
			i := db.Faults.Inject(fault, dyntest.When{Operation: "Query", Table: keys.AvailabilityTable.Name})
			report, err := repo.Update(t.Context(), updateOf(hotel, july, availability.Change{Price: money("200.00 USD")}))
			i.Stop()
			require.Error(t, err)
			require.Equal(t, 7, report.Count(availability.NotWritten))
			assert.Len(t, report.Retry(), 7, "the database could not be reached")
		})
	}
}

// The same if the room types cannot be read: a loop that retries what the report says must not end without a write.
func TestRetryAfterTheRoomTypesCannotBeRead(t *testing.T) {
	t.Parallel()
	db, hotel, _ := openHotel(t, 5)
	repo := availability.New(withRetry(db, dynastay.Retry{Attempts: 1}))
	lost := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "BatchGetItem"})
	request := updateOf(hotel, july, availability.Change{MinStay: ptr(2), ClosedToDeparture: ptr(true)})
	first, err := repo.Update(t.Context(), request)
	lost.Stop()
	failed := blame.As[*availability.UpdateError](t, err)
	assert.Len(t, failed.Dates, 14)
	request.Only = first.Retry()
	assert.Len(t, request.Only, 14)
	later, err := repo.Update(t.Context(), request)
	require.NoError(t, err)
	assert.Equal(t, 14, first.Merge(later).Count(availability.Written))
}

// The same if a night that another caller changed cannot be read again.
func TestRetryAfterAFailedSecondRead(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	direct := availability.New(db.Direct)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.Update(ctx, updateOf(hotel, oneNight("2026-07-10"), availability.Change{MinStay: ptr(2)}))
		assert.NoError(t, err)
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	db.Faults.Inject(dyntest.InternalError(), dyntest.When{Operation: "GetItem"})
	report, err := repo.Update(t.Context(), updateOf(hotel, oneNight("2026-07-10"), availability.Change{Price: money("200.00 USD")}))
	require.Error(t, err)
	assert.Len(t, report.Retry(), 1)
}

// A night of other software may be so large that DynamoDB rejects its update. That does not stop the others.
func TestOneNightThatIsTooLarge(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	item := stored(t, db, hotel.RoomTypeID, "2026-07-01")
	delete(item, "WriteId")
	item["Notes"] = dynastay.Text(strings.Repeat("x", 400<<10))
	for {
		_, err := db.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(db.TableName(keys.AvailabilityTable)), Item: item})
		if err == nil {
			break
		}
		item["Notes"] = dynastay.Text(dynastay.RowOf(item).Text("Notes")[8:])
	}
	report, err := repo.Update(t.Context(), updateOf(hotel, dynastay.MustStay("2026-07-01", "2026-08-01"), availability.Change{MinStay: ptr(2), MaxStay: ptr(20)}))
	require.Error(t, err)
	assert.Equal(t, 30, report.Count(availability.Written), "only one night cannot be written")
}

// A request is lost, and rooms are sold before it is sent again: its condition no longer holds. The lost request could
// still be carried out if rooms are returned, so the outcome is unknown, and the same request is not sent over and
// over.
func TestLostRequestThenSold(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 10)
	sell(t, db, hotel, 2)
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	db.Faults.Inject(dyntest.After(func(context.Context) { sell(t, db, hotel, 4) }), dyntest.When{Operation: "GetItem", Nth: 1})
	stop := db.Faults.Record()
	u := updateOf(hotel, oneNight(oneDay), availability.Change{Rooms: ptr(5), Overbook: 1})
	report, err := repo.Update(t.Context(), u)
	require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Equal(t, 2, count(stop(), "UpdateItem"))
	u.Only = report.Retry()
	report, err = repo.Update(t.Context(), u)
	require.NoError(t, err)
	assert.Equal(t, 1, report.Dates[0].Overbooked)
}

// Rooms that were returned after the nights were read are taken into account before a total is refused.
func TestRoomsReturnedBeforeATotalIsRefused(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 10)
	sell(t, db, hotel, 8)
	db.Faults.Inject(dyntest.After(func(context.Context) { sell(t, db, hotel, -1) }), dyntest.When{Operation: "Query", Nth: 1})
	report, err := repo.Update(t.Context(), updateOf(hotel, oneNight(oneDay), availability.Change{Rooms: ptr(7)}))
	require.NoError(t, err)
	assert.Equal(t, availability.Written, report.Dates[0].Result)
	n := nightOf(t, repo, hotel, oneDay)
	assert.Equal(t, []int{7, 0}, []int{n.Total, n.Available})

	dyntest.Budget(t, db, dyntest.Cost{Requests: 3, ReadUnits: 4}, func() {
		_, err = repo.Update(t.Context(), updateOf(hotel, oneNight(oneDay), availability.Change{Rooms: ptr(6)}))
	})
	blame.As[*availability.SoldError](t, err)
}

// Nothing can be subtracted from a number that is missing, so such a night cannot be overbooked.
func TestOverbookingANightWithoutAvailableRooms(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]dynastay.Item{"missing": {"AvailableRooms": nil}, "NULL": {"AvailableRooms": null}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			putNights(t, db, night(roomTypeID, "2026-07-10", v, dynastay.Item{"OverbookLimit": dynastay.Number(1)}))
			req := request(oneNight("2026-07-10"), room(roomTypeID, 1))
			req.Overbook = 1
			quote, err := repo.Quote(t.Context(), req)
			require.NoError(t, err)
			stop := db.Faults.Record()
			_, err = sold(t, db.DB, quote)
			refused := blame.As[*availability.Refused](t, err)
			assert.True(t, refused.Has(availability.SoldOut))
			assert.Len(t, stop(), 3, "a read before the transaction, and one after it")

			quote.Overbook = 0
			stop = db.Faults.Record()
			_, err = sold(t, db.DB, quote)
			require.ErrorAs(t, err, &refused)
			assert.True(t, refused.Has(availability.SoldOut))
			assert.Len(t, stop(), 2, "a read after the transaction")
		})
	}
}

// An overbooking is that of a night, and not of the departures on the next morning, which are stored with the night.
func TestDeparturesAreNotOverbooked(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	require.NoError(t, sellQuote(t, db.DB, repo, hotel.Quote(t, db.DB, oneNight("2026-07-10"), 5)))
	report, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, oneNight("2026-07-10"), availability.Change{Rooms: ptr(3), Overbook: 2}),
		changeOf(hotel.RoomTypeID, oneNight("2026-07-11"), availability.Change{ClosedToDeparture: ptr(true)}),
	}})
	require.NoError(t, err)
	assert.Equal(t, []availability.DateReport{
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-10"), Result: availability.Written, Overbooked: 2},
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-11"), Departure: true, Result: availability.Written},
	}, report.Dates)
	assert.Len(t, report.Overbooked(), 1)
}

// A night that is overbooked counts all of its rooms as sold, and reports its overbooking only if the rooms were asked for.
func TestUpdateOfAnOverbookedNight(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	require.NoError(t, sellQuote(t, db.DB, repo, hotel.Quote(t, db.DB, oneNight("2026-07-10"), 5)))
	update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{Rooms: ptr(3), Overbook: 2})
	report := update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{MinStay: ptr(2)})
	assert.Zero(t, report.Dates[0].Overbooked)
	_, err := repo.Update(t.Context(), updateOf(hotel, oneNight("2026-07-10"), availability.Change{Rooms: ptr(2), Overbook: 2}))
	sold := blame.As[*availability.SoldError](t, err)
	assert.Equal(t, availability.SoldError{Sold: 5, Rooms: 2}, *sold)
}

// A night of other software without the attributes of its key cannot be updated, which is not the fault of the request.
func TestUpdateOfANightWithoutDate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Date", "RoomTypeId"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			putRoomType(t, db, roomTypeID)
			putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{name: nil}))
			_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{
				changeOf(roomTypeID, oneNight("2026-07-10"), availability.Change{MinStay: ptr(2)}),
			}})
			assert.ErrorIs(t, err, dynastay.ErrCorrupt)
			assert.NotErrorIs(t, err, dynastay.ErrInvalid)
		})
	}
}

// If nothing is worth retrying, a retry writes nothing, instead of everything.
func TestOnlyOfAnEmptyRetry(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	request := updateOf(hotel, dynastay.MustStay("2026-07-31", "2026-08-02"), availability.Change{MinStay: ptr(2)})
	report, err := repo.Update(t.Context(), request)
	require.Error(t, err, "1 August is not open")
	update(t, availability.New(db.Direct), hotel, oneNight("2026-07-31"), availability.Change{MinStay: ptr(5)})
	request.Only = report.Retry()
	again, err := repo.Update(t.Context(), request)
	require.NoError(t, err)
	assert.Empty(t, again.Dates)
	assert.Equal(t, 5, nightOf(t, repo, hotel, "2026-07-31").MinStay, "the change of another caller was overridden")
}

// The caller can recover a panic of the progress function.
func TestProgressPanics(t *testing.T) {
	t.Parallel()
	for _, dates := range []dynastay.Stay{july, oneNight(oneDay)} {
		_, hotel, repo := openHotel(t, 5)
		request := updateOf(hotel, dates, availability.Change{MinStay: ptr(2)})
		request.Progress = func(int, int) { panic("progress") }
		assert.PanicsWithValue(t, "progress", func() { _, _ = repo.Update(t.Context(), request) })
	}
}

// A hotelier changes a whole month although some of its nights are not open.
func TestUpdateOpenOnly(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	request := updateOf(hotel, dynastay.MustStay("2026-07-30", "2026-08-03"), availability.Change{MinStay: ptr(2), ClosedToDeparture: ptr(true)})
	request.OpenOnly = true
	report, err := repo.Update(t.Context(), request)
	require.NoError(t, err)
	assert.Len(t, report.Dates, 5, "two nights, and the departures on three dates")
	assert.Equal(t, 5, report.Count(availability.Written))
}

// Nor does it matter that the month has begun.
func TestUpdateOpenOnlyOfAMonthThatHasBegun(t *testing.T) {
	t.Parallel()
	db, hotel, _ := openHotel(t, 5)
	repo := availability.New(dynastay.Open(db.Client, &dynastay.Options{
		TablePrefix: prefixOf(db), Clock: func() time.Time { return date("2026-07-29").Time().Add(12 * time.Hour) },
	}))
	request := updateOf(hotel, dynastay.MustStay("2026-07-27", "2026-08-01"), availability.Change{MinStay: ptr(2), ClosedToDeparture: ptr(true)})
	request.OpenOnly = true
	report, err := repo.Update(t.Context(), request)
	require.NoError(t, err)
	assert.Len(t, report.Dates, 6, "the nights from today on, and the departures on their dates")
	assert.Equal(t, 6, report.Count(availability.Written))
	assert.NotEqual(t, 2, nightOf(t, repo, hotel, "2026-07-28").MinStay)
}

// Changes that together set limits that no stay can meet are refused before anything is read or written.
func TestMergedLimitsConflict(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	stop := db.Faults.Record()
	_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, july, availability.Change{MinStay: ptr(5)}),
		changeOf(hotel.RoomTypeID, oneNight("2026-07-10"), availability.Change{MaxStay: ptr(3)}),
	}})
	blame.Invalid(t, err, "Changes", "MinStay above MaxStay")
	assert.EqualError(t, err, "invalid Changes: must not together set MinStay (5) above MaxStay (3), as for room type "+hotel.RoomTypeID+" on 2026-07-10")
	assert.Empty(t, stop())
}

// A room type that Only leaves out may have been deleted.
func TestOnlyWithADeletedRoomType(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	request := updateOf(hotel, oneNight("2026-07-10"), availability.Change{MinStay: ptr(2)})
	request.Changes[0].RoomTypeIDs = append(request.Changes[0].RoomTypeIDs, "room_gone")
	request.Only = []availability.DateReport{{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-10")}}
	_, err := repo.Update(t.Context(), request)
	assert.NoError(t, err, "room_gone is not among the dates of Only")
}

// A night of a different property does not matter on a date that is not to be opened.
func TestOpenIgnoresOtherWeekdays(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	putNights(t, db, night(roomTypeID, "2026-07-14", dynastay.Item{"PropertyId": dynastay.Text("prop_other")})) // a Tuesday
	got, err := repo.Open(t.Context(), availability.OpenRequest{
		PropertyID: propertyID, RoomTypeID: roomTypeID, Nights: dynastay.MustStay("2026-07-08", "2026-07-22"), Weekdays: availability.On(time.Friday), Rooms: 1, Price: fixture.Price,
	})
	require.NoError(t, err)
	assert.Len(t, got.Opened, 2)
}

// A failed assertion in the progress function ends its goroutine, and the update goes on.
func TestProgressGoexit(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	request := updateOf(hotel, july, availability.Change{MinStay: ptr(2)})
	var calls atomic.Int64
	request.Progress = func(int, int) { calls.Add(1); runtime.Goexit() }
	report, err := repo.Update(t.Context(), request)
	require.NoError(t, err)
	assert.Equal(t, 7, report.Count(availability.Written))
	assert.EqualValues(t, 7, calls.Load())
}

// Departures are stored with the night before: at the ends of what is open, and today.
func TestDeparturesAtTheEdges(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.At(fixture.Now))
	hotel, repo := fixture.New(t, db.DB, 5), availability.New(db.DB)
	report, err := repo.Update(t.Context(), updateOf(hotel, dynastay.MustStay("2026-06-30", "2026-08-03"), availability.Change{ClosedToDeparture: ptr(true)}))
	require.Error(t, err)
	var failed []string
	for _, d := range report.Dates {
		if d.Err != nil {
			failed = append(failed, d.Date.String())
			assert.ErrorIs(t, d.Err, availability.ErrNotOpen)
		}
	}
	assert.Equal(t, []string{"2026-06-30", "2026-07-01", "2026-08-02"}, failed)
	db.Clock.Set(time.Date(2026, 7, 10, 15, 0, 0, 0, time.UTC))
	report, err = repo.Update(t.Context(), updateOf(hotel, dynastay.MustStay("2026-07-09", "2026-07-12"), availability.Change{MinStay: ptr(4), ClosedToDeparture: ptr(false)}))
	require.Error(t, err)
	assert.ErrorIs(t, report.Dates[0].Err, availability.ErrPast)
	assert.ErrorIs(t, report.Dates[1].Err, availability.ErrPast)
	assert.Equal(t, availability.Written, report.Dates[2].Result)
	assert.Equal(t, availability.Written, report.Dates[5].Result)
	c, err := repo.Calendar(t.Context(), hotel.ID, dynastay.MustStay("2026-07-09", "2026-07-14"))
	require.NoError(t, err)
	var closed []int
	for _, d := range c.Days {
		closed = append(closed, len(d.ClosedToDeparture))
	}
	assert.Equal(t, []int{1, 0, 0, 1, 1}, closed)
}

// The last and the first dates of the calendar.
func TestYear9999(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.At(time.Date(9999, 12, 28, 12, 0, 0, 0, time.UTC)))
	repo := availability.New(db.DB)
	putRoomType(t, db, roomTypeID)
	last := dynastay.MustStay("9999-12-28", "9999-12-31")
	_, err := repo.Open(t.Context(), availability.OpenRequest{PropertyID: propertyID, RoomTypeID: roomTypeID, Nights: last, Rooms: 5, Price: fixture.Price})
	require.NoError(t, err)
	report, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{
		changeOf(roomTypeID, last, availability.Change{Rooms: ptr(3), ClosedToDeparture: ptr(true)}),
	}})
	assert.ErrorIs(t, err, availability.ErrNotOpen)
	assert.Equal(t, 5, report.Count(availability.Written), "all but the departures on the first date")
	c, err := repo.Calendar(t.Context(), propertyID, last)
	require.NoError(t, err)
	assert.Len(t, c.Days, 3)
	assert.Len(t, c.Days[0].Nights, 1)
	assert.Equal(t, []string{roomTypeID}, c.Days[1].ClosedToDeparture)
	_, err = repo.CloseSales(t.Context(), propertyID)
	require.NoError(t, err)
	_, err = repo.ReopenSales(t.Context(), propertyID)
	require.NoError(t, err)
}
