package availability_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// nightsOf reads the nights of a room type without the library, from a date on.
func nightsOf(t require.TestingT, db *dyntest.DB, roomTypeID, from string) (all []dynastay.Row) {
	all, err := dynastay.QueryAll(context.Background(), db.Direct, keys.AvailabilityTable, dynastay.Query{
		Partition: "ROOM#" + roomTypeID, Range: dynastay.Range{From: "DATE#" + from}, Consistent: true,
	})
	require.NoError(t, err)
	return all
}

// closed counts the nights that are marked as closed, and those that are not.
func closed(t require.TestingT, db *dyntest.DB, roomTypeIDs ...string) (closed, open int) {
	for _, id := range roomTypeIDs {
		for _, row := range nightsOf(t, db, id, "2026-06-01") {
			if row.Value(keys.AttrPropertyClosed).Bool() {
				closed++
			} else {
				open++
			}
		}
	}
	return closed, open
}

func TestCloseAndReopenSales(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	update(t, repo, hotel, july, availability.Change{StopSell: ptr(true), StopSellReason: "painting"})
	offer := hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-20", "2026-07-22"), 1)
	before := nightsOf(t, db, hotel.RoomTypeID, "2026-07-01")

	// The property with its room type, two for the guard, one transaction for 31 nights, and a Query before and after
	// it. The transaction of the guard checks the property, which has 2 KB.
	var done availability.SalesChange
	dyntest.Budget(t, db, dyntest.Cost{Requests: 6, ReadUnits: 10, WriteUnits: 2 + 4 + 2 + 3*31}, func() {
		var err error
		done, err = repo.CloseSales(t.Context(), hotel.ID)
		require.NoError(t, err)
	})
	assert.Equal(t, availability.SalesChange{RoomTypes: 1, Nights: 31}, done)

	_, err := repo.Quote(t.Context(), request2(hotel, offer.Stay))
	refused := blame.As[*availability.Refused](t, err)
	assert.True(t, refused.Has(availability.PropertyClosed))
	err = sellQuote(t, db.DB, repo, offer)
	require.ErrorAs(t, err, &refused)
	_, err = repo.Open(t.Context(), availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 1, Price: fixture.Price, Nights: dynastay.MustStay("2026-09-01", "2026-09-02"),
	})
	assert.ErrorIs(t, err, availability.ErrClosed)
	stop := db.Faults.Record()
	again, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 1}, again)
	assert.Zero(t, count(stop(), "TransactWriteItems"), "a repetition writes nothing")
	report := update(t, repo, hotel, oneNight("2026-07-21"), availability.Change{MinStay: ptr(2)})
	assert.Equal(t, 1, report.Count(availability.Written), "the host's values can still be changed")
	assert.True(t, nightOf(t, repo, hotel, "2026-07-21").PropertyClosed)
	update(t, repo, hotel, oneNight("2026-07-21"), availability.Change{MinStay: ptr(0)})

	done, err = repo.ReopenSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 1, Nights: 31}, done)
	after := nightsOf(t, db, hotel.RoomTypeID, "2026-07-01")
	require.Len(t, after, len(before))
	for i := range before {
		want, got := withoutWrites(before[i]), withoutWrites(after[i])
		assert.Equal(t, want, got, "every other value is as it was")
	}
	require.NoError(t, sellQuote(t, db.DB, repo, offer))
	stop = db.Faults.Record()
	again, err = repo.ReopenSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 1}, again)
	assert.Zero(t, count(stop(), "TransactWriteItems"), "a repetition writes nothing")
}

// A closing is for the room types that there are.
func TestRoomTypesAddedLaterAreNotClosed(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	rooms, err := properties.New(db.DB, nil).AddRoomTypes(t.Context(), hotel.ID, []properties.RoomType{
		{Name: "Twin", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 5},
	})
	require.NoError(t, err)
	opened, err := repo.Open(t.Context(), availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: rooms[0].ID, Nights: fixture.Stay, Rooms: 5, Price: fixture.Price,
	})
	require.NoError(t, err)
	assert.Len(t, opened.Opened, fixture.Stay.Nights())
	for roomType, sold := range map[string]bool{rooms[0].ID: true, hotel.RoomTypeID: false} {
		can, err := repo.Check(t.Context(), hotel.ID, roomType, 1, fixture.Stay)
		require.NoError(t, err)
		assert.Equal(t, sold, can.OK(), roomType)
	}
}

