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
		got  verdict
		want move
	}{
		{transaction, false, done, finish},
		{transaction, false, refused, explain},
		{transaction, false, conflict, meet},
		{transaction, false, throttled, again},
		{transaction, false, unsent, again},
		{transaction, false, rejected, giveUp},
		{transaction, false, answerLost, again},

		// Under its token the transaction is carried out once, so it is sent until that is known. It is not prepared again
		// for a conflict, and a rejection says nothing of the request before.
		{transaction, true, done, finish},
		{transaction, true, refused, explain},
		{transaction, true, conflict, again},
		{transaction, true, throttled, again},
		{transaction, true, unsent, again},
		{transaction, true, rejected, look},
		{transaction, true, answerLost, again},

		{plain, false, done, finish},
		{plain, false, refused, explain},
		{plain, false, conflict, meet},
		{plain, false, throttled, again},
		{plain, false, unsent, again},
		{plain, false, rejected, giveUp},
		{plain, false, answerLost, look},

		// A plain request that was lost is looked for before anything else is believed.
		{plain, true, done, finish},
		{plain, true, refused, look},
		{plain, true, conflict, again},
		{plain, true, throttled, again},
		{plain, true, unsent, again},
		{plain, true, rejected, look},
		{plain, true, answerLost, look},
	} {
		assert.Equal(t, line.want, nextMove(line.kind, line.lost, line.got), "%+v", line)
	}
}

func TestVerdictKinds(t *testing.T) {
	kinds := map[verdict]error{conflict: ErrContention, throttled: ErrThrottled, unsent: ErrUnavailable, rejected: ErrRejected}
	for v := done; v <= answerLost; v++ {
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
		want verdict
	}{
		"throughput exceeded":        {&types.ProvisionedThroughputExceededException{}, passage{true, true}, throttled},
		"throttling":                 {api("ThrottlingException"), passage{}, throttled},
		"throttling, the other name": {api("ThrottlingError"), passage{}, throttled},
		"throttling, as a 503":       {status(503, api("ThrottlingException")), passage{true, true}, throttled},
		"request limit":              {api("RequestLimitExceeded"), passage{}, throttled},
		"too many requests":          {status(429, errors.New("slow down")), passage{}, throttled},
		"replication":                {&types.ReplicatedWriteConflictException{}, passage{}, conflict},
		"internal error":             {&types.InternalServerError{}, passage{true, true}, answerLost},
		"500":                        {status(500, api("InternalFailure")), passage{true, true}, answerLost},
		"503":                        {status(503, api("ServiceUnavailable")), passage{true, true}, answerLost},
		"502 of a proxy":             {status(502, errors.New("bad gateway")), passage{true, true}, answerLost},
		"499":                        {status(499, api("ClientClosedRequest")), passage{true, true}, rejected},
		"408 of a proxy":             {status(408, api("UnknownError")), passage{true, true}, answerLost},
		"validation":                 {status(400, api("ValidationException")), passage{true, true}, rejected},
		"missing parameter":          {smithy.InvalidParamsError{}, passage{true, false}, rejected},
		"not serialized":             {&smithy.SerializationError{Err: io.EOF}, passage{true, false}, rejected},
		"refused connection":         {&net.OpError{Op: "dial", Err: io.EOF}, passage{true, true}, unsent},
		"broken connection":          {&net.OpError{Op: "read", Err: io.EOF}, passage{true, true}, answerLost},
		"no credentials":             {errors.New("no credentials"), passage{true, false}, unsent},
		"another client's error":     {errors.New("no credentials"), passage{}, answerLost},
		"end of the context":         {context.DeadlineExceeded, passage{true, true}, answerLost},
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
