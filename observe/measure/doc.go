// Package measure turns what a [dynastay.Observer] is told into metrics, for any system that keeps them. Packages
// observe/otel and observe/prometheus are built on it, so both have the same metrics, the list [Metrics]. Another system
// needs only a [Sink]:
//
//	meter := measure.New(sink)
//	db := dynastay.Open(client, &dynastay.Options{Observer: meter})
//
// # What is counted where
//
// Requests, units, retries, conflicts, throttles and lost answers are counted request by request, and belong to the
// innermost operation: the sum over all operations is what was sent, and a part is not counted again in the operation
// that it is a part of. Only durations overlap: an operation takes as long as its parts, and what it does itself.
//
// # Cardinality
//
// Every attribute has a bounded number of values, whatever guests and callers send:
//
//   - operations are named by the program. A write of several operations has the name of each once, in the order in which
//     they are written, so that a write of 3 messages and one of 30 are the same operation;
//   - tables and indexes are those of schemas;
//   - patterns, verdicts, and how an outcome was settled, are constants of the library;
//   - error types are the kinds of docs/errors.md, names of Go types, and codes of DynamoDB, see [ErrorType];
//   - reasons of throttling are DynamoDB's.
//
// After 1000 different values of one attribute, which a program can reach only by building names of operations from data,
// each further value is counted as [Other].
//
// There is no attribute with an id, a key, or the text of an error.
package measure
