// Package properties keeps the properties of a platform with their room types, and finds them.
//
// A property is one item, its room types, images and amenities are items beside it. What a search result shows is
// copied into one map on the property, its [Card], which is all that the search indexes hold: a page of fifty results
// costs a fraction of fifty properties, and an offer made of a card can be quoted and booked without reading the
// property. A property is in the search indexes while it is approved.
//
//	| pattern | method | request |
//	|---|---|---|
//	| P1 | [Repository.ByCity] | Query GSI1-LocationIndex |
//	| P7 | [Repository.Get]    | GetItem Properties; [Repository.GetWithRooms]: Query Properties |
//	| P8 | [Repository.BySlug] | Query GSI6-SlugIndex, then the property with its rooms |
//
// A slug belongs to one property, and a room type's id to one property: both are guarded in the transaction that
// writes them.
package properties
