package regions

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes regions. Methods whose names end in Op return operations for [dynastay.DB.Write]; the
// methods without Op send the same operation alone.
type Repository struct {
	db     *dynastay.DB
	entity *entity.Entity[Region]
	table  *entity.Table[Region]
}

// New returns a repository. It sends no requests.
func New(db *dynastay.DB) *Repository {
	r := &Repository{db: db, entity: newRegions()}
	r.table = entity.NewTable(db, r.entity)
	return r
}

// at returns the key of a region.
func at(t Type, code string) (dynastay.Key, error) {
	if err := t.Validate(); err != nil {
		return dynastay.Key{}, err
	}
	return key.Of(keys.Region{Type: string(t), Code: code})
}

// CreateOp writes a new region. It fails with [dynastay.ErrAlreadyExists], and with the error of [Region.Validate].
func (r *Repository) CreateOp(region Region) *dynastay.Operation[*Region] {
	region.complete()
	return r.table.CreateOp(&region)
}

// Create runs [Repository.CreateOp]. 1 request.
func (r *Repository) Create(ctx context.Context, region Region, opts ...dynastay.WriteOption) (*Region, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(region), opts...)
}

// UpdateOp reads a region consistently, passes it to fn, and writes the difference, together with the items of its
// names and cells. Attributes that the library does not know are kept, and if two callers update a region at the same
// time, both changes are kept; fn may be called more than once. If the Center is no longer within the Box, fn must change
// it as well, or set it to nil for the middle of the Box. UpdateOp fails with [dynastay.ErrNotFound], with [dynastay.ErrVersion]
// if the condition of [dynastay.IfWritten] does not hold, and like [Repository.CreateOp] for an invalid region.
func (r *Repository) UpdateOp(
	t Type, code string, fn func(*Region) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Region] {
	at, err := at(t, code)
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Region]{Name: "regions.Update", Invalid: err})
	}
	return r.table.UpdateOp(at, func(region *Region) error {
		if err := fn(region); err != nil {
			return err
		}
		region.complete()
		return nil
	}, opts...)
}

// Update runs [Repository.UpdateOp]. 2 requests: a consistent read and the write.
func (r *Repository) Update(
	ctx context.Context, t Type, code string, fn func(*Region) error, opts ...dynastay.UpdateOption,
) (*Region, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(t, code, fn, opts...))
}

// DeleteOp deletes a region with the items of its names and cells. It does not check whether visits still name the
// region. It fails with [dynastay.ErrNotFound], unless [dynastay.OrMissing] is given, and with [dynastay.ErrVersion] if
// the condition of [dynastay.IfWritten] does not hold.
func (r *Repository) DeleteOp(t Type, code string, opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	at, err := at(t, code)
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: "regions.Delete", Invalid: err})
	}
	return r.table.DeleteOp(at, opts...)
}

// Delete runs [Repository.DeleteOp]. 2 requests: a consistent read and the write.
func (r *Repository) Delete(ctx context.Context, t Type, code string, opts ...dynastay.UpdateOption) error {
	_, err := dynastay.Do(ctx, r.db, r.DeleteOp(t, code, opts...))
	return err
}

// Get reads a region, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent].
//
// Pattern T11: PK = GEO#{type}, SK = REGION#{code}, 1 request
func (r *Repository) Get(ctx context.Context, t Type, code string, opts ...dynastay.ReadOption) (*Region, error) {
	at, err := at(t, code)
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, at, opts...)
}

// GetAll reads regions. The result is in the order of refs, with nil for a region that does not exist or cannot be
// read; for the latter, GetAll also returns a [*dynastay.UnreadableError]. 1 request for every 100 different regions.
func (r *Repository) GetAll(ctx context.Context, refs []Ref, opts ...dynastay.ReadOption) ([]*Region, error) {
	all := make([]dynastay.Key, len(refs))
	for i, ref := range refs {
		var err error
		if all[i], err = at(ref.Type, ref.Code); err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Refs[%d]", i), err)
		}
	}
	return r.table.GetAll(ctx, all, opts...)
}

// All lists the regions of a type by code. 1 request per page.
func (r *Repository) All(t Type) dynastay.List[*Region] {
	query, err := all(t)
	if err != nil {
		return dynastay.NoList[*Region](err)
	}
	return r.table.List(query)
}

// all is the query of the regions of a type.
func all(t Type) (dynastay.Query, error) {
	partition, err := key.Partition(keys.Region{Type: string(t)})
	return dynastay.Query{Name: "regions.All", Partition: partition}, cmp.Or(t.Validate(), err)
}
