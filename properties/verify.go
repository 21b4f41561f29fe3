package properties

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// VerifyRow compares an item with what it follows from, and fails with an [*entity.DifferentError] if they contradict each
// other. It never writes. It is the Each of a walk of the table Properties, see package migrate; such items count as refused.
//
//   - Of a property, it compares the index keys, the geohashes and the card; what the property says about its room types,
//     images, rate plans and charges; and the items of its amenities. Its slug and its room types must have guards, which the
//     error names "Slug" and "RoomTypeID" with the id.
//   - Of the guard of a slug, it compares the property that it names. The guard of a room type says nothing that could be
//     wrong: it stays when the room type or the property is deleted, because the nights still have the id.
//   - The property of any other item must exist. One that does not is Gone in the error.
//
// A property that is being deleted is not compared, because the deletion can be anywhere. What the property says about reviews is
// compared only with itself; [RecountOp] counts them. A property that other software wrote may have a price range, a number of
// images and a primary image that do not follow from its items: its adoption leaves them, so VerifyRow names them.
//
// 2 requests for a property, 1 more with rate plans or charges, and the same again for one that seems to differ or has changed. 1
// request for any other item that is compared, 1 more if it seems to differ.
//
// [*entity.DifferentError]: https://pkg.go.dev/github.com/dynastay/dynastay/entity#DifferentError
// [RecountOp]: https://pkg.go.dev/github.com/dynastay/dynastay/properties#Repository.RecountOp
func (r *Repository) VerifyRow(ctx context.Context, row dynastay.Row) (changed bool, err error) {
	ctx, end := r.db.Begin(ctx, "properties.VerifyRow")
	defer func() { end(err) }()
	at := keys.PropertiesTable.Key.From(row)
	if key.Is[keys.SlugGuard](at) {
		return r.table.VerifyGuard(ctx, row)
	}
	_, err = r.verify(ctx, at)
	return false, err
}

// MendRow writes what follows from a property that [Repository.VerifyRow] finds different, and deletes the items of amenities
// that it does not have. It adopts the property first if it must be. It changes nothing that people have entered, and the
// version stays the same. It reports whether it has written something.
//
// A slug or a room type id that belongs to a different property is left to that one. Of a property that is gone, MendRow deletes
// nothing: its items, and the guard of a slug that nothing needs, are for a person to look at and delete.
//
// What is changed at the same moment is not lost: each write depends on the property as it was read. A property with more than
// 90 amenities and room types fails with [dynastay.ErrCorrupt]. 4 requests more than VerifyRow; 4 more for room types without a
// guard, and for every 99 items that are deleted; and those of [Repository.Adopt].
func (r *Repository) MendRow(ctx context.Context, row dynastay.Row) (mended bool, err error) {
	at := keys.PropertiesTable.Key.From(row)
	property, ok := mendable(at)
	if !ok {
		return false, nil
	}
	ctx, end := r.db.Begin(ctx, "properties.MendRow")
	defer func() { end(err) }()
	mark, err := r.verify(ctx, at)
	var different *entity.DifferentError
	if !errors.As(err, &different) {
		return false, err
	}
	return r.mend(ctx, property, mark, different.Foreign)
}

// mendable returns the key of the property that MendRow mends for an item.
func mendable(at dynastay.Key) (dynastay.Key, bool) {
	if key.Is[keys.Property](at) {
		return at, true
	}
	return ownerOf(at), isRate(at)
}

// isRate reports whether an item is a rate plan, or the charges.
func isRate(at dynastay.Key) bool {
	return key.Is[keys.RatePlan](at) || key.Is[keys.PropertyCharges](at)
}

// ownerOf returns the key of the property to which an item belongs, or the zero Key if it belongs to none, or remains without it.
func ownerOf(at dynastay.Key) dynastay.Key {
	var id string
	if k, err := keys.Parse[keys.Amenity](at); err == nil {
		id = k.PropertyID
	} else if k, err := keys.Parse[keys.Image](at); err == nil {
		id = k.PropertyID
	} else if k, err := keys.Parse[keys.RoomType](at); err == nil {
		id = k.PropertyID
	} else if k, err := keys.Parse[keys.RatePlan](at); err == nil {
		id = k.PropertyID
	} else if k, err := keys.Parse[keys.PropertyCharges](at); err == nil {
		id = k.PropertyID
	}
	owner, _ := keys.Of(keys.Property{PropertyID: id}) // the zero Key without an id
	return owner
}
