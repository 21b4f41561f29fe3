package properties_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/properties"
)

// Items of other software that sort between the images and the property are no images.
func TestItemsNextToImages(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	for _, sk := range []string{"IMAGES", "INVOICE#1"} {
		put(t, s.db, dynastay.Item{"PK": dynastay.Text("PROPERTY#" + s.id), "SK": dynastay.Text(sk)})
	}
	_, err := s.direct.AddImages(t.Context(), s.id, []properties.Image{{ID: "img", URL: "https://cdn.example.com/1.jpg"}})
	require.NoError(t, err)
	whole, err := s.direct.GetWhole(t.Context(), s.id, dynastay.Consistent)
	require.NoError(t, err)
	require.Len(t, whole.Images, 1)
	assert.Equal(t, "img", whole.Images[0].ID)
	assert.Equal(t, 1, whole.ImageCount)
	assert.Equal(t, "https://cdn.example.com/1.jpg", whole.PrimaryImageURL)
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
	item := raw.Document(t, "testdata/image.json")
	item["PK"] = dynastay.Text("PROPERTY#p1")
	db.Faults.Inject(dyntest.Before(func(context.Context) { put(t, db, item) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	err := second(repo.AddImages(t.Context(), "p1", []properties.Image{picture("img_001")}))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "ImageID")
	assert.Equal(t, item, partition(t, db, "PROPERTY#p1")["IMAGE#img_001"])
}
