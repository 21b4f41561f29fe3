package chargetext_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/chargetext"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/levy"
)

func usd(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }

var lodging = []charges.Component{charges.Lodging}

var golden = []struct {
	charges []charges.Charge
	text    string
}{
	{nil, ""},
	{[]charges.Charge{{ID: "abcdefghijkl", Kind: charges.Tax, Per: charges.PerNight}}, ";abcdefghijkl"},
	{
		[]charges.Charge{{ID: "vat", Kind: charges.Tax, Rate: 7_0000, Per: charges.PerNight, Of: lodging, Included: true}},
		";vat r70000 ol i",
	},
	{ // New York
		[]charges.Charge{
			{ID: "state", Kind: charges.Tax, Rate: 8_8750, Per: charges.PerNight, Of: lodging},
			{ID: "city", Kind: charges.Tax, Rate: 5_8750, Per: charges.PerNight, Of: lodging},
			{ID: "unit", Kind: charges.Tax, Amount: usd("1.50"), Per: charges.PerRoomNight, FirstNights: 90, Kept: charges.KeptIfStayed},
		},
		"USD;state r88750 ol;city r58750 ol;unit a1.5 pR f90 cs",
	},
	{ // everything
		[]charges.Charge{
			{ID: "a", Kind: charges.Fee, Per: charges.PerStay, Amount: usd("0")},
			{ID: "b-1", Kind: charges.Deposit, Per: charges.PerRoom, Amount: usd("20"), Kept: charges.NeverKept},
			{
				ID: "c_2", Kind: charges.Tax, Per: charges.PerGuestNight, Of: []charges.Component{charges.Meals, charges.Lodging}, Gross: true,
				On: []string{"a", "b-1"}, AtProperty: true, FromAge: 6, UnderAge: 18, MinStay: 2, MaxStay: 28,
				From: dynastay.MustDate("2026-06-01"), Until: dynastay.MustDate("2026-09-01"),
				Brackets: []charges.Bracket{{Rate: 5_0000}, {From: usd("100"), Amount: usd("7.25")}, {From: usd("0")}},
			},
			{ID: "d", Kind: charges.Tax, Per: charges.PerGuest},
		},
		"USD;a kf a0 ps;b-1 kd a20 pr cn;c_2 b:50000:,100::7.25,0:: pG oml g na,b-1 x y6 z18 m2 w28 d2026-06-01 u2026-09-01;d pg",
	},
}

// Cards are stored. If this test fails, their charges can no longer be read.
func TestForm(t *testing.T) {
	t.Parallel()
	for _, test := range golden {
		text, err := chargetext.Text(&charges.List{Charges: test.charges})
		require.NoError(t, err)
		assert.Equal(t, test.text, text)
		parsed, err := chargetext.Parse(test.text)
		require.NoError(t, err)
		for i := range test.charges {
			test.charges[i].Name = test.charges[i].ID
		}
		assert.Equal(t, &charges.List{Charges: test.charges}, parsed)
	}
	all := golden[4].charges
	for i := range all {
		all[i].Name = "not on the card"
	}
	text, err := chargetext.Text(&charges.List{PropertyID: "p", Version: 7, Charges: all})
	require.NoError(t, err)
	assert.Equal(t, golden[4].text, text)
}

func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		list := levy.AnyList(r)
		text, err := chargetext.Text(list)
		require.NoError(r, err)
		parsed, err := chargetext.Parse(text)
		require.NoError(r, err)
		assert.Equal(r, list, parsed)
	})
}

// What cannot be written is refused, and not left out: the total would be wrong.
func TestTextRefuses(t *testing.T) {
	t.Parallel()
	without, err := dynastay.MoneyOfDigits("5", "")
	require.NoError(t, err)
	unknown, err := dynastay.MoneyOfDigits("5", "XAU")
	require.NoError(t, err)
	good := charges.Charge{ID: "a", Kind: charges.Tax, Per: charges.PerStay, Amount: usd("1")}
	for field, spoil := range map[string]func(*charges.Charge){
		"Charges[1].ID":                 func(c *charges.Charge) { c.ID = "" },
		"Charges[1].Kind":               func(c *charges.Charge) { c.Kind = "" },
		"Charges[1].Per":                func(c *charges.Charge) { c.Per = "week" },
		"Charges[1].Of":                 func(c *charges.Charge) { c.Of = []charges.Component{"spa"} },
		"Charges[1].On":                 func(c *charges.Charge) { c.On = []string{"a", "b,c"} },
		"Charges[1].Kept":               func(c *charges.Charge) { c.Kept = "always" },
		"Charges[1].Amount":             func(c *charges.Charge) { c.Amount = without },
		"Charges[1].Brackets[1].From":   func(c *charges.Charge) { c.Brackets = []charges.Bracket{{}, {From: dynastay.MustMoney("1", "EUR")}} },
		"Charges[1].Brackets[0].Amount": func(c *charges.Charge) { c.Brackets = []charges.Bracket{{Amount: unknown}} },
	} {
		bad := good
		spoil(&bad)
		_, err := chargetext.Text(&charges.List{Charges: []charges.Charge{good, bad}})
		blame.Invalid(t, err, field)
	}
	for _, id := range []string{"a;b", "a b", "A", "_a", "abcdefghijklm"} {
		bad := good
		bad.ID = id
		_, err := chargetext.Text(&charges.List{Charges: []charges.Charge{bad}})
		blame.Invalid(t, err, "Charges[0].ID", id)
	}
	_, err = chargetext.Text(&charges.List{Charges: []charges.Charge{{ID: "a", Kind: charges.Tax, Per: charges.PerStay, Amount: without}}})
	blame.Invalid(t, err, "Charges[0].Amount")
	_, err = chargetext.Text(&charges.List{Charges: []charges.Charge{{ID: "a", Amount: unknown}}})
	blame.Invalid(t, err, "Currency")
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"garbage", "{}", ";", "USD", "USD;", ";;", ";vat;", "USD;vat r70000", ";vat r70000  ol", ";vat ol r70000", ";vat r7.5", ";vat r0", ";vat r07",
		";vat r70000 r70000", ";vat q1", ";vat kx", ";vat k", ";vat px", ";vat oxl", ";vat o", ";vat g1", ";vat i1", ";vat x1", ";vat n", ";vat na,", ";vat a1",
		"USD;vat a01", "USD;vat a1e2", "usd;vat a1", "XAU;vat a1", "USD;vat a1 b0", "USD;vat a1 b0:1", "USD;vat b0:0:", "USD;vat b0:x:", "USD;vat b0:1:x",
		"USD;vat bx:1:", "USD;vat b0:1:1:1", ";vat d2026-06-31", ";vat u", ";vat cx", ";Vat", ";vat\n", ";vat r70000 é", "a1;vat",
	} {
		_, err := chargetext.Parse(text)
		assert.Error(t, err, text)
	}
}
