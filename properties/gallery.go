package properties

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// gallery holds all images of a property while they are being changed. They are read together, because exactly one of
// them is primary, and they have an order.
type gallery struct {
	repo     *Repository
	property *entity.Change[Property]
	pictures []*picture // in order
}

type picture struct {
	row    dynastay.Row // zero for a new image
	image  *Image
	edited *entity.Change[Image] // by the caller or, once it has been written, by the gallery; nil if not
	gone   bool
}

// gallerySpec says what an operation changes in a gallery, and what it returns afterwards.
type gallerySpec[R any] struct {
	invalid error
	input   func(*dynastay.Input) // nil if it cannot be written with an idempotency key
	options []dynastay.UpdateOption
	change  func(*dynastay.Tx, *gallery) error
	whole   bool // the images that stay the same are part of the result, so they must still be the same
	result  func(*gallery) R
	restore func(context.Context, map[string]string) (R, error)
}

func galleryOp[R any](r *Repository, op, propertyID string, s gallerySpec[R]) *dynastay.Operation[R] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err == nil {
		err = s.invalid
	}
	return dynastay.NewOp(dynastay.OpSpec[R]{
		Name: op, Invalid: err, Input: s.input, Options: s.options,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (made R, err error) {
			g, err := r.gallery(ctx, op, key)
			if err == nil {
				err = s.change(tx, g)
			}
			if err == nil {
				err = g.write(op, tx)
			}
			if err == nil && s.whole {
				g.hold(tx)
			}
			if err != nil {
				return made, err
			}
			return s.result(g), nil
		},
		Restore: s.restore,
	})
}

// gallery reads the images and, with the same Query, the property: IMAGE# sorts just before METADATA.
func (r *Repository) gallery(ctx context.Context, op string, property dynastay.Key) (*gallery, error) {
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: property.PK, Range: dynastay.Range{From: keys.SortKind[keys.Image](), To: property.SK}, Consistent: true,
	})
	if err != nil {
		return nil, err
	}
	var metadata dynastay.Row
	if last := len(rows) - 1; last >= 0 && keys.PropertiesTable.Key.From(rows[last]) == property {
		metadata, rows = rows[last], rows[:last]
	}
	g := &gallery{repo: r}
	if g.property, err = r.part(op, property, metadata); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if !isImage(row) {
			continue
		}
		image, err := r.imageEntity.Value(row)
		if err != nil {
			return nil, err
		}
		g.pictures = append(g.pictures, &picture{row: row, image: image})
	}
	g.sort()
	return g, nil
}

// isImage reports whether a row is an image: other software may store items that sort between the images and the
// property.
func isImage(row dynastay.Row) bool {
	return strings.HasPrefix(keys.PropertiesTable.Key.From(row).SK, keys.SortKind[keys.Image]())
}

func (g *gallery) sort() {
	slices.SortFunc(g.pictures, func(a, b *picture) int { return inOrder(a.image, b.image) })
}

// inOrder compares the positions of two images.
func inOrder(a, b *Image) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID)) }

func (g *gallery) find(op, imageID string) (*picture, error) {
	for _, p := range g.pictures {
		if p.image.ID == imageID {
			return p, nil
		}
	}
	return nil, &dynastay.Error{Op: op, Entity: "PropertyImage", ID: imageID, Kind: dynastay.ErrNotFound}
}

func (g *gallery) setPrimary(primary *picture) {
	for _, p := range g.pictures {
		p.image.Primary = p == primary
	}
}

func (g *gallery) images() []Image {
	all := make([]Image, 0, len(g.pictures))
	for _, p := range g.pictures {
		all = append(all, *p.image)
	}
	return all
}

// write adds the actions for the images that change, and for the property.
func (g *gallery) write(op string, tx *dynastay.Tx) error {
	g.sort()
	g.choosePrimary()
	url, count := "", 0
	for _, p := range g.pictures {
		if err := p.write(op, g.repo, tx); err != nil {
			return err
		}
		if p.gone {
			continue
		}
		count++
		if p.image.Primary {
			url = p.image.URL
		}
	}
	err := g.property.Keep(func(p *Property) error {
		p.ImageCount, p.PrimaryImageURL = count, url
		return p.fits("Images", g.property.Before)
	})
	if err != nil {
		return err
	}
	return g.property.AddTo(tx)
}

// choosePrimary makes exactly one image primary: the first that is, or else the first.
func (g *gallery) choosePrimary() {
	var first, primary *picture
	for _, p := range g.pictures {
		switch {
		case p.gone:
			continue
		case first == nil:
			first = p
		}
		if p.image.Primary && primary == nil {
			primary = p
		}
	}
	g.setPrimary(cmp.Or(primary, first))
}

func (p *picture) write(op string, r *Repository, tx *dynastay.Tx) error {
	key, err := keys.Of(keys.Image{PropertyID: p.image.PropertyID, ImageID: p.image.ID})
	if err != nil {
		return err
	}
	if !p.row.Exists() {
		item, err := r.imageEntity.Item(p.image)
		if err != nil {
			return err
		}
		tx.Put(keys.PropertiesTable, item).Identified().If(absent, func(dynastay.Row) error { return imageExists(op, *p.image) })
		return nil
	}
	if p.gone {
		gone, err := tx.Remove(keys.PropertiesTable, p.row, r.imageEntity.Known()...)
		if err == nil {
			gone.Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
		}
		return err
	}
	c, wanted := p.edited, *p.image
	if c == nil { // with OrMissing, the gallery is read again if the image is deleted in the meantime
		if c, err = r.images.ChangeOf(key, p.row, func(*Image) error { return nil }, dynastay.OrMissing()); err != nil {
			return err
		}
	}
	err = c.Keep(func(i *Image) error {
		i.Order, i.Primary = wanted.Order, wanted.Primary
		return nil
	})
	if err != nil {
		return err
	}
	p.image, p.edited = c.After, c
	return c.AddTo(tx)
}

// hold adds the check that whatever the write does not change is as it was read. Otherwise two callers could each
// write the images that the other one leaves alone. All images are stored, and none is deleted.
func (g *gallery) hold(tx *dynastay.Tx) {
	if !slices.ContainsFunc(g.pictures, func(p *picture) bool { return p.edited.Changed() }) {
		return
	}
	for _, p := range g.pictures {
		if !p.edited.Changed() {
			check(tx, p.row, g.repo.imageEntity.Known())
		}
	}
	if !g.property.Changed() {
		check(tx, g.property.Row, g.repo.entity.Known())
	}
}
