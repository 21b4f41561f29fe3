package bookings_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
)

// followed is an inn in tables with streams. It collects the states of one booking and of what belongs to it.
type followed struct {
	*inn
	id string

	bookings []*bookings.Booking
	summary  []*bookings.PaymentSummary
	payments map[string][]*bookings.Payment
	refunds  map[string][]*bookings.Refund
	lines    map[string][]*bookings.Line
	promos   []*bookings.PromoCode
}

func follow(t *testing.T) *followed {
	t.Helper()
	tables := streamtest.Tables(keys.BookingsTable, keys.AvailabilityTable, keys.MetadataTable)
	db := dyntest.New(t, append(tables, dyntest.At(innNoon))...)
	f := &followed{
		inn:      &inn{db, bookings.New(db.DB, nil), "prop_inn"},
		payments: map[string][]*bookings.Payment{}, refunds: map[string][]*bookings.Refund{}, lines: map[string][]*bookings.Line{},
	}
	f.open(t)
	return f
}

// was reads the booking after a write, and adds what differs from its last state. The booking's own item is written
// each time.
func (f *followed) was(t *testing.T, err error) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, err)
	b, err := f.repo.Get(ctx, f.id, dynastay.Consistent)
	require.NoError(t, err)
	partition := "BOOKING#" + f.id + "/"
	left := map[string]bool{}
	for _, line := range b.Lines {
		key := partition + "ROOM#" + line.RoomTypeID
		left[key] = true
		add(f.lines, key, bare(t, line))
	}
	for key := range f.lines {
		if !left[key] {
			add(f.lines, key, nil)
		}
	}
	b.Lines = nil
	f.bookings = append(f.bookings, b)
	history, err := f.repo.PaymentHistory(ctx, f.id, dynastay.Consistent)
	require.NoError(t, err)
	for _, p := range history.Payments {
		add(f.payments, partition+"PAYMENT#"+p.ProviderTransactionID, &p)
	}
	for _, r := range history.Refunds {
		add(f.refunds, partition+"REFUND#"+r.ID, &r)
	}
	if len(history.Payments) > 0 {
		s, err := f.repo.Payment(ctx, f.id, dynastay.Consistent)
		require.NoError(t, err)
		if n := len(f.summary); n == 0 || *f.summary[n-1] != *s {
			f.summary = append(f.summary, s)
		}
	}
	f.promo(t)
	f.Clock.Advance(time.Minute)
}

func (f *followed) promo(t *testing.T) {
	t.Helper()
	p, err := f.repo.PromoCode(t.Context(), "SUMMER", dynastay.Consistent)
	require.NoError(t, err)
	if n := len(f.promos); n == 0 || *f.promos[n-1] != *p {
		f.promos = append(f.promos, p)
	}
}

// add adds a state unless it is the last one already.
func add[T any](states map[string][]*T, key string, now *T) {
	if n := len(states[key]); n == 0 || !assert.ObjectsAreEqual(states[key][n-1], now) {
		states[key] = append(states[key], now)
	}
}

// bare returns a line whose amounts have no currency.
func bare(t *testing.T, line bookings.Line) *bookings.Line {
	t.Helper()
	line.Nights = slices.Clone(line.Nights)
	amounts := []*dynastay.Money{&line.PricePerNight, &line.Subtotal}
	for i := range line.Nights {
		amounts = append(amounts, &line.Nights[i].Price)
	}
	for _, amount := range amounts {
		var err error
		*amount, err = dynastay.MoneyOfDigits(amount.Digits(), "")
		require.NoError(t, err)
	}
	return &line
}

