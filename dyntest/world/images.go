package world

import (
	"fmt"
	"slices"

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
