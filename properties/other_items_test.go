package properties_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/properties"
)

// Items of other software that sort between the images and the property are no images.
func TestItemsNextToImages(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	for _, sk := range []string{"IMAGES", "INVOICE#1"} {
		putDirectly(t, s.db, dynastay.Item{"PK": dynastay.Text("PROPERTY#" + s.id), "SK": dynastay.Text(sk)})
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

// The position after the last image is always in range.
func TestImagesAfterTheLastPosition(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	for _, order := range []int{1_000_001, math.MaxInt} {
		_, err := s.direct.AddImages(t.Context(), s.id, []properties.Image{{ID: "b", URL: "u", Order: order}})
		assertField(t, err, dynastay.ErrInvalid, "Images[0].Order")
	}
	for _, image := range []properties.Image{{ID: "b", URL: "u", Order: 1_000_000}, {ID: "a", URL: "u"}} {
		_, err := s.direct.AddImages(t.Context(), s.id, []properties.Image{image})
		require.NoError(t, err)
	}
	all, err := s.direct.GetImages(t.Context(), s.id, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []int{1_000_000, 1_000_001}, []int{all[0].Order, all[1].Order})
	_, err = s.direct.UpdateImage(t.Context(), s.id, "a", func(i *properties.Image) error { i.AltText = "x"; return nil })
	assert.NoError(t, err)
}
