package properties

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Delete deletes a property with everything that belongs to it: room types, images, amenities, rate plans, charges, and
// the guard of its slug. Its bookings, reviews, nights and units remain, and so do the guards of its room types: their ids are never
// given to another room type, because the nights still have them.
//
// Delete refuses a property with rooms that are sold for tonight or later, with an [*availability.SoldAheadError].
// Otherwise it takes the property off sale for good, as [Repository.Suspend] does, with the status [Deleting]. A
// property with this status refuses every other write. Then Delete reads the nights again. If a room was sold before
// its night was closed, Delete fails with the same error; cancel the bookings and call it again. Finally it deletes the
// items, the property itself last. If Delete fails in between, or the program ends, call it again: it finishes what is
// left.
//
// Delete fails with [dynastay.ErrNotFound] if the property does not exist, even if another call has just finished
// deleting it. It takes 7 requests, 4 Queries for each room type, 1 request for every 99 nights that are closed, 1 for
// every 99 room types, images, rate plans and lists of charges, and 1 more if there are rate plans or charges.
func (r *Repository) Delete(ctx context.Context, propertyID string) (err error) {
	ctx, end := r.db.Begin(ctx, "properties.Delete")
	defer func() { end(err) }()
	for {
		if err := r.delete(ctx, propertyID); !errors.Is(err, errMoreRoomTypes) {
			return err
		}
	}
}

// errMoreRoomTypes means that the property has a room type that nobody has taken off sale: other software added it, or
// another call has deleted the property, and it was created anew and is being deleted again.
var errMoreRoomTypes = errors.New("the property has more room types than were taken off sale")

func (r *Repository) delete(ctx context.Context, propertyID string) error {
	found, err := r.GetWithRooms(ctx, propertyID, dynastay.Consistent)
	if err != nil {
		return err
	}
	if found.Status != Deleting { // otherwise only the rooms that are found to be sold below can prevent it
		if err := r.nights.SoldAhead(ctx, found.house(), found.Card().roomTypeIDs()); err != nil {
			return err
		}
	}
	now, err := r.moveTo(ctx, removing, propertyID)
	if err != nil {
		return err
	}
	if err := r.nights.SoldAhead(ctx, now.property.house(), now.rooms); err != nil {
		return err
	}
	return r.deleteItems(ctx, propertyID, now.rooms)
}

// deleteItems deletes the items of a property whose status is Deleting and whose room types are off sale. Since nobody
// can change it, its write id proves that a property which was created anew under the same id is not touched.
func (r *Repository) deleteItems(ctx context.Context, propertyID string, offSale []string) error {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{Partition: key.PK, Consistent: true})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(row dynastay.Row) bool { return keys.PropertiesTable.Key.From(row) == key })
	if at < 0 || Status(rows[at].Text(keys.AttrStatus)) != Deleting {
		return r.notFound("properties.Delete", propertyID) // another call has deleted it
	}
	if len(roomTypesIn(rows, slices.Clone(offSale))) > len(offSale) {
		return errMoreRoomTypes
	}
	metadata := rows[at]
	p, err := r.entity.Value(metadata)
	if err != nil {
		return err
	}
	last := map[dynastay.Key]bool{key: true} // deleted together, at the end
	for _, id := range p.AmenityIDs {
		amenity, err := (amenity{propertyID: propertyID, amenityID: id}).key()
		if err != nil {
			return err
		}
		last[amenity] = true
	}
	rates, err := r.rates(ctx, p)
	if err != nil {
		return err
	}
	rows = append(rows, rates...)
	rows = slices.DeleteFunc(rows, func(row dynastay.Row) bool { return last[keys.PropertiesTable.Key.From(row)] })
	for part := range slices.Chunk(rows, maxDeleted) {
		if _, err := dynastay.Do(ctx, r.db, r.deleteOp(propertyID, metadata, part)); err != nil {
			return err
		}
	}
	var id dynastay.WriteID
	if err := id.UnmarshalDynamoDBAttributeValue(metadata.Value(keys.PropertiesTable.WriteIDName()).Stored()); err != nil {
		return err
	}
	if err = r.table.Delete(ctx, key, dynastay.IfWritten(id)); errors.Is(err, dynastay.ErrVersion) {
		return r.notFound("properties.Delete", propertyID) // another call has deleted it, and it was created anew
	}
	return err
}

// maxDeleted is the number of items that one transaction can delete: with the check of the property, it has 100
// actions.
const maxDeleted = 99

func (r *Repository) deleteOp(
	propertyID string, metadata dynastay.Row, rows []dynastay.Row,
) *dynastay.Operation[struct{}] {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "properties.Delete",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			unchanged := dynastay.MustCompile(expression.NewBuilder().WithCondition(
				dynastay.Unchanged(keys.PropertiesTable, metadata, r.entity.Known()...))).With(nil)
			tx.Check(keys.PropertiesTable, keys.PropertiesTable.Key.From(metadata), unchanged, func(dynastay.Row) error {
				return r.notFound("properties.Delete", propertyID)
			})
			for _, row := range rows {
				tx.Delete(keys.PropertiesTable, keys.PropertiesTable.Key.From(row))
			}
			return struct{}{}, nil
		},
	})
}
