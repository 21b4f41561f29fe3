// Package key declares the keys of DynamoDB tables and indexes, writes them, and reads them back strictly. The keys of
// the hotel, in package keys, are declared with it, and those of a service's own tables can be.
//
// A key is a struct whose Form method says what its text is:
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
// [Of] writes it, [Parse] reads it, [Partition], [SortPrefix] and [SortKind] are for queries. For a table without a
// sort key, Form calls PK alone. Form declares the same key every time: it decides nothing by the fields' values.
//
// # Guarantees
//
// Two keys of a type are equal only where their values are. No value's text contains '#', and a literal behind a value
// begins with it: a value ends at the next '#', or at the end. So no string, wherever it comes from, ends its own value
// and forges the next one. ([ID] refuses a '#', [Text] escapes it.) A value is compared in the form that its text keeps:
// an [Instant] to the second, a [Text] composed and trimmed.
//
// Parse accepts what Of writes and nothing else: it builds the key again from the values that it read, and compares. A
// second spelling of a value, by other software or by hand, is thus seen where it is read and does not become a second
// item.
//
// Sort keys of numbers, dates and times are in the order of their values. DynamoDB compares text byte by byte, so these
// kinds have fixed widths: unpadded, 10.0 sorts before 9.2. A time has no decimals that come and go. A sort key that can
// repeat should end in an id, because tied rows have no order and a page could not say where it ends.
//
// Nothing here keeps two types of key apart that share a table or an index: their literals must. Package keytest checks
// that, and the rest, for any package's keys.
//
// # Kinds of value
//
//	ID        as it is; refused if it is empty, has '#', control characters or invalid UTF-8, or is over 128 bytes
//	Text      composed (NFC) and trimmed, with '%', '#' and control characters as %XX; 1 to 256 bytes of that
//	Email     the address of NormalEmail, or its HashEmail
//	Word      an enumeration's: lower-case ASCII letters, digits, '_' and '-', up to 64 bytes
//	Currency  USD
//	Rating    09.2
//	Price     000000000150.000
//	Digits    0000000095: in so many digits
//	Whole     from a least to a most number, in as many digits as the most
//	Date      2025-01-15
//	Instant   2024-11-10T09:15:00Z: UTC, whole seconds, the rest cut off
//	Geohash   lower case, of one length for each key
//	Cell      a Place's: 3 characters of geohash, NORTH or SOUTH
//	Shard     #SHARD#3 at the end of PK, nothing for shard 0
//	Custom    the caller's own
package key
