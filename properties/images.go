package properties

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// maxImages is the number of images that one transaction can put in order: with the property and an idempotency record,
// it has 100 actions.
const maxImages = 98

// maxOrder keeps the positions of the images that follow in range.
const maxOrder = 1_000_000

// AddImagesOp adds images to a property, all or none, and returns them in the order in which they were passed. Empty
// ids are generated. An image without an Order becomes the last one. If an image is Primary, it replaces the present
// primary image; the first image of a property is primary in any case. The URL of the primary image and the number of
// images are stored with the property in the same transaction.
//
// It fails with [dynastay.ErrNotFound] if the property does not exist, with [dynastay.ErrAlreadyExists] and Field
// "ImageID" if it already has an image with one of the ids, with a [*StatusError] if the property is being deleted, and
// with [ErrForeign]. A property has at most 98 images.
func (r *Repository) AddImagesOp(propertyID string, images ...Image) *dynastay.Operation[[]Image] {
	const op = "properties.AddImages"
	all, err := r.newImages(propertyID, images)
	given := slices.Clone(images)
	return galleryOp(r, op, propertyID, gallerySpec[[]Image]{
		invalid: err,
		input: func(in *dynastay.Input) {
			in.Field("property", propertyID)
			for _, image := range given {
				image.PropertyID, image.CreatedAt, image.UpdatedAt, image.Version = "", time.Time{}, time.Time{}, 0
				if stored, err := r.imageEntity.Codec.Encode(&image); err == nil {
					in.Item(stored)
				}
			}
		},
		change: func(tx *dynastay.Tx, g *gallery) error {
			if len(g.pictures)+len(all) > maxImages {
				return dynastay.Invalid("Images", "must have at most %d entries, counting all images of the property", maxImages)
			}
			last, now := 0, r.db.Now().UTC().Truncate(time.Millisecond)
			for _, p := range g.pictures {
				last = max(last, p.image.Order)
			}
			for i, image := range all {
				if _, err := g.find(op, image.ID); err == nil {
					return imageExists(op, image)
				}
				image.CreatedAt, image.UpdatedAt, image.Version = now, now, 1
				if image.Order == 0 {
					image.Order = last + 1
				}
				last = max(last, image.Order)
				tx.Made(madeImage(i), image.ID)
				added := &picture{image: &image}
				g.pictures = append(g.pictures, added)
				if image.Primary {
					g.setPrimary(added)
				}
			}
			return nil
		},
		result: func(g *gallery) []Image {
			added := make([]Image, len(all))
			for i, image := range all {
				p, _ := g.find(op, image.ID) // it was added above
				added[i] = *p.image
			}
			return added
		},
		restore: func(ctx context.Context, made map[string]string) ([]Image, error) {
			restored := make([]Image, len(made))
			for i := range restored {
				image, err := r.GetImage(ctx, propertyID, made[madeImage(i)], dynastay.Consistent)
				if err != nil {
					return nil, err
				}
				restored[i] = *image
			}
			return restored, nil
		},
	})
}

func imageExists(op string, image Image) error {
	return &dynastay.Error{Op: op, Entity: "Property", ID: image.PropertyID, Field: "ImageID", Kind: dynastay.ErrAlreadyExists}
}

func madeImage(i int) string { return fmt.Sprintf("ImageId[%d]", i) }

// newImages returns copies of new images with their ids. The times and the order are set later.
func (r *Repository) newImages(propertyID string, images []Image) ([]Image, error) {
	switch {
	case len(images) == 0:
		return nil, dynastay.Invalid("Images", "must not be empty")
	case len(images) > maxImages:
		return nil, dynastay.Invalid("Images", "must have at most %d entries", maxImages)
	}
	all, primary := slices.Clone(images), false
	for i := range all {
		image := &all[i]
		image.PropertyID = propertyID
		if image.ID == "" {
			image.ID = r.db.NewID("img_")
		}
		if err := image.Validate(); err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Images[%d]", i), err)
		}
		if image.Order > maxOrder {
			return nil, dynastay.Invalid(fmt.Sprintf("Images[%d].Order", i), "must be at most 1,000,000")
		}
		if slices.ContainsFunc(all[:i], func(other Image) bool { return other.ID == image.ID }) {
			return nil, dynastay.Invalid(fmt.Sprintf("Images[%d].ID", i), "appears more than once")
		}
		if image.Primary && primary {
			return nil, dynastay.Invalid(fmt.Sprintf("Images[%d].Primary", i), "must be true for at most one image")
		}
		primary = primary || image.Primary
	}
	return all, nil
}

