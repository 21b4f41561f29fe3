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
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

var (
	now     = time.Date(2026, 6, 1, 12, 0, 0, 123456789, time.UTC)
	expires = now.Add(15 * time.Minute)
)

var (
	june = offer.Key{ID: "2026-06", Secret: []byte("a secret of June, 32 bytes long.")}
	july = offer.Key{ID: "2026_07", Secret: []byte("another secret, which is longer than 32 bytes")}
)

// reasons are all reasons for which Open refuses a token.
var reasons = []error{
	offer.ErrMalformed, offer.ErrUnknownVersion, offer.ErrUnknownKey, offer.ErrForged, offer.ErrOtherUser, offer.ErrExpired,
}

func newSealer(t testing.TB, keys ...offer.Key) *offer.Sealer {
	t.Helper()
	s, err := offer.NewSealer(keys...)
	require.NoError(t, err)
	return s
}

func seal(t testing.TB, s *offer.Sealer, o offer.Offer) string {
	t.Helper()
	token, err := s.Seal(o)
	require.NoError(t, err)
	return token
}

// refused checks that a token is refused for exactly one reason, and that the error says nothing about the token.
func refused(t testing.TB, reason error, got offer.Offer, err error, token string) {
	t.Helper()
	assert.Equal(t, offer.Offer{}, got)
	matched := []error{}
	for _, r := range reasons {
		if errors.Is(err, r) {
			matched = append(matched, r)
		}
	}
	require.Equal(t, []error{reason}, matched, "%q: %v", token, err)
	blame.Invalid(t, err, "Token")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	for part := range strings.SplitSeq(token, ".") {
		if len(part) > len("2026-06") {
			assert.NotContains(t, err.Error(), part)
		}
	}
}

// anyReason returns the only reason that the error of Open may have if a token is not genuine.
func anyReason(t testing.TB, err error) error {
	t.Helper()
	for _, r := range reasons[:4] {
		if errors.Is(err, r) {
			return r
		}
	}
	require.Fail(t, "refused for no reason", "%v", err)
	return nil
}

// full is an offer in which no field has its zero value.
func full() offer.Offer {
	usd := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }
	stay := dynastay.MustStay("2026-07-10", "2026-07-13")
	nights := func(prices ...string) (all []availability.NightPrice) {
		for i, price := range prices {
			all = append(all, availability.NightPrice{Date: stay.CheckIn.AddDays(i), Price: usd(price)})
		}
		return all
	}
	return offer.Offer{
		Quote: &availability.Quote{
			Property: availability.House{ID: "prop_123", Name: "Bed & Breakfast <Zürich>", TimeZone: "Europe/Zurich", CheckInTime: "15:00"},
			Stay:     stay,
			Guests:   availability.Guests{Adults: 5, Children: 1},
			Overbook: 2,
			Lines: []availability.Line{
				{
					RoomTypeID: "room_1", Name: "Deluxe King", Quantity: 2, CancellationPolicy: availability.FreeCancellation(48),
					Nights: nights("280.00", "279.50", "0"), Subtotal: usd("1119.00"),
					Overbooked: []dynastay.Date{stay.CheckIn, stay.LastNight()},
				},
				{
					RoomTypeID: "room_2", Name: "Twin", Quantity: 1, CancellationPolicy: availability.NonRefundable,
					Nights: nights("100", "100", "100.01"), Subtotal: usd("300.01"),
					Overbooked: []dynastay.Date{dynastay.MustDate("2026-07-11")},
				},
			},
			Sleeps: availability.Limits{MaxAdults: 6, MaxChildren: 3, MaxOccupancy: 7},
			Total:  usd("1419.01"),
			At:     now,
		},
		UserID:       "user_456",
		TaxesAndFees: usd("83.85"),
		PromoCode:    "SUMMER 2026",
		Discounts:    usd("15.00"),
		BookingID:    "bkg_12345",
		Version:      7,
		Expires:      expires,
	}
}

// simple is a typical offer: three nights of one room type.
func simple() offer.Offer {
	o := full()
	o.Quote.Guests, o.Quote.Overbook = availability.Guests{Adults: 2}, 0
	o.Quote.Lines = o.Quote.Lines[:1]
	l := &o.Quote.Lines[0]
	l.Quantity, l.Overbooked = 1, nil
	l.Nights[2].Price = dynastay.MustMoney("280.00", "USD")
	l.Subtotal = dynastay.MustMoney("839.50", "USD")
	o.Quote.Total = l.Subtotal
	o.BookingID, o.Version = "", 0
	return o
}
