package dynastay

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/assert"
)

// What was lost before, and what the next request came to: every line of the table.
func TestNextMove(t *testing.T) {
	const plain, transaction = true, false
	for _, line := range []struct {
		kind bool
		lost bool
		got  Verdict
		want move
	}{
		{transaction, false, Done, finish},
		{transaction, false, Refused, explain},
		{transaction, false, Conflict, meet},
		{transaction, false, Throttled, again},
		{transaction, false, Unsent, again},
		{transaction, false, Rejected, giveUp},
		{transaction, false, Lost, again},

		// Under its token the transaction is carried out once, so it is sent until that is known. It is not prepared again
		// for a conflict, and a rejection says nothing of the request before.
		{transaction, true, Done, finish},
		{transaction, true, Refused, explain},
		{transaction, true, Conflict, again},
		{transaction, true, Throttled, again},
		{transaction, true, Unsent, again},
		{transaction, true, Rejected, look},
		{transaction, true, Lost, again},

		{plain, false, Done, finish},
		{plain, false, Refused, explain},
		{plain, false, Conflict, meet},
		{plain, false, Throttled, again},
		{plain, false, Unsent, again},
		{plain, false, Rejected, giveUp},
		{plain, false, Lost, look},

		// A plain request that was lost is looked for before anything else is believed.
		{plain, true, Done, finish},
		{plain, true, Refused, look},
		{plain, true, Conflict, again},
		{plain, true, Throttled, again},
		{plain, true, Unsent, again},
		{plain, true, Rejected, look},
		{plain, true, Lost, look},
	} {
		assert.Equal(t, line.want, nextMove(line.kind, line.lost, line.got), "%+v", line)
	}
}

func TestVerdictKinds(t *testing.T) {
	kinds := map[Verdict]error{Conflict: ErrContention, Throttled: ErrThrottled, Unsent: ErrUnavailable, Rejected: ErrRejected}
	for _, v := range []Verdict{Done, Refused, Conflict, Throttled, Unsent, Rejected, Lost} {
		assert.Equal(t, kinds[v], v.kind(), v)
	}
}

func status(code int, err error) error {
	return &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: code}}, Err: err,
	}}
}

func TestOutcomesOfErrors(t *testing.T) {
	api := func(code string) error { return &smithy.GenericAPIError{Code: code} }
	for name, test := range map[string]struct {
		err  error
		way  passage
		want Verdict
	}{
		"throughput exceeded":        {&types.ProvisionedThroughputExceededException{}, passage{true, true}, Throttled},
		"throttling":                 {api("ThrottlingException"), passage{}, Throttled},
		"throttling, the other name": {api("ThrottlingError"), passage{}, Throttled},
		"throttling, as a 503":       {status(503, api("ThrottlingException")), passage{true, true}, Throttled},
		"request limit":              {api("RequestLimitExceeded"), passage{}, Throttled},
		"too many requests":          {status(429, errors.New("slow down")), passage{}, Throttled},
		"replication":                {&types.ReplicatedWriteConflictException{}, passage{}, Conflict},
		"internal error":             {&types.InternalServerError{}, passage{true, true}, Lost},
		"500":                        {status(500, api("InternalFailure")), passage{true, true}, Lost},
		"503":                        {status(503, api("ServiceUnavailable")), passage{true, true}, Lost},
		"502 of a proxy":             {status(502, errors.New("bad gateway")), passage{true, true}, Lost},
		"499":                        {status(499, api("ClientClosedRequest")), passage{true, true}, Rejected},
		"408 of a proxy":             {status(408, api("UnknownError")), passage{true, true}, Lost},
		"validation":                 {status(400, api("ValidationException")), passage{true, true}, Rejected},
		"missing parameter":          {smithy.InvalidParamsError{}, passage{true, false}, Rejected},
		"not serialized":             {&smithy.SerializationError{Err: io.EOF}, passage{true, false}, Rejected},
		"refused connection":         {&net.OpError{Op: "dial", Err: io.EOF}, passage{true, true}, Unsent},
		"broken connection":          {&net.OpError{Op: "read", Err: io.EOF}, passage{true, true}, Lost},
		"no credentials":             {errors.New("no credentials"), passage{true, false}, Unsent},
		"another client's error":     {errors.New("no credentials"), passage{}, Lost},
		"end of the context":         {context.DeadlineExceeded, passage{true, true}, Lost},
	} {
		assert.Equal(t, test.want, test.way.outcomeOf(test.err).verdict, name)
		assert.Equal(t, test.err, test.way.outcomeOf(test.err).err, name)
	}
}

