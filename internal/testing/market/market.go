// Package market generates the properties of ten cities, for tests that compare lists and searches with a brute-force
// model. It writes them much faster than the repositories could.
//
// Names, prices, ratings and places are chosen to be difficult: cities whose names contain the characters that keys
// escape, ratings of 10.0 and 9.9, prices of 90, 150 and 1000, places at the antimeridian and on both sides of the 80th
// degree of latitude. Many values are equal, so that ties must be broken as documented.
package market

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// Options configure [Generate].
type Options struct {
	Properties int
	Repository properties.Options // whose shard counts [Market.Load] writes with
}

// Market is a number of properties with their room types.
type Market struct {
	// Properties are as a repository reads them. About one in ten is pending, so that no search may find it; the others
	// are approved.
	Properties []*properties.WithRooms

	opts Options
}

// Types are the types of the properties. One is the platform's own.
var Types = []properties.Type{properties.Hotel, properties.Apartment, properties.Resort, "tree_house"}

// Currencies are the currencies of the prices. KWD has three decimal places.
var Currencies = []dynastay.Currency{"USD", "KWD"}

// AmenityIDs are the amenities that the properties have some of.
var AmenityIDs = []string{"wifi", "pool", "gym", "parking", "spa", "Bar", "café"}

var (
	prices = map[dynastay.Currency][]string{
		"USD": {"0", "89.99", "90", "99.5", "149.99", "150", "150.01", "1000", "999999999999.99"},
		"KWD": {"0", "89.999", "90", "99.5", "149.999", "150", "150.001", "1000", "999999999999.999"},
	}
	ratings  = []dynastay.Rating{0, 10, 79, 80, 81, 92, 99, 100}
	scores   = []int{0, 1, 9, 10, 95, 100, 9_999_999_999}
	policies = []availability.CancellationPolicy{
		"", availability.FreeCancellation(24), availability.FreeCancellation(48), availability.PartialRefund(50, 72),
		availability.NonRefundable,
	}
)

// Generate returns the market with a seed. The same seed and options always give the same market.
func Generate(seed uint64, o Options) *Market {
	m := &Market{opts: o}
	r := random{rand.New(rand.NewPCG(seed, 0))}
	order := r.Perm(o.Properties) // so that neither ids nor keys are in the order of the writes
	for _, n := range order {
		m.Properties = append(m.Properties, r.property(n))
	}
	return m
}

// Cards returns the cards of the approved properties for which keep returns true.
func (m *Market) Cards(keep func(*properties.WithRooms) bool) (all []*properties.Card) {
	for _, p := range m.Properties {
		if p.Status == properties.Approved && keep(p) {
			all = append(all, p.Card())
		}
	}
	return all
}

type random struct{ *rand.Rand }

func pick[T any](r random, from []T) T { return from[r.IntN(len(from))] }

// oneIn returns true once in n times, on average.
func (r random) oneIn(n int) bool { return r.IntN(n) == 0 }

func (r random) property(n int) *properties.WithRooms {
	city := pick(r, Cities)
	p := properties.Property{
		ID: fmt.Sprintf("prop_%05d", n), Name: fmt.Sprintf("Property #%d", n), Slug: fmt.Sprintf("property-%d", n),
		Type: pick(r, Types), Stars: r.IntN(6), OwnerID: fmt.Sprintf("user_%d", r.IntN(100)), Status: properties.Approved,
		TimeZone: city.TimeZone, CheckInTime: pick(r, []string{"", "15:00"}), CancellationPolicy: pick(r, policies),
		Address: properties.Address{City: city.Name, Country: city.Country}, AmenityIDs: []string{},
		Featured: r.oneIn(3), FeaturedScore: pick(r, scores),
		CreatedAt: fixture.Now, UpdatedAt: fixture.Now, Version: 1,
	}
	if r.oneIn(10) {
		p.Status = properties.Pending
	}
	p.Address.Latitude, p.Address.Longitude = r.near(city)
	if p.Rating = pick(r, ratings); r.oneIn(2) {
		p.Rating = dynastay.Rating(10 + r.IntN(91))
	}
	if p.Rating > 0 {
		p.ReviewCount = 1 + r.IntN(20)
	}
	for _, i := range r.Perm(len(AmenityIDs))[:r.IntN(len(AmenityIDs)+1)] {
		p.AmenityIDs = append(p.AmenityIDs, AmenityIDs[i])
	}
	rooms := r.rooms(&p)
	byPrice := func(a, b properties.RoomType) int {
		n, _ := a.BasePrice.Compare(b.BasePrice) // cannot fail in one currency
		return n
	}
	p.Prices = properties.PriceRange{Min: slices.MinFunc(rooms, byPrice).BasePrice, Max: slices.MaxFunc(rooms, byPrice).BasePrice}
	return &properties.WithRooms{Property: p, Rooms: rooms}
}

func (r random) rooms(p *properties.Property) (all []properties.RoomType) {
	currency := pick(r, Currencies)
	for i := range 1 + r.IntN(5) {
		sleeps := 1 + r.IntN(6)
		price := pick(r, prices[currency])
		if r.oneIn(2) {
			price = fmt.Sprintf("%d.%d", r.IntN(300), r.IntN(100))
		}
		all = append(all, properties.RoomType{
			ID: fmt.Sprintf("room_%d_of_%s", i, p.ID), PropertyID: p.ID, Name: fmt.Sprintf("Room for %d", sleeps),
			Limits:    availability.Limits{MaxOccupancy: sleeps, MaxAdults: 1 + r.IntN(sleeps), MaxChildren: r.IntN(sleeps + 1)},
			BasePrice: dynastay.MustMoney(price, currency), Total: 1 + r.IntN(20), CancellationPolicy: pick(r, policies),
			CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Version: 1,
		})
	}
	return all
}

// Reach is the largest distance of a property from the centre of its city, in metres.
const Reach = 30_000

const earth = 6_371_008.8 // metres

// near returns a place within Reach, which is sometimes the centre itself.
func (r random) near(c City) (latitude, longitude float64) {
	if r.oneIn(20) {
		return c.Latitude, c.Longitude
	}
	distance, bearing := 0.999*Reach*r.Float64()/earth, 2*math.Pi*r.Float64() // 0.999 because the result is rounded
	from, degrees := c.Latitude*math.Pi/180, 180/math.Pi
	to := math.Asin(math.Sin(from)*math.Cos(distance) + math.Cos(from)*math.Sin(distance)*math.Cos(bearing))
	east := math.Atan2(math.Sin(bearing)*math.Sin(distance)*math.Cos(from), math.Cos(distance)-math.Sin(from)*math.Sin(to))
	longitude = math.Remainder(c.Longitude+east*degrees, 360)
	return rounded(to * degrees), rounded(longitude)
}

// rounded rounds to about a metre.
func rounded(degrees float64) float64 { return math.Round(degrees*1e5) / 1e5 }

func clock() time.Time { return fixture.Now }
