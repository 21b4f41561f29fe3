package bookings

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// InHouse is a booking whose guests are there: they have checked in and not checked out.
type InHouse struct {
	BookingID string
	CheckOut  dynastay.Date `json:",omitzero"` // the date of departure
}

// InHouse lists the bookings of a property whose guests are there, next departure first. Those who should have left already are
// at the beginning.
//
// An entry has what its index contains; [Repository.GetAll] reads the bookings. The list is eventually consistent: guests who
// have just checked in may be missing, and those who have just checked out, or now leave on another date, may be in it as before.
//
// Pattern in house: GSI7-HouseIndex, GSI7PK = HOUSE#{propertyId}, 1 request
func (r *Repository) InHouse(propertyID string) dynastay.List[InHouse] {
	return r.inHouse("bookings.InHouse", CheckOutQuery{PropertyID: propertyID})
}

// CheckOutQuery selects bookings of a property by their check-out dates.
type CheckOutQuery struct {
	PropertyID string
	// From is the first check-out date, To the first one after the range. Default: no bound.
	From, To dynastay.Date
}

// Departures lists the bookings of a property whose guests are there and leave on certain dates, as [Repository.InHouse] does.
// Without From, those who should have left before are in it as well: for the desk, To is tomorrow. Guests who have not
// checked in, or have left, are in no such list.
//
// Pattern departures: GSI7-HouseIndex, GSI7PK = HOUSE#{propertyId}, GSI7SK from OUT#{from} to OUT#{to}, 1 request
func (r *Repository) Departures(q CheckOutQuery) dynastay.List[InHouse] {
	return r.inHouse("bookings.Departures", q)
}

func (r *Repository) inHouse(name string, q CheckOutQuery) dynastay.List[InHouse] {
	partition, err := keys.Partition(keys.BookingInHouse{PropertyID: q.PropertyID})
	if err != nil {
		return dynastay.NoList[InHouse](err)
	}
	leaving, err := dates(q.From, q.To, func(date dynastay.Date) (string, error) {
		return keys.SortPrefix(keys.BookingInHouse{CheckOut: date})
	})
	if err != nil {
		return dynastay.NoList[InHouse](err)
	}
	index, _ := keys.BookingsTable.Index(keys.HouseIndex)
	return dynastay.ListOf(r.db, keys.BookingsTable, dynastay.Query{
		Name: name, Index: keys.HouseIndex, Partition: partition, Range: leaving,
	}, func(_ context.Context, row dynastay.Row) (InHouse, error) {
		at, err := keys.Parse[keys.BookingInHouse](index.Key.From(row))
		return InHouse{BookingID: at.BookingID, CheckOut: at.CheckOut}, err
	})
}
