// Package catalog stores a platform's catalogues, such as the amenities and the locations, and its configuration items.
//
// [Amenities] and [Locations] are the catalogues that every platform for lodging needs. [New] declares a catalogue of
// your own, and [NewSetting] a configuration item.
//
//   - an entry by its id: [Catalog.Get], GetItem Metadata
//   - all entries: [Catalog.All], Query Metadata, SK begins with ITEM#
//   - entries with a name: [Catalog.Find], Query Metadata, SK begins with NAME#{name}#
//   - entries with a name that begins with ...: [Catalog.Complete], Query Metadata, SK begins with NAME#{prefix}
//   - a configuration item: [Setting.Get], GetItem Metadata
//
// Lists are eventually consistent: an entry that was just written may be missing or shown as it was before. A catalogue
// is one partition, from which DynamoDB reads up to about 6,000 pages of up to 4 KB a second.
//
// # Names
//
// An entry is found by each of its names, however people type them: case, accents, spaces and punctuation do not
// matter, see [key.Fold]. For each name there is an item with a copy of the entry, written in the same transaction as
// the entry, so that a single Query returns complete entries. The copies cost write units: each write of an entry with
// n names takes 2 × (n + 1) units for each KB, and 2 more for each name that it removes. That suits catalogues, which
// are read often and changed rarely.
//
// Entries are found by their names only if this package wrote them. An entry that other software wrote is returned by
// Get and All, and is found by its names after the first update that changes it. If other software changes an entry
// that this package wrote, its names and copies remain as they were until the next update here. If the other software
// removed a name, the entry is still found by it until an update here adds the name and another one removes it.
//
// # Destinations
//
// A search for properties by city takes the city and the country exactly as the properties have them. A [Location] has
// these two texts, and aliases for what else people type:
//
//	for location, err := range catalog.Locations(db).Find("zurich switzerland").All(ctx) {
//		…
//		page, err := repo.ByCity(properties.CityQuery{City: location.City, Country: location.Country}).Page(…)
//	}
package catalog
