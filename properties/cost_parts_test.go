package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/properties"
)

// The table, and the indexes that show the card of an approved and featured property with stars.
var shownIn = []string{"", "GSI1", "GSI10", "GSI2", "GSI3", "GSI4", "GSI5", "GSI7", "GSI8"}

// amenitiesToo adds the index by amenity.
var amenitiesToo = append(shownIn[:len(shownIn):len(shownIn)], "GSI9")

// Each write of a part is one read and one write. For single items, the exact write units are compared; for
// transactions the number of actions, of which each costs twice the units of a single write, and the indexes.
func TestCostOfParts(t *testing.T) {
	t.Parallel()
	repo, measure := measured(t)
	room := func(change func(*properties.RoomType)) func() error {
		return func() error {
			return second(repo.UpdateRoomType(t.Context(), "p1", "room_a_of_p1", func(r *properties.RoomType) error { change(r); return nil }))
		}
	}
	single := func(table float64, cards float64) map[string]float64 {
		units := map[string]float64{"": table}
		for _, index := range shownIn[1:] {
			if cards > 0 {
				units[index] = cards
			}
		}
		return units
	}
	// With a third room type, the property has more than 2 KB.
	reviewed := single(3, 1)
	reviewed["GSI1"], reviewed["GSI4"], reviewed["GSI8"] = 2, 2, 2 // the rows move: their keys contain the rating
	for _, test := range []struct {
		name    string
		call    func() error
		read    float64
		actions int                // of a transaction
		touched []string           // by a transaction
		write   map[string]float64 // of a single item
	}{
		{"create", func() error {
			p := grand("p2", func(p *properties.Property) { p.AmenityIDs = numbered("a", 20) })
			return second(repo.Create(t.Context(), p, []properties.RoomType{king("r1", "1"), king("r2", "2"), king("r3", "3")}))
		}, 0, 2 + 2*3 + 20, []string{"", "GSI1", "GSI10", "GSI2", "GSI3", "GSI4", "GSI5", "GSI6", "GSI7", "GSI8", "GSI9"}, nil},
		{"add a room type", func() error {
			return second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("new", "200")}))
		},
			1, 1 + 2, shownIn, nil},
		{"price", room(func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("170", "USD") }), 2, 1 + 1, shownIn, nil},
		{"description", room(func(r *properties.RoomType) { r.Description = "Smaller." }), 2, 0, nil, single(1, 0)},
		{"no change", room(func(r *properties.RoomType) {}), 2, 0, nil, nil},
		{"first image", func() error { return second(repo.AddImages(t.Context(), "p1", pictures("a", 1))) }, 1, 1 + 1, shownIn, nil},
		{"more images", func() error { return second(repo.AddImages(t.Context(), "p1", pictures("b", 2))) }, 1, 1 + 2, []string{""}, nil},
		{"alternative text", func() error {
			return second(repo.UpdateImage(t.Context(), "p1", "b0", func(i *properties.Image) error { i.AltText = "Bar"; return nil }))
		}, 1, 0, nil, single(1, 0)},
		{"primary", func() error { return second(repo.SetPrimaryImage(t.Context(), "p1", "b1")) }, 1, 1 + 2, shownIn, nil},
		{"order", func() error { return second(repo.ArrangeImages(t.Context(), "p1", []string{"b1"})) }, 1, 3 + 1, []string{""}, nil}, // and the condition on the property
		{"delete an image", func() error { return repo.DeleteImage(t.Context(), "p1", "a0") }, 1, 1 + 1, []string{""}, nil},
		{"add amenities", func() error { return second(repo.AddAmenities(t.Context(), "p1", []string{"spa", "bar"})) }, 1, 1 + 2, amenitiesToo, nil},
		{"remove amenities", func() error { return second(repo.RemoveAmenities(t.Context(), "p1", []string{"spa", "bar"})) }, 1, 1 + 2, amenitiesToo, nil},
		{"rate", func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) }, 1, 0, nil, reviewed},
		{"the same average", func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) }, 1, 0, nil, single(3, 1)},
	} {
		got := measure(test.call)
		assert.Equal(t, test.read, got.read[""], test.name)
		switch {
		case test.actions > 0:
			assert.Equal(t, []int{test.actions}, got.actions, test.name)
			got.touches(t, test.name, test.touched...)
			assert.Equal(t, "TransactWriteItems", got.requests[len(got.requests)-1], test.name)
		case test.write != nil:
			assert.Equal(t, "UpdateItem", got.requests[len(got.requests)-1], test.name)
			assert.Equal(t, test.write, got.write, test.name)
		default:
			assert.Len(t, got.requests, 1, test.name)
		}
		reads := 1
		if test.read == 0 {
			reads = 0
		}
		writes := 1
		if test.actions == 0 && test.write == nil {
			writes = 0
		}
		assert.Len(t, got.requests, reads+writes, test.name)
	}
}

// The statuses of a hotel with two room types, of which 30 nights each are open.
func TestCostOfStatuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, measure := measuredIn(t, db)
	_, err := repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r1", "100")})
	require.NoError(t, err)
	for _, id := range []string{"room_a_of_p1", "room_b_of_p1", "r1"} {
		_, err := availability.New(db.DB).Open(t.Context(), availability.OpenRequest{
			PropertyID: "p1", RoomTypeID: id, Nights: dynastay.MustStay("2026-07-01", "2026-07-31"), Rooms: 1, Price: dynastay.MustMoney("100", "USD"),
		})
		require.NoError(t, err)
	}
	count := func(batches, queries, transactions int) map[string]int {
		return map[string]int{"BatchGetItem": batches, "Query": queries, "TransactWriteItems": transactions}
	}
	withdrawal := measure(func() error { return repo.DeleteRoomType(t.Context(), "p1", "r1") })
	// The property and room type twice and the guard; the nights before, when they are marked, and twice after.
	assert.Equal(t, map[string]int{"BatchGetItem": 3, "Query": 4, "TransactWriteItems": 3}, withdrawal.counted())
	assert.Equal(t, []int{1 + 1, 30 + 1, 3}, withdrawal.actions)

	// The property with its room types, the guards, and for each room type the nights, again until none is left.
	suspension := measure(func() error { return second(repo.Suspend(t.Context(), "p1")) })
	assert.Equal(t, count(1, 5, 3), suspension.counted())
	assert.ElementsMatch(t, []int{1 + 2 + 2, 30 + 1, 30 + 1}, suspension.actions)
	suspension.touches(t, "suspension", amenitiesToo...)

	again := measure(func() error { return second(repo.Suspend(t.Context(), "p1")) })
	assert.Equal(t, count(1, 3, 1), again.counted())
	assert.Equal(t, []int{1}, again.actions) // the condition that the property is as it was read

	approval := measure(func() error { return second(repo.Approve(t.Context(), "p1")) })
	assert.Equal(t, count(1, 5, 3), approval.counted())
	assert.ElementsMatch(t, []int{1 + 2 + 2, 30 + 1, 30 + 1}, approval.actions)

	_, err = repo.Create(t.Context(), grand("p2", pending), []properties.RoomType{king("r2", "100")})
	require.NoError(t, err)
	first := measure(func() error { return second(repo.Approve(t.Context(), "p2")) }) // never closed
	assert.Equal(t, []string{"Query", "BatchGetItem", "TransactWriteItems"}, first.requests)

	deletion := measure(func() error { return repo.Delete(t.Context(), "p1") })
	assert.Equal(t, map[string]int{"GetItem": 1, "BatchGetItem": 1, "Query": 3 + 2*4, "TransactWriteItems": 2 + 2 + 1}, deletion.counted())
}
