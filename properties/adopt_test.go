package properties_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func describe(p *properties.Property) error {
	p.Description = "Renovated."
	return nil
}

// Adopt repairs the document's items and changes nothing else. For a property that was adopted before, it takes 1
// request.
func TestAdopt(t *testing.T) {
	t.Parallel()
	db, repo := openForeign(t)
	before := allItems(t, db)
	stop := db.Faults.Record()
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assert.Equal(t, []string{"Query", "TransactWriteItems", "Query", "TransactWriteItems"}, wire.Operations(stop()))
	after := allItems(t, db)
	assert.Equal(t, documentAdopted(), changes(before, after))

	stop = db.Faults.Record()
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	requests := stop()
	assert.Equal(t, []string{"Query"}, wire.Operations(requests))
	assert.Contains(t, string(requests[0].Body), `"ConsistentRead":true`)
	assert.Equal(t, after, allItems(t, db))
	got, err := repo.Get(t.Context(), "prop_123")
	require.NoError(t, err)
	assert.Zero(t, got.Version)

	err = repo.Adopt(t.Context(), "prop_none")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.ErrorContains(t, err, "prop_none")
	blame.Of(t, repo.Adopt(t.Context(), "a#b"), dynastay.ErrInvalid, "PropertyID")
}

// firstWrites are the methods that write a property, with what each changes besides the adoption, and its requests.
var firstWrites = []struct {
	name     string
	call     func(context.Context, *properties.Repository) error
	more     map[string]any // "-" removes what the adoption changes
	requests int
}{
	{"Update", func(ctx context.Context, r *properties.Repository) error {
		_, err := r.Update(ctx, "prop_123", describe)
		return err
	}, map[string]any{
		adoptedProperty + " Description": "Renovated.", adoptedProperty + " Version": 1.0, adoptedProperty + " UpdatedAt": now,
	}, 1 + 4 + 2},
	{"UpdateRoomType", func(ctx context.Context, r *properties.Repository) error {
		_, err := r.UpdateRoomType(ctx, "prop_123", "room_789", func(room *properties.RoomType) error { room.Total = 19; return nil })
		return err
	}, map[string]any{
		adoptedRoom + " TotalRooms": 19.0, adoptedRoom + " Version": 1.0, adoptedRoom + " UpdatedAt": now, adoptedRoom + " WriteId": "new",
		// The range follows the room types as soon as one is written.
		adoptedProperty + " PriceRange": priceRange(250), adoptedProperty + " Card": cardWith("PriceRange", priceRange(250)),
		adoptedProperty + " GSI2SK": "PRICE#000000000250.000#PROPERTY#prop_123", adoptedProperty + " GSI7SK": "PRICE#000000000250.000#PROPERTY#prop_123",
	}, 1 + 4 + 2},
	{"UpdateRoomType that changes nothing", func(ctx context.Context, r *properties.Repository) error {
		_, err := r.UpdateRoomType(ctx, "prop_123", "room_789", func(*properties.RoomType) error { return nil })
		return err
	}, nil, 1 + 4 + 1},
	{"AddAmenities", func(ctx context.Context, r *properties.Repository) error {
		_, err := r.AddAmenities(ctx, "prop_123", []string{"bar", "wifi"})
		return err
	}, map[string]any{
		adoptedProperty + " AmenityList":           []any{"wifi", "pool", "gym", "parking", "spa", "bar"},
		adoptedProperty + " Card":                  cardWith("AmenityList", []any{"wifi", "pool", "gym", "parking", "spa", "bar"}),
		"PROPERTY#prop_123/AMENITY#bar PK":         "PROPERTY#prop_123",
		"PROPERTY#prop_123/AMENITY#bar SK":         "AMENITY#bar",
		"PROPERTY#prop_123/AMENITY#bar EntityType": "PropertyAmenity",
		"PROPERTY#prop_123/AMENITY#bar PropertyId": "prop_123",
		"PROPERTY#prop_123/AMENITY#bar AmenityId":  "bar",
		"PROPERTY#prop_123/AMENITY#bar GSI9PK":     "CITY#New York#USA#AMENITY#bar",
		"PROPERTY#prop_123/AMENITY#bar GSI9SK":     "PROPERTY#prop_123",
	}, 1 + 4 + 2},
	{"UpdateImage", func(ctx context.Context, r *properties.Repository) error {
		_, err := r.UpdateImage(ctx, "prop_123", "img_001", func(i *properties.Image) error { i.AltText = "By day"; return nil })
		return err
	}, map[string]any{
		adoptedImage + " AltText": "By day", adoptedImage + " Version": 1.0, adoptedImage + " UpdatedAt": now, adoptedImage + " WriteId": "new",
		// The images of the property count as soon as one is written.
		adoptedProperty + " ImageCount": 1.0, adoptedProperty + " PrimaryImageUrl": "https://cdn.example.com/prop_123/exterior-1.jpg",
		adoptedProperty + " Card": cardWith("PrimaryImageUrl", "https://cdn.example.com/prop_123/exterior-1.jpg"),
	}, 1 + 4 + 2},
	{"Rate", func(ctx context.Context, r *properties.Repository) error {
		_, err := r.Rate(ctx, "prop_123", 0, 10)
		return err
	}, map[string]any{
		adoptedProperty + " ReviewCount": 1548.0, adoptedProperty + " RatingSum": 14233.4,
		adoptedProperty + " Card": cardWith("ReviewCount", 1548.0),
	}, 1 + 4 + 2},
	{"Suspend", func(ctx context.Context, r *properties.Repository) error {
		_, err := r.Suspend(ctx, "prop_123")
		return err
	}, hidden(map[string]any{adoptedProperty + " Status": "suspended", adoptedGuard + " Closed": "new"}), 1 + 4 + 3 + 1},
	{"Approve", func(ctx context.Context, r *properties.Repository) error { // it is approved already
		_, err := r.Approve(ctx, "prop_123")
		return err
	}, nil, 1 + 4 + 3},
}

