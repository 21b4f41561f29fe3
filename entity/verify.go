package entity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// DifferentError means that what is stored of an entity contradicts itself. It matches [dynastay.ErrCorrupt].
type DifferentError struct {
	Entity, ID string
	Foreign    bool     // other software has written the item, and it has not been adopted
	Attributes []string // those that are not what follows from the others, such as index keys
	Unguarded  []string // the fields of unique values whose guard is missing, or belongs to another entity
	Guard      string   // the key of a guard that names the entity, which does not have the value
	Items      []string // the keys of items that belong to the entity: missing, not as they follow from it, or left over
	Gone       bool     // the entity does not exist, so all of the Items are left over
}

// Error names the entity and what contradicts it.
func (e *DifferentError) Error() string {
	var all []string
	if e.Foreign {
		all = append(all, "it has not been adopted")
	}
	if len(e.Attributes) > 0 {
		all = append(all, "not as they follow from the item: "+strings.Join(e.Attributes, ", "))
	}
	if len(e.Unguarded) > 0 {
		all = append(all, "without a guard of its own: "+strings.Join(e.Unguarded, ", "))
	}
	if e.Guard != "" {
		all = append(all, "it does not have the value of the guard "+e.Guard)
	}
	if e.Gone {
		all = append(all, "it does not exist")
	}
	if len(e.Items) > 0 {
		all = append(all, "items that do not follow from it: "+strings.Join(e.Items, ", "))
	}
	return fmt.Sprintf("%s %s: %s", e.Entity, e.ID, strings.Join(all, "; "))
}

// Is makes it match [dynastay.ErrCorrupt].
func (*DifferentError) Is(target error) bool { return target == dynastay.ErrCorrupt }

// VerifyRow compares an item with what follows from it: index keys and other derived attributes, and the guards of its unique
// values. It fails with a [*DifferentError], or with [dynastay.ErrCorrupt] for an item that cannot be read. It writes nothing, and
// reports false, so that it can be the Each of a walk of package migrate, which counts such items as refused.
// [Table.MendRow] mends what it finds.
//
// The row may be of any read, also of an old one: what has changed since, or is deleted, is no difference. What seems to differ is read
// again. What has become different since is only found in a row that was read since. 1 request for an entity with unique values,
// otherwise none; 1 to 3 more for one that seems to differ.
func (t *Table[T]) VerifyRow(ctx context.Context, row dynastay.Row) (changed bool, err error) {
	return false, t.core.verifyRow(ctx, row)
}

// VerifyGuard is [Table.VerifyRow] for the guard of a unique value: it compares it with the entity that it names. 1 request; 3 more
// for one that seems to differ.
func (t *Table[T]) VerifyGuard(ctx context.Context, row dynastay.Row) (changed bool, err error) {
	return false, t.core.verifyGuard(ctx, row)
}

// MendRow writes everything that follows from an item, as [Table.AdoptRow] does, if [Table.VerifyRow] finds a difference. It reports
// whether it has written something. A unique value that belongs to another entity is left to that one. 2 requests more.
func (t *Table[T]) MendRow(ctx context.Context, row dynastay.Row) (mended bool, err error) {
	return t.core.mendRow(ctx, row)
}

// mostVerified limits how often an item is read again that keeps changing.
const mostVerified = 10

// verifyRow believes nothing that it has not read itself: the row may be of an index, or of an old export.
func (t *table) verifyRow(ctx context.Context, row dynastay.Row) error {
	key := t.Schema.Key.From(row)
	for range mostVerified {
		different := t.compared(ctx, key, row)
		if !errors.Is(different, dynastay.ErrCorrupt) {
			return different
		}
		now, err := t.db.Get(ctx, t.Schema, key, dynastay.Consistent)
		if err != nil || !now.Exists() {
			return err
		}
		if stored.EqualItems(now.Item(), row.Item()) {
			return different
		}
		row = now
	}
	return nil // it is written all the time, and so by the library
}

// compared fails with a [*DifferentError] if a row contradicts itself or the guards.
func (t *table) compared(ctx context.Context, key dynastay.Key, row dynastay.Row) error {
	c, err := t.changeOf(key, row, func(any) error { return nil }, nil)
	if err == nil {
		err = c.Whole()
	}
	if err != nil {
		return corrupted(t.Name, t.idOf(key), err)
	}
	d := &DifferentError{Entity: t.Name, ID: t.idOf(key), Foreign: writtenBy(t.Schema, row) == ""}
	d.Attributes = c.Attributes()
	if d.Unguarded, err = t.unguarded(ctx, c.after); err != nil {
		return err
	}
	if !d.Foreign && len(d.Attributes)+len(d.Unguarded) == 0 {
		return nil
	}
	return d
}

// unguarded returns the fields of the values whose guard is not that of the entity.
func (t *table) unguarded(ctx context.Context, v any) (fields []string, err error) {
	var keys []dynastay.Key
	var guards []guard
	for _, g := range t.guards {
		if key, err := g.key(v); err == nil && key != (dynastay.Key{}) { // for any other there can be no guard
			keys, guards = append(keys, key), append(guards, g)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	rows, err := t.db.GetAll(ctx, t.Schema, keys, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	own, err := t.Key(v)
	for i, g := range guards {
		if owner, other := g.keyOfOwner(rows[i]); err == nil && (!rows[i].Exists() || other != nil || owner != own) {
			fields = append(fields, g.Field)
		}
	}
	return fields, err
}

func (t *table) verifyGuard(ctx context.Context, row dynastay.Row) error {
	at := t.Schema.Key.From(row)
	var d *DifferentError
	for range 2 { // an entity may change its value back between two reads, but hardly twice
		var err error
		if d, err = t.differentGuard(ctx, at, row); err != nil || d == nil {
			return err
		}
		if row, err = t.db.Get(ctx, t.Schema, at, dynastay.Consistent); err != nil || !row.Exists() {
			return err
		}
	}
	return d
}

func (t *table) differentGuard(ctx context.Context, at dynastay.Key, row dynastay.Row) (*DifferentError, error) {
	d := &DifferentError{Entity: t.Name, Guard: at.String()}
	var own dynastay.Key // which has been read
	var stored dynastay.Row
	for _, g := range t.guards {
		owner, err := g.keyOfOwner(row)
		if err != nil {
			continue // it is a guard of another value, or of nothing
		}
		d.ID = t.idOf(owner)
		if owner != own {
			if stored, err = t.db.Get(ctx, t.Schema, owner, dynastay.Consistent); err != nil {
				return nil, err
			}
			own = owner
		}
		if !stored.Exists() {
			continue
		}
		v, err := t.value(stored)
		if err != nil {
			return nil, err
		}
		if now, err := g.key(v); err == nil && now == at {
			return nil, nil
		}
	}
	return d, nil
}

func (t *table) mendRow(ctx context.Context, row dynastay.Row) (bool, error) {
	err := t.verifyRow(ctx, row)
	var different *DifferentError
	if !errors.As(err, &different) {
		return false, err
	}
	return t.writeDerived(ctx, t.Schema.Key.From(row), func(dynastay.Row) bool { return true })
}
