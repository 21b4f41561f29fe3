// Package dynastay is the shared vocabulary of a library of typed repositories on Amazon DynamoDB for lodging and
// booking platforms: properties, room-night inventory, bookings and users that never oversell, never lose a write, and
// cost the least requests and capacity that DynamoDB allows.
//
// The repositories are in the packages beside this one:
//
//	entity        for the author of an entity: what is stored, derived, unique and kept; tables of one's own
//	keys          every table, index and key, as builders and parsers; keys/key declares keys of one's own
//	availability  the inventory of room nights, and quotes
//	properties    properties, room types, search results
//	bookings      sold stays
//	users         profiles
//	dyntest       a real engine and isolated tables for tests, in one line; faults, budgets, a clock, generated worlds;
//	              dyntest/engine starts engines for programs
//
// This package holds what they agree on, and what a service needs to keep entities of its own beside them.
//
// # Opening
//
// [Open] makes a [DB] of a *dynamodb.Client. It holds the clock, the ids, the table names, an observer of every request,
// and the queues that keep callers of one process from running into each other. All repositories take it:
//
//	db := dynastay.Open(dynamodb.NewFromConfig(cfg), nil)
//	repo := bookings.New(db, nil)
//
// # Values
//
// [Date] is a day without a clock, [Stay] a half-open range of nights, [Money] an exact amount in one [Currency],
// [Rating] a guest rating in tenths. They are values: comparable with ==, usable as map keys.
//
// # Reading
//
// A list of a repository is a [Listing]: a value that is asked for one [Page], or walked to its end.
//
//	page, err := repo.ByUser(userID).Page(ctx, dynastay.Paging{Limit: 20, After: cursor})
//	for booking, err := range repo.ByUser(userID).All(ctx) { … }
//
// A cursor is opaque, can be handed to a browser, and cannot be turned into another user's. An item that cannot be read
// hides no other: see [UnreadableError]. Reads are eventually consistent; a Get takes [Consistent].
//
// # Writing
//
// Every write of a repository exists twice: as a method that sends it, and as an operation, with Op at the end of its
// name. [DB.Write] carries out operations of any repositories and tables together, all or none:
//
//	made := repo.CreateOp(request)
//	note := outbox.PutOp(&Message{ID: requestID})
//	err := db.Write(ctx, dynastay.IdempotencyKey(requestID).Of(userID), made, note)
//
// With an [IdempotencyKey] a write happens once, however often it is called with the same input: what the caller gave, and
// not what each call draws anew. Write owns its retries. An acknowledged write was made by that call, once; what cannot be
// known for certain is [ErrOutcomeUnknown]. Items carry a [WriteID] for that, and for [IfWritten], with which a lock is
// released by its holder only.
//
// # Errors
//
// Errors match the kinds of this package ([ErrNotFound], [ErrAlreadyExists], [ErrVersion] …) with errors.Is, and the
// SDK's own with errors.As. A refused argument is an [*InvalidError] that names the field, and nothing was written.
//
// # Entities of your own
//
// Package entity is for what a service stores beside the repositories, in tables of its own: a declaration of its attributes,
// its keys and what is unique gives it the same operations, which compose with those of the repositories. An operation of
// another kind is made with [NewOp], of the actions of a [Tx].
package dynastay