// now is the time of the update by the fixed clock.
const now = "2026-06-01T12:00:00Z"

func priceRange(price float64) map[string]any {
	return map[string]any{"Min": price, "Max": price, "Currency": "USD"}
}

func cardWith(name string, v any) map[string]any {
	card := documentCard()
	card[name] = v
	return card
}

// hidden removes the search keys from what the adoption changes.
func hidden(more map[string]any) map[string]any {
	for _, index := range []string{"GSI1", "GSI2", "GSI4", "GSI5"} { // those that the document's item has
		more[adoptedProperty+" "+index+"PK"], more[adoptedProperty+" "+index+"SK"] = nil, nil
	}
	for _, index := range []string{"GSI7", "GSI8", "GSI10"} {
		more[adoptedProperty+" "+index+"PK"], more[adoptedProperty+" "+index+"SK"] = "-", "-"
	}
	for _, id := range []string{"wifi", "pool", "gym", "parking", "spa"} {
		more["PROPERTY#prop_123/AMENITY#"+id+" GSI9PK"], more["PROPERTY#prop_123/AMENITY#"+id+" GSI9SK"] = "-", "-"
	}
	return more
}

// Every method that writes a property adopts it first. What other software stored is preserved attribute by attribute,
// including the attributes that the library does not know.
func TestFirstWriteAdopts(t *testing.T) {
	t.Parallel()
	for _, test := range firstWrites {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForeign(t)
			for _, key := range []dynastay.Key{
				keyOf("prop_123"), {PK: "PROPERTY#prop_123", SK: "ROOM#room_789"}, {PK: "PROPERTY#prop_123", SK: "IMAGE#img_001"},
				{PK: "PROPERTY#prop_123", SK: "AMENITY#wifi"},
			} {
				setDirectly(t, db, key, "Extra", map[string]any{"of": "other software"})
			}
			before := allItems(t, db)
			stop := db.Faults.Record()
			require.NoError(t, test.call(t.Context(), repo))
			assert.Len(t, stop(), test.requests)
			want := documentAdopted()
			delete(want, "PROPERTY#prop_123/AMENITY#wifi PK") // stored already
			delete(want, "PROPERTY#prop_123/AMENITY#wifi SK")
			maps.Copy(want, test.more)
			for attribute, v := range test.more {
				if v == "-" {
					delete(want, attribute)
				}
			}
			got := changes(before, allItems(t, db))
			if _, closed := want[adoptedGuard+" Closed"]; closed {
				assert.Contains(t, got[adoptedGuard+" Closed"], keys.ClosedByStatus)
				got[adoptedGuard+" Closed"] = "new"
			}
			assert.Equal(t, want, got)

			// From now on, the property is the library's own.
			stop = db.Faults.Record()
			_, err := repo.Update(t.Context(), "prop_123", func(p *properties.Property) error { p.Description += "!"; return nil })
			require.NoError(t, err)
			assert.Equal(t, []string{"GetItem", "UpdateItem"}, wire.Operations(stop()))
		})
	}
}

