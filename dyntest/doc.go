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
// A program, such as an example, starts an engine with [Start].
//
// # The engine
//
// The first of these that can be had is taken. The test's log says which one, and why the ones before it were not.
// There is always an engine or a failed test, never a skipped one.
//
//  1. An endpoint that already runs, where DYNTEST_ENDPOINT names one. It is then the only one tried: a wrong address
//     is an error.
//  2. DynamoDB Local as a process of this machine's Java (that of JAVA_HOME, or on PATH), where DYNTEST_DYNAMODB_LOCAL
//     names the folder of an unpacked download. Where that is set, and DYNTEST_ENDPOINT is not, it is the only one
//     tried. Each test binary runs a process of its own, which ends with it, even if it is killed.
//  3. DynamoDB Local in Docker, through testcontainers. All packages of one `go test` share one container.
//  4. dynoxide, an in-memory DynamoDB in one binary that needs neither Docker nor Java: the one on PATH, or a pinned
//     build that is fetched once with npm into the user's cache folder. Like Java's, a process of each test binary.
//
// The processes of 2 and 4 need a Unix. DynamoDB Local is told to keep its telemetry to itself.
//
// A test that is about one engine says so with [On] or [Image], which win over the environment. These
// environment variables choose otherwise, and set what else is not in code:
//
//	DYNTEST_ENGINE                 endpoint, java, docker or dynoxide: try this one only
//	DYNTEST_ENDPOINT               the address of a local engine, such as http://127.0.0.1:8000
//	DYNTEST_DYNAMODB_LOCAL         the folder with DynamoDBLocal.jar and DynamoDBLocal_lib
//	DYNTEST_IMAGE                  the image for Docker; default amazon/dynamodb-local:3.1.0
//	DYNTEST_SEED                   the seed of faults that are left to chance
//	DYNTEST_SUMMARY                1: every test logs what it sent, for go test -v
//	TESTCONTAINERS_RYUK_DISABLED   true: run no reaper beside the container; see below
//
// Testcontainers' reaper removes the container some seconds after the last test binary has ended. Where the reaper is
// disabled, the container stays, and whoever disabled it removes it:
//
//	docker ps -aq --filter label=dynastay.dyntest | xargs -r docker rm -f
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
