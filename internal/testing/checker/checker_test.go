package checker

import (
	"slices"
	"testing"
)

// TestChecker is the storm, and the comparison after it.
func TestChecker(t *testing.T) {
	c := New(t, slices.Concat(WriteTables, HotelTables, ListingTables, VenueTables, MarketTables, TrackerTables)...)
	JoinWrites(c)
	hotel := JoinHotel(c)
	JoinProperties(c, hotel)
	JoinGuests(c)
	JoinListing(c)
	JoinVenue(c)
	JoinMarket(c)
	JoinTracker(c)
	JoinDesk(c)
	c.Storm()
}
