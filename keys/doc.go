// Package keys is the one place where the hotel's tables, indexes and keys are written down: their names, the text of
// every key, and how to read it back. Repositories build keys with it; nobody formats one by hand.
//
// Each key is a struct, declared with package key, which says what the kinds of text are and what all keys guarantee.
// [Of] writes it, [Parse] reads it, [Partition] and [SortPrefix] are for queries:
//
//	key, err := keys.Of(keys.Night{RoomTypeID: "room_789", Date: date}) // ROOM#room_789 / DATE#2025-01-15
//	night, err := keys.Parse[keys.Night](key)
//
// # Tables
//
//	PropertiesTable
//	  items                       Property, RoomType, Image, Amenity, SlugGuard, RoomTypeGuard
//	  GSI1-LocationIndex          PropertyByCity
//	  GSI2-GeoIndex               PropertyByArea
//	  GSI3-OwnerIndex             PropertyByOwner
//	  GSI4-TypeRatingIndex        PropertyByType
//	  GSI5-FeaturedIndex          FeaturedProperty
//	  GSI6-SlugIndex              PropertyBySlug
//	  GSI7-PriceIndex             PropertyByPrice
//	  GSI8-RatingIndex            PropertyByStars
//	  GSI9-AmenitiesIndex         PropertyByAmenity
//	  GSI10-GeohashIndex          PropertyByCell
//	  GSI11-StatusIndex           PropertyByStatus
//	AvailabilityTable
//	  items                       Night
//	  GSI1-PropertyDateIndex      NightByProperty
//	BookingsTable
//	  items                       Booking, Payment, PaymentAttempt, Refund, BookingRoom, ReferenceGuard
//	  GSI1-UserBookingsIndex      BookingByUser
//	  GSI2-PropertyBookingsIndex  BookingByProperty
//	  GSI3-StatusIndex            BookingByStatus
//	  GSI4-ReferenceIndex         BookingByReference
//	  GSI5-CheckInDateIndex       BookingByCheckIn
//	  GSI6-HoldIndex              BookingByHold
//	UsersTable
//	  items                       Profile, Loyalty, LoyaltyEntry, Preference, Erased, EmailGuard, EmailConfig
//	  GSI1-EmailIndex             ProfileByEmail
//	ReviewsTable
//	  items                       Review, Response, Vote, BookingReviewGuard
//	  GSI1-PropertyReviewsIndex   ReviewByProperty
//	  GSI2-UserReviewsIndex       ReviewByUser, VoteByUser, ResponseByUser
//	  GSI3-StatusIndex            ReviewByStatus
//	  GSI4-BookingReviewIndex     ReviewByBooking
//	MetadataTable
//	  items                       Wishlist, CatalogItem, PromoCode, IdempotencyRecord, ScopedIdempotencyRecord
//
// The constants of index names leave the number out. Three tables have a StatusIndex; theirs begin with the entity:
// [PropertyStatusIndex], [BookingStatusIndex], [ReviewStatusIndex].
//
// # Where the keys depart from the hotel-booking document
//
// Numbers are padded, because sort keys compare as text: unpadded, a rating of 10.0 sorts before 9.2 and a price of
// 1000 before 150. Sort keys that could repeat (a price, a rating, a time of creation) end in the entity's id, because
// tied rows have no order and a page could not say where it ends.
//
// The properties' indexes from GSI7 on, and GSI5 and GSI6 of the bookings, serve patterns that the document lists
// without an index, or with one that cannot answer them. Guards are items that make a value unique, which an index
// cannot. Most indexes of the properties copy the card, those of the bookings a summary, and the nights' index what a
// calendar shows, where the document copies everything: an index pays for every attribute that changes in it.
package keys
