package properties_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/properties"
)

// Other software removes amenities from the list of a property. Their items go with the adoption, so that no search finds
// the property by them, whatever its status becomes. Items that the library did not write stay.
func TestAdoptAfterAmenitiesWereRemoved(t *testing.T) {
	t.Parallel()
	for _, approved := range []bool{true, false} {
		s := openSeller(t, 0, 0)
		s.create("p1", 1, func(p *properties.Property) {
			if !approved {
				p.Status = properties.Pending
			}
		})
		require.NoError(t, second(s.direct.SetAmenities(t.Context(), s.id, []string{"gym", "pool", "spa"})))
		theirs := dynastay.Item{"PK": dynastay.Text("PROPERTY#" + s.id), "SK": dynastay.Text("AMENITY#theirs")}
		put(t, s.db, theirs)
		setDirectly(t, s.db, keyOf(s.id), "AmenityList", []string{"gym"})
		stop := s.db.Faults.Record()
		require.NoError(t, s.repo.Adopt(t.Context(), s.id))
		assert.Len(t, stop(), 2+2+2)
		assert.Equal(t, theirs, partition(t, s.db, "PROPERTY#"+s.id)["AMENITY#theirs"])
		remove(t, s.db, dynastay.Key{PK: "PROPERTY#" + s.id, SK: "AMENITY#theirs"})
		checkDerived(t, s.db, s.id)
	}
}

// More items are left than one transaction deletes. Others follow an index key of other software.
func TestAdoptAfterManyAmenitiesWereRemoved(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	for i := range 130 {
		item := dynastay.Item{"PK": dynastay.Text("PROPERTY#" + s.id), "SK": dynastay.Text(fmt.Sprintf("AMENITY#%03d", i))}
		item["GSI9PK"], item["GSI9SK"] = dynastay.Text("CITY#x"), dynastay.Text("x")
		put(t, s.db, item)
	}
	setDirectly(t, s.db, keyOf(s.id), "Description", "Renovated.")
	require.NoError(t, second(s.repo.Suspend(t.Context(), s.id)))
	checkDerived(t, s.db, s.id)
}

// While the items of removed amenities are deleted, other software puts one of the amenities back.
func TestAdoptWhileAnAmenityIsPutBack(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	require.NoError(t, second(s.direct.SetAmenities(t.Context(), s.id, []string{"gym", "pool"})))
	setDirectly(t, s.db, keyOf(s.id), "AmenityList", []string{"gym"})
	defer s.db.Faults.Inject(dyntest.Before(func(context.Context) {
		setDirectly(t, s.db, keyOf(s.id), "AmenityList", []string{"pool", "gym"})
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop()
	stop := s.db.Faults.Record()
	require.NoError(t, s.repo.Adopt(t.Context(), s.id))
	assert.Equal(t, []string{"Query", "TransactWriteItems", "Query", "TransactWriteItems", "Query", "TransactWriteItems"}, wire.Operations(stop()),
		"nothing was deleted")
	checkDerived(t, s.db, s.id)
}

// Other software adds a room type after the guards have been added. It gets its guard before the adoption ends.
func TestAdoptWhileARoomTypeIsAdded(t *testing.T) {
	t.Parallel()
	db, repo := openForeign(t)
	defer db.Faults.Inject(dyntest.Before(func(context.Context) {
		put(t, db, secondRoom(t))
	}), dyntest.When{Operation: "Query", Nth: 2}).Stop()
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	items := partition(t, db, "PROPERTY#prop_123")
	require.Len(t, items, 1+2+1+5)
	checkGuards(t, db, "prop_123", items)
	assertCards(t, repo, "prop_123")
}

// Other software changes the property after each of the first adoptions. The write adopts it again, but not forever.
func TestAdoptionIsOvertaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		times int
		want  error
	}{{3, nil}, {1000, properties.ErrForeign}} {
		db, repo := openForeign(t)
		n := 0
		defer db.Faults.Inject(dyntest.Before(func(context.Context) {
			if n++; n <= test.times {
				setDirectly(t, db, keyOf("prop_123"), "Description", fmt.Sprint("theirs ", n))
			}
		}), dyntest.When{Operation: "GetItem", Match: func(dyntest.Request) bool { return true }}).Stop()
		_, err := repo.Update(t.Context(), "prop_123", edit(func(p *properties.Property) { p.Name = "Ours" }))
		require.ErrorIs(t, err, test.want)
		p, err := repo.Get(t.Context(), "prop_123", dynastay.Consistent)
		require.NoError(t, err)
		if test.want == nil {
			assert.Equal(t, []string{"Ours", "theirs 3"}, []string{p.Name, p.Description})
			checkKeys(t, db, "prop_123")
		}
	}
}

// The property has no write id that other software could remove. It adds a room type all the same, and removes nothing,
// before each of the writes of the adoption. The room type is on the card, and has its guard.
func TestAdoptWhileARoomTypeIsAddedToAPropertyWithoutAWriteID(t *testing.T) {
	t.Parallel()
	for write := 1; write <= 2; write++ {
		db, repo := openForeign(t)
		adds := db.Faults.Inject(dyntest.Before(func(context.Context) {
			put(t, db, secondRoom(t))
			setDirectly(t, db, keyOf("prop_123"), "Renovated", true)
		}), dyntest.When{Operation: "TransactWriteItems", Nth: write})
		require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
		assert.Equal(t, 1, adds.Hits())
		p, err := repo.GetWithRooms(t.Context(), "prop_123", dynastay.Consistent)
		require.NoError(t, err)
		assert.Len(t, p.Card().Rooms, 2)
		for _, room := range p.Card().Rooms {
			assert.Contains(t, allItems(t, db), "ROOM#"+room.ID+"/GUARD")
		}
	}
}
