// Package dynastay is the core of a library of typed repositories on Amazon DynamoDB for lodging and booking platforms.
// The repositories manage properties, room-night inventory, bookings and users. They never oversell and never lose a
// write, with the fewest requests and the least capacity that DynamoDB allows.
//
// The repositories are in the other packages of this module:
//
//	entity        for authors of entities: what is stored, derived, unique and protected; tables of your own
//	keys          every table, index and key, as builders and parsers; keys/key declares keys of your own
//	availability  the inventory of room nights, and quotes
//	properties    properties, room types, search results
//	bookings      sold stays
//	users         profiles
//	dyntest       a real engine and isolated tables for tests, in one line; faults, budgets, a clock, generated worlds;
//	              dyntest/engine starts engines for programs
//
// This package contains the types that they share, and what a service needs to store its own entities next to them.
//
// # Opening
//
// [Open] makes a [DB] from a *dynamodb.Client. The DB holds the clock, the id generator, the table names, an observer
// of every request, and the queues that keep the callers in one process from conflicting with each other. Every
// repository takes it:
//
//	db := dynastay.Open(dynamodb.NewFromConfig(cfg), nil)
//	repo := bookings.New(db, nil)
//
// # Values
//
// A [Date] is a calendar day without a time, a [Stay] is a half-open range of nights, [Money] is an exact amount in one
// [Currency], and a [Rating] is a guest rating in tenths. They are values: comparable with == and usable as map keys.
//
// # Reading
//
// A list is a [Listing]: a value from which you read one [Page], or which you iterate over to its end.
//
//	page, err := repo.ByUser(userID).Page(ctx, dynastay.Paging{Limit: 20, After: cursor})
//	for booking, err := range repo.ByUser(userID).All(ctx) { … }
//
// A cursor is opaque, is safe to send to a browser, and cannot be turned into a cursor for another user's data. An
// unreadable item does not hide the others: see [UnreadableError]. Reads are eventually consistent; a Get takes
// [Consistent].
//
// # Writing
//
// Every write of a repository exists in two forms: a method that sends it, and a method whose name ends in Op, which
// returns it as an operation. [DB.Write] carries out operations of any repositories and tables atomically:
//
//	made := repo.CreateOp(request)
//	note := outbox.PutOp(&Message{ID: requestID})
//	err := db.Write(ctx, dynastay.IdempotencyKey(requestID).Of(userID), made, note)
//
// With an [IdempotencyKey] a write happens once, however often it is called with the same input. The input is what the
// caller passed, not what each call generates. Write owns its retries. An acknowledged write was made by that call,
// exactly once; if the outcome cannot be determined, the error is [ErrOutcomeUnknown]. Items carry a [WriteID] for that
// purpose, and for [IfWritten], which lets only the holder of a lock release it.
//
// # Errors
//
// Errors match the kinds of this package ([ErrNotFound], [ErrAlreadyExists], [ErrVersion] …) with errors.Is, and the
// SDK's own errors with errors.As. An invalid argument is an [*InvalidError] that names the field, and nothing was
// written.
//
// # Entities of your own
//
// Package entity is for what a service stores in its own tables. Declare the attributes, keys and unique values of an
// entity, and it gets the same operations as the repositories have, and can be combined with them in one write. [NewOp]
// makes any other kind of operation from the actions of a [Tx].
package dynastay
