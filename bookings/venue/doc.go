// Package venue manages a venue that people book for half a day or for a whole day, such as a hall. Users request a
// slot of a day, and an administrator approves or rejects the request. An approved booking has an [Event], which holds
// its slot.
//
//	repo := venue.New(db, nil)
//	booking, err := repo.Request(ctx, user, venue.Request{
//		UserID: "abc123", Date: date, Slot: venue.FullDay, Description: "Birthday party", Attendees: 50,
//	})
//	booking, err = repo.Approve(ctx, admin, venue.Approval{BookingID: booking.ID, Version: booking.Version})
//	var taken *venue.SlotTaken
//	if errors.As(err, &taken) {
//		… // taken.Events; the booking is still pending
//	}
//
// A day has three slots: the morning, the afternoon, and the full day, which excludes the other two. A request does not
// hold its slot: several users may request the same one. The first approval gets it. Any other fails with [*SlotTaken],
// and its booking stays pending, until an administrator rejects it or the slot becomes free again.
//
// An approval is one transaction: the event, the booking, its item in the partition of the user, the user's statistics,
// and the entry in the audit log. So are all other changes.
//
// # Patterns
//
//	V1   User             a user by id
//	V2   Booking          a booking by id
//	V3   BookingsOf       the bookings of a user
//	V4   EventsOn         the events of a day
//	V5   Pending          the bookings that wait for a decision, oldest first
//	V6   Availability     which slots are free, for a range of days
//	V7   UserByEmail      a user by e-mail address, for a login
//	V8   PaymentsOf       the payments of a booking
//	V9   NotificationsOf  the messages to a user, newest first
//	V10  LockCode         the code that opens the doors for an event
//
// # Who may do what
//
// The service knows who is calling, and passes an [Actor] to every change of a booking, an event, a lock code or a
// role. Administrators approve, reject, and manage events, lock codes and roles. A user can request, change and cancel
// bookings of their own, and administrators can do it for them. Everything else fails with [ErrNotAllowed], before any
// request if the actor alone decides it. The role in the Actor is trusted: take it from your session, not from the
// browser.
//
// Payments, which a provider reports, messages, profiles and recounts need no Actor, and reads are not restricted: who
// may see a booking, a lock code or the titles of events is up to the service.
//
// # Several changes in one write
//
// [dynastay.DB.Write] combines the operations, such as an approval with a message to the user. A transaction has at
// most one action for each item, so it cannot cancel a booking and give its slot to another one, approve two bookings
// of one user, or approve a booking and record its first payment. Such a write fails with [dynastay.ErrInvalid].
//
// # Statistics
//
// [User].RequestedCount is the number of bookings that a user has ever requested, and [User].ApprovedCount the number
// of those that are approved now: a cancellation subtracts one. Both change in the transactions of the bookings.
// [Repository.Recount] counts them anew, for users that other software created.
//
// # The audit log
//
// Every change of a booking, an event or a lock code writes an [AuditEntry] in its transaction: who did what, and when.
// [Repository.Audit] lists the entries of a day.
//
// # Software that follows the document
//
// The venue-booking document is a design document that is not part of this repository. Its items are read as they are.
// It does not say which half of a day a booking is for: such a booking has no [Booking].Slot, and must be updated with
// one before it can be approved. Such software does not check slots in transactions, so it must not approve bookings
// while this package does.
package venue
