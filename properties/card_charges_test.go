package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest"
	storedform "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// cardText returns what the item of p1 has on its card for charges, nil for nothing.
func cardText(t *testing.T, repo *properties.Repository, item dynastay.Item) types.AttributeValue {
	t.Helper()
	card := dynastay.RowOf(item).Value(keys.AttrCard).Map()
	if card.Value("Charges").IsNull() {
		return nil
	}
	return card.Value("Charges").Stored()
}

// Each change of the charges is on the card, in an attribute next to its plans.
func TestChargesOnACard(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	approved(t, repo)
	on := func(text string) {
		t.Helper()
		stored := cardText(t, repo, raw.Get(t, db, keys.PropertiesTable, keyOf("p1")))
		card := cardOf(t, repo)
		whole, err := repo.GetWithRooms(t.Context(), "p1", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, whole.Card(), card)
		if text == "" {
			assert.Nil(t, stored)
			assert.Nil(t, card.Charges)
			return
		}
		assert.Equal(t, dynastay.Text(text), stored)
		want := chargesOf(t, repo)
		want = &charges.List{PropertyID: "p1", Charges: want.Charges}
		for i := range want.Charges {
			want.Charges[i].Name = want.Charges[i].ID
		}
		assert.Equal(t, want, card.Charges)
		whole.Card().Charges.Charges[0].ID = "changed"
		assert.Equal(t, card, whole.Card(), "each card is a copy")
	}
	on("")
	updateCharges(t, repo, add(salesTax("state"), unitFee("USD")))
	on("USD;state r88750 ol;unit kf a2 pR")
	require.NoError(t, second(repo.CreateRatePlan(t.Context(), ratePlan("flex", advertised))))
	updateCharges(t, repo, func(l *charges.List) error { l.Charges[0].Rate = 8_0000; return nil })
	on("USD;state r80000 ol;unit kf a2 pR")
	assert.Equal(t, "flex", planIDs(cardOf(t, repo).RatePlans))

	renamed := updateCharges(t, repo, rename)
	assert.Equal(t, "Sales tax state!", renamed.Charges[0].Name, "the names are not those of the card")
	on("USD;state r80000 ol;unit kf a2 pR")

	// Other changes leave the charges on the card, and so does adoption, also if the card was lost.
	_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = "Renamed" }))
	require.NoError(t, err)
	_, err = repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r3", "300")})
	require.NoError(t, err)
	on("USD;state r80000 ol;unit kf a2 pR")
	for _, lost := range []string{keys.PropertiesTable.WriteIDName(), keys.AttrCard} {
		raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE "+lost, nil)
		require.NoError(t, repo.Adopt(t.Context(), "p1"))
		on("USD;state r80000 ol;unit kf a2 pR")
	}
	raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE "+keys.AttrCard, nil)
	updateCharges(t, repo, func(l *charges.List) error { l.Charges = l.Charges[:1]; return nil })
	on(";state r80000 ol")
	assert.Equal(t, "flex", planIDs(cardOf(t, repo).RatePlans))

	updateCharges(t, repo, func(l *charges.List) error { l.Charges = []charges.Charge{}; return nil })
	on("")
	raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE "+keys.AttrCard, nil)
	require.NoError(t, repo.Adopt(t.Context(), "p1"))
	on("")
}

