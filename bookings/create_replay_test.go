package bookings_test

import (
	"context"
	"sync"
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
)

// The response to the booking of the last room is lost, and the process ends. A different process retries the call.
func TestRetryOfTheLastRoom(t *testing.T) {
	t.Parallel()
	db, hotel, _ := open(t, 1)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	key := dynastay.IdempotencyKey("request-1")

	// The caller sends every request once, so it cannot ask again for the response.
	impatient := bookings.New(onceOnly(db), nil)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	// It can read neither whether the write was committed nor whether the key has a record.
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "GetItem", Nth: 1, Times: 2})
	_, err := impatient.Create(t.Context(), req, key)
	require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	require.Equal(t, []int{0, 0, 0}, hotel.Left(t, db.DB, fixture.Stay), "it was committed")

	later := bookings.New(db.Open(&dynastay.Options{Clock: fixture.Clock}), nil)
	made, err := later.Create(t.Context(), req, key)
	require.NoError(t, err, "not sold out: this guest has the room")
	again, err := later.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, made, again)
	found, err := later.MadeBy(t.Context(), dynastay.IdempotencyKey("request-1"))
	require.NoError(t, err)
	assert.Equal(t, made, found)
	page, err := later.ByUser("user_456").Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Len(t, page.Items, 1)

	_, err = later.Create(t.Context(), req, dynastay.IdempotencyKey("request-2"))
	refused := blame.As[*bookings.Refused](t, err, "a different request is refused")
	assert.True(t, refused.Has(availability.SoldOut))
}

// Within one call, a request whose response is lost is sent again with the same client token.
func TestLostResponse(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 5)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	made, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	assert.Equal(t, []int{4, 4, 4}, hotel.Left(t, db.DB, fixture.Stay), "sold once")

	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	got, err := repo.Cancel(t.Context(), made.ID, "", nil)
	require.NoError(t, err)
	assert.Equal(t, bookings.Cancelled, got.Booking.Status)
	assert.Equal(t, []int{5, 5, 5}, hotel.Left(t, db.DB, fixture.Stay), "returned once")
}

// The caller gives up while the response is in flight; a read then finds that the booking was made.
func TestCallerGivesUpAfterTheCommit(t *testing.T) {
	t.Parallel()
	db, hotel, _ := open(t, 5)
	impatient := bookings.New(db.Open(&dynastay.Options{Clock: fixture.Clock, Retry: dynastay.Retry{Attempts: 1}}), nil)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	made, err := impatient.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	got, err := impatient.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

func TestSameKeyWithDifferentInput(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 5)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	_, err := repo.Create(t.Context(), req, dynastay.IdempotencyKey("request-1"))
	require.NoError(t, err)

	for name, change := range map[string]func(*bookings.Request){
		"user":     func(r *bookings.Request) { r.UserID = "user_789" },
		"guest":    func(r *bookings.Request) { r.Guest.LastName = "Roe" },
		"taxes":    func(r *bookings.Request) { r.TaxesAndFees = dynastay.MustMoney("1", "USD") },
		"requests": func(r *bookings.Request) { r.SpecialRequests = "sea view" },
		"stay": func(r *bookings.Request) {
			r.Quote = hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-11", "2026-07-14"), 1)
		},
		"rooms": func(r *bookings.Request) { r.Quote = hotel.Quote(t, db.DB, fixture.Stay, 2) },
	} {
		other := req
		change(&other)
		_, err := repo.Create(t.Context(), other, dynastay.IdempotencyKey("request-1"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
	assert.Equal(t, []int{4, 4, 4}, hotel.Left(t, db.DB, fixture.Stay))

	// The time of the quote is not part of the input.
	same := req
	quote := *req.Quote
	quote.At = quote.At.Add(time.Hour)
	same.Quote = &quote
	_, err = repo.Create(t.Context(), same, dynastay.IdempotencyKey("request-1"))
	assert.NoError(t, err)
}

// Checks that depend on the time come after the lookup of the idempotency record: the response to a booking for tonight
// is lost, and by the time of the retry it is past midnight.
func TestRetryAfterTheDayOfArrival(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	hotel, repo := fixture.New(t, db.DB, 5), bookings.New(db.DB, nil)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	db.Clock.Set(time.Date(2026, 7, 11, 3, 59, 0, 0, time.UTC)) // the last minute of the day in New York
	made, err := repo.Create(ctx, req, dynastay.IdempotencyKey("request-1"))
	require.NoError(t, err)

	db.Clock.Advance(time.Minute)
	again, err := repo.Create(ctx, req, dynastay.IdempotencyKey("request-1"))
	require.NoError(t, err)
	assert.Equal(t, made, again)
	other := req
	other.SpecialRequests = "sea view"
	_, err = repo.Create(ctx, other, dynastay.IdempotencyKey("request-1"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	stop := db.Faults.Record()
	_, err = repo.Create(ctx, req)
	blame.Invalid(t, err, "Quote.Stay.CheckIn", "without a key")
	assert.Empty(t, stop(), "no request was sent")

	stop = db.Faults.Record()
	_, err = repo.Create(ctx, req, dynastay.IdempotencyKey("request-2"))
	blame.Invalid(t, err, "Quote.Stay.CheckIn", "a different key")
	requests := stop()
	require.Len(t, requests, 1)
	assert.Equal(t, "GetItem", requests[0].Operation, "it looks for the record and writes nothing")
	_, err = repo.MadeBy(ctx, dynastay.IdempotencyKey("request-2"))
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "a refusal leaves no record")
	assert.Equal(t, []int{4, 4, 4}, hotel.Left(t, db.DB, fixture.Stay))

	// The key is still unused: with a stay in the future, it makes a booking.
	req = fixture.Request(hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-11", "2026-07-14"), 1))
	second, err := repo.Create(ctx, req, dynastay.IdempotencyKey("request-2"))
	require.NoError(t, err)
	assert.NotEqual(t, made.ID, second.ID)
}

// A double click: the same request, sent several times at once, makes one booking.
func TestSameKeyAtOnce(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 20)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	db.Faults.Conflicts(hold)
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		ids = map[string]int{}
	)
	for range 16 {
		wg.Go(func() {
			made, err := repo.Create(context.Background(), req, dynastay.IdempotencyKey("double click"))
			if assert.NoError(t, err) {
				mu.Lock()
				defer mu.Unlock()
				ids[made.ID]++
			}
		})
	}
	wg.Wait()
	assert.Len(t, ids, 1)
	assert.Equal(t, []int{19, 19, 19}, hotel.Left(t, db.DB, fixture.Stay))
}

// A key is valid for 30 days, although its record may exist for longer.
func TestKeyExpires(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 5)
	first, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	later := db.Open(&dynastay.Options{Clock: func() time.Time { return fixture.Now.AddDate(0, 0, 31) }})
	repo = bookings.New(later, nil)
	_, err = repo.MadeBy(t.Context(), dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	second, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, later, fixture.Stay, 1)), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.NotEqual(t, first.ID, second.ID)
}

// How long a room is held is part of what the guest agreed to.
func TestHoldIsRepeated(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
	req.Hold = time.Hour
	key := dynastay.IdempotencyKey("hold")
	first, err := l.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	l.Clock.Advance(time.Minute)
	again, err := l.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, first, again, "the hold is not prolonged")
	for _, other := range []time.Duration{0, 2 * time.Hour} {
		req.Hold = other
		_, err = l.repo.Create(t.Context(), req, key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
}
