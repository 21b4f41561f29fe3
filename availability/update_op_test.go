package availability_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// The nights of an operation change together, with whatever else is in the transaction, exactly once.
func TestUpdateOp(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	u := updateOf(hotel, july, availability.Change{Rooms: ptr(3), Price: money("199.50 USD"), ClosedToDeparture: ptr(true)})
	key := dynastay.IdempotencyKey("renovation")
	// The property's items, the nights, the transaction with the night before for the departures, and the record.
	var first availability.Report
	dyntest.Budget(t, db, dyntest.Cost{Requests: 3, ReadUnits: 5, WriteUnits: 8*3 + 2}, func() {
		var err error
		first, err = dynastay.Do(t.Context(), db.DB, repo.UpdateOp(u), key)
		require.NoError(t, err)
	})
	assert.Equal(t, 14, first.Count(availability.Written))
	replayed, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(u), key)
	require.NoError(t, err)
	assert.Equal(t, 14, replayed.Count(availability.Unchanged))
	for i := range first.Dates {
		assert.Equal(t, first.Dates[i].Date, replayed.Dates[i].Date)
		assert.Equal(t, first.Dates[i].Departure, replayed.Dates[i].Departure)
	}
	n := nightOf(t, repo, hotel, oneDay)
	assert.Equal(t, []int{3, 3}, []int{n.Total, n.Available})

	for name, edit := range map[string]func(*availability.UpdateRequest){
		"price":    func(u *availability.UpdateRequest) { u.Changes[0].Price = money("199.51 USD") },
		"rooms":    func(u *availability.UpdateRequest) { u.Changes[0].Rooms = ptr(4) },
		"overbook": func(u *availability.UpdateRequest) { u.Changes[0].Overbook = 1 },
		"limit":    func(u *availability.UpdateRequest) { u.Changes[0].OverbookLimit = ptr(0) },
		"dates":    func(u *availability.UpdateRequest) { u.Changes[0].Dates = oneNight(oneDay) },
		"weekdays": func(u *availability.UpdateRequest) { u.Changes[0].Weekdays = availability.On(time.Friday) },
		"reason": func(u *availability.UpdateRequest) {
			u.Changes[0].StopSell, u.Changes[0].StopSellReason = ptr(true), "painting"
		},
		"only":      func(u *availability.UpdateRequest) { u.Only = first.Dates[:1] },
		"nothing":   func(u *availability.UpdateRequest) { u.Only = first.Dates[:0] },
		"open only": func(u *availability.UpdateRequest) { u.OpenOnly = true },
	} {
		other := updateOf(hotel, july, u.Changes[0])
		edit(&other)
		_, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(other), key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
}

// If one date cannot be written, none is.
func TestUpdateOpIsAllOrNothing(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	sell(t, db, hotel, 4)
	stop := db.Faults.Record()
	u := updateOf(hotel, july, availability.Change{Rooms: ptr(3)})
	_, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(u))
	failed := blame.As[*availability.UpdateError](t, err)
	require.Len(t, failed.Dates, 1)
	assert.Equal(t, date(oneDay), failed.Dates[0].Date)
	assert.ErrorAs(t, err, new(*availability.SoldError))
	assert.Zero(t, count(stop(), "TransactWriteItems"))

	_, err = dynastay.Do(t.Context(), db.DB, repo.UpdateOp(updateOf(hotel, dynastay.MustStay("2026-07-31", "2026-08-02"), availability.Change{MinStay: ptr(2)})))
	assert.ErrorIs(t, err, availability.ErrNotOpen)
	open := updateOf(hotel, dynastay.MustStay("2026-07-31", "2026-08-02"), availability.Change{MinStay: ptr(2)})
	open.OpenOnly = true
	report, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(open))
	require.NoError(t, err)
	assert.Len(t, report.Dates, 1)
	_, err = dynastay.Do(t.Context(), db.DB, repo.UpdateOp(availability.UpdateRequest{PropertyID: hotel.ID}))
	blame.Invalid(t, err, "Changes", "none")
}

// A sale between the read and the transaction is counted, and another update prepares the operation again.
func TestUpdateOpIsOvertaken(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	sell(t, db, hotel, 1)
	db.Faults.Inject(dyntest.Before(func(context.Context) {
		sell(t, db, hotel, 2)
		update(t, direct(db), hotel, oneNight("2026-07-11"), availability.Change{Rooms: ptr(4), MinStay: ptr(5)})
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	report, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(updateOf(hotel, july, availability.Change{Rooms: ptr(3)})))
	require.NoError(t, err)
	assert.Equal(t, 7, report.Count(availability.Written))
	n, next := nightOf(t, repo, hotel, oneDay), nightOf(t, repo, hotel, "2026-07-11")
	assert.Equal(t, []int{3, 0, 3, 3, 5}, []int{n.Total, n.Available, next.Total, next.Available, next.MinStay})
}

// More nights than a transaction holds are refused before it is sent.
func TestUpdateOpHasALimit(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	hotel.Open(t, db.DB, availability.OpenRequest{Nights: dynastay.MustStay("2026-08-01", "2026-11-01"), Rooms: 1, Price: money("280.00 USD")})
	stop := db.Faults.Record()
	first := dynastay.MustDate("2026-07-01")
	_, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(updateOf(hotel, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(101)}, availability.Change{MinStay: ptr(2)})))
	blame.Invalid(t, err, "Operations", "101 nights")
	assert.Zero(t, count(stop(), "TransactWriteItems"))
	report, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(updateOf(hotel, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(100)}, availability.Change{MinStay: ptr(2)})))
	require.NoError(t, err)
	assert.Equal(t, 100, report.Count(availability.Written))
}

// Idempotency records contain the hash of an update, so it must remain the same whatever the JSON of its values.
func TestHashOfAnUpdate(t *testing.T) {
	u := availability.UpdateRequest{PropertyID: "prop_123", Changes: []availability.Change{
		{
			RoomTypeIDs: []string{"room_789"}, Dates: dynastay.MustStay("2026-07-01", "2026-07-08"),
			Weekdays: availability.On(time.Friday, time.Saturday), Price: dynastay.MustMoney("250", "USD"), Rooms: aws.Int(5),
			AboveCapacity: true, Overbook: 1, MinStay: aws.Int(2), MaxStay: aws.Int(7), ClosedToArrival: aws.Bool(true),
			ClosedToDeparture: aws.Bool(false), StopSell: aws.Bool(true), StopSellReason: "works",
		},
		{RoomTypeIDs: []string{"room_790"}, Dates: dynastay.MustStay("2026-07-01", "2026-07-02"), MinStay: aws.Int(0)},
	}}
	require.NoError(t, u.Validate())
	sum := sha256.New()
	availability.Agreed(u, &dynastay.Input{Hash: sum})
	assert.Equal(t, "4452c79348803aeb9960a10342c133f35887a34081f2d4f6f8737eb7c104e1e1", hex.EncodeToString(sum.Sum(nil)))
}