// Charges have limits of their own, so those of 40 room types are on a card too. Twenty ordinary charges fit.
func TestLimitOfChargesOnACard(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	var all []charges.Charge
	for i := range 20 {
		all = append(all, salesTax(fmt.Sprintf("tax_%02d", i)), unitFee("USD"))
		all[2*i+1].ID = fmt.Sprintf("fee_%02d", i)
		all[2*i].Name, all[2*i+1].Name = strings.Repeat("n", 60), strings.Repeat("n", 60)
	}
	size := func() int {
		text := cardText(t, repo, raw.Get(t, db, keys.PropertiesTable, keyOf("p1")))
		return storedform.Size(dynastay.Item{"Charges": text})
	}
	updateCharges(t, repo, add(all[:20]...))
	assert.Equal(t, 340, size())
	assert.LessOrEqual(t, storedform.Size(raw.Get(t, db, keys.PropertiesTable, chargesAt)), 10_000)

	conditions := func(l *charges.List) {
		for i := range l.Charges {
			l.Charges[i].From, l.Charges[i].Until = dynastay.MustDate("2026-01-01"), dynastay.MustDate("2027-01-01")
		}
	}
	_, err := repo.UpdateCharges(t.Context(), "p1", func(l *charges.List) error { conditions(l); return nil })
	blame.Invalid(t, err, "Charges")
	assert.ErrorContains(t, err, "must have at most 600 bytes on the property's card, without names, got 820; "+
		"use shorter ids, or fewer charges, brackets and conditions")
	assert.Equal(t, 340, size())
	fill := func(l *charges.List, more int) {
		for i := range 10 {
			l.Charges[i].From, l.Charges[i].Until = dynastay.MustDate("2026-01-01"), dynastay.MustDate("2027-01-01")
		}
		l.Charges[18].ID = "tax_18" + strings.Repeat("x", more)
		l.Charges[15].FirstNights, l.Charges[17].MinStay, l.Charges[19].FirstNights, l.Charges[19].MinStay = 14, 14, 14, 2
	}
	_, err = repo.UpdateCharges(t.Context(), "p1", func(l *charges.List) error { fill(l, 6); return nil })
	blame.Invalid(t, err, "Charges")
	updateCharges(t, repo, func(l *charges.List) error { fill(l, 5); return nil })
	assert.Equal(t, 600, size())
	assert.Less(t, storedform.Size(raw.Get(t, db, keys.PropertiesTable, chargesAt)), 10_000)
	require.Len(t, cardOf(t, approved(t, repo)).Charges.Charges, 20)
}

// Charges do not count for the limit of the other parts of a card.
func TestChargesOfALargeCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	var rooms []properties.RoomType
	for i := range 44 {
		rooms = append(rooms, king(fmt.Sprintf("room_%026d", i), fmt.Sprintf("%d.56", 1000+i)))
	}
	_, err := repo.Create(t.Context(), grand("p1"), rooms)
	require.NoError(t, err)
	approved(t, repo)
	var all []charges.Charge
	for i := range 20 {
		all = append(all, salesTax(fmt.Sprintf("tax_%08d", i)))
	}
	without := cardSize(t, cardOf(t, repo))
	updateCharges(t, repo, add(all...))
	with := cardSize(t, cardOf(t, repo))
	assert.Less(t, without+20, 4096)
	assert.Greater(t, with, 4096)
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name += " and its spa" }))
	require.NoError(t, err)
}

// A card that cannot be read must not make the property cheaper. It can be read and changed nevertheless, and the next change
// of the charges, or an adoption, writes the card anew.
func TestUnreadableChargesOfACard(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	approved(t, repo)
	updateCharges(t, repo, add(salesTax("a")))
	unreadable := func() {
		t.Helper()
		card := cardOf(t, repo)
		assert.Equal(t, &charges.List{PropertyID: "p1", Charges: []charges.Charge{{}}}, card.Charges)
		whole, err := repo.GetWithRooms(t.Context(), "p1", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, card, whole.Card())
	}
	rate := charges.Rate(1)
	for _, text := range []types.AttributeValue{
		dynastay.Text("garbage"), dynastay.Text("?"), dynastay.Text(""), dynastay.Number(1), dynastay.Text(";a r88750 ol q1"), &types.AttributeValueMemberM{Value: dynastay.Item{}},
	} {
		garble := func() {
			raw.Set(t, db, keys.PropertiesTable, keyOf("p1"), text, keys.AttrCard, "Charges")
			unreadable()
		}
		garble()
		_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name += "!" }))
		require.NoError(t, err)
		unreadable()
		assert.Equal(t, text, cardText(t, repo, raw.Get(t, db, keys.PropertiesTable, keyOf("p1"))), "it is left as it is")
		rate++
		updateCharges(t, repo, func(l *charges.List) error { l.Charges[0].Rate = rate; return nil })
		assert.Equal(t, rate, cardOf(t, repo).Charges.Charges[0].Rate)
		garble()
		updateCharges(t, repo, rename)
		assert.Equal(t, rate, cardOf(t, repo).Charges.Charges[0].Rate, "even if the text would be the same")
		garble()
		raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE WriteId", nil)
		require.NoError(t, repo.Adopt(t.Context(), "p1"))
		assert.Equal(t, rate, cardOf(t, repo).Charges.Charges[0].Rate)
	}
	raw.Set(t, db, keys.PropertiesTable, keyOf("p1"), dynastay.Text("?"), keys.AttrCard, "Charges")
	updateCharges(t, repo, func(l *charges.List) error { l.Charges = nil; return nil })
	assert.Nil(t, cardOf(t, repo).Charges)
}

