package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties"
)

// Texts and lists at their maximum length are stored. One more byte or element is refused before any request.
func TestTextsHaveLimits(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	long := func(n int) string { return strings.Repeat("é", n/2) }
	p, room := grand("p1"), king("r1", "100")
	room.MaxOccupancy, room.MaxAdults, room.MaxChildren = availability.MaxGuests, availability.MaxGuests, availability.MaxGuests
	room.Total = availability.MaxRooms
	room.Beds, room.Amenities, room.Images = make([]properties.Bed, 32), make([]string, 100), make([]string, 50)
	for i := range room.Beds {
		room.Beds[i] = properties.Bed{Type: long(256), Count: 1}
	}
	for i := range room.Amenities {
		room.Amenities[i] = long(256)
	}
	for i := range room.Images {
		room.Images[i] = long(2048)
	}
	texts := []struct {
		field string
		most  int
		text  *string
	}{
		{"Name", 256, &p.Name},
		{"Description", 16 << 10, &p.Description},
		{"Address.Line1", 256, &p.Address.Line1},
		{"Address.Line2", 256, &p.Address.Line2},
		{"Address.City", 256, &p.Address.City},
		{"Address.State", 256, &p.Address.State},
		{"Address.Country", 256, &p.Address.Country},
		{"Address.PostalCode", 256, &p.Address.PostalCode},
		{"Contact.Phone", 256, &p.Contact.Phone},
		{"Contact.Email", 256, &p.Contact.Email},
		{"Contact.Website", 2048, &p.Contact.Website},
		{"PrimaryImageURL", 2048, &p.PrimaryImageURL},
		{"CancellationPolicy", 256, (*string)(&p.CancellationPolicy)},
		{"Rooms[0].Name", 256, &room.Name},
		{"Rooms[0].Description", 16 << 10, &room.Description},
		{"Rooms[0].CancellationPolicy", 256, (*string)(&room.CancellationPolicy)},
		{"Rooms[0].Beds[31].Type", 256, &room.Beds[31].Type},
		{"Rooms[0].Amenities[99]", 256, &room.Amenities[99]},
		{"Rooms[0].Images[49]", 2048, &room.Images[49]},
	}
	for _, test := range texts {
		*test.text = long(test.most)
	}
	p.CancellationPolicy = availability.CustomPolicy(strings.Repeat("c", 249))
	room.CancellationPolicy = p.CancellationPolicy
	stop := db.Faults.Record()
	refused := func(field string, p properties.Property, room properties.RoomType) {
		t.Helper()
		_, err := repo.Create(t.Context(), p, []properties.RoomType{room})
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	for _, test := range texts {
		good := *test.text
		for _, bad := range []string{strings.Repeat("a", test.most+1), "\xff"} {
			*test.text = bad
			refused(test.field, p, room)
		}
		*test.text = good
	}
	more := room
	more.Beds = append(more.Beds, properties.Bed{Type: "king", Count: 1})
	refused("Rooms[0].Beds", p, more)
	more = room
	more.Amenities = append(more.Amenities, "")
	refused("Rooms[0].Amenities", p, more)
	more = room
	more.Images = append(more.Images, "")
	refused("Rooms[0].Images", p, more)
	assert.Empty(t, stop(), "no request at all")

	made, err := repo.Create(t.Context(), p, []properties.RoomType{room})
	require.NoError(t, err)
	got, err := repo.GetWithRooms(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

// A property with the maximum number of amenities can be moved in one transaction, together with a new slug.
func TestLargestPropertyMoves(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	p := grand("p1", pending)
	p.AmenityIDs = nil
	for i := range 89 {
		p.AmenityIDs = append(p.AmenityIDs, fmt.Sprintf("a%d", i))
	}
	_, err := repo.Create(t.Context(), p, []properties.RoomType{king("r1", "100")})
	require.NoError(t, err)
	_, err = repo.Approve(t.Context(), "p1")
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Address.City, p.Slug = "Boston", "boston" }))
	require.NoError(t, err)
	checkDerived(t, db, "p1", p.Slug)
}
