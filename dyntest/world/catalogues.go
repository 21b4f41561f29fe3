package world

import (
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/properties/catalog"
)

// amenityKind is an amenity, with the percentage of houses that have it: in general, and added for each star.
type amenityKind struct {
	id, name, category, icon string
	percent, stars           int
}

// amenityKinds are in the order in which a platform shows them.
var amenityKinds = []amenityKind{
	{"wifi", "Wi-Fi", "basic", "wifi", 95, 1},
	{"air_conditioning", "Air conditioning", "basic", "ac_unit", 40, 10},
	{"parking", "Parking", "basic", "local_parking", 35, 3},
	{"breakfast", "Breakfast", "food", "free_breakfast", 35, 8},
	{"restaurant", "Restaurant", "food", "restaurant", 5, 15},
	{"bar", "Bar", "food", "local_bar", 8, 14},
	{"gym", "Gym", "wellness", "fitness_center", 2, 13},
	{"pool", "Swimming pool", "wellness", "pool", 0, 12},
	{"spa", "Spa", "wellness", "spa", 0, 10},
	{"room_service", "Room service", "services", "room_service", 0, 15},
	{"laundry", "Laundry", "services", "local_laundry_service", 30, 3},
	{"airport_shuttle", "Airport shuttle", "services", "airport_shuttle", 8, 4},
	{"business_center", "Business centre", "services", "business_center", 2, 8},
	{"pets_allowed", "Pets allowed", "rules", "pets", 25, 0},
	{"family_rooms", "Family rooms", "rooms", "family_restroom", 25, 2},
	{"accessible", "Step-free access", "access", "accessible", 30, 6},
	{"ev_charging", "Charging for electric cars", "services", "ev_station", 8, 4},
	{"kitchen", "Kitchen", "rooms", "kitchen", 15, -3},
}

// aliases are other names of cities.
var aliases = map[string][]string{
	"New York": {"NYC", "New York City"}, "Los Angeles": {"LA"}, "San Francisco": {"SF"},
	"Mexico City": {"Ciudad de México", "CDMX"}, "Rio de Janeiro": {"Rio"}, "Munich": {"München"}, "Vienna": {"Wien"},
	"Prague": {"Praha"}, "Rome": {"Roma"}, "Milan": {"Milano"}, "Lisbon": {"Lisboa"}, "Copenhagen": {"København"},
	"Marrakesh": {"Marrakech"}, "Mumbai": {"Bombay"},
}

// Amenities returns the platform's catalogue of amenities, ordered by id. It has every amenity of a hotel, and is the
// same in all worlds. It sends no requests.
func (w *World) Amenities() []*catalog.Amenity {
	all, err := w.cell().amenities(context.Background())
	must(err)
	return all
}

// Locations returns the platform's catalogue of locations, ordered by id. It has every city of a hotel, and is the same
// in all worlds. It sends no requests.
func (w *World) Locations() []*catalog.Location {
	all, err := w.cell().locations(context.Background())
	must(err)
	return all
}

// catalogues makes the cell of the catalogues.
func (w *World) catalogues(ctx context.Context) (*cell, error) {
	c := w.cell()
	if _, err := c.amenities(ctx); err != nil {
		return nil, err
	}
	_, err := c.locations(ctx)
	return c, err
}

func (c *cell) amenities(ctx context.Context) ([]*catalog.Amenity, error) {
	var all []catalog.Amenity
	for i, a := range amenityKinds {
		all = append(all, catalog.Amenity{ID: a.id, Name: a.name, Category: a.category, Icon: a.icon, DisplayOrder: i + 1})
	}
	return catalogue(ctx, catalog.Amenities(c.open(&c.capture)), all, func(a catalog.Amenity) string { return a.ID })
}

func (c *cell) locations(ctx context.Context) ([]*catalog.Location, error) {
	var all []catalog.Location
	for _, at := range cities {
		all = append(all, catalog.Location{
			ID: plainText(at.name + " " + at.country), City: at.name, State: at.state, Country: at.country,
			Aliases: aliases[at.name], Latitude: at.latitude, Longitude: at.longitude,
		})
	}
	return catalogue(ctx, catalog.Locations(c.open(&c.capture)), all, func(l catalog.Location) string { return l.ID })
}

// catalogue makes entries, in the order of their ids.
func catalogue[T any](ctx context.Context, of *catalog.Catalog[T], entries []T, id func(T) string) (all []*T, err error) {
	slices.SortFunc(entries, func(a, b T) int { return strings.Compare(id(a), id(b)) })
	for _, entry := range entries {
		made, err := of.Create(ctx, entry)
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}
