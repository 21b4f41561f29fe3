package search_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// refusal returns why the only property is not offered.
func (n *inns) refusal(t testing.TB, r search.Request) error {
	t.Helper()
	page := n.page(t, r, dynastay.Paging{})
	require.Empty(t, page.Offers)
	require.Len(t, page.Refused, 1)
	return page.Refused[0].Err
}

// nights returns the nights that were refused, as "room: date reason".
func nights(t testing.TB, err error) (all []string) {
	t.Helper()
	refused := blame.As[*availability.Refused](t, err)
	for _, n := range refused.Nights {
		all = append(all, fmt.Sprintf("%s: %s", n.RoomTypeID, n))
	}
	return all
}

// Each condition of a sale is a reason, with its night.
func TestRefusedNights(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	second := dynastay.Stay{CheckIn: first.AddDays(1), CheckOut: first.AddDays(2)}
	for reason, change := range map[availability.Reason]availability.Change{
		availability.SoldOut:           {Dates: second, Rooms: aws.Int(0)},
		availability.StopSell:          {Dates: second, StopSell: aws.Bool(true)},
		availability.ClosedToArrival:   {ClosedToArrival: aws.Bool(true), Dates: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)}},
		availability.ClosedToDeparture: {ClosedToDeparture: aws.Bool(true), Dates: dynastay.Stay{CheckIn: stay.CheckOut, CheckOut: stay.CheckOut.AddDays(1)}},
		availability.MinStay:           {MinStay: aws.Int(4)},
		availability.MaxStay:           {MaxStay: aws.Int(2)},
	} {
		id := string(reason)
		h.add(t, inn(id), room("room_"+id, 2, "100"))
		h.change(t, id, "room_"+id, change)
	}
	h.create(t, inn("not_on_sale"), room("room_not_on_sale", 2, "100"))
	h.add(t, inn("property_closed"), room("room_property_closed", 2, "100"))
	_, err := h.nights.CloseSales(t.Context(), "property_closed")
	require.NoError(t, err)
	h.add(t, inn("open"), room("room_open", 2, "100"))

	page := h.page(t, request(func(r *search.Request) { r.Point = &lisbon }), dynastay.Paging{})
	assert.Equal(t, []string{"open"}, offered(page))
	got := map[string][]string{}
	for _, refusal := range page.Refused {
		assert.Zero(t, refusal.Distance)
		got[refusal.Property.PropertyID] = nights(t, refusal.Err)
	}
	on := func(reason availability.Reason, nights ...int) (all []string) {
		for _, i := range nights {
			all = append(all, fmt.Sprintf("room_%s: %s %s", reason, first.AddDays(i), reason))
		}
		return all
	}
	want := map[string][]string{}
	for reason, nights := range map[availability.Reason][]int{
		availability.SoldOut: {1}, availability.StopSell: {1}, availability.ClosedToArrival: {0}, availability.ClosedToDeparture: {2},
		availability.MinStay: {0}, availability.MaxStay: {0}, availability.NotOnSale: {0, 1, 2}, availability.PropertyClosed: {0, 1, 2},
	} {
		want[string(reason)] = on(reason, nights...)
	}
	assert.Equal(t, want, got)
}

// A stay within the restrictions is offered.
func TestRestrictionsThatAreMet(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("room_a", 2, "100"))
	inner := dynastay.Stay{CheckIn: first.AddDays(1), CheckOut: first.AddDays(3)}
	h.change(t, "a", "room_a", availability.Change{MinStay: aws.Int(3), MaxStay: aws.Int(3)})
	h.change(t, "a", "room_a", availability.Change{Dates: inner, ClosedToArrival: aws.Bool(true), ClosedToDeparture: aws.Bool(true)})
	assert.Equal(t, []string{"a"}, offered(h.page(t, request(), dynastay.Paging{})))
}

