package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// MaxNames is the maximum number of different names of an entry. An update that replaces all of them must fit in one
// transaction of 100 actions, together with the entry and an idempotency record.
const MaxNames = 49

// attrShared is the number of bytes that a name, folded, shares at its beginning with the preceding name of the same
// entry. With it, a list by prefix returns the entry only for the first of the names that begin with the prefix.
const attrShared = "SharedPrefix"

// CheckName returns a [*dynastay.InvalidError] if an entry cannot be found by a name: if the name contains neither a
// letter nor a digit, or has more than 1,024 bytes, or more than 256 bytes when it is folded. The error has no field,
// see [dynastay.Within].
func CheckName(name string) error {
	_, err := keys.SortPrefix(keys.CatalogName{Name: name})
	return renamed(err, "")
}

// Find lists the entries that have exactly this name, apart from case, accents, spaces and punctuation, ordered by id.
// There is usually a single one, but there may be more, such as Paris in two countries. The entries are complete except
// for a write id. A name that [CheckName] rejects is a [*dynastay.InvalidError] for the field "Name". 1 request per
// page.
func (c *Catalog[T]) Find(name string) dynastay.List[*T] {
	if c.spec.Names == nil {
		return dynastay.NoList[*T](dynastay.Invalid("Name", "is not supported: %s has no names", c.spec.Entity))
	}
	prefix, err := keys.SortPrefix(keys.CatalogName{Name: name})
	if err != nil {
		return dynastay.NoList[*T](err)
	}
	return c.table.List(c.query("Find", prefix))
}

// Complete lists the entries with a name that begins with a prefix, apart from case, accents, spaces and punctuation,
// for suggestions while a person types. The entries are in the order of their folded names, and complete except for a
// write id. An entry with several such names is listed once, at the first of them, even if the names are on different
// pages. If its names change while pages are read, it may be listed twice or not at all. The other names are read and
// consume capacity as well, but a page is still filled up to its limit. A prefix that [CheckName] rejects, such as an
// empty one, is a [*dynastay.InvalidError] for the field "Prefix". 1 request per page, more if many names are left out.
func (c *Catalog[T]) Complete(prefix string) dynastay.List[*T] {
	if c.spec.Names == nil {
		return dynastay.NoList[*T](dynastay.Invalid("Prefix", "is not supported: %s has no names", c.spec.Entity))
	}
	if err := CheckName(prefix); err != nil {
		return dynastay.NoList[*T](dynastay.Within("Prefix", err))
	}
	folded := key.Fold(prefix)
	query := c.query("Complete", keys.SortKind[keys.CatalogName]()+folded)
	return dynastay.ListOf(c.db, keys.MetadataTable, query, func(_ context.Context, row dynastay.Row) (*T, error) {
		if row.Int(attrShared) >= len(folded) {
			return nil, nil // the preceding name begins with the prefix too
		}
		return c.entity.Value(row)
	}).Filter(func(v *T) bool { return v != nil })
}

func (c *Catalog[T]) validate(v *T) error {
	if c.spec.Validate != nil {
		if err := c.spec.Validate(v); err != nil {
			return err
		}
	}
	names, err := c.namesOf(v)
	if err == nil && len(names) > MaxNames {
		err = dynastay.Invalid("Names", "must have at most %d entries, got %d", MaxNames, len(names))
	}
	return err
}

// namesOf returns the different names of an entry, folded and in order, and an error for the first one that is invalid.
func (c *Catalog[T]) namesOf(v *T) (folded []string, err error) {
	for i, name := range c.spec.Names(v) {
		if wrong := CheckName(name); wrong == nil {
			folded = append(folded, key.Fold(name))
		} else if err == nil {
			err = dynastay.Within(fmt.Sprintf("Names[%d]", i), wrong)
		}
	}
	slices.Sort(folded)
	return slices.Compact(folded), err
}

// follow puts the items of all current names, because each has a copy of the entry, and deletes those of former names.
// They need no conditions, because the transaction is conditional on the entry.
func (c *Catalog[T]) follow(tx *dynastay.Tx, before, after *T) error {
	var now []string
	if after != nil {
		var err error
		if now, err = c.namesOf(after); err == nil {
			err = c.putNames(tx, after, now)
		}
		if err != nil {
			return err
		}
	}
	if before == nil {
		return nil
	}
	was, _ := c.namesOf(before) // other software may have stored invalid names, for which there are no items
	for _, name := range was[:min(len(was), MaxNames)] {
		if slices.Contains(now, name) {
			continue
		}
		key, err := c.nameKey(before, name)
		if err != nil {
			return err
		}
		tx.Delete(keys.MetadataTable, key)
	}
	return nil
}

func (c *Catalog[T]) putNames(tx *dynastay.Tx, v *T, names []string) error {
	preceding := ""
	for _, name := range names {
		item, err := c.spec.Codec.Encode(v)
		if err != nil {
			return err
		}
		key, err := c.nameKey(v, name)
		if err != nil {
			return err
		}
		delete(item, keys.MetadataTable.WriteIDName()) // it belongs to the item of the entry
		for attribute, part := range keys.MetadataTable.Key.Of(key) {
			item[attribute] = part
		}
		item[keys.AttrEntityType] = dynastay.Text(c.spec.Entity + "Name")
		item[attrShared] = dynastay.Number(shared(preceding, name))
		tx.Put(keys.MetadataTable, item)
		preceding = name
	}
	return nil
}

func (c *Catalog[T]) nameKey(v *T, name string) (dynastay.Key, error) {
	return keys.Of(keys.CatalogName{Catalog: c.spec.Type, Name: name, ItemID: c.spec.IDOf(v)})
}

// shared returns the number of bytes that both texts begin with.
func shared(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
