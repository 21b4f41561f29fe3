// Package properties stores the properties of a platform with their room types, and finds them.
//
// A property is one item; its room types, images and amenities are further items in the same partition. The data that a
// search result shows is copied into one map on the property, its [Card], which is all that the search indexes project.
// So a page of fifty results costs a fraction of reading fifty properties, and a room on a card can be quoted and
// booked without reading the property. A property is in the search indexes only while it is approved.
//
//	| access pattern | method | request |
//	|---|---|---|
//	| P1 | [Repository.ByCity] | Query GSI1-LocationIndex |
//	| P7 | [Repository.Get]    | GetItem Properties; [Repository.GetWithRooms]: Query Properties |
//	| P8 | [Repository.BySlug] | Query GSI6-SlugIndex, then the property with its rooms |
//
// Each slug and each room type id belongs to only one property. Both are protected by a guard, a separate item that
// makes them unique, in the transaction that writes them.
package properties
