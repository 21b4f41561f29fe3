// Package keys is the only package that defines the library's tables, indexes and keys: their names, the text of every
// key, and how to parse it. Repositories build keys only with this package and never format one by hand.
//
// Each key is a struct that is declared with package key, which documents the kinds of text and the guarantees of all
// keys. [Of] writes a key and [Parse] parses it; [Partition] and [SortPrefix] are for queries:
//
//	key, err := keys.Of(keys.Night{RoomTypeID: "room_789", Date: date}) // ROOM#room_789 / DATE#2025-01-15
//	night, err := keys.Parse[keys.Night](key)
//
// The keys of the listing calendar are in package keys/listingkeys, and those of a venue in package keys/venuekeys.
//
// # Tables
//
//	PropertiesTable
//	  items                       Property, RoomType, Image, Amenity, RatePlan, PropertyCharges, Unit, SlugGuard, RoomTypeGuard
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
//	  items                       Night, UnitMonth
//	  GSI1-PropertyDateIndex      NightByProperty
//	BookingsTable
//	  items                       Booking, Payment, PaymentAttempt, Refund, BookingRoom, BookingRoomLine, BookingCharges,
//	                              ReferenceGuard, ExternalReferenceGuard
//	  GSI1-UserBookingsIndex      BookingByUser
//	  GSI2-PropertyBookingsIndex  BookingByProperty
//	  GSI3-StatusIndex            BookingByStatus
//	  GSI4-ReferenceIndex         BookingByReference
//	  GSI5-CheckInDateIndex       BookingByCheckIn
//	  GSI6-HoldIndex              BookingByHold, BookingByDue
//	  GSI7-HouseIndex             BookingInHouse
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
//	  items                       Wishlist, CatalogItem, CatalogName, PromoCode, IdempotencyRecord, ScopedIdempotencyRecord,
//	                              StreamShard, WalkSegment
//
// The constants for index names omit the number. Three tables have a StatusIndex; their constants begin with the
// entity: [PropertyStatusIndex], [BookingStatusIndex], [ReviewStatusIndex].
//
// # How the keys differ from the hotel-booking document
//
// The hotel-booking document is a design document that is not part of this repository. Numbers are padded, because sort
// keys are compared as text: unpadded, a rating of 10.0 sorts before 9.2 and a price of 1000 before 150. Sort keys that
// may not be unique (a price, a rating, a creation time) end in the entity's id, because rows with equal sort keys have
// no defined order, so a page could not say where it ends.
//
// The properties' indexes from GSI7 on, and GSI5 to GSI7 of the bookings, serve access patterns that the document
// lists without an index or not at all, or with one that cannot serve them. Guards are items that make a value unique, which an index
// cannot do. Most indexes of the properties project only the card, those of the bookings a summary, and that of the
// nights the attributes that a calendar shows. The document projects everything, but every change to a projected
// attribute costs write units.
package keys
