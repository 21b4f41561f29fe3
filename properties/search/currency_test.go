package search_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// inEuros changes the currency of all nights of the stay, as only other software can.
func (n *inns) inEuros(t testing.TB, roomTypeID string) {
	t.Helper()
	for date := range stay.Dates() {
		n.set(t, keys.AvailabilityTable, nightKey(roomTypeID, date), dynastay.Text("EUR"), "Currency")
	}
}

// A request with a currency offers nothing in a different one, even if the card promises it. The property is not hidden: it
// is refused with the reason.
func TestNightsInAnotherCurrency(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"))
	h.inEuros(t, "double")
	page := h.page(t, request(func(r *search.Request) { r.Currency = "USD" }), dynastay.Paging{})
	assert.Empty(t, page.Offers)
	in := request(func(r *search.Request) { r.Currency = "USD" })
	assert.Equal(t, otherCurrency("double", 3), nights(t, h.refusal(t, in)))
	in.Guests.Adults = 3 // also of a combination
	assert.Equal(t, otherCurrency("double", 3), nights(t, h.refusal(t, in)))
	quotes := h.only(t, request())
	assert.Equal(t, dynastay.MustMoney("300", "EUR"), quotes[0].Total)
}

// Nights in several currencies are a reason, too. Those in the currency of the card are not at fault.
func TestNightsInSeveralCurrencies(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"))
	h.set(t, keys.AvailabilityTable, nightKey("double", first), dynastay.Text("EUR"), "Currency")
	assert.Equal(t, otherCurrency("double", 1), nights(t, h.refusal(t, request())))
}

// otherCurrency returns the text of the first nights of a room type.
func otherCurrency(roomTypeID string, count int) (texts []string) {
	for i := range count {
		texts = append(texts, roomTypeID+": "+first.AddDays(i).String()+" other_currency")
	}
	return texts
}

// The nights of a property with prices in a different currency are not read.
func TestPropertiesInAnotherCurrency(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100", func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("100", "EUR") }))
	for currency, refused := range map[dynastay.Currency]int{"EUR": 1, "USD": 0} {
		r := request(func(r *search.Request) { r.Currency, r.Guests.Adults = currency, 30 })
		page, requests, _, _ := h.measured(t, h.search, r, dynastay.Paging{})
		assert.Len(t, page.Refused, refused)
		assert.Equal(t, 1+refused, requests)
	}
}

// Rooms are combined in the currency of the card. Others are left out, however many they are.
func TestCombinationInOneCurrency(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("a_single", 1, "10"), room("suite", 2, "300"))
	h.inEuros(t, "a_single")
	quotes := h.only(t, request(func(r *search.Request) { r.Guests = availability.Guests{Adults: 3} }))
	require.Len(t, quotes, 1)
	require.Len(t, quotes[0].Lines, 1)
	assert.Equal(t, "double", quotes[0].Lines[0].RoomTypeID)
	assert.Equal(t, usd("600"), quotes[0].Total)
}

// Amounts in different currencies cannot be compared, so the cheapest quote of each currency comes first among its own.
func TestQuotesInSeveralCurrencies(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("a", 2, "300"), room("b", 2, "200"), room("c", 2, "100"), room("d", 2, "50"))
	h.inEuros(t, "b")
	h.inEuros(t, "d")
	assert.Equal(t, []string{"d", "b", "c", "a"}, h.lines(t, request()))
}

// Other software may have stored a price that is too large for an order. Its property comes after all others, or before
// them in descending order.
func TestTotalTooLargeForAnOrder(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for id, price := range map[string]string{"a": "100000000000000000", "b": "100", "c": "200"} {
		h.add(t, inn(id), room("room_"+id, 2, "100"))
		for date := range stay.Dates() {
			h.set(t, keys.AvailabilityTable, nightKey("room_"+id, date), &types.AttributeValueMemberN{Value: price}, "PricePerNight")
		}
	}
	for order, want := range map[search.Sort][]string{search.LowestTotal: {"b", "c", "a"}, search.HighestTotal: {"a", "c", "b"}} {
		r := request(func(r *search.Request) { r.Sort, r.Currency = order, "USD" })
		assert.Equal(t, want, h.all(t, r, dynastay.Paging{Limit: 1}, func() {}))
	}
}
