package availability_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	sizes "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// What closing the sales costs, by the rule that docs/costs.md gives for a year of 20 room types.
func TestCostOfCloseSales(t *testing.T) {
	t.Parallel()
	const roomTypes, nights, parts = 3, 120, 2 // parts are the transactions of a room type
	db := dyntest.New(t, inventoryTables, dyntest.At(fixture.Now))
	var rooms []properties.RoomType
	for i := range roomTypes {
		rooms = append(rooms, properties.RoomType{
			Name: fmt.Sprint("Room ", i), Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 5,
		})
	}
	hotel, err := properties.New(db.Direct, nil).Create(t.Context(), properties.Property{
		Name: "Grand Luxury Hotel", Slug: "grand-luxury-hotel", Type: properties.Hotel, OwnerID: "user_1", Status: properties.Approved,
		Address: properties.Address{City: "New York", Country: "USA"},
	}, rooms)
	require.NoError(t, err)
	first := date("2026-07-01")
	for _, room := range hotel.Rooms {
		_, err := availability.New(db.Direct).Open(t.Context(), availability.OpenRequest{
			PropertyID: hotel.ID, RoomTypeID: room.ID, Rooms: 5, Price: fixture.Price,
			Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(nights)},
		})
		require.NoError(t, err)
	}
	property, err := db.Direct.Get(t.Context(), keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + hotel.ID, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	kilobytes := (sizes.Size(property.Item()) + 1023) / 1024

	var closed availability.SalesChange
	spent := db.Measure(func() { closed, err = availability.New(db.DB).CloseSales(t.Context(), hotel.ID) })
	require.NoError(t, err)
	assert.Equal(t, availability.SalesChange{RoomTypes: roomTypes, Nights: roomTypes * nights}, closed)
	assert.Equal(t, 1+2+roomTypes*(2+parts), spent.Requests)
	if db.Has(dyntest.ExactUnits) {
		assert.Equal(t, float64(3*roomTypes*nights+2*roomTypes*parts+2*roomTypes+2*kilobytes), spent.WriteUnits)
	}
}
