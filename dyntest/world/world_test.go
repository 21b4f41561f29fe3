package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/properties"
)

// text is the canonical text of an item: attributes in order, numbers by value, and without the write id and the ids of
// a closing and an opening, which are drawn for every write.
func text(t testing.TB, item dynastay.Item) string {
	t.Helper()
	item = maps.Clone(item)
	delete(item, "WriteId")
	delete(item, keys.AttrOpened)
	delete(item, listingkeys.AttrWriteID)
	if id, ok := strings.CutPrefix(dynastay.RowOf(item).Text(keys.AttrClosed), keys.ClosedByStatus); ok && id != "" {
		item[keys.AttrClosed] = dynastay.Text(keys.ClosedByStatus)
	}
	b, err := json.Marshal(plainMap(item))
	require.NoError(t, err)
	return string(b)
}

func plainMap(item dynastay.Item) map[string]any {
	m := map[string]any{}
	for name, v := range item {
		m[name] = plainValue(v)
	}
	return m
}

func plainValue(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		n, ok := new(big.Rat).SetString(v.Value)
		if !ok {
			return map[string]any{"N": "not a number: " + v.Value}
		}
		return map[string]any{"N": n.RatString()}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": plainMap(v.Value)}
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i := range v.Value {
			list[i] = plainValue(v.Value[i])
		}
		return map[string]any{"L": list}
	}
	panic(fmt.Sprintf("%T in an item", v))
}

// typical is a world that is large enough to show shares, and its hotels, which are made once for all tests that look at them.
var typical = sync.OnceValues(func() (*World, []*Hotel) {
	w := New(Options{Seed: 12, Properties: 400, Users: 40, Nights: 14})
	return w, slices.Collect(w.Hotels())
})

// contents returns all items of a world by table and key.
func contents(t testing.TB, w *World) map[string]string {
	t.Helper()
	all := map[string]string{}
	for s, item := range w.Items() {
		at := s.Name + " " + s.Key.From(dynastay.RowOf(item)).String()
		_, twice := all[at] // testify looks for a key by going through all of them
		require.False(t, twice, "two items under the key %s", at)
		all[at] = text(t, item)
	}
	return all
}

func TestEqualOptionsAreEqualWorlds(t *testing.T) {
	t.Parallel()
	o := Options{Seed: 11, Properties: 12, Users: 30, Listings: 5, Nights: 20}
	one := contents(t, New(o))
	assert.Equal(t, one, contents(t, New(o)))
	assert.Equal(t, one, contents(t, New(New(o).Options())), "the defaults are options like any others")

	o.Seed++
	other := contents(t, New(o))
	same := 0
	for at, item := range one {
		switch {
		case strings.HasPrefix(at, keys.MetadataTable.Name+" ") && !strings.Contains(at, "PROMO#") && !strings.Contains(at, "WISHLIST#"):
			assert.Equal(t, item, other[at], "all worlds have the same catalogues")
		case other[at] == item:
			same++
		}
	}
	assert.Less(t, same, len(one)/20, "items that two worlds share by chance, such as guards")
}

