package offer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

var guest = bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"}

// What Seal refuses, each with its field. An offer with the same contents cannot be opened either.
func TestInvalidOffers(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	eur, small := dynastay.MustMoney("1", "EUR"), dynastay.MustMoney("0.001", "USD")
	negative := dynastay.MustMoney("-0.01", "USD")
	long := strings.Repeat("a", 129)
	for _, test := range []struct {
		want   string
		change func(o *offer.Offer)
	}{
		{"Quote.Lines: must not be empty", func(o *offer.Offer) { o.Quote.Lines = nil }},
		{"Quote.Guests.Adults: must be at least 3, one for each room", func(o *offer.Offer) { o.Quote.Guests.Adults = 2 }},
		{"Quote.Property.ID: is required", func(o *offer.Offer) { o.Quote.Property.ID = "" }},
		{"Quote.Total: must equal the sum of the lines, 1419.01 USD", func(o *offer.Offer) { o.Quote.Total = small }},
		{"Quote.Lines[1].Overbooked[0]: must be a night of the stay", func(o *offer.Offer) { o.Quote.Lines[1].Overbooked[0] = o.Quote.Stay.CheckOut }},
		{"Quote.Lines[0].Overbooked[1]: must be a night of the stay", func(o *offer.Offer) { o.Quote.Lines[0].Overbooked[1] = dynastay.Date{} }},
		{"Quote.Lines[0].Overbooked[0]: must be a night of the stay", func(o *offer.Offer) {
			o.Quote.Lines[0].Overbooked[0] = o.Quote.Stay.CheckIn.AddDays(-1)
		}},
		{"UserID: must not contain '#'", func(o *offer.Offer) { o.UserID = "user#1" }},
		{"UserID: must be at most 128 bytes", func(o *offer.Offer) { o.UserID = long }},
		{"BookingID: must not contain control characters", func(o *offer.Offer) { o.BookingID = "a\n" }},
		{"BookingID: must be at most 128 bytes", func(o *offer.Offer) { o.BookingID = long }},
		{"Version: must not be negative", func(o *offer.Offer) { o.Version = -1 }},
		{"Version: requires BookingID", func(o *offer.Offer) { o.BookingID, o.Version = "", 1 }},
		{"PromoCode: is required", func(o *offer.Offer) { o.PromoCode = " " }},
		{"PromoCode: must be at most 256 bytes after trimming and percent-escaping", func(o *offer.Offer) { o.PromoCode = long + long }},
		{"TaxesAndFees: must be in USD, the currency of the quote", func(o *offer.Offer) { o.TaxesAndFees = eur }},
		{"TaxesAndFees: must not be negative", func(o *offer.Offer) { o.TaxesAndFees = negative }},
		{"TaxesAndFees: must have at most 2 decimal places in USD", func(o *offer.Offer) { o.TaxesAndFees = small }},
		{"Discounts: must be in USD, the currency of the quote", func(o *offer.Offer) { o.Discounts = eur }},
		{"Discounts: must be in USD, the currency of the quote", func(o *offer.Offer) { o.Discounts = dynastay.MustMoney("0", "EUR") }},
		{"Discounts: must not be negative", func(o *offer.Offer) { o.Discounts = negative }},
		{"Discounts: must have at most 2 decimal places in USD", func(o *offer.Offer) { o.Discounts = small }},
		{"Discounts: must be at most the total of the quote, 1419.01 USD", func(o *offer.Offer) { o.Discounts = dynastay.MustMoney("1419.02", "USD") }},
		{"Kept: must be in USD, the currency of the quote", func(o *offer.Offer) { o.Kept = eur }},
		{"Kept: must not be negative", func(o *offer.Offer) { o.Kept = negative }},
		{"Kept: requires BookingID", func(o *offer.Offer) { o.BookingID, o.Version, o.Kept = "", 0, dynastay.MustMoney("1", "USD") }},
		{"Discounts: requires PromoCode", func(o *offer.Offer) { o.BookingID, o.Version, o.PromoCode = "", 0, "" }},
		{"Expires: is required", func(o *offer.Offer) { o.Expires = time.Time{} }},
		{"Expires: must be after Quote.At", func(o *offer.Offer) { o.Expires = now }},
		{"Expires: must be within the years 1 to 9999", func(o *offer.Offer) { o.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"Expires: must be within the years 1 to 9999", func(o *offer.Offer) { // the year 9999 in its zone
			o.Expires = time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600))
		}},
		{"Quote.At: must be within the years 1 to 9999", func(o *offer.Offer) { o.Quote.At = time.Time{}.Add(-1) }},
	} {
		o := full()
		test.change(&o)
		token, err := s.Seal(o)
		assert.Empty(t, token)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.EqualError(t, err, "invalid "+test.want)
		contents, err := offer.Encode(o)
		if err != nil || strings.HasSuffix(test.want, "the currency of the quote") {
			continue // the contents have only one currency, and only such times
		}
		forged := s.Sign(contents)
		got, err := s.Open(forged, o.UserID, now)
		refused(t, offer.ErrMalformed, got, err, forged)
	}
	_, err := s.Seal(offer.Offer{Expires: expires})
	assert.EqualError(t, err, "invalid Quote: is required")
}

// Who opens a token is a guest, so it has nothing that only staff may ask for.
func TestOffersAreNotForStaff(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	for field, change := range map[string]func(q *availability.Quote){
		"Quote.BusinessDate":    func(q *availability.Quote) { q.BusinessDate = q.Stay.CheckIn },
		"Quote.Lines[1].Agreed": func(q *availability.Quote) { q.Lines[1].Agreed = true },
	} {
		o := full()
		change(o.Quote)
		_, err := s.Seal(o)
		blame.Invalid(t, err, field)
	}
}

