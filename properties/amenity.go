package properties

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// amenity is the item that lets a property be found by one of its amenities. It follows from the property: an entity of
// its own only because DynamoDB cannot index the elements of a list.
type amenity struct {
	propertyID string
	amenityID  string
	place      amenityPlace
}

// amenityPlace is what the key of an amenity's index row is made of.
type amenityPlace struct {
	city, country string
	approved      bool
}

func placeOf(p *Property) amenityPlace {
	return amenityPlace{p.Address.City, p.Address.Country, p.Status == Approved}
}

// row is the amenity's key in the index, the zero Key while the property is not to be found.
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

// put is the action that writes the amenity of a new property.
func (a amenity) put() (dynastay.Action, error) {
	key, err := a.key()
	if err != nil {
		return dynastay.Action{}, err
	}
	row, err := a.row()
	if err != nil {
		return dynastay.Action{}, err
	}
	item := keys.PropertiesTable.Key.Of(key)
	item[keys.AttrEntityType] = dynastay.S("PropertyAmenity")
	item["PropertyId"] = dynastay.S(a.propertyID)
	item["AmenityId"] = dynastay.S(a.amenityID)
	if row != (dynastay.Key{}) {
		for name, v := range amenityIndex.Of(row) {
			item[name] = v
		}
	}
	return dynastay.Put(keys.PropertiesTable, item, dynastay.Expr{}, nil), nil
}

var (
	moveAmenity = dynastay.Prepare(expression.NewBuilder().WithUpdate(
		describeAmenity().
			Set(dynastay.NameOf(amenityIndex.Partition), dynastay.Param("pk")).
			Set(dynastay.NameOf(amenityIndex.Sort), dynastay.Param("sk"))))
	hideAmenity = dynastay.Prepare(expression.NewBuilder().WithUpdate(
		describeAmenity().
			Remove(dynastay.NameOf(amenityIndex.Partition)).
			Remove(dynastay.NameOf(amenityIndex.Sort))))
)

// describeAmenity writes the plain attributes as well, so that an item that is missing for whatever reason is made whole
// by the next change of its property.
func describeAmenity() expression.UpdateBuilder {
	return expression.
		Set(dynastay.NameOf(keys.AttrEntityType), expression.Value("PropertyAmenity")).
		Set(dynastay.NameOf("PropertyId"), dynastay.Param("property")).
		Set(dynastay.NameOf("AmenityId"), dynastay.Param("amenity"))
}

// move is the action that puts the amenity where its property now is.
func (a amenity) move() (dynastay.Action, error) {
	key, err := a.key()
	if err != nil {
		return dynastay.Action{}, err
	}
	row, err := a.row()
	if err != nil {
		return dynastay.Action{}, err
	}
	values := dynastay.Item{"property": dynastay.S(a.propertyID), "amenity": dynastay.S(a.amenityID)}
	if row == (dynastay.Key{}) {
		return dynastay.Update(keys.PropertiesTable, key, hideAmenity.With(values), nil), nil
	}
	values["pk"], values["sk"] = dynastay.S(row.PK), dynastay.S(row.SK)
	return dynastay.Update(keys.PropertiesTable, key, moveAmenity.With(values), nil), nil
}
