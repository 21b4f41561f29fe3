package dynastay

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay/internal/shown"
)

// The kinds of failure that the library can name; its errors match them with [errors.Is]. A domain refusal has a type or
// a value of its own instead, such as a refused booking. The SDK's error, where there is one, is within reach of
// [errors.As], and so is that of an ended context.
var (
	// ErrNotFound: the entity does not exist.
	ErrNotFound = errors.New("not found")
	// ErrAlreadyExists: the entity, or a value that must be unique, is already there; [Error.Field] names the value.
	ErrAlreadyExists = errors.New("already exists")
	// ErrVersion: the entity is no longer at the version that the caller asked for. Read it again and decide anew.
	ErrVersion = errors.New("version conflict")
	// ErrContention: others wrote the same items until the retry budget was spent. Nothing was written; try later.
	ErrContention = errors.New("contention")
	// ErrThrottled: DynamoDB refused for lack of capacity until the retry budget was spent. Nothing was written, apart from
	// what [DB.PutAll] had written before.
	ErrThrottled = errors.New("throttled")
	// ErrUnavailable: DynamoDB could not be reached, or the request could not be signed, until the retry budget was spent.
	// Nothing was written; try later.
	ErrUnavailable = errors.New("unavailable")
	// ErrRejected: DynamoDB takes no such request: the table is missing, the permission or the signature is refused, or the
	// request is malformed. Nothing was written, and a repetition does not help before that is mended.
	ErrRejected = errors.New("request rejected")
	// ErrInvalid: an argument is not acceptable; [*InvalidError] names the field. Nothing was written, and nothing was read
	// but what an update, or a value that is made while the write is prepared, begins with.
	ErrInvalid = errors.New("invalid argument")
	// ErrCursor: a cursor is malformed, was altered, or belongs to another query. It always comes with ErrInvalid.
	ErrCursor = errors.New("invalid cursor")
	// ErrIdempotencyMismatch: the idempotency key was used before with another input. Nothing was written.
	ErrIdempotencyMismatch = errors.New("idempotency key was used with different input")
	// ErrOutcomeUnknown: the answer to a write was lost, or the context ended while a request was under way, and reading
	// could not tell whether it was committed. Repeat the call with the same idempotency key: it is then done exactly
	// once. Without a key, read before you decide: a repetition may write twice.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrCommitted: the write was carried out, by this call or an earlier one under its idempotency key, but its result
	// could not be read again. Repeat the call with the same key, or read the entity.
	ErrCommitted = errors.New("written, but the result could not be read")
	// ErrCorrupt: a stored item does not have the form that the library expects of it.
	ErrCorrupt = errors.New("unreadable item")
)

// ErrOvertaken is for authors of operations: an action's failure that means "what [OpSpec.Prepare] read is no longer
// so". [DB.Write] then prepares the operation again, and returns [ErrContention] once its budget is spent.
var ErrOvertaken = errors.New("overtaken by another write")

// ErrSkip is for authors of operations: an action's failure that means "do without this action". [DB.Write] then prepares
// the operation again, which asks [Tx.Skipped].
var ErrSkip = errors.New("action skipped")

// Error is a failure of one operation on one entity. It matches, with [errors.Is] and [errors.As], both its Kind and
// the error that caused it (the SDK's, where there is one).
type Error struct {
	Op     string // the method, such as "bookings.Cancel"; may be empty
	Entity string // such as "Booking"
	ID     string // the entity's id, or the key's text; Error masks an e-mail address in it
	Field  string // the attribute that was refused, where there is one
	Kind   error  // one of the Err… values
	Err    error  // the cause; may be nil
}

// Error says what failed, on what, and why, in one line.
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

// Unwrap gives errors.Is and errors.As both the kind and the cause.
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

// InvalidError says which field of a call's input was refused, and why. It matches [ErrInvalid]. The value itself is
// left out: it may be personal data.
type InvalidError struct {
	// Field is the dotted path in the input's own names, such as "Guests.Adults" or "Lines[1].Quantity". It is "" where no
	// one field is to blame. In a write of several operations the [Error] around it has the operation's name as its Op, and
	// its place, "Operations[0]", as its Entity.
	Field  string
	Reason string
	Err    error // a more precise kind, such as [ErrCursor]; may be nil
}

// Invalid makes an [*InvalidError]; format and args give the reason.
func Invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// Error names the field and the reason.
func (e *InvalidError) Error() string {
	if e.Field == "" {
		return "invalid: " + e.Reason
	}
	return "invalid " + shown.Masked(e.Field) + ": " + e.Reason
}

// Unwrap gives [ErrInvalid] and the more precise kind.
func (e *InvalidError) Unwrap() []error {
	if e.Err != nil {
		return []error{ErrInvalid, e.Err}
	}
	return []error{ErrInvalid}
}

// Within prefixes the field of an [*InvalidError] with the path of the value that holds it, so that a nested check
// can be written without knowing where it is called from. Other errors, and nil, pass unchanged.
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
