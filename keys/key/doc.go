// Package key declares the keys of DynamoDB tables and indexes, writes them, and parses them strictly. The library's
// own keys, in package keys, are declared with it, and a service can use it to declare the keys of its own tables.
//
// A key is a struct with a Form method that declares its text:
//
//	type Visit struct {
//		GuestID string
//		Day     dynastay.Date
//		VisitID string
//	}
//
//	func (k *Visit) Form(f *key.Form) {
//		f.PK("GUEST#", key.ID("GuestID", &k.GuestID))
//		f.SK("DAY#", key.Date("Day", &k.Day), "#VISIT#", key.ID("VisitID", &k.VisitID))
//	}
//
// [Of] writes the key and [Parse] parses it; [Partition], [SortPrefix] and [SortKind] are for queries. For a table
// without a sort key, Form calls only PK. Form must declare the same key every time: it must not depend on the values
// of the fields.
//
// # Guarantees
//
// Two keys of a type are equal only if their values are. The text of a value never contains '#', and a literal after a
// value begins with '#', so a value ends at the next '#' or at the end of the key. No string, wherever it comes from,
// can therefore end its own value and forge the next one. ([ID] rejects a '#', [Text] escapes it.) Values are compared
// in the form that the text preserves: an [Instant] to the second, a [Text] in composed form (NFC) and trimmed.
//
// Parse accepts only what Of writes: it builds the key again from the values that it read, and compares. A different
// spelling of a value, written by other software or by hand, is therefore detected when it is read and does not lead to
// a second item.
//
// Sort keys of numbers, dates and times sort in the order of their values. DynamoDB compares text byte by byte, so
// these kinds have fixed widths: unpadded, 10.0 sorts before 9.2. For the same reason, times have no fractions of a
// second. A sort key that may not be unique should end in an id, because rows with equal sort keys have no defined
// order, and a page could not say where it ends.
//
// This package does not ensure that two types of key that share a table or an index differ: their literals must be
// different. Package keytest checks that and the other guarantees for the keys of any package.
//
// # Places
//
// [PlaceOf] returns the geohashes of coordinates for keys, [Cover] the ranges of an index by cell and geohash that
// contain the places within a radius, and [Distance] the distance of two points.
//
// # Kinds of value
//
//	ID        unchanged; valid UTF-8 without '#' and control characters, 1 to 128 bytes
//	Text      composed (NFC) and trimmed, with '%', '#' and control characters as %XX; 1 to 256 bytes in that form
//	Folded    a name as Fold returns it: only letters and digits, in lower case, without accents
//	Email     an address as NormalEmail returns it, or its hash as HashEmail returns it
//	Word      one of an enumeration: lower-case ASCII letters, digits, '_' and '-', up to 64 bytes
//	Currency  USD
//	Rating    09.2
//	Price     000000000150.000
//	Digits    0000000095: a fixed number of digits
//	Whole     between two limits, with as many digits as the upper one
//	Date      2025-01-15
//	Instant   2024-11-10T09:15:00Z: UTC, truncated to seconds
//	Millis    1731230100250: Unix milliseconds with 13 digits
//	Geohash   lower case, of a fixed length
//	Cell      of a Place: 3 characters of geohash, NORTH or SOUTH
//	Shard     #SHARD#3 at the end of PK, empty for shard 0
//	Custom    a custom form
package key
