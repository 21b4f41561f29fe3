package dyntest

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
)

func spentOn(calls ...Call) *Spent {
	s := &Spent{}
	for _, c := range calls {
		s.add(c)
	}
	return s
}

func TestSpentIsATable(t *testing.T) {
	t.Parallel()
	booking := []dynastay.Usage{{Table: "Bookings", WriteUnits: 4}, {Table: "Availability", WriteUnits: 2}}
	s := spentOn(
		Call{Operation: "TransactWriteItems", Usage: []dynastay.Usage{{Table: "Bookings"}, {Table: "Availability"}}, Err: "TransactionCanceledException"},
		Call{Operation: "GetItem", Usage: []dynastay.Usage{{Table: "Users", ReadUnits: 0.5}}},
		Call{Operation: "Query", Usage: []dynastay.Usage{{Table: "Bookings", Index: "GSI4-ReferenceIndex", ReadUnits: 0.5}}},
		Call{Operation: "Query", Usage: []dynastay.Usage{{Table: "Bookings", ReadUnits: 1.5}}},
		Call{Operation: "ListTables", Err: "ThrottlingException"},
		Call{Operation: "TransactWriteItems", Retry: true, Usage: append(booking, dynastay.Usage{Table: "Bookings", Index: "GSI3-StatusIndex", WriteUnits: 10})},
		Call{Operation: "GetItem", Usage: []dynastay.Usage{{Table: "Users", ReadUnits: 0.5}}, Retry: true},
		Call{Operation: "ListTables", Err: NoAnswer, Retry: true},
		Call{Operation: "ListTables", Err: "ThrottlingException", Retry: true},
		Call{Operation: "TransactWriteItems", Usage: []dynastay.Usage{{Table: "Users", WriteUnits: 2}}},
	)
	assert.Equal(t, Cost{Requests: 10, Retries: 4, ReadUnits: 3, WriteUnits: 18}, s.Cost)
	assert.Equal(t, strings.TrimPrefix(`
operation           table         index                requests  retries  read units  write units  errors
GetItem             Users                                     2        1         1.0          0.0
ListTables                                                    3        2         0.0          0.0  2 ThrottlingException, 1 no answer
Query               Bookings                                  1        0         1.5          0.0
Query               Bookings      GSI4-ReferenceIndex         1        0         0.5          0.0
TransactWriteItems  Availability                              2        1         0.0          2.0  1 TransactionCanceledException
                    Bookings                                                     0.0          4.0
                    Bookings      GSI3-StatusIndex                               0.0         10.0
TransactWriteItems  Users                                     1        0         0.0          2.0
total                                                        10        4         3.0         18.0`, "\n"),
		s.String())
	assert.Equal(t, "nothing was sent", (&Spent{}).String())
}

func TestSummary(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	t.Cleanup(func() { assert.NoError(t, put(context.Background(), d.Client, d, "a", "1")) }) // it belongs to the test
	if os.Getenv(childVar) != "" {
		return
	}
	for value, want := range map[string]bool{"1": true, "": false, "0": false} {
		output, err := child(t, "summary", summaryVar+"="+value,
			"DYNTEST_ENGINE=endpoint", "DYNTEST_ENDPOINT="+d.Engine.Endpoint()).CombinedOutput()
		assert.NoError(t, err, "%s", output)
		for _, line := range []string{
			"dyntest: requests of this test:\n",
			"operation  table   index  requests  retries  read units  write units\n",
			"PutItem    Things                1        0         0.0          1.0\n",
			"total                            1        0         0.0          1.0\n",
		} {
			assert.Equal(t, want, strings.Contains(string(output), line), "%s=%s: %s\n%s", summaryVar, value, line, output)
		}
	}
}