// New parts are added to the adopted property.
func TestAddToAForeignProperty(t *testing.T) {
	t.Parallel()
	t.Run("AddRoomTypes", func(t *testing.T) {
		t.Parallel()
		db, repo := openForeign(t)
		before := allItems(t, db)
		added, err := repo.AddRoomTypes(t.Context(), "prop_123", []properties.RoomType{king("room_790", "700")})
		require.NoError(t, err)
		require.Len(t, added, 1)
		got := changes(before, allItems(t, db))
		assert.Equal(t, map[string]any{"Min": 250.0, "Max": 700.0, "Currency": "USD"}, got[adoptedProperty+" PriceRange"])
		whole, err := repo.GetWhole(t.Context(), "prop_123")
		require.NoError(t, err)
		assert.Equal(t, []string{"room_789", "room_790"}, roomIDs(whole.Rooms))
		assertCards(t, repo, "prop_123")
		for _, id := range []string{"room_789", "room_790"} {
			assert.Equal(t, "prop_123", got["ROOM#"+id+"/GUARD PropertyId"])
		}
		for _, kept := range []string{"ImageCount", "PrimaryImageUrl", "UpdatedAt", "Version"} {
			assert.NotContains(t, got, adoptedProperty+" "+kept)
		}
	})
	t.Run("AddImages", func(t *testing.T) {
		t.Parallel()
		db, repo := openForeign(t)
		before := allItems(t, db)
		_, err := repo.AddImages(t.Context(), "prop_123", []properties.Image{{ID: "img_002", URL: "https://cdn.example.com/2.jpg"}})
		require.NoError(t, err)
		got := changes(before, allItems(t, db))
		assert.Equal(t, 2.0, got[adoptedProperty+" ImageCount"])
		assert.NotContains(t, got, adoptedProperty+" PriceRange")
		assert.NotContains(t, got, adoptedProperty+" Version")
		assert.NotContains(t, got, adoptedImage+" Version")
		assertCards(t, repo, "prop_123")
	})
	t.Run("Delete", func(t *testing.T) {
		t.Parallel()
		db, repo := openForeign(t)
		require.NoError(t, repo.Delete(t.Context(), "prop_123"))
		left := allItems(t, db)
		require.Len(t, left, 1, "the guard of the room type")
		assert.Contains(t, left[adoptedGuard]["Closed"], keys.ClosedByStatus)
		assert.Equal(t, "prop_123", left[adoptedGuard]["PropertyId"])
	})
	t.Run("DeleteRoomType", func(t *testing.T) {
		t.Parallel()
		db, repo := openForeign(t)
		put(t, db, secondRoom(t))
		require.NoError(t, repo.DeleteRoomType(t.Context(), "prop_123", "room_789"))
		all := allItems(t, db)
		assert.NotContains(t, all, adoptedRoom)
		assert.Contains(t, all[adoptedGuard]["Closed"], keys.ClosedByWithdrawal)
		assert.Equal(t, "prop_123", all["ROOM#room_790/GUARD"]["PropertyId"])
		assertCards(t, repo, "prop_123")
	})
}

func secondRoom(t testing.TB) dynastay.Item {
	_, room, _ := foreignItems(t, "123")
	room["SK"], room["RoomTypeId"], room["Name"] = dynastay.Text("ROOM#room_790"), dynastay.Text("room_790"), dynastay.Text("Twin")
	return room
}

func roomIDs(rooms []properties.RoomType) (ids []string) {
	for _, room := range rooms {
		ids = append(ids, room.ID)
	}
	return ids
}

// assertCards asserts that the search shows the property with its room types as they are stored.
func assertCards(t raw.T, repo *properties.Repository, propertyID string) {
	t.Helper()
	whole, err := repo.GetWithRooms(context.Background(), propertyID, dynastay.Consistent)
	require.NoError(t, err)
	page, err := repo.ByCity(properties.CityQuery{City: whole.Address.City, Country: whole.Address.Country}).Page(context.Background(), dynastay.Paging{})
	require.NoError(t, err)
	for _, card := range page.Items {
		if card.PropertyID == propertyID {
			assert.Equal(t, whole.Card(), card)
			return
		}
	}
	assert.NotEqual(t, properties.Approved, whole.Status, "it is not found")
}

// ofProperty replaces the ids of the document in what a call changes by those of putForeign(n), as JSON.
func ofProperty(t testing.TB, n string, changed map[string]any) string {
	t.Helper()
	text, err := json.Marshal(changed)
	require.NoError(t, err)
	return strings.NewReplacer("prop_123", "prop_"+n, "room_789", "room_"+n, "grand-luxury-hotel-new-york", "slug-"+n).Replace(string(text))
}

