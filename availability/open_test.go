package availability_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// opening is a valid request.
func opening(checkIn, checkOut string) availability.OpenRequest {
	return availability.OpenRequest{
		PropertyID: propertyID, RoomTypeID: roomTypeID, Nights: dynastay.MustStay(checkIn, checkOut),
		Rooms: 5, Price: money("280.00 USD"),
	}
}

func TestOpenWritesTheNightsOfTheRange(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	o := opening("2026-07-10", "2026-07-12")
	o.Price, o.MinStay, o.MaxStay = money("279.50 USD"), 2, 14

	got, err := repo.Open(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, availability.Opened{Opened: dates("2026-07-10", "2026-07-11")}, got)

	assert.Nil(t, stored(t, db, roomTypeID, "2026-07-09"))
	assert.Nil(t, stored(t, db, roomTypeID, "2026-07-12"), "the range is half-open")
	night := stored(t, db, roomTypeID, "2026-07-11")
	require.IsType(t, &types.AttributeValueMemberB{}, night["WriteId"], "an item that is read before it is written has a write id")
	delete(night, "WriteId")
	assert.Equal(t, dynastay.Item{
		"PK": dynastay.Text("ROOM#room_789"), "SK": dynastay.Text("DATE#2026-07-11"),
		"GSI1PK": dynastay.Text("PROPERTY#prop_123"), "GSI1SK": dynastay.Text("DATE#2026-07-11#ROOM#room_789"),
		"EntityType": dynastay.Text("Availability"),
		"RoomTypeId": dynastay.Text("room_789"), "PropertyId": dynastay.Text("prop_123"), "Date": dynastay.Text("2026-07-11"),
		"AvailableRooms": number("5"), "TotalRooms": number("5"),
		"PricePerNight": number("279.5"), "Currency": dynastay.Text("USD"),
		"MinStay": number("2"), "MaxStay": number("14"), "IsBlocked": no,
		"LastUpdated": dynastay.Text("2026-06-01T12:00:00Z"),
		"ExpiresAt":   number("1846886400"), // 2028-07-11T00:00:00Z
	}, night)
}

func TestOpenWithoutStayLimits(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	_, err := repo.Open(t.Context(), opening("2028-02-29", "2028-03-01"))
	require.NoError(t, err)
	item := stored(t, db, roomTypeID, "2028-02-29")
	assert.NotContains(t, item, "MinStay")
	assert.NotContains(t, item, "MaxStay")
	assert.NotContains(t, item, "BlockReason")
	assert.Equal(t, number("1898553600"), item["ExpiresAt"], "2030-03-01, because 2030 has no leap day")
}

func TestOpenLeavesExistingNightsAlone(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	stay := dynastay.MustStay("2026-07-30", "2026-08-01")
	_, err := bookings.New(db.DB, nil).Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, stay, 2)))
	require.NoError(t, err)
	sold := stored(t, db, hotel.RoomTypeID, "2026-07-31")

	o := opening("2026-07-31", "2026-08-02")
	o.PropertyID, o.RoomTypeID, o.Rooms, o.Price = hotel.ID, hotel.RoomTypeID, 4, money("1.00 USD")
	got, err := repo.Open(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, availability.Opened{Opened: dates("2026-08-01"), Already: dates("2026-07-31")}, got)
	assert.Equal(t, sold, stored(t, db, hotel.RoomTypeID, "2026-07-31"))
	assert.Equal(t, []int{3, 3}, hotel.Left(t, db.DB, stay))

	stop := db.Faults.Record()
	got, err = repo.Open(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, availability.Opened{Already: dates("2026-07-31", "2026-08-01")}, got, "it can be repeated")
	requests := stop()
	assert.Len(t, requests, 2)
	assert.Equal(t, 1, count(requests, "BatchGetItem"))
	assert.Equal(t, 1, count(requests, "Query"), "nights that are already open are only read")
	for _, r := range requests {
		assert.Contains(t, string(r.Body), `"ConsistentRead":true`)
	}
}

// The total of a room type is for nights that are opened later.
func TestFewerRoomsLeaveOpenNightsAlone(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	before := nightsOf(t, db, hotel.RoomTypeID, "2026-07-01")
	require.NotEmpty(t, before)
	_, err := properties.New(db.DB, nil).UpdateRoomType(t.Context(), hotel.ID, hotel.RoomTypeID, func(r *properties.RoomType) error {
		r.Total = 1
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, before, nightsOf(t, db, hotel.RoomTypeID, "2026-07-01"))
	_, err = repo.Open(t.Context(), availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Nights: oneNight("2026-09-01"), Rooms: 2, Price: fixture.Price,
	})
	blame.Invalid(t, err, "Rooms")
}

