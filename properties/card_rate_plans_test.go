package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	storedform "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func advertised(p *availability.RatePlan) { p.Advertised = true }

// singleUse is a price for a party.
func singleUse(amount string) func(*availability.RatePlan) {
	return func(p *availability.RatePlan) {
		p.Party = &availability.PartyPrices{SingleUse: availability.Supplement{Amount: dynastay.MustMoney(amount, "USD")}}
	}
}

// cardOf returns the card of p1 as a search reads it.
func cardOf(t *testing.T, repo *properties.Repository) *properties.Card {
	page, err := repo.ByCity(properties.CityQuery{City: grand("").Address.City, Country: grand("").Address.Country}).
		Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	return page.Items[0]
}

// approved approves p1, so that it is found.
func approved(t *testing.T, repo *properties.Repository) *properties.Repository {
	t.Helper()
	_, err := repo.Approve(t.Context(), "p1")
	require.NoError(t, err)
	return repo
}

// changePlan changes a plan of p1.
func changePlan(t *testing.T, repo *properties.Repository, id string, edit func(*availability.RatePlan)) {
	t.Helper()
	_, err := repo.UpdateRatePlan(t.Context(), "p1", id, func(p *availability.RatePlan) error { edit(p); return nil })
	require.NoError(t, err)
}

// After each change, the card has the active plans that are advertised, in their order, with all that determines a price.
func TestAdvertisedRatePlans(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	approved(t, repo)
	shown := func(ids string) {
		t.Helper()
		card := cardOf(t, repo)
		assert.Equal(t, ids, planIDs(card.RatePlans))
		whole, err := repo.GetWithRooms(t.Context(), "p1", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, whole.Card(), card)
		stored := map[string]availability.RatePlan{}
		for _, plan := range ratePlans(t, repo) {
			stored[plan.ID] = plan
		}
		for _, got := range card.RatePlans {
			want := stored[got.ID]
			if want.Party == nil && want.Derived != nil {
				want.Party = stored[want.Derived.From].Party
			}
			want.Description, want.CreatedAt, want.UpdatedAt, want.Version = "", got.CreatedAt, got.UpdatedAt, 0
			assert.Equal(t, want, got)
		}
	}
	shown("")
	for _, plan := range []availability.RatePlan{
		ratePlan("flex", singleUse("-20")), ratePlan("saver", derivedFrom("flex"), advertised), ratePlan("full", complete), ratePlan("old", archived, advertised),
	} {
		_, err := repo.CreateRatePlan(t.Context(), plan)
		require.NoError(t, err)
	}
	shown("saver full") // the order of the former is 0
	changePlan(t, repo, "flex", advertised)
	shown("flex saver full")
	changePlan(t, repo, "flex", singleUse("-30")) // of which the derived plan has a copy
	shown("flex saver full")
	changed, err := repo.UpdateRatePlan(t.Context(), "p1", "saver", func(p *availability.RatePlan) error { p.Name = "Saver"; return nil })
	require.NoError(t, err)
	assert.Nil(t, changed.Party, "only the card has that of flex")
	shown("flex saver full")
	_, err = repo.OrderRatePlans(t.Context(), "p1", []string{"full", "saver"})
	require.NoError(t, err)
	shown("full saver flex")
	changePlan(t, repo, "flex", func(p *availability.RatePlan) { p.Advertised = false })
	shown("full saver")
	changePlan(t, repo, "saver", archived)
	shown("full")
	changePlan(t, repo, "full", archived)
	shown("")

	// Other changes leave the plans on the card, and so does adoption, also if the card was lost.
	changePlan(t, repo, "saver", func(p *availability.RatePlan) { p.Active = true })
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = "Renamed" }))
	require.NoError(t, err)
	_, err = repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r3", "300")})
	require.NoError(t, err)
	shown("saver")
	for _, lost := range []string{keys.PropertiesTable.WriteIDName(), keys.AttrCard} {
		raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE "+lost, nil)
		require.NoError(t, repo.Adopt(t.Context(), "p1"))
		shown("saver")
	}
}

