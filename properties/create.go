package properties

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// maxParts limits the amenities and room types of a property together, so that a change of its status or city, which
// moves them all, fits in one transaction.
const maxParts = 90

var absent = dynastay.IfNew(keys.PropertiesTable)

// CreateOp writes a new property with its room types and amenities, and claims its slug and the ids of the room types.
// Name, Slug, Type, OwnerID and the city and country of the address are required. Empty ids are generated, an empty
// status means [Pending], and the fields that the library manages (prices, rating, counts, times and versions) are set;
// what they contain is ignored. The room types of the result are ordered by id, not as they were passed.
//
// If a property with the id exists, CreateOp fails with [dynastay.ErrAlreadyExists], and with Field "Slug" or
// "RoomTypeID" if the slug belongs to a different property or the id of a room type was ever used before. The status
// must be Pending or [Approved], and an approved property needs at least one room type.
//
// CreateOp needs two actions for the property and its slug, two for each room type, one for each amenity, and one for
// an idempotency key. A transaction has at most 100 actions; [Repository.AddRoomTypes] adds further room types. The card
// has at most 4,096 bytes: with generated ids, names of 24 letters and 20 amenities, 40 room types with policies of their
// own fit.
func (r *Repository) CreateOp(p Property, rooms []RoomType) *dynastay.Operation[*WithRooms] {
	return r.createOp("properties.Create", p, rooms, time.Time{})
}

// ImportOp is CreateOp for a property that is known from another system: with the ID and the CreatedAt that it has there, both of
// which are required, as are the ids of the room types. Its rating follows from its reviews. If a property with the ID exists, it
// fails with [dynastay.ErrAlreadyExists] without a Field, so that a repetition is harmless; it takes no idempotency key.
func (r *Repository) ImportOp(p Property, rooms []RoomType) *dynastay.Operation[*WithRooms] {
	const op = "properties.Import"
	var err error
	if _, invalid := keys.Of(keys.Property{PropertyID: p.ID}); invalid != nil {
		err = dynastay.Invalid("ID", "must be an id that a key can have")
	} else if p.CreatedAt.IsZero() {
		err = dynastay.Invalid("CreatedAt", "is required")
	}
	for i := range rooms {
		if _, invalid := keys.Of(keys.RoomTypeGuard{RoomTypeID: rooms[i].ID}); err == nil && invalid != nil {
			err = dynastay.Invalid(fmt.Sprintf("Rooms[%d].ID", i), "must be an id that a key can have")
		}
	}
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*WithRooms]{Name: op, Invalid: err})
	}
	return r.createOp(op, p, rooms, p.CreatedAt)
}

// Import runs [Repository.ImportOp]. 1 request.
func (r *Repository) Import(ctx context.Context, p Property, rooms []RoomType) (*WithRooms, error) {
	return dynastay.Do(ctx, r.db, r.ImportOp(p, rooms))
}

func (r *Repository) createOp(name string, p Property, rooms []RoomType, at time.Time) *dynastay.Operation[*WithRooms] {
	made, all, err := r.newProperty(p, rooms)
	var givenAmenities []string
	var givenRooms []RoomType
	if err == nil { // the lists are not too long to be copied
		made.At = at
		givenAmenities, givenRooms = slices.Clone(p.AmenityIDs), copiesOf(rooms)
	}
	input := func(in *dynastay.Input) {
		made.Input(in)
		r.agreed(in, givenAmenities, givenRooms)
	}
	if !at.IsZero() {
		input = nil // an import
	}
	return dynastay.NewOp(dynastay.OpSpec[*WithRooms]{
		Name: name, Invalid: err, Input: input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*WithRooms, error) {
			if err := made.AddTo(tx); err != nil {
				return nil, err
			}
			for i := range all {
				all[i].PropertyID, all[i].CreatedAt, all[i].UpdatedAt, all[i].Version = made.Value.ID, made.Value.CreatedAt, made.Value.UpdatedAt, 1
			}
			return &WithRooms{*made.Value, slices.Clone(all)}, r.addRooms(tx, name, made.Value.Status, all)
		},
		Restore: func(ctx context.Context, ids map[string]string) (*WithRooms, error) {
			return r.GetWithRooms(ctx, ids["PropertyId"], dynastay.Consistent)
		},
	})
}

