package checker

import (
	"slices"
	"testing"
)

// TestChecker is the storm, and the comparison after it.
func TestChecker(t *testing.T) {
	c := newChecker(t, slices.Concat(writeTables, hotelTables, listingTables, venueTables, marketTables, trackerTables)...)
	joinWrites(c)
	hotel := joinHotel(c)
	joinProperties(c, hotel)
	joinGuests(c)
	joinListing(c)
	joinVenue(c)
	joinMarket(c)
	joinTracker(c)
	joinDesk(c)
	c.run()
}