func TestOpenNeedsSeveralTransactions(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	o := opening("2026-07-01", "2027-03-08")
	require.Equal(t, 250, o.Nights.Nights())

	stop := db.Faults.Record()
	got, err := repo.Open(t.Context(), o)
	require.NoError(t, err)
	requests := stop()
	assert.Len(t, requests, 7)
	assert.Equal(t, 1, count(requests, "BatchGetItem"), "the room type is read once")
	assert.Equal(t, 3, count(requests, "Query"))
	assert.Equal(t, 3, count(requests, "TransactWriteItems"))
	assert.Equal(t, slices.Collect(o.Nights.Dates()), got.Opened, "every night once, in order")
	assert.Empty(t, got.Already)

	prices := allPrices(t, repo, dynastay.MustStay("2026-06-01", "2027-06-01"))
	require.Len(t, prices, 250)
	assert.Equal(t, date("2026-07-01"), prices[0].Date)
	assert.Equal(t, date("2027-03-07"), prices[249].Date)
}

// A full transaction has 99 nights and the guard. One operation with more nights is refused before any request.
func TestOpenOpAcceptsAtMost99Nights(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	full := opening("2026-07-01", "2026-10-08")
	require.Equal(t, 99, full.Nights.Nights())
	over := full
	over.Nights.CheckOut = full.Nights.CheckOut.AddDays(1)

	stop := db.Faults.Record()
	_, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(over))
	blame.Invalid(t, err, "Nights", "100 nights")
	assert.Empty(t, stop(), "no request was sent")

	got, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(full))
	require.NoError(t, err)
	assert.Len(t, got.Opened, 99)
	_, err = dynastay.Do(t.Context(), db.DB, repo.OpenOp(over))
	blame.Invalid(t, err, "Nights", "all nights count, even those that are already open")
}

func TestOpenAtTheEndOfTheCalendar(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	got, err := repo.Open(t.Context(), opening("9999-09-20", "9999-12-31"))
	require.NoError(t, err)
	assert.Len(t, got.Opened, 102)
}

// With an idempotency key, the operation is carried out once.
func TestOpenOpWithIdempotencyKey(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	o := opening("2026-06-11", "2026-06-13")
	_, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(o), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	got, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(o), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, availability.Opened{Already: dates("2026-06-11", "2026-06-12")}, got)

	more := o
	more.Rooms = 6
	more.Nights.CheckOut = date("2026-06-15")
	_, err = dynastay.Do(t.Context(), db.DB, repo.OpenOp(more), dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	assert.Nil(t, stored(t, db, roomTypeID, "2026-06-14"))

	// Once the nights have passed, the key still returns the result of the first call; without it, nothing can be opened.
	later := db.Open(&dynastay.Options{Clock: func() time.Time { return date("2026-06-20").Time() }})
	got, err = dynastay.Do(t.Context(), later, availability.New(later).OpenOp(o), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, availability.Opened{Already: dates("2026-06-11", "2026-06-12")}, got)
	_, err = dynastay.Do(t.Context(), later, availability.New(later).OpenOp(o))
	blame.Invalid(t, err, "Nights.CheckIn", "past")
}

// Requests with the same key that differ in any one field do not match.
func TestOpenOpComparesEveryField(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	agreed := opening("2026-07-01", "2026-07-03")
	agreed.MinStay, agreed.MaxStay = 2, 7
	_, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(agreed), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	for d := range agreed.Nights.Dates() { // the key is not checked if there is nothing to write
		remove(t, db, roomTypeID, d.String())
	}
	for name, edit := range map[string]func(*availability.OpenRequest){
		"property":       func(o *availability.OpenRequest) { o.PropertyID = "prop_124" },
		"room type":      func(o *availability.OpenRequest) { o.RoomTypeID = "room_790" },
		"check-in":       func(o *availability.OpenRequest) { o.Nights.CheckIn = date("2026-06-30") },
		"check-out":      func(o *availability.OpenRequest) { o.Nights.CheckOut = date("2026-07-04") },
		"rooms":          func(o *availability.OpenRequest) { o.Rooms++ },
		"above capacity": func(o *availability.OpenRequest) { o.AboveCapacity = true },
		"price":          func(o *availability.OpenRequest) { o.Price = money("280.01 USD") },
		"currency":       func(o *availability.OpenRequest) { o.Price = money("280.00 EUR") },
		"min stay":       func(o *availability.OpenRequest) { o.MinStay = 3 },
		"overbook limit": func(o *availability.OpenRequest) { o.OverbookLimit = 1 },
		"max stay":       func(o *availability.OpenRequest) { o.MaxStay = 8 },
	} {
		other := agreed
		edit(&other)
		_, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(other), dynastay.IdempotencyKey("k"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
	got, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(agreed), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, dates("2026-07-01", "2026-07-02"), got.Already, "the same request returns the result of the first call")
}

// No night is opened for a room type that is closed after the nights were read and before they are written.
func TestOpenWhileTheRoomTypeCloses(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	closing := between(db, func() {
		change(t, db, keys.PropertiesTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "GUARD"}, "Closed = :yes", dynastay.Item{":yes": yes})
	})
	_, err := closing.Open(t.Context(), opening("2026-07-01", "2026-07-03"))
	assertKind(t, err, availability.ErrClosed, "")
	prices, err := repo.Prices(t.Context(), roomTypeID, dynastay.MustStay("2026-07-01", "2026-07-03"))
	require.NoError(t, err)
	assert.Empty(t, prices)
}

