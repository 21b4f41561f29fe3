package charges_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/levy"
)

func usd(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }

// newYork are the charges of a hotel in New York, with a deposit.
func newYork() *charges.List {
	return &charges.List{
		PropertyID: "prop_1",
		Charges: []charges.Charge{
			{ID: "state", Name: "State sales tax", Kind: charges.Tax, Rate: 8_8750, Per: charges.PerNight, Of: []charges.Component{charges.Lodging}},
			{
				ID: "unit", Name: "Unit fee", Kind: charges.Tax, Amount: usd("1.50"), Per: charges.PerRoomNight, FirstNights: 90,
				Kept: charges.KeptIfStayed,
			},
			{
				ID: "resort", Name: "Resort fee", Kind: charges.Fee, Per: charges.PerNight, Gross: true, Included: true,
				Of: []charges.Component{charges.Lodging, charges.Meals}, On: []string{"state"}, MinStay: 2, MaxStay: 30,
				Brackets: []charges.Bracket{{From: usd("0"), Rate: 5_0000}, {From: usd("100"), Amount: usd("7")}},
				From:     dynastay.MustDate("2026-06-01"), Until: dynastay.MustDate("2026-09-01"),
			},
			{
				ID: "bed", Name: "Deposit", Kind: charges.Deposit, Amount: usd("20"), Per: charges.PerGuest, AtProperty: true,
				FromAge: 3, UnderAge: 18, Kept: charges.NeverKept,
			},
		},
		CreatedAt: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 5, 2, 8, 0, 0, 0, time.UTC), Version: 2,
	}
}

func decoded(item dynastay.Item) (*charges.List, error) {
	l := &charges.List{}
	return l, charges.ListCodec.Decode(dynastay.RowOf(item), l)
}

func number(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

func texts(all ...string) types.AttributeValue {
	list := &types.AttributeValueMemberL{}
	for _, text := range all {
		list.Value = append(list.Value, dynastay.Text(text))
	}
	return list
}

func maps(all ...dynastay.Item) types.AttributeValue {
	list := &types.AttributeValueMemberL{}
	for _, item := range all {
		list.Value = append(list.Value, &types.AttributeValueMemberM{Value: item})
	}
	return list
}

// Items that are stored are read for years. Only what is set is stored.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	yes := &types.AttributeValueMemberBOOL{Value: true}
	item, err := charges.ListCodec.Encode(newYork())
	require.NoError(t, err)
	want := dynastay.Item{
		"EntityType": dynastay.Text("Charges"),
		"PropertyId": dynastay.Text("prop_1"), "Currency": dynastay.Text("USD"), "Version": number("2"),
		"CreatedAt": dynastay.Text("2026-05-01T08:00:00Z"), "UpdatedAt": dynastay.Text("2026-05-02T08:00:00Z"),
		"Charges": maps(
			dynastay.Item{
				"Id": dynastay.Text("state"), "Name": dynastay.Text("State sales tax"), "Kind": dynastay.Text("tax"), "Rate": number("8.875"),
				"Per": dynastay.Text("night"), "Of": texts("lodging"),
			},
			dynastay.Item{
				"Id": dynastay.Text("unit"), "Name": dynastay.Text("Unit fee"), "Kind": dynastay.Text("tax"), "Amount": number("1.5"),
				"Per": dynastay.Text("room_night"), "FirstNights": number("90"), "Kept": dynastay.Text("if_stayed"),
			},
			dynastay.Item{
				"Id": dynastay.Text("resort"), "Name": dynastay.Text("Resort fee"), "Kind": dynastay.Text("fee"), "Per": dynastay.Text("night"),
				"Gross": yes, "Included": yes, "Of": texts("lodging", "meals"), "On": texts("state"), "MinStay": number("2"), "MaxStay": number("30"),
				"Brackets": maps(
					dynastay.Item{"From": number("0"), "Rate": number("5")}, dynastay.Item{"From": number("100"), "Amount": number("7")},
				),
				"From": dynastay.Text("2026-06-01"), "Until": dynastay.Text("2026-09-01"),
			},
			dynastay.Item{
				"Id": dynastay.Text("bed"), "Name": dynastay.Text("Deposit"), "Kind": dynastay.Text("deposit"), "Amount": number("20"),
				"Per": dynastay.Text("guest"), "AtProperty": yes, "FromAge": number("3"), "UnderAge": number("18"), "Kept": dynastay.Text("never"),
			},
		),
	}
	assert.Equal(t, want, item)
	read, err := decoded(want)
	require.NoError(t, err)
	assert.Equal(t, newYork(), read)

	empty := &charges.List{PropertyID: "prop_1", Charges: []charges.Charge{}}
	item, err = charges.ListCodec.Encode(empty)
	require.NoError(t, err)
	assert.NotContains(t, item, "Charges")
	assert.NotNil(t, empty.Charges, "the caller's list is not changed")
}

func TestNothingStoredIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		list := anyList(r)
		item, err := charges.ListCodec.Encode(list)
		require.NoError(r, err)
		read, err := decoded(item)
		require.NoError(r, err)
		assert.Equal(r, list, read)
	})
}

