package offer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/offer"
)

// An offer with charges has no other fees, and the discount that they were computed with.
func TestInvalidCharges(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	for _, test := range []struct {
		want   string
		change func(o *offer.Offer)
	}{
		{"TaxesAndFees: must be unset, because the quote has charges", func(o *offer.Offer) { o.TaxesAndFees = usd("0") }},
		{"Discounts: must be that of the quote, whose charges are computed with it", func(o *offer.Offer) { o.Discounts = usd("49.99") }},
		{"Discounts: must be that of the quote, whose charges are computed with it", func(o *offer.Offer) { o.Discounts = dynastay.Money{} }},
		{"Quote.Charges.Added: must be 7.00 USD, the sum of its entries", func(o *offer.Offer) { o.Quote.Charges.Added = usd("7.01") }},
	} {
		o := charged()
		test.change(&o)
		_, err := s.Seal(o)
		assert.EqualError(t, err, "invalid "+test.want)
	}
}

// Without a discount, an offer may say 0 or nothing. Charges need version 2 of the contents also where no line has terms.
func TestChargesOfPlainOffers(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	o := simple()
	o.TaxesAndFees, o.Quote.Charges = dynastay.Money{}, charged().Quote.Charges.Clone()
	for i := range o.Quote.Charges.Entries {
		e := &o.Quote.Charges.Entries[i]
		e.Lines = e.Lines[:0]
		for n := range o.Quote.Lines {
			if e.Lines = append(e.Lines, usd("0")); n == 0 {
				e.Lines[0] = e.Amount
			}
		}
	}
	for _, o.Discounts = range []dynastay.Money{{}, usd("0")} {
		token := seal(t, s, o)
		assert.Contains(t, token, "v2.")
		got, err := s.Open(token, o.UserID, o.Quote.At)
		require.NoError(t, err)
		assert.Equal(t, o, got)
		contents, err := offer.Encode(o)
		require.NoError(t, err)
		_, err = s.Open(s.Sign(contents), o.UserID, o.Quote.At)
		assert.Error(t, err)
	}
}
