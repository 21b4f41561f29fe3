package dynastay

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// passage records how far a request got within the SDK. A request that failed before it was passed to the network, for
// example for lack of credentials, has certainly written nothing.
type passage struct{ entered, left bool }

// once turns off the SDK's retries for a request, and records its passage. The SDK's retries do not know about
// conflicts, or when to prepare again.
func (p *passage) once(o *dynamodb.Options) {
	o.Retryer = aws.NopRetryer{}
	o.APIOptions = append(o.APIOptions, p.watch)
}

func (p *passage) watch(stack *middleware.Stack) error {
	enter := middleware.InitializeMiddlewareFunc("dynastay.enter", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		p.entered = true
		return next.HandleInitialize(ctx, in)
	})
	leave := middleware.DeserializeMiddlewareFunc("dynastay.leave", func(
		ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
	) (middleware.DeserializeOutput, middleware.Metadata, error) {
		p.left = true
		return next.HandleDeserialize(ctx, in)
	})
	if err := stack.Initialize.Add(enter, middleware.Before); err != nil {
		return err
	}
	return stack.Deserialize.Add(leave, middleware.After)
}

// call describes a request of a batch for the observer.
func (p *passage) call(operation string, attempt int, err error) Call {
	call := Call{Operation: operation, Verdict: Done, Attempt: attempt, Throttles: throttlesOf(err), Err: err}
	if err != nil {
		call.Verdict = p.outcomeOf(err).verdict
	}
	return call
}

// isEnd reports whether an error says only that the context has ended.
func isEnd(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }

// outcomeOf distinguishes what is known to have failed from what may have happened.
func (p *passage) outcomeOf(err error) outcome {
	got := outcome{verdict: Lost, err: err}
	var response *awshttp.ResponseError
	var internal *types.InternalServerError
	var replicated *types.ReplicatedWriteConflictException
	var api smithy.APIError
	var dial *net.OpError
	switch {
	case isThrottle(err):
		got.verdict = Throttled
	case errors.As(err, &replicated):
		got.verdict = Conflict
	case errors.As(err, &internal), errors.As(err, &response) && response.HTTPStatusCode() >= http.StatusInternalServerError:
		// Neither 500 nor 503 says whether the write was done.
	case errors.As(err, &api) && api.ErrorCode() != notDynamoDB, isBuildError(err):
		got.verdict = Rejected
	case errors.As(err, &dial) && dial.Op == "dial", p.entered && !p.left:
		got.verdict = Unsent
	}
	return got
}

// notDynamoDB is the code that the SDK gives to a response without one, such as a proxy's 408. It says nothing about
// what the proxy had already forwarded.
const notDynamoDB = "UnknownError"

// isBuildError reports whether the SDK failed before it sent anything, for example because of a missing parameter.
func isBuildError(err error) bool {
	var invalid smithy.InvalidParamsError
	var serialize *smithy.SerializationError
	return errors.As(err, &invalid) || errors.As(err, &serialize)
}
