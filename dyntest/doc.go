// Package dyntest gives a test a real DynamoDB engine and tables of its own, in one line:
//
//	func TestBooking(t *testing.T) {
//		t.Parallel()
//		db := dyntest.New(t) // the hotel's tables, for this test only
//		made, err := bookings.New(db.DB, nil).Create(t.Context(), bookings.Request{Quote: quote, UserID: "user_1", Guest: guest})
//		…
//	}
//
// A service's own tables come with [Tables], a time that stands still with [At], all else with [With]:
//
//	db := dyntest.New(t, dyntest.Tables(outboxTable), dyntest.At(noon))
//
// # The engine
//
// Package engine, below this one, finds or starts the engine and describes the order of the search. A test offers Docker
// too. The test's log says which engine was taken, and why the ones before it were not. If none is available the test
// fails; it is never skipped.
//
// All tests of a test binary share the engine: a process of Java or dynoxide ends with the binary, even if it is killed. All
// packages of one `go test` share one container. A test that is about one engine says so, whatever the environment says:
//
//	db := dyntest.New(t, dyntest.On(engine.Docker))
//
// [Image] does the same for one image of Docker. The environment variables of package engine, such as DYNTEST_ENGINE, choose
// for all other tests, and those of package docker are about its containers. These are for tests only:
//
//	DYNTEST_SEED      the seed of faults that are left to chance
//	DYNTEST_SUMMARY   1: every test logs what it sent, for go test -v
//
// A program, such as an example, starts an engine with package engine itself, which does not import testing.
//
// # Faults, budgets, time
//
// Local engines are better behaved than DynamoDB. [Faults] makes up for it, on single HTTP requests, below the retries of
// the SDK: what is throttled, lost, delayed, left unprocessed or not yet in an index, by number or by chance.
//
//	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
//
// [Budget] fails a test that sends or consumes more than it says; [DB.Measure] tells what was sent, and so does the log
// of every test with DYNTEST_SUMMARY=1. [Clock] is the time of the test's repositories, and [DB.Sweep] removes what has
// expired by it. [DB.Direct] is for preparing and inspecting: past the faults, and not measured.
//
// Package world, beside this one, fills the tables with hotels. docs/testing.md tells it all with examples.
package dyntest
