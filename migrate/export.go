package migrate

import (
	"context"
	"errors"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Part is a partition that [Mover.Export] reads, of a table or of an index.
type Part struct {
	Table     *dynastay.Schema
	Index     string // "" for the table itself
	Partition string
	Range     dynastay.Range // of the sort keys; the zero Range means all
	// Whole reads the whole partition of each item that the index has, instead of what the index projects.
	Whole bool
}

// Exported is an item as it is stored, with everything that other software has added.
type Exported struct {
	Table  string    // without prefix and suffix
	Index  string    // from which it was read, with what the index projects; "" for the table itself
	ReadAt time.Time // before the partition was read
	Item   dynastay.Item
}

// OfUser returns the partitions with what is stored about a person who has the id: the profile, preferences and loyalty points,
// wishlists, bookings with their payments, reviews, votes and responses, and the cards of properties. Records of idempotency keys
// are not among them: they have ids only, and expire within a day.
func OfUser(userID string) ([]Part, error) {
	of := parts{}
	of.add(keys.UsersTable, "", false)(keys.Partition(keys.Profile{UserID: userID}))
	of.add(keys.MetadataTable, "", false)(keys.Partition(keys.Wishlist{UserID: userID}))
	of.add(keys.BookingsTable, keys.UserBookingsIndex, true)(keys.Partition(keys.BookingByUser{UserID: userID}))
	of.add(keys.ReviewsTable, keys.UserReviewsIndex, false)(keys.Partition(keys.ReviewByUser{UserID: userID}))
	of.add(keys.PropertiesTable, keys.OwnerIndex, false)(keys.Partition(keys.PropertyByOwner{OwnerID: userID}))
	return of.all, of.err
}

// OfProperty returns the partitions with what is stored about a property: the property with its room types, images and amenities,
// rate plans, charges, units and who has them, what a calendar shows of the nights of a stay, bookings with their payments, and
// approved reviews.
func OfProperty(propertyID string, nights dynastay.Stay) ([]Part, error) {
	if err := nights.Validate(); err != nil {
		return nil, dynastay.Within("Nights", err)
	}
	of := parts{}
	of.add(keys.PropertiesTable, "", false)(keys.Partition(keys.Property{PropertyID: propertyID}))
	of.add(keys.PropertiesTable, "", false)(keys.Partition(keys.RatePlan{PropertyID: propertyID}))
	of.add(keys.PropertiesTable, "", false)(keys.Partition(keys.Unit{PropertyID: propertyID}))
	of.add(keys.AvailabilityTable, "", false)(keys.Partition(keys.UnitMonth{PropertyID: propertyID}))
	of.add(keys.AvailabilityTable, keys.PropertyDateIndex, false)(keys.Partition(keys.NightByProperty{PropertyID: propertyID}))
	of.add(keys.BookingsTable, keys.PropertyBookingsIndex, true)(keys.Partition(keys.BookingByProperty{PropertyID: propertyID}))
	of.add(keys.ReviewsTable, keys.PropertyReviewsIndex, false)(keys.Partition(keys.ReviewByProperty{PropertyID: propertyID}))
	from, err := keys.SortPrefix(keys.NightByProperty{Date: nights.CheckIn})
	to, err2 := keys.SortPrefix(keys.NightByProperty{Date: nights.CheckOut})
	for i, part := range of.all {
		if part.Index == keys.PropertyDateIndex {
			of.all[i].Range = dynastay.Range{From: from, To: to}
		}
	}
	return of.all, errors.Join(of.err, err, err2)
}

// OfArrivals returns the partitions with the bookings of all guests who arrive on a date, with their payments. Shards are
// those of bookings.Options.CheckInShards.
func OfArrivals(date dynastay.Date, shards key.Shards) ([]Part, error) {
	all, err := keys.Partitions(keys.BookingByCheckIn{CheckIn: date}, shards.Read)
	of := parts{err: err}
	for _, partition := range all {
		of.add(keys.BookingsTable, keys.CheckInDateIndex, true)(partition, nil)
	}
	return of.all, of.err
}

// parts collects partitions, up to the first error.
type parts struct {
	all []Part
	err error
}

func (p *parts) add(s *dynastay.Schema, index string, whole bool) func(string, error) {
	return func(partition string, err error) {
		if p.err == nil {
			p.err = err
		}
		p.all = append(p.all, Part{Table: s, Index: index, Partition: partition, Whole: whole})
	}
}

// Export calls a function with each item of some partitions; of a booking that several of them name, once. An error of the function ends it.
//
// A partition of a table is read consistently, but not in one moment: while it is read, transactions may change it. What an index
// has may be a moment old. 1 request for each partition, and 1 more for each further MB.
func (m *Mover) Export(ctx context.Context, all []Part, each func(Exported) error) error {
	seen := map[string]bool{}
	for _, part := range all {
		rows, at, err := m.read(ctx, part)
		if err != nil {
			return err
		}
		if !part.Whole {
			if err := give(part, rows, at, each); err != nil {
				return err
			}
			continue
		}
		for _, row := range rows {
			whole := Part{Table: part.Table, Partition: part.Table.Key.From(row).PK}
			if seen[whole.Table.Name+" "+whole.Partition] {
				continue
			}
			seen[whole.Table.Name+" "+whole.Partition] = true
			rows, at, err := m.read(ctx, whole)
			if err != nil {
				return err
			}
			if err := give(whole, rows, at, each); err != nil {
				return err
			}
		}
	}
	return nil
}

func give(part Part, rows []dynastay.Row, at time.Time, each func(Exported) error) error {
	for _, row := range rows {
		if err := each(Exported{Table: part.Table.Name, Index: part.Index, ReadAt: at, Item: row.Item()}); err != nil {
			return err
		}
	}
	return nil
}

// read reads a partition, and returns the time before it did.
func (m *Mover) read(ctx context.Context, part Part) ([]dynastay.Row, time.Time, error) {
	at := m.DB.Now()
	if err := m.wait(ctx); err != nil {
		return nil, at, err
	}
	rows, err := dynastay.QueryAll(ctx, m.DB, part.Table, dynastay.Query{
		Name: "migrate.Export", Index: part.Index, Partition: part.Partition, Range: part.Range, Consistent: part.Index == "",
	})
	return rows, at, err
}
