package regions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// MaxPartitions is the maximum number of partitions that [Repository.InView] reads.
const MaxPartitions = 32

// Placed is a region on the map. [Repository.GetAll] reads the rest of it.
type Placed struct {
	Ref
	Box Box
}

// place is the item of a cell, or what a region has in common with it.
type place struct {
	Ref
	box *Box
}

var placeCodec = entity.Declare(func(f *entity.Fields, p *place) {
	entity.String(f, attrType, &p.Type)
	f.String(attrCode, &p.Code)
	declareBox(f, &p.box)
})

// InView returns the regions whose boxes meet a part of the map, including those that only touch its edge, ordered by
// type and code. With types, it returns only regions of these types. A region's box is larger than the region, so the
// region itself may be outside the view. Regions without a box are never in view.
//
// It reads the small cells of the view and the large ones, in parallel; a view that would take more than
// [MaxPartitions] partitions reads all regions of the types instead. The partitions are read separately, so a region
// whose box is being moved may be missing. If an item cannot be read, InView returns a [*dynastay.UnreadableError]
// together with the other regions. An invalid view is a [*dynastay.InvalidError] for the fields of [Box] or for
// "Types[i]".
//
// Pattern T13: PK = BBOX#{cell}; for a larger view PK = GEO#{type}, at most 32 requests
func (r *Repository) InView(ctx context.Context, view Box, types ...Type) ([]Placed, error) {
	if err := view.Validate(); err != nil {
		return nil, err
	}
	for i, t := range types {
		if t.Validate() != nil {
			return nil, dynastay.Invalid(fmt.Sprintf("Types[%d]", i), "must be one of %v", Types())
		}
	}
	if len(types) == 0 {
		types = Types()
	}
	queries, err := queriesOf(view, types)
	if err != nil {
		return nil, err
	}
	found := found{view: view, types: types, at: map[Ref]Placed{}}
	err = r.db.Each(ctx, len(queries), func(ctx context.Context, i int) error {
		rows, err := dynastay.QueryAll(ctx, r.db, keys.Table, queries[i])
		found.add(rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found.result()
}

// queriesOf returns the queries of the partitions that contain all regions in view.
func queriesOf(view Box, types []Type) (queries []dynastay.Query, err error) {
	cells := slices.Concat(small.cells(view), large.cells(view))
	if len(cells) > MaxPartitions {
		for _, t := range slices.Compact(slices.Sorted(slices.Values(types))) {
			query, err := all(t)
			if err != nil {
				return nil, err
			}
			queries = append(queries, query)
		}
		return queries, nil
	}
	for _, cell := range cells {
		partition, err := key.Partition(keys.Box{Cell: cell})
		if err != nil {
			return nil, err
		}
		queries = append(queries, dynastay.Query{Partition: partition})
	}
	return queries, nil
}

// found collects the regions in view. A region is in several cells.
type found struct {
	view  Box
	types []Type

	mu         sync.Mutex
	at         map[Ref]Placed
	unreadable []error
}

func (f *found) add(rows []dynastay.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, row := range rows {
		p, err := entity.Read("Region", row.Text(attrCode), placeCodec, row)
		switch {
		case err != nil:
			f.unreadable = append(f.unreadable, err)
		case p.box != nil && slices.Contains(f.types, p.Type) && p.box.Meets(f.view):
			f.at[p.Ref] = Placed{p.Ref, *p.box}
		}
	}
}

func (f *found) result() (all []Placed, err error) {
	for _, p := range f.at {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Placed) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Code, b.Code)) })
	if len(f.unreadable) > 0 {
		return all, &dynastay.UnreadableError{Items: f.unreadable}
	}
	return all, nil
}
