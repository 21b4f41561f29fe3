package regions

import (
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// MaxAliases is the maximum number of aliases of a region. An update that replaces all of them and moves the box must
// fit in one transaction of 100 actions, together with the region and an idempotency record.
const MaxAliases = 20

// follow puts the items of all current aliases and cells, because they have copies of the region's names and edges, and
// deletes those of former ones. They need no conditions, because the transaction is conditional on the region.
func follow(tx *dynastay.Tx, before, after *Region) error {
	current := map[dynastay.Key]bool{}
	if after != nil {
		items, err := following(after)
		if err != nil {
			return err
		}
		for _, item := range items {
			current[keys.Table.Key.From(dynastay.RowOf(item))] = true
			tx.Put(keys.Table, item)
		}
	}
	if before == nil {
		return nil
	}
	items, err := following(before)
	if err != nil {
		return err
	}
	for _, item := range items {
		if at := keys.Table.Key.From(dynastay.RowOf(item)); !current[at] {
			tx.Delete(keys.Table, at)
		}
	}
	return nil
}

// following returns the items that follow a region. Other software may have stored aliases and edges that are refused
// here, for which there are no items.
func following(r *Region) (items []dynastay.Item, err error) {
	shared := sharedPrefixes(r)
	done := map[string]bool{key.Fold(r.Name): true}
	for _, alias := range r.Aliases[:min(len(r.Aliases), MaxAliases)] {
		name := key.Fold(alias)
		if done[name] || checkName(alias) != nil {
			continue
		}
		done[name] = true
		item, err := aliasItem(r, alias)
		if err != nil {
			return nil, err
		}
		item[attrShared] = dynastay.Number(shared[name])
		items = append(items, item)
	}
	if r.Box == nil || r.Box.Validate() != nil {
		return items, nil
	}
	for _, cell := range cellsOf(*r.Box) {
		item, err := boxItem(r, cell)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// aliasItem returns the item of an alias, which has what [Repository.ByName] shows.
func aliasItem(r *Region, alias string) (dynastay.Item, error) {
	at, err := key.Of(keys.Alias{Type: string(r.Type), Code: r.Code, Name: alias})
	if err != nil {
		return nil, err
	}
	row, err := nameKey(r, alias)
	if err != nil {
		return nil, err
	}
	item, err := matchCodec.Encode(&Match{Ref: r.Ref(), Name: r.Name, DisplayName: r.DisplayName, Matched: alias})
	if err != nil {
		return nil, err
	}
	return with(item, keys.Table.Key.Of(at), keys.Table.Indexes[0].Key.Of(row)), nil
}

// boxItem returns the item of a region in one cell.
func boxItem(r *Region, cell string) (dynastay.Item, error) {
	at, err := key.Of(keys.Box{Cell: cell, Type: string(r.Type), Code: r.Code})
	if err != nil {
		return nil, err
	}
	item, err := placeCodec.Encode(&place{r.Ref(), r.Box})
	if err != nil {
		return nil, err
	}
	return with(item, keys.Table.Key.Of(at)), nil
}

// with adds attributes to an item.
func with(item dynastay.Item, more ...dynastay.Item) dynastay.Item {
	item[attrSchema] = dynastay.Number(schemaVersion)
	for _, attributes := range more {
		for name, v := range attributes {
			item[name] = v
		}
	}
	return item
}

// sharedPrefixes returns attrShared for each name of a region, by the folded name.
func sharedPrefixes(r *Region) map[string]int {
	names := []string{key.Fold(r.Name)}
	for _, alias := range r.Aliases {
		names = append(names, key.Fold(alias))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	all := map[string]int{}
	for i, name := range names {
		if i > 0 {
			all[name] = shared(names[i-1], name)
		}
	}
	return all
}

// shared returns the number of bytes that both texts begin with.
func shared(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Ref returns what identifies the region.
func (r *Region) Ref() Ref { return Ref{r.Type, r.Code} }
