// Package dyntest gives a test a real DynamoDB engine and tables of its own, in one line:
//
//	func TestBooking(t *testing.T) {
//		t.Parallel()
//		db := dyntest.New(t) // the hotel's tables, for this test only
//		made, err := bookings.New(db.DB).Create(t.Context(), bookings.Request{Quote: quote, UserID: "user_1", Guest: guest})
//		…
//	}
//
// A service's own tables come with [Tables], a fixed clock or ids with [With]:
//
//	db := dyntest.New(t, dyntest.Tables(outboxTable), dyntest.With(dynastay.Options{Clock: clock}))
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
//  2. DynamoDB Local in Docker, through testcontainers. All packages of one `go test` share one container.
//  3. dynoxide, an in-memory DynamoDB in one binary that needs neither Docker nor Java: the one on PATH, or a pinned
//     build that is fetched once with npm into the user's cache folder. Each test binary runs a process of its own,
//     which ends with it, even if it is killed.
//
// These environment variables choose otherwise:
//
//	DYNTEST_ENGINE                 endpoint, docker or dynoxide: try this one only
//	DYNTEST_ENDPOINT               the address of a local engine, such as http://127.0.0.1:8000
//	DYNTEST_IMAGE                  the image for Docker; default amazon/dynamodb-local:3.1.0
//	TESTCONTAINERS_RYUK_DISABLED   true: run no reaper beside the container; see below
//
// Testcontainers' reaper removes the container some seconds after the last test binary has ended. Where the reaper is
// disabled, the container stays, and whoever disabled it removes it:
//
//	docker ps -aq --filter label=dynastay.dyntest | xargs -r docker rm -f
//
// # Faults
//
// Local engines are better behaved than DynamoDB. [Faults] brings back two things that correct code must survive:
// conflicts between transactions ([Faults.Conflicts]) and an answer that is lost after the commit
// ([Faults.LoseAnswer]). They act on single HTTP requests, below the retries of the SDK. [Faults.Count] and
// [Faults.Record] show what was sent.
package dyntest
