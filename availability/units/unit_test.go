package units_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

func TestUnits(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t)
	given := units.Unit{
		PropertyID: hotel.ID, ID: "301", RoomTypeID: hotel.RoomTypeID, Name: "The tower", Floor: "3", Features: []string{"sea view", "bath"},
	}
	spent := db.Measure(func() {
		made, err := repo.Create(t.Context(), given, dynastay.IdempotencyKey("301"))
		require.NoError(t, err)
		want := given
		want.Housekeeping, want.CreatedAt, want.UpdatedAt, want.Version = units.Clean, fixture.Now, fixture.Now, 1
		assert.Equal(t, &want, made)
	})
	assert.Equal(t, 1, spent.Requests)
	again, err := repo.Create(t.Context(), given, dynastay.IdempotencyKey("301"))
	require.NoError(t, err)
	got, err := repo.Get(t.Context(), hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, again, got)
	_, err = repo.Create(t.Context(), given)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	assert.Equal(t, "301", blame.As[*dynastay.Error](t, err).ID)
	_, err = repo.Get(t.Context(), hotel.ID, "302")
	require.ErrorIs(t, err, dynastay.ErrNotFound)

	given.ID, given.RoomTypeID = "302", "room_none"
	_, err = repo.Create(t.Context(), given)
	assert.Equal(t, "RoomTypeID", blame.As[*dynastay.InvalidError](t, err).Field)

	changed, err := repo.Update(t.Context(), hotel.ID, "301", func(u *units.Unit) error {
		u.Floor, u.Features = "4", nil
		return nil
	}, dynastay.IfVersion(1))
	require.NoError(t, err)
	assert.Equal(t, 2, changed.Version)
	got, err = repo.Get(t.Context(), hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, changed, got)
	_, err = repo.Update(t.Context(), hotel.ID, "301", func(u *units.Unit) error {
		u.Housekeeping = units.Dirty
		return nil
	})
	assert.Equal(t, "Housekeeping", blame.As[*dynastay.InvalidError](t, err).Field)
}

func TestInvalidUnits(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t)
	long := strings.Repeat("x", entity.MaxName+1)
	var many []string
	for n := range 21 {
		many = append(many, fmt.Sprint(n))
	}
	for _, test := range []struct {
		field string
		set   func(u *units.Unit)
	}{
		{"PropertyID", func(u *units.Unit) { u.PropertyID = "" }},
		{"ID", func(u *units.Unit) { u.ID = "" }},
		{"ID", func(u *units.Unit) { u.ID = "3#1" }},
		{"RoomTypeID", func(u *units.Unit) { u.RoomTypeID = "" }},
		{"Name", func(u *units.Unit) { u.Name = long }},
		{"Floor", func(u *units.Unit) { u.Floor = long }},
		{"Features", func(u *units.Unit) { u.Features = many }},
		{"Features[1]", func(u *units.Unit) { u.Features = []string{"a", long} }},
		{"Features[0]", func(u *units.Unit) { u.Features = []string{""} }},
		{"Features[1]", func(u *units.Unit) { u.Features = []string{"a", "a"} }},
		{"Housekeeping", func(u *units.Unit) { u.Housekeeping = "tidy" }},
	} {
		u := units.Unit{PropertyID: hotel.ID, ID: "301", RoomTypeID: hotel.RoomTypeID}
		test.set(&u)
		spent := db.Measure(func() {
			_, err := repo.Create(t.Context(), u)
			assert.Equal(t, test.field, blame.As[*dynastay.InvalidError](t, err).Field, "%+v: %v", u, err)
		})
		assert.Zero(t, spent.Requests)
	}
	u := units.Unit{PropertyID: hotel.ID, ID: "301", RoomTypeID: hotel.RoomTypeID, Name: long[1:], Features: many[1:]}
	assert.NoError(t, u.Validate())
}

// A hotel of 120 units takes three transactions; what it has already is left as it is.
func TestCreateAllUnits(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t)
	_, err := repo.Create(t.Context(), units.Unit{PropertyID: hotel.ID, ID: "u007", RoomTypeID: hotel.RoomTypeID, Floor: "7"})
	require.NoError(t, err)
	var given []units.Unit
	for n := range 120 {
		given = append(given, units.Unit{PropertyID: hotel.ID, ID: fmt.Sprintf("u%03d", n), RoomTypeID: hotel.RoomTypeID})
	}
	for _, test := range []struct {
		field string
		spoil func(u *units.Unit)
	}{
		{"Units[3].PropertyID", func(u *units.Unit) { u.PropertyID = "prop_other" }},
		{"Units[3].ID", func(u *units.Unit) { u.ID = "u002" }},
		{"Units[3].Features[0]", func(u *units.Unit) { u.Features = []string{""} }},
	} {
		spoiled := append([]units.Unit{}, given...)
		test.spoil(&spoiled[3])
		spent := db.Measure(func() {
			_, err := repo.CreateAll(t.Context(), spoiled)
			assert.Equal(t, test.field, blame.As[*dynastay.InvalidError](t, err).Field, "%v", err)
		})
		assert.Zero(t, spent.Requests)
	}
	spent := db.Measure(func() {
		created, err := repo.CreateAll(t.Context(), given)
		require.NoError(t, err)
		assert.Len(t, created, 119)
	})
	assert.Equal(t, 1+3, spent.Requests)
	assert.Len(t, all(t, repo.List(hotel.ID)), 120)
	kept, err := repo.Get(t.Context(), hotel.ID, "u007")
	require.NoError(t, err)
	assert.Equal(t, "7", kept.Floor)
	spent = db.Measure(func() {
		created, err := repo.CreateAll(t.Context(), given)
		require.NoError(t, err)
		assert.Empty(t, created)
	})
	assert.Equal(t, 1, spent.Requests)
	none, err := repo.CreateAll(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}
