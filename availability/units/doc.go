// Package units has the rooms of a property one by one: room 301, its room type, its floor, whether it is clean, and who has it
// on which nights.
//
// A property can do without: it then sells its room types, and writes on the booking which room a guest got, as a text. A property
// that has units gives each of them to one booking a night: package bookings assigns them, see [bookings.Repository.AssignUnits].
//
//   - [Repository.Create], [Repository.CreateAll]: units are created, one or all of a property.
//   - [Repository.Get], [Repository.List]: they are read, by id or all of a property.
//   - [Repository.Update]: their names, floors and features change, and the room type of one that is retired.
//   - [Repository.SetHousekeeping], [Repository.ToBeCleaned]: which are clean, and which are not.
//   - [Repository.Plan]: who has which unit on the nights of a month, the room plan.
//
// A unit that cannot be used for some time is out of order, see [bookings.Repository.TakeOutOfOrder], and [Unit.OutOfOrder] says when.
// A unit that is not used any more is retired, see [bookings.Repository.RetireUnit], and not deleted: bookings name it for years.
//
// # How nights are stored
//
// A unit has one item a month, with one attribute for each night that somebody has it: D01 to D31. An assignment writes it on
// condition that the attribute does not exist, so nobody gets a unit that somebody else has, however many desks assign at the same
// time. An index is not needed, because the keys of the months sort by month: the plan of a month is one Query.
//
// The nights of a booking that is cancelled are freed in the same transaction. If they do not fit into it, they stay in the plan,
// and the next assignment takes them over: what counts is what the booking itself says.
//
// [bookings.Repository.AssignUnits]: https://pkg.go.dev/github.com/dynastay/dynastay/bookings#Repository.AssignUnits
// [bookings.Repository.TakeOutOfOrder]: https://pkg.go.dev/github.com/dynastay/dynastay/bookings#Repository.TakeOutOfOrder
// [bookings.Repository.RetireUnit]: https://pkg.go.dev/github.com/dynastay/dynastay/bookings#Repository.RetireUnit
package units
