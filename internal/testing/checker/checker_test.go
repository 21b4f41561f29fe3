package checker_test

import (
	"slices"
	"testing"

	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/checker/desk"
	"github.com/dynastay/dynastay/internal/testing/checker/guests"
	"github.com/dynastay/dynastay/internal/testing/checker/hotel"
	"github.com/dynastay/dynastay/internal/testing/checker/listing"
	"github.com/dynastay/dynastay/internal/testing/checker/marketplace"
	"github.com/dynastay/dynastay/internal/testing/checker/property"
	"github.com/dynastay/dynastay/internal/testing/checker/traveltracker"
	"github.com/dynastay/dynastay/internal/testing/checker/venue"
	"github.com/dynastay/dynastay/internal/testing/checker/writes"
)

// TestChecker is the storm, and the comparison after it.
func TestChecker(t *testing.T) {
	c := checker.New(t, slices.Concat(
		writes.Tables, hotel.Tables, listing.Tables, venue.Tables, marketplace.Tables, traveltracker.Tables,
	)...)
	writes.Join(c)
	house := hotel.Join(c)
	property.Join(c, house)
	guests.Join(c)
	desk.Join(c)
	listing.Join(c)
	venue.Join(c)
	marketplace.Join(c)
	traveltracker.Join(c)
	c.Storm()
}
