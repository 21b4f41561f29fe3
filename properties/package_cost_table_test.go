package properties_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// What docs/costs.md says about a hotel with 20 amenities, 3 room types and a description of 1.5 KB. Requests are the same
// on every engine; units are compared on dynoxide, because local engines count those of transactions differently.
func TestCostTable(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	var spent units
	repo := properties.New(observe(db, func(c dynastay.Call) {
		spent.requests += c.Requests()
		for _, u := range c.Usage {
			spent.read += u.ReadUnits
			if u.Index == "" {
				spent.table += u.WriteUnits
			} else {
				spent.index += u.WriteUnits
			}
		}
	}), nil)
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
		name string
		call func() error
		want units
	}{
		{"create", func() error {
			return second(repo.Create(t.Context(), p, []properties.RoomType{king("r1", "100"), king("r2", "200"), king("r3", "300")}))
		}, units{1, 0, 62, 3}},
		{"approve", func() error { return second(repo.Approve(t.Context(), "p1")) }, units{3, 5, 48, 29}},
		{"ten images", func() error { return second(repo.AddImages(t.Context(), "p1", pictures("a", 10))) }, units{2, 1, 28, 12}},
		{"get", func() error { return second(repo.Get(t.Context(), "p1")) }, units{1, 0.5, 0, 0}},
		{"whole", func() error { return second(repo.GetWhole(t.Context(), "p1")) }, units{1, 1, 0, 0}},
		{"description", update(func(p *properties.Property) { p.Description = strings.Repeat("y", 1500) }), units{2, 1, 4, 0}},
		{"name", update(func(p *properties.Property) { p.Name = "Other" }), units{2, 1, 4, 12}},
		{"city", update(func(p *properties.Property) { p.Address.City = "Boston" }), units{2, 1, 48, 48}},
		{"rating", func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) }, units{2, 1, 4, 12}},
		{"the same average", func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) }, units{2, 1, 4, 9}},
		{"price", room(func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("90", "USD") }), units{2, 2, 10, 12}},
		{"room description", room(func(r *properties.RoomType) { r.Description = "Smaller." }), units{2, 2, 1, 0}},
		{"add a room type", func() error {
			return second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r4", "150")}))
		}, units{2, 1, 12, 16}},
		{"primary image", func() error { return second(repo.SetPrimaryImage(t.Context(), "p1", "a3")) }, units{2, 2, 12, 16}},
		{"alternative text", func() error {
			return second(repo.UpdateImage(t.Context(), "p1", "a4", func(i *properties.Image) error { i.AltText = "Bar"; return nil }))
		}, units{2, 2, 1, 0}},
		{"amenity", func() error { return second(repo.AddAmenities(t.Context(), "p1", []string{"spa"})) }, units{2, 1, 10, 17}},
		{"open", func() error { return open(t, db, "r1", "r2", "r3") }, units{}},
		{"delete a room type", func() error { return repo.DeleteRoomType(t.Context(), "p1", "r4") }, units{8, 8, 16, 16}},
		{"suspend", func() error { return second(repo.Suspend(t.Context(), "p1")) }, units{12, 44, 602, 300}},
		{"return", func() error { return second(repo.Approve(t.Context(), "p1")) }, units{12, 44, 602, 300}},
		{"delete", func() error { return repo.Delete(t.Context(), "p1") }, units{23, 89, 688, 302}},
	} {
		spent = units{}
		require.NoError(t, row.call(), row.name)
		if db.Has(dyntest.ExactUnits) {
			assert.Equal(t, row.want, spent, row.name)
		}
		assert.Equal(t, row.want.requests, spent.requests, row.name)
	}
}

// units is what some calls cost.
type units struct {
	requests           int
	read, table, index float64 // write units of the table and of its indexes
}

// open opens 90 nights of each room type, without counting the cost.
func open(t *testing.T, db *dyntest.DB, roomTypeIDs ...string) error {
	t.Helper()
	for _, id := range roomTypeIDs {
		_, err := availability.New(db.DB).Open(t.Context(), availability.OpenRequest{
			PropertyID: "p1", RoomTypeID: id, Nights: dynastay.MustStay("2026-06-02", "2026-08-31"), Rooms: 1,
			Price: dynastay.MustMoney("100", "USD"),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
