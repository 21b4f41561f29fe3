package charges_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// sample is a bill of two lines and three nights, with entries of each sum.
func sample(t *testing.T) *charges.Bill {
	l := list(
		included(percent("vat", 7_0000)),
		with(tax("city", charges.PerGuestNight, "3"), func(c *charges.Charge) { c.Kept = charges.KeptIfStayed }),
		with(tax("spa", charges.PerStay, "4"), func(c *charges.Charge) { c.AtProperty = true }),
		with(tax("key", charges.PerStay, "5"), func(c *charges.Charge) { c.Kind = charges.Deposit }),
	)
	return billOf(t, l, house())
}

func TestInvalidBills(t *testing.T) {
	t.Parallel()
	none, err := dynastay.MoneyOfDigits("1", "")
	require.NoError(t, err)
	for _, c := range []struct {
		field, reason string
		change        func(b *charges.Bill)
	}{
		{"Entries", "must have at most 20 entries", func(b *charges.Bill) { b.Entries = make([]charges.Entry, 21) }},
		{"Entries[0].ID", "must have 1 to 12", func(b *charges.Bill) { b.Entries[0].ID = "" }},
		{"Entries[1].ID", "must be unique", func(b *charges.Bill) { b.Entries[1].ID = "vat" }},
		{"Entries[0].Name", "is required", func(b *charges.Bill) { b.Entries[0].Name = " " }},
		{"Entries[0].Name", "must be at most 60 bytes", func(b *charges.Bill) { b.Entries[0].Name = strings.Repeat("a", 61) }},
		{"Entries[0].Kind", "must be one of", func(b *charges.Bill) { b.Entries[0].Kind = "" }},
		{"Entries[0].Kept", "must be empty or", func(b *charges.Bill) { b.Entries[0].Kept = "x" }},
		{"Entries[0].Rate", "must be between", func(b *charges.Bill) { b.Entries[0].Rate = -1 }},
		{"Entries[0].Rate", "must be between", func(b *charges.Bill) { b.Entries[0].Rate = charges.MaxRate + 1 }},
		{"Entries[3].Included", "must be false", func(b *charges.Bill) { b.Entries[3].Included = true }},
		{"Entries[0].AtProperty", "must be false", func(b *charges.Bill) { b.Entries[0].AtProperty = true }},
		{"Entries[0].Nights", "must be empty", func(b *charges.Bill) { b.Entries[0].Nights = b.Entries[1].Nights }},
		{"Entries[1].Nights", "must be empty", func(b *charges.Bill) { b.Entries[1].Kept = charges.NeverKept }},
		{"Entries[0].Amount.Currency", "must be EUR", func(b *charges.Bill) { b.Entries[0].Amount = jpy("1") }},
		{"Entries[0].Amount.Currency", "must be EUR", func(b *charges.Bill) { b.Entries[0].Amount = dynastay.Money{} }},
		{"Entries[0].Amount", "must not be negative", func(b *charges.Bill) { b.Entries[0].Amount = eur("-1") }},
		{"Entries[0].Amount", "must have at most 2 decimal", func(b *charges.Bill) { b.Entries[0].Amount = eur("0.001") }},
		{"Entries[0].Base.Currency", "must be EUR", func(b *charges.Bill) { b.Entries[0].Base = none }},
		{"Entries[0].Base.Currency", "must be EUR", func(b *charges.Bill) { b.Entries[0].Base = jpy("0") }},
		{"Entries[0].Base", "must not be negative", func(b *charges.Bill) { b.Entries[0].Base = eur("-1") }},
		{"Entries[0].Lines", "must have 2 amounts", func(b *charges.Bill) { b.Entries[0].Lines = b.Entries[0].Lines[:1] }},
		{"Entries[0].Lines", "must add up to 51.03 EUR", func(b *charges.Bill) { b.Entries[0].Lines = amounts("51.03", "0.01") }},
		{"Entries[0].Lines[1]", "must not be negative", func(b *charges.Bill) { b.Entries[0].Lines = amounts("51.04", "-0.01") }},
		{"Entries[0].Lines[1].Currency", "must be EUR", func(b *charges.Bill) { b.Entries[0].Lines[1] = dynastay.Money{} }},
		{"Entries[0].Lines.Amount", "must have at most 18", func(b *charges.Bill) {
			b.Entries[0].Lines = amounts("999999999999999999", "999999999999999999")
		}},
		{"Entries[1].Nights", "must have 3 amounts", func(b *charges.Bill) { b.Entries[1].Nights = nil }},
		{"Entries[1].Nights", "must add up to 63.00 EUR", func(b *charges.Bill) { b.Entries[1].Nights = amounts("1", "2", "3") }},
		{"Included", "must be 51.03 EUR", func(b *charges.Bill) { b.Included = eur("1") }},
		{"Included", "must be 51.03 EUR", func(b *charges.Bill) { b.Included = dynastay.Money{} }},
		{"Added", "must be 63.00 EUR", func(b *charges.Bill) { b.Added = eur("72") }},
		{"AtProperty", "must be 4.00 EUR", func(b *charges.Bill) { b.AtProperty = eur("9") }},
		{"Deposits", "must be 5.00 EUR", func(b *charges.Bill) { b.Deposits = eur("0") }},
	} {
		b := sample(t)
		c.change(b)
		refused(t, b.Validate(2, 3, "EUR"), c.field, c.reason)
	}
	refused(t, sample(t).Validate(2, 3, "XYZ"), "Currency", "must be an active")
	refused(t, sample(t).Validate(3, 3, "EUR"), "Entries[0].Lines", "must have 3 amounts")
	b := sample(t)
	for i := range 2 {
		b.Entries[i] = charges.Entry{ID: string(rune('a' + i)), Name: "a", Kind: charges.Tax,
			Amount: eur("999999999999999999"), Lines: amounts("999999999999999999", "0")}
	}
	refused(t, b.Validate(2, 3, "EUR"), "Added.Amount", "must have at most 18")
}

func TestLongestBill(t *testing.T) {
	t.Parallel()
	var all []charges.Charge
	for i := range charges.MaxCharges {
		all = append(all, tax(string(rune('a'+i)), charges.PerStay, "1"))
	}
	assert.Equal(t, eur("20"), billOf(t, list(all...), house()).Added)
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	assert.Nil(t, (*charges.Bill)(nil).Clone())
	assert.Equal(t, &charges.Bill{}, (&charges.Bill{}).Clone())
	b, clone := sample(t), sample(t).Clone()
	assert.Equal(t, b, clone)
	again := b.Clone()
	again.Entries[1].Lines[0], again.Entries[1].Nights[0], again.Entries[0].ID = eur("0"), eur("0"), "other"
	assert.Equal(t, clone, b)
}

func TestBillsInJSON(t *testing.T) {
	t.Parallel()
	b := sample(t)
	text, err := json.Marshal(b)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"Rate":7,`)
	read := &charges.Bill{}
	require.NoError(t, json.Unmarshal(text, read))
	assert.Equal(t, b, read)
	empty, err := json.Marshal(charges.Bill{})
	require.NoError(t, err)
	assert.Equal(t, "{}", string(empty))
}