// Charges of other software that cannot be on a card are unreadable there after an adoption: without them, the property would
// be cheaper. They can be made good.
func TestForeignChargesOfACard(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	approved(t, repo)
	updateCharges(t, repo, add(salesTax("a"), unitFee("USD")))
	good := raw.Get(t, db, keys.PropertiesTable, chargesAt)
	adopt := func() *charges.List {
		t.Helper()
		raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE WriteId", nil)
		require.NoError(t, repo.Adopt(t.Context(), "p1"))
		return cardOf(t, repo).Charges
	}
	var many []types.AttributeValue
	for range 60 {
		many = append(many, dynastay.RowOf(good).Value("Charges").List()[0].Stored())
	}
	for name, spoil := range map[string]func(){
		"not a number": func() { set(t, db, chargesAt, "SET Charges[0].Rate = :r", dynastay.Item{":r": dynastay.Text("x")}) },
		"a kind":       func() { set(t, db, chargesAt, "SET Charges[0].Kind = :k", dynastay.Item{":k": dynastay.Text("levy")}) },
		"an id":        func() { set(t, db, chargesAt, "SET Charges[0].Id = :i", dynastay.Item{":i": dynastay.Text("a b")}) },
		"no currency":  func() { set(t, db, chargesAt, "REMOVE Currency", nil) },
		"too many": func() {
			set(t, db, chargesAt, "SET Charges = :all", dynastay.Item{":all": &types.AttributeValueMemberL{Value: many}})
		},
	} {
		put(t, db, good)
		spoil()
		assert.Equal(t, &charges.List{PropertyID: "p1", Charges: []charges.Charge{{}}}, adopt(), name)
	}
	set(t, db, chargesAt, "SET Charges = :all, Currency = :c", dynastay.Item{
		":all": &types.AttributeValueMemberL{Value: many}, ":c": dynastay.Text("USD"),
	})
	updateCharges(t, repo, func(l *charges.List) error { l.Charges = []charges.Charge{salesTax("b")}; return nil })
	assert.Equal(t, "b", cardOf(t, repo).Charges.Charges[0].ID)
	assert.Equal(t, "b", adopt().Charges[0].ID)
	raw.Delete(t, db, keys.PropertiesTable, chargesAt)
	assert.Nil(t, adopt())
}

// A property that is created from one that was read has neither its charges nor its plans.
func TestCopiedProperty(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	updateCharges(t, repo, add(salesTax("a")))
	require.NoError(t, second(repo.CreateRatePlan(t.Context(), ratePlan("flex", advertised))))
	p, err := repo.Get(t.Context(), "p1", dynastay.Consistent)
	require.NoError(t, err)
	other := *p
	other.ID, other.Slug, other.Status = "p2", "another", properties.Pending
	made, err := repo.Create(t.Context(), other, []properties.RoomType{king("r9", "100")})
	require.NoError(t, err)
	assert.False(t, made.HasCharges)
	assert.Nil(t, made.Card().Charges)
	assert.Empty(t, made.Card().RatePlans)
	card := dynastay.RowOf(raw.Get(t, db, keys.PropertiesTable, keyOf("p2"))).Value(keys.AttrCard).Map()
	assert.True(t, card.Value("Rates").IsNull())
	assert.True(t, card.Value("Charges").IsNull())
}
