package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// How many room types fit on a card, as the documentation of CreateOp says: with generated ids, names of 17 letters
// and 20 amenities, each with a policy of its own or all with that of the property.
func TestRoomTypesOnACard(t *testing.T) {
	t.Parallel()
	repo := properties.New(dyntest.New(t, dyntest.Tables(keys.PropertiesTable)).DB, nil)
	hotel := grand("", func(p *properties.Property) {
		p.AmenityIDs = nil
		for i := range 20 {
			p.AmenityIDs = append(p.AmenityIDs, fmt.Sprintf("amenity_%02d", i))
		}
	})
	for most, edit := range map[int]func(*properties.RoomType){
		40: func(*properties.RoomType) {},
		49: func(r *properties.RoomType) { r.CancellationPolicy = "" },
	} {
		hotel.Slug = fmt.Sprint("grand-luxury-hotel-new-york-", most)
		rooms := make([]properties.RoomType, most+1)
		for i := range rooms {
			rooms[i] = king("", "250.00")
			edit(&rooms[i])
		}
		const first = 20 // a transaction does not hold more, with the amenities
		made, err := repo.Create(t.Context(), hotel, rooms[:first])
		require.NoError(t, err)
		_, err = repo.AddRoomTypes(t.Context(), made.ID, rooms[first:])
		blame.Of(t, err, dynastay.ErrInvalid, "Card")
		assert.ErrorContains(t, err, "or reduce the number of room types or amenities")
		_, err = repo.AddRoomTypes(t.Context(), made.ID, rooms[first+1:])
		require.NoError(t, err)
	}
}

// An update that makes the card too large is refused, like a creation with a card that is too large.
func TestUpdateOfALargeCard(t *testing.T) {
	t.Parallel()
	repo := properties.New(dyntest.New(t, propertyTables).DB, nil)
	var rooms []properties.RoomType
	for i := range 32 {
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
