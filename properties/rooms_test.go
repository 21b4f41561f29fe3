package properties_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// slight returns a room type that takes little room on the card.
func slight(id, price string) properties.RoomType {
	return properties.RoomType{
		ID: id, Name: "R", Limits: availability.Limits{MaxOccupancy: 1, MaxAdults: 1}, Total: 1, BasePrice: dynastay.MustMoney(price, "USD"),
	}
}

func slights(prefix string, n int) (rooms []properties.RoomType) {
	for i := range n {
		rooms = append(rooms, slight(fmt.Sprint(prefix, i), "100"))
	}
	return rooms
}

// get reads a property consistently.
func get(t testing.TB, repo *properties.Repository, id string) *properties.Property {
	t.Helper()
	p, err := repo.Get(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	return p
}

// assertSameVersion asserts that a write of a part was not counted as an update of the property.
func assertSameVersion(t testing.TB, before, after *properties.Property) {
	t.Helper()
	assert.Equal(t, before.Version, after.Version)
	assert.Equal(t, before.UpdatedAt, after.UpdatedAt)
}

func TestAddRoomTypes(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	before := create(t, repo, grand("p1")).Property
	db.Clock.Advance(time.Hour)

	op := repo.AddRoomTypesOp("p1", king("", "300"), king("room_c", "120.50"))
	db.Clock.Advance(time.Hour)
	require.NoError(t, db.Write(t.Context(), op))
	added := op.Result()
	require.Len(t, added, 2)
	assert.Regexp(t, `^room_[0-9A-Z]{26}$`, added[0].ID)
	want := king("room_c", "120.50")
	want.PropertyID, want.CreatedAt, want.UpdatedAt, want.Version = "p1", db.Clock.Now(), db.Clock.Now(), 1
	assert.Equal(t, want, added[1])
	for i := range added {
		there, err := repo.GetRoomType(t.Context(), "p1", added[i].ID)
		require.NoError(t, err)
		assert.Equal(t, &added[i], there)
		assert.Contains(t, partition(t, db, "PROPERTY#p1")["ROOM#"+added[i].ID], "WriteId")
	}
	checkDerived(t, db, "p1")
	after := get(t, repo, "p1")
	assertSameVersion(t, &before, after)
	assert.Equal(t, properties.PriceRange{Min: dynastay.MustMoney("120.5", "USD"), Max: dynastay.MustMoney("300", "USD")}, after.Prices)
}

// The caller's list is not changed and not read again, and the result belongs to the caller.
func TestAddRoomTypesCopies(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	rooms := []properties.RoomType{king("", "300")}
	op := repo.AddRoomTypesOp("p1", rooms...)
	assert.Empty(t, rooms[0].ID)
	rooms[0].Name, rooms[0].Beds[0].Count, rooms[0].Amenities[0], rooms[0].Images[0] = "?", 9, "?", "?"
	key := dynastay.IdempotencyKey("k")
	require.NoError(t, db.Write(t.Context(), op, key))
	require.NoError(t, db.Write(t.Context(), repo.AddRoomTypesOp("p1", king("", "300")), key), "what was passed is compared")
	want := king("", "300")
	got, err := repo.GetRoomType(t.Context(), "p1", op.Result()[0].ID)
	require.NoError(t, err)
	assert.Equal(t, want.Name, got.Name)
	assert.Equal(t, want.Beds, got.Beds)
	assert.Equal(t, want.Amenities, got.Amenities)
	assert.Equal(t, want.Images, got.Images)
}

func TestAddRoomTypesRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	euro, bad := king("r3", "100"), king("r4", "100")
	euro.BasePrice, bad.Total = dynastay.MustMoney("100", "EUR"), 0
	stop := db.Faults.Record()
	for field, rooms := range map[string][]properties.RoomType{
		"Rooms": nil, "Rooms[1].Total": {king("r1", "1"), bad}, "Rooms[1].ID": {king("r1", "1"), king("r1", "1")},
		"Rooms[0].ID": {king("a#b", "1")},
	} {
		_, err := repo.AddRoomTypes(t.Context(), "p1", rooms)
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	_, err := repo.AddRoomTypes(t.Context(), "p1", slights("r", 50))
	assert.EqualError(t, err, "properties.AddRoomTypes: invalid Rooms: must have at most 49 entries")
	_, err = repo.AddRoomTypes(t.Context(), "a#b", slights("r", 1))
	blame.Of(t, err, dynastay.ErrInvalid, "PropertyID")
	assert.Empty(t, stop(), "no request at all")

	before, sent := everything(t, db, "PROPERTY#p1"), writes(db)
	_, err = repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r1", "1"), king("r2", "1"), euro})
	blame.Of(t, err, dynastay.ErrInvalid, "Rooms[2].BasePrice.Currency")
	assert.ErrorContains(t, err, "must be USD, the currency of the other room types")
	_, err = repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{euro})
	blame.Of(t, err, dynastay.ErrInvalid, "Rooms[0].BasePrice.Currency")
	long := slights("r", 20)
	for i := range long {
		long[i].Name = strings.Repeat("R", 200)
	}
	_, err = repo.AddRoomTypes(t.Context(), "p1", long)
	blame.Of(t, err, dynastay.ErrInvalid, "Card")
	_, err = repo.AddRoomTypes(t.Context(), "none", slights("r", 1))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, sent, writes(db))
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1"))
}