// Hotels and users are the same in any order, and in a world of any size.
func TestPartsStandAlone(t *testing.T) {
	t.Parallel()
	small := New(Options{Seed: 5, Properties: 8, Users: 40})
	large := New(Options{Seed: 5, Properties: 5000, Users: 40})
	hotels := slices.Collect(small.Hotels())
	for i := len(hotels) - 1; i >= 0; i-- {
		assert.Equal(t, hotels[i], large.Hotel(i))
		assert.Equal(t, hotels[i], small.Hotel(i))
	}
	for i, u := range slices.Collect(small.Users()) {
		assert.Equal(t, u, New(Options{Seed: 5, Users: 999_999}).User(i))
	}
	for i, a := range slices.Collect(small.Accounts()) {
		assert.Equal(t, small.User(i), a.User)
		assert.Equal(t, a, New(Options{Seed: 5, Properties: 8, Users: 999_999, Empty: true}).Account(i))
	}

	// With different users, a hotel has a different owner and different guests, and is otherwise the same.
	others := New(Options{Seed: 5, Properties: 8, Users: 99})
	for i, h := range hotels {
		other := others.Hotel(i)
		other.OwnerID = h.OwnerID
		mine := slices.Concat(h.Bookings, h.PastStays)
		for n, b := range slices.Concat(other.Bookings, other.PastStays) {
			b.UserID, b.Guest = mine[n].UserID, mine[n].Guest
		}
		require.Len(t, other.Reviews, len(h.Reviews))
		for n, r := range other.Reviews {
			same := h.Reviews[n]
			r.UserID, r.GuestName, r.GuestCountry = same.UserID, same.GuestName, same.GuestCountry
			if r.Response != nil && same.Response != nil {
				r.Response.ResponderID = same.Response.ResponderID
			}
			assert.Len(t, other.Votes[r.ID], len(h.Votes[r.ID]))
		}
		other.Votes = h.Votes
		assert.Equal(t, h, other)
	}

	// The property does not depend on the nights on sale and the bookings.
	for i, h := range hotels {
		assert.Equal(t, h.WithRooms, New(Options{Seed: 5, Users: 40, Nights: 99, Occupancy: 0.1}).Hotel(i).WithRooms)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	w := New(Options{})
	assert.Equal(t, Options{
		Properties: 10, Users: 50, Nights: 30, Occupancy: 0.5, Today: dynastay.MustDate("2026-06-01"),
	}, w.Options())
	assert.Equal(t, time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), w.Now())
	assert.Equal(t, 1_000_000, New(Options{Properties: 900_000}).Options().Users)
}

func TestOptionsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field string
		opts  Options
	}{
		{"Properties", Options{Properties: -1}},
		{"Properties", Options{Properties: 1_000_001}},
		{"Properties", Options{Properties: references/(mostBookings(730)+mostPast) + 1, Nights: 730}}, // not enough references
		{"Users", Options{Users: -1}},
		{"Users", Options{Users: 1_000_001}},
		{"Listings", Options{Listings: -1}},
		{"Listings", Options{Listings: 1_000_001}},
		{"Nights", Options{Nights: -1}},
		{"Nights", Options{Nights: 731}},
		{"Occupancy", Options{Occupancy: -0.1}},
		{"Occupancy", Options{Occupancy: 0.96}},
		{"Occupancy", Options{Occupancy: math.NaN()}},
		{"Occupancy", Options{Occupancy: 0.5, Empty: true}},
		{"Today", Options{Today: dynastay.MustDate("0009-12-31")}},
		{"Today", Options{Today: dynastay.MustDate("9991-01-01")}},
	} {
		blame.Invalid(t, test.opts.Validate(), test.field, "%+v", test.opts)
		assert.Panics(t, func() { New(test.opts) })
	}
	for _, o := range []Options{
		{Properties: 1, Users: 1, Nights: 1}, {Properties: 1_000_000}, {Nights: 730, Occupancy: 0.95}, {Empty: true},
		{Properties: references / (mostBookings(730) + mostPast), Nights: 730},
		{Today: dynastay.MustDate("0010-01-01"), Nights: 3}, {Today: dynastay.MustDate("9990-12-31"), Nights: 730, Listings: 1},
		{Listings: 1_000_000},
	} {
		assert.NoError(t, o.Validate())
		assert.NotNil(t, New(o).Hotel(0))
		assert.NotNil(t, New(o).User(0))
	}
	w := New(Options{})
	assert.Panics(t, func() { w.Hotel(10) })
	assert.Panics(t, func() { w.User(-1) })
	assert.Panics(t, func() { w.Account(50) })
	assert.Panics(t, func() { w.Listing(0) })
}