// anyList is a list as it is stored, with any names, and rates that are never valid.
func anyList(r *rapid.T) *charges.List {
	l := levy.AnyList(r)
	l.PropertyID, l.Version = "prop_1", rapid.IntRange(0, 30).Draw(r, "version")
	for i := range l.Charges {
		c := &l.Charges[i]
		if c.Name = rapid.String().Draw(r, "name"); rapid.IntRange(0, 9).Draw(r, "negative") == 0 {
			c.Rate = -c.Rate
		}
	}
	return l
}

func TestStoredKey(t *testing.T) {
	t.Parallel()
	item, err := charges.Entity().Item(&charges.List{PropertyID: "prop_1"})
	require.NoError(t, err)
	assert.Equal(t, dynastay.Text("RATES#prop_1"), item["PK"])
	assert.Equal(t, dynastay.Text("CHARGES"), item["SK"])
	_, err = charges.Entity().Item(&charges.List{PropertyID: ""})
	blame.Invalid(t, err, "PropertyID")
}

// What other software has stored is read without validation, unless it cannot be represented.
func TestForeignItems(t *testing.T) {
	t.Parallel()
	read := func(charge dynastay.Item) (*charges.List, error) {
		return decoded(dynastay.Item{
			"PropertyId": dynastay.Text("prop_1"), "Currency": dynastay.Text("USD"), "Charges": maps(charge),
		})
	}
	got, err := read(dynastay.Item{
		"Id": dynastay.Text("VAT 7"), "Kind": dynastay.Text("levy"), "Rate": number("7.0e0"), "Amount": number("0"), "Of": texts(), "Brackets": maps(),
		"On": texts(), "Name": dynastay.NullValue().Stored(), "Later": number("1"),
	})
	require.NoError(t, err)
	assert.Equal(t, []charges.Charge{{ID: "VAT 7", Kind: "levy", Rate: 7_0000, Amount: usd("0")}}, got.Charges)
	for digits, want := range map[string]charges.Rate{"0": 0, "0.0001": 1, "-12.5": -12_5000, "100": charges.MaxRate, "214748.3647": 2_147_483_647} {
		got, err := read(dynastay.Item{"Rate": number(digits)})
		require.NoError(t, err, digits)
		assert.Equal(t, want, got.Charges[0].Rate)
	}
	for _, bad := range []struct {
		field  string
		charge dynastay.Item
	}{
		{"Charges[0].Rate", dynastay.Item{"Rate": number("5.87512")}},
		{"Charges[0].Rate", dynastay.Item{"Rate": number("214748.3648")}},
		{"Charges[0].Rate", dynastay.Item{"Rate": dynastay.Text("5")}},
		{"Charges[0].Rate", dynastay.Item{"Rate": number("1e30")}},
		{"Charges[0].Amount", dynastay.Item{"Amount": dynastay.Text("5")}},
		{"Charges[0].From", dynastay.Item{"From": dynastay.Text("soon")}},
		{"Charges[0].Of[0]", dynastay.Item{"Of": &types.AttributeValueMemberL{Value: []types.AttributeValue{number("1")}}}},
		{"Charges[0].Brackets[0]", dynastay.Item{"Brackets": texts("x")}},
		{"Charges[0].Brackets", dynastay.Item{"Brackets": dynastay.Text("x")}},
		{"Charges[0].FirstNights", dynastay.Item{"FirstNights": number("1.5")}},
		{"Charges[0].Brackets[0].From", dynastay.Item{"Brackets": maps(dynastay.Item{"From": dynastay.Text("x")})}},
	} {
		_, err := read(bad.charge)
		blame.Of(t, err, dynastay.ErrCorrupt, bad.field)
	}
	for _, digits := range []string{"1", "1.5"} {
		got, err := decoded(dynastay.Item{"PropertyId": dynastay.Text("p"), "Charges": maps(dynastay.Item{"Amount": number(digits)})})
		require.NoError(t, err)
		assert.False(t, got.Charges[0].Amount.IsSet(), "without a currency")
		assert.Equal(t, digits, got.Charges[0].Amount.Digits())
	}
}

// An amount in another currency than the others is refused with its field.
func TestStoredInOneCurrency(t *testing.T) {
	t.Parallel()
	list := newYork()
	assert.Equal(t, dynastay.Currency("USD"), list.Currency())
	list.Charges[2].Brackets[1].Amount = dynastay.MustMoney("7", "EUR")
	_, err := charges.ListCodec.Encode(list)
	blame.Invalid(t, err, "Charges[2].Brackets[1].Amount")
	list.Charges[2].Brackets[0].From, list.Charges[2].Brackets[1].From = dynastay.Money{}, dynastay.Money{}
	assert.Equal(t, dynastay.Currency("EUR"), (&charges.List{Charges: list.Charges[2:]}).Currency())
	assert.Empty(t, (&charges.List{Charges: []charges.Charge{{Rate: 1}}}).Currency())
}
