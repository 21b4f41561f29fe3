// Package contract says whether a DynamoDB engine does what this library relies on.
//
// Engines differ: those on a developer's machine differ from AWS, and from each other. A library that is correct on AWS
// can still fail on an engine that orders keys differently, or that forgets client tokens. Each case of this package is
// something that the library needs, or a service that sends requests of its own to the same engine. It says what depends
// on it, and what it means for a user if an engine differs.
//
// A test runs all of them:
//
//	func TestEngine(t *testing.T) {
//		contract.Run(t, contract.Target{Client: client, Admin: client, Streams: streams, Prefix: "ci-"})
//	}
//
// A program calls [Check], which returns a [Result] for every case. There are three answers:
//
//   - [AsRequired]: the engine does what the library needs.
//   - [Differs]: it does something else. The result has what was seen.
//   - [NotShown]: the engine did not show it. Some things cannot be provoked, above all on a local engine: throttling,
//     conflicts, and indexes that lag. The result says which fault of package dyntest stands in for them. A case is not
//     shown either if the budget is spent, if there is no client for streams, or if the engine does not respond.
//
// All cases share two tables, which are created once and deleted in the end, because on AWS this takes seconds. Each case
// has items of its own. A run on AWS writes and reads a few thousand units; [Target.Units] limits them. The budget counts
// what a case spends at most, see [Case.Units], because an engine does not report the units of a request that it refuses.
//
// # Services
//
// [Service] tests a booking service that is built on the library, by its own functions.
package contract
