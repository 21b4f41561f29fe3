// Package lambda handles the changes in DynamoDB Streams in a function of AWS Lambda. [Handler] adapts a
// [stream.Router] to package github.com/aws/aws-lambda-go/lambda:
//
//	func main() {
//		awslambda.Start(lambda.Handler(router, &lambda.Options{PartialBatch: true, DeadLetter: park}))
//	}
//
// # Event source mapping
//
// The function needs an event source mapping for the stream of each table that the router has routes for. Set:
//
//   - StreamViewType of the stream: NEW_AND_OLD_IMAGES. Package provision does that if Stream of the schema is set.
//   - FunctionResponseTypes: ReportBatchItemFailures, together with [Options].PartialBatch. Lambda then repeats a batch
//     from the record that failed. Without it, Lambda repeats the whole batch, and ignores the report of a partial one.
//   - MaximumRetryAttempts and MaximumRecordAgeInSeconds. By default, Lambda repeats a batch until its records expire
//     after 24 hours, and all later changes of the shard wait. After these limits it discards the batch, or what is
//     left of it, so the limits must allow for an outage of what the function depends on.
//   - DestinationConfig, OnFailure: where Lambda sends what it discards. A queue or a topic gets only the positions of
//     the records in the stream, which must be read there within 24 hours. [Options].DeadLetter gets the record itself.
//   - BisectBatchOnFunctionError, if MaximumRetryAttempts is limited: Lambda then splits a batch before it repeats it,
//     so that it discards fewer other records together with the one that fails. With ReportBatchItemFailures, it splits
//     at the reported record.
//   - ParallelizationFactor: any value. Lambda keeps the changes of one item in order.
//
// No TumblingWindowInSeconds: its events have a different type.
//
// # Errors
//
//   - A function of the router fails: the batch is repeated; with PartialBatch, the record and those after it are repeated.
//   - It fails with a permanent error, see [stream.Permanent], or panics, or a record or an entity cannot be read:
//     DeadLetter gets the record, then the next one is handled.
//   - DeadLetter fails, or there is none: the batch is repeated; with PartialBatch, the record and those after it are
//     repeated.
//   - No route is for the table: the batch is repeated; with PartialBatch, the record and those after it are repeated.
//   - The time is over: the batch is repeated; with PartialBatch, the first one not handled and those after it are
//     repeated.
//
// If no route is for the table, the routes or the mapping must be corrected: the table's name, with its prefix, is not
// one of Router.Tables.
//
// Lambda may repeat a batch although it was handled, for example if the result was lost. See package stream for what a
// handler can rely on; the IDs of the records are the same as for package consumer.
package lambda
