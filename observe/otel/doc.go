// Package dynaotel reports what a [dynastay.DB] does to OpenTelemetry: a span for each operation, a span in it for each
// request, and metrics.
//
//	observer, err := dynaotel.New(dynaotel.Options{})
//	…
//	db := dynastay.Open(client, &dynastay.Options{Observer: observer})
//
// # Spans
//
// The span of an operation has the operation's name, such as "bookings.Create", and the kind INTERNAL. Its parts, and its
// requests, are its children. The span of a request has the kind CLIENT and follows the conventions for databases, of the
// version [Conventions]: its name is db.query.summary. It covers the retries of the SDK, which only reads have.
//
// Attributes that are not in the conventions begin with "dynastay.":
//
//	operation, pattern                           what the operation is called in metrics, and its documented pattern
//	requests, retries, read_units, write_units   of the operation with its parts
//	conflicts, throttled, lost                   requests of the operation with that verdict, if there were any
//	settled                                      how the outcome became known, if not by the operation's own answer
//	gate.tables, gate.waits                      for each item that the operation queued for: the table, and seconds
//	verdict, attempt, sdk_retries                of a request
//	write                                        identifies the write, see Streams
//	usage.targets, .read_units, .write_units     what a request consumed, on each table and index
//	throttle.reasons, throttle.targets           what was throttled, in a request
//	record, table                                of a record of a stream
//
// A target is a table, or a table and its index, as in "Bookings/GSI1". Lists of the same prefix belong together, value by
// value. The attributes aws.dynamodb.… are there only with [Options.Development]. Two attributes that the conventions
// recommend are missing, because an observer is not told them: db.operation.batch.size and aws.request_id.
//
// # Errors
//
// No span and no metric has the text of an error, or a key: there may be ids and e-mail addresses in them. Instead,
// error.type is what [measure.ErrorType] returns for an operation, such as "dynastay.ErrContention", and
// [measure.RequestErrorType] for a request, such as "TransactionCanceledException".
//
// The status of a span is Error if whoever runs the service wants to know. So it is left unset for a request whose condition
// did not hold: that is an answer, and the reason why the request had a condition. Its verdict is "refused", and
// db.response.status_code has DynamoDB's code. It is also left unset for an operation that answers its caller with a
// refusal, such as that the rooms are sold out, or that an argument is invalid. Its error.type is set all the same, to tell
// these answers apart. A request that met another transaction has failed, even if its operation repeats it and succeeds.
//
// # Metrics
//
// The metrics are those of package measure, which says what each counts, and why the number of their time series is bounded.
//
// # Streams
//
// [Observer.Records] makes a span for each record of a stream. The span of a write and the span of a record of it have the
// same dynastay.write, so each can be found with the other. They are not linked: a link needs the id of the trace, which is
// not stored with an item.
package dynaotel
