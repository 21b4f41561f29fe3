package properties

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// maxAdded is the number of room types that one transaction can add: with their guards, the property and an idempotency
// record, it has 100 actions.
const maxAdded = 49

// AddRoomTypesOp adds room types to a property, all or none, and returns them in the order in which they were passed.
// Empty ids are generated. The price range and the card of the property are updated in the same transaction. While the
// property is suspended, the new room types are off sale like the others.
//
// It fails with [dynastay.ErrNotFound] if the property does not exist, with [dynastay.ErrAlreadyExists] and Field
// "RoomTypeID" if the id of a room type was ever used before, with a [*StatusError] if the property is being deleted,
// and with [ErrForeign]. At most 49 room types can be added at once. A property has at most 90 room types and amenities
// together, and fewer room types if its card is full, see [Repository.CreateOp].
func (r *Repository) AddRoomTypesOp(propertyID string, rooms ...RoomType) *dynastay.Operation[[]RoomType] {
	const op = "properties.AddRoomTypes"
	given, all, err := r.addedRooms(rooms)
	return partOp(r, op, propertyID, partSpec[[]RoomType]{
		invalid: err,
		input:   func(in *dynastay.Input) { r.agreed(in, nil, given) },
		prepare: func(_ context.Context, tx *dynastay.Tx, c *entity.Change[Property]) ([]RoomType, error) {
			added, now := slices.Clone(all), r.db.Now().UTC().Truncate(time.Millisecond)
			for i := range added {
				added[i].PropertyID, added[i].CreatedAt, added[i].UpdatedAt, added[i].Version = propertyID, now, now, 1
				tx.Made(madeRoom(i), added[i].ID)
			}
			err := c.Keep(func(p *Property) error {
				for i, room := range added {
					p.rooms = append(p.rooms, cardRoomOf(room))
					if err := p.setPrices(room.ID); err != nil {
						return dynastay.Within(fmt.Sprintf("Rooms[%d]", i), err)
					}
				}
				return p.fits("Rooms", c.Before)
			})
			if err != nil {
				return nil, err
			}
			return added, r.addRooms(tx, op, c.After.Status, added)
		},
		restore: func(ctx context.Context, made map[string]string) ([]RoomType, error) {
			restored := make([]RoomType, len(made))
			for i := range restored {
				room, err := r.GetRoomType(ctx, propertyID, made[madeRoom(i)], dynastay.Consistent)
				if err != nil {
					return nil, err
				}
				restored[i] = *room
			}
			return restored, nil
		},
	})
}

// addedRooms returns copies of new room types, as the caller passed them and with their ids.
func (r *Repository) addedRooms(rooms []RoomType) (given, all []RoomType, err error) {
	switch {
	case len(rooms) == 0:
		return nil, nil, dynastay.Invalid("Rooms", "must not be empty")
	case len(rooms) > maxAdded:
		return nil, nil, dynastay.Invalid("Rooms", "must have at most %d entries", maxAdded)
	}
	all, err = r.newRooms(rooms)
	return copiesOf(rooms), all, err
}

func madeRoom(i int) string { return fmt.Sprintf("RoomTypeId[%d]", i) }

// AddRoomTypes runs [Repository.AddRoomTypesOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) AddRoomTypes(
	ctx context.Context, propertyID string, rooms []RoomType, opts ...dynastay.WriteOption,
) ([]RoomType, error) {
	return adopted(ctx, r, propertyID, "properties.AddRoomTypes", func(ctx context.Context) ([]RoomType, error) {
		return dynastay.Do(ctx, r.db, r.AddRoomTypesOp(propertyID, rooms...), opts...)
	})
}

// GetRoomType reads a room type, or fails with [dynastay.ErrNotFound]. It accepts [dynastay.Consistent]. 1 request.
func (r *Repository) GetRoomType(
	ctx context.Context, propertyID, roomTypeID string, opts ...dynastay.ReadOption,
) (_ *RoomType, err error) {
	ctx, end := r.db.Begin(ctx, "properties.GetRoomType")
	defer func() { end(err) }()
	key, err := keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: roomTypeID})
	if err != nil {
		return nil, err
	}
	return r.rooms.Get(ctx, key, opts...)
}

