package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties"
)

// The kinds are the rows of docs/errors.md, in its order, and each row is an error type.
func TestErrorTypesAreTheKindsOfThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(page.Root(t), "docs/errors.md"))
	require.NoError(t, err)
	_, text2, _ := strings.Cut(string(text), "## Kinds\n")
	text2, _, _ = strings.Cut(text2, "## Refusals\n")
	var want, got []string
	status := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([0-9]+) \\|").FindAllStringSubmatch(text2, -1) {
		if row[1] == "*dynastay.InvalidError" { // each error that matches ErrInvalid contains one
			continue
		}
		want = append(want, row[1])
		status[row[1]] = row[2]
	}
	kinds := slices.Concat(failures, answers)
	for _, k := range kinds {
		got = append(got, k.name)
	}
	require.Greater(t, len(want), 15)
	assert.Equal(t, want, got)

	for _, one := range []error{
		dynastay.ErrOutcomeUnknown, dynastay.ErrCommitted, dynastay.ErrContention, dynastay.ErrThrottled, dynastay.ErrUnavailable,
		dynastay.ErrCorrupt, dynastay.ErrRejected, dynastay.ErrSkew, dynastay.ErrCursor, dynastay.ErrInvalid, dynastay.ErrNotFound,
		dynastay.ErrAlreadyExists, dynastay.ErrVersion, dynastay.ErrIdempotencyMismatch, dynastay.ErrRefused,
	} {
		var name string
		for _, k := range kinds {
			if k.matches(one) {
				name = k.name
				break
			}
		}
		wrapped := &dynastay.Error{Op: "users.Create", Entity: "User", ID: "anna@example.com", Kind: one, Err: io.EOF}
		assert.Equal(t, name, ErrorType(wrapped))
		assert.Equal(t, name, ErrorType(fmt.Errorf("reading anna@example.com: %w", wrapped)))
		// What a caller can mend has a status of 4xx, and everything else concerns whoever runs the service.
		assert.Equal(t, strings.HasPrefix(status[name], "4"), Answer(wrapped), name)
	}
	for _, failure := range []error{nil, io.EOF, context.Canceled, errors.Join(dynastay.ErrNotFound, dynastay.ErrCorrupt)} {
		assert.False(t, Answer(failure), "%v", failure)
	}
}

type ownError[T any] struct{ text T }

func (ownError[T]) Error() string { return "secret" }

// OwnError has a name that other packages can use.
type OwnError = ExportedError[string]

// ExportedError is generic, and the name of its type argument is left out.
type ExportedError[T any] struct{ Text T }

func (ExportedError[T]) Error() string { return "anna@example.com" }

func TestErrorType(t *testing.T) {
	t.Parallel()
	secret := errors.New("anna@example.com")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{secret, "_OTHER"},
		{fmt.Errorf("a: %w", secret), "_OTHER"},
		{errors.Join(secret, secret), "_OTHER"},
		{errors.Join(&net.OpError{Op: "read", Err: secret}, secret), "*net.OpError"},
		{ownError[string]{"x"}, "_OTHER"},
		{fmt.Errorf("a: %w", OwnError{"x"}), "measure.ExportedError"},
		{fmt.Errorf("a: %w", context.Canceled), "context.Canceled"},
		{context.DeadlineExceeded, "context.DeadlineExceeded"},
		{fmt.Errorf("a: %w", io.ErrUnexpectedEOF), "io.ErrUnexpectedEOF"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Name: "anna.example.com"}}, "*net.DNSError"},
		{&net.OpError{Op: "read", Err: secret}, "*net.OpError"},
		{fmt.Errorf("a: %w", &types.ConditionalCheckFailedException{}), "ConditionalCheckFailedException"},
		{&dynastay.Error{Kind: dynastay.ErrThrottled, Err: &types.RequestLimitExceeded{}}, "dynastay.ErrThrottled"},
		{&dynastay.Error{Err: &availability.Refused{}}, "*availability.Refused"},
		{&dynastay.Error{Err: fmt.Errorf("a: %w", &properties.StatusError{})}, "*properties.StatusError"},
		{&dynastay.Error{Err: &bookings.StatusError{}}, "*bookings.StatusError"},
		{&dynastay.Error{Err: bookings.ErrHoldOpen}, "dynastay.ErrRefused"},
		{dynastay.Invalid("Guests", "must be %d", 2), "dynastay.ErrInvalid"},
		{&dynastay.UnreadableError{Items: []error{secret}}, "*dynastay.UnreadableError"},
		{&dynastay.Error{Kind: dynastay.ErrInvalid, Err: &dynastay.TooLargeError{}}, "*dynastay.TooLargeError"},
	} {
		assert.Equal(t, c.want, ErrorType(c.err), "%v", c.err)
	}
}

func TestErrorTypeOfARequest(t *testing.T) {
	t.Parallel()
	cancelled := &types.TransactionCanceledException{}
	for _, c := range []struct {
		verdict dynastay.Verdict
		err     error
		want    string
	}{
		{dynastay.Done, nil, ""},
		{dynastay.Refused, cancelled, ""},
		{dynastay.Conflict, cancelled, "TransactionCanceledException"},
		{dynastay.Throttled, &types.ProvisionedThroughputExceededException{}, "ProvisionedThroughputExceededException"},
		{dynastay.Rejected, &smithy.GenericAPIError{Code: "ValidationException", Message: "anna@example.com"}, "ValidationException"},
		{dynastay.Lost, fmt.Errorf("a: %w", io.ErrUnexpectedEOF), "io.ErrUnexpectedEOF"},
		{dynastay.Lost, errors.New("anna@example.com"), "lost"},
		{dynastay.Unsent, nil, "unsent"},
	} {
		assert.Equal(t, c.want, RequestErrorType(dynastay.Call{Verdict: c.verdict, Err: c.err}), "%s %v", c.verdict, c.err)
	}
}
