package registration_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"

	"example.com/frontdesk/registration"
)

var (
	noon  = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	today = dynastay.DateOf(noon, nil)
)

func newTest(t *testing.T, opts ...dyntest.Option) (*dyntest.DB, *registration.Cards) {
	t.Helper()
	t.Parallel()
	db := dyntest.New(t, append(opts, dyntest.Tables(registration.Table), dyntest.At(noon))...)
	return db, registration.New(db.DB)
}

func ada() registration.Card {
	return registration.Card{BookingID: "bkg_1", PropertyID: "prop_1", GuestName: "Ada Byron", Arrival: today}
}

func arrivals(t *testing.T, cards *registration.Cards, day dynastay.Date) (names []string) {
	t.Helper()
	page, err := cards.Arrivals("prop_1", day).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	for _, c := range page.Items {
		names = append(names, c.GuestName)
	}
	return names
}

func TestCard(t *testing.T) {
	_, cards := newTest(t)
	made, err := cards.Create(t.Context(), ada())
	require.NoError(t, err)
	want := ada()
	want.ID, want.CreatedAt, want.UpdatedAt, want.Version = made.ID, noon, noon, 1
	assert.Equal(t, &want, made)
	assert.Regexp(t, "^reg_", made.ID)
	found, err := cards.ByBooking(t.Context(), "bkg_1")
	require.NoError(t, err)
	assert.Equal(t, made, found)
	_, err = cards.ByBooking(t.Context(), "bkg_2")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

func TestArrivals(t *testing.T) {
	_, cards := newTest(t)
	for i, c := range []registration.Card{
		{PropertyID: "prop_1", GuestName: "Ada", Arrival: today},
		{PropertyID: "prop_1", GuestName: "Bob", Arrival: today.AddDays(1)},
		{PropertyID: "prop_2", GuestName: "Cyd", Arrival: today},
		{PropertyID: "prop_1", GuestName: "Dan", Arrival: today},
	} {
		c.BookingID = "bkg_" + string(rune('1'+i))
		_, err := cards.Create(t.Context(), c)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"Ada", "Dan"}, arrivals(t, cards, today))
	assert.Equal(t, []string{"Bob"}, arrivals(t, cards, today.AddDays(1)))

	first, err := cards.Arrivals("prop_1", today).Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	_, err = cards.Arrivals("prop_1", today.AddDays(1)).Page(t.Context(), dynastay.Paging{After: first.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor, "the cursor of another day")
}

func TestSign(t *testing.T) {
	db, cards := newTest(t)
	c, err := cards.Create(t.Context(), ada())
	require.NoError(t, err)
	db.Clock.Advance(time.Hour)
	_, err = cards.Sign(t.Context(), c.ID, c.Version, "")
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "DocumentLast4", invalid.Field)

	_, err = cards.Sign(t.Context(), c.ID, c.Version+1, "X123")
	assert.ErrorIs(t, err, dynastay.ErrVersion)

	signed, err := cards.Sign(t.Context(), c.ID, c.Version, "X123")
	require.NoError(t, err)
	c.DocumentLast4, c.SignedAt, c.UpdatedAt, c.Version = "X123", noon.Add(time.Hour), noon.Add(time.Hour), 2
	assert.Equal(t, c, signed)

	_, err = cards.Sign(t.Context(), c.ID, signed.Version, "Y456")
	var already *registration.SignedError
	require.ErrorAs(t, err, &already)
	assert.Equal(t, &registration.SignedError{ID: c.ID, At: noon.Add(time.Hour)}, already)
	found, err := cards.ByBooking(t.Context(), "bkg_1")
	require.NoError(t, err)
	assert.Equal(t, signed, found)
}

// The guest signs, at another desk, between the read and the write.
func TestSignedAtTwoDesksAtOnce(t *testing.T) {
	db, cards := newTest(t)
	c, err := cards.Create(t.Context(), ada())
	require.NoError(t, err)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := registration.New(db.Direct).Sign(ctx, c.ID, 1, "X123")
		assert.NoError(t, err)
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	_, err = cards.Sign(t.Context(), c.ID, 1, "Y456")
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	found, err := cards.ByBooking(t.Context(), "bkg_1")
	require.NoError(t, err)
	assert.Equal(t, "X123", found.DocumentLast4)
}

// Another process makes the booking's card at the same moment.
func TestTwoCardsForOneBooking(t *testing.T) {
	db, cards := newTest(t)
	var first *registration.Card
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		var err error
		first, err = registration.New(db.Direct).Create(ctx, ada())
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	second := ada()
	second.GuestName = "Bob"
	_, err := cards.Create(t.Context(), second)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	var failed *dynastay.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, "BookingID", failed.Field)
	assert.Equal(t, []string{"Ada Byron"}, arrivals(t, cards, today))
	found, err := cards.ByBooking(t.Context(), "bkg_1")
	require.NoError(t, err)
	assert.Equal(t, first, found)
}

