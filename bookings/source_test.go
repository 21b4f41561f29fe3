package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/properties"
)

// expedia makes a request that of a channel.
func expedia(reference string) func(*bookings.Request) {
	return func(r *bookings.Request) {
		r.UserID, r.NoUser = "", true
		r.Source = bookings.Source{Channel: "expedia", ExternalReference: reference}
	}
}

func requestOf(t *testing.T, db *dyntest.DB, hotel fixture.Hotel, edits ...func(*bookings.Request)) bookings.Request {
	t.Helper()
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	for _, edit := range edits {
		edit(&req)
	}
	return req
}

func unique(r *bookings.Request) { r.UniqueReference = true }

// listed returns the summaries of a list.
func listed(t *testing.T, list dynastay.List[*bookings.Summary]) (all []*bookings.Summary) {
	t.Helper()
	for b, err := range list.All(t.Context()) {
		require.NoError(t, err)
		all = append(all, b)
	}
	return all
}

// A booking without a user is found by everything but the lists of a user, and has its source and its data.
func TestBookingOfAChannel(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	data := bookings.Data{"commission": "15.00", "sent.by": "Zoë"}
	made, err := repo.Create(t.Context(), requestOf(t, db, hotel, expedia("1234567890"), unique, func(r *bookings.Request) { r.Data = data }))
	require.NoError(t, err)
	assert.Empty(t, made.UserID)
	assert.Equal(t, bookings.Source{Channel: "expedia", ExternalReference: "1234567890"}, made.Source)
	assert.Equal(t, data, made.Data)
	data["commission"] = "0"
	assert.Equal(t, "15.00", made.Data["commission"], "a copy")

	for name, found := range map[string]func(context.Context) (*bookings.Booking, error){
		"id":        func(ctx context.Context) (*bookings.Booking, error) { return repo.Get(ctx, made.ID) },
		"reference": func(ctx context.Context) (*bookings.Booking, error) { return repo.ByReference(ctx, made.Reference) },
		"external reference": func(ctx context.Context) (*bookings.Booking, error) {
			return repo.ByExternalReference(ctx, made.Source)
		},
	} {
		got, err := found(t.Context())
		require.NoError(t, err, name)
		assert.Equal(t, made, got, name)
	}
	for name, list := range map[string]dynastay.List[*bookings.Summary]{
		"property": repo.ByProperty(bookings.PropertyQuery{PropertyID: hotel.ID}),
		"check-in": repo.ByCheckIn(bookings.CheckInQuery{Date: fixture.Stay.CheckIn, PropertyID: hotel.ID}),
		"status":   repo.ByStatus(bookings.Confirmed),
	} {
		assert.Equal(t, []*bookings.Summary{&made.Summary}, listed(t, list), name)
	}
	_, err = repo.Cancel(t.Context(), made.ID, "", nil, dynastay.IfUser("user_456"))
	require.ErrorIs(t, err, dynastay.ErrNotFound, "it belongs to nobody")
}

// Whatever is done with a booking, its source and its data stay.
func TestSourceIsKept(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	data := bookings.Data{"campaign": "summer"}
	made, err := repo.Create(t.Context(), requestOf(t, db, hotel, expedia("e1"), unique, func(r *bookings.Request) { r.Data = data }))
	require.NoError(t, err)
	same := func(b *bookings.Booking, err error) {
		t.Helper()
		require.NoError(t, err)
		assert.Equal(t, made.Source, b.Source)
		assert.Equal(t, data, b.Data)
	}
	stay := dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckOut.AddDays(1)}
	ask, err := hotel.Card().QuoteRequest(stay, made.Guests, properties.Choice{RoomTypeID: hotel.RoomTypeID, Quantity: 1})
	require.NoError(t, err)
	m, err := repo.QuoteModification(t.Context(), made.ID, ask)
	require.NoError(t, err)
	modified, err := repo.Modify(t.Context(), m)
	same(modified.Booking, err)
	recorded, err := repo.RecordPayment(t.Context(), bookings.Payment{
		BookingID: made.ID, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: fixture.Price, Status: bookings.PaymentPaid,
	})
	same(recorded.Booking, err)

	data = bookings.Data{"campaign": "autumn", "agent": "7"}
	modified, err = repo.Modify(t.Context(), bookings.Modification{BookingID: made.ID, Version: modified.Booking.Version, Data: data})
	same(modified.Booking, err)
	data = nil
	modified, err = repo.Modify(t.Context(), bookings.Modification{BookingID: made.ID, Version: modified.Booking.Version, Data: bookings.Data{}})
	same(modified.Booking, err)

	cancelled, err := repo.Cancel(t.Context(), made.ID, "", nil)
	same(cancelled.Booking, err)
	same(repo.Get(t.Context(), made.ID))
	same(repo.ByExternalReference(t.Context(), made.Source))
}

