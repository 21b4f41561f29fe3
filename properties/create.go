package properties

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// maxParts bounds a property's amenities and room types together, so that a change of its status or city, which moves
// them all, fits into one transaction.
const maxParts = 90

var absent = dynastay.IfNew(keys.PropertiesTable)

// CreateOp writes a new property with its room types and amenities, and claims its slug and the room types' ids. Empty
// ids are drawn, an empty status is pending, and what the library keeps (prices, counts, times, versions) is set. It is
// refused with [dynastay.ErrAlreadyExists], whose Field is "Slug" or "RoomTypeID" where that belongs to another
// property.
//
// It takes two actions, two a room type, one an amenity, and one for an idempotency key; a transaction holds 100.
func (r *Repository) CreateOp(p Property, rooms []RoomType) *dynastay.Operation[*WithRooms] {
	given, givenRooms := p, slices.Clone(rooms)
	made, err := r.newProperty(p, rooms)
	return dynastay.NewOp(dynastay.OpSpec[*WithRooms]{
		Name:    "properties.Create",
		Invalid: err,
		Input:   func(in *dynastay.Input) { agreed(in, given, givenRooms) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*WithRooms, error) {
			tx.Made("PropertyId", made.ID)
			return made, addProperty(tx, made, given.ID == "")
		},
		Restore: func(ctx context.Context, ids map[string]string) (*WithRooms, error) {
			return r.getWithRooms(ctx, ids["PropertyId"], true)
		},
	})
}

// Create is [Repository.CreateOp], sent. 1 request.
func (r *Repository) Create(ctx context.Context, p Property, rooms []RoomType, opts ...dynastay.WriteOption) (*WithRooms, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(p, rooms), opts...)
}

func (r *Repository) newProperty(p Property, rooms []RoomType) (*WithRooms, error) {
	now := r.db.Now()
	if p.ID == "" {
		p.ID = r.db.NewID("prop_")
	}
	if p.Status == "" {
		p.Status = Pending
	}
	if p.Status != Pending && p.Status != Approved {
		return nil, dynastay.Invalid("Status", "is not one that a property begins with")
	}
	if n := len(p.AmenityIDs) + len(rooms); n > maxParts {
		return nil, dynastay.Invalid("AmenityIDs", "and room types are %d together, the most is %d", n, maxParts)
	}
	p.CreatedAt, p.UpdatedAt, p.Version = now, now, 1
	p.Rating, p.ReviewCount, p.ImageCount = 0, 0, 0
	p.AmenityIDs = append([]string{}, p.AmenityIDs...)
	if _, err := keys.Of(keys.Property{PropertyID: p.ID}); err != nil {
		return nil, renamed("ID", err) // before the room types, which have it in their keys
	}
	made := &WithRooms{Property: p, Rooms: slices.Clone(rooms)}
	for i := range made.Rooms {
		room := &made.Rooms[i]
		if room.ID == "" {
			room.ID = r.db.NewID("room_")
		}
		room.PropertyID, room.CreatedAt, room.UpdatedAt, room.Version = p.ID, now, now, 1
		if err := room.Validate(); err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Rooms[%d]", i), err)
		}
		room.Beds, room.Amenities, room.Images = slices.Clone(room.Beds), slices.Clone(room.Amenities), slices.Clone(room.Images)
		for _, other := range made.Rooms[:i] {
			if other.ID == room.ID {
				return nil, dynastay.Invalid(fmt.Sprintf("Rooms[%d].ID", i), "is named twice")
			}
		}
	}
	var err error
	if made.Prices, err = priceRange(made.Rooms); err != nil {
		return nil, err
	}
	for i, id := range p.AmenityIDs {
		if slices.Contains(p.AmenityIDs[:i], id) {
			return nil, dynastay.Invalid(fmt.Sprintf("AmenityIDs[%d]", i), "is named twice")
		}
		if _, err := (amenity{propertyID: p.ID, amenityID: id}).key(); err != nil {
			return nil, renamed(fmt.Sprintf("AmenityIDs[%d]", i), err)
		}
	}
	slices.SortFunc(made.Rooms, func(a, b RoomType) int { return strings.Compare(a.ID, b.ID) })
	return made, made.Validate()
}

func addProperty(tx *dynastay.Tx, made *WithRooms, drawn bool) error {
	exists := func(field string) dynastay.Failed {
		return func(dynastay.Item) error {
			return &dynastay.Error{Op: "properties.Create", Entity: "Property", ID: made.ID, Field: field, Kind: dynastay.ErrAlreadyExists}
		}
	}
	item, err := propertyEntity.Item(&made.Property)
	if err != nil {
		return err
	}
	if item[keys.AttrCard], err = CardOf(&made.Property, made.Rooms).stored(); err != nil {
		return err
	}
	put := dynastay.Put(keys.PropertiesTable, item, absent, exists("")).Identified()
	if drawn {
		put = put.Drawn()
	}
	tx.Add(put)
	guard, err := slugGuard(made.Slug, made.ID)
	if err != nil {
		return err
	}
	tx.Add(dynastay.Put(keys.PropertiesTable, guard, absent, exists("Slug")))
	for i := range made.Rooms {
		item, err := roomEntity.Item(&made.Rooms[i])
		if err != nil {
			return err
		}
		key, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: made.Rooms[i].ID})
		if err != nil {
			return err
		}
		tx.Add(
			dynastay.Put(keys.PropertiesTable, item, dynastay.Expr{}, nil).Identified(),
			dynastay.Put(keys.PropertiesTable, guardItem(key, made.ID), absent, exists("RoomTypeID")),
		)
	}
	for _, id := range made.AmenityIDs {
		put, err := (amenity{made.ID, id, placeOf(&made.Property)}).put()
		if err != nil {
			return err
		}
		tx.Add(put)
	}
	return nil
}

func slugGuard(slug, propertyID string) (dynastay.Item, error) {
	key, err := keys.Of(keys.SlugGuard{Slug: slug})
	return guardItem(key, propertyID), err
}

// guardItem keeps a value for its property.
func guardItem(key dynastay.Key, propertyID string) dynastay.Item {
	item := keys.PropertiesTable.Key.Of(key)
	item[keys.AttrEntityType] = dynastay.S("Guard")
	item["PropertyId"] = dynastay.S(propertyID)
	return item
}

// agreed is the property as the caller gave it, in its stored form, without what Create sets itself; ids that were left
// empty are not in it yet.
func agreed(in *dynastay.Input, p Property, rooms []RoomType) {
	p.Prices, p.Rating, p.ReviewCount, p.ImageCount = PriceRange{}, 0, 0, 0
	p.CreatedAt, p.UpdatedAt, p.Version = time.Time{}, time.Time{}, 0
	p.AmenityIDs = append([]string{}, p.AmenityIDs...)
	if stored, err := propertyCodec.Encode(&p); err == nil {
		in.Item(stored)
	}
	for _, room := range rooms {
		room.PropertyID, room.CreatedAt, room.UpdatedAt, room.Version = "", time.Time{}, time.Time{}, 0
		if stored, err := roomEntity.Codec.Encode(&room); err == nil {
			in.Item(stored)
		}
	}
}