// What is advertised is limited, because every search reads it. The limits bind who advertises more.
func TestLimitsOfAdvertisedRatePlans(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	last := func(p *availability.RatePlan) { p.Advertised, p.DisplayOrder = true, 1000 }
	for i := range 5 {
		_, err := repo.CreateRatePlan(t.Context(), ratePlan(fmt.Sprint("p", i), last))
		require.NoError(t, err)
	}
	_, err := repo.CreateRatePlan(t.Context(), ratePlan("p5", advertised))
	blame.Invalid(t, err, "Advertised")
	assert.ErrorContains(t, err, "must be false, because the property has 5 advertised plans")
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("p5"))
	require.NoError(t, err)
	update := func(id string, edit func(*availability.RatePlan)) error {
		_, err := repo.UpdateRatePlan(t.Context(), "p1", id, func(p *availability.RatePlan) error { edit(p); return nil })
		return err
	}
	blame.Invalid(t, update("p5", advertised), "Advertised")

	size := func() int {
		card := raw.Get(t, db, keys.PropertiesTable, keyOf("p1"))[keys.AttrCard]
		return storedform.Size(dynastay.Item{"Rates": dynastay.RowOf(dynastay.Item{"c": card}).Value("c").Map().Value("Rates").Stored()})
	}
	renamed := func(length int) func(*availability.RatePlan) {
		return func(p *availability.RatePlan) { p.Name = strings.Repeat("n", length) }
	}
	for _, id := range []string{"p1", "p2", "p3"} {
		require.NoError(t, update(id, renamed(250)))
	}
	fits := 1000 - size() + len("Plan p0")
	err = update("p0", renamed(fits+1))
	blame.Invalid(t, err, "")
	assert.ErrorContains(t, err, "at most 1,000 bytes on the property's card, for their names, terms and room types: they would have 1001")
	require.NoError(t, update("p0", renamed(fits)))
	assert.Equal(t, 1000, size())
	blame.Invalid(t, update("p0", complete), "")
	require.NoError(t, update("p0", func(p *availability.RatePlan) { p.Description = "More about it" }), "not on the card")

	// A new order is never refused: the longest was counted.
	require.NoError(t, update("p0", func(p *availability.RatePlan) { p.DisplayOrder = 0 }))
	assert.Less(t, size(), 1000)
	blame.Invalid(t, update("p0", renamed(fits+1)), "")
	_, err = repo.OrderRatePlans(t.Context(), "p1", []string{"p4", "p3", "p2", "p1", "p0"})
	require.NoError(t, err)
	assert.Equal(t, "p4 p3 p2 p1 p0", planIDs(cardOf(t, approved(t, repo)).RatePlans))

	// Other software has advertised more than that. The card has those that fit, also once it is adopted, and whoever does not
	// advertise more is not refused.
	foreign := dynastay.Key{PK: "RATES#p1", SK: "PLAN#p5"}
	raw.Set(t, db, keys.PropertiesTable, foreign, &types.AttributeValueMemberBOOL{Value: true}, "IsAdvertised")
	raw.Set(t, db, keys.PropertiesTable, foreign, dynastay.Text(strings.Repeat("n", 60)), "Name")
	_, err = repo.CreateRatePlan(t.Context(), ratePlan("hidden"))
	require.NoError(t, err)
	_, err = repo.OrderRatePlans(t.Context(), "p1", []string{"p5", "p3", "p2", "p1", "p0"})
	require.NoError(t, err)
	assert.Equal(t, "p5 p3 p2 p1 p4", planIDs(cardOf(t, repo).RatePlans), "p0 is too long")
	raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE "+keys.AttrCard, nil)
	require.NoError(t, repo.Adopt(t.Context(), "p1"))
	assert.Equal(t, "p5 p3 p2 p1 p4", planIDs(cardOf(t, repo).RatePlans))
	blame.Invalid(t, update("p1", renamed(251)), "")
	blame.Invalid(t, update("hidden", advertised), "Advertised")
	require.NoError(t, update("p5", archived))
	assert.Equal(t, "p3 p2 p1 p0 p4", planIDs(cardOf(t, repo).RatePlans))
}