// Every change of a booking, its lines, its payments and a promo code is decoded as the repository returned it: from
// the hold to the departure, and when its guest is erased.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), follow(t)
	stay := dynastay.MustStay("2026-07-02", "2026-07-04")
	_, err := f.repo.CreatePromoCode(ctx, bookings.PromoCode{Code: "SUMMER", Percent: 10_00, Active: true, UsageLimit: 5})
	require.NoError(t, err)
	f.promo(t)
	q, err := availability.New(f.DB.DB).Quote(ctx, f.request(stay, rooms{"a": 1, "b": 1}))
	require.NoError(t, err)
	held, err := f.repo.Create(ctx, bookings.Request{
		Quote: q, UserID: "user_456", Guest: guest, Hold: time.Hour, PromoCode: "summer", SpecialRequests: "a cot",
	})
	require.NoError(t, err)
	f.id = held.ID
	f.was(t, nil)
	pay := bookings.Payment{
		BookingID: f.id, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: held.Total,
		Status: bookings.PaymentPending, Card: bookings.Card{Brand: "visa", Last4: "4242"},
	}
	_, err = f.repo.RecordPayment(ctx, pay)
	f.was(t, err)
	pay.Status = bookings.PaymentPaid
	_, err = f.repo.Confirm(ctx, f.id, []bookings.Payment{pay})
	f.was(t, err)
	_, err = f.repo.Modify(ctx, f.quote(t, f.id, stay, rooms{"a": 2, "c": 1}))
	f.was(t, err)
	f.Clock.Advance(24 * time.Hour)
	_, err = f.repo.CheckIn(ctx, f.id, bookings.Assigned{f.roomType("c"): {"301"}})
	f.was(t, err)
	refund := bookings.Refund{
		BookingID: f.id, ID: "re_1", Amount: dynastay.MustMoney("10.50", "USD"), Status: bookings.PaymentPending, Reason: "no cot",
	}
	_, err = f.repo.RecordRefund(ctx, refund)
	f.was(t, err)
	refund.Status = bookings.PaymentRefunded
	_, err = f.repo.RecordRefund(ctx, refund)
	f.was(t, err)
	_, err = f.repo.CheckOut(ctx, f.id)
	f.was(t, err)
	_, err = f.repo.Eraser(bookings.RefuseUpcoming).Erase(ctx, "user_456")
	f.was(t, err)

	short := f.book(t, stay, rooms{"a": 1}) // another booking
	_, err = f.repo.DeactivatePromoCode(ctx, "SUMMER")
	require.NoError(t, err)
	f.promo(t)

	// What the test relies on: each kind of entity had its changes.
	require.Len(t, f.bookings, 9)
	require.Len(t, f.lines, 3)
	require.Nil(t, f.lines["BOOKING#"+f.id+"/ROOM#prop_inn_b"][1])
	require.Len(t, f.lines["BOOKING#"+f.id+"/ROOM#prop_inn_c"], 2)
	require.Len(t, f.payments["BOOKING#"+f.id+"/PAYMENT#ch_1"], 3)
	require.Len(t, f.refunds["BOOKING#"+f.id+"/REFUND#re_1"], 3)
	require.Len(t, f.promos, 3)

	changes := f.repo.Changes()
	line := bare(t, short.Lines[0])
	f.lines["BOOKING#"+short.ID+"/ROOM#prop_inn_a"] = []*bookings.Line{line}
	assert.Equal(t, f.lines, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Lines))
	short.Lines = nil
	assert.Equal(t, map[string][]*bookings.Booking{
		"BOOKING#" + f.id + "/METADATA": f.bookings, "BOOKING#" + short.ID + "/METADATA": {short},
	}, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Bookings))
	assert.Equal(t, map[string][]*bookings.PaymentSummary{
		"BOOKING#" + f.id + "/PAYMENT": f.summary,
	}, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Payments))
	assert.Equal(t, f.payments, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.PaymentAttempts))
	assert.Equal(t, f.refunds, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Refunds))
	assert.Equal(t, map[string][]*bookings.PromoCode{
		"PROMO#SUMMER/METADATA": f.promos,
	}, streamtest.Histories(t, f.DB, keys.MetadataTable, changes.PromoCodes))
}

