package catalog

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Changes returns the decoder for the changes of the catalogue's entries, see package entity/stream. Each entry is as
// [Catalog.Get] returns it. Creating, updating and deleting an entry produce one change of it; the items of its names
// are copies, and their changes are not decoded. Changes sends no requests.
//
// The schema of [keys.MetadataTable] enables no stream: enable one with the view type NEW_AND_OLD_IMAGES. Package
// consumer must then store its positions in another table.
func (c *Catalog[T]) Changes() stream.Decoder[T] {
	return stream.NewDecoder(c.db, keys.MetadataTable, func(stored dynastay.Key) bool {
		item, err := keys.Parse[keys.CatalogItem](stored)
		return err == nil && item.Catalog == c.spec.Type
	}, c.entity.Value)
}

// Changes returns the decoder for the changes of the setting, as [Catalog.Changes] does. Other settings have their own
// decoders.
func (s *Setting[T]) Changes() stream.Decoder[Versioned[T]] {
	return stream.NewDecoder(s.catalog.db, keys.MetadataTable, func(stored dynastay.Key) bool {
		item, err := keys.Parse[keys.CatalogItem](stored)
		return err == nil && item == keys.CatalogItem{Catalog: configType, ItemID: s.name}
	}, s.catalog.entity.Value)
}