// Plans of other software that nobody could book are not on the card, and neither they nor what stands on the card instead
// of terms keep anybody from changing the property and its other plans.
func TestForeignPlansOfACard(t *testing.T) {
	t.Parallel()
	db, repo := openRates(t)
	approved(t, repo)
	for _, id := range []string{"bad", "good"} {
		_, err := repo.CreateRatePlan(t.Context(), ratePlan(id, advertised, singleUse("-20")))
		require.NoError(t, err)
	}
	at := func(id string) dynastay.Key { return dynastay.Key{PK: "RATES#p1", SK: "PLAN#" + id} }
	rename := func(id string) {
		t.Helper()
		changePlan(t, repo, id, func(p *availability.RatePlan) { p.Name += "!" })
	}
	for _, set := range []func(){
		func() {
			derived := &types.AttributeValueMemberM{Value: dynastay.Item{"Percent": dynastay.Number(-120)}}
			raw.Set(t, db, keys.PropertiesTable, at("bad"), derived, "Derived")
			raw.Set(t, db, keys.PropertiesTable, at("bad"), &types.AttributeValueMemberBOOL{Value: true}, "IsDerived")
		},
		func() { raw.Set(t, db, keys.PropertiesTable, at("bad"), dynastay.Text("ABC"), "Currency") },
		func() { raw.Update(t, db, keys.PropertiesTable, at("bad"), "REMOVE Currency", nil) },
	} {
		set()
		rename("good")
		assert.Equal(t, "good", planIDs(cardOf(t, repo).RatePlans))
	}
	raw.Put(t, db, keys.PropertiesTable, dynastay.Item{"PK": dynastay.Text("RATES#p1"), "SK": dynastay.Text("PLAN#a#b")})
	raw.Update(t, db, keys.PropertiesTable, keyOf("p1"), "REMOVE WriteId", nil)
	require.NoError(t, repo.Adopt(t.Context(), "p1"))
	rename("good")
	for _, terms := range []types.AttributeValue{dynastay.Text("garbage"), dynastay.Number(1), dynastay.Text(`{"later":1}`)} {
		raw.Set(t, db, keys.PropertiesTable, keyOf("p1"), terms, keys.AttrCard, "Rates", "good", "T")
		assert.Empty(t, cardOf(t, repo).RatePlans)
		rename("good")
		assert.Equal(t, "good", planIDs(cardOf(t, repo).RatePlans))
	}
	for i := range 5 {
		id := fmt.Sprint("x", i)
		_, err := repo.CreateRatePlan(t.Context(), ratePlan(id))
		require.NoError(t, err)
		raw.Set(t, db, keys.PropertiesTable, at(id), &types.AttributeValueMemberBOOL{Value: true}, "IsAdvertised")
	}
	rename("good")
	assert.Equal(t, "good x0 x1 x2 x3", planIDs(cardOf(t, repo).RatePlans))
}

// The plans of a card have a limit of their own, so those of 40 room types are there too.
func TestRatePlansOfALargeCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	var rooms []properties.RoomType
	for i := range 40 {
		rooms = append(rooms, king(fmt.Sprintf("room_%026d", i), fmt.Sprintf("%d.56", 1000+i)))
	}
	_, err := repo.Create(t.Context(), grand("p1"), rooms)
	require.NoError(t, err)
	approved(t, repo)
	without := cardSize(t, cardOf(t, repo))
	assert.Greater(t, without, 3000)
	for i := range 5 {
		_, err := repo.CreateRatePlan(t.Context(), ratePlan(fmt.Sprint("p", i), advertised, singleUse("-20"), func(p *availability.RatePlan) {
			p.Name, p.Meals.Plan, p.CancellationPolicy = strings.Repeat("n", 20), availability.HalfBoard, availability.PartialRefund(50, 48)
			if i > 0 {
				p.Derived = &availability.Derivation{From: "p0", Percent: -10_00, Step: dynastay.MustMoney("1", "USD")}
			}
		}))
		require.NoError(t, err)
	}
	assert.Len(t, cardOf(t, repo).RatePlans, 5)
	assert.Equal(t, 657, cardSize(t, cardOf(t, repo))-without, "bytes of five plans")
}

func cardSize(t *testing.T, card *properties.Card) int {
	item, err := properties.CardCodec.Encode(card)
	require.NoError(t, err)
	return storedform.Size(item)
}
