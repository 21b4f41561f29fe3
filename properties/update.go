package properties

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// UpdateOp changes a property. fn gets it as it is stored and changes what it likes, except what the library keeps: the id,
// prices, counts, ratings, amenities, times and version. Only the difference is written, over the property that fn saw:
// attributes that the library does not know stay, and two callers who change it at once both succeed. Every index key, the
// card, the slug's guard and the amenities follow in the same transaction. fn may run again.
//
// The status moves between pending, approved and rejected. An approved property stays approved here: taking it off sale
// touches every night that it has opened.
//
// Refused with [dynastay.ErrNotFound], [dynastay.ErrVersion] under [dynastay.IfVersion], [dynastay.ErrAlreadyExists]
// with Field "Slug" where the new slug belongs to another property, and [dynastay.ErrCorrupt] with Field "Card" where
// other software wrote the property without a card.
func (r *Repository) UpdateOp(propertyID string, fn func(*Property) error, opts ...dynastay.UpdateOption) *dynastay.Operation[*Property] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err == nil {
		err = propertyEntity.CheckUpdate(opts...)
	}
	foreign := map[string]bool{} // slugs whose guard belongs to another property
	return dynastay.NewOp(dynastay.OpSpec[*Property]{
		Name:    "properties.Update",
		Invalid: err,
		Input:   dynastay.InputOf(key, opts...),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Property, error) {
			c, err := r.table.Change(ctx, key, func(p *Property) error {
				before := *p
				before.AmenityIDs = slices.Clone(p.AmenityIDs)
				if err := fn(p); err != nil {
					return err
				}
				return mayChange(&before, p)
			}, opts...)
			if err != nil {
				return nil, err
			}
			return c.After, addChange(tx, c, foreign)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Property, error) {
			return r.table.Get(ctx, key, true)
		},
	})
}

// Update is [Repository.UpdateOp], sent: 2 requests, a consistent GetItem and the write.
func (r *Repository) Update(ctx context.Context, propertyID string, fn func(*Property) error, opts ...dynastay.UpdateOption) (*Property, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(propertyID, fn, opts...))
}

func addChange(tx *dynastay.Tx, c *dynastay.Change[Property], foreign map[string]bool) error {
	if !c.Changed() {
		return nil
	}
	if err := fits(c); err != nil {
		return err
	}
	if c.Before.Slug != c.After.Slug {
		if err := moveSlug(tx, c, foreign); err != nil {
			return err
		}
	}
	if placeOf(c.Before) != placeOf(c.After) {
		// The amenities' items follow from the property, and the write is conditional on all of it being as it was read: an
		// amenity that is added meanwhile is not left behind.
		for _, id := range c.After.AmenityIDs {
			move, err := (amenity{c.After.ID, id, placeOf(c.After)}).move()
			if err != nil {
				return err
			}
			tx.Add(move)
		}
	}
	return c.AddTo(tx)
}

func mayChange(before, after *Property) error {
	open := []Status{Pending, Approved, Rejected}
	switch {
	case before.ID != after.ID:
		return kept("ID")
	case before.Prices != after.Prices:
		return kept("Prices")
	case before.ImageCount != after.ImageCount:
		return kept("ImageCount")
	case before.Rating != after.Rating:
		return kept("Rating")
	case before.ReviewCount != after.ReviewCount:
		return kept("ReviewCount")
	case !slices.Equal(before.AmenityIDs, after.AmenityIDs):
		return kept("AmenityIDs")
	case !before.CreatedAt.Equal(after.CreatedAt):
		return kept("CreatedAt")
	case !before.UpdatedAt.Equal(after.UpdatedAt):
		return kept("UpdatedAt")
	case before.Version != after.Version:
		return kept("Version")
	case before.Status == after.Status:
		return nil
	case before.Status == Approved || !slices.Contains(open, before.Status) || !slices.Contains(open, after.Status):
		return dynastay.Invalid("Status", "cannot change like this by an update")
	}
	return nil
}

func kept(field string) error { return dynastay.Invalid(field, "is kept by the library") }

// fits refuses a change that makes the card too large, and one of a property without a card.
func fits(c *dynastay.Change[Property]) error {
	stored, ok := c.Item[keys.AttrCard].(*types.AttributeValueMemberM)
	if !ok {
		return &dynastay.Error{Op: "properties.Update", Entity: "Property", ID: c.After.ID, Field: keys.AttrCard, Kind: dynastay.ErrCorrupt}
	}
	card := CardOf(c.After, nil)
	var rooms Card
	if err := cardCodec.Decode(stored.Value, &rooms); err != nil {
		return &dynastay.Error{Entity: "Card", ID: c.After.ID, Kind: dynastay.ErrCorrupt, Err: err}
	}
	card.Rooms = rooms.Rooms
	_, err := card.stored()
	return err
}

// freeOrOurs lets a guard be put where nobody has the slug, and be deleted where it is ours or was never written.
var freeOrOurs = dynastay.Prepare(expression.NewBuilder().WithCondition(
	expression.AttributeNotExists(expression.Name(keys.PropertiesTable.Key.Partition)).
		Or(dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")))))

// moveSlug claims the new slug and gives the old one back, unless that is guarded for another property, which other
// software let have the same.
func moveSlug(tx *dynastay.Tx, c *dynastay.Change[Property], foreign map[string]bool) error {
	old, err := keys.Of(keys.SlugGuard{Slug: c.Before.Slug})
	if err != nil {
		return err
	}
	guard, err := slugGuard(c.After.Slug, c.After.ID)
	if err != nil {
		return err
	}
	if keys.PropertiesTable.Key.From(guard) == old {
		return nil // another spelling of the same slug
	}
	ours := freeOrOurs.With(dynastay.Item{"property": dynastay.S(c.After.ID)})
	tx.Add(
		dynastay.Put(keys.PropertiesTable, guard, ours, func(dynastay.Item) error {
			return &dynastay.Error{Op: "properties.Update", Entity: "Property", ID: c.After.ID, Field: "Slug", Kind: dynastay.ErrAlreadyExists}
		}),
	)
	if !foreign[c.Before.Slug] {
		tx.Add(dynastay.Delete(keys.PropertiesTable, old, ours, func(dynastay.Item) error {
			foreign[c.Before.Slug] = true
			return dynastay.ErrOvertaken // once more, without it
		}))
	}
	return nil
}
