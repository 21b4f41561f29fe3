package search_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// bookingTables are the tables of a search whose result is booked.
var bookingTables = dyntest.OnlyTables(keys.PropertiesTable, keys.AvailabilityTable, keys.MetadataTable, keys.BookingsTable)

// book books a quote as it is.
func (n *inns) book(t testing.TB, q *availability.Quote) {
	t.Helper()
	kept := &availability.Quote{} // as an application keeps it
	require.NoError(t, json.Unmarshal(must(json.Marshal(q)), kept))
	require.Equal(t, q, kept)
	made, err := bookings.New(n.DB.DB, nil).Create(t.Context(), fixture.Request(kept), dynastay.IdempotencyKey(n.NewID("key_")))
	require.NoError(t, err)
	require.Len(t, made.Lines, len(q.Lines))
	for i, line := range made.Lines {
		want := q.Lines[i]
		want.Number, want.Nights = line.Number, slices.Clone(want.Nights)
		for i := range want.Nights {
			want.Nights[i].Steps = nil // a booking does not keep how a price was made
		}
		assert.Equal(t, want, line.Line)
	}
}

// only returns the quotes of the only property.
func (n *inns) only(t testing.TB, r search.Request) []*availability.Quote {
	t.Helper()
	page := n.page(t, r, dynastay.Paging{})
	require.Len(t, page.Offers, 1)
	return page.Offers[0].Quotes
}

// Each room type that holds the guests has a quote, cheapest first, with its own terms or those of the property. It is
// what package availability quotes, and is booked as it is.
func TestQuotesAreBooked(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	partial := availability.PartialRefund(50, 24)
	h.add(t, inn("a", func(p *properties.Property) { p.TimeZone = "Europe/Lisbon" }),
		room("a_suite", 4, "300"), room("b_double", 2, "100"), room("c_double", 2, "100", func(r *properties.RoomType) { r.CancellationPolicy = partial }),
		room("d_single", 1, "60"), room("e_triple", 3, "120"))
	h.change(t, "a", "e_triple", availability.Change{Price: usd("33.33"), Dates: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)}})
	quotes := h.only(t, request())

	var got []string
	for _, q := range quotes {
		require.Len(t, q.Lines, 1)
		got = append(got, fmt.Sprintf("%d %s %s %s", q.Lines[0].Quantity, q.Lines[0].RoomTypeID, q.Lines[0].CancellationPolicy, q.Total))
		card := must(h.properties.GetWithRooms(t.Context(), "a")).Card()
		req, err := card.QuoteRequest(stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: q.Lines[0].RoomTypeID, Quantity: 1})
		require.NoError(t, err)
		want, err := h.nights.Quote(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, want, q)
		h.book(t, q)
	}
	assert.Equal(t, []string{
		"1 e_triple free_cancellation_48h 273.33 USD", "1 b_double free_cancellation_48h 300.00 USD", "1 c_double partial_50_24h 300.00 USD",
		"1 a_suite free_cancellation_48h 900.00 USD",
	}, got)
}

// A party that no room type holds is offered a combination, at its exact price, which is booked as it is.
func TestPartyInTwoRooms(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("suite", 3, "150.05"), room("triple", 3, "150.04"))
	h.change(t, "a", "triple", availability.Change{Rooms: aws.Int(1)})
	family := request(func(r *search.Request) { r.Guests = availability.Guests{Adults: 2, Children: 3} })

	for _, want := range []string{"[1×double 1×triple] 750.12 USD", "[1×double 1×suite] 750.15 USD"} { // the triple is then sold out
		quotes := h.only(t, family)
		require.Len(t, quotes, 1)
		var rooms []string
		for _, line := range quotes[0].Lines {
			rooms = append(rooms, fmt.Sprintf("%d×%s", line.Quantity, line.RoomTypeID))
		}
		assert.Equal(t, want, fmt.Sprint(rooms, " ", quotes[0].Total))
		assert.Equal(t, family.Guests, quotes[0].Guests)
		h.book(t, quotes[0])
	}
}

// Rooms by which nights may be overbooked can be offered, combined and booked like those that are left.
func TestOffersWithinTheOverbookLimit(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	h.add(t, inn("a"), room("double", 2, "100", func(r *properties.RoomType) { r.Total = 1 }))
	four := request(func(r *search.Request) { r.Guests = availability.Guests{Adults: 4} })
	assert.Empty(t, h.page(t, four, dynastay.Paging{}).Offers)
	h.change(t, "a", "double", availability.Change{OverbookLimit: aws.Int(2)})
	quotes := h.only(t, four)
	require.Len(t, quotes, 1)
	assert.Equal(t, 2, quotes[0].Lines[0].Quantity)
	assert.Equal(t, slices.Collect(stay.Dates()), quotes[0].Lines[0].Overbooked)
	h.book(t, quotes[0])
	assert.Empty(t, h.page(t, four, dynastay.Paging{}).Offers)
	h.book(t, h.only(t, request())[0])
	assert.Empty(t, h.page(t, request(), dynastay.Paging{}).Offers)
}

