// Package dyntest gives a test a real DynamoDB engine and its own tables, in one line:
//
//	func TestBooking(t *testing.T) {
//		t.Parallel()
//		db := dyntest.New(t) // the library's tables, for this test only
//		made, err := bookings.New(db.DB, nil).Create(t.Context(), bookings.Request{Quote: quote, UserID: "user_1", Guest: guest})
//		…
//	}
//
// [Tables] adds a service's own tables, [At] fixes the time, and [With] sets all other options:
//
//	db := dyntest.New(t, dyntest.Tables(outboxTable), dyntest.At(noon))
//
// # The engine
//
// The subpackage engine finds or starts the engine and documents the order of the search. A test also tries Docker. The
// test's log says which engine is used, and why those before it in the order are not. If no engine is available, the
// test fails; it is never skipped.
//
// All tests of a test binary share the engine. A Java or dynoxide process ends when the test binary ends, even if the
// binary is killed. All packages of one `go test` run share one container. A test for one particular engine overrides
// the environment:
//
//	db := dyntest.New(t, dyntest.On(engine.Docker))
//
// [Image] does the same for one Docker image. For all other tests, the environment variables of package engine, such as
// DYNTEST_ENGINE, choose the engine, and those of package docker configure its containers. The following variables
// apply only to tests:
//
//	DYNTEST_SEED      the seed of random faults and shards
//	DYNTEST_SUMMARY   1: every test logs the requests that it sent; use go test -v to see them
//
// A program, such as an example, starts an engine with package engine directly, which does not import testing.
//
// # Faults, budgets, time
//
// Local engines do not fail as DynamoDB does. [Faults] simulates these failures for individual HTTP requests, below the
// retries of the SDK. It can throttle, lose or delay requests, leave items unprocessed or hide them from an index, for
// selected requests or at random.
//
//	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
//
// [Budget] fails a test that exceeds a budget of requests and units, and [Costs] fails a test that does not cost
// exactly what is expected. [DB.Measure] returns what was sent; with DYNTEST_SUMMARY=1, the log of every test shows it.
// [Clock] is the clock of the test's repositories, and [DB.Sweep] removes the items that have expired according to it.
// [DB.Direct] is for preparing and inspecting: it bypasses the faults, and is not measured.
//
// # Permissions
//
// No engine checks permissions. [Permitted] refuses what a policy of package provision/policy does not allow, so that a
// service is tested with the permissions that it will have. [DB.Needs] returns what recorded requests need.
//
// # Streams
//
// With the option [Streams], the tables have the streams that their schemas ask for. [DB.Streams] is the client for
// code that reads them; faults and budgets apply to it too. On a local engine, a stream has one shard, which stays
// open. [DB.Reshard] simulates shards that split and roll over, iterators that expire and records that are trimmed:
//
//	db := dyntest.New(t, dyntest.Streams())
//	shards := db.Reshard(1, 10) // a shard gets between 1 and 10 records
//	consume(ctx, shards.Client)
//
// The subpackage world fills the tables with hotels, and the subpackage contract says whether an engine does what the
// library relies on. docs/testing.md is the guide, with examples.
package dyntest
