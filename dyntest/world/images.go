package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// A property has between fewestImages and mostImages images.
const (
	fewestImages = 3
	mostImages   = 12
)

// imageKind is something that an image shows.
type imageKind struct {
	category, text string
	amenity        string // of the houses that have it; "" for all
}

// imageKinds are in the order in which a house shows them. With fewestImages, it still shows its pool.
var imageKinds = []imageKind{
	{"exterior", "The front of %s", ""}, {"room", "A room at %s", ""}, {"pool", "The pool of %s", "pool"},
	{"lobby", "The entrance of %s", ""}, {"restaurant", "The restaurant of %s", "restaurant"}, {"bar", "The bar of %s", "bar"},
	{"bathroom", "A bathroom at %s", ""}, {"spa", "The spa of %s", "spa"}, {"gym", "The gym of %s", "gym"},
	{"view", "The view from %s", ""},
}

// images plans the images of the i-th hotel, in their order. One of them is primary, usually the exterior.
func (w *World) images(i int, h *house) []properties.Image {
	d, p := w.dice(forImages, i), &h.property
	kinds := slices.DeleteFunc(slices.Clone(imageKinds), func(k imageKind) bool {
		return k.amenity != "" && !slices.Contains(p.AmenityIDs, k.amenity)
	})
	all := make([]properties.Image, d.between(fewestImages, mostImages))
	for n := range all {
		kind := imageKinds[1] // further images show rooms
		if n < len(kinds) {
			kind = kinds[n]
		}
		all[n] = properties.Image{
			ID: imageID(i, n+1), URL: fmt.Sprintf("https://images.example/%s/%d.jpg", p.ID, n+1),
			AltText: fmt.Sprintf(kind.text, p.Name), Category: kind.category,
		}
	}
	primary := 0
	if d.percent(25) {
		primary = d.below(len(all))
	}
	all[primary].Primary = true
	return all
}

// addImages lets the repository make the items of images, and changes the property as the repository's update does.
func (c *cell) addImages(ctx context.Context, repo *properties.Repository, m *made, images []properties.Image) (err error) {
	p := &m.property.Property
	if m.images, err = repo.AddImages(ctx, p.ID, images); err != nil {
		return err
	}
	key, err := keys.Of(keys.Property{PropertyID: p.ID})
	if err != nil {
		return err
	}
	if !slices.Equal(c.capture.changed, []dynastay.Key{key}) {
		return fmt.Errorf("world: the images of %s must change only the property, got %v", p.ID, c.capture.changed)
	}
	p.ImageCount = len(m.images)
	for _, image := range m.images {
		if image.Primary {
			p.PrimaryImageURL = image.URL
		}
	}
	url, item := dynastay.Text(p.PrimaryImageURL), c.capture.find(keys.PropertiesTable, key)
	item["ImageCount"], item["PrimaryImageUrl"] = dynastay.Number(p.ImageCount), url
	item[keys.AttrCard].(*types.AttributeValueMemberM).Value["PrimaryImageUrl"] = url
	return nil
}