// A room that is out of order is not offered, until it is put back.
func TestRoomsOutOfOrderAreNotOffered(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	h.add(t, inn("a"), room("double", 2, "100", func(r *properties.RoomType) { r.Total = 1 }))
	_, err := units.New(h.DB.DB).Create(t.Context(), units.Unit{PropertyID: "a", ID: "1", RoomTypeID: "double"})
	require.NoError(t, err)
	desk, house := bookings.New(h.DB.DB, nil), availability.House{ID: "a"}
	last := dynastay.Stay{CheckIn: stay.LastNight(), CheckOut: stay.CheckOut}
	_, err = desk.TakeOutOfOrder(t.Context(), house, bookings.OutOfOrder{UnitID: "1", ID: "w1", Nights: last, By: "staff_7"})
	require.NoError(t, err)
	assert.Empty(t, h.page(t, request(), dynastay.Paging{}).Offers)
	_, err = desk.EndOutOfOrder(t.Context(), house, bookings.OutOfOrderEnd{UnitID: "1", ID: "w1", By: "staff_7"})
	require.NoError(t, err)
	h.book(t, h.only(t, request())[0])
}

// At least so many rooms are quoted, of one room type if it has them, although fewer would hold the party.
func TestRoomsOfARequest(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("single", 1, "40"))
	two := request(func(r *search.Request) { r.Rooms = 2 })
	quotes := h.only(t, two)
	require.Len(t, quotes, 2)
	for i, id := range []string{"single", "double"} {
		require.Len(t, quotes[i].Lines, 1)
		assert.Equal(t, id, quotes[i].Lines[0].RoomTypeID)
		assert.Equal(t, 2, quotes[i].Lines[0].Quantity)
		h.book(t, quotes[i])
	}
	h.change(t, "a", "double", availability.Change{Rooms: aws.Int(3)})
	h.change(t, "a", "single", availability.Change{Rooms: aws.Int(3)})
	quotes = h.only(t, two) // one of each is left
	require.Len(t, quotes, 1)
	assert.Len(t, quotes[0].Lines, 2)
	assert.Equal(t, usd("420"), quotes[0].Total)
	h.book(t, quotes[0])
}

// Prices of a night, to the cent: bounds are included, and a stay whose nights have other prices is compared in total.
func TestNightlyPrices(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"))
	h.change(t, "a", "double", availability.Change{Price: usd("99.98"), Dates: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)}})
	// 299.98 for three nights: 99.9933… a night.
	for _, test := range []struct {
		lowest, highest string
		offers          int
	}{{"99.99", "", 1}, {"100", "", 0}, {"", "100", 1}, {"", "99.99", 0}, {"99.99", "100", 1}} {
		r := request(func(r *search.Request) {
			r.Currency = "USD"
			if test.lowest != "" {
				r.Filter.MinNightly = usd(test.lowest)
			}
			if test.highest != "" {
				r.Filter.MaxNightly = usd(test.highest)
			}
		})
		page := h.page(t, r, dynastay.Paging{})
		assert.Len(t, page.Offers, test.offers, test)
		assert.Empty(t, page.Refused)
	}
	for _, nights := range []int{1, 2} { // exactly
		r := request(func(r *search.Request) {
			r.Stay.CheckIn = first.AddDays(1)
			r.Stay.CheckOut = r.Stay.CheckIn.AddDays(nights)
			r.Currency, r.Filter.MinNightly, r.Filter.MaxNightly = "USD", usd("100"), usd("100")
		})
		assert.Len(t, h.page(t, r, dynastay.Paging{}).Offers, 1)
	}
}

// A combination must fit into the transaction that books it: 5 room types for 18 nights do, 2 for 47 nights do not.
func TestLongestCombination(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	var rooms []properties.RoomType
	for i := range 5 {
		rooms = append(rooms, room(fmt.Sprint("room_", i), 1, "100", func(r *properties.RoomType) { r.Total = 1 }))
	}
	h.create(t, inn("a"), rooms...)
	for _, r := range rooms {
		h.open(t, "a", r, availability.OpenRequest{Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(90)}})
	}
	singles := func(rooms, nights int) search.Request {
		return request(func(r *search.Request) { r.Guests.Adults, r.Stay.CheckOut = rooms, first.AddDays(nights) })
	}
	assert.ErrorIs(t, h.refusal(t, singles(2, 47)), search.ErrTooLong)
	h.book(t, h.only(t, singles(5, 18))[0])

	one := request(func(r *search.Request) {
		r.Guests.Adults, r.Stay = 1, dynastay.Stay{CheckIn: first.AddDays(18), CheckOut: first.AddDays(90)}
	})
	assert.Len(t, h.only(t, one), 5, "a single room type is not limited")
}

