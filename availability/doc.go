// Package availability is the inventory of rooms: how many of a room type are left on each night, at what price, and
// under which restrictions of stay.
//
// A night is one item. A night without an item is not on sale. Rooms leave and return by conditional changes only, in
// the transaction of the booking that they belong to, so that no night is ever sold more often than it has rooms.
//
//	| pattern | method | request |
//	|---|---|---|
//	| A1 | [Repository.Check]  | Query Availability, the nights of one room type |
//	| A2 | [Repository.Prices] | Query Availability, the nights of one room type |
//
// Nights stay as they were opened, apart from the rooms that are sold and given back.
//
// [Repository.Quote] turns nights into an offer with an exact total; package bookings turns a quote into a booking. A [Room]
// is what is asked for, a [Line] what is quoted and booked.
// The names are the field's: a night is sold by its date, a stay is half-open, stop-sell takes a night off sale, and a
// night may be closed to arrival (CTA) or to departure (CTD).
package availability