// A token is used for less than the ten minutes in which DynamoDB knows it again.
func TestTokenWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &script{answers: []error{&types.TransactionInProgressException{}}}
		db := client.open(&Options{Retry: Retry{Attempts: 1e6, Base: 5 * time.Second, Cap: 5 * time.Second}})
		assert.ErrorIs(t, db.Write(t.Context(), pair(db)...), ErrOutcomeUnknown)
		first, last := client.times[0], client.times[len(client.times)-1]
		assert.Less(t, last.Sub(first), 10*time.Minute-30*time.Second)
		assert.Greater(t, last.Sub(first), 8*time.Minute)
		for _, token := range client.tokens {
			assert.Equal(t, client.tokens[0], token)
		}
	})
}

// What comes after a lost answer does not make it forgotten.
func TestLostAnswerIsRemembered(t *testing.T) {
	lost, throttle := io.ErrUnexpectedEOF, &types.ProvisionedThroughputExceededException{}
	conflicting := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("TransactionConflict")}}}
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException"}
	for name, test := range map[string]struct {
		answers []error
		sent    int
		want    error
	}{
		"the budget ends on a throttle": {[]error{lost, throttle}, 4, ErrOutcomeUnknown},
		"the budget ends on a conflict": {[]error{lost, conflicting}, 4, ErrOutcomeUnknown},
		"the way ends before the start": {[]error{lost, &net.OpError{Op: "dial", Err: io.EOF}}, 4, ErrOutcomeUnknown},
		"then it is rejected":           {[]error{lost, denied}, 2, ErrOutcomeUnknown},
		"a conflict, and then done":     {[]error{lost, conflicting, nil}, 3, nil},
		"nothing lost, throttled":       {[]error{throttle}, 4, ErrThrottled},
		"nothing lost, a conflict":      {[]error{conflicting}, 4, ErrContention},
		"nothing lost, rejected":        {[]error{denied}, 1, ErrRejected},
		"nothing lost, not reached":     {[]error{&net.OpError{Op: "dial", Err: io.EOF}}, 4, ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: test.answers}
				db := client.open(&Options{Retry: Retry{Attempts: 4}})
				err := db.Write(t.Context(), pair(db)...)
				assert.ErrorIs(t, err, test.want)
				assert.Len(t, client.times, test.sent)
				if test.answers[0] == lost {
					for _, token := range client.tokens {
						assert.Equal(t, client.tokens[0], token, "prepared anew before its outcome was known")
					}
					for _, kind := range []error{ErrThrottled, ErrContention, ErrUnavailable, ErrRejected} {
						assert.NotErrorIs(t, err, kind)
					}
				}
			})
		})
	}
}

// A plain request is sent only where its lost answer can be settled.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		want    bool
		actions []*Action
	}{
		{true, []*Action{{kind: putAction, stamp: stamp{1}}}},
		{true, []*Action{{kind: updateAction, stamp: stamp{1}}}},
		{true, []*Action{{kind: deleteAction}}},
		{false, []*Action{{kind: putAction}}},
		{false, []*Action{{kind: updateAction}}},
		{false, []*Action{{kind: checkAction}}},
		{false, []*Action{{kind: putAction, stamp: stamp{1}}, {kind: deleteAction}}},
		{false, nil},
	} {
		assert.Equal(t, test.want, (&Tx{actions: test.actions}).plain(), "%+v", test.actions)
	}
}