// If the cheapest combination does not fit into a transaction, the cheapest rooms of one type do.
func TestRoomsOfOneTypeForALongStay(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	rooms := []properties.RoomType{
		room("cheap", 1, "90", func(r *properties.RoomType) { r.Total = 1 }), room("dear", 1, "120"), room("fair", 1, "100"),
		room("few", 1, "95", func(r *properties.RoomType) { r.Total = 1 }),
	}
	h.create(t, inn("a"), rooms...)
	for _, r := range rooms {
		h.open(t, "a", r, availability.OpenRequest{Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(47)}})
	}
	for nights, want := range map[int]string{46: "185", 47: "200"} {
		quotes := h.only(t, request(func(r *search.Request) { r.Stay.CheckOut = first.AddDays(nights) }))
		require.Len(t, quotes, 1)
		assert.Equal(t, must(usd(want).Times(nights)), quotes[0].Total)
		h.book(t, quotes[0])
		_, err := bookings.New(h.DB.DB, nil).Cancel(t.Context(), must(bookings.New(h.DB.DB, nil).ByStatus(bookings.Confirmed).Page(t.Context(), dynastay.Paging{})).Items[0].ID, "", nil)
		require.NoError(t, err)
	}
}

// Of the rooms of one type for a long stay, all of them together must be the cheapest. Of equally cheap ones, those with
// the fewest rooms are quoted, and of these, the first by id.
func TestCheapestRoomsOfOneType(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	rooms := []properties.RoomType{
		room("a_single", 1, "75"), room("b_double", 2, "150"), room("c_double", 2, "150"),
		room("triple", 3, "155", func(r *properties.RoomType) { r.Total = 1 }),
	}
	h.create(t, inn("a"), rooms...)
	for _, r := range rooms {
		h.open(t, "a", r, availability.OpenRequest{Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(47)}})
	}
	for nights, want := range map[int][]string{46: {"1×a_single", "1×triple"}, 47: {"2×b_double"}} {
		quotes := h.only(t, request(func(r *search.Request) { r.Guests.Adults, r.Stay.CheckOut = 4, first.AddDays(nights) }))
		require.Len(t, quotes, 1)
		var got []string
		for _, line := range quotes[0].Lines {
			got = append(got, fmt.Sprintf("%d×%s", line.Quantity, line.RoomTypeID))
		}
		assert.Equal(t, want, got)
	}
}

// Quotes are ordered by total and then by room type, however many there are.
func TestOrderOfManyQuotes(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	var rooms []properties.RoomType
	var cheap, dear []string
	for i := range 30 {
		id := fmt.Sprintf("room_%02d", i)
		if i%3 == 0 {
			rooms, cheap = append(rooms, room(id, 2, "90")), append(cheap, id)
		} else {
			rooms, dear = append(rooms, room(id, 2, "100")), append(dear, id)
		}
	}
	h.add(t, inn("a"), rooms...)
	assert.Equal(t, append(cheap, dear...), h.lines(t, request()))
}

// Rooms that cost too much to be added to others are left out of a combination, but are quoted alone.
func TestRoomsTooDearForACombination(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("palace", 2, "400000000000"))
	assert.Equal(t, []string{"double"}, h.lines(t, request(func(r *search.Request) { r.Guests.Adults = 4 })))
	assert.Equal(t, []string{"double", "palace"}, h.lines(t, request()))
}

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

// charge gives a property charges.
func (n *inns) charge(t testing.TB, id string, all ...charges.Charge) {
	t.Helper()
	_, err := n.properties.UpdateCharges(t.Context(), id, func(l *charges.List) error {
		l.Charges = all
		return nil
	})
	require.NoError(t, err)
}

// service is a percentage that is added.
func service(rate charges.Rate) charges.Charge {
	return charges.Charge{
		ID: "service", Name: "Service", Kind: charges.Fee, Rate: rate, Per: charges.PerNight, Of: []charges.Component{charges.Lodging},
	}
}

// cityTax is 5 a night for each guest from 12 years.
func cityTax() charges.Charge {
	return charges.Charge{ID: "city", Name: "City tax", Kind: charges.Tax, Amount: usd("5"), Per: charges.PerGuestNight, FromAge: 12}
}

// paid returns what the guest pays for the cheapest quote of each offer, in their order.
func paid(t testing.TB, p search.Page) (all []string) {
	for _, o := range p.Offers {
		pays, err := o.Quotes[0].GuestPays()
		require.NoError(t, err)
		all = append(all, o.Property.PropertyID+" "+pays.String())
	}
	return all
}

