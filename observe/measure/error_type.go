package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/dynastay/dynastay"
)

// Other is the type of an error that has none that says anything, and whatever comes after the first 1000 values of an
// attribute. The name is that of the conventions of OpenTelemetry.
const Other = "_OTHER"

// kind is a row of docs/errors.md.
type kind struct {
	name    string
	matches func(error) bool
}

// failures and answers are in the order of the page: the first that matches counts, and a failure before any answer.
var failures = []kind{
	{"dynastay.ErrOutcomeUnknown", is(dynastay.ErrOutcomeUnknown)},
	{"dynastay.ErrCommitted", is(dynastay.ErrCommitted)},
	{"dynastay.ErrContention", is(dynastay.ErrContention)},
	{"dynastay.ErrThrottled", is(dynastay.ErrThrottled)},
	{"dynastay.ErrUnavailable", is(dynastay.ErrUnavailable)},
	{"dynastay.ErrCorrupt", is(dynastay.ErrCorrupt)},
	{"*dynastay.UnreadableError", as[*dynastay.UnreadableError]},
	{"dynastay.ErrRejected", is(dynastay.ErrRejected)},
	{"dynastay.ErrSkew", is(dynastay.ErrSkew)},
}

var answers = []kind{
	{"dynastay.ErrCursor", is(dynastay.ErrCursor)},
	{"*dynastay.TooLargeError", as[*dynastay.TooLargeError]},
	{"dynastay.ErrInvalid", is(dynastay.ErrInvalid)},
	{"dynastay.ErrNotFound", is(dynastay.ErrNotFound)},
	{"dynastay.ErrAlreadyExists", is(dynastay.ErrAlreadyExists)},
	{"dynastay.ErrVersion", is(dynastay.ErrVersion)},
	{"dynastay.ErrIdempotencyMismatch", is(dynastay.ErrIdempotencyMismatch)},
	{refused, is(dynastay.ErrRefused)},
}

const refused = "dynastay.ErrRefused"

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// named are errors of other packages that have a name, but no type that says what they are.
var named = []kind{
	{name: "context.Canceled", matches: is(context.Canceled)},
	{name: "context.DeadlineExceeded", matches: is(context.DeadlineExceeded)},
	{name: "io.ErrUnexpectedEOF", matches: is(io.ErrUnexpectedEOF)},
	{name: "io.EOF", matches: is(io.EOF)},
	{name: "net.ErrClosed", matches: is(net.ErrClosed)},
}

// ErrorType returns the class of an error, for an attribute error.type, and "" for nil. It never contains the text of the
// error, in which there may be ids. It is, of these, the first that fits:
//
//   - the kind in docs/errors.md, such as "dynastay.ErrContention". A refusal that has a type of its own has the name of the
//     type instead, such as "*availability.Refused";
//   - "context.Canceled", "context.DeadlineExceeded", "io.EOF", "io.ErrUnexpectedEOF" or "net.ErrClosed";
//   - the code of an error of DynamoDB or of another service of AWS, such as "ConditionalCheckFailedException";
//   - the name of the Go type of the innermost error that has a type of its own;
//   - [Other].
func ErrorType(err error) string {
	if err == nil {
		return ""
	}
	for _, k := range slices.Concat(failures, answers, named) {
		switch {
		case !k.matches(err):
		case k.name == refused:
			return refusal(err)
		default:
			return k.name
		}
	}
	if code := StatusCode(err); code != "" {
		return code
	}
	name := Other
	walk(err, func(e error) {
		if own := typeOf(e); own != "" {
			name = own
		}
	})
	return name
}

// Answer reports whether an error is an answer to the caller: an argument is invalid, something does not exist, the rooms
// are sold out. All other errors are failures, which whoever runs the service wants to know about.
func Answer(err error) bool {
	matches := func(k kind) bool { return k.matches(err) }
	return slices.ContainsFunc(answers, matches) && !slices.ContainsFunc(failures, matches)
}

// StatusCode returns the code of an error of DynamoDB, such as "TransactionCanceledException", or "" if there is none.
func StatusCode(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// RequestErrorType is [ErrorType] for a request: the code of DynamoDB's error, and for an error that DynamoDB has not sent
// its type, or at least the verdict. It is "" for a request that was done, and for one whose condition did not hold: that
// is an answer, and what a conditional write is for.
func RequestErrorType(call dynastay.Call) string {
	if call.Verdict == dynastay.Done || call.Verdict == dynastay.Refused {
		return ""
	}
	if code := StatusCode(call.Err); code != "" {
		return code
	}
	if name := ErrorType(call.Err); name != Other && name != "" {
		return name
	}
	return string(call.Verdict)
}

// refusal returns the name of the type that refuses, if it is one that a caller can match.
func refusal(err error) string {
	name := refused
	walk(err, func(e error) {
		if own, ok := e.(interface{ Is(error) bool }); ok && own.Is(dynastay.ErrRefused) && name == refused {
			if own := typeOf(e); own != "" {
				name = own
			}
		}
	})
	return name
}

// typeOf returns the name of an error's type, or "" if other packages cannot name the type: it then says nothing.
func typeOf(err error) string {
	name := fmt.Sprintf("%T", err)
	if i := strings.IndexByte(name, '['); i > 0 {
		name = name[:i] // without the arguments of a generic type
	}
	if i := strings.LastIndexByte(name, '.') + 1; i > 0 && name[i] >= 'A' && name[i] <= 'Z' {
		return name
	}
	return ""
}

// walk calls f with an error and those in it, from the outside to the inside; of several that are joined, with the first.
func walk(err error, f func(error)) {
	for err != nil {
		f(err)
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			if len(all) == 0 {
				return
			}
			err = all[0]
		default:
			return
		}
	}
}
