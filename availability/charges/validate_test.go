package charges_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

func bracket(from, amount string) charges.Bracket {
	return charges.Bracket{From: eur(from), Amount: eur(amount)}
}

// rates returns a tax of 5 %, from 50 EUR 7 %.
func rates() charges.Charge {
	return with(percent("x", 0), func(c *charges.Charge) {
		c.Per, c.Brackets = charges.PerNight, []charges.Bracket{{Rate: 5_0000}, {From: eur("50"), Rate: 7_0000}}
	})
}

// steps returns a tax of 1 EUR, from 50 EUR 2 EUR.
func steps() charges.Charge {
	return with(percent("x", 0), func(c *charges.Charge) {
		c.Per, c.Brackets = charges.PerRoomNight, []charges.Bracket{bracket("0", "1"), bracket("50", "2")}
	})
}

func TestInvalidCharges(t *testing.T) {
	t.Parallel()
	none, err := dynastay.MoneyOfDigits("1", "")
	require.NoError(t, err)
	unknown, err := dynastay.MoneyOfDigits("1", "XYZ")
	require.NoError(t, err)
	amount, ten := tax("x", charges.PerStay, "5"), percent("x", 10_0000)
	guest, nightly := tax("x", charges.PerGuest, "5"), tax("x", charges.PerRoomNight, "5")
	for _, c := range []struct {
		field, reason string
		of            charges.Charge
		change        func(c *charges.Charge)
	}{
		{"ID", "must have 1 to 12 of", ten, func(c *charges.Charge) { c.ID = "" }},
		{"ID", "must have 1 to 12 of", ten, func(c *charges.Charge) { c.ID = "-a" }},
		{"ID", "must have 1 to 12 of", ten, func(c *charges.Charge) { c.ID = "A" }},
		{"ID", "must have 1 to 12 of", ten, func(c *charges.Charge) { c.ID = strings.Repeat("a", 13) }},
		{"ID", "must be unique", ten, func(c *charges.Charge) { c.ID = "added" }},
		{"Name", "is required", ten, func(c *charges.Charge) { c.Name = " " }},
		{"Name", "must be at most 60 bytes", ten, func(c *charges.Charge) { c.Name = strings.Repeat("a", 61) }},
		{"Name", "UTF-8", ten, func(c *charges.Charge) { c.Name = "\xff" }},
		{"Kind", "must be one of tax, fee, deposit", ten, func(c *charges.Charge) { c.Kind = "" }},
		{"Per", "must be one of stay, night", ten, func(c *charges.Charge) { c.Per = "" }},
		{"Kept", "must be empty or one of", ten, func(c *charges.Charge) { c.Kept = "policy" }},
		{"Included", "must be false, because a deposit", ten, func(c *charges.Charge) { c.Kind, c.Included = charges.Deposit, true }},
		{"AtProperty", "must be false, because", ten, func(c *charges.Charge) { c.AtProperty, c.Included = true, true }},

		{"Rate", "is required, unless Amount or Brackets", ten, func(c *charges.Charge) { c.Rate = 0 }},
		{"Rate", "must be between", ten, func(c *charges.Charge) { c.Rate = -1 }},
		{"Rate", "must be between", ten, func(c *charges.Charge) { c.Rate = charges.MaxRate + 1 }},
		{"Amount", "must be unset, because Rate", ten, func(c *charges.Charge) { c.Amount = eur("0") }},
		{"Brackets", "must be empty, because Rate", ten, func(c *charges.Charge) { c.Brackets = rates().Brackets }},
		{"Brackets", "must be empty, because Amount", amount, func(c *charges.Charge) { c.Brackets = rates().Brackets }},
		{"Per", "must be night or stay", ten, func(c *charges.Charge) { c.Per = charges.PerRoom }},
		{"Per", "must be night or stay", ten, func(c *charges.Charge) { c.Per = charges.PerRoomNight }},
		{"Amount", "must not be negative", amount, func(c *charges.Charge) { c.Amount = eur("-1") }},
		{"Amount", "must have a currency", amount, func(c *charges.Charge) { c.Amount = none }},
		{"Amount.Currency", "must be an active", amount, func(c *charges.Charge) { c.Amount = unknown }},
		{"Amount.Currency", "must be EUR", amount, func(c *charges.Charge) { c.Amount = jpy("1") }},
		{"Amount", "must have at most 2 decimal", amount, func(c *charges.Charge) { c.Amount = eur("0.001") }},
		{"Amount", "must have at most 15 digits", amount, func(c *charges.Charge) { c.Amount = eur("10000000000000") }},
		{"Amount", "must have at most 15 digits", amount, func(c *charges.Charge) { c.Amount = eur("999999999999999999") }},

		{"Brackets", "must have at most 6", rates(), func(c *charges.Charge) { c.Brackets = make([]charges.Bracket, 7) }},
		{"Brackets", "must have a rate or an amount", rates(), func(c *charges.Charge) { c.Brackets = make([]charges.Bracket, 1) }},
		{"Brackets[0].From", "must be 0", rates(), func(c *charges.Charge) { c.Brackets[0].From = eur("0.01") }},
		{"Brackets[1].From", "must be above", rates(), func(c *charges.Charge) { c.Brackets[1].From = eur("0") }},
		{"Brackets[1].From", "must be above", rates(), func(c *charges.Charge) { c.Brackets[1].From = dynastay.Money{} }},
		{"Brackets[1].From", "must not be negative", rates(), func(c *charges.Charge) { c.Brackets[1].From = eur("-1") }},
		{"Brackets[0].From.Currency", "must be EUR", rates(), func(c *charges.Charge) { c.Brackets[0].From = jpy("0") }},
		{"Brackets[1].Rate", "must be between", rates(), func(c *charges.Charge) { c.Brackets[1].Rate = -1 }},
		{"Brackets[1]", "must have a rate if", rates(), func(c *charges.Charge) { c.Brackets[1] = bracket("50", "0") }},
		{"Brackets[1]", "must have a rate if", steps(), func(c *charges.Charge) { c.Brackets[1].Rate = 1 }},
		{"Brackets[1].Amount", "must not be negative", steps(), func(c *charges.Charge) { c.Brackets[1].Amount = eur("-1") }},
		{"Per", "must be night for brackets", rates(), func(c *charges.Charge) { c.Per = charges.PerStay }},
		{"Per", "must be room_night or guest_night", steps(), func(c *charges.Charge) { c.Per = charges.PerNight }},
		{"Per", "must be room_night or guest_night", steps(), func(c *charges.Charge) { c.Per = charges.PerGuest }},

		{"Of", "is required for a percentage", ten, func(c *charges.Charge) { c.Of = nil }},
		{"Of", "is required, because it is the price", rates(), func(c *charges.Charge) { c.Of, c.On = nil, []string{"added"} }},
		{"Of", "is required, because it is the price", steps(), func(c *charges.Charge) { c.Of = nil }},
		{"Of[0]", "must be one of lodging, meals", ten, func(c *charges.Charge) { c.Of = []charges.Component{""} }},
		{"Of[1]", "appears more than once", ten, func(c *charges.Charge) { c.Of = append(meals, meals...) }},
		{"Of", "must be empty for an amount that is not", amount, func(c *charges.Charge) { c.Of = meals }},
		{"Of", "must be the one component", included(amount), func(c *charges.Charge) { c.Of = both }},
		{"Gross", "must be false for an amount", included(amount), func(c *charges.Charge) { c.Gross = true }},
		{"Gross", "must be false for an amount", amount, func(c *charges.Charge) { c.Gross = true }},
		{"Gross", "must be false without Of", ten, func(c *charges.Charge) { c.Of, c.On, c.Gross = nil, []string{"added"}, true }},
		{"Gross", "must be true for brackets", included(rates()), func(*charges.Charge) {}},
		{"Gross", "must be true for brackets", included(steps()), func(*charges.Charge) {}},
		{"On", "must be empty for an amount", amount, func(c *charges.Charge) { c.On = []string{"added"} }},
		{"On", "must be empty for an amount", steps(), func(c *charges.Charge) { c.On = []string{"added"} }},
		{"On[1]", "must be an earlier charge", ten, func(c *charges.Charge) { c.On = []string{"added", "unknown"} }},
		{"On[0]", "must be an earlier charge", ten, func(c *charges.Charge) { c.On = []string{"x"} }},
		{"On[0]", "must be an earlier charge", ten, func(c *charges.Charge) { c.On = []string{"later"} }},
		{"On[0]", "must not be a deposit", ten, func(c *charges.Charge) { c.On = []string{"deposit"} }},
		{"On[1]", "must be an included charge", included(ten), func(c *charges.Charge) { c.On = []string{"included", "added"} }},
		{"On[2]", "appears more than once", ten, func(c *charges.Charge) { c.On = []string{"added", "included", "added"} }},

		{"FirstNights", "must be between 0 and 90", nightly, func(c *charges.Charge) { c.FirstNights = -1 }},
		{"FirstNights", "must be between 0 and 90", nightly, func(c *charges.Charge) { c.FirstNights = 91 }},
		{"FirstNights", "requires a charge per night", guest, func(c *charges.Charge) { c.FirstNights = 1 }},
		{"FirstNights", "requires a charge per night", ten, func(c *charges.Charge) { c.FirstNights = 1 }},
		{"FromAge", "must be between 0 and 18", guest, func(c *charges.Charge) { c.FromAge = -1 }},
		{"FromAge", "must be between 0 and 18", guest, func(c *charges.Charge) { c.FromAge = 19 }},
		{"UnderAge", "must be between 0 and 18", guest, func(c *charges.Charge) { c.UnderAge = -1 }},
		{"UnderAge", "must be between 0 and 18", guest, func(c *charges.Charge) { c.UnderAge = 19 }},
		{"UnderAge", "must be above FromAge (9)", guest, func(c *charges.Charge) { c.FromAge, c.UnderAge = 9, 9 }},
		{"FromAge", "requires a charge per guest", nightly, func(c *charges.Charge) { c.FromAge = 1 }},
		{"UnderAge", "requires a charge per guest", ten, func(c *charges.Charge) { c.UnderAge = 1 }},
		{"MinStay", "must be between 0 and 90", ten, func(c *charges.Charge) { c.MinStay = -1 }},
		{"MinStay", "must be between 0 and 90", ten, func(c *charges.Charge) { c.MinStay = 91 }},
		{"MaxStay", "must be between 0 and 90", ten, func(c *charges.Charge) { c.MaxStay = -1 }},
		{"MaxStay", "must be between 0 and 90", ten, func(c *charges.Charge) { c.MaxStay = 91 }},
		{"MaxStay", "must be at least MinStay (3)", ten, func(c *charges.Charge) { c.MinStay, c.MaxStay = 3, 2 }},
		{"Until", "must be after From", ten, func(c *charges.Charge) { c.From, c.Until = at("2026-05-01"), at("2026-05-01") }},
	} {
		l := list(
			included(tax("included", charges.PerStay, "1")), tax("added", charges.PerStay, "1"),
			with(tax("deposit", charges.PerStay, "1"), func(c *charges.Charge) { c.Kind = charges.Deposit }),
			with(c.of, func(c *charges.Charge) { c.Brackets = append([]charges.Bracket(nil), c.Brackets...) }),
			tax("later", charges.PerStay, "1"),
		)
		c.change(&l.Charges[3])
		refused(t, l.Validate(), "Charges[3]."+c.field, c.reason)
		_, err := l.Bill(double(1, "100"))
		refused(t, err, "Charges[3]."+c.field, c.reason)
	}
	refused(t, list(make([]charges.Charge, 21)...).Validate(), "Charges", "must have at most 20 entries")
	refused(t, (&charges.List{}).Validate(), "PropertyID", "")
}

