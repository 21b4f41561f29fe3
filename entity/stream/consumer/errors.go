package consumer

import (
	"errors"
	"fmt"

	"github.com/dynastay/dynastay/entity/stream"
)

// Error is an error that a consumer survived, see [Spec.OnError].
type Error struct {
	Consumer string
	Shard    string         // "" if the error is not of one shard
	Record   *stream.Record // the change that could not be handled; nil for other errors
	Err      error
}

// Error returns one line.
func (e *Error) Error() string {
	s := "consumer " + e.Consumer
	if e.Shard != "" {
		s += ": shard " + e.Shard
	}
	if e.Record != nil {
		s += ": " + e.Record.String()
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// TrimmedError means that changes may have been removed before they were handled, because their shard was not read for
// 24 hours or its stream was deleted. What was built from the changes, such as a search index, may be incomplete. The
// consumer goes on with the next changes that still exist.
type TrimmedError struct {
	Table    string
	ShardID  string
	Sequence string // the last change of the shard that was handled; "" if none was
	Err      error  // the SDK's error
}

// Error says after which change others are missing.
func (e *TrimmedError) Error() string {
	after := "its beginning"
	if e.Sequence != "" {
		after = "sequence number " + e.Sequence
	}
	return fmt.Sprintf("changes of table %s may be lost: shard %s was trimmed after %s: %v", e.Table, e.ShardID, after, e.Err)
}

// Unwrap returns the SDK's error.
func (e *TrimmedError) Unwrap() error { return e.Err }

// ErrLeaseLost is the cause of the end of a handler's context, see [context.Cause], if the process may not hold the
// shard any more. The change is then handled again, usually by another process.
var ErrLeaseLost = errors.New("the lease of the shard has ended")
