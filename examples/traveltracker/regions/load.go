package regions

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
)

// Load stores reference data, such as that of package reference: it creates the regions that do not exist, and updates
// those that differ, with the items of their names and cells. It returns how many regions it has written. Regions that
// are not in data are left as they are, and so are attributes that the library does not know.
//
// Each region is written in one transaction of its own, several at a time, see [dynastay.Options]. Load can be broken
// off at any request, and fail at any; call it again with the same data to complete it. If there is nothing to change,
// it writes nothing. An invalid region is refused before any request, for the field "Data[i]" with the region's own
// field, such as "Data[3].Name".
//
// 1 request for every 100 regions, 1 for each region that is created, and 2 for each that is updated: a consistent read
// and the write.
func (r *Repository) Load(ctx context.Context, data []Region) (changed int, err error) {
	at, err := prepare(data)
	if err != nil {
		return 0, err
	}
	rows, err := r.db.GetAll(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil {
		return 0, err
	}
	var differ []int
	for i, row := range rows {
		if !r.isLoaded(row, data[i]) {
			differ = append(differ, i)
		}
	}
	written := make([]bool, len(differ))
	err = r.db.Each(ctx, len(differ), func(ctx context.Context, n int) (err error) {
		i := differ[n]
		written[n], err = r.loadOne(ctx, at[i], data[i], rows[i].Exists())
		return err
	})
	for _, w := range written {
		if w {
			changed++
		}
	}
	return changed, err
}

// loadOne stores one region, which may have been created or deleted since it was found to exist or not. It reports
// whether there was anything to write.
func (r *Repository) loadOne(ctx context.Context, at dynastay.Key, data Region, exists bool) (written bool, err error) {
	for {
		if exists {
			written, err = dynastay.Do(ctx, r.db, r.loadOp(at, data))
			if !errors.Is(err, dynastay.ErrNotFound) {
				return written, err
			}
		} else {
			var created Region
			created.take(data)
			_, err = r.table.Create(ctx, &created)
			if !errors.Is(err, dynastay.ErrAlreadyExists) {
				return err == nil, err
			}
		}
		exists = !exists
	}
}

// prepare checks reference data and returns the keys of its regions.
func prepare(data []Region) ([]dynastay.Key, error) {
	all, seen := make([]dynastay.Key, len(data)), map[dynastay.Key]bool{}
	for i := range data {
		err := data[i].Validate()
		if err == nil {
			all[i], err = at(data[i].Type, data[i].Code)
		}
		if err == nil && seen[all[i]] {
			err = dynastay.Invalid("Code", "must not occur twice")
		}
		if err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Data[%d]", i), err)
		}
		seen[all[i]] = true
	}
	return all, nil
}

// isLoaded reports whether a region is stored as the data says.
func (r *Repository) isLoaded(row dynastay.Row, data Region) bool {
	if row.Int(attrSchema) != schemaVersion {
		return false
	}
	stored, err := r.entity.Value(row)
	if err != nil {
		return false // the write shows the error
	}
	want := *stored
	want.take(data)
	is, err1 := r.entity.Codec.Encode(stored)
	should, err2 := r.entity.Codec.Encode(&want)
	return err1 == nil && err2 == nil && reflect.DeepEqual(is, should)
}

// loadOp updates one region. The result is whether there was anything to write.
func (r *Repository) loadOp(at dynastay.Key, data Region) *dynastay.Operation[bool] {
	return dynastay.NewOp(dynastay.OpSpec[bool]{
		Name: "regions.Load",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (bool, error) {
			c, err := r.table.Change(ctx, at, func(stored *Region) error {
				stored.take(data)
				return nil
			})
			if err != nil {
				return false, err
			}
			if c.Row.Int(attrSchema) != schemaVersion {
				if err := c.Whole(); err != nil {
					return false, err
				}
			}
			return c.Changed(), c.AddTo(tx)
		},
	})
}
