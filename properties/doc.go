// Package properties stores the properties of a platform with their room types, images and amenities, and finds them.
//
// A property is one item; its room types, images and amenities are further items in the same partition. The data that a
// search result shows is copied into one map on the property, its [Card], which is all that the search indexes project.
// So a page of fifty results costs a fraction of what reading fifty properties would cost, and a room on a card can be
// quoted and booked without reading the property.
//
// If a method answers an access pattern of the design document, the last line of its comment names the pattern, the
// index that it reads and the number of requests.
//
// # What belongs to a property
//
// Each slug and each room type id belongs to only one property. Both are protected by a guard, a separate item that
// makes them unique, in the transaction that writes them. A write of a room type, an image or an amenity also writes
// the attributes of the property that depend on it, in the same transaction: the price range, the number of images and
// the URL of the primary one, the list of amenities, and the card. The version and the UpdatedAt of the property stay
// the same, so such a write does not make an update with [dynastay.IfVersion] fail.
//
// Because these writes also write the property, two operations on the same property cannot in general be combined in
// one transaction. An operation on an existing property cannot be combined with the [Repository.CreateOp] that creates
// it: create the property first, then add its images.
//
// # Rate plans
//
// A property sells its rooms under rate plans, [availability.RatePlan], or without any at the price of the night. Plans
// are items in a partition of their own, so reading a whole property does not read them. They are created, changed and
// ordered, and never deleted while the property exists, because bookings name them for years. What a plan may be depends
// on the others, so each change of a plan is conditional on the property, and lets other changes of plans read again.
// Like the writes above, it leaves the version of the property as it is. The plans that the property advertises are on its
// [Card] too, so that a search can price them.
//
// Taxes, fees and deposits are one list in the same partition, [charges.List], which [Repository.UpdateCharges] changes as a
// whole. All of them are on the card.
//
// # Statuses
//
//   - [Repository.Approve]: pending, rejected or suspended to approved; searches find the property, and one that was
//     suspended is on sale again.
//   - [Repository.Reject]: pending to rejected; it leaves the pending approvals.
//   - [Repository.Resubmit]: rejected to pending; it waits for approval again.
//   - [Repository.Suspend]: approved to suspended; no search finds it, and it is off sale.
//   - [Repository.Delete]: any to deleting, which has the same effect; then everything is deleted.
//
// A method that is called for a property that already has the target status succeeds and leaves the status as it is. In
// any other status, it fails with a [*StatusError] and changes nothing. The status, the search keys and the guards of
// the room types change in one transaction. The nights follow, because there are too many for one transaction. Approve,
// Suspend and Delete can be repeated, and finish what an earlier call left undone.
//
// Only Suspend and Delete take a property off sale. Nights that were opened for a pending or rejected property can be
// quoted and booked by its id, so if a guest sends an id, read it with [Repository.Public] before you quote it.
//
// A user who owns properties cannot be erased, see [Eraser].
//
// # Items of other software
//
// A property that other software wrote in the form of the hotel-booking document is read as it is. The first method
// that writes it completes it: see [Repository.Adopt].
//
// Package properties/catalog stores the platform's catalogues, such as the amenities and the locations. The locations
// turn "new york" and "NYC" into the city and country that [Repository.ByCity] and the other lists take.
package properties
