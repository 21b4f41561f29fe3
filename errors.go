package dynastay

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay/internal/shown"
)

// The kinds of failure that the library distinguishes. Its errors match them with [errors.Is]. If the SDK returned an
// error, [errors.As] finds it; the same is true of the error of a context that has ended. The page docs/errors.md says
// what a service does with each kind.
var (
	// ErrRefused: the request is valid, but what is stored, the time, or who asks does not allow it: rooms are sold out,
	// a booking is cancelled, a code was used up. The error has a type or value of its own, of the package that refuses,
	// which says what and why. Nothing of what was refused was written, and retrying does not help until that changes.
	ErrRefused = errors.New("refused")
	// ErrNotFound: the entity does not exist.
	ErrNotFound = errors.New("not found")
	// ErrAlreadyExists: the entity, or a value that must be unique, already exists; [Error.Field] names the value.
	ErrAlreadyExists = errors.New("already exists")
	// ErrVersion: the entity does not have the version or the write id that the caller required. Read it again, then
	// decide again.
	ErrVersion = errors.New("version conflict")
	// ErrContention: other writes to the same items used up the retry budget. Nothing was written; try again later.
	ErrContention = errors.New("conflicts with other writes")
	// ErrThrottled: DynamoDB throttled the request until the retry budget was used up: that of [Retry] for a write and
	// for the batches of [DB.GetAll] and [DB.PutAll], that of the SDK for other reads; or until the context ended, and
	// the error then matches that of the context as well. Nothing was written, except what PutAll had already written.
	ErrThrottled = errors.New("throttled by DynamoDB")
	// ErrUnavailable: DynamoDB could not be reached, or the request could not be signed, until the retry budget was
	// used up; or it did not respond to a read. Nothing was written; try again later.
	ErrUnavailable = errors.New("DynamoDB is unavailable")
	// ErrRejected: DynamoDB rejected the request: the table does not exist, permission is denied, the signature is
	// invalid, or the request is malformed. Nothing was written, and retrying does not help until the cause is fixed.
	ErrRejected = errors.New("request rejected by DynamoDB")
	// ErrInvalid: an argument is invalid; [*InvalidError] names the field. Nothing was written. Usually nothing was read
	// either; the exceptions are an update, which starts with a read, and a value that is computed while the write is
	// prepared.
	ErrInvalid = errors.New("invalid argument")
	// ErrCursor: a cursor is malformed, was altered, or belongs to another query. An error that matches it always
	// matches ErrInvalid too.
	ErrCursor = errors.New("invalid cursor")
	// ErrIdempotencyMismatch: the idempotency key was used before with different input. Nothing was written.
	ErrIdempotencyMismatch = errors.New("idempotency key was already used with different input")
	// ErrOutcomeUnknown: the response to a write was lost, or the context ended while a request was in flight, and
	// reading could not determine whether the write was committed. Retry with the same idempotency key: the write then
	// happens exactly once. Without a key, read before you decide: a retry may write twice.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrCommitted: the write was committed, by this call or by an earlier one with the same idempotency key, but its
	// result could not be read back. Retry with the same key, or read the entity.
	ErrCommitted = errors.New("written, but the result could not be read back")
	// ErrCorrupt: a stored item or key does not have the form that the library expects.
	ErrCorrupt = errors.New("unreadable item")
)

// ErrOvertaken is for authors of operations: a [Failed] function, or [OpSpec.Prepare] itself, returns it if what Prepare read
// has changed since. [DB.Write] then prepares the operation again, and returns [ErrContention] once its retry budget is used up.
var ErrOvertaken = errors.New("overtaken by another write")

// Refusal returns an error with the given text that matches [ErrRefused], for the values of a package that refuses. A
// type of its own has a method Is that returns true for ErrRefused instead.
func Refusal(text string) error { return &refusal{text} }

type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func (*refusal) Is(target error) bool { return target == ErrRefused }

// Error is a failure of one operation on one entity. With [errors.Is] and [errors.As] it matches both its Kind and its
// cause, such as an SDK error.
type Error struct {
	Op     string // the operation, such as "bookings.Cancel"; may be empty
	Entity string // such as "Booking"
	ID     string // the entity's id, or the text of its key; Error masks e-mail addresses in it
	Field  string // the attribute that was refused, if any
	Kind   error  // one of the Err… values; nil if Err is what refuses
	Err    error  // the cause; may be nil
}

// Error returns one line that says what failed, on which entity, and why.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op + ": ")
	}
	b.WriteString(e.Entity)
	if e.ID != "" {
		b.WriteString(" " + shown.Masked(e.ID))
	}
	if e.Field != "" {
		b.WriteString(" (" + shown.Masked(e.Field) + ")")
	}
	if e.Kind != nil {
		b.WriteString(": " + e.Kind.Error())
	}
	if e.Err != nil {
		b.WriteString(": " + shown.OneLine(e.Err.Error()))
	}
	return b.String()
}

// Unwrap returns the kind and the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var all []error
	if e.Kind != nil {
		all = append(all, e.Kind)
	}
	if e.Err != nil {
		all = append(all, e.Err)
	}
	return all
}

// InvalidError says which field of a call's input is invalid, and why. It matches [ErrInvalid]. Its reason may quote a
// date, an amount, a rating or a currency code, shortened to 40 bytes and without e-mail addresses.
type InvalidError struct {
	// Field is the path of the field in the input, such as "Guests.Adults" or "Lines[1].Quantity". It is empty if no
	// single field is at fault. In a write of several operations, the [Error] that wraps it has the operation's name as
	// its Op and the operation's position, such as "Operations[0]", as its Entity.
	Field  string
	Reason string
	Err    error // a more precise kind, such as [ErrCursor]; may be nil
}

// Invalid returns an [*InvalidError] whose reason is formatted from format and args.
func Invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// Error returns the field and the reason.
func (e *InvalidError) Error() string {
	if e.Field == "" {
		return "invalid: " + e.Reason
	}
	return "invalid " + shown.Masked(e.Field) + ": " + e.Reason
}

// Unwrap returns [ErrInvalid] and the more precise kind, if any.
func (e *InvalidError) Unwrap() []error {
	if e.Err != nil {
		return []error{ErrInvalid, e.Err}
	}
	return []error{ErrInvalid}
}

// TooLargeError means that a write does not fit into one transaction, which has at most 100 actions and 4 MB. The
// [*InvalidError] for such a write matches it with [errors.As]. Nothing was written.
type TooLargeError struct {
	Actions int // one for each item that is written or checked; at least so many if not all were determined
	Bytes   int // 0 if only the number of actions was determined
}

// Error returns the limit that is exceeded, with the count.
func (e *TooLargeError) Error() string {
	if e.Actions > maxActions {
		return fmt.Sprintf("must have at most %d actions in total, got %d", maxActions, e.Actions)
	}
	return fmt.Sprintf("must be at most %d bytes in total, got %d", maxBytes, e.Bytes)
}

// Within prefixes the field of an [*InvalidError] with the path of the value that contains it, so that a nested check
// does not need to know where it is called from. Other errors, including nil, are returned unchanged.
func Within(path string, err error) error {
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	inner := *invalid
	if inner.Field == "" {
		inner.Field = path
	} else {
		inner.Field = path + "." + inner.Field
	}
	return &inner
}
