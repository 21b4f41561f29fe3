// Package offer seals quotes, so that they can be kept by the guest's browser between the offer and the booking. An
// application then needs no table for its offers.
//
// [Sealer.Seal] turns an [Offer], which is a quote and what is added to its price, into a token: text for a form field
// or a JSON document. [Sealer.Open] returns the same offer. It refuses a token that was altered, has expired or belongs
// to a different user, without sending a request. [Offer.Request] and [Offer.Modification] are the input of the
// booking.
//
// # What a token protects
//
// A token is signed with HMAC-SHA-256. Whoever has no key can neither create one nor change a price, a policy, a limit
// of the rooms or the permission to overbook in one.
//
// It is not encrypted. The guest can read all of it, so do not put into an offer what the guest must not know.
//
// A quote with agreed prices or a business date, which are not for guests, cannot be sealed.
//
// It is not used up. Until it expires, it can be opened any number of times. It reserves nothing either: the booking
// checks the rooms and the prices of the nights again. To create only one booking, use an idempotency key; see
// [dynastay.IdempotencyKey]. A modification is carried out only once, because it changes the version of the booking.
//
// A token with a user is accepted only for this user; one without, for everybody who has it. Who the user is, and
// whether the user may modify the booking, is for the application to check.
//
// # Keys
//
// A key has an id, which is part of the token, and a secret of at least 32 random bytes. The first key of a [Sealer]
// signs; all of them verify. To replace a key, wait after each step until all processes have been restarted:
//
//  1. Add the new key as the last one. Every process can verify its tokens, and none creates them.
//  2. Move it to the front. Every process signs with it.
//  3. Once the last token of the old key has expired, remove the old key. If the secret has become known, remove it at
//     once: its tokens are refused with [ErrUnknownKey], and the guests need new offers.
//
// Do not give another secret an id that has been used before.
//
// # The form of a token
//
// A token is the version of the form, the id of the key, the contents and the signature, separated by dots:
//
//	v1.2026-06.eyJxIjp7Imgi….ZKQ2n3…
//
// The contents are JSON in base64url, the signature covers everything before it, and a token has no other characters
// than letters, digits, '-', '_' and '.'. The names in the JSON are short, and the dates of the nights are left out,
// because they follow from the stay: a token of three nights and one room type has about 630 bytes, one of 90 nights
// and five room types about 5.4 KB.
//
// A quote that has a rate plan, a party or the number of a line in a booking makes a token of version 2, which begins with
// "v2."; any other makes one of version 1. Version 2 also has the terms of the plans, the guests of each room, and how each
// price came about. Lines with equal plans share them, and what is the same for all nights is there once: three nights for a
// family with half board have about 1.3 KB, 90 nights and five room types about 11 KB.
//
// An offer with a plan, a party or charges expires at most 24 hours after the quote: a booking refuses an older one, with
// [bookings.ErrOldQuote]. To seal and book for longer, up to [availability.MaxQuoteAge], set QuotesFor of [bookings.Options] and
// of the [Sealer]. The database compares the prices of the nights with those of the quote, but not the plan: until the offer
// expires, it can be booked under terms that the property has changed since.
//
// The form is not compressed, and may change with the version: read a token only with Open. Both versions are opened. A
// process with a library that knows only version 1 refuses the other with [ErrUnknownVersion], so make quotes with plans
// once all processes have been updated.
package offer