// Many processes at once, which conflict as in DynamoDB: one succeeds, and all others are told.
func TestManyCardsForOneBooking(t *testing.T) {
	db, cards := newTest(t)
	db.Faults.Conflicts(time.Millisecond)
	const callers = 8
	errs := make(chan error, callers)
	for range callers {
		desk := registration.New(db.Open(nil))
		go func() {
			_, err := desk.Create(t.Context(), ada())
			errs <- err
		}()
	}
	won := 0
	for range callers {
		if err := <-errs; err == nil {
			won++
		} else {
			assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
		}
	}
	assert.Equal(t, 1, won)
	assert.Len(t, arrivals(t, cards, today), 1)
}

// The day's list may lag; a booking's card is found at once, and so is its removal.
func TestIndexLags(t *testing.T) {
	db, cards := newTest(t)
	stale := db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Index: registration.ArrivalIndex})
	made, err := cards.Create(t.Context(), ada())
	require.NoError(t, err)
	assert.Empty(t, arrivals(t, cards, today))
	found, err := cards.ByBooking(t.Context(), "bkg_1")
	require.NoError(t, err)
	assert.Equal(t, made, found)
	assert.Equal(t, 1, stale.Hits())
	stale.Stop()

	db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Index: registration.ArrivalIndex})
	require.NoError(t, cards.Delete(t.Context(), made.ID))
	assert.Equal(t, []string{"Ada Byron"}, arrivals(t, cards, today))
	_, err = cards.ByBooking(t.Context(), "bkg_1")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

func TestDeletedCardFreesItsBooking(t *testing.T) {
	_, cards := newTest(t)
	first, err := cards.Create(t.Context(), ada())
	require.NoError(t, err)
	_, err = cards.Create(t.Context(), ada())
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	require.NoError(t, cards.Delete(t.Context(), first.ID))
	assert.ErrorIs(t, cards.Delete(t.Context(), first.ID), dynastay.ErrNotFound)
	second, err := cards.Create(t.Context(), ada())
	require.NoError(t, err)
	assert.NotEqual(t, first.ID, second.ID)
	found, err := cards.ByBooking(t.Context(), "bkg_1")
	require.NoError(t, err)
	assert.Equal(t, second, found)
}

// All answers to a card are lost, and the reads that would settle it fail too, so its outcome is unknown. The same request
// under the same key then finds what was made.
func TestLostAnswer(t *testing.T) {
	db, cards := newTest(t, dyntest.With(dynastay.Options{Retry: dynastay.Retry{Attempts: 2}}))
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", EveryAttempt: true, Times: 1})
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "GetItem", Table: "Metadata", Nth: 1, Times: 3})
	_, err := cards.Create(t.Context(), ada(), dynastay.IdempotencyKey("request-1"))
	require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	db.Clock.Advance(time.Minute)
	again, err := cards.Create(t.Context(), ada(), dynastay.IdempotencyKey("request-1"))
	require.NoError(t, err)
	assert.Equal(t, noon, again.CreatedAt, "it is the first call's")
	found, err := cards.ByBooking(t.Context(), "bkg_1")
	require.NoError(t, err)
	assert.Equal(t, again, found)
	other := ada()
	other.GuestName = "Bob"
	_, err = cards.Create(t.Context(), other, dynastay.IdempotencyKey("request-1"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
}

func TestBadInput(t *testing.T) {
	db, cards := newTest(t)
	create := func(edit func(*registration.Card)) func() error {
		c := ada()
		edit(&c)
		return func() error { _, err := cards.Create(t.Context(), c); return err }
	}
	for _, test := range []struct {
		field string
		call  func() error
	}{
		{"BookingID", create(func(c *registration.Card) { c.BookingID = "" })},
		{"BookingID", create(func(c *registration.Card) { c.BookingID = "bkg#1" })},
		{"PropertyID", create(func(c *registration.Card) { c.PropertyID = "" })},
		{"GuestName", create(func(c *registration.Card) { c.GuestName = " " })},
		{"GuestName", create(func(c *registration.Card) { c.GuestName = strings.Repeat("x", 514) })},
		{"GuestName", create(func(c *registration.Card) { c.GuestName = "\xff" })},
		{"DocumentLast4", create(func(c *registration.Card) { c.DocumentLast4 = "AB12345" })},
		{"DocumentLast4", create(func(c *registration.Card) { c.DocumentLast4 = "12-4" })},
		{"Arrival", create(func(c *registration.Card) { c.Arrival = dynastay.Date{} })},
		{"ID", create(func(c *registration.Card) { c.ID = "reg#1" })},
		{"ID", func() error { _, err := cards.Sign(t.Context(), "", 1, "X123"); return err }},
		{"ID", func() error { return cards.Delete(t.Context(), "reg#1") }},
		{"BookingID", func() error { _, err := cards.ByBooking(t.Context(), ""); return err }},
		{"PropertyID", func() error { _, err := cards.Arrivals("", today).Page(t.Context(), dynastay.Paging{}); return err }},
		{"Arrival", func() error {
			_, err := cards.Arrivals("prop_1", dynastay.Date{}).Page(t.Context(), dynastay.Paging{})
			return err
		}},
		{"Paging.Limit", func() error {
			_, err := cards.Arrivals("p", today).Page(t.Context(), dynastay.Paging{Limit: -1})
			return err
		}},
	} {
		var err error
		spent := db.Measure(func() { err = test.call() })
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, test.field) {
			assert.Equal(t, test.field, invalid.Field, "%v", err)
		}
		assert.Zero(t, spent.Requests, test.field)
	}
}
