package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// Card data is refused in every text that a caller passes, before any request, and no error repeats it.
func TestTextsHaveNoCardData(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	good := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	b, err := repo.Create(t.Context(), good)
	require.NoError(t, err)
	guests := []struct {
		field string
		set   func(*bookings.Guest)
	}{
		{"FirstName", func(g *bookings.Guest) { g.FirstName = "4111 1111 1111 1111" }},
		{"LastName", func(g *bookings.Guest) { g.LastName = "Doe 4111-1111-1111-1111 12/27" }},
		{"Email", func(g *bookings.Guest) { g.Email = "4111111111111111@example.com" }},
		{"Country", func(g *bookings.Guest) { g.Country = "USA, CVC 123" }},
		{"Phone", func(g *bookings.Guest) { g.Phone = "+3782 822463 10005" }},
	}
	type call struct {
		field string
		do    func() error
	}
	secret := "Please charge 4111 1111 1111 1111, CVC 123"
	calls := []call{
		{"SpecialRequests", func() error {
			req := good
			req.SpecialRequests = secret
			_, err := repo.Create(t.Context(), req)
			return err
		}},
		{"SpecialRequests", func() error {
			_, err := repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, SpecialRequests: &secret})
			return err
		}},
		{"Reason", func() error { _, err := repo.Cancel(t.Context(), b.ID, secret, nil); return err }},
		{"Rooms[room_1][1]", func() error {
			_, err := repo.CheckIn(t.Context(), b.ID, bookings.Assigned{"room_1": {"301", "key_4111111111111111"}})
			return err
		}},
	}
	for _, test := range guests {
		guest := good.Guest
		test.set(&guest)
		calls = append(calls, call{"Guest." + test.field, func() error {
			req := good
			req.Guest = guest
			_, err := repo.Create(t.Context(), req)
			return err
		}}, call{"Guest." + test.field, func() error {
			_, err := repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, Guest: &guest})
			return err
		}})
	}
	stop := db.Faults.Record()
	for _, call := range calls {
		err := call.do()
		invalid := blame.Invalid(t, err, call.field)
		assert.Equal(t, "must not contain a card number or a card verification code", invalid.Reason)
		for _, part := range []string{"4111", "3782", "123"} {
			assert.NotContains(t, err.Error(), part)
		}
	}
	assert.Empty(t, stop(), "no request was sent")
	stored, err := repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, b, stored)
}

// A phone number that has the digits of a card is one nevertheless.
func TestPhoneNumbersLikeCards(t *testing.T) {
	t.Parallel()
	guest := bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"}
	for _, number := range []string{"+4222222222222", "+42 222 2222-2222"} {
		guest.Phone = number
		assert.NoError(t, guest.Validate())
	}
	guest.Phone = "+30569309025904"
	blame.Invalid(t, guest.Validate(), "Phone", guest.Phone)
}