func TestUniqueReference(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 9)
	_, err := repo.Create(t.Context(), requestOf(t, db, hotel, expedia("e1")))
	require.NoError(t, err)
	_, err = repo.ByExternalReference(t.Context(), bookings.Source{Channel: "expedia", ExternalReference: "e1"})
	require.ErrorIs(t, err, dynastay.ErrNotFound, "others may share the reference")
	made, err := repo.Create(t.Context(), requestOf(t, db, hotel, expedia("e1"), unique))
	require.NoError(t, err)
	_, err = repo.Create(t.Context(), requestOf(t, db, hotel, expedia("e1")))
	require.NoError(t, err, "without the option, nothing is compared")

	refused := func() {
		t.Helper()
		before := hotel.Left(t, db.DB, fixture.Stay)
		_, err := repo.Create(t.Context(), requestOf(t, db, hotel, expedia("e1"), unique))
		taken := blame.As[*dynastay.Error](t, err)
		require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
		assert.Equal(t, "ExternalReference", taken.Field)
		assert.Equal(t, before, hotel.Left(t, db.DB, fixture.Stay), "no room was taken")
	}
	refused()
	_, err = repo.Create(t.Context(), requestOf(t, db, hotel, expedia("e1"), unique, func(r *bookings.Request) { r.Channel = "agoda" }))
	require.NoError(t, err, "another channel")
	_, err = repo.Cancel(t.Context(), made.ID, "", nil)
	require.NoError(t, err)
	refused()
	got, err := repo.ByExternalReference(t.Context(), made.Source)
	require.NoError(t, err)
	assert.Equal(t, made.ID, got.ID)
}

// A channel delivers a reservation many times at once.
func TestRaceForAReference(t *testing.T) {
	t.Parallel()
	db, hotel, _ := open(t, 20)
	db.Faults.Conflicts(0)
	quoted := requestOf(t, db, hotel, expedia("e1"), unique)
	var made atomic.Int32
	racing.Together(16, func(int) {
		repo := bookings.New(db.Open(nil), nil)
		_, err := repo.Create(t.Context(), quoted)
		for errors.Is(err, dynastay.ErrContention) { // an engine that has conflicts: the channel delivers it once more
			_, err = repo.Create(t.Context(), quoted)
		}
		if err == nil {
			made.Add(1)
			return
		}
		assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	})
	assert.EqualValues(t, 1, made.Load())
	assert.Equal(t, []int{19, 19, 19}, hotel.Left(t, db.DB, fixture.Stay))
}

// The reference of a channel costs its guard: one more item, twice its units.
func TestCostOfAUniqueReference(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 9)
	bill := func(edits ...func(*bookings.Request)) dyntest.Bill {
		req := requestOf(t, db, hotel, edits...)
		return db.Measure(func() {
			_, err := repo.Create(t.Context(), req)
			require.NoError(t, err)
		}).Bill()
	}
	plain, channel := bill(expedia("")), bill(expedia("e1"))
	assert.Equal(t, plain, channel, "a source costs nothing")
	guarded := bill(expedia("e2"), unique)
	assert.Equal(t, plain.Requests, guarded.Requests)
	if db.Has(dyntest.ExactUnits) {
		assert.Equal(t, plain.TableUnits+2, guarded.TableUnits)
		assert.Equal(t, plain.IndexUnits, guarded.IndexUnits)
	}
	dyntest.Costs(t, db, dyntest.Bill{Requests: 2, ReadUnits: 2}, func() {
		_, err := repo.ByExternalReference(t.Context(), bookings.Source{Channel: "expedia", ExternalReference: "e2"})
		require.NoError(t, err)
	})
}

