package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// How many room types fit on a card, as the documentation of CreateOp says: with generated ids, names of 17 letters and
// 20 amenities, each with a policy of its own or all with that of the property.
func TestRoomTypesOnACard(t *testing.T) {
	t.Parallel()
	repo := properties.New(dyntest.New(t, dyntest.Tables(keys.PropertiesTable)).DB, nil)
	hotel := grand("", func(p *properties.Property) {
		p.AmenityIDs = nil
		for i := range 20 {
			p.AmenityIDs = append(p.AmenityIDs, fmt.Sprintf("amenity_%02d", i))
		}
	})
	for most, edit := range map[int]func(*properties.RoomType){
		21: func(*properties.RoomType) {},
		26: func(r *properties.RoomType) { r.CancellationPolicy = "" },
	} {
		hotel.Slug = fmt.Sprint("grand-luxury-hotel-new-york-", most)
		rooms := make([]properties.RoomType, most+1)
		for i := range rooms {
			rooms[i] = king("", "250.00")
			edit(&rooms[i])
		}
		_, err := repo.Create(t.Context(), hotel, rooms)
		assertField(t, err, dynastay.ErrInvalid, "Card")
		assert.ErrorContains(t, err, "or reduce the number of room types or amenities")
		_, err = repo.Create(t.Context(), hotel, rooms[1:])
		require.NoError(t, err)
	}
}
