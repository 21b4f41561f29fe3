package catalog

import "github.com/dynastay/dynastay/entity"

// EntityOf returns the entity of a catalogue's entries.
func EntityOf[T any](c *Catalog[T]) *entity.Entity[T] { return c.entity }

// SettingEntity returns the entity of a setting.
func SettingEntity[T any](s *Setting[T]) *entity.Entity[Versioned[T]] { return s.catalog.entity }
