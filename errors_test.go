package dynastay_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestErrorText(t *testing.T) {
	for want, err := range map[string]*dynastay.Error{
		"bookings.Cancel: Booking bkg_1: not found":                        {Op: "bookings.Cancel", Entity: "Booking", ID: "bkg_1", Kind: dynastay.ErrNotFound},
		"User u1 (Email): already exists":                                  {Entity: "User", ID: "u1", Field: "Email", Kind: dynastay.ErrAlreadyExists},
		"write: conflicts with other writes: unexpected EOF":               {Entity: "write", Kind: dynastay.ErrContention, Err: io.ErrUnexpectedEOF},
		"read: unexpected EOF":                                             {Entity: "read", Err: io.ErrUnexpectedEOF},
		"item (Beds[2].Type): unreadable item: must be text, got a number": {Entity: "item", Field: "Beds[2].Type", Kind: dynastay.ErrCorrupt, Err: errors.New("must be text, got a number")},
		"User":            {Entity: "User"},
		"batch: one; two": {Entity: "batch", Err: errors.Join(errors.New("one\n"), errors.New("\n  two"))}, // whatever the text of the cause
	} {
		assert.EqualError(t, err, want)
	}
}

// Error texts end up in logs, so an e-mail address that is part of a key is masked.
func TestErrorTextHoldsNoAddress(t *testing.T) {
	for id, want := range map[string]string{
		"user_1":                                   "user_1",
		"EMAIL#john@example.com":                   "EMAIL#***",
		"EMAIL#john@example.com/GUARD":             "EMAIL#***/GUARD",
		"EMAIL#john/doe@example.com/GUARD":         "EMAIL#***/GUARD", // a local part may contain a slash, a domain may not
		"EMAIL#a%23b@example.com/GUARD":            "EMAIL#***/GUARD",
		"IDEMPOTENCY#john@example.com":             "IDEMPOTENCY#***",
		"USER#u1/VIEW#john@example.com#PROPERTY#p": "USER#u1/VIEW#***#PROPERTY#p",
		"john@example.com":                         "***",
		"john@example.com/PROFILE":                 "***/PROFILE",
		"A#john@example.com#B#jane@example.com/C":  "A#***#B#***/C",
		"PROPERTY#p1/ROOM#r1":                      "PROPERTY#p1/ROOM#r1",
	} {
		err := &dynastay.Error{Entity: "User", ID: id, Kind: dynastay.ErrNotFound}
		assert.EqualError(t, err, "User "+want+": not found")
		assert.Equal(t, id, err.ID, "the program still has it")
	}
	failed := &dynastay.Error{Entity: "item", Field: "Prices.john@example.com", Kind: dynastay.ErrCorrupt}
	assert.EqualError(t, failed, "item (***): unreadable item")
	assert.EqualError(t, dynastay.Invalid("Prices.john@example.com", "is odd"), "invalid ***: is odd")
	_, err := dynastay.ParseDate("john@example.com")
	assert.EqualError(t, err, `invalid Date: must be a valid date in the form YYYY-MM-DD, got "***"`)
	_, err = dynastay.ParseDate(strings.Repeat("j", 40) + "@example.com")
	assert.NotContains(t, err.Error(), "jj")
	_, err = dynastay.ParseDate(strings.Repeat("9", 100_000))
	assert.ErrorContains(t, err, "… (100000 bytes)")
	assert.Less(t, len(err.Error()), 150)
}

func TestErrorMatchesItsKindAndItsCause(t *testing.T) {
	cause := &dynastay.InvalidError{Field: "X", Reason: "is odd"}
	err := fmt.Errorf("outer: %w", &dynastay.Error{Entity: "User", ID: "u1", Kind: dynastay.ErrNotFound, Err: cause})
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
	e := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, "u1", e.ID)
	invalid := blame.As[*dynastay.InvalidError](t, err)
	assert.Same(t, cause, invalid)

	assert.Empty(t, (&dynastay.Error{}).Unwrap())
	assert.Equal(t, []error{dynastay.ErrNotFound}, (&dynastay.Error{Kind: dynastay.ErrNotFound}).Unwrap())
	assert.Equal(t, []error{io.EOF}, (&dynastay.Error{Err: io.EOF}).Unwrap())
}

func TestInvalidError(t *testing.T) {
	err := dynastay.Invalid("Lines[1].Quantity", "is %d, and %d is the most", 12, 9)
	assert.EqualError(t, err, "invalid Lines[1].Quantity: is 12, and 9 is the most")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.NotErrorIs(t, err, dynastay.ErrCursor)

	assert.EqualError(t, dynastay.Invalid("", "is odd"), "invalid: is odd")

	err = &dynastay.InvalidError{Field: "After", Reason: "is not a cursor", Err: dynastay.ErrCursor}
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

func TestWithin(t *testing.T) {
	assert.NoError(t, dynastay.Within("Guest", nil))
	assert.Same(t, io.EOF, dynastay.Within("Guest", io.EOF))

	inner := &dynastay.InvalidError{Field: "Adults", Reason: "is required", Err: dynastay.ErrCursor}
	err := dynastay.Within("Request", dynastay.Within("Guests", inner))
	assert.EqualError(t, err, "invalid Request.Guests.Adults: is required")
	assert.ErrorIs(t, err, dynastay.ErrCursor)
	assert.Equal(t, "Adults", inner.Field, "the inner error may be shared and stays as it was")

	assert.EqualError(t, dynastay.Within("Price.Currency", dynastay.Invalid("", "is odd")), "invalid Price.Currency: is odd")
}

func TestUpdateErrorsHoldNoAddress(t *testing.T) {
	t.Parallel()
	_, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(t.Context(), &message{ID: "john@example.com"})
	require.NoError(t, err)
	_, err = outbox.Update(t.Context(), keyOf("john@example.com"), func(m *message) error { m.ID = "m"; return nil })
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "cannot be changed")
	assert.NotContains(t, err.Error(), "john")
}