// The changes of a booking have its source, and the data of the booking and of its lines, until its guest is erased.
func TestChangesOfSourcesAndData(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), follow(t)
	ask := f.request(dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1, "b": 1})
	for i := range ask.Rooms {
		ask.Rooms[i].Agreed = []dynastay.Money{dollarsOf("88"), dollarsOf("99")}
	}
	q, err := availability.New(f.DB.DB).Quote(ctx, ask)
	require.NoError(t, err)
	source := bookings.Source{Channel: "expedia", ExternalReference: "e1"}
	made, err := f.repo.Create(ctx, bookings.Request{
		Quote: q, NoUser: true, Guest: guest, Source: source, UniqueReference: true,
		Data: bookings.Data{"commission": "15"}, LineData: []bookings.Data{{"bed": "twin"}, nil},
	})
	require.NoError(t, err)
	offered, err := f.repo.QuoteModification(ctx, made.ID, ask)
	require.NoError(t, err)
	offered.Data, offered.LineData = bookings.Data{"commission": "12"}, []bookings.Data{nil, {"bed": "king"}}
	_, err = f.repo.Modify(ctx, offered)
	require.NoError(t, err)
	_, err = f.repo.Cancel(ctx, made.ID, "", nil)
	require.NoError(t, err)
	require.NoError(t, f.repo.EraseGuest(ctx, made.ID))

	type told struct {
		of   bookings.Source
		user string
		data bookings.Data
	}
	var booked []told
	for _, b := range streamtest.Histories(t, f.DB, keys.BookingsTable, f.repo.Changes().Bookings)["BOOKING#"+made.ID+"/METADATA"] {
		booked = append(booked, told{b.Source, b.UserID, b.Data})
	}
	noted := bookings.Data{"commission": "12"}
	assert.Equal(t, []told{{source, "", bookings.Data{"commission": "15"}}, {source, "", noted}, {source, "", noted}, {source, "", nil}}, booked)
	lines := map[string][]bookings.Data{}
	for key, history := range streamtest.Histories(t, f.DB, keys.BookingsTable, f.repo.Changes().Lines) {
		for _, line := range history {
			assert.True(t, line.Agreed, key)
			lines[key] = append(lines[key], line.Data)
		}
	}
	assert.Equal(t, map[string][]bookings.Data{
		"BOOKING#" + made.ID + "/ROOM#prop_inn_a": {{"bed": "twin"}, nil},
		"BOOKING#" + made.ID + "/ROOM#prop_inn_b": {nil, {"bed": "king"}, nil},
	}, lines)
}

// The hotel-booking document's items are decoded unchanged, and so is what the repository makes of them.
func TestChangesOfTheDocument(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), follow(t)
	raw.Put(t, f.DB, keys.BookingsTable, raw.Document(t, "testdata/booking.json"))
	raw.Put(t, f.DB, keys.BookingsTable, raw.Document(t, "testdata/line.json"))
	raw.Put(t, f.DB, keys.BookingsTable, raw.Document(t, "testdata/payment.json"))
	raw.Put(t, f.DB, keys.MetadataTable, raw.Document(t, "testdata/promo_code.json"))
	f.Clock.Set(time.Date(2024, 11, 10, 9, 20, 0, 0, time.UTC))
	before, err := f.repo.Get(ctx, "bkg_12345", dynastay.Consistent)
	require.NoError(t, err)
	paid, err := f.repo.Payment(ctx, "bkg_12345", dynastay.Consistent)
	require.NoError(t, err)
	promo, err := f.repo.PromoCode(ctx, "SUMMER2024", dynastay.Consistent)
	require.NoError(t, err)
	after, err := f.repo.Cancel(ctx, "bkg_12345", "plans changed", []bookings.Refund{{ID: "re_1", Amount: dynastay.MustMoney("840", "USD")}})
	require.NoError(t, err)
	closed, err := f.repo.DeactivatePromoCode(ctx, "SUMMER2024")
	require.NoError(t, err)

	changes := f.repo.Changes()
	assert.Equal(t, map[string][]*bookings.Line{
		"BOOKING#bkg_12345/ROOM#room_789": {bare(t, before.Lines[0])},
	}, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Lines))
	before.Lines, after.Booking.Lines = nil, nil
	assert.Equal(t, map[string][]*bookings.Booking{
		"BOOKING#bkg_12345/METADATA": {before, after.Booking},
	}, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Bookings))
	assert.Equal(t, map[string][]*bookings.PaymentSummary{
		"BOOKING#bkg_12345/PAYMENT": {paid, after.Payment},
	}, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Payments))
	assert.Equal(t, map[string][]*bookings.Refund{
		"BOOKING#bkg_12345/REFUND#re_1": {&after.Refunds[0]},
	}, streamtest.Histories(t, f.DB, keys.BookingsTable, changes.Refunds))
	assert.Equal(t, map[string][]*bookings.PromoCode{
		"PROMO#SUMMER2024/METADATA": {promo, closed},
	}, streamtest.Histories(t, f.DB, keys.MetadataTable, changes.PromoCodes))
}