// An adoption is broken off before and after each of its requests, and repeated.
func TestAdoptionIsResumable(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, direct := once(db), properties.New(db.Direct, nil)
	update := firstWrites[0]
	wanted := documentAdopted()
	maps.Copy(wanted, update.more)
	n := 0
	breakOff(t, update.requests, -1, func(nth int, fault dyntest.Fault, name string) {
		n++
		id, at := fmt.Sprint(n), fmt.Sprintf("broken off at the %s of request %d", name, nth)
		putForeign(t, db, id)
		before := allItems(t, db)
		broken := db.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 1000, Optional: true})
		_, err := repo.Update(t.Context(), "prop_"+id, describe)
		broken.Stop()
		require.Error(t, err, at)
		assertCards(t, direct, "prop_"+id)
		_, err = repo.Update(t.Context(), "prop_"+id, describe)
		require.NoError(t, err, at)
		assert.JSONEq(t, ofProperty(t, id, wanted), ofProperty(t, id, changes(before, allItems(t, db))), at)
		assertCards(t, direct, "prop_"+id)
	})
}

// A slug and a room type that belong to a different property are left to it, and the rest is adopted.
func TestAdoptLeavesWhatBelongsToADifferentProperty(t *testing.T) {
	t.Parallel()
	db, repo := openForeign(t)
	put(t, db, secondRoom(t))
	for _, pk := range []string{"SLUG#grand-luxury-hotel-new-york", "ROOM#room_789"} {
		put(t, db, dynastay.Item{
			"PK": dynastay.Text(pk), "SK": dynastay.Text("GUARD"), "PropertyId": dynastay.Text("prop_124"), "Closed": dynastay.Text("x"),
		})
	}
	before := allItems(t, db)
	stop := db.Faults.Record()
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assert.Len(t, stop(), 8)
	after := allItems(t, db)
	assert.Equal(t, before[adoptedGuard], after[adoptedGuard])
	assert.Equal(t, before[adoptedSlug], after[adoptedSlug])
	assert.Equal(t, "prop_123", after["ROOM#room_790/GUARD"]["PropertyId"])
	assert.Len(t, after, len(before)+1+5)
	assertCards(t, repo, "prop_123")

	// A guard of its own that is closed stays closed.
	setDirectly(t, db, keyOf("prop_123"), "Name", "Grand Hotel")
	setDirectly(t, db, dynastay.Key{PK: "ROOM#room_790", SK: "GUARD"}, "Closed", "y")
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assert.Equal(t, "y", allItems(t, db)["ROOM#room_790/GUARD"]["Closed"])
	assertCards(t, repo, "prop_123")
}

// Other software changes the property or a room type between a read and a write of the adoption. Both changes are kept.
func TestAdoptMeetsOtherSoftware(t *testing.T) {
	t.Parallel()
	room := dynastay.Key{PK: "PROPERTY#prop_123", SK: "ROOM#room_789"}
	for nth := 1; nth <= 2; nth++ {
		for name, change := range map[string]func(*testing.T, *dyntest.DB){
			"the name": func(t *testing.T, db *dyntest.DB) { setDirectly(t, db, keyOf("prop_123"), "Name", "Small Hotel") },
			"the city": func(t *testing.T, db *dyntest.DB) {
				setDirectly(t, db, keyOf("prop_123"), "Address", map[string]any{"City": "Boston", "Country": "USA", "Latitude": 42.3, "Longitude": -71.0})
			},
			"the slug":      func(t *testing.T, db *dyntest.DB) { setDirectly(t, db, keyOf("prop_123"), "Slug", "small") },
			"a room's name": func(t *testing.T, db *dyntest.DB) { setDirectly(t, db, room, "Name", "Queen") },
			"no room": func(t *testing.T, db *dyntest.DB) {
				remove(t, db, room)
			},
		} {
			t.Run(fmt.Sprint(name, nth), func(t *testing.T) {
				t.Parallel()
				db, repo := openForeign(t)
				db.Faults.Inject(dyntest.Before(func(context.Context) { change(t, db) }), dyntest.When{Operation: "TransactWriteItems", Nth: nth})
				require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
				assertCards(t, repo, "prop_123")
				found, err := repo.GetWithRooms(t.Context(), "prop_123")
				require.NoError(t, err)
				for _, amenity := range found.AmenityIDs {
					assert.Equal(t, "CITY#"+found.Address.City+"#USA#AMENITY#"+amenity,
						allItems(t, db)["PROPERTY#prop_123/AMENITY#"+amenity]["GSI9PK"])
				}
				bySlug, err := repo.BySlug(t.Context(), found.Slug, dynastay.Consistent)
				require.NoError(t, err)
				assert.Equal(t, found, bySlug)
			})
		}
	}
}

