package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity/stream"
)

// oneShard skips a test if the engine has several shards for each stream: the story counts them.
func oneShard(t *testing.T) { dyntest.New(t, dyntest.OnlyTables()).Requires(dyntest.SingleShards) }

func TestRun(t *testing.T) {
	oneShard(t)
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)

	// Columns are as wide as their content; ids, times and the shares of the processes differ.
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	text = regexp.MustCompile(`\d\.\d\d s`).ReplaceAllString(text, "T")
	text = regexp.MustCompile(`user_guest_\d\d`).ReplaceAllString(text, "user_guest_N")
	text = regexp.MustCompile(`BKG-2\d\d\d-\w{6}`).ReplaceAllString(text, "BKG-N")
	text = regexp.MustCompile(`process [AB]`).ReplaceAllString(text, "process P")
	for line, times := range map[string]int{
		"Harbour House 2 nights 20 rooms 142.00 EUR":     1,
		"Bookings behind T process P":                    3,
		"Outbox behind T process P":                      3,
		"Properties behind T process P":                  3,
		"Users behind T process P":                       3,
		"20 got a room":                                  1,
		"44 refused: sold out":                           1,
		"process P has stopped":                          1,
		"20 confirmed":                                   1,
		"6 cancelled":                                    1,
		"30 notifications so far":                        1,
		"4 refunded":                                     1,
		"prop_harbour Harbour House & Garden":            1,
		"guests 8":                                       1,
		"BKG-N anonymised 1":                             1,
		"index 1 marker and no document of user_guest_N": 2,
		"behind T, then T":                               6,
		"ignored 1 creation of user_guest_N":             1,
		"1 handled":                                      1,
		"2 refunded":                                     1,
		"Bookings behind T nobody":                       2,
		"dead letter: Message MESSAGE#msg_of_other_software (CreatedAt): unreadable item: must be text, got a number": 1,
		"index 64 documents, as the repositories return them; 1 old change ignored":                                   1,
	} {
		assert.Equal(t, times, strings.Count(text, "\n "+line+"\n"), line)
	}
	assert.Contains(t, text, " notifications 32 for 20 bookings; 11 changes were handled twice\n")
	// A process that loses a lease, as on a slow machine, may deliver more messages twice than those whose responses
	// were lost.
	assert.Regexp(t, ` messages 22 delivered in [34]\d calls; 8 responses were lost\n`, text)
	assert.Regexp(t, `The guests race.*-\n process P( [\d.]+){4}\n process P( [\d.]+){4}\n`, text, "both have read streams")
	for line := range strings.SplitSeq(out.String(), "\n") {
		if strings.Contains(line, "a process survived: ") { // such as the loss of a lease on a slow machine
			continue
		}
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 115, "a terminal's width: %s", line)
	}
}

// If it is interrupted, it stops the processes and removes its tables.
func TestInterrupt(t *testing.T) {
	oneShard(t)
	e, err := engine.Start(t.Context(), docker.Allow())
	require.NoError(t, err)
	defer e.Stop(t.Context())
	t.Setenv("DYNTEST_ENGINE", "endpoint") // the program does not stop an endpoint, so the test can look at it
	t.Setenv("DYNTEST_ENDPOINT", e.Endpoint())

	ctx, interrupt := context.WithCancel(t.Context())
	var out strings.Builder
	err = run(ctx, writerFunc(func(p []byte) {
		out.Write(p)
		if strings.Contains(string(p), "Process B starts") {
			interrupt()
		}
	}), false)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Contains(t, out.String(), " 4  The guests race")
	assert.NotContains(t, out.String(), "It starts again")
	left, err := e.Client().ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	for _, name := range left.TableNames {
		assert.NotContains(t, name, "streams-")
	}
}

// writerFunc is called with everything that is written.
type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func TestIndexIgnoresChangesThatAreNotNewer(t *testing.T) {
	x := &index{documents: map[dynastay.Key]document{}}
	ada, bob := dynastay.Key{PK: "ada"}, dynastay.Key{PK: "bob"}
	for _, change := range []struct {
		of   dynastay.Key
		d    document
		want string
	}{
		{ada, document{change: "2", text: "Ada"}, "Ada"},
		{ada, document{change: "1", text: "Earlier"}, "Ada"},
		{ada, document{change: "2", text: "The same"}, "Ada"},
		{bob, document{change: "1", text: "Bob"}, "Bob"},
		{ada, document{change: "3", deleted: true}, ""},
		{ada, document{change: "2", text: "Ada"}, ""},
	} {
		x.put(change.of, change.d)
		d, known := x.get(change.of)
		assert.True(t, known)
		assert.Equal(t, change.want, d.text, "after %+v", change)
	}
	documents, markers, ignored := x.size()
	assert.Equal(t, []int{1, 1, 3}, []int{documents, markers, ignored})
}

func TestNobodyIsToldOfAnAnonymisedBooking(t *testing.T) {
	booking := bookings.Booking{AnonymisedAt: time.Now()}
	booking.Status = bookings.Confirmed
	var n *notifier // writing a notification would panic
	assert.NoError(t, n.onBooking(t.Context(), stream.Change[bookings.Booking]{New: &booking}))
}