// UpdateRoomTypeOp updates a room type as [Repository.UpdateOp] updates a property. fn may change any field except the
// ids, the times and the version. The price range and the card of the property are updated in the same transaction; its
// version stays the same. The nights that are open keep their prices and numbers of rooms.
//
// All room types of a property have one currency, which is that of its nights. A base price in another currency is
// refused if there are other room types, and with an [*availability.OpenAheadError] if nights are open for yesterday or
// later. A property with open nights or several room types gets another currency with other room types: suspend it, delete
// its room types, add new ones and approve it; or, if rooms are sold ahead, create another property.
//
// It fails with [dynastay.ErrNotFound] if the property or the room type does not exist, with [dynastay.ErrVersion] if
// the room type is not at the version of [dynastay.IfVersion], with a [*StatusError] if the property is being deleted,
// and with [ErrForeign].
func (r *Repository) UpdateRoomTypeOp(
	propertyID, roomTypeID string, fn func(*RoomType) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*RoomType] {
	const op = "properties.UpdateRoomType"
	key, err := keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: roomTypeID})
	if err == nil {
		err = r.roomEntity.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*RoomType]{
		Name: op, Invalid: err, Input: entity.InputOf(key, opts...), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*RoomType, error) {
			c, row, err := r.partWithRoom(ctx, op, key)
			if err != nil {
				return nil, err
			}
			room, err := r.rooms.ChangeOf(key, row, fn, opts...)
			if err != nil {
				return nil, err
			}
			if !room.Changed() {
				return room.After, nil
			}
			err = c.Keep(func(p *Property) error {
				at := slices.IndexFunc(p.rooms, func(other CardRoom) bool { return other.ID == roomTypeID })
				if at < 0 {
					at, p.rooms = len(p.rooms), append(p.rooms, CardRoom{}) // other software added it
				}
				p.rooms[at] = cardRoomOf(*room.After)
				if err := p.setPrices(roomTypeID); err != nil {
					return err
				}
				return p.fits("Name", c.Before)
			})
			if err == nil && room.Before.BasePrice.Currency() != room.After.BasePrice.Currency() {
				err = r.changeCurrency(ctx, tx, op, c.Before, *room.After)
			}
			if err == nil {
				err = c.AddTo(tx)
			}
			if err != nil {
				return nil, err
			}
			return room.After, room.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*RoomType, error) {
			return r.rooms.Get(ctx, key, dynastay.Consistent)
		},
	})
}

// changeCurrency adds what a base price in another currency needs.
func (r *Repository) changeCurrency(ctx context.Context, tx *dynastay.Tx, op string, p *Property, room RoomType) error {
	err := r.nights.ChangeCurrency(ctx, tx, p.house(), room.ID, room.BasePrice.Currency())
	var open *availability.OpenAheadError
	if errors.As(err, &open) {
		return &dynastay.Error{Op: op, Entity: "RoomType", ID: room.ID, Field: "BasePrice.Currency", Err: err}
	}
	return err
}

// UpdateRoomType runs [Repository.UpdateRoomTypeOp], after [Repository.Adopt] if it is needed. 2 requests, and 2 more if
// the currency of the base price changes.
func (r *Repository) UpdateRoomType(
	ctx context.Context, propertyID, roomTypeID string, fn func(*RoomType) error, opts ...dynastay.UpdateOption,
) (*RoomType, error) {
	return adopted(ctx, r, propertyID, "properties.UpdateRoomType", func(ctx context.Context) (*RoomType, error) {
		return dynastay.Do(ctx, r.db, r.UpdateRoomTypeOp(propertyID, roomTypeID, fn, opts...))
	})
}

// DeleteRoomType deletes a room type. Its id is never given to another room type, because its nights still have it.
//
// A room type with rooms that are sold for tonight or later is refused, with an [*availability.SoldAheadError].
// Otherwise DeleteRoomType takes it off sale with [availability.Repository.Withdraw], then deletes it and updates the
// prices and the card of the property, in one transaction. If it fails in between, or the program ends, call it again,
// or put the room type back on sale with [availability.Repository.ReopenSales], which reopens the sales of the other
// room types as well.
//
// It fails with [dynastay.ErrNotFound] if the property does not have the room type, with a [*StatusError] if the
// property is being deleted, with a [*dynastay.InvalidError] if an approved property has no other room type (the room
// type is then on sale as before), and with [availability.ErrReopened] if another caller reopened the sales at the same
// time. 3 requests, and those of [availability.Repository.Withdraw].
func (r *Repository) DeleteRoomType(ctx context.Context, propertyID, roomTypeID string) (err error) {
	ctx, end := r.db.Begin(ctx, "properties.DeleteRoomType")
	defer func() { end(err) }()
	const op = "properties.DeleteRoomType"
	key, err := keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: roomTypeID})
	if err != nil {
		return err
	}
	// Whatever refuses the deletion must be known before the room type is taken off sale.
	p, err := adopted(ctx, r, propertyID, op, func(ctx context.Context) (*Property, error) {
		c, row, err := r.partWithRoom(ctx, op, key)
		if err == nil {
			err = r.dropRoom(op, c, row, roomTypeID)
		}
		if err != nil {
			return nil, err
		}
		return c.Before, nil
	})
	if err != nil {
		return err
	}
	withdrawn, err := r.nights.Withdraw(ctx, p.house(), roomTypeID)
	if err != nil {
		return err
	}
	_, err = dynastay.Do(ctx, r.db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: op,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			c, row, err := r.partWithRoom(ctx, op, key)
			if err == nil {
				err = r.dropRoom(op, c, row, roomTypeID)
			}
			if err == nil {
				err = withdrawn.Check(tx)
			}
			if err == nil {
				err = c.AddTo(tx)
			}
			if err != nil {
				return struct{}{}, err
			}
			// The room type is deleted even if it has changed since it was read.
			tx.Delete(keys.PropertiesTable, key).If(roomThere, func(dynastay.Row) error {
				return &dynastay.Error{Op: op, Entity: "RoomType", ID: roomTypeID, Kind: dynastay.ErrNotFound}
			})
			return struct{}{}, nil
		},
	}))
	if errors.Is(err, dynastay.ErrInvalid) { // the other room types have been deleted in the meantime
		if failed := withdrawn.PutBack(ctx); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return err
}

