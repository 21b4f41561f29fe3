// Package charges computes the taxes, the fees and the deposits of a stay, to the minor unit of its currency.
//
// A property has one [List] of charges. [List.Bill] is a pure function from that list and a stay, with its nights, its
// prices and its guests, to a [Bill], which says what each charge comes to, and to which line and night it belongs. All
// computation is exact: each charge is rounded once, half up, to the minor unit, and then allotted to lines and nights by
// largest remainder, so that the parts always add up to the whole.
//
// A charge is a percentage or an amount:
//
//   - The percentage is of the base, which is Of (the lodging, the meals, or both) plus the earlier charges that On names. Of
//     is without the included charges, unless Gross. A discount is subtracted before: the base is what the guest pays.
//   - The amount is per stay, night, room, room and night, guest, or guest and night.
//
// It is included in the price of the nights, or added to it. An included charge is part of what the guest is quoted as the
// price of the rooms; the bill says how much of it that is. What is added is paid with the booking or, with AtProperty, later
// at the property, beside the total of the booking.
package charges
