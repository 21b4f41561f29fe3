// Package consumer reads the streams of tables and passes every change to a [stream.Router], in any number of
// processes:
//
//	c := consumer.New(db, dynamodbstreams.NewFromConfig(cfg), consumer.Spec{
//		Name:       "notifications",
//		Router:     router,
//		Start:      consumer.Now,
//		DeadLetter: park,
//	})
//	err := c.Run(ctx) // until ctx ends
//
// The streams of the tables must be enabled, with the view type NEW_AND_OLD_IMAGES. Package provision does that for
// a schema with Stream set.
//
// # Positions and leases
//
// A stream consists of shards, and an item of a table is in one of them. For each shard, the consumer stores an item
// with the number of the last change that was handled and the process that holds the shard, in the table Metadata:
// STREAM#{Name} / SHARD#{ShardId}. The item is written every sixth of [Spec.Lease], which also renews the lease. So a
// shard costs one write unit for each of these writes, however many changes it has, and after a crash only the changes
// since the last one are handled again. Delete such an item, to read a shard from its beginning again, only while the
// consumer is not running.
//
// The processes share the shards equally. A new process asks the one that holds most; that one finishes the change that
// it is handling, stores its position and hands the shard over. If a process dies, the others take its shards when they
// have seen for the time of a lease that nobody renews it. They measure that with their own monotonic clocks, so the
// clocks of the processes may differ. A process that could not renew a lease stops handling changes of the shard before
// another one can take it; a handler that goes on although its context has ended may overlap. While it does, its process
// does not take the shard back, and after a second lease another one does, even if it has its share already.
//
// DynamoDB replaces a shard by new ones every few hours, and when a partition is split. The new shards are read after
// their parent has been read to its end, so the changes of an item stay in order.
//
// # Failures
//
// If the router returns an error, the change is passed to it again, after a random pause of at most [Spec.Poll] at
// first and 30 times as much later. The later changes of the shard wait; those of other shards do not. If the error is
// permanent (see [stream.Permanent]), or the change has failed for [Spec.GiveUp], it is passed to [Spec.DeadLetter]
// instead. Once that returns nil, the consumer goes on with the next change. Without DeadLetter, the change is tried
// until it succeeds.
//
// [Spec.OnError] is told every error, and [Consumer.Shards] shows how far behind each shard is, and which change fails.
// Streams keep changes for 24 hours. If a shard was not read for so long, changes may be lost: OnError gets a
// [*TrimmedError].
//
// # Limits
//
// DynamoDB allows two readers of a shard at a time. All the routes of one consumer count as one reader, and a Lambda
// function is one too. A shard is read by one goroutine, so a handler that takes 20 ms handles 50 changes per second
// and shard.
package consumer
