package checker

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// Verdict is what the answer to a call promises.
type Verdict int

// The verdicts.
const (
	Acknowledged Verdict = iota // it was carried out, once
	Refused                     // it was not and never will be: nothing was written
	Unknown                     // one or the other
	broken                      // no call may answer that
)

// Tally counts answers by their verdicts.
type Tally [broken + 1]int

// String is the verdict in a word.
func (v Verdict) String() string {
	return [...]string{"acknowledged", "refused", "unknown", "broken"}[v]
}

// Refusal tells the errors with which a kind of call may be refused by what is stored.
type Refusal func(error) bool

// RefusedBy is the refusal with one of some errors.
func RefusedBy(kinds ...error) Refusal {
	return func(err error) bool {
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				return true
			}
		}
		return false
	}
}

// Or is either of two refusals.
func (r Refusal) Or(other Refusal) Refusal {
	return func(err error) bool { return r(err) || other(err) }
}

// Never is for a call that nothing that is stored can refuse.
var Never = RefusedBy()

var (
	givenUp = RefusedBy(dynastay.ErrContention, dynastay.ErrThrottled, dynastay.ErrUnavailable)
	ended   = RefusedBy(context.Canceled, context.DeadlineExceeded)
)

func verdictOf(err error, mayRefuse Refusal) Verdict {
	switch isUnknown, isDone := errors.Is(err, dynastay.ErrOutcomeUnknown), errors.Is(err, dynastay.ErrCommitted); {
	case err == nil:
		return Acknowledged
	case isUnknown && isDone, (isUnknown || isDone) && mayRefuse.Or(givenUp)(err):
		return broken // who looks for one of them must not find the other
	case isDone:
		return Acknowledged
	case isUnknown:
		return Unknown
	case mayRefuse.Or(givenUp).Or(ended)(err):
		return Refused
	}
	return broken
}

// Taken is the refusal of what has a unique field like another one.
func Taken(field string) Refusal {
	return func(err error) bool {
		var failure *dynastay.Error
		return errors.Is(err, dynastay.ErrAlreadyExists) && errors.As(err, &failure) && failure.Field == field
	}
}

// UnknownOnly reduces the errors of several room types to ErrOutcomeUnknown if one is: the call has no other outcome
// then.
func UnknownOnly(err error) error {
	if errors.Is(err, dynastay.ErrOutcomeUnknown) {
		return dynastay.ErrOutcomeUnknown
	}
	return err
}
