// Package checker runs the library from many concurrent workers with every kind of network fault, and then compares
// each result that a worker got with what is stored. Its test runs it:
//
//	go test ./internal/testing/checker -calls 20000
//
// The possible results of a call, and what they guarantee, are in verdict.go: done once, certainly not done, or
// unknown. Whether a refusal was justified at some moment of its call is determined from the times of all writes, see
// deeds.go. Each folder has the writes of one system. A file runs one kind of write on a few contended items, records
// the results, and knows what must be stored afterwards:
//
//   - writes: the library's own, on tables that have nothing to do with a hotel
//   - hotel: bookings, with their payments, refunds, charges and promo codes, and the nights that they take
//   - desk: the units of a hotel, which its guests get, and which are out of order for a time
//   - property: properties with their parts, ratings, statuses and reviews
//   - guests: users and their points
//   - listing, venue, marketplace and traveltracker: the other systems
//
// The "processes" of the workers are [dynastay.DB] values in one binary, each with its own gates, ids and client. Some
// have no gates, and some give up early. Real processes would prove less: only a single observer of all transactions in
// flight can produce conflicts between them, and remember who holds a lock, or which message was consumed and must not
// come back.
//
// The clock stands still, except that each step of the hotel's sales advances it, so that holds end; the clocks of the
// processes differ.
//
// Everything random is drawn from a seed. The interleaving of requests is not, so a repeated run makes the same calls
// in a different order.
package checker
