package dynastay_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fake"
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

// A rejected request cannot have been written, with or without a key.
func TestRejectedIsNotUnknown(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"ResourceNotFoundException", "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "ValidationException",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			db.Faults.Inject(dyntest.Fail(code), dyntest.When{})
			for name, write := range map[string]func() error{
				"plain": func() error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err },
				"keyed": func() error {
					_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
					return err
				},
				"update": func() error { _, err := outbox.Update(ctx, keyOf("m"), increment); return err },
				"batch": func() error {
					return db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
						yield(outboxTable, outboxTable.Key.Of(keyOf("m")))
					})
				},
			} {
				err := write()
				assert.ErrorIs(t, err, dynastay.ErrRejected, name)
				assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown, name)
				api := blame.As[smithy.APIError](t, err, name)
				assert.Equal(t, code, api.ErrorCode(), name)
			}
		})
	}
}

// Without credentials a request never leaves, so nothing can have been written.
func TestUnsentIsNotUnknown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	noCredentials := errors.New("no credentials here")
	unsigned := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:9"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, noCredentials }),
	})
	nobody := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:9"), // the discard port: nothing listens
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
	for name, client := range map[string]*dynamodb.Client{"unsigned": unsigned, "nobody listens": nobody} {
		box := entity.NewTable(dynastay.Open(client, brief), messageEntity)
		_, err := box.Create(ctx, &message{ID: "m"})
		assert.ErrorIs(t, err, dynastay.ErrUnavailable, name)
		assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown, name)
	}
	_, err := entity.NewTable(dynastay.Open(unsigned, brief), messageEntity).Create(ctx, &message{ID: "m"})
	assert.ErrorContains(t, err, "no credentials here")

	// The context ends while the request is signed: the caller gave up, and DynamoDB is not the cause.
	ending, cancel := context.WithCancel(ctx)
	left := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:9"),
		Credentials: aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
			cancel()
			return aws.Credentials{}, ctx.Err()
		}),
	})
	_, err = entity.NewTable(dynastay.Open(left, nil), messageEntity).Create(ending, &message{ID: "m"})
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, dynastay.ErrUnavailable)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
}

// The reason of an engine that returns a failed condition together with an error that a retry cannot fix.
func TestVerdictsOfCancellations(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	for name, test := range map[string]struct {
		codes []string
		want  error
	}{
		"a condition and a permanent reason":  {[]string{"ConditionalCheckFailed", "ValidationError"}, dynastay.ErrAlreadyExists},
		"a permanent reason and a condition":  {[]string{"ValidationError", "ConditionalCheckFailed"}, dynastay.ErrAlreadyExists},
		"a permanent reason and a conflict":   {[]string{"ItemCollectionSizeLimitExceeded", "TransactionConflict"}, dynastay.ErrRejected},
		"a conflict and a permanent reason":   {[]string{"TransactionConflict", "ValidationError"}, dynastay.ErrRejected},
		"throttling and a permanent reason":   {[]string{"ThrottlingError", "ValidationError"}, dynastay.ErrRejected},
		"a condition and a conflict":          {[]string{"TransactionConflict", "ConditionalCheckFailed"}, dynastay.ErrAlreadyExists},
		"a conflict and throttling":           {[]string{"TransactionConflict", "ProvisionedThroughputExceeded"}, dynastay.ErrContention},
		"throttling and a conflict":           {[]string{"ThrottlingError", "TransactionConflict"}, dynastay.ErrContention},
		"no reason at all":                    {[]string{"None", "None"}, dynastay.ErrRejected},
		"the one capacity that is exceeded":   {[]string{"None", "ProvisionedThroughputExceeded"}, dynastay.ErrThrottled},
		"no code beside a conflict":           {[]string{"", "TransactionConflict"}, dynastay.ErrContention},
		"a reason for no action":              {[]string{"None", "None", "ConditionalCheckFailed"}, dynastay.ErrRejected},
		"an item that is too large, no other": {[]string{"ValidationError", "None"}, dynastay.ErrRejected},
	} {
		t.Run(name, func(t *testing.T) {
			client := &faulty{errs: []error{cancelled(test.codes...), cancelled(test.codes...)}}
			mine := dynastay.Open(fake.Client{Next: db.Client, Do: client.do}, &dynastay.Options{TablePrefix: prefix(db), Retry: dynastay.Retry{Attempts: 2, Base: time.Millisecond}})
			table := entity.NewTable(mine, messageEntity)
			err := mine.Write(ctx, table.CreateOp(&message{ID: "a"}), table.CreateOp(&message{ID: "b"}))
			assert.ErrorIs(t, err, test.want)
			if test.want != dynastay.ErrAlreadyExists {
				var reasons *types.TransactionCanceledException
				assert.ErrorAs(t, err, &reasons)
			}
		})
	}
}

// If the context ends before anything is sent, nothing is unknown.
func TestNothingSentIsNothingUnknown(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stop := db.Faults.Record()
	_, err := outbox.Create(ctx, &message{ID: "m"})
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Empty(t, stop())
}