func withoutWrites(row dynastay.Row) dynastay.Item {
	item := dynastay.Item{}
	for name, v := range row.Item() {
		if name != "WriteId" && name != "LastUpdated" {
			item[name] = v
		}
	}
	return item
}

// request2 requests one room of the fixture's hotel.
func request2(h fixture.Hotel, stay dynastay.Stay) availability.QuoteRequest {
	req := request(stay, room(h.RoomTypeID, 1))
	req.Property.ID = h.ID
	return req
}

// sellQuote sells a quote, as package bookings does, but writes no booking.
func sellQuote(t *testing.T, db *dynastay.DB, repo *availability.Repository, q *availability.Quote) error {
	sale := repo.Sale(q)
	_, err := dynastay.Do(t.Context(), db, dynastay.NewOp(dynastay.OpSpec[availability.Sold]{
		Name: "test.Sell", Contest: sale.Contest(), Prepare: sale.Add,
	}))
	return err
}

// Nights of the past, of a different property under the same room type id, and those that a property does not have, are
// left alone.
func TestCloseSalesOfItemsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return time.Date(2026, 7, 10, 3, 0, 0, 0, time.UTC) }}))
	repo := availability.New(db.DB)
	putProperty(t, db, "America/New_York") // where it is still the 9th
	putRoom(t, db, roomTypeID)             // without a guard
	putRoom(t, db, "a#b")
	putNights(t, db, night(roomTypeID, "2026-07-07"), night(roomTypeID, "2026-07-08"),
		night(roomTypeID, "2026-07-10", dynastay.Item{keys.AttrPropertyClosed: no}),
		night(roomTypeID, "2026-07-11", dynastay.Item{"PropertyId": dynastay.Text("prop_124")}),
		night(roomTypeID, "2026-07-12", dynastay.Item{keys.AttrPropertyClosed: yes}),
	)
	done, err := repo.CloseSales(t.Context(), propertyID)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 1, Nights: 2}, done)
	var marked []string
	for _, row := range nightsOf(t, db, roomTypeID, "2026-07-01") {
		if row.Value(keys.AttrPropertyClosed).Bool() {
			marked = append(marked, row.Text("Date"))
		}
	}
	assert.Equal(t, []string{"2026-07-08", "2026-07-10", "2026-07-12"}, marked, "from yesterday on")
	guard, err := db.Direct.Get(t.Context(), keys.PropertiesTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "GUARD"})
	require.NoError(t, err)
	assert.Equal(t, []string{propertyID, "Guard"}, []string{guard.Text("PropertyId"), guard.Text("EntityType")})

	_, err = repo.CloseSales(t.Context(), "prop_unknown")
	assertKind(t, err, dynastay.ErrNotFound, "")
	_, err = repo.CloseSales(t.Context(), "a#b")
	blame.Invalid(t, err, "PropertyID", "CloseSales")
}

// A room type whose guard names a different property cannot be closed, and that is an error.
func TestCloseSalesOfARoomTypeOfADifferentProperty(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoom(t, db, roomTypeID)
	putGuard(t, db, roomTypeID, "prop_124", nil)
	for _, call := range []func(context.Context, string) (availability.SalesChange, error){repo.CloseSales, repo.ReopenSales} {
		_, err := call(t.Context(), propertyID)
		assertKind(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
	}
}

// A room type without a guard was never closed, so reopening it changes nothing.
func TestReopenSalesWithoutAGuard(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoom(t, db, roomTypeID)
	putNights(t, db, night(roomTypeID, oneDay, dynastay.Item{keys.AttrPropertyClosed: yes}))
	done, err := repo.ReopenSales(t.Context(), propertyID)
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: 1, Nights: 1}, done)
	assert.False(t, guardOf(t, db, roomTypeID).Exists())

	putNights(t, db, night(roomTypeID, oneDay, dynastay.Item{keys.AttrPropertyClosed: yes}))
	onNth(db, "TransactWriteItems", 1, func(ctx context.Context) {
		_, err := direct(db).CloseSales(ctx, propertyID)
		assert.NoError(t, err)
	})
	_, err = repo.ReopenSales(t.Context(), propertyID)
	assertKind(t, err, availability.ErrClosed, "")
}