var roomThere = dynastay.MustCompile(expression.NewBuilder().WithCondition(
	expression.AttributeExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition)))).With(nil)

// dropRoom takes a room type off the card.
func (r *Repository) dropRoom(op string, c *entity.Change[Property], row dynastay.Row, roomTypeID string) error {
	if !row.Exists() {
		return &dynastay.Error{Op: op, Entity: "RoomType", ID: roomTypeID, Kind: dynastay.ErrNotFound}
	}
	return c.Keep(func(p *Property) error {
		p.rooms = slices.DeleteFunc(p.rooms, func(room CardRoom) bool { return room.ID == roomTypeID })
		if p.Status == Approved && len(p.rooms) == 0 {
			return dynastay.Invalid("RoomTypeID", "must not be the only room type of an approved property")
		}
		return p.setPrices("")
	})
}

// partWithRoom starts a write of a room type, and reads it in the same request as the property.
func (r *Repository) partWithRoom(
	ctx context.Context, op string, room dynastay.Key,
) (*entity.Change[Property], dynastay.Row, error) {
	property := dynastay.Key{PK: room.PK, SK: keys.SortKind[keys.Property]()}
	rows, err := r.db.GetAll(ctx, keys.PropertiesTable, []dynastay.Key{property, room}, dynastay.Consistent)
	if err != nil {
		return nil, dynastay.Row{}, err
	}
	c, err := r.part(op, property, rows[0])
	return c, rows[1], err
}

// addRooms adds the room types, and the guards that reserve their ids for the property.
func (r *Repository) addRooms(tx *dynastay.Tx, op string, status Status, rooms []RoomType) error {
	for i := range rooms {
		room := &rooms[i]
		item, err := r.roomEntity.Item(room)
		if err != nil {
			return err
		}
		key, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: room.ID})
		if err != nil {
			return err
		}
		guard := keys.PropertiesTable.Key.Of(key)
		guard[keys.AttrEntityType] = dynastay.Text("Guard")
		guard["PropertyId"] = dynastay.Text(room.PropertyID)
		if status == Suspended {
			// The approval puts it on sale, together with the others.
			guard[keys.AttrClosed] = dynastay.Text(keys.ClosedByStatus + rand.Text())
		}
		taken := func(dynastay.Row) error {
			return &dynastay.Error{
				Op: op, Entity: "Property", ID: room.PropertyID, Field: "RoomTypeID", Kind: dynastay.ErrAlreadyExists,
			}
		}
		tx.Put(keys.PropertiesTable, item).Identified().If(absent, taken)
		tx.Put(keys.PropertiesTable, guard).If(absent, taken)
	}
	return nil
}

// setPrices computes the price range from the room types on the card, after the one with the given id has changed. All
// prices must be in one currency.
func (p *Property) setPrices(changed string) error {
	p.Prices = PriceRange{}
	other := slices.IndexFunc(p.rooms, func(room CardRoom) bool { return room.ID != changed })
	for i, room := range p.rooms {
		if other >= 0 && room.BasePrice.Currency() != p.rooms[other].BasePrice.Currency() {
			return dynastay.Invalid("BasePrice.Currency", "must be %s, the currency of the other room types",
				p.rooms[other].BasePrice.Currency())
		}
		if low, _ := room.BasePrice.Compare(p.Prices.Min); i == 0 || low < 0 {
			p.Prices.Min = room.BasePrice
		}
		if high, _ := room.BasePrice.Compare(p.Prices.Max); i == 0 || high > 0 {
			p.Prices.Max = room.BasePrice
		}
	}
	return nil
}
