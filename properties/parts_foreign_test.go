package properties_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// A room type that other software added to an adopted property is not on the card until it is updated. Its id is used
// although it has no guard.
func TestRoomTypeOfOtherSoftware(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	item := testdata(t, "room.json") // 250 USD
	item["PK"], item["PropertyId"] = dynastay.Text("PROPERTY#p1"), dynastay.Text("p1")
	put(t, db, item)
	before := everything(t, db, "PROPERTY#p1", "ROOM#room_789")
	err := second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("room_789", "1")}))
	assertField(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "ROOM#room_789"))

	_, err = repo.UpdateRoomType(t.Context(), "p1", "room_789", func(*properties.RoomType) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "ROOM#room_789"), "nothing changed")
	got, err := repo.UpdateRoomType(t.Context(), "p1", "room_789", func(r *properties.RoomType) error {
		r.BasePrice = dynastay.MustMoney("999", "USD")
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 1, got.Version)
	checkKeys(t, db, "p1")
	checkPrices(t, "p1", partition(t, db, "PROPERTY#p1"))
}

// The host reopens the sales while a room type is being deleted: the deletion fails, and the room type stays.
func TestDeleteRoomTypeThatIsReopened(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := availability.New(db.Direct).ReopenSales(ctx, "p1")
		assert.NoError(t, err)
	}), dyntest.When{Nth: 1, Match: func(r dyntest.Request) bool {
		return r.Operation == "TransactWriteItems" && strings.Contains(string(r.Body), `"Delete":`)
	}})
	err := repo.DeleteRoomType(t.Context(), "p1", "room_a_of_p1")
	require.ErrorIs(t, err, availability.ErrReopened)
	checkDerived(t, db, "p1")
	assert.Len(t, get(t, repo, "p1").AmenityIDs, 3)
	guard := dynastay.RowOf(partition(t, db, "ROOM#room_a_of_p1")["GUARD"])
	assert.Empty(t, guard.Text(keys.AttrClosed))
	_, err = repo.GetRoomType(t.Context(), "p1", "room_a_of_p1")
	require.NoError(t, err)
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p1", "room_a_of_p1"))
	checkDerived(t, db, "p1")
}

// Of two primary images of other software, the first stays primary.
func TestTwoPrimaryImages(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	_, err := repo.AddImages(t.Context(), "p1", pictures("a", 4))
	require.NoError(t, err)
	for sk, is := range map[string]bool{"IMAGE#a0": false, "IMAGE#a1": true, "IMAGE#a3": true} {
		values := dynastay.Item{":p": &types.AttributeValueMemberBOOL{Value: is}}
		set(t, db, dynastay.Key{PK: "PROPERTY#p1", SK: sk}, "SET IsPrimary = :p REMOVE WriteId", values)
	}
	_, err = repo.ArrangeImages(t.Context(), "p1", []string{"a0"})
	require.NoError(t, err)
	assert.Equal(t, "a01 a12* a23 a34", gallery(t, repo, "p1"))
	checkDerived(t, db, "p1")
}

// Other software adds an image with the same id between the read and the write.
func TestImageOfOtherSoftwareInBetween(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	item := testdata(t, "image.json")
	item["PK"] = dynastay.Text("PROPERTY#p1")
	db.Faults.Inject(dyntest.Before(func(context.Context) { put(t, db, item) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	err := second(repo.AddImages(t.Context(), "p1", []properties.Image{picture("img_001")}))
	assertField(t, err, dynastay.ErrAlreadyExists, "ImageID")
	assert.Equal(t, item, partition(t, db, "PROPERTY#p1")["IMAGE#img_001"])
}

// The URL of the primary image is on the card, which has a limit.
func TestImageOfAFullCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	_, err := repo.Create(t.Context(), grand("p1"), slights("r", 25))
	require.NoError(t, err)
	long := picture("long", func(i *properties.Image) { i.URL = strings.Repeat("u", 2048) })
	_, err = repo.AddImages(t.Context(), "p1", []properties.Image{picture("short")})
	require.NoError(t, err)
	_, err = repo.AddImages(t.Context(), "p1", []properties.Image{long}) // not primary
	require.NoError(t, err)
	before := everything(t, db, "PROPERTY#p1")
	for _, err := range []error{second(repo.SetPrimaryImage(t.Context(), "p1", "long")), repo.DeleteImage(t.Context(), "p1", "short")} {
		assertField(t, err, dynastay.ErrInvalid, "Card")
	}
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1"))
	assert.Contains(t, before["PROPERTY#p1"]["IMAGE#long"], "WriteId")
}

// GetImages does not read the rest of the property.
func TestGetImagesReadsImagesOnly(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	stop := db.Faults.Record()
	_, err := repo.GetImages(t.Context(), "p1")
	require.NoError(t, err)
	sent := stop()
	require.Len(t, sent, 1)
	var body struct {
		KeyConditionExpression    string
		ExpressionAttributeValues map[string]struct{ S string }
	}
	require.NoError(t, json.Unmarshal(sent[0].Body, &body))
	assert.Contains(t, body.KeyConditionExpression, "begins_with")
	assert.Equal(t, "IMAGE#", body.ExpressionAttributeValues[":1"].S)
}