// A night that another caller opens and sells after the read keeps its sold rooms.
func TestOpenIsOvertaken(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	putRoomType(t, db, roomTypeID)
	sold := night(roomTypeID, "2026-07-02", dynastay.Item{"AvailableRooms": dynastay.Number(1)})
	overtaken := between(db, func() { putNights(t, db, sold) })
	stop := db.Faults.Record()
	got, err := overtaken.Open(t.Context(), opening("2026-07-01", "2026-07-04"))
	require.NoError(t, err)
	assert.Equal(t, availability.Opened{Opened: dates("2026-07-01", "2026-07-03"), Already: dates("2026-07-02")}, got)
	assert.Equal(t, 2, count(stop(), "TransactWriteItems"))
	assert.Equal(t, plain(t, sold), plain(t, stored(t, db, roomTypeID, "2026-07-02")))
}

// Callers open overlapping ranges while guests book: each night is opened exactly once, and no sold room becomes
// available again.
func TestConcurrentOpenersNeverOverwriteASale(t *testing.T) {
	t.Parallel()
	const openers, guests = 6, 6
	db, hotel, _ := openHotel(t, 5) // July
	db.Faults.Conflicts(time.Millisecond)
	patient := func() *dynastay.DB { // a separate process
		return db.Open(&dynastay.Options{
			Clock: fixture.Clock, Retry: dynastay.Retry{Attempts: 500, Base: time.Millisecond, Cap: 20 * time.Millisecond},
		})
	}
	whole := dynastay.MustStay("2026-08-01", "2026-08-31")
	var (
		mu     sync.Mutex
		opened = map[dynastay.Date]int{}
		sold   = map[dynastay.Date]int{}
		wg     sync.WaitGroup
	)
	for i := range openers {
		wg.Go(func() {
			repo := availability.New(patient())
			for j := range 4 {
				from := whole.CheckIn.AddDays(5 * ((i + j) % 5))
				got, err := repo.Open(context.Background(), availability.OpenRequest{
					PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 5, Price: fixture.Price,
					Nights: dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(10)},
				})
				assert.NoError(t, err)
				mu.Lock()
				for _, d := range got.Opened {
					opened[d]++
				}
				mu.Unlock()
			}
		})
	}
	for range guests {
		night := whole.CheckIn.AddDays(rand.IntN(29))
		req := request(dynastay.Stay{CheckIn: night, CheckOut: night.AddDays(2)}, room(hotel.RoomTypeID, 1))
		req.Property.ID = hotel.ID
		q := quoteOf(t, req, fixture.Price)
		wg.Go(func() {
			repo := bookings.New(patient(), nil)
			for range 20 { // until the nights are open
				_, err := repo.Create(context.Background(), fixture.Request(q))
				var refused *bookings.Refused
				if err != nil {
					assert.ErrorAs(t, err, &refused)
					continue
				}
				mu.Lock()
				for d := range q.Stay.Dates() {
					sold[d]++
				}
				mu.Unlock()
				return
			}
		})
	}
	wg.Wait()
	assert.Len(t, opened, 30)
	for d, times := range opened {
		assert.Equal(t, 1, times, "%s was opened", d)
	}
	for i, left := range hotel.Left(t, db.DB, whole) {
		d := whole.CheckIn.AddDays(i)
		assert.Equal(t, 5-sold[d], left, "rooms left on %s", d)
	}
}
