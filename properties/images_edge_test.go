package properties_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties"
)

// The position after the last image is always in range.
func TestImagesAfterTheLastPosition(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	for _, order := range []int{1_000_001, math.MaxInt} {
		_, err := s.direct.AddImages(t.Context(), s.id, []properties.Image{{ID: "b", URL: "u", Order: order}})
		blame.Of(t, err, dynastay.ErrInvalid, "Images[0].Order")
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

// The URL of the primary image is on the card, which has a limit.
func TestImageOfAFullCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	rooms := slights("r", 40)
	for i := range rooms {
		rooms[i].Name = "a single room with a view"
	}
	_, err := repo.Create(t.Context(), grand("p1"), rooms)
	require.NoError(t, err)
	long := picture("long", func(i *properties.Image) { i.URL = strings.Repeat("u", 2048) })
	_, err = repo.AddImages(t.Context(), "p1", []properties.Image{picture("short")})
	require.NoError(t, err)
	_, err = repo.AddImages(t.Context(), "p1", []properties.Image{long}) // not primary
	require.NoError(t, err)
	before := everything(t, db, "PROPERTY#p1")
	for _, err := range []error{second(repo.SetPrimaryImage(t.Context(), "p1", "long")), repo.DeleteImage(t.Context(), "p1", "short")} {
		blame.Of(t, err, dynastay.ErrInvalid, "Card")
	}
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1"))
	assert.Contains(t, before["PROPERTY#p1"]["IMAGE#long"], "WriteId")
}
