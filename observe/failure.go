package observe

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// failures are the kinds of errors that say something about the program, DynamoDB or the data, and not about the request
// of a guest. Of several kinds that an error matches, the first counts.
var failures = []error{
	dynastay.ErrOutcomeUnknown, dynastay.ErrCommitted, dynastay.ErrCorrupt, dynastay.ErrContention, dynastay.ErrThrottled,
	dynastay.ErrUnavailable, dynastay.ErrRejected, context.DeadlineExceeded, context.Canceled,
}

// answers are the kinds of errors that are an answer to the caller: that rooms are sold out, or an argument is invalid.
var answers = []error{
	dynastay.ErrRefused, dynastay.ErrNotFound, dynastay.ErrAlreadyExists, dynastay.ErrVersion, dynastay.ErrCursor, dynastay.ErrInvalid,
	dynastay.ErrIdempotencyMismatch,
}

// Kind returns the kind of an error of an operation, such as "outcome unknown" or "refused": one of a small set of texts
// that contain nothing of the data, so that they fit into a log and into an attribute of a metric. It is "" for nil, and
// "error" for an error that is not the library's. failed is false for nil, and for an error that only answers the caller,
// such as that a room is sold out.
func Kind(err error) (kind string, failed bool) {
	if err == nil {
		return "", false
	}
	for _, kind := range failures {
		if errors.Is(err, kind) {
			return kind.Error(), true
		}
	}
	for _, kind := range answers {
		if errors.Is(err, kind) {
			return kind.Error(), false
		}
	}
	return "error", true
}