// Offers are compared and filtered by what the guest pays. What is due at the property is on the bill beside it.
func TestOffersWithCharges(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for id, price := range map[string]string{"a": "100", "b": "105"} {
		h.add(t, inn(id), room("double_"+id, 2, price))
	}
	resort := charges.Charge{ID: "resort", Name: "Resort fee", Kind: charges.Fee, Amount: usd("20"), Per: charges.PerNight, AtProperty: true}
	h.charge(t, "a", service(10_0000), resort)
	byTotal := request(func(r *search.Request) { r.Sort, r.Currency = search.LowestTotal, "USD" })
	var page search.Page
	spent := h.Measure(func() { page = h.page(t, byTotal, dynastay.Paging{}) })
	assert.Equal(t, []string{"b 315.00 USD", "a 330.00 USD"}, paid(t, page))
	assert.Equal(t, 3, spent.Requests, "the cards, and the nights of each property")
	q := page.Offers[1].Quotes[0]
	assert.Equal(t, "300.00 USD", q.Total.String())
	assert.Equal(t, "60.00 USD", q.Charges.AtProperty.String())
	assert.Nil(t, page.Offers[0].Quotes[0].Charges)

	byTotal.Sort = search.HighestTotal
	assert.Equal(t, []string{"a 330.00 USD", "b 315.00 USD"}, paid(t, h.page(t, byTotal, dynastay.Paging{})))
	for most, want := range map[string][]string{"110": {"a 330.00 USD", "b 315.00 USD"}, "109.99": {"b 315.00 USD"}} {
		byTotal.Filter.MaxNightly = usd(most)
		assert.Equal(t, want, paid(t, h.page(t, byTotal, dynastay.Paging{})), most)
	}
}

// A charge that depends on ages needs the party of each room, and the cheapest quote is the one that is cheapest with it.
func TestChargesByAge(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100", func(r *properties.RoomType) { r.Limits.MaxChildren = 1 }))
	h.charge(t, "a", cityTax())
	with := func(adults, children int, ages ...int) search.Request {
		return request(func(r *search.Request) {
			r.Guests, r.ChildAges = availability.Guests{Adults: adults, Children: children}, ages
		})
	}
	for _, test := range []struct {
		r    search.Request
		want string
	}{
		{with(1, 0), "a 315.00 USD"}, {with(1, 1, 11), "a 315.00 USD"}, {with(1, 1, 12), "a 330.00 USD"},
		{with(1, 1), "a 330.00 USD"}, {with(2, 1, 3), "a 630.00 USD"},
	} {
		page := h.page(t, test.r, dynastay.Paging{})
		assert.Equal(t, []string{test.want}, paid(t, page), "%v %v", test.r.Guests, test.r.ChildAges)
		assert.NotNil(t, page.Offers[0].Quotes[0].Lines[0].Party)
	}
}

// The charges take an action of the booking: 3 lines and 92 nights of two room types are one too many.
func TestLongStaysWithCharges(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	rooms := []properties.RoomType{
		room("double", 2, "100", func(r *properties.RoomType) { r.Total = 1 }), room("triple", 3, "130", func(r *properties.RoomType) { r.Total = 2 }),
	}
	h.create(t, inn("a"), rooms...)
	nights := dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(46)}
	for _, r := range rooms {
		h.open(t, "a", r, availability.OpenRequest{Nights: nights})
	}
	h.charge(t, "a", cityTax())
	seven := request(func(r *search.Request) { r.Stay, r.Guests.Adults = nights, 7 })
	page := h.page(t, seven, dynastay.Paging{})
	require.Len(t, page.Refused, 1)
	require.ErrorIs(t, page.Refused[0].Err, search.ErrTooLong)
	seven.Stay.CheckOut = seven.Stay.CheckOut.AddDays(-1)
	assert.Len(t, h.only(t, seven)[0].Lines, 3)

	seven.Stay = nights
	h.charge(t, "a", service(10_0000))
	assert.Len(t, h.only(t, seven)[0].Lines, 2, "who stays in which room does not matter")
}

// A property whose charges cannot be read is not offered without them.
func TestUnreadableCharges(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"))
	h.add(t, inn("b"), room("double_b", 2, "100"))
	h.charge(t, "a", service(10_0000))
	h.onCard(t, "a", dynastay.Text("garbage"), "Charges")
	page, err := h.search.Page(t.Context(), request(), dynastay.Paging{})
	assert.Equal(t, []string{"b"}, offered(page))
	assert.Empty(t, page.Refused)
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	require.Len(t, unreadable.Items, 1)
	assert.ErrorContains(t, unreadable.Items[0], "Charges")
}
