package observe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/observe"
)

func TestKind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		kind   string
		failed bool
	}{
		{nil, "", false},
		{io.EOF, "error", true},
		{&dynastay.Error{Entity: "Booking", ID: "bkg_1", Kind: dynastay.ErrNotFound}, "not found", false},
		{&dynastay.Error{Kind: dynastay.ErrOutcomeUnknown, Err: errors.New("ada@example.com")}, "outcome unknown", true},
		{&dynastay.Error{Kind: dynastay.ErrCommitted}, "written, but the result could not be read back", true},
		{&dynastay.Error{Kind: dynastay.ErrContention}, "conflicts with other writes", true},
		{&dynastay.Error{Kind: dynastay.ErrThrottled, Err: context.DeadlineExceeded}, "throttled by DynamoDB", true},
		{&dynastay.Error{Kind: dynastay.ErrUnavailable}, "DynamoDB is unavailable", true},
		{&dynastay.Error{Kind: dynastay.ErrRejected}, "request rejected by DynamoDB", true},
		{&dynastay.Error{Kind: dynastay.ErrAlreadyExists}, "already exists", false},
		{&dynastay.Error{Kind: dynastay.ErrVersion}, "version conflict", false},
		{&dynastay.Error{Kind: dynastay.ErrIdempotencyMismatch}, "idempotency key was already used with different input", false},
		{&dynastay.UnreadableError{Items: []error{&dynastay.Error{Kind: dynastay.ErrCorrupt}}}, "unreadable item", true},
		{dynastay.Invalid("Email", "must be an e-mail address, got %q", "ada@"), "invalid argument", false},
		{&dynastay.InvalidError{Field: "Paging.After", Err: dynastay.ErrCursor}, "invalid cursor", false},
		{&availability.Refused{}, "refused", false},
		{&bookings.StatusError{}, "refused", false},
		{fmt.Errorf("read: %w", context.Canceled), "context canceled", true},
		{context.DeadlineExceeded, "context deadline exceeded", true},
	} {
		kind, failed := observe.Kind(test.err)
		assert.Equal(t, test.kind, kind, "%v", test.err)
		assert.Equal(t, test.failed, failed, "%v", test.err)
	}
}