// More rooms than are left, and what a combination of rooms lacks.
func TestRefusedQuantities(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("single", 1, "60"))
	h.change(t, "a", "double", availability.Change{Dates: dynastay.Stay{CheckIn: stay.LastNight(), CheckOut: stay.CheckOut}, Rooms: aws.Int(1)})
	party := func(adults, children, rooms int) search.Request {
		return request(func(r *search.Request) {
			r.Guests, r.Rooms = availability.Guests{Adults: adults, Children: children}, rooms
		})
	}

	// 1 double and 5 singles are left of 5 each, which hold 7 of 15.
	assert.Len(t, h.page(t, party(7, 0, 1), dynastay.Paging{}).Offers, 1)
	assert.ErrorIs(t, h.refusal(t, party(8, 0, 1)), search.ErrTooFew)
	assert.ErrorIs(t, h.refusal(t, party(8, 5, 1)), search.ErrTooFew)
	assert.ErrorIs(t, h.refusal(t, party(8, 6, 1)), availability.ErrTooSmall)
	assert.ErrorIs(t, h.refusal(t, party(16, 0, 1)), availability.ErrTooSmall)
	assert.Len(t, h.page(t, party(6, 1, 6), dynastay.Paging{}).Offers, 1)
	// A room needs an adult, so two children do not get three rooms. The double that is left holds one of them.
	assert.ErrorIs(t, h.refusal(t, party(1, 2, 1)), availability.ErrTooSmall)
	assert.ErrorIs(t, h.refusal(t, party(2, 2, 1)), search.ErrTooFew)
	// Each room type alone holds 7 guests in 7 rooms, but has not so many.
	assert.Equal(t, []string{
		"double: " + first.String() + " sold_out", "double: " + first.AddDays(1).String() + " sold_out",
		"double: " + first.AddDays(2).String() + " sold_out", "single: " + first.String() + " sold_out",
		"single: " + first.AddDays(1).String() + " sold_out", "single: " + first.AddDays(2).String() + " sold_out",
	}, nights(t, h.refusal(t, party(7, 0, 7))))

	// A room that is not open at all may be large enough, and its nights are the reason.
	h.create(t, inn("b", func(p *properties.Property) { p.Address.City = "Porto" }), room("twin", 2, "100"))
	h.create(t, inn("c", func(p *properties.Property) { p.Address.City = "Faro" }), room("cabin", 1, "50"))
	cabins := party(30, 0, 1)
	cabins.City = "Faro"
	assert.Len(t, nights(t, h.refusal(t, cabins)), 3)
	porto := func(r *search.Request) { r.City = "Porto" }
	want := []string{
		"twin: " + first.String() + " not_on_sale", "twin: " + first.AddDays(1).String() + " not_on_sale",
		"twin: " + first.AddDays(2).String() + " not_on_sale",
	}
	for _, guests := range []int{2, 3, 30} {
		r := party(guests, 0, 1)
		porto(&r)
		assert.Equal(t, want, nights(t, h.refusal(t, r)), guests)
	}
	r := party(15, 15, 1)
	porto(&r)
	h.open(t, "b", room("twin", 2, "100"), availability.OpenRequest{})
	assert.ErrorIs(t, h.refusal(t, r), availability.ErrTooSmall)
	r.Stay.CheckOut = first.AddDays(openNights + 1)
	assert.Len(t, nights(t, h.refusal(t, r)), 1, "the night that is not open")
	h.change(t, "b", "twin", availability.Change{Rooms: aws.Int(0)})
	assert.Len(t, nights(t, h.refusal(t, request(porto))), 3, "a room type that holds the party is sold out, and not too small")
	r.Stay = stay
	assert.ErrorIs(t, h.refusal(t, r), availability.ErrTooSmall, "also without the nights that are sold out")
}

// Today is a different date at different properties: a stay from a date that is past at one of them is refused by that
// one only.
func TestStayFromThePast(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	today := dynastay.DateOf(fixture.Now, nil)
	for id, zone := range map[string]string{"utc": "", "west": "Etc/GMT+12", "east": "Pacific/Apia"} {
		rooms := []properties.RoomType{room("double_"+id, 2, "100"), room("suite_"+id, 4, "300")}
		h.create(t, inn(id, func(p *properties.Property) { p.TimeZone = zone }), rooms...)
		for _, r := range rooms {
			h.open(t, id, r, availability.OpenRequest{Nights: dynastay.Stay{CheckIn: today.AddDays(1), CheckOut: today.AddDays(5)}})
		}
	}
	h.Clock.Set(fixture.Now.Add(47*time.Hour + 59*time.Minute)) // 23:59 on the day before at UTC-12
	r := request(func(r *search.Request) { r.Stay = dynastay.Stay{CheckIn: today.AddDays(1), CheckOut: today.AddDays(4)} })
	page := h.page(t, r, dynastay.Paging{})
	assert.Equal(t, []string{"west"}, offered(page))
	require.Len(t, page.Refused, 2)
	for _, refusal := range page.Refused {
		blame.Invalid(t, refusal.Err, "Stay.CheckIn")
	}
	h.Clock.Advance(time.Minute)
	_, err := h.search.Page(t.Context(), r, dynastay.Paging{})
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}

// A hotel that has not opened its nights is not on sale, whatever its size.
func TestNightsThatAreNotOpen(t *testing.T) {
	t.Parallel()
	h := openHotels(t, 1, 40)
	city := market.Cities[0]
	for _, guests := range []availability.Guests{{Adults: 1}, {Adults: 20}} {
		page, err := h.search.Page(t.Context(), search.Request{
			City: city.Name, Country: city.Country, Guests: guests,
			Stay: dynastay.Stay{CheckIn: first.AddDays(openNights), CheckOut: first.AddDays(openNights + 2)},
		}, dynastay.Paging{})
		require.NoError(t, err)
		assert.Empty(t, page.Offers)
		require.NotEmpty(t, page.Refused)
		for _, refusal := range page.Refused {
			refused := blame.As[*availability.Refused](t, refusal.Err)
			assert.Len(t, refused.Nights, 2*len(refusal.Property.Rooms))
			assert.Equal(t, availability.NotOnSale, refused.Nights[0].Reason)
		}
	}
}