// The largest addition fits in one transaction together with an idempotency record, and a property has at most 90 room
// types and amenities.
func TestMostRoomTypes(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	bare := func(id string, amenities int) {
		_, err := repo.Create(t.Context(), grand(id, func(p *properties.Property) {
			p.AmenityIDs, p.PrimaryImageURL, p.CancellationPolicy = nil, "", ""
			for i := range amenities {
				p.AmenityIDs = append(p.AmenityIDs, fmt.Sprint("a", i))
			}
		}), slights("first_of_"+id, 1))
		require.NoError(t, err)
	}
	bare("p1", 40)
	named := slights("p1_", 49)
	for i := range named {
		named[i].Name = strings.Repeat("R", 60)
	}
	_, err := repo.AddRoomTypes(t.Context(), "p1", named, dynastay.IdempotencyKey("k"))
	blame.Of(t, err, dynastay.ErrInvalid, "Card") // the card is full before
	bare("p2", 65)
	added, err := repo.AddRoomTypes(t.Context(), "p2", slights("p2_", 24), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Len(t, added, 24)
	checkDerived(t, db, "p2")
	_, err = repo.AddRoomTypes(t.Context(), "p2", slights("p2_more", 1))
	blame.Of(t, err, dynastay.ErrInvalid, "Rooms")
	assert.ErrorContains(t, err, "must have at most 90 entries, counting all amenities and room types of the property")
	_, err = repo.AddAmenities(t.Context(), "p2", []string{"one_more"})
	blame.Of(t, err, dynastay.ErrInvalid, "AmenityIDs")
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p2", "p2_3"))
	_, err = repo.AddAmenities(t.Context(), "p2", []string{"one_more"})
	require.NoError(t, err)
	checkDerived(t, db, "p2")
}

// An id is used once and for all, also if its room type was deleted.
func TestRoomTypeIDsAreNotReused(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p1", "room_b_of_p1"))
	for _, used := range []string{"room_a_of_p1", "room_a_of_p2", "room_b_of_p1"} {
		before := everything(t, db, "PROPERTY#p1", "ROOM#fresh", "ROOM#"+used)
		_, err := repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("fresh", "1"), king(used, "1")})
		blame.Of(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
		assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "ROOM#fresh", "ROOM#"+used))
		_, err = repo.Create(t.Context(), grand("p3"), []properties.RoomType{king(used, "1")})
		blame.Of(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
	}
}

func TestAddRoomTypesWithIdempotencyKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	create(t, repo, grand("p2"))
	key := dynastay.IdempotencyKey("k")
	rooms := []properties.RoomType{king("", "3"), king("named", "2"), king("", "1")}
	first, err := repo.AddRoomTypes(t.Context(), "p1", rooms, key)
	require.NoError(t, err)
	rooms[0].Version, rooms[0].CreatedAt, rooms[0].PropertyID = 7, time.Now(), "p9" // none of the caller's business
	again, err := repo.AddRoomTypes(t.Context(), "p1", rooms, key)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	for name, call := range map[string]func() error{
		"property": func() error { return second(repo.AddRoomTypes(t.Context(), "p2", rooms, key)) },
		"fewer":    func() error { return second(repo.AddRoomTypes(t.Context(), "p1", rooms[:2], key)) },
		"price": func() error {
			return second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("", "3.01"), rooms[1], rooms[2]}, key))
		},
	} {
		assert.ErrorIs(t, call(), dynastay.ErrIdempotencyMismatch, name)
	}
	checkDerived(t, db, "p1")
}

func TestUpdateRoomType(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	made := create(t, repo, grand("p1"))
	property := made.Property
	want := made.Rooms[0]
	for i, change := range []func(*properties.RoomType){
		func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("90", "USD") },    // now the lowest
		func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("900", "USD") },   // now the highest
		func(r *properties.RoomType) { r.Name, r.MaxChildren = "Suite", 2 },               // on the card
		func(r *properties.RoomType) { r.MaxOccupancy, r.MaxAdults = 4, 3 },               // on the card
		func(r *properties.RoomType) { r.CancellationPolicy = "" },                        // on the card
		func(r *properties.RoomType) { r.Total, r.SizeSqm, r.Beds = 7, 0, nil },           // not on the card
		func(r *properties.RoomType) { r.Amenities, r.Images = []string{"sauna"}, nil },   // not on the card
		func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("150.0", "USD") }, // equal to the other one
	} {
		db.Clock.Advance(time.Minute)
		got, err := repo.UpdateRoomType(t.Context(), "p1", want.ID, func(r *properties.RoomType) error {
			change(r)
			return nil
		}, dynastay.IfVersion(want.Version))
		require.NoError(t, err)
		change(&want)
		want.Version, want.UpdatedAt = i+2, db.Clock.Now()
		if want.Beds == nil {
			want.Beds = got.Beds
			assert.Empty(t, got.Beds)
		}
		if want.Images == nil {
			want.Images = got.Images
			assert.Empty(t, got.Images)
		}
		assert.Equal(t, &want, got)
		there, err := repo.GetRoomType(t.Context(), "p1", want.ID)
		require.NoError(t, err)
		assert.Equal(t, got, there)
		checkDerived(t, db, "p1")
		assertSameVersion(t, &property, get(t, repo, "p1"))
	}
}

// What no list shows is written without the property.
func TestUpdateRoomTypeLeavesThePropertyAlone(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	room := create(t, repo, grand("p1")).Rooms[0]
	before := stored(t, db, "p1")
	describe := func(r *properties.RoomType) error { r.Description = "Smaller."; return nil }
	stop := db.Faults.Record()
	_, err := repo.UpdateRoomType(t.Context(), "p1", room.ID, describe)
	require.NoError(t, err)
	sent := wire.Operations(stop())
	assert.Equal(t, []string{"BatchGetItem", "UpdateItem"}, sent)
	assert.Equal(t, before, stored(t, db, "p1"))
	checkDerived(t, db, "p1")

	stop = db.Faults.Record()
	_, err = repo.UpdateRoomType(t.Context(), "p1", room.ID, describe)
	require.NoError(t, err)
	assert.Len(t, stop(), 1, "nothing changed")
}

func TestUpdateRoomTypeRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	room := create(t, repo, grand("p1")).Rooms[0]
	before, sent := everything(t, db, "PROPERTY#p1"), writes(db)
	for field, spoil := range map[string]func(*properties.RoomType){
		"PropertyID":         func(r *properties.RoomType) { r.PropertyID = "p2" },
		"":                   func(r *properties.RoomType) { r.ID = "other" },
		"CreatedAt":          func(r *properties.RoomType) { r.CreatedAt = time.Now() },
		"UpdatedAt":          func(r *properties.RoomType) { r.UpdatedAt = time.Time{} },
		"Version":            func(r *properties.RoomType) { r.Version++ },
		"Total":              func(r *properties.RoomType) { r.Total = 0 },
		"BasePrice.Currency": func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("1", "EUR") },
	} {
		_, err := repo.UpdateRoomType(t.Context(), "p1", room.ID, func(r *properties.RoomType) error { spoil(r); return nil })
		if field == "PropertyID" {
			field = "" // part of the key
		}
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	rename := func(r *properties.RoomType) error { r.Name = "Suite"; return nil }
	_, err := repo.UpdateRoomType(t.Context(), "p1", room.ID, rename, dynastay.IfVersion(2))
	assert.ErrorIs(t, err, dynastay.ErrVersion)
	for _, none := range [][2]string{{"p1", "none"}, {"none", room.ID}} {
		_, err = repo.UpdateRoomType(t.Context(), none[0], none[1], rename)
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
		_, err = repo.GetRoomType(t.Context(), none[0], none[1])
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
	}
	stop := db.Faults.Record()
	_, err = repo.UpdateRoomType(t.Context(), "p1", "a#b", rename)
	blame.Of(t, err, dynastay.ErrInvalid, "RoomTypeID")
	_, err = repo.UpdateRoomType(t.Context(), "p1", room.ID, rename, dynastay.OrMissing())
	blame.Of(t, err, dynastay.ErrInvalid, "OrMissing")
	_, err = repo.GetRoomType(t.Context(), "p1", "a#b")
	blame.Of(t, err, dynastay.ErrInvalid, "RoomTypeID")
	assert.Empty(t, stop())
	assert.Equal(t, sent, writes(db))
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1"))
}

// A longer name must fit on the card.
func TestUpdateRoomTypeOfAFullCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	rooms := slights("r", 16)
	for i := range rooms {
		rooms[i].Name = strings.Repeat("R", 176)
	}
	_, err := repo.Create(t.Context(), grand("p1"), rooms)
	require.NoError(t, err)
	_, err = repo.UpdateRoomType(t.Context(), "p1", "r3", func(r *properties.RoomType) error { r.Name = strings.Repeat("R", 256); return nil })
	require.NoError(t, err)
	_, err = repo.UpdateRoomType(t.Context(), "p1", "r4", func(r *properties.RoomType) error {
		r.Name, r.CancellationPolicy = strings.Repeat("R", 256), availability.CustomPolicy(strings.Repeat("c", 200))
		return nil
	})
	require.NoError(t, err)
	_, err = repo.UpdateRoomType(t.Context(), "p1", "r5", func(r *properties.RoomType) error {
		r.Name, r.CancellationPolicy = strings.Repeat("R", 256), availability.CustomPolicy(strings.Repeat("c", 200))
		return nil
	})
	blame.Of(t, err, dynastay.ErrInvalid, "Card")
	checkDerived(t, db, "p1")
}

// Two updates of room types at the same time: the price range has both.
func TestUpdatesOfTwoRoomTypesAtOnce(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	rooms := create(t, repo, grand("p1")).Rooms
	price := func(id, price string, before func()) func(*properties.RoomType) error {
		return func(r *properties.RoomType) error {
			before()
			r.BasePrice = dynastay.MustMoney(price, "USD")
			return nil
		}
	}
	runs := 0
	_, err := repo.UpdateRoomType(t.Context(), "p1", rooms[0].ID, price(rooms[0].ID, "900", func() {
		if runs++; runs == 1 {
			_, err := repo.UpdateRoomType(t.Context(), "p1", rooms[1].ID, price(rooms[1].ID, "90", func() {}))
			require.NoError(t, err)
		}
	}))
	require.NoError(t, err)
	assert.Equal(t, 2, runs)
	checkDerived(t, db, "p1")
	assert.Equal(t, properties.PriceRange{Min: dynastay.MustMoney("90", "USD"), Max: dynastay.MustMoney("900", "USD")}, get(t, repo, "p1").Prices)
}