// A repetition with another source or other data is another request.
func TestSourceIsPartOfTheInput(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 9)
	one := requestOf(t, db, hotel, expedia("e1"), func(r *bookings.Request) { r.Data = bookings.Data{"a": "1", "b": "2"} })
	made, err := repo.Create(t.Context(), one, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	again, err := repo.Create(t.Context(), one, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, made, again)
	op := repo.CreateOp(one)
	one.Data["b"] = "9" // too late
	again, err = dynastay.Do(t.Context(), db.DB, op, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, made, again)
	one.Data["b"] = "2" // so that what follows differs in one thing only
	for i, edit := range []func(*bookings.Request){
		func(r *bookings.Request) { r.UserID, r.NoUser = "user_1", false },
		func(r *bookings.Request) { r.Channel = "agoda" },
		func(r *bookings.Request) { r.ExternalReference = "e2" },
		func(r *bookings.Request) { r.UniqueReference = true },
		func(r *bookings.Request) { r.Data = bookings.Data{"a": "1", "b": "3"} },
		func(r *bookings.Request) { r.Data = bookings.Data{"a": "1"} },
	} {
		other := one
		edit(&other)
		_, err := repo.Create(t.Context(), other, dynastay.IdempotencyKey("k"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, i)
	}
	m := bookings.Modification{BookingID: made.ID, Version: made.Version, Data: bookings.Data{"a": "1"}}
	_, err = repo.Modify(t.Context(), m, dynastay.IdempotencyKey("m"))
	require.NoError(t, err)
	for _, data := range []bookings.Data{{}, {"a": "2"}} {
		m.Data = data
		_, err = repo.Modify(t.Context(), m, dynastay.IdempotencyKey("m"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
	requests := "a cot"
	m = bookings.Modification{BookingID: made.ID, Version: made.Version + 1, SpecialRequests: &requests}
	_, err = repo.Modify(t.Context(), m, dynastay.IdempotencyKey("n"))
	require.NoError(t, err)
	m.Data = bookings.Data{}
	_, err = repo.Modify(t.Context(), m, dynastay.IdempotencyKey("n"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "all data is removed")
}

func TestInvalidSources(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	good := requestOf(t, db, hotel)
	many := bookings.Data{}
	for i := range bookings.MaxData + 1 {
		many[fmt.Sprint("name", i)] = "x"
	}
	card := "4111 1111 1111 1111"
	stop := db.Faults.Record()
	for _, c := range []struct {
		field string
		edit  func(*bookings.Request)
	}{
		{"UserID", func(r *bookings.Request) { r.UserID = "" }},
		{"NoUser", func(r *bookings.Request) { r.NoUser = true }},
		{"Channel", func(r *bookings.Request) { r.Channel = strings.Repeat("c", 65) }},
		{"Channel", func(r *bookings.Request) { r.Channel = card }},
		{"ExternalReference", func(r *bookings.Request) { r.ExternalReference = strings.Repeat("r", 129) }},
		{"ExternalReference", func(r *bookings.Request) { r.ExternalReference = card }},
		{"Channel", func(r *bookings.Request) { r.UniqueReference, r.ExternalReference = true, "e1" }},
		{"ExternalReference", func(r *bookings.Request) { r.UniqueReference, r.Channel = true, "expedia" }},
		{"Data", func(r *bookings.Request) { r.Data = many }},
		{"Data", func(r *bookings.Request) { r.Data = bookings.Data{"note": strings.Repeat("n", 509)} }},
		{"Data", func(r *bookings.Request) { r.Data = bookings.Data{"": "x"} }},
		{"Data", func(r *bookings.Request) { r.Data = bookings.Data{card: ""} }},
		{"Data", func(r *bookings.Request) { r.Data = bookings.Data{card: "x"} }},
		{"Data[note]", func(r *bookings.Request) { r.Data = bookings.Data{"note": ""} }},
		{"Data[note]", func(r *bookings.Request) { r.Data = bookings.Data{"note": card} }},
		{"Data[note]", func(r *bookings.Request) { r.Data = bookings.Data{"note": "\xff"} }},
	} {
		req := good
		c.edit(&req)
		_, err := repo.Create(t.Context(), req)
		blame.Of(t, err, dynastay.ErrInvalid, c.field)
		if req.Data != nil {
			_, err := repo.Modify(t.Context(), bookings.Modification{BookingID: "bkg_1", Version: 1, Data: req.Data})
			blame.Of(t, err, dynastay.ErrInvalid, c.field)
		}
	}
	assert.Empty(t, stop())

	delete(many, "name0")
	_, err := repo.Create(t.Context(), requestOf(t, db, hotel, func(r *bookings.Request) {
		r.Channel, r.ExternalReference, r.UniqueReference = strings.Repeat("c", 64), "x"+strings.Repeat("4", 127), true
		r.Data = many
	}))
	require.NoError(t, err)
	_, err = repo.Create(t.Context(), requestOf(t, db, hotel, func(r *bookings.Request) {
		r.Data = bookings.Data{"note": strings.Repeat("n", 508)}
	}))
	require.NoError(t, err)
}

// The guest of a booking without a user can ask to be forgotten too.
func TestEraseGuest(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 3)
	made, err := repo.Create(t.Context(), requestOf(t, db, hotel, expedia("e1"), unique, func(r *bookings.Request) {
		r.Guest.FirstName, r.Data, r.SpecialRequests = nemo, bookings.Data{"name": nemo}, nemo
	}))
	require.NoError(t, err)
	for name, v := range map[string]types.AttributeValue{
		"text": dynastay.Text(nemo), "number": dynastay.Number(7), "map": &types.AttributeValueMemberM{Value: dynastay.Item{"name": dynastay.Text(nemo)}},
	} {
		raw.Set(t, db, bookingsTable, keyOf(made.ID), v, "Data", name)
	}
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, bookings.Data{"name": nemo, "text": nemo}, got.Data, "the texts")
	owned, err := repo.Create(t.Context(), requestOf(t, db, hotel))
	require.NoError(t, err)

	upcoming := blame.As[*bookings.UpcomingError](t, repo.EraseGuest(t.Context(), made.ID))
	assert.Equal(t, []string{made.ID}, upcoming.BookingIDs)
	assert.EqualError(t, upcoming, "cannot erase the guest: these bookings are not over: "+made.ID)
	_, err = repo.Cancel(t.Context(), made.ID, nemo, nil)
	require.NoError(t, err)
	dyntest.Costs(t, db, dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 2, IndexUnits: 2}, func() {
		require.NoError(t, repo.EraseGuest(t.Context(), made.ID))
	})
	assertNobody(t, db)
	got, err = repo.ByExternalReference(t.Context(), made.Source)
	require.NoError(t, err, "the channel's statement names it")
	assert.Equal(t, made.Source, got.Source)
	assert.Equal(t, fixture.Now, got.AnonymisedAt)
	before := everything(t, db)
	assert.NotContains(t, before[keyOf(made.ID).String()], "Data")
	db.Clock.Advance(time.Hour)
	require.NoError(t, repo.EraseGuest(t.Context(), made.ID), "again")
	assert.Equal(t, before, everything(t, db))

	for _, id := range []string{owned.ID, "bkg_none"} {
		failure := blame.As[*dynastay.Error](t, repo.EraseGuest(t.Context(), id))
		require.ErrorIs(t, failure, dynastay.ErrNotFound)
		assert.Equal(t, id, failure.ID)
	}
	require.ErrorIs(t, repo.EraseGuest(t.Context(), "bkg#1"), dynastay.ErrInvalid)
}
