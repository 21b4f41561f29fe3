// Package dynastay is the core of a library of typed repositories on Amazon DynamoDB for lodging and booking platforms.
// The repositories manage properties, room-night inventory, bookings, users and reviews. They never oversell and never
// lose a write, and use as few requests and capacity units as DynamoDB allows.
//
// The other packages of this module are:
//
//	entity        declares entities (what is stored, derived, unique and protected), including those in your own tables
//	              entity/stream decodes and routes the changes of entities in DynamoDB Streams; entity/stream/consumer
//	              reads streams in any number of processes, and entity/stream/lambda does so in AWS Lambda
//	keys          every table, index and key, as builders and parsers; keys/key declares your own keys
//	availability  the inventory of room nights, and quotes
//	              availability/listing has the calendar of listings that are booked as a whole, with the reservations and
//	              calendar feeds of channels; its keys are in keys/listingkeys
//	properties    properties with their room types, images, amenities and statuses, and search results;
//	              properties/search has offers for a stay and a party, with filters and orders; properties/catalog has
//	              the amenities, the destinations that people type, and settings
//	bookings      stays that are held or sold: create, find, change and cancel them, and check the guests in and out;
//	              bookings/venue has the bookings of a hall by the half day, with their approval; its keys are in
//	              keys/venuekeys
//	users         profiles with unique e-mail addresses, preferences, loyalty points, wishlists, and the erasure of a user
//	reviews       reviews, their moderation, responses and votes, and the ratings of properties
//	dyntest       a real engine and isolated tables for tests, in one line; faults, budgets, a clock, generated worlds;
//	              dyntest/engine starts engines for programs
//
// This package contains the types that they share, and what a service needs to store its own entities next to them.
//
// # Opening
//
// [Open] creates a [DB] from a *dynamodb.Client. The DB holds the clock, the id generator, the table names, an observer
// of every request, and the queues that prevent conflicts between the callers in one process. Every repository takes
// it:
//
//	db := dynastay.Open(dynamodb.NewFromConfig(cfg), nil)
//	repo := bookings.New(db, nil)
//
// # Values
//
// A [Date] is a calendar day without a time, a [Stay] is a half-open range of nights, [Money] is an exact amount in one
// [Currency], and a [Rating] is a guest rating in tenths. They are values: comparable with == and usable as map keys.
//
// # JSON
//
// Everything that is stored or returned can be sent as JSON, and read back, by one rule: fields have their Go names.
// Texts, numbers and booleans are always there. Everything else is left out if it has no value: dates, times, amounts,
// ratings, percentages, stays, structs, pointers, nil slices and nil maps. A Date is "2026-07-01", Money is
// "250.00 USD", a Rating is the number 9.2, and a status is its text. Errors are not part of the JSON. A service that
// needs other names declares structs of its own. The arguments of calls, such as requests and updates, are not meant to
// be sent.
//
// # Reading
//
// A list is a [List]: a value from which you read one [Page], or which you iterate over to its end.
//
//	page, err := repo.ByUser(userID).Page(ctx, dynastay.Paging{Limit: 20, After: cursor})
//	for booking, err := range repo.ByUser(userID).All(ctx) { … }
//
// [Merge], [Intersect] and [Union] combine lists, [List.Filter] leaves items out, and [Load] reads what the items refer
// to.
//
// A cursor is opaque, is safe to send to a browser, and cannot be turned into a cursor for another user's data. An
// unreadable item does not hide the others: see [UnreadableError]. Reads are eventually consistent; a Get takes
// [Consistent].
//
// # Writing
//
// Every write of a repository has two forms: a method that sends it, and a method whose name ends in Op, which returns
// it as an [Operation] without sending it. [DB.Write] carries out operations of any repositories and tables atomically:
//
//	made := repo.CreateOp(request)
//	note := outbox.PutOp(&Message{ID: requestID})
//	err := db.Write(ctx, dynastay.IdempotencyKey(requestID).Of(userID), made, note)
//
// With an [IdempotencyKey], a write happens only once, however often the call is repeated with the same input. The
// input is what the caller passed, not what each call generates. An update takes the key together with [AgreedOn],
// because its function cannot be compared. Write does all retries itself. An acknowledged write was made by this call,
// or by an earlier call with the same idempotency key, exactly once. If the outcome cannot be determined, the error is
// [ErrOutcomeUnknown], whose comment says what to do. To make the outcome known, every item that is read before it is
// written contains a [WriteID]. [IfWritten] uses it too, for example so that only the holder of a lock can release it.
//
// # Errors
//
// Errors match the error values of this package ([ErrNotFound], [ErrAlreadyExists], [ErrVersion] …), called kinds, with
// errors.Is, and the SDK's own errors with errors.As. An invalid argument is reported as an [*InvalidError] that names
// the field; nothing was written.
//
// # Your own entities
//
// Package entity is for objects that a service stores in its own tables. Declare the attributes, keys and unique values
// of an entity, and it gets the same operations as the repositories have, and can be combined with them in one write.
// [NewOp] creates any other kind of operation from the actions of a [Tx].
//
// # Names by reader
//
// An application needs:
//
//   - for tables: [Open], [DB], [Options], [Retry], [Client], [Probe], [Pinged]; package provision creates them
//   - as values: [Date], [NewDate], [DateOf], [ParseDate], [MustDate]; [Stay], [ParseStay], [MustStay], [MonthOf];
//     [Money], [NewMoney], [ParseMoney], [MustMoney], [MoneyOfMinor], [MoneyOfDigits], [Currency]; [Percent],
//     [ParsePercent]; [Rating], [ParseRating], [MaxRating]
//   - to read: [List], [Page], [Paging], [Cursor], [ReadOption], [Consistent]; [Merge], [Intersect], [Union], [Load]
//   - to write: [Do], [Operation], [Part], [WriteOption], [IdempotencyKey], [Idempotency], [IfUser], [IfProperty];
//     [UpdateOption], [IfVersion], [IfWritten], [AgreedOn], [OrMissing], [WriteID]
//   - for errors: the kinds, [Error], [InvalidError], [UnreadableError], [TooLargeError]
//   - to observe operations and requests: [Observer], [Observers], [RequestObserver], [Ended], [Wait], [Settled], [Call],
//     [Verdict], [Usage], [Throttle]; the packages in observe have observers
//
// An author of entities, lists and operations also needs:
//
//   - to declare tables: [Schema], [KeyNames], [Index], [Projection], [ProjectAll], [ProjectKeys]
//   - keys and items: [Key], [Ref], [RefOf], [Item], [Row], [RowOf], [RowFrom], [Attributes]
//   - values of attributes: [Text], [Number], [Instant]; [Value], [Kind], [TextValue], [NumberValue], [BoolValue],
//     [NullValue], [BinaryValue], [ListValue], [MapValue], [SetValue], [BinarySetValue]
//   - operations: [NewOp], [OpSpec], [Tx], [Action], [Contest], [Input], [Failed], [ErrOvertaken], [ErrSkip]
//   - errors: [Refusal], [Invalid], [Within]
//   - expressions: [Expr], [Compiled], [MustCompile], [NameOf], [Param], [ParamName], [PathOf], [Absent], [AsRead], [Unchanged],
//     [IfNew]
//   - lists: [ListOf], [NoList], [Query], [Range], [QueryAll], [NewCursor]
package dynastay