func TestValidOffers(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	for name, change := range map[string]func(o *offer.Offer){
		"the smallest":         func(o *offer.Offer) { *o = offer.Offer{Quote: o.Quote, Expires: now.Add(1)} },
		"nothing to pay":       func(o *offer.Offer) { o.Discounts = dynastay.MustMoney("0", "USD"); o.TaxesAndFees = o.Discounts },
		"version 0":            func(o *offer.Offer) { o.Version = 0 },
		"ids of 128 bytes":     func(o *offer.Offer) { o.UserID = strings.Repeat("a", 128); o.BookingID = o.UserID },
		"last second":          func(o *offer.Offer) { o.Expires = time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC) },
		"quoted at no time":    func(o *offer.Offer) { o.Quote.At = time.Time{} },
		"in the year 1":        func(o *offer.Offer) { o.Quote.At = time.Time{}; o.Expires = time.Time{}.Add(1) },
		"overbooked twice":     func(o *offer.Offer) { l := &o.Quote.Lines[0]; l.Overbooked = append(l.Overbooked, l.Overbooked...) },
		"18 digits":            func(o *offer.Offer) { o.TaxesAndFees = dynastay.MustMoney("999999999999999999", "USD") },
		"18 digits with cents": func(o *offer.Offer) { o.TaxesAndFees = dynastay.MustMoney("9999999999999999.99", "USD") },
	} {
		o := full()
		change(&o)
		got, err := s.Open(seal(t, s, o), o.UserID, o.Expires.Add(-1))
		require.NoError(t, err, name)
		assert.Equal(t, o, got, name)
	}
}

func TestRequestAndModification(t *testing.T) {
	t.Parallel()
	o := full()
	m, err := o.Modification()
	require.NoError(t, err)
	code := "SUMMER 2026"
	o.Kept = dynastay.MustMoney("300.00", "USD")
	m, err = o.Modification()
	require.NoError(t, err)
	assert.Equal(t, o.Kept, m.Kept)
	o.Kept = dynastay.Money{}
	m, err = o.Modification()
	require.NoError(t, err)
	assert.Equal(t, bookings.Modification{
		BookingID: "bkg_12345", Version: 7, Quote: o.Quote, TaxesAndFees: o.TaxesAndFees, PromoCode: &code, Discounts: o.Discounts,
	}, m)
	kept := o
	kept.PromoCode = ""
	m, err = kept.Modification()
	require.NoError(t, err)
	assert.Nil(t, m.PromoCode, "the booking keeps its code")
	req, err := o.Request(guest)
	assert.Zero(t, req)
	assert.EqualError(t, err, "invalid BookingID: must be empty for a new booking")
	assert.True(t, errors.Is(err, offer.ErrPurpose) && errors.Is(err, dynastay.ErrInvalid))

	o.BookingID, o.Version = "", 0
	req, err = o.Request(guest)
	require.NoError(t, err)
	assert.Equal(t, bookings.Request{
		Quote: o.Quote, UserID: "user_456", Guest: guest, TaxesAndFees: o.TaxesAndFees, PromoCode: code, Discounts: o.Discounts,
	}, req)
	m, err = o.Modification()
	assert.Zero(t, m)
	assert.EqualError(t, err, "invalid BookingID: is required for a modification")
	assert.True(t, errors.Is(err, offer.ErrPurpose) && errors.Is(err, dynastay.ErrInvalid))
}

// A booking is created and modified by tokens alone. The tokens themselves send no request.
func TestBookingByToken(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.Tables(keys.PropertiesTable, keys.AvailabilityTable, keys.BookingsTable), dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.DB, 3)
	repo, s := bookings.New(db.DB, nil), newSealer(t, june)
	fees := dynastay.MustMoney("84", "USD")
	quote := hotel.Quote(t, db.DB, fixture.Stay, 1)
	travel := func(o offer.Offer) offer.Offer {
		o.UserID, o.Expires = "user_456", db.Now().Add(time.Hour)
		opened, err := s.Open(seal(t, s, o), "user_456", db.Now())
		require.NoError(t, err)
		assert.Equal(t, o, opened)
		return opened
	}

	req, err := travel(offer.Offer{Quote: quote, TaxesAndFees: fees}).Request(guest)
	require.NoError(t, err)
	b, err := repo.Create(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "924.00 USD", b.Total.String())
	assert.Equal(t, []int{2, 2, 2}, hotel.Left(t, db.DB, fixture.Stay))

	card := availability.QuoteRequest{
		Property: quote.Property, Stay: dynastay.MustStay("2026-07-10", "2026-07-12"), Guests: quote.Guests,
		Rooms: []availability.Room{{
			RoomTypeID: hotel.RoomTypeID, Name: quote.Lines[0].Name, Quantity: 1, Limits: quote.Sleeps,
			CancellationPolicy: quote.Lines[0].CancellationPolicy,
		}},
	}
	quoted, err := repo.QuoteModification(t.Context(), b.ID, card)
	require.NoError(t, err)
	shorter, err := travel(offer.Offer{
		Quote: quoted.Quote, TaxesAndFees: quoted.TaxesAndFees, BookingID: quoted.BookingID, Version: quoted.Version,
		Discounts: quoted.Discounts, Kept: quoted.Kept,
	}).Modification()
	require.NoError(t, err)
	assert.Equal(t, quoted, shorter)
	modified, err := repo.Modify(t.Context(), shorter)
	require.NoError(t, err)
	assert.Equal(t, "644.00 USD", modified.Booking.Total.String())
	assert.Equal(t, []int{2, 2, 3}, hotel.Left(t, db.DB, fixture.Stay))

	// It can be opened again, but not carried out again.
	_, err = repo.Modify(t.Context(), shorter)
	assert.ErrorIs(t, err, dynastay.ErrVersion)
}