func TestChargesAtTheirLimits(t *testing.T) {
	t.Parallel()
	limit := charges.Charge{
		ID: "0_-abcdefghi", Name: strings.Repeat("ä", 30), Kind: charges.Fee, Per: charges.PerGuestNight, Of: both, Gross: true,
		Brackets: []charges.Bracket{
			{}, bracket("0.01", "0"), {From: eur("0.02")}, bracket("0.03", "1"), bracket("0.04", "9999999999999.99"),
			{From: eur("9999999999999.99")},
		},
		FirstNights: 90, FromAge: 17, UnderAge: 18, MinStay: 90, MaxStay: 90, AtProperty: true, Kept: charges.KeptIfStayed,
		From: at("2026-05-01"), Until: at("2026-05-02"),
	}
	for _, c := range []charges.Charge{
		limit, percent("x", 1), percent("x", charges.MaxRate), tax("x", charges.PerRoom, "0"), rates(), steps(),
		with(tax("x", charges.PerGuest, "1"), func(c *charges.Charge) { c.FromAge = 18 }),
		with(tax("x", charges.PerNight, "1"), func(c *charges.Charge) { c.FirstNights, c.MaxStay = 1, 1 }),
		with(included(tax("x", charges.PerNight, "1")), func(c *charges.Charge) { c.Of = lodging }),
		with(included(rates()), func(c *charges.Charge) { c.Gross = true }),
		with(steps(), func(c *charges.Charge) { c.Per = charges.PerGuestNight }),
		with(percent("x", 1), func(c *charges.Charge) { c.MinStay = 90 }),
		with(percent("x", 1), func(c *charges.Charge) { c.Until = at("2026-05-01") }),
		with(tax("x", charges.PerStay, "1"), func(c *charges.Charge) { c.Amount = dynastay.MustMoney("1", "HRK") }),
	} {
		assert.NoError(t, list(c).Validate())
	}
	assert.NoError(t, list().Validate())
	var most []charges.Charge
	for i := range charges.MaxCharges {
		most = append(most, percent(string(rune('a'+i)), 1))
	}
	assert.NoError(t, list(most...).Validate())
}

func TestCurrencyOfAList(t *testing.T) {
	t.Parallel()
	rate := percent("a", 1)
	from := with(rates(), func(c *charges.Charge) { c.Brackets[1].From = jpy("50") })
	amount := with(steps(), func(c *charges.Charge) { c.Brackets = []charges.Bracket{{Amount: jpy("1")}} })
	first := with(rates(), func(c *charges.Charge) { c.Brackets = c.Brackets[:1] })
	assert.Equal(t, dynastay.Currency(""), list(rate, first).Currency())
	assert.Equal(t, dynastay.Currency("EUR"), list(rate, tax("x", charges.PerStay, "1"), from).Currency())
	assert.Equal(t, dynastay.Currency("JPY"), list(rate, from, tax("y", charges.PerStay, "1")).Currency())
	assert.Equal(t, dynastay.Currency("JPY"), list(rate, amount).Currency())
}
