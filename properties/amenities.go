package properties

import (
	"context"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// AddAmenitiesOp adds amenities to the end of a property's list. Those that the property already has stay where they
// are. The ids are not checked against a catalogue. The items by which the property is found by its amenities, and its
// card, are written in the same transaction.
//
// It fails with [dynastay.ErrNotFound] if the property does not exist, with a [*StatusError] if it is being deleted,
// and with [ErrForeign]. A property has at most 90 amenities and room types together.
func (r *Repository) AddAmenitiesOp(propertyID string, amenityIDs ...string) *dynastay.Operation[*Property] {
	return r.amenitiesOp("properties.AddAmenities", propertyID, amenityIDs, true, func(now, given []string) []string {
		for _, id := range given {
			if !slices.Contains(now, id) {
				now = append(now, id)
			}
		}
		return now
	})
}

// AddAmenities runs [Repository.AddAmenitiesOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) AddAmenities(
	ctx context.Context, propertyID string, amenityIDs []string, opts ...dynastay.WriteOption,
) (*Property, error) {
	return adopted(ctx, r, propertyID, "properties.AddAmenities", func(ctx context.Context) (*Property, error) {
		return dynastay.Do(ctx, r.db, r.AddAmenitiesOp(propertyID, amenityIDs...), opts...)
	})
}

// RemoveAmenitiesOp removes amenities from a property's list. Those that the property does not have are ignored. It
// fails like [Repository.AddAmenitiesOp].
func (r *Repository) RemoveAmenitiesOp(propertyID string, amenityIDs ...string) *dynastay.Operation[*Property] {
	return r.amenitiesOp("properties.RemoveAmenities", propertyID, amenityIDs, true, func(now, given []string) []string {
		return slices.DeleteFunc(now, func(id string) bool { return slices.Contains(given, id) })
	})
}

// RemoveAmenities runs [Repository.RemoveAmenitiesOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) RemoveAmenities(
	ctx context.Context, propertyID string, amenityIDs []string, opts ...dynastay.WriteOption,
) (*Property, error) {
	return adopted(ctx, r, propertyID, "properties.RemoveAmenities", func(ctx context.Context) (*Property, error) {
		return dynastay.Do(ctx, r.db, r.RemoveAmenitiesOp(propertyID, amenityIDs...), opts...)
	})
}

// SetAmenitiesOp replaces a property's list of amenities; without ids, it removes all of them. If two callers set the
// list at the same time, the last one wins with its complete list. To add or remove single amenities, use
// [Repository.AddAmenitiesOp] and [Repository.RemoveAmenitiesOp]. It fails like AddAmenitiesOp, and with a
// [*dynastay.InvalidError] if the number of amenities to add and to remove exceeds 98.
func (r *Repository) SetAmenitiesOp(propertyID string, amenityIDs ...string) *dynastay.Operation[*Property] {
	return r.amenitiesOp("properties.SetAmenities", propertyID, amenityIDs, false, func(_, given []string) []string {
		return slices.Clone(given)
	})
}

// SetAmenities runs [Repository.SetAmenitiesOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) SetAmenities(
	ctx context.Context, propertyID string, amenityIDs []string, opts ...dynastay.WriteOption,
) (*Property, error) {
	return adopted(ctx, r, propertyID, "properties.SetAmenities", func(ctx context.Context) (*Property, error) {
		return dynastay.Do(ctx, r.db, r.SetAmenitiesOp(propertyID, amenityIDs...), opts...)
	})
}

func (r *Repository) amenitiesOp(
	op, propertyID string, amenityIDs []string, some bool, change func(now, given []string) []string,
) *dynastay.Operation[*Property] {
	given := append([]string{}, amenityIDs...)
	err := checkAmenities(given)
	if some && len(given) == 0 {
		err = dynastay.Invalid("AmenityIDs", "must not be empty")
	}
	return partOp(r, op, propertyID, partSpec[*Property]{
		invalid: err,
		input: func(in *dynastay.Input) {
			for _, id := range given {
				in.Field("amenity", id)
			}
		},
		prepare: func(_ context.Context, _ *dynastay.Tx, c *entity.Change[Property]) (*Property, error) {
			return c.After, c.Keep(func(p *Property) error {
				p.AmenityIDs = change(p.AmenityIDs, given)
				if differences(c.Before.AmenityIDs, p.AmenityIDs) > maxChanged {
					return dynastay.Invalid("AmenityIDs", "must differ from the present list in at most %d amenities", maxChanged)
				}
				return p.fits("AmenityIDs", c.Before)
			})
		},
		restore: r.restoreProperty(propertyID),
	})
}

// maxChanged is the number of amenities that one transaction can add and remove: with the property and an idempotency
// record, it has 100 actions.
const maxChanged = 98

func differences(before, after []string) (n int) {
	for _, id := range before {
		if !slices.Contains(after, id) {
			n++
		}
	}
	for _, id := range after {
		if !slices.Contains(before, id) {
			n++
		}
	}
	return n
}

func checkAmenities(ids []string) error {
	if len(ids) > maxParts {
		return dynastay.Invalid("AmenityIDs", "must have at most %d entries", maxParts)
	}
	for i, id := range ids {
		field := fmt.Sprintf("AmenityIDs[%d]", i)
		if slices.Contains(ids[:i], id) {
			return dynastay.Invalid(field, "appears more than once")
		}
		if _, err := keys.Of(keys.Amenity{PropertyID: "p", AmenityID: id}); err != nil {
			return renamed(field, err)
		}
	}
	return nil
}
