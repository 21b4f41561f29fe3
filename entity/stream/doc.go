// Package stream turns the records of DynamoDB Streams into typed changes. Each repository returns decoders for its
// entities, and a [Router] passes each change to the functions that handle it:
//
//	changes := bookings.New(db, nil).Changes()
//	router := stream.NewRouter(
//		stream.On(changes.Bookings, func(ctx context.Context, c stream.Change[bookings.Booking]) error {
//			if c.Became(func(b *bookings.Booking) bool { return b.Status == bookings.Confirmed }) {
//				return notify(ctx, c.New)
//			}
//			return nil
//		}),
//		stream.On(changes.Payments, …),
//	)
//
// Two subpackages read streams and pass the changes to a router: consumer is a worker that runs in any number of
// processes, and lambda is for functions in AWS Lambda.
//
// The decoders recognize an item by its key. Items of other kinds, such as the guards of unique values, are ignored
// unless there is a route for them, see [Otherwise] and [OnItems].
//
// # What a handler can rely on
//
// Every change is handled at least once. The changes of one item are handled in their order, those of different items
// in any order. After a crash, handling resumes at an earlier change, so some changes are handled again; the first
// deliveries are still in the order of the changes. A process that was paused for long, for example by its virtual
// machine, may finish handling a change after another process has taken over and handled later ones.
//
// So a handler must be idempotent. [Record.ID] helps:
//
//   - If the handler writes through a [dynastay.DB], pass dynastay.IdempotencyKey(r.ID()).Of("notifications") to Write:
//     the write then happens only once. The scope is the handler's own, so that two handlers of one change do not share
//     a key. What is written must depend only on the change: use the record's At for a time, and not the clock.
//   - If the handler keeps a copy elsewhere, such as a document in a search index, store the ID with the copy and
//     ignore a change whose ID is not greater than the stored one. Deleting an entity must leave a marker with the ID
//     for a while, because otherwise an earlier change that is handled again would bring the copy back.
//   - An e-mail cannot be sent exactly once. Either record that it will be sent and then send it (at most once), or
//     send it and then record it (at least once).
//
// # Errors
//
// A change whose handler returned an error is handled again, so the later changes of the shard wait. [Permanent] marks
// an error that trying again would not resolve; a panic counts as one, and so does an entity that cannot be decoded.
package stream
