package properties

import (
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Changes are decoders for the changes of properties, their room types, images, rate plans and charges. One transaction
// may change several items, each of which has a change of its own; they are handled in any order.
//
// A property's own item is written together with everything that searches show, its [Card]. So a copy of the cards
// needs [Changes.Properties] only; its handler can read the room types with [Repository.GetWithRooms]. A copy of
// everything needs all fields, and its handler can call [Repository.GetWhole].
//
// There is no field for the items AMENITY#{amenityId} of a property: they have no content of their own, and follow
// Property.AmenityIDs in the same transaction.
type Changes struct {
	// Properties is a property as [Repository.Get] returns it; its room types and images are items of their own.
	// [Repository.Update] raises Version. Other writes, of Status, room types, images, amenities, ratings, rate plans and
	// charges, keep it, and change what follows from them, such as Prices, ImageCount, AmenityIDs or Rating; a write of a
	// plan or of charges may change nothing of the property. [Repository.Delete] first changes Status to [Deleting], and
	// deletes the property last.
	Properties stream.Decoder[Property]
	// Rooms is a room type as [Repository.GetRoomType] returns it. [Repository.Create] and [Repository.AddRoomTypes]
	// produce a change for each room type that they create, [Repository.UpdateRoomType], [Repository.DeleteRoomType]
	// and [Repository.Delete] for each that they change or delete. Sales and prices of nights are in package
	// availability.
	Rooms stream.Decoder[RoomType]
	// Images is an image as [Repository.GetImage] returns it. Adding, updating, deleting and arranging images, and
	// choosing the primary one, produce a change for each image that differs afterwards; so does [Repository.Delete].
	Images stream.Decoder[Image]
	// RatePlans is a rate plan as [Repository.GetRatePlan] returns it. Creating, updating and ordering plans produce a
	// change for each plan that differs afterwards; [Repository.Delete] deletes the plans.
	RatePlans stream.Decoder[availability.RatePlan]
	// Charges are those of a property as [Repository.Charges] returns them. [Repository.UpdateCharges] produces a change;
	// [Repository.Delete] deletes them.
	Charges stream.Decoder[charges.List]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no
// requests.
func (r *Repository) Changes() Changes {
	return Changes{
		Properties: stream.NewDecoder(r.db, keys.PropertiesTable, keys.Is[keys.Property], r.entity.Value),
		Rooms:      stream.NewDecoder(r.db, keys.PropertiesTable, keys.Is[keys.RoomType], r.roomEntity.Value),
		Images:     stream.NewDecoder(r.db, keys.PropertiesTable, keys.Is[keys.Image], r.imageEntity.Value),
		RatePlans:  stream.NewDecoder(r.db, keys.PropertiesTable, keys.Is[keys.RatePlan], r.ratePlanEntity.Value),
		Charges:    stream.NewDecoder(r.db, keys.PropertiesTable, keys.Is[keys.PropertyCharges], r.chargesEntity.Value),
	}
}
