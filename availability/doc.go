// Package availability manages the inventory of rooms: how many rooms of each type are left on each night, at what
// price, and under which stay restrictions.
//
// Each night of a room type is one item. A night without an item is not on sale. Rooms are taken and returned only by
// conditional updates, in the transaction of the booking they belong to, so a night is never sold more times than it
// has rooms.
//
//	| access pattern | method | request |
//	|---|---|---|
//	| A1 | [Repository.Check]  | Query Availability, the nights of one room type |
//	| A2 | [Repository.Prices] | Query Availability, the nights of one room type |
//
// Open nights do not change, except for the number of rooms that are left.
//
// [Repository.Quote] turns nights into an offer with an exact total; package bookings turns a quote into a booking. A
// [Room] is what is requested, a [Line] what is quoted and booked.
//
// The terms are those of the industry: a night is identified by its date, a stay is half-open, stop-sell takes a night
// off sale, and a night may be closed to arrival (CTA) or to departure (CTD).
package availability
