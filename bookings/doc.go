// Package bookings sells stays: it turns a quote of package availability into a booking, finds it again, and takes it
// back.
//
// A booking is made in one transaction: the rooms of every night leave the inventory under the conditions of the quote,
// and the booking, its lines and the guard of its reference are written, or nothing is. A cancellation returns the
// rooms in the same manner, exactly once. With [dynastay.IdempotencyKey] a call that is repeated makes one booking.
//
//	| pattern | method | request |
//	|---|---|---|
//	| B1 | [Repository.ByUser]      | Query GSI1-UserBookingsIndex |
//	| B2 | [Repository.ByReference] | Query GSI4-ReferenceIndex, then the booking |
//	| B4 | [Repository.ByStatus]    | Query GSI3-StatusIndex, every shard of it |
//
// A list answers with a [Summary] of each booking, which is all that its index holds; [Repository.Get] reads a booking
// with its lines.
//
// A write that is refused says what a caller can act on: [*Refused] names every night and its reason, [*StateError] the
// state that the booking is in.
package bookings
