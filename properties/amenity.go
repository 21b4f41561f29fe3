package properties

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

const amenityEntity = "PropertyAmenity"

// amenity is the item by which a property is found by one of its amenities. It is derived from the property, and is a
// separate item only because DynamoDB cannot index the elements of a list.
type amenity struct {
	propertyID string
	amenityID  string
	place      amenityPlace
}

// amenityPlace is the part of a property that determines the index keys of its amenities.
type amenityPlace struct {
	city, country string
	approved      bool
}

func placeOf(p *Property) amenityPlace {
	return amenityPlace{p.Address.City, p.Address.Country, p.Status == Approved}
}

// row returns the amenity's key in the index, or the zero Key if the property is not approved.
func (a amenity) row() (dynastay.Key, error) {
	if !a.place.approved {
		return dynastay.Key{}, nil
	}
	return keys.Of(keys.PropertyByAmenity{
		City: a.place.city, Country: a.place.country, AmenityID: a.amenityID, PropertyID: a.propertyID,
	})
}

func (a amenity) key() (dynastay.Key, error) {
	return keys.Of(keys.Amenity{PropertyID: a.propertyID, AmenityID: a.amenityID})
}

var amenityIndex = func() dynastay.KeyNames {
	index, _ := keys.PropertiesTable.Index(keys.AmenitiesIndex)
	return index.Key
}()

// moveAmenities puts the amenities of a new property, deletes those of a deleted one, and keeps those of an updated one
// equal to its list and in its place in the index. The amenities are derived from the property, and the write is
// conditional on the property being as it was read, so an amenity that is added in the meantime is not missed.
func moveAmenities(tx *dynastay.Tx, before, after *Property) error {
	var old, now []string
	if before != nil {
		old = before.AmenityIDs
	}
	if after != nil {
		now = after.AmenityIDs
	}
	for i, id := range old {
		if slices.Contains(now, id) || slices.Contains(old[:i], id) { // other software may store an amenity twice
			continue
		}
		key, err := (amenity{propertyID: before.ID, amenityID: id}).key()
		if err != nil {
			return err
		}
		tx.Delete(keys.PropertiesTable, key)
	}
	for i, id := range now {
		a := amenity{after.ID, id, placeOf(after)}
		switch {
		case slices.Contains(now[:i], id):
		case before == nil:
			if err := a.put(tx); err != nil {
				return err
			}
		case after.adopting || !slices.Contains(old, id) || placeOf(before) != a.place:
			if err := a.move(tx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a amenity) put(tx *dynastay.Tx) error {
	item, err := a.item()
	if err != nil {
		return err
	}
	tx.Put(keys.PropertiesTable, item)
	return nil
}

func (a amenity) item() (dynastay.Item, error) {
	key, err := a.key()
	if err != nil {
		return nil, err
	}
	row, err := a.row()
	if err != nil {
		return nil, err
	}
	item := keys.PropertiesTable.Key.Of(key)
	item[keys.AttrEntityType] = dynastay.Text(amenityEntity)
	item["PropertyId"] = dynastay.Text(a.propertyID)
	item["AmenityId"] = dynastay.Text(a.amenityID)
	if row != (dynastay.Key{}) {
		maps.Copy(item, amenityIndex.Of(row))
	}
	return item, nil
}

// isStored reports whether an item is that of the amenity; other software may have added attributes.
func (a amenity) isStored(row dynastay.Row) (bool, error) {
	item, err := a.item()
	if err != nil {
		return false, err
	}
	for _, name := range []string{amenityIndex.Partition, amenityIndex.Sort, keys.AttrEntityType, "PropertyId", "AmenityId"} {
		if !stored.Equal(row.Item()[name], item[name]) {
			return false, nil
		}
	}
	return true, nil
}

var (
	moveAmenity = dynastay.MustCompile(expression.NewBuilder().WithUpdate(
		describeAmenity().
			Set(dynastay.NameOf(amenityIndex.Partition), dynastay.Param("pk")).
			Set(dynastay.NameOf(amenityIndex.Sort), dynastay.Param("sk"))))
	hideAmenity = dynastay.MustCompile(expression.NewBuilder().WithUpdate(
		describeAmenity().
			Remove(dynastay.NameOf(amenityIndex.Partition)).
			Remove(dynastay.NameOf(amenityIndex.Sort))))
)

// describeAmenity also sets the attributes that are not index keys, so that the next move of the property restores an
// item that is missing for any reason.
func describeAmenity() expression.UpdateBuilder {
	return expression.
		Set(dynastay.NameOf(keys.AttrEntityType), expression.Value(amenityEntity)).
		Set(dynastay.NameOf("PropertyId"), dynastay.Param("property")).
		Set(dynastay.NameOf("AmenityId"), dynastay.Param("amenity"))
}

// move moves the amenity to the current place of its property, or out of the index.
func (a amenity) move(tx *dynastay.Tx) error {
	key, err := a.key()
	if err != nil {
		return err
	}
	row, err := a.row()
	if err != nil {
		return err
	}
	values := dynastay.Item{"property": dynastay.Text(a.propertyID), "amenity": dynastay.Text(a.amenityID)}
	if row == (dynastay.Key{}) {
		tx.Update(keys.PropertiesTable, key, hideAmenity.With(values))
		return nil
	}
	values["pk"], values["sk"] = dynastay.Text(row.PK), dynastay.Text(row.SK)
	tx.Update(keys.PropertiesTable, key, moveAmenity.With(values))
	return nil
}