// The guard of a room type that was deleted while the sales were being reopened stays closed.
func TestReopenSalesOfADeletedRoomType(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	db.Faults.Inject(dyntest.Before(func(context.Context) {
		_, err := dynastay.Do(context.Background(), db.Direct, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "test.Delete", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
				tx.Delete(keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + hotel.ID, SK: "ROOM#" + hotel.RoomTypeID})
				return none, nil
			},
		}))
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err = repo.ReopenSales(t.Context(), hotel.ID)
	assertKind(t, err, dynastay.ErrNotFound, "")
	guard, err := db.Direct.Get(t.Context(), keys.PropertiesTable, dynastay.Key{PK: "ROOM#" + hotel.RoomTypeID, SK: "GUARD"})
	require.NoError(t, err)
	assert.NotEmpty(t, guard.Text(keys.AttrClosed))
}

// Whoever changes the guard last wins: the other caller is refused at its next transaction, and leaves no night in the
// wrong state.
func TestClosingAndReopeningMeet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		first     func(*availability.Repository, context.Context, string) (availability.SalesChange, error)
		second    func(*availability.Repository, context.Context, string) (availability.SalesChange, error)
		lost      error
		wantMarks int
	}{
		{"closing is overtaken", (*availability.Repository).CloseSales, (*availability.Repository).ReopenSales, availability.ErrReopened, 0},
		{"reopening is overtaken", (*availability.Repository).ReopenSales, (*availability.Repository).CloseSales, availability.ErrClosed, 31},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 5)
			if test.wantMarks > 0 {
				_, err := repo.CloseSales(t.Context(), hotel.ID)
				require.NoError(t, err)
			}
			// After the first caller has changed the guard and read the nights.
			db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				_, err := test.second(direct(db), ctx, hotel.ID)
				assert.NoError(t, err)
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
			_, err := test.first(repo, t.Context(), hotel.ID)
			assertKind(t, err, test.lost, "")
			marked, open := closed(t, db, hotel.RoomTypeID)
			assert.Equal(t, []int{test.wantMarks, 31 - test.wantMarks}, []int{marked, open})
		})
	}
}

// A night that was committed a moment ago, and that the first Query misses, is closed as well.
func TestCloseSalesReadsAgain(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	db.Faults.Inject(dyntest.Before(func(context.Context) {
		putNights(t, db, night(hotel.RoomTypeID, "2026-08-20", dynastay.Item{"PropertyId": dynastay.Text(hotel.ID)}))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2}) // the first one changes the guard
	done, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, 32, done.Nights)
	_, open := closed(t, db, hotel.RoomTypeID)
	assert.Zero(t, open)
}

// bigHotel stores a property with many room types, and opens nights of each.
func bigHotel(t *testing.T, db *dyntest.DB, rooms, nights int) (ids []string) {
	t.Helper()
	for i := range rooms {
		id := fmt.Sprintf("room_%03d", i)
		putRoomType(t, db, id)
		ids = append(ids, id)
		_, err := direct(db).Open(t.Context(), availability.OpenRequest{
			PropertyID: propertyID, RoomTypeID: id, Rooms: 5, Price: fixture.Price,
			Nights: dynastay.Stay{CheckIn: date("2026-07-01"), CheckOut: date("2026-07-01").AddDays(nights)},
		})
		require.NoError(t, err)
	}
	return ids
}

var closings = flag.Int("closings", 3, "how many of the requests of closing a property to break off; -1 for all")

