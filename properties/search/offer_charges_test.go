package search_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

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
