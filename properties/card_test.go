package properties_test

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	storedform "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// How many room types fit on a card, as docs/model.md says. At least 40 do, as the documentation of CreateOp says.
func TestRoomTypesOnACard(t *testing.T) {
	t.Parallel()
	repo := properties.New(dyntest.New(t, dyntest.Tables(keys.PropertiesTable)).DB, nil)
	hotel := grand("", func(p *properties.Property) {
		p.AmenityIDs = nil
		for i := range 20 {
			p.AmenityIDs = append(p.AmenityIDs, fmt.Sprintf("amenity_%02d", i))
		}
	})
	four := []availability.CancellationPolicy{
		availability.FreeCancellation(48), availability.FreeCancellation(24), availability.PartialRefund(50, 48), availability.NonRefundable,
	}
	var table [][]string
	var rest int
	for _, c := range []struct {
		letters  int
		what     string
		policies []availability.CancellationPolicy
	}{
		{17, "that of the property", nil}, {17, "four of their own", four}, {24, "that of the property", nil}, {24, "four of their own", four},
	} {
		rooms := func(n int) []properties.RoomType {
			all := make([]properties.RoomType, n)
			for i := range all {
				all[i] = king("", fmt.Sprintf("%d.56", 1000+i))
				all[i].Name, all[i].CancellationPolicy = strings.Repeat("n", c.letters), ""
				if c.policies != nil {
					all[i].CancellationPolicy = c.policies[i%len(c.policies)]
				}
			}
			return all
		}
		hotel.Slug = fmt.Sprint("grand-luxury-hotel-new-york-", len(table))
		size := func(n int) int {
			all := rooms(n)
			for i := range all {
				all[i].ID = fmt.Sprintf("room_%026d", i)
			}
			p := hotel
			p.Prices = properties.PriceRange{Min: all[0].BasePrice, Max: all[n-1].BasePrice}
			item, err := properties.CardCodec.Encode(properties.CardOf(&p, all))
			require.NoError(t, err)
			return storedform.Size(item)
		}
		fit := sort.Search(90, func(i int) bool { return size(i+1) > 4096 })
		each := (size(40) - size(20)) / 20 // with as many of each policy
		rest = size(40) - 40*each
		table = append(table, []string{fmt.Sprint(c.letters, " letters"), c.what, strconv.Itoa(each), strconv.Itoa(fit)})
		assert.GreaterOrEqual(t, fit, 40)
		assert.LessOrEqual(t, each, 86)

		const first = 20 // a transaction does not hold more, with the amenities
		over := rooms(fit + 1)
		made, err := repo.Create(t.Context(), hotel, over[:first])
		require.NoError(t, err)
		_, err = repo.AddRoomTypes(t.Context(), made.ID, over[first:])
		blame.Of(t, err, dynastay.ErrInvalid, "Card")
		assert.ErrorContains(t, err, fmt.Sprintf("must be at most 4,096 bytes, got %d; ", size(fit+1)))
		_, err = repo.AddRoomTypes(t.Context(), made.ID, over[first:fit])
		require.NoError(t, err)
	}
	page.Section(t, "docs/model.md", "room types on a card", fmt.Sprintf("A card has at most 4,096 bytes. With generated ids, "+
		"prices such as 1234.56, and %d bytes for the property with\nits 20 amenities, this many room types fit:\n\n", rest)+
		page.Table([]string{"their names", "their policies", "bytes of each", "how many fit"}, table))
}

// A room's policy has a short form, which stands for exactly one text, even of other software.
func TestShortPolicies(t *testing.T) {
	t.Parallel()
	for policy, short := range map[availability.CancellationPolicy]any{
		"": nil, availability.FreeCancellation(48): "F48h", availability.PartialRefund(50, 24): "P50_24h", availability.NonRefundable: "N",
		availability.CustomPolicy("F48h"): "CF48h", "F48h": "=F48h", "=": "==", "flexible": "=flexible", "non_refundable_": "N_",
	} {
		room := king("r1", "100")
		room.CancellationPolicy = policy
		want := properties.CardOf(&properties.Property{}, []properties.RoomType{room})
		item, err := properties.CardCodec.Encode(want)
		require.NoError(t, err)
		assert.Equal(t, short, plainOf(t, item)["Rooms"].(plain)["r1"].(plain)["L"])
		got, err := entity.Read("Card", "p1", properties.CardCodec, dynastay.RowOf(item))
		require.NoError(t, err)
		assert.Equal(t, want.Rooms, got.Rooms)
	}
}

