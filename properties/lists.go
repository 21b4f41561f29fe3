package properties

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
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
func (r *Repository) ByOwner(ownerID string) dynastay.Listing[*Owned] {
	partition, err := keys.Partition(keys.PropertyByOwner{OwnerID: ownerID})
	if err != nil {
		return dynastay.NoListing[*Owned](err)
	}
	return dynastay.List(r.db, keys.PropertiesTable, dynastay.Query{
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
	CreatedAt time.Time // of the property, in whole seconds
}

// PendingApprovals lists the properties that wait for approval, oldest first. The list is eventually consistent: a
// property that was just approved may still be listed. A property that other software wrote is listed once it has been
// adopted, see [Repository.Adopt]. Each shard takes 1 request per page; the requests are sent in parallel.
//
// Pattern pending approvals: GSI11-StatusIndex, GSI11PK = STATUS#pending, 1 request
func (r *Repository) PendingApprovals() dynastay.Listing[*Submitted] {
	shards, err := keys.Partitions(keys.PropertyByStatus{Status: string(Pending)}, r.opts.PendingShards.Read)
	if err != nil {
		return dynastay.NoListing[*Submitted](err)
	}
	return dynastay.List(r.db, keys.PropertiesTable, dynastay.Query{
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
