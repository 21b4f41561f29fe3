package properties_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties"
)

// What the calls cost that concern a hotel with 20 amenities, 3 room types and a description of 1.5 KB, whose item has
// more than 3 KB.
func TestCostTable(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, costs := properties.New(db.DB, nil), page.Costs{DB: db}
	update := func(change func(*properties.Property)) func() error {
		return func() error { return second(repo.Update(t.Context(), "p1", edit(change))) }
	}
	room := func(change func(*properties.RoomType)) func() error {
		return func() error {
			return second(repo.UpdateRoomType(t.Context(), "p1", "r1", func(r *properties.RoomType) error { change(r); return nil }))
		}
	}
	p := grand("p1", pending, func(p *properties.Property) {
		p.AmenityIDs, p.PrimaryImageURL, p.Description = numbered("amenity_", 20), "", strings.Repeat("x", 1500)
	})
	for _, row := range []struct {
		name, why string
		call      func() error
		want      dyntest.Bill
	}{
		{
			"create, waiting for approval",
			"28 items twice: the property of 4 KB, its slug, 3 room types with their guards, 20 amenities. Indexes: " +
				"owner, slug, pending",
			func() error {
				return second(repo.Create(t.Context(), p, []properties.RoomType{king("r1", "100"), king("r2", "200"), king("r3", "300")}))
			},
			dyntest.Bill{Requests: 1, TableUnits: 62, IndexUnits: 3},
		},
		{
			"approve",
			"the property and 20 amenities twice. One row each for city, area, owner, type, featured, price, stars and " +
				"cell; 20 by amenity; the pending row is deleted",
			func() error { return second(repo.Approve(t.Context(), "p1")) },
			dyntest.Bill{Requests: 3, ReadUnits: 5, TableUnits: 48, IndexUnits: 29},
		},
		{
			"add 10 images", "10 images and the property twice; the first one is primary, so it is on the card",
			func() error { return second(repo.AddImages(t.Context(), "p1", pictures("a", 10))) },
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 28, IndexUnits: 8},
		},
		{
			"get", "half a unit for every 4 KB",
			func() error { return second(repo.Get(t.Context(), "p1")) }, dyntest.Bill{Requests: 1, ReadUnits: 0.5},
		},
		{
			"get with everything", "the same",
			func() error { return second(repo.GetWhole(t.Context(), "p1")) }, dyntest.Bill{Requests: 1, ReadUnits: 1},
		},
		{
			"description; anything that no list shows", "one plain update of the item",
			update(func(p *properties.Property) { p.Description = strings.Repeat("y", 1500) }),
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4},
		},
		{
			"name; anything on the card", "the card in 8 indexes",
			update(func(p *properties.Property) { p.Name = "Other" }),
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4, IndexUnits: 8},
		},
		{
			"city", "a row that moves is deleted and put: 3 by city, 20 by amenity",
			update(func(p *properties.Property) { p.Address.City = "Boston" }),
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 48, IndexUnits: 46},
		},
		{
			"rating", "as the name; the rows by rating move",
			func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) },
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4, IndexUnits: 11},
		},
		{
			"rating, with the same average", "the number of reviews is on the card",
			func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) },
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 4, IndexUnits: 8},
		},
		{
			"price of a room type", "the room type and the property twice; the rows by price move",
			room(func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("90", "USD") }),
			dyntest.Bill{Requests: 2, ReadUnits: 2, TableUnits: 10, IndexUnits: 10},
		},
		{
			"description of a room type", "one plain update of the room type",
			room(func(r *properties.RoomType) { r.Description = "Smaller." }),
			dyntest.Bill{Requests: 2, ReadUnits: 2, TableUnits: 1},
		},
		{
			"add a room type", "the room type, its guard and the property twice; the card in 8 indexes",
			func() error {
				return second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r4", "150")}))
			},
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 12, IndexUnits: 8},
		},
		{
			"choose another primary image", "both images and the property twice, and the card",
			func() error { return second(repo.SetPrimaryImage(t.Context(), "p1", "a3")) },
			dyntest.Bill{Requests: 2, ReadUnits: 2, TableUnits: 12, IndexUnits: 8},
		},
		{
			"alternative text of an image", "one plain update of the image",
			func() error {
				return second(repo.UpdateImage(t.Context(), "p1", "a4", func(i *properties.Image) error { i.AltText = "Bar"; return nil }))
			},
			dyntest.Bill{Requests: 2, ReadUnits: 2, TableUnits: 1},
		},
		{
			"add an amenity", "the amenity and the property twice, the card, and the row by amenity",
			func() error { return second(repo.AddAmenities(t.Context(), "p1", []string{"spa"})) },
			dyntest.Bill{Requests: 2, ReadUnits: 1, TableUnits: 10, IndexUnits: 9},
		},
		{"open", "", func() error { return open(t, db, "r1", "r2", "r3") }, dyntest.Bill{}},
		{
			"delete a room type without nights",
			"the room type, its guard and the property, after a look for nights that are sold",
			func() error { return repo.DeleteRoomType(t.Context(), "p1", "r4") },
			dyntest.Bill{Requests: 8, ReadUnits: 8, TableUnits: 16, IndexUnits: 8},
		},
		{
			"suspend, with 3 room types open for 90 nights each",
			"two units for each night, and one for its row in the index; the status as for approve",
			func() error { return second(repo.Suspend(t.Context(), "p1")) },
			dyntest.Bill{Requests: 12, ReadUnits: 44, TableUnits: 602, IndexUnits: 299},
		},
		{
			"approve again", "the same",
			func() error { return second(repo.Approve(t.Context(), "p1")) },
			dyntest.Bill{Requests: 12, ReadUnits: 44, TableUnits: 602, IndexUnits: 299},
		},
		{
			"delete", "as suspend, with the nights read twice more; then 2 units for each item",
			func() error { return repo.Delete(t.Context(), "p1") },
			dyntest.Bill{Requests: 23, ReadUnits: 89, TableUnits: 688, IndexUnits: 301},
		},
	} {
		costs.Measure(t, row.name, row.why, row.want, func() { require.NoError(t, row.call(), row.name) })
	}
	costs.Section(t, "properties")
}

// open opens 90 nights of each room type, without counting the cost.
func open(t *testing.T, db *dyntest.DB, roomTypeIDs ...string) error {
	t.Helper()
	for _, id := range roomTypeIDs {
		_, err := availability.New(db.Direct).Open(t.Context(), availability.OpenRequest{
			PropertyID: "p1", RoomTypeID: id, Nights: dynastay.MustStay("2026-06-02", "2026-08-31"), Rooms: 1,
			Price: dynastay.MustMoney("100", "USD"),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
