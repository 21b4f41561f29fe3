package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties/search"
)

// unreadable returns the page, which must come with so many errors of stored data.
func (n *inns) unreadable(t testing.TB, r search.Request, items int) (search.Page, []error) {
	t.Helper()
	page, err := n.search.Page(t.Context(), r, dynastay.Paging{})
	some := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, some.Items, items)
	for _, err := range some.Items {
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid)
	}
	return page, some.Items
}

// Whatever is wrong with one property does not hide the others.
func TestUnreadableProperties(t *testing.T) {
	t.Parallel()
	text, number := dynastay.Text("odd"), dynastay.Number(1)
	entities := map[string]string{
		"card": "Card", "form of a policy": "Card", "time zone": "Property", "name": "Property", "policy": "Property", "id of a room type": "Property",
		"number of room types": "Property", "limits": "Property",
	}
	for name, spoil := range map[string]func(*testing.T, *inns){
		"card":      func(t *testing.T, h *inns) { h.onCard(t, "b", text, "StarRating") },
		"time zone": func(t *testing.T, h *inns) { h.onCard(t, "b", dynastay.Text("Europe/Atlantis"), "TimeZone") },
		"name": func(t *testing.T, h *inns) {
			h.onCard(t, "b", dynastay.Text(strings.Repeat("a", entity.MaxName+1)), "Rooms", "room_b", "N")
		},
		"policy": func(t *testing.T, h *inns) {
			h.onCard(t, "b", dynastay.Text("=free_cancellation"), "Rooms", "room_b", "L")
		},
		"form of a policy": func(t *testing.T, h *inns) {
			h.onCard(t, "b", dynastay.Text("free_cancellation_48h"), "Rooms", "room_b", "L")
		},
		"id of a room type": func(t *testing.T, h *inns) {
			h.onCard(t, "b", &types.AttributeValueMemberM{Value: dynastay.Item{"A": number}}, "Rooms", "a#b")
		},
		"number of room types": func(t *testing.T, h *inns) {
			rooms := dynastay.Item{}
			for i := range 1001 {
				rooms[fmt.Sprint("room_", i)] = &types.AttributeValueMemberM{Value: dynastay.Item{"A": number}}
			}
			h.onCard(t, "b", &types.AttributeValueMemberM{Value: rooms}, "Rooms")
		},
		"limits": func(t *testing.T, h *inns) { h.onCard(t, "b", dynastay.Number(-1), "Rooms", "room_b", "C") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openInns(t, searchTables)
			for _, id := range []string{"a", "b", "c"} {
				h.add(t, inn(id), room("room_"+id, 2, "100"))
			}
			spoil(t, h)
			for _, place := range places {
				for _, order := range []search.Sort{search.BestRated, search.LowestTotal} {
					r := request(place, func(r *search.Request) { r.Sort, r.Currency = order, "USD" })
					page, errs := h.unreadable(t, r, 1)
					assert.Equal(t, []string{"a", "c"}, sorted(offered(page)))
					assert.Contains(t, errs[0].Error(), "b")
					assert.Empty(t, page.Refused)
					failure := blame.As[*dynastay.Error](t, errs[0])
					assert.Equal(t, entities[name], failure.Entity)
					assert.Contains(t, []string{"b", "room_b"}, failure.ID)
				}
			}
		})
	}
}

// A card of other software may have as many room types as one call of CheckAll accepts.
func TestMostRoomTypes(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	rooms := dynastay.Item{}
	for i := range availability.MaxChecks {
		rooms[fmt.Sprint("room_", i)] = &types.AttributeValueMemberM{Value: dynastay.Item{
			"A": dynastay.Number(2), "O": dynastay.Number(2),
		}}
	}
	for _, id := range []string{"a", "b", "c"} {
		h.add(t, inn(id), room("room_of_"+id, 2, "100"))
	}
	h.onCard(t, "b", &types.AttributeValueMemberM{Value: rooms}, "Rooms")
	page := h.page(t, request(func(r *search.Request) { r.Sort = search.BestRated }), dynastay.Paging{})
	assert.Equal(t, []string{"c", "a"}, offered(page))
	require.Len(t, page.Refused, 1)
	assert.Len(t, nights(t, page.Refused[0].Err), availability.MaxChecks*stay.Nights())
}

