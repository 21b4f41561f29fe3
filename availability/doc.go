// Package availability manages the inventory of rooms: how many rooms of each type are left on each night, at what
// price, and under which stay restrictions.
//
// Each night of a room type is one item. A night without an item is not on sale. Rooms are taken and returned only by
// conditional updates, in the transaction of the booking they belong to, so a night never sells more rooms than it has,
// unless the property decides to overbook it.
//
// If a method answers an access pattern of the design document, the last line of its comment names the pattern, the
// index that it reads and the number of requests.
//
// What a hotelier does:
//
//   - put nights on sale: [Repository.Open]
//   - change prices, totals, restrictions and stop-sells: [Repository.Update]
//   - have several prices for a night, by rate plan: [RatePlan], [Rate], [RateChange]
//   - take the whole property off sale, and put it back: [Repository.CloseSales], [Repository.ReopenSales]
//   - sell more rooms than there are: [Change.OverbookLimit], [QuoteRequest.Overbook], [Change.Overbook]
//   - sell rooms at prices that were agreed elsewhere: [Room.Agreed]
//   - take a room type off sale for good: [Repository.Withdraw]
//
// When a property is suspended or approved again, package properties takes it off sale or puts it back in the same
// transaction, with the [SalesMove] of [Repository.SuspendSales] or [Repository.ResumeSales]. To delete a room type,
// use package properties as well: it calls Withdraw.
//
// [Repository.Quote] turns nights into an offer with an exact total, and [Repository.QuoteOf] does so with nights that
// [Repository.CheckAll] has already read. Package bookings turns a quote into a booking. A [Room] is what is requested, a
// [Line] what is quoted and booked, and both may be under a rate plan. [Repository.Requote] quotes a change of a booking.
//
// The terms are those of the industry: a night is identified by its date, a stay is half-open, stop-sell takes a night
// off sale, and a date may be closed to arrival (CTA) or to departure (CTD).
//
// # Two kinds of changes
//
// A sale changes the number of rooms left by a difference, in the transaction of its booking. An update sets the other
// values of a night, one request for each night, on condition that no other update has changed the night since it was
// read. Neither prevents the other: a sale leaves the write id of the night unchanged, and an update changes the number
// of rooms left by the difference between the totals. Different nights of an update are independent of each other; its
// [Report] lists every date.
package availability
