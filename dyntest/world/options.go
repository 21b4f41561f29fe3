package world

import (
	"math"

	"github.com/dynastay/dynastay"
)

// Options describe a world. Every field may be left at its zero value. Equal options make equal worlds.
type Options struct {
	// Seed is the seed of everything random; a different seed makes a different world. Default: 0, which is a valid
	// seed.
	Seed uint64
	// Properties is the number of hotels, at most 1,000,000. Default: 10.
	Properties int
	// Users is the total number of users, at most 1,000,000: every tenth may own properties, and all may book. Default:
	// five for each property.
	Users int
	// Listings is the number of listings, at most 1,000,000. Their calendars are in a table that is not one of those of
	// the hotels: create it with dyntest.Tables(listing.Table), with package keys/listingkeys. Default: 0.
	Listings int
	// Requests is the number of requests for slots of a venue, at most 5,000. The venue has a table that is not one of
	// those of the hotels: create it with dyntest.Tables(venue.Table), with package keys/venuekeys. Default: 0.
	Requests int
	// Units gives 60 % of the hotels with nights their rooms one by one, see [Hotel].Units. Who has which is then stored, and some
	// bookings are made otherwise than without it; everything else is the same. Default: false.
	Units bool
	// Nights is the number of nights on sale, starting with Today, at most 730. Default: 30.
	Nights int
	// Occupancy is the share of the hotels' rooms on sale that are booked, over all nights, at most 0.95. Bookings that
	// were cancelled or have expired do not count. With ten or more hotels, the actual share differs by at most a few
	// percent. Default: 0.5.
	Occupancy float64
	// Empty leaves all rooms, listings and slots of the venue free: there are no bookings, no past stays and so no
	// reviews, no stop-sells, no restrictions that were set after the nights were opened, and no blocks. Default:
	// false.
	Empty bool
	// Today is the current day in the world, and the first night on sale. Default: 2026-06-01.
	Today dynastay.Date
}

const (
	maxProperties = 1_000_000 // six digits in an id
	maxUsers      = 1_000_000
	maxListings   = 1_000_000
	maxRequests   = 5_000 // a capture with many items is slow
	maxNights     = 730   // nights are kept for two years
	maxOccupancy  = 0.95
	usersEach     = 5
)

// withDefaults fills in the unset options.
func (o Options) withDefaults() Options {
	if o.Properties == 0 {
		o.Properties = 10
	}
	if o.Users == 0 {
		o.Users = min(usersEach*o.Properties, maxUsers)
	}
	if o.Nights == 0 {
		o.Nights = 30
	}
	if o.Occupancy == 0 && !o.Empty {
		o.Occupancy = 0.5
	}
	if o.Today.IsZero() {
		o.Today = dynastay.MustDate("2026-06-01")
	}
	return o
}

// Validate returns a [*dynastay.InvalidError], which names the field, if no world can be made from the options. [New]
// then panics, so call Validate first if the options come from a person.
func (o Options) Validate() error {
	o, empty := o.withDefaults(), o.Empty && o.Occupancy != 0
	switch {
	case o.Properties < 1 || o.Properties > maxProperties:
		return dynastay.Invalid("Properties", "must be between 1 and %d, got %d", maxProperties, o.Properties)
	case o.Users < 1 || o.Users > maxUsers:
		return dynastay.Invalid("Users", "must be between 1 and %d, got %d", maxUsers, o.Users)
	case o.Listings < 0 || o.Listings > maxListings:
		return dynastay.Invalid("Listings", "must be between 0 and %d, got %d", maxListings, o.Listings)
	case o.Requests < 0 || o.Requests > maxRequests:
		return dynastay.Invalid("Requests", "must be between 0 and %d, got %d", maxRequests, o.Requests)
	case o.Nights < 1 || o.Nights > maxNights:
		return dynastay.Invalid("Nights", "must be between 1 and %d, got %d", maxNights, o.Nights)
	case math.IsNaN(o.Occupancy) || o.Occupancy < 0 || o.Occupancy > maxOccupancy:
		return dynastay.Invalid("Occupancy", "must be between 0 and %v, got %v", maxOccupancy, o.Occupancy)
	case empty:
		return dynastay.Invalid("Occupancy", "cannot be combined with Empty")
	case o.Properties > references/(mostBookings(o.Nights)+mostPast):
		return dynastay.Invalid("Properties", "must be at most %d if Nights is %d, because each booking needs its own reference; got %d",
			references/(mostBookings(o.Nights)+mostPast), o.Nights, o.Properties)
	case o.Today.Time().Year() < 10 || o.Today.Time().Year() > 9990:
		// Users join years before Today, and nights are kept for years after it.
		return dynastay.Invalid("Today", "must be in a year between 10 and 9990, got %s", o.Today)
	}
	return nil
}