// A night that cannot be read is not on sale.
func TestUnreadableNight(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("room_a", 2, "100"), room("double", 2, "120"))
	h.add(t, inn("b"), room("room_b", 2, "100"))
	for _, id := range []string{"room_a", "room_b"} {
		h.set(t, keys.AvailabilityTable, nightKey(id, first), dynastay.Text("odd"), "AvailableRooms")
	}
	h.add(t, inn("c"), room("room_c", 2, "100"))
	h.onCard(t, "c", dynastay.Text("odd"), "StarRating")
	page, errs := h.unreadable(t, request(), 3)
	assert.ErrorContains(t, errs[0], "StarRating", "also what was found before the nights")
	for _, err := range errs[1:] {
		assert.Contains(t, err.Error(), first.String())
	}
	require.Equal(t, []string{"a"}, offered(page))
	require.Len(t, page.Offers[0].Quotes, 1)
	assert.Equal(t, "double", page.Offers[0].Quotes[0].Lines[0].RoomTypeID)
	require.Len(t, page.Refused, 1)
	assert.Equal(t, []string{fmt.Sprintf("room_b: %s not_on_sale", first)}, nights(t, page.Refused[0].Err))
}

// A property that other software wrote has no card. It is offered nevertheless, with 1 more request.
func TestPropertyOfOtherSoftware(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	h.add(t, inn("a"), room("room_a", 2, "100"))
	h.add(t, inn("b"), room("room_b", 2, "120"))
	raw.Update(t, h.DB, keys.PropertiesTable, propertyKey("b"), "REMOVE Card, WriteId, Version", nil)
	r := request(func(r *search.Request) { r.Sort = search.LowestTotal; r.Currency = "USD" })
	page, requests, _, _ := h.measured(t, h.search, r, dynastay.Paging{})
	assert.Equal(t, []string{"a", "b"}, offered(page))
	assert.Equal(t, 1+2+1, requests)
	assert.Equal(t, availability.FreeCancellation(48), page.Offers[1].Quotes[0].Lines[0].CancellationPolicy)
	h.book(t, page.Offers[1].Quotes[0])
}

// A room type that cannot be quoted does not hide the others of its property: one that cannot be read, and one with nights
// in two currencies.
func TestRoomTypeThatCannotBeQuoted(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("suite", 4, "300"), room("triple", 3, "150"))
	h.onCard(t, "a", dynastay.Text("=flexible"), "Rooms", "suite", "L")
	h.set(t, keys.AvailabilityTable, nightKey("triple", first), dynastay.Text("EUR"), "Currency")
	for adults, want := range map[int]string{2: "double", 3: "2×double"} {
		page, errs := h.unreadable(t, request(func(r *search.Request) { r.Guests.Adults = adults }), 1)
		assert.ErrorContains(t, errs[0], "CancellationPolicy")
		require.Len(t, page.Offers, 1, adults)
		line := page.Offers[0].Quotes[0].Lines[0]
		assert.Equal(t, want, strings.TrimPrefix(fmt.Sprintf("%d×%s", line.Quantity, line.RoomTypeID), "1×"))
		assert.Empty(t, page.Refused)
	}
}

// Other software may have stored coordinates that are not on the Earth, so that there is no distance.
func TestDistanceOfInvalidCoordinates(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for _, id := range []string{"a", "b"} {
		h.add(t, inn(id), room("room_"+id, 2, "100"))
	}
	h.onCard(t, "a", &types.AttributeValueMemberN{Value: "140.7589"}, "Latitude")
	for _, order := range []search.Sort{search.Nearest, search.BestRated} {
		page, _ := h.unreadable(t, request(places["city"], func(r *search.Request) { r.Sort, r.Point = order, &lisbon }), 1)
		assert.Equal(t, []string{"b"}, offered(page))
	}
	assert.Len(t, h.page(t, request(), dynastay.Paging{}).Offers, 2, "without a point, they do not matter")
}

// A property of other software may have no range of prices. Its rooms are combined in the currency of the first room
// type that has a price for the stay.
func TestCombinationWithoutPriceRange(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.create(t, inn("a"), room("cabin", 2, "100"), room("double", 2, "100"), room("single", 1, "10"))
	h.open(t, "a", room("double", 2, "100"), availability.OpenRequest{})
	h.open(t, "a", room("single", 1, "10"), availability.OpenRequest{})
	h.inEuros(t, "single")
	raw.Update(t, h.DB, keys.PropertiesTable, propertyKey("a"), "REMOVE Card.PriceRange", nil)
	quotes := h.only(t, request(func(r *search.Request) { r.Guests.Adults = 3 }))
	assert.Equal(t, usd("600"), quotes[0].Total)
}