func TestDeleteRoomType(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	made := create(t, repo, grand("p1"))
	db.Clock.Advance(time.Hour)
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p1", made.Rooms[0].ID))
	checkDerived(t, db, "p1")
	after := get(t, repo, "p1")
	assertSameVersion(t, &made.Property, after)
	assert.Equal(t, properties.PriceRange{Min: made.Rooms[1].BasePrice, Max: made.Rooms[1].BasePrice}, after.Prices)
	assert.ErrorIs(t, second(repo.GetRoomType(t.Context(), "p1", made.Rooms[0].ID)), dynastay.ErrNotFound)
	assert.ErrorIs(t, repo.DeleteRoomType(t.Context(), "p1", made.Rooms[0].ID), dynastay.ErrNotFound)
	assert.ErrorIs(t, repo.DeleteRoomType(t.Context(), "none", made.Rooms[0].ID), dynastay.ErrNotFound)
	create(t, repo, grand("p3"))
	others := everything(t, db, "ROOM#room_a_of_p3", "PROPERTY#p3")
	assert.ErrorIs(t, repo.DeleteRoomType(t.Context(), "p1", "room_a_of_p3"), dynastay.ErrNotFound)
	assert.Equal(t, others, everything(t, db, "ROOM#room_a_of_p3", "PROPERTY#p3"))

	// Its guard stays, and keeps it off sale.
	guard := dynastay.RowOf(partition(t, db, "ROOM#"+made.Rooms[0].ID)["GUARD"])
	assert.Equal(t, "p1", guard.Text("PropertyId"))
	assert.True(t, strings.HasPrefix(guard.Text(keys.AttrClosed), keys.ClosedByWithdrawal), guard.Text(keys.AttrClosed))

	before, sent := everything(t, db, "PROPERTY#p1", "ROOM#"+made.Rooms[1].ID), writes(db)
	err := repo.DeleteRoomType(t.Context(), "p1", made.Rooms[1].ID)
	blame.Of(t, err, dynastay.ErrInvalid, "RoomTypeID")
	assert.ErrorContains(t, err, "must not be the only room type of an approved property")
	assert.Equal(t, sent, writes(db), "it was not taken off sale")
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "ROOM#"+made.Rooms[1].ID))

	create(t, repo, grand("p2", pending))
	for _, room := range []string{"room_a_of_p2", "room_b_of_p2"} {
		require.NoError(t, repo.DeleteRoomType(t.Context(), "p2", room))
		checkDerived(t, db, "p2")
	}
	blame.Of(t, second(repo.Approve(t.Context(), "p2")), dynastay.ErrInvalid, "Status")
	_, err = repo.AddRoomTypes(t.Context(), "p2", slights("r", 1))
	require.NoError(t, err)
	_, err = repo.Approve(t.Context(), "p2")
	require.NoError(t, err)
	checkDerived(t, db, "p2")

	stop := db.Faults.Record()
	blame.Of(t, repo.DeleteRoomType(t.Context(), "p1", "a#b"), dynastay.ErrInvalid, "RoomTypeID")
	assert.Empty(t, stop())
}

// A room type with nights sold ahead is not deleted, and sells on. Once the booking is cancelled, it is.
func TestDeleteRoomTypeSoldAhead(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.DB, 2)
	repo, sales := properties.New(db.DB, nil), bookings.New(db.DB, nil)
	_, err := repo.AddRoomTypes(t.Context(), hotel.ID, slights("other", 1))
	require.NoError(t, err)
	booked, err := sales.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)

	before := everything(t, db, "PROPERTY#"+hotel.ID, "ROOM#"+hotel.RoomTypeID)
	err = repo.DeleteRoomType(t.Context(), hotel.ID, hotel.RoomTypeID)
	sold := blame.As[*availability.SoldAheadError](t, err)
	require.Len(t, sold.Nights, 3)
	assert.Equal(t, availability.SoldNight{RoomTypeID: hotel.RoomTypeID, Date: fixture.Stay.CheckIn, Rooms: 1}, sold.Nights[0])
	assert.Equal(t, before, everything(t, db, "PROPERTY#"+hotel.ID, "ROOM#"+hotel.RoomTypeID))
	another, err := sales.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err, "it sells on")

	quoted := hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-20", "2026-07-22"), 1)
	for _, b := range []*bookings.Booking{booked, another} {
		_, err = sales.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err)
	}
	require.NoError(t, repo.DeleteRoomType(t.Context(), hotel.ID, hotel.RoomTypeID))
	checkDerived(t, db, hotel.ID)
	_, err = sales.Create(t.Context(), fixture.Request(quoted))
	assert.Error(t, err, "a quote from before does not sell it")
}