// Closing or reopening a property of 49 room types is interrupted before or after a request, and repeated.
// With the flag -closings=-1, at every request.
func TestClosingIsResumable(t *testing.T) {
	t.Parallel()
	const rooms, nights = 49, 2 // the most whose guards are reopened in one transaction
	db, _ := open(t)
	ids := bigHotel(t, db, rooms, nights)
	once := availability.New(withRetry(db, dynastay.Retry{Attempts: 1}))
	ctx := t.Context()
	type move struct {
		name string
		do   func(*availability.Repository, context.Context, string) (availability.SalesChange, error)
		want int // closed nights
	}
	moves := []move{
		{"close", (*availability.Repository).CloseSales, rooms * nights},
		{"reopen", (*availability.Repository).ReopenSales, 0},
	}
	stop := db.Faults.Record()
	for _, m := range moves {
		_, err := m.do(once, ctx, propertyID)
		require.NoError(t, err)
	}
	requests := len(stop()) / len(moves)
	require.Equal(t, 1+2+rooms*3, requests, "the property, two for the guards, and three for each room type")
	step := 1
	if *closings > 0 {
		step = max(1, requests / *closings)
	}
	for nth := 1; nth <= requests; nth += step {
		for _, fault := range []dyntest.Fault{dyntest.LoseRequest(), dyntest.LoseAnswer()} {
			for _, m := range moves {
				// From this request on, nothing gets through, as if the program had ended.
				broken := db.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 10 * requests, Optional: true})
				_, err := m.do(once, ctx, propertyID)
				broken.Stop()
				require.Error(t, err, "%s, broken off at request %d", m.name, nth)
				_, err = m.do(once, ctx, propertyID)
				require.NoError(t, err)
				marked, open := closed(t, db, ids...)
				require.Equal(t, []int{m.want, rooms*nights - m.want}, []int{marked, open}, "%s, broken off at request %d", m.name, nth)
			}
		}
	}
}

// While a property is closed, 8 callers open nights and 8 sell them. When CloseSales has returned, nothing is on sale
// and nothing that starts after that is sold or opened.
func TestClosingRacesWithOpeningAndSales(t *testing.T) {
	t.Parallel()
	const rooms = 4
	db, _ := open(t)
	ids := bigHotel(t, db, rooms, 3)
	db.Faults.Conflicts(time.Millisecond)
	patient := dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}
	repos := make([]*availability.Repository, 2) // two processes
	dbs := make([]*dynastay.DB, 2)
	for i := range repos {
		dbs[i] = withRetry(db, patient)
		repos[i] = availability.New(dbs[i])
	}
	var wg sync.WaitGroup
	closedNow := make(chan struct{})
	late := func() bool {
		select {
		case <-closedNow:
			return true
		default:
			return false
		}
	}
	for i := range 8 {
		id, repo, own := ids[i%rooms], repos[i%2], dbs[i%2]
		wg.Go(func() { // opens one night after the other
			for n := 3; n < 200; n++ {
				started := late()
				day := date("2026-07-01").AddDays(n)
				got, err := repo.Open(context.Background(), availability.OpenRequest{
					PropertyID: propertyID, RoomTypeID: id, Rooms: 5, Price: fixture.Price,
					Nights: dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(1)},
				})
				if started {
					assert.Empty(t, got.Opened)
				}
				if err != nil {
					assert.ErrorIs(t, err, availability.ErrClosed)
					return
				}
			}
		})
		wg.Go(func() { // sells rooms of the first nights
			offer := quoteOf(t, request(dynastay.MustStay("2026-07-01", "2026-07-03"), room(id, 1)), fixture.Price)
			for {
				started := late()
				err := sellQuote(t, own, repo, offer)
				if started {
					assert.Error(t, err, "sold after the sales were closed")
				}
				if err != nil {
					assert.True(t, strings.Contains(err.Error(), string(availability.PropertyClosed)) || strings.Contains(err.Error(), string(availability.SoldOut)), "%v", err)
					if started {
						return
					}
				}
			}
		})
	}
	_, err := repos[0].CloseSales(t.Context(), propertyID)
	close(closedNow)
	require.NoError(t, err)
	wg.Wait()
	marked, open := closed(t, db, ids...)
	assert.Zero(t, open, "%d nights are closed", marked)
	assert.GreaterOrEqual(t, marked, rooms*3)
}
