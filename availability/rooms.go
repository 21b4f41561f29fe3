package availability

import (
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// roomTypes is what the property's items say about the room types whose nights are opened or changed.
type roomTypes struct {
	today dynastay.Date // at the property
	rooms []dynastay.Row
	plans map[string]*RatePlan // by id
}

// roomTypes reads room types and rate plans of a property consistently. It fails with [dynastay.ErrNotFound] if one does
// not exist. 1 request for up to 99 of them.
func (r *Repository) roomTypes(ctx context.Context, op, propertyID string, ids, plans []string) (roomTypes, error) {
	var found roomTypes
	property, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return found, err
	}
	all := []dynastay.Key{property}
	for _, id := range ids {
		room, err := keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: id})
		if err != nil {
			return found, err
		}
		all = append(all, room)
	}
	for _, id := range plans {
		plan, err := keys.Of(keys.RatePlan{PropertyID: propertyID, RatePlanID: id})
		if err != nil {
			return found, err
		}
		all = append(all, plan)
	}
	rows, err := r.db.GetAll(ctx, keys.PropertiesTable, all, dynastay.Consistent)
	if err != nil {
		return found, err
	}
	for i, id := range ids {
		if !rows[i+1].Exists() {
			return found, &dynastay.Error{Op: op, Entity: "RoomType", ID: id, Kind: dynastay.ErrNotFound}
		}
	}
	found.rooms, found.plans = rows[1:1+len(ids)], map[string]*RatePlan{}
	for i, id := range plans {
		row := rows[1+len(ids)+i]
		if !row.Exists() {
			return found, &dynastay.Error{Op: op, Entity: "RatePlan", ID: id, Kind: dynastay.ErrNotFound}
		}
		if found.plans[id], err = r.plans.Value(row); err != nil {
			return found, err
		}
	}
	found.today, err = r.today(op, propertyID, rows[0])
	return found, err
}

// today returns the current date at a property whose item was read.
func (r *Repository) today(op, propertyID string, property dynastay.Row) (dynastay.Date, error) {
	today, err := House{TimeZone: property.Text("TimeZone")}.Today(r.db.Now())
	if err != nil { // only the text: the zone does not come from the request, so the error must not match ErrInvalid
		return today, &dynastay.Error{
			Op: op, Entity: "Property", ID: propertyID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
		}
	}
	return today, nil
}

// fitsPrice rejects a price whose currency differs from that of the room type's base price.
func fitsPrice(id string, room dynastay.Row, price dynastay.Money) error {
	if currency := room.Text("Currency"); price.Currency() != dynastay.Currency(currency) {
		return dynastay.Invalid("Price.Currency", "must be %s, the currency of the base price of room type %s", currency, shown.Masked(id))
	}
	return nil
}

// fits rejects a rate for nights of a room type, and a price, which may be unset, that the plan cannot have there.
func (p *RatePlan) fits(roomTypeID string, room dynastay.Row, price dynastay.Money) error {
	if len(p.RoomTypeIDs) > 0 && !slices.Contains(p.RoomTypeIDs, roomTypeID) {
		return dynastay.Invalid("", "must be a rate plan that is sold for room type %s", shown.Masked(roomTypeID))
	}
	if !price.IsSet() {
		return nil
	}
	if p.Derived != nil {
		return dynastay.Invalid("Price", "must be unset, because the rate plan derives its price")
	}
	return fitsPrice(roomTypeID, room, price)
}

// fitsRooms rejects more rooms than the room type has.
func fitsRooms(id string, room dynastay.Row, rooms int) error {
	if most := room.Int("TotalRooms"); rooms > most {
		return dynastay.Invalid("Rooms", "must be at most %d, the number of rooms of room type %s, unless AboveCapacity is set",
			most, shown.Masked(id))
	}
	return nil
}

// checkPrice rejects a price that no room can be sold at.
func checkPrice(price dynastay.Money) error { return checkAmount("Price", price) }

func checkAmount(field string, amount dynastay.Money) error {
	if err := amount.Validate(); err != nil {
		return dynastay.Within(field, err)
	}
	if amount.Sign() < 0 {
		return dynastay.Invalid(field, "must not be negative")
	}
	return nil
}

func checkRoomTypeID(field, id string) error {
	_, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: id})
	if invalid := (*dynastay.InvalidError)(nil); errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return nil
}
