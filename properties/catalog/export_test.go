package catalog

import "github.com/dynastay/dynastay/entity"

// EntityOf returns the entity of a catalogue's entries.
func EntityOf[T any](c *Catalog[T]) *entity.Entity[T] { return c.entity }