// Other software deletes the property while it is being adopted. No guard is left behind.
func TestAdoptAPropertyThatIsDeleted(t *testing.T) {
	t.Parallel()
	for nth := 1; nth <= 2; nth++ {
		t.Run(fmt.Sprint(nth), func(t *testing.T) {
			t.Parallel()
			db, repo := openForeign(t)
			db.Faults.Inject(dyntest.Before(func(context.Context) {
				remove(t, db, keyOf("prop_123"))
			}), dyntest.When{Operation: "TransactWriteItems", Nth: nth})
			_, err := repo.Update(t.Context(), "prop_123", describe)
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
			after := allItems(t, db)
			assert.NotContains(t, after, adoptedProperty)
			assert.NotContains(t, after, adoptedSlug)
			assert.Len(t, after, 2+nth-1, "the room type and the image; in the second step, the guard of the room type is there")
		})
	}
}

// Software that changes an adopted property removes its write id. It is then adopted again.
func TestAdoptAgain(t *testing.T) {
	t.Parallel()
	db, repo := openForeign(t)
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	setDirectly(t, db, dynastay.Key{PK: "PROPERTY#prop_123", SK: "ROOM#room_789"}, "Name", "Queen")
	put(t, db, secondRoom(t))
	setDirectly(t, db, keyOf("prop_123"), "AmenityList", []string{"wifi", "bar"})
	_, err := repo.Update(t.Context(), "prop_123", describe)
	require.NoError(t, err)
	assertCards(t, repo, "prop_123")
	card := allItems(t, db)[adoptedProperty]["Card"].(map[string]any)
	assert.Equal(t, "Queen", card["Rooms"].(map[string]any)["room_789"].(map[string]any)["N"])
	assert.Equal(t, "CITY#New York#USA#AMENITY#bar", allItems(t, db)["PROPERTY#prop_123/AMENITY#bar"]["GSI9PK"])
	assert.Equal(t, "prop_123", allItems(t, db)["ROOM#room_790/GUARD"]["PropertyId"])
}

// An operation in a larger write does not adopt the property.
func TestForeignOperations(t *testing.T) {
	t.Parallel()
	db, repo := openForeign(t)
	before, sent := allItems(t, db), writes(db)
	for name, op := range map[string]dynastay.Part{
		"Update":          repo.UpdateOp("prop_123", describe),
		"AddRoomTypes":    repo.AddRoomTypesOp("prop_123", king("room_790", "100")),
		"UpdateRoomType":  repo.UpdateRoomTypeOp("prop_123", "room_789", func(r *properties.RoomType) error { r.Total = 1; return nil }),
		"AddImages":       repo.AddImagesOp("prop_123", properties.Image{URL: "https://cdn.example.com/2.jpg"}),
		"UpdateImage":     repo.UpdateImageOp("prop_123", "img_001", func(i *properties.Image) error { i.AltText = ""; return nil }),
		"SetPrimaryImage": repo.SetPrimaryImageOp("prop_123", "img_001"),
		"ArrangeImages":   repo.ArrangeImagesOp("prop_123", "img_001"),
		"DeleteImage":     repo.DeleteImageOp("prop_123", "img_001"),
		"AddAmenities":    repo.AddAmenitiesOp("prop_123", "bar"),
		"RemoveAmenities": repo.RemoveAmenitiesOp("prop_123", "wifi"),
		"SetAmenities":    repo.SetAmenitiesOp("prop_123", "bar"),
		"Rate":            repo.RateOp("prop_123", 0, 90),
	} {
		err := db.Write(t.Context(), op)
		require.ErrorIs(t, err, properties.ErrForeign, name)
		failure := blame.As[*dynastay.Error](t, err)
		assert.Equal(t, []string{"properties." + name, "Property", "prop_123"}, []string{failure.Op, failure.Entity, failure.ID})
		assert.NoError(t, failure.Kind)
	}
	assert.ErrorIs(t, db.Write(t.Context(), repo.UpdateOp("prop_none", describe)), dynastay.ErrNotFound)
	assert.Equal(t, sent, writes(db))
	assert.Equal(t, before, allItems(t, db))

	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	op := repo.RateOp("prop_123", 0, 90)
	require.NoError(t, db.Write(t.Context(), op))
	assert.Equal(t, 1548, op.Result().ReviewCount)
}