// The shares of a world, which is large enough to show them.
func TestWorldLooksReal(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 1, Properties: 300, Users: 400})
	slugs, texts := map[string]bool{}, map[string]int{}
	kinds, stars, inCity := map[properties.Type]int{}, map[int]int{}, map[string]int{}
	var nights, stopSells, noArrivals, noDepartures, laterMinStays, maxStays int
	fewest, most := 99, 0
	var images, primaries, amenities, minStays, doubles, mixed, withFees, weekends int
	var ids []string
	for h := range w.Hotels() {
		ids = append(ids, h.ID)
		assert.False(t, slugs[h.Slug], h.Slug)
		assert.True(t, strings.HasSuffix(h.Slug, fmt.Sprintf("-%d", len(slugs))), "%s: the number makes it unique", h.Slug)
		slugs[h.Slug] = true
		texts[h.Name]++
		kinds[h.Type]++
		stars[h.Stars]++
		inCity[h.Address.City]++
		amenities += len(h.AmenityIDs)
		assert.True(t, len(h.Rooms) >= 1 && len(h.Rooms) <= maxRoomTypes)
		for _, r := range h.Rooms {
			ids = append(ids, r.ID)
			assert.Equal(t, countries[h.Address.Country].currency, r.BasePrice.Currency())
			assert.Equal(t, r.BasePrice, r.BasePrice.Round())
			assert.NotEmpty(t, r.Beds)
		}
		if h.Status == properties.Pending || h.Status == properties.Rejected {
			assert.Empty(t, h.Nights, "%s: it is not on sale", h.Status)
			assert.Empty(t, h.Bookings)
			assert.Empty(t, h.PastStays)
		} else {
			assert.Len(t, h.Nights, 30*len(h.Rooms))
		}
		images += len(h.Images)
		fewest, most = min(fewest, len(h.Images)), max(most, len(h.Images))
		shows := map[string]int{}
		for n, image := range h.Images {
			ids = append(ids, image.ID)
			shows[image.Category]++
			assert.Equal(t, n+1, image.Order)
			assert.Contains(t, image.AltText, h.Name)
			if image.Primary && n > 0 {
				primaries++
			}
		}
		assert.Equal(t, slices.Contains(h.AmenityIDs, "pool"), shows["pool"] == 1, "%s shows the pool that it has", h.ID)
		assert.Equal(t, 1, shows["exterior"])
		assert.Positive(t, shows["room"])
		for _, n := range h.Nights {
			nights++
			if n.MinStay > 0 {
				minStays++
				if weekday := n.Date.Weekday(); weekday != time.Friday && weekday != time.Saturday {
					laterMinStays++
				} else if opened := w.house(len(slugs) - 1).minStay; opened > 0 {
					assert.Equal(t, opened, n.MinStay, "changes set a minimum stay only where there is none")
				}
			}
			if n.MaxStay > 0 {
				maxStays++
				assert.GreaterOrEqual(t, n.MaxStay, n.MinStay)
			}
			if n.StopSell {
				stopSells++
				assert.Contains(t, stopSellReasons, n.StopSellReason)
			}
			if n.ClosedToArrival {
				noArrivals++
			}
			if n.ClosedToDeparture {
				noDepartures++
				assert.NotEqual(t, w.nights().LastNight(), n.Date)
			}
			if weekday := n.Date.Weekday(); n.Price != h.Rooms[slices.IndexFunc(h.Rooms, func(r properties.RoomType) bool {
				return r.ID == n.RoomTypeID
			})].BasePrice {
				assert.Contains(t, []time.Weekday{time.Friday, time.Saturday}, weekday)
				weekends++
			}
		}
		var before *bookings.Booking
		for _, b := range h.Bookings {
			ids = append(ids, b.ID)
			assert.True(t, strings.HasPrefix(b.ID, "bkg_"+strings.TrimPrefix(h.ID, "prop_")))
			assert.WithinRange(t, b.CreatedAt, w.opts.Today.Time().AddDate(0, 0, -61), w.opts.Today.Time().Add(-time.Second))
			assert.True(t, b.CreatedAt.After(h.CreatedAt))
			if before != nil {
				assert.False(t, b.CreatedAt.Before(before.CreatedAt), "ids are in the order of creation")
			}
			before = b
			if len(b.Lines) > 1 {
				mixed++
			}
			if b.Lines[0].Quantity > 1 {
				doubles++
			}
			if b.Breakdown.TaxesAndFees.Sign() > 0 {
				withFees++
			}
		}
	}
	for i, u := range slices.Collect(w.Users()) {
		ids = append(ids, u.ID)
		assert.False(t, slugs[u.Email])
		slugs[u.Email] = true
		assert.Equal(t, i%ownersEach == 0, u.Role == "owner")
		assert.True(t, u.CreatedAt.Before(w.opts.Today.Time().AddDate(0, 0, -bookingDays)), "before the first booking")
	}
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(ids))), len(ids), "ids are unique")
	assert.InDelta(t, 0.58*300, kinds[properties.Hotel], 30)
	assert.InDelta(t, 0.22*300, kinds[properties.Apartment], 25)
	assert.Len(t, kinds, 5)
	assert.GreaterOrEqual(t, len(stars), 5)
	assert.Greater(t, stars[3], stars[5])
	assert.Greater(t, len(inCity), 40)
	assert.Greater(t, inCity["London"]+inCity["Paris"]+inCity["New York"], inCity["Lima"]+inCity["Auckland"]+inCity["Nairobi"])
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"stop-sells":            {5, percent(stopSells, nights), 1},
		"closed to arrivals":    {3, percent(noArrivals, nights), 1},
		"closed to departures":  {3, percent(noDepartures, nights), 1},
		"with a later min stay": {1.5, percent(laterMinStays, nights), 0.5},
		"limited to a max stay": {2, percent(maxStays, nights), 1},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Equal(t, []int{3, 12}, []int{fewest, most}, "images of a hotel")
	assert.InDelta(t, 7.5, float64(images)/300, 0.5)
	assert.InDelta(t, 65, primaries, 20, "hotels whose first image is not the primary one")
	assert.InDelta(t, 7, float64(amenities)/300, 2)
	assert.Greater(t, len(texts), 250, "names")
	for name, n := range map[string]int{
		"nights with a minimum stay": minStays, "bookings of two rooms": doubles, "of two room types": mixed,
		"with fees": withFees, "nights with their own price": weekends,
	} {
		assert.Positive(t, n, name)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	w, of := New(Options{Seed: 1, Properties: 5000}), map[properties.Status]int{}
	for i := range w.opts.Properties {
		of[w.house(i).status]++
	}
	assert.InDelta(t, 200, of[properties.Pending], 35)
	assert.InDelta(t, 50, of[properties.Rejected], 18)
	assert.InDelta(t, 50, of[properties.Suspended], 18)
	assert.Len(t, of, 4)
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

func TestOwnersJoinBeforeTheirHotels(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 1, Properties: 50, Empty: true})
	joined := map[string]time.Time{}
	for u := range w.Users() {
		joined[u.ID] = u.CreatedAt
	}
	for h := range w.Hotels() {
		require.Contains(t, joined, h.OwnerID)
		assert.True(t, joined[h.OwnerID].Before(h.CreatedAt), "%s owns %s", h.OwnerID, h.ID)
	}
}

