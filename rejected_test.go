package dynastay_test

import (
	"net"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// A transaction with an invalid value is rejected in one of two forms, which mean the same.
func TestInvalidTransactions(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]dyntest.Fault{
		"an error of its own": dyntest.Fail("ValidationException"), "a reason": dyntest.Cancel("ValidationError"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, outbox := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 3, Base: 1, Cap: 1}})
			write := func(first fault, options ...dynastay.Part) error {
				if first.Fault != nil {
					db.Faults.Inject(*first.Fault, dyntest.When{Operation: "TransactWriteItems", Nth: 1})
				}
				rejected := db.Faults.Inject(what, dyntest.When{Operation: "TransactWriteItems", Nth: first.sent + 1})
				before := db.Faults.Count("TransactWriteItems")
				err := db.Write(t.Context(), append(options, outbox.CreateOp(&message{ID: first.name}), outbox.CreateOp(&message{ID: first.name + "2"}))...)
				assert.Equal(t, 1, rejected.Hits())
				assert.Equal(t, first.sent+1, db.Faults.Count("TransactWriteItems")-before, "it is not sent again")
				return err
			}
			for _, options := range [][]dynastay.Part{nil, {dynastay.IdempotencyKey("k")}} {
				err := write(fault{name: "a"}, options...)
				assert.ErrorIs(t, err, dynastay.ErrRejected)
				assert.NotErrorIs(t, err, dynastay.ErrInvalid)
				_, err = outbox.Get(t.Context(), keyOf("a"), dynastay.Consistent)
				assert.ErrorIs(t, err, dynastay.ErrNotFound)
			}
			answer, request := dyntest.LoseAnswer(), dyntest.LoseRequest()
			assert.NoError(t, write(fault{&answer, "b", 1}), "the request whose response was lost was carried out")
			err := write(fault{&request, "c", 1})
			assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown, "it may still arrive")
			assert.NotErrorIs(t, err, dynastay.ErrRejected)
		})
	}
}

// fault befalls the request before the one that is rejected.
type fault struct {
	*dyntest.Fault
	name string
	sent int
}

// A server that never responds: the SDK's socket timeout ends the wait, and says nothing about what was done.
func TestSocketTimeout(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), RetryMaxAttempts: 1,
		BaseEndpoint: aws.String("http://" + silent.Addr().String()),
		HTTPClient:   awshttp.NewBuildableClient().WithReadTimeout(20 * time.Millisecond),
	})
	db := dynastay.Open(client, &dynastay.Options{Retry: dynastay.Retry{Attempts: 2, Base: 1, Cap: 1}})
	outbox := entity.NewTable(db, messageEntity)
	var timeout *awshttp.ResponseTimeoutError
	_, err = outbox.Get(t.Context(), keyOf("m"))
	assert.ErrorIs(t, err, dynastay.ErrUnavailable)
	assert.ErrorAs(t, err, &timeout)
	_, err = db.GetAll(t.Context(), outboxTable, []dynastay.Key{keyOf("m")})
	assert.ErrorIs(t, err, dynastay.ErrUnavailable)
	_, err = outbox.Create(t.Context(), &message{ID: "m"})
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.NotErrorIs(t, err, dynastay.ErrUnavailable)
}