// An update that makes the card too large is refused, like a creation with a card that is too large.
func TestUpdateOfALargeCard(t *testing.T) {
	t.Parallel()
	repo := properties.New(dyntest.New(t, propertyTables).DB, nil)
	var rooms []properties.RoomType
	for i := range 40 {
		rooms = append(rooms, king(fmt.Sprintf("r%d", i), "100"))
	}
	url := 2048
	full := func(p *properties.Property) { p.PrimaryImageURL = strings.Repeat("u", url) }
	_, err := repo.Create(t.Context(), grand("p1", full), rooms)
	blame.Of(t, err, dynastay.ErrInvalid, "Card")
	_, size, _ := strings.Cut(err.Error(), "must be at most 4,096 bytes, got ")
	var bytes int
	_, err = fmt.Sscanf(size, "%d;", &bytes)
	require.NoError(t, err)
	url -= bytes - 4096
	made, err := repo.Create(t.Context(), grand("p1", full), rooms)
	require.NoError(t, err)
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name += "!" }))
	blame.Of(t, err, dynastay.ErrInvalid, "Card")
	assert.ErrorContains(t, err, "must be at most 4,096 bytes, got 4097; ")
	got, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = p.Name[1:] + "!" }))
	require.NoError(t, err)
	assert.Len(t, got.Name, len(made.Name))
}

// A room type whose own policy happens to be that of the property keeps it when the property gets another one.
func TestPolicyOfARoomTypeOnACard(t *testing.T) {
	t.Parallel()
	repo := properties.New(dyntest.New(t, propertyTables).DB, nil)
	own, inherited := king("own", "100"), king("inherited", "100")
	own.CancellationPolicy, inherited.CancellationPolicy = availability.FreeCancellation(48), ""
	policy := func(to availability.CancellationPolicy) func(*properties.Property) {
		return func(p *properties.Property) { p.CancellationPolicy = to }
	}
	_, err := repo.Create(t.Context(), grand("p1", policy(availability.FreeCancellation(48))), []properties.RoomType{own, inherited})
	require.NoError(t, err)
	_, err = repo.Update(t.Context(), "p1", edit(policy(availability.NonRefundable)))
	require.NoError(t, err)
	page, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	ask, err := page.Items[0].QuoteRequest(dynastay.MustStay("2026-07-01", "2026-07-02"), availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: "own", Quantity: 1}, properties.Choice{RoomTypeID: "inherited", Quantity: 1})
	require.NoError(t, err)
	assert.Equal(t, availability.FreeCancellation(48), ask.Rooms[0].CancellationPolicy)
	assert.Equal(t, availability.NonRefundable, ask.Rooms[1].CancellationPolicy)
}

func TestCardQuoteRequestRefusesUnknownRoomType(t *testing.T) {
	t.Parallel()
	card := properties.CardOf(&properties.Property{ID: "p1"}, []properties.RoomType{king("r1", "100")})
	choices := []properties.Choice{{RoomTypeID: "r1", Quantity: 1}, {RoomTypeID: "r2", Quantity: 1}}
	_, err := card.QuoteRequest(dynastay.MustStay("2026-07-10", "2026-07-13"), availability.Guests{Adults: 2}, choices...)
	blame.Of(t, err, dynastay.ErrInvalid, "Rooms[1].RoomTypeID")
}

// For a room type without a policy of its own, the property's policy applies.
func TestCardQuoteRequest(t *testing.T) {
	t.Parallel()
	p := grand("p1")
	own, inherited := king("r1", "100"), king("r2", "100")
	inherited.CancellationPolicy = ""
	card := properties.CardOf(&p, []properties.RoomType{inherited, own})
	assert.Equal(t, []string{"r1", "r2"}, []string{card.Rooms[0].ID, card.Rooms[1].ID})
	stay := dynastay.MustStay("2026-07-10", "2026-07-13")
	req, err := card.QuoteRequest(stay, availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: "r2", Quantity: 2}, properties.Choice{RoomTypeID: "r1", Quantity: 1})
	require.NoError(t, err)
	assert.Equal(t, p.ID, req.Property.ID)
	assert.Equal(t, p.TimeZone, req.Property.TimeZone)
	assert.Equal(t, p.CheckInTime, req.Property.CheckInTime)
	assert.Equal(t, stay, req.Stay)
	require.Len(t, req.Rooms, 2)
	assert.Equal(t, 2, req.Rooms[0].Quantity)
	assert.Equal(t, p.CancellationPolicy, req.Rooms[0].CancellationPolicy)
	assert.Equal(t, own.CancellationPolicy, req.Rooms[1].CancellationPolicy)
}