// Create runs [Repository.CreateOp]. 1 request.
func (r *Repository) Create(
	ctx context.Context, p Property, rooms []RoomType, opts ...dynastay.WriteOption,
) (*WithRooms, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(p, rooms), opts...)
}

func (r *Repository) newProperty(p Property, rooms []RoomType) (*entity.Creation[Property], []RoomType, error) {
	if p.Status == "" {
		p.Status = Pending
	}
	if p.Status != Pending && p.Status != Approved {
		return nil, nil, dynastay.Invalid("Status", "must be pending or approved")
	}
	if len(p.AmenityIDs)+len(rooms) > maxParts {
		return nil, nil, dynastay.Invalid("AmenityIDs", "must have at most %d entries, counting the room types as well", maxParts)
	}
	p.Rating, p.ReviewCount, p.ImageCount, p.RatePlanCount, p.HasCharges = 0, 0, 0, 0, false
	p.advertised, p.charges = nil, nil // it may be a copy of a property that has them
	p.AmenityIDs = append([]string{}, p.AmenityIDs...)
	all, err := r.newRooms(rooms) // first, so that the error of an invalid price names the room type
	if err != nil {
		return nil, nil, err
	}
	p.rooms = nil
	for i, room := range all {
		p.rooms = append(p.rooms, cardRoomOf(room))
		if err := p.setPrices(room.ID); err != nil {
			return nil, nil, dynastay.Within(fmt.Sprintf("Rooms[%d]", i), err)
		}
	}
	sortByID(p.rooms, func(room CardRoom) string { return room.ID })
	sortByID(all, func(room RoomType) string { return room.ID })
	if err := checkAmenities(p.AmenityIDs); err != nil {
		return nil, nil, err
	}
	p.ratingSum = ratingSum{known: true}
	made, err := r.table.Creation(&p)
	if err == nil {
		err = made.Value.fits("AmenityIDs", &Property{})
	}
	return made, all, err
}

func sortByID[T any](all []T, id func(T) string) {
	slices.SortFunc(all, func(a, b T) int { return strings.Compare(id(a), id(b)) })
}

// copiesOf returns copies that share nothing with the caller's room types.
func copiesOf(rooms []RoomType) []RoomType {
	all := slices.Clone(rooms)
	for i := range all {
		room := &all[i]
		room.Beds, room.Amenities, room.Images = slices.Clone(room.Beds), slices.Clone(room.Amenities), slices.Clone(room.Images)
	}
	return all
}

// newRooms returns copies of new room types, with their ids. Their property, times and version are set later.
func (r *Repository) newRooms(rooms []RoomType) ([]RoomType, error) {
	all := copiesOf(rooms)
	for i := range all {
		room := &all[i]
		if room.ID == "" {
			room.ID = r.db.NewID("room_")
		}
		if err := room.validate(); err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Rooms[%d]", i), err)
		}
		for _, other := range all[:i] {
			if other.ID == room.ID {
				return nil, dynastay.Invalid(fmt.Sprintf("Rooms[%d].ID", i), "appears more than once")
			}
		}
	}
	return all, nil
}

// agreed adds the amenities and the room types as the caller passed them, before empty ids were generated.
func (r *Repository) agreed(in *dynastay.Input, amenityIDs []string, rooms []RoomType) {
	for _, id := range amenityIDs {
		in.Field("amenity", id)
	}
	for _, room := range rooms {
		room.PropertyID, room.CreatedAt, room.UpdatedAt, room.Version = "", time.Time{}, time.Time{}, 0
		if stored, err := r.roomEntity.Codec.Encode(&room); err == nil {
			in.Item(stored)
		}
	}
}