// AddImages runs [Repository.AddImagesOp], after [Repository.Adopt] if it is needed. 2 requests: a consistent Query of
// the images and the property, and the write.
func (r *Repository) AddImages(
	ctx context.Context, propertyID string, images []Image, opts ...dynastay.WriteOption,
) ([]Image, error) {
	return adopted(ctx, r, propertyID, "properties.AddImages", func(ctx context.Context) ([]Image, error) {
		return dynastay.Do(ctx, r.db, r.AddImagesOp(propertyID, images...), opts...)
	})
}

// GetImage reads an image, or fails with [dynastay.ErrNotFound]. It accepts [dynastay.Consistent]. 1 request.
func (r *Repository) GetImage(
	ctx context.Context, propertyID, imageID string, opts ...dynastay.ReadOption,
) (_ *Image, err error) {
	ctx, end := r.db.Begin(ctx, "properties.GetImage")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Image{PropertyID: propertyID, ImageID: imageID})
	if err != nil {
		return nil, err
	}
	return r.images.Get(ctx, key, opts...)
}

// GetImages returns the images of a property in their order; there are none if the property does not exist. It accepts
// [dynastay.Consistent]. 1 request.
func (r *Repository) GetImages(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (_ []Image, err error) {
	ctx, end := r.db.Begin(ctx, "properties.GetImages")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: key.PK, Range: dynastay.Range{Prefix: keys.SortKind[keys.Image]()}, Consistent: slices.Contains(opts, dynastay.Consistent),
	})
	if err != nil {
		return nil, err
	}
	return r.imagesOf(rows)
}

func (r *Repository) imagesOf(rows []dynastay.Row) ([]Image, error) {
	all := make([]Image, 0, len(rows))
	for _, row := range rows {
		if !isImage(row) {
			continue
		}
		image, err := r.imageEntity.Value(row)
		if err != nil {
			return nil, err
		}
		all = append(all, *image)
	}
	slices.SortFunc(all, func(a, b Image) int { return inOrder(&a, &b) })
	return all, nil
}

// UpdateImageOp updates an image as [Repository.UpdateOp] updates a property. fn may change the URL, the text and the
// category. If the image is primary, the PrimaryImageURL of the property and its card are updated in the same
// transaction.
//
// It fails with [dynastay.ErrNotFound] if the property or the image does not exist, with [dynastay.ErrVersion] if the
// image is not at the version of [dynastay.IfVersion], with a [*StatusError] if the property is being deleted, and with
// [ErrForeign].
func (r *Repository) UpdateImageOp(
	propertyID, imageID string, fn func(*Image) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Image] {
	const op = "properties.UpdateImage"
	key, err := keys.Of(keys.Image{PropertyID: propertyID, ImageID: imageID})
	if err == nil {
		err = r.imageEntity.CheckUpdate(opts...)
	}
	var edited *picture
	return galleryOp(r, op, propertyID, gallerySpec[*Image]{
		invalid: err,
		input:   entity.InputOf(key, opts...),
		options: opts,
		change: func(_ *dynastay.Tx, g *gallery) (err error) {
			if edited, err = g.find(op, imageID); err != nil {
				return err
			}
			if edited.edited, err = r.images.ChangeOf(key, edited.row, fn, opts...); err != nil {
				return err
			}
			return nil
		},
		result:  func(*gallery) *Image { return edited.image },
		restore: r.restoreImage(propertyID, imageID),
	})
}

// UpdateImage runs [Repository.UpdateImageOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) UpdateImage(
	ctx context.Context, propertyID, imageID string, fn func(*Image) error, opts ...dynastay.UpdateOption,
) (*Image, error) {
	return adopted(ctx, r, propertyID, "properties.UpdateImage", func(ctx context.Context) (*Image, error) {
		return dynastay.Do(ctx, r.db, r.UpdateImageOp(propertyID, imageID, fn, opts...))
	})
}

func (r *Repository) restoreImage(propertyID, imageID string) func(context.Context, map[string]string) (*Image, error) {
	return func(ctx context.Context, _ map[string]string) (*Image, error) {
		return r.GetImage(ctx, propertyID, imageID, dynastay.Consistent)
	}
}

// SetPrimaryImageOp makes an image the primary one, in place of the present primary image. The PrimaryImageURL of the
// property and its card are updated in the same transaction. It fails like [Repository.UpdateImageOp].
func (r *Repository) SetPrimaryImageOp(propertyID, imageID string) *dynastay.Operation[*Image] {
	const op = "properties.SetPrimaryImage"
	_, err := keys.Of(keys.Image{PropertyID: propertyID, ImageID: imageID})
	var primary *picture
	return galleryOp(r, op, propertyID, gallerySpec[*Image]{
		invalid: err,
		input:   imageInput(propertyID, imageID),
		change: func(_ *dynastay.Tx, g *gallery) (err error) {
			if primary, err = g.find(op, imageID); err == nil {
				g.setPrimary(primary)
			}
			return err
		},
		result:  func(*gallery) *Image { return primary.image },
		restore: r.restoreImage(propertyID, imageID),
	})
}

