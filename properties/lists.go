package properties

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Owned is a property as its owner's list shows it.
type Owned struct {
	*Card
	Status Status
}

// ByOwner lists the properties of an owner, whatever their status, ordered by id. The list is eventually consistent:
// recent changes may not be visible yet.
//
// A row that other software wrote has no card. ByOwner then reads the property, with 1 more request for each such row.
//
// Pattern P9: GSI3-OwnerIndex, GSI3PK = OWNER#{userId}, 1 request
func (r *Repository) ByOwner(ownerID string) dynastay.List[*Owned] {
	partition, err := keys.Partition(keys.PropertyByOwner{OwnerID: ownerID})
	if err != nil {
		return dynastay.NoList[*Owned](err)
	}
	return dynastay.ListOf(r.db, keys.PropertiesTable, dynastay.Query{
		Name: "properties.ByOwner", Index: keys.OwnerIndex, Partition: partition,
	}, func(ctx context.Context, row dynastay.Row) (*Owned, error) {
		card, err := cardOf(row)
		if card != nil || err != nil {
			return &Owned{card, Status(row.Text(keys.AttrStatus))}, err
		}
		found, err := r.load(ctx, keys.PropertiesTable.Key.From(row))
		if err != nil || found == nil || found.OwnerID != ownerID {
			return nil, err
		}
		return &Owned{found.Card(), found.Status}, nil
	}).Filter(func(o *Owned) bool { return o != nil })
}

// Submitted is a property that waits for approval.
type Submitted struct {
	*Card
	CreatedAt time.Time `json:",omitzero"` // of the property, in whole seconds
}

// PendingApprovals lists the properties that wait for approval, oldest first. The list is eventually consistent: a
// property that was just approved may still be listed. A property that other software wrote is listed once it has been
// adopted, see [Repository.Adopt]. Each shard takes 1 request per page; the requests are sent in parallel.
//
// Pattern pending approvals: GSI11-StatusIndex, GSI11PK = STATUS#pending, 1 request
func (r *Repository) PendingApprovals() dynastay.List[*Submitted] {
	shards, err := keys.Partitions(keys.PropertyByStatus{Status: string(Pending)}, r.opts.PendingShards.Read)
	if err != nil {
		return dynastay.NoList[*Submitted](err)
	}
	return dynastay.ListOf(r.db, keys.PropertiesTable, dynastay.Query{
		Name: "properties.PendingApprovals", Index: keys.PropertyStatusIndex, Partition: shards[0], Shards: shards[1:],
	}, func(_ context.Context, row dynastay.Row) (*Submitted, error) {
		card, err := cardOf(row)
		if card == nil || err != nil {
			return nil, err
		}
		at, err := keys.Parse[keys.PropertyByStatus](pendingIndex.From(row))
		return &Submitted{card, at.Created}, err
	}).Filter(func(s *Submitted) bool { return s != nil })
}

var pendingIndex = func() dynastay.KeyNames {
	index, _ := keys.PropertiesTable.Index(keys.PropertyStatusIndex)
	return index.Key
}()

// bestRated lists the cards of an index whose sort keys begin with the guest rating, best rated first. at is the key of
// the lowest rating, minimum; a minimum of 0 selects the whole partition.
func bestRated[K any, P key.Layout[K]](
	r *Repository, name, index string, at K, minimum dynastay.Rating, shards int, meets func(*Card) bool,
) dynastay.List[*Card] {
	partitions, err := keys.Partitions[K, P](at, shards)
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	var rated dynastay.Range
	if minimum != 0 {
		if rated.From, err = keys.SortPrefix[K, P](at); err != nil {
			return dynastay.NoList[*Card](renamed("MinRating", err))
		}
	}
	return r.cards(dynastay.Query{
		Name: name, Index: index, Partition: partitions[0], Shards: partitions[1:], Range: rated, Descending: true,
	}, func(c *Card) bool { return c.Rating >= minimum && meets(c) })
}

// cards lists the cards that meet a query. Even the cards in its range are checked: the sort key of a row that other
// software wrote may have a different form.
func (r *Repository) cards(q dynastay.Query, meets func(*Card) bool) dynastay.List[*Card] {
	return dynastay.ListOf(r.db, keys.PropertiesTable, q, func(ctx context.Context, row dynastay.Row) (*Card, error) {
		return r.cardOf(ctx, row, q)
	}).Filter(func(c *Card) bool { return c != nil && meets(c) })
}

// cardOf returns the card of a row of an index. If the row has none, it builds the card from the property. Other
// software may have written index keys for any property, or may have left them as they were after a change. So cardOf
// returns nil if that property no longer exists, or if its own keys are not in the partitions of the query, which they
// are not unless it is approved.
func (r *Repository) cardOf(ctx context.Context, row dynastay.Row, q dynastay.Query) (*Card, error) {
	card, err := cardOf(row)
	if card != nil || err != nil {
		return card, err
	}
	found, err := r.load(ctx, keys.PropertiesTable.Key.From(row))
	if err != nil || found == nil {
		return nil, err
	}
	at, err := propertyIndexes(r.opts)[q.Index](&found.Property)
	if err != nil { // only the text: it is not about the caller's arguments
		return nil, &dynastay.Error{Entity: "Property", ID: found.ID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
	}
	if at.PK != q.Partition && !slices.Contains(q.Shards, at.PK) {
		return nil, nil
	}
	return found.Card(), nil
}
