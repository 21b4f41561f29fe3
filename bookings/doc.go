// Package bookings sells stays. It turns a quote of package availability into a booking, finds bookings, and changes
// them: from the hold or the sale to the departure of the guests, or to the cancellation.
//
// A booking is created in one transaction that takes the rooms of every night out of the inventory, under the
// conditions of the quote, and writes the booking, its lines and the guard of its reference, a separate item that makes
// the reference unique. Either all of this is written or none of it. A cancellation returns the rooms in the same way,
// exactly once. With [dynastay.IdempotencyKey], a call that is retried creates only one booking.
//
// If a method answers an access pattern of the design document, the last line of its comment names the pattern, the
// index that it reads and the number of requests.
//
// A list returns a [Summary] of each booking, which is all that its index projects; [Repository.Get] and
// [Repository.GetAll] read bookings with their lines.
//
// # The life of a booking
//
//   - [Repository.Create] makes a confirmed booking, or a pending one with a Hold; it takes the rooms.
//   - [Repository.Confirm]: pending to confirmed, before the end of the hold.
//   - [Repository.ExtendHold]: pending, before the end of the hold; it then ends later.
//   - [Repository.Expire]: pending to expired, a while after the end of the hold; it returns the rooms.
//   - [Repository.Cancel]: pending or confirmed to cancelled, until the date of check-out; it returns the rooms.
//   - [Repository.CancelHold]: pending to cancelled; it returns the rooms, and leaves a booking that is confirmed meanwhile.
//   - [Repository.CancelOverdue]: confirmed to cancelled, if a part of the total was due and has not been paid.
//   - [Repository.CheckIn]: confirmed to checked in, from the date of check-in to that of check-out.
//   - [Repository.NoShow]: confirmed to no-show, from the end of the date of check-in.
//   - [Repository.Release] returns the rooms of a no-show from tonight on, before the date of check-out.
//   - [Repository.Reinstate]: no-show to checked in, until the date of check-out; it takes the released rooms from
//     tonight on again.
//   - [Repository.AssignRooms] gives guests who have checked in their rooms, or others.
//   - [Repository.UndoCheckIn]: checked in to confirmed, on the date of the check-in.
//   - [Repository.UndoCheckOut]: completed to checked in, on the date of the check-out.
//   - [Repository.CheckOut]: checked in to completed.
//   - [Repository.Modify] changes a booking that is pending, before the end of its hold, or confirmed or checked in, until
//     the date of check-out; it takes and returns the difference.
//
// Modify gives a booking other dates, other rooms or another number of guests, at the price of
// [Repository.QuoteModification], or corrects the details of its guest. The nights that it drops are returned, those
// that it adds are taken, and those that it keeps are left alone, at their price. What is dropped is settled by its
// cancellation policy: what is not refundable is kept, in Breakdown.Kept, unless staff waive it.
//
// Each of these is one transaction, conditional on the booking as it was read, and fails with a [*StatusError] in any
// other status or at any other time. So of two calls that contradict each other, only one succeeds, and the rooms are
// returned exactly once. The dates are those at the property. [Repository.ExpireHolds] expires all holds that have
// ended.
//
// [Repository.ByCheckIn] lists the arrivals of a day, [Repository.InHouse] who is there, and [Repository.Departures] who leaves.
//
// # Units
//
// A property may have units, see package availability/units: its rooms one by one. [Repository.AssignUnits] gives them to the lines
// of a booking, [Repository.AutoAssign] to all who arrive; [Repository.MoveUnit], [Repository.SwapUnits] and
// [Repository.UnassignUnits] change that. Nobody gets a unit that somebody else has on the night. Each of the calls above gives up
// the units that the booking does not have any more. [Repository.Unassigned] lists the arrivals that lack units.
// [Repository.TakeOutOfOrder] takes a unit out of order, and its nights off sale, and [Repository.EndOutOfOrder] ends that early.
//
// # Payments
//
// The package records what a payment provider reports, and moves no money itself. A [Payment] is one transaction at the
// provider, identified by the provider's id, and a [Refund] refunds one of them. [Repository.RecordPayment] and
// [Repository.RecordRefund] accept notifications in any order and any number of times. Each writes the payment or
// refund, the [PaymentSummary] and the booking's PaymentStatus in one transaction.
//
//   - PaymentPending: an amount is still to be paid
//   - PaymentAuthorized: an amount is still to be paid, and a payment is authorized
//   - PaymentFailed: nothing is paid or authorized, and the last payment failed
//   - PaymentPaid: the total is paid
//   - PaymentPartiallyRefunded: refunds of a part of what was paid have been requested, and have not failed
//   - PaymentRefunded: refunds of all that was paid have been requested, and have not failed
//
// For payment before arrival, create the booking with a Hold, and let the handler of the provider's notifications call
// [Repository.ApplyPayment], which records the payment and confirms the booking if it can still be confirmed, however
// often it is called. [Repository.Cancel] records refunds together with the cancellation: of an amount that you state,
// or of what is due by the cancellation policies, which [Booking.Settle] computes. What remains due is in
// [Cancellation].Due and [Recorded].Due, and [Repository.RefundDue] records its refunds.
//
// # Charges
//
// A quote with the charges of the property makes a booking with charges, [Booking.Charges]: its taxes, fees and deposits. Those
// that are added are its TaxesAndFees. [Repository.Modify] computes all of them anew, and [Booking.Settle] settles each by its own
// rule: a city tax is not owed by who did not come. [Repository.Receipt] shows what is owed and paid in entries that add up.
//
// # What is due when
//
// The rate plan of a line says when its guests pay, [availability.PaymentTerms]. [Booking.Instalments] is what is due when, and
// [Request.Instalments] the same before anything is booked. [Receipt].DueNow is what is due of the balance, and
// [Repository.Overdue] lists the bookings with a part that has not been paid in time, which [Repository.CancelOverdue] cancels.
//
// # Bookings of a channel, and of guests without an account
//
// A booking with [Request.NoUser] is in no user's lists; all other lists and reads find it. [Request.Source] says where it
// comes from, in lists too; [Request.Data] has short texts of the platform's own, and [Request.LineData] those of each line.
// What a channel has sold at its own price is quoted with [availability.Room].Agreed. With [Request.UniqueReference], a
// reservation that a channel delivers twice makes one booking, which [Repository.ByExternalReference] finds.
// [Repository.EraseGuest] erases a guest who has no account.
//
// # Operations for a guest, and for a property
//
// An operation on a booking takes the id of any booking. If a guest asks for the operation, pass [dynastay.IfUser] with
// the user's id, and if the staff of a property do, [dynastay.IfProperty] with its id: a booking of somebody else is then
// treated as one that does not exist.
//
// # Promo codes
//
//   - [Repository.CreatePromoCode]: PutItem, on condition that the code does not exist
//   - [Repository.PromoCode]: GetItem, or BatchGetItem of two spellings
//   - [Repository.ActivatePromoCode]: the same read, then UpdateItem
//   - [Repository.DeactivatePromoCode]: the same read, then UpdateItem
//
// A [PromoCode] is stored in the Metadata table. [PromoCode.Discount] computes its discount on the price of rooms. A
// booking uses a code with Request.PromoCode, or Modification.PromoCode. The use is counted in the booking's
// transaction, so the limit is never exceeded, and [Repository.Cancel] and [Repository.Expire] return it.
//
// # Erasing a user
//
// [Repository.Eraser] anonymises the bookings of a user who is to be erased: what identifies the guest and the user is
// removed, and what accounting needs is kept. Payments and refunds that are reported later are still recorded, without
// anything about the person. The [Eraser] refuses while the user has bookings that are not over, or cancels them.
//
// # Errors
//
// The errors of refused writes contain what a caller needs in order to react: [*Refused] lists every night with its
// reason, [*StatusError] has the status of the booking, [*PromoError] says why a promo code cannot be used,
// [*PaymentError] which payment or refund contradicts what has been recorded, [*units.TakenError] who has a unit,
// [*PolicyError] which policy has no known terms, and [*UpcomingError] which bookings are not over.
package bookings