// SetPrimaryImage runs [Repository.SetPrimaryImageOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) SetPrimaryImage(
	ctx context.Context, propertyID, imageID string, opts ...dynastay.WriteOption,
) (*Image, error) {
	return adopted(ctx, r, propertyID, "properties.SetPrimaryImage", func(ctx context.Context) (*Image, error) {
		return dynastay.Do(ctx, r.db, r.SetPrimaryImageOp(propertyID, imageID), opts...)
	})
}

// ArrangeImagesOp puts images in order: those with the given ids come first, in that order, and the others follow in
// their present order. It returns all images. Of two callers, the last one wins with its whole order. A property with
// more than 98 images must lose some first. It fails like [Repository.UpdateImageOp].
func (r *Repository) ArrangeImagesOp(propertyID string, imageIDs ...string) *dynastay.Operation[[]Image] {
	const op = "properties.ArrangeImages"
	ids := slices.Clone(imageIDs)
	return galleryOp(r, op, propertyID, gallerySpec[[]Image]{
		invalid: checkImageIDs(propertyID, ids),
		input:   imageInput(propertyID, ids...),
		change: func(_ *dynastay.Tx, g *gallery) error {
			for _, id := range ids {
				if _, err := g.find(op, id); err != nil {
					return err
				}
			}
			next := len(ids)
			for _, p := range g.pictures {
				if at := slices.Index(ids, p.image.ID); at >= 0 {
					p.image.Order = at + 1
				} else {
					next++
					p.image.Order = next
				}
			}
			return nil
		},
		whole:  true,
		result: (*gallery).images,
		restore: func(ctx context.Context, _ map[string]string) ([]Image, error) {
			return r.GetImages(ctx, propertyID, dynastay.Consistent)
		},
	})
}

func checkImageIDs(propertyID string, ids []string) error {
	switch {
	case len(ids) == 0:
		return dynastay.Invalid("ImageIDs", "must not be empty")
	case len(ids) > maxImages:
		return dynastay.Invalid("ImageIDs", "must have at most %d entries", maxImages)
	}
	for i, id := range ids {
		field := fmt.Sprintf("ImageIDs[%d]", i)
		if _, err := keys.Of(keys.Image{PropertyID: propertyID, ImageID: id}); err != nil {
			return renamed(field, err)
		}
		if slices.Contains(ids[:i], id) {
			return dynastay.Invalid(field, "appears more than once")
		}
	}
	return nil
}

func imageInput(propertyID string, imageIDs ...string) func(*dynastay.Input) {
	return func(in *dynastay.Input) {
		in.Field("property", propertyID)
		for _, id := range imageIDs {
			in.Field("image", id)
		}
	}
}

// ArrangeImages runs [Repository.ArrangeImagesOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) ArrangeImages(
	ctx context.Context, propertyID string, imageIDs []string, opts ...dynastay.WriteOption,
) ([]Image, error) {
	return adopted(ctx, r, propertyID, "properties.ArrangeImages", func(ctx context.Context) ([]Image, error) {
		return dynastay.Do(ctx, r.db, r.ArrangeImagesOp(propertyID, imageIDs...), opts...)
	})
}

// DeleteImageOp deletes an image. If it was primary, the first of the remaining images becomes primary. It fails like
// [Repository.UpdateImageOp].
func (r *Repository) DeleteImageOp(propertyID, imageID string) *dynastay.Operation[struct{}] {
	const op = "properties.DeleteImage"
	_, err := keys.Of(keys.Image{PropertyID: propertyID, ImageID: imageID})
	return galleryOp(r, op, propertyID, gallerySpec[struct{}]{
		invalid: err,
		input:   imageInput(propertyID, imageID),
		change: func(_ *dynastay.Tx, g *gallery) error {
			p, err := g.find(op, imageID)
			if err == nil {
				p.gone = true
			}
			return err
		},
		result: func(*gallery) struct{} { return struct{}{} },
	})
}

// DeleteImage runs [Repository.DeleteImageOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) DeleteImage(ctx context.Context, propertyID, imageID string, opts ...dynastay.WriteOption) error {
	_, err := adopted(ctx, r, propertyID, "properties.DeleteImage", func(ctx context.Context) (struct{}, error) {
		return dynastay.Do(ctx, r.db, r.DeleteImageOp(propertyID, imageID), opts...)
	})
	return err
}
