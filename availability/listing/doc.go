// Package listing is the calendar of listings: homes, apartments and rooms that are booked as a whole. It stores only
// the nights on which a listing is not available, each as one item. A night without an item is available.
//
// An [Event] holds consecutive nights of one listing. It is a booking that was made on the platform itself
// ([Repository.Book]), a booking that was made on a channel ([Repository.Import]), or a block without a guest
// ([Repository.Block]). Two events never hold the same night: a call that needs a night of another event fails with
// [*Taken], which says which event holds which night, and changes nothing.
//
//	repo := listing.New(db)
//	event, err := repo.Book(ctx, listing.Booking{ListingID: "lst_123", HostID: "host_456", BookingID: "bk_001", Stay: stay})
//	var taken *listing.Taken
//	if errors.As(err, &taken) {
//		… // taken.Nights
//	}
//
// There are no holds: book when the booking is confirmed. To write a booking of your own in the same transaction, pass
// [Repository.BookOp] to [dynastay.DB.Write] together with its operation.
//
// # Patterns
//
//	L1  Check          whether a listing is available on the nights of a stay, and which events hold them
//	L2  Book           a booking of the platform itself
//	L3  Block          nights that nobody can book
//	L4  Delete         an event with all its nights, by its id
//	L5  Modify         other dates for an event
//	L6  ByHost         the nights of all listings of a host
//	L7  ByHostBetween  the same, for a range of dates
//
// # Reservations of channels
//
// A channel delivers each state of a reservation as a revision, perhaps late, repeatedly, and in any order.
// [Repository.Import] imports each revision once, and never an older one after a newer one. An item for each
// reservation keeps the newest revision, even after the reservation has been cancelled. The id of the channel is unique
// within a [Source] and a listing.
//
// If the nights of a reservation are taken, Import fails: two guests have booked the same night. It changes nothing, so
// a reservation with new dates keeps its old ones. Tell a person, and have the channel deliver the revision again: it
// is imported as soon as the nights are free.
//
// # Calendar feeds
//
// Channels without an interface for reservations publish a calendar in the form of iCalendar, and read one.
// [Repository.Export] writes the calendar of a listing, and [Repository.Sync] brings it up to date with a download of a
// channel's feed. Package ical, below this one, reads and writes the text.
//
// A feed is a snapshot of the channel's calendar, and may be wrong. If it is cut off, nothing changes; if it lacks many
// nights that it had before, none is freed until a person says so ([Feed].MayFree); and if an entry cannot be read, no
// night is freed either. Poll each feed one download after another. If two channels both publish what they read, nights
// that one of them has closed may go from one to the other and remain closed after the reason is gone: unblock them at
// both channels.
//
// # Long events
//
// An event has up to [MaxNights] nights, and one transaction can take or free about 97. For more, Book, Block, Modify,
// Delete and Import write several transactions; their Op forms do not. The nights that are needed are taken first, and
// only then are others freed, so nobody else can book any of them in between. If a night is taken, what was taken
// before is freed again.
//
// If the process ends in between, or a request fails ([*IncompleteError]), [Event].Moving remains true, and the nights
// that were taken remain taken. Call the method again with the same arguments to complete the change. Any other call of
// a method for the event first completes it, or undoes it if it still has nights to take. Any delivery of a reservation
// does so too, even one that changes nothing.
//
// # Software that writes only nights
//
// The listing-availability document, a design document that is not part of this repository, has no items for events.
// The nights of an event without one can be checked and listed all the same, and the event can be deleted, modified,
// and imported again on some of its nights; that gives it an item. To find its nights, all nights of the listing are
// read. Book, Block and Import do not look for nights of the same event on other dates.
//
// Software that follows the document writes and deletes nights without a condition. It can overwrite those of other
// events, and it does not change the items of events, so it must not change listings at the same time as this package.
package listing