func TestIDsSortByNumber(t *testing.T) {
	t.Parallel()
	assert.Less(t, propertyID(99_999), propertyID(100_000))
	assert.Less(t, userID(99_999), userID(100_000))
	assert.Less(t, bookingID(3, 999), bookingID(3, 1000))
	assert.Less(t, bookingID(3, mostBookings(maxNights)-1), bookingID(4, 0))
	assert.Equal(t, []string{"prop_000042", "room_000042_1", "user_000017", "bkg_000042_0003"},
		[]string{propertyID(42), roomID(42, 1), userID(17), bookingID(42, 3)})
	assert.Less(t, maxProperties-1, 1_000_000)
}

func TestOccupancy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		asked  float64
		nights int
	}{{0.05, 30}, {0.3, 30}, {0.5, 30}, {0.5, 7}, {0.8, 90}, {0.95, 30}} {
		w := New(Options{Seed: 9, Properties: 30, Users: 20, Nights: test.nights, Occupancy: test.asked})
		sold, all := 0, 0
		for h := range w.Hotels() {
			for _, n := range h.Nights {
				sold += n.Total - n.Available
				all += n.Total
			}
		}
		assert.InDelta(t, test.asked, float64(sold)/float64(all), 0.03, "of %d nights", test.nights)
	}
	for h := range New(Options{Empty: true}).Hotels() {
		assert.Empty(t, h.Bookings)
		assert.Empty(t, h.PastStays)
		assert.Empty(t, h.Reviews)
		assert.Zero(t, h.ReviewCount)
		for _, n := range h.Nights {
			assert.False(t, n.StopSell || n.ClosedToArrival || n.ClosedToDeparture || n.MaxStay > 0, "%+v", n)
		}
	}
}
