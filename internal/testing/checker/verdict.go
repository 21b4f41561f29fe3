package checker

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// verdict is what the answer to a call promises.
type verdict int

const (
	acknowledged verdict = iota // it was carried out, once
	refused                     // it was not and never will be: nothing was written
	unknown                     // one or the other
	broken                      // no call may answer that
)

// tally counts answers by their verdicts.
type tally [broken + 1]int

func (v verdict) String() string {
	return [...]string{"acknowledged", "refused", "unknown", "broken"}[v]
}

// refusal tells the errors with which a kind of call may be refused by what is stored.
type refusal func(error) bool

func refusedBy(kinds ...error) refusal {
	return func(err error) bool {
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				return true
			}
		}
		return false
	}
}

func (r refusal) or(other refusal) refusal {
	return func(err error) bool { return r(err) || other(err) }
}

var (
	never   = refusedBy()
	givenUp = refusedBy(dynastay.ErrContention, dynastay.ErrThrottled, dynastay.ErrUnavailable)
	ended   = refusedBy(context.Canceled, context.DeadlineExceeded)
)

func verdictOf(err error, mayRefuse refusal) verdict {
	switch isUnknown, isDone := errors.Is(err, dynastay.ErrOutcomeUnknown), errors.Is(err, dynastay.ErrCommitted); {
	case err == nil:
		return acknowledged
	case isUnknown && isDone, (isUnknown || isDone) && mayRefuse.or(givenUp)(err):
		return broken // who looks for one of them must not find the other
	case isDone:
		return acknowledged
	case isUnknown:
		return unknown
	case mayRefuse.or(givenUp).or(ended)(err):
		return refused
	}
	return broken
}

// taken is the refusal of what has a unique field like another one.
func taken(field string) refusal {
	return func(err error) bool {
		var failure *dynastay.Error
		return errors.Is(err, dynastay.ErrAlreadyExists) && errors.As(err, &failure) && failure.Field == field
	}
}

// unknownOnly reduces the errors of several room types to ErrOutcomeUnknown if one is: the call has no other outcome
// then.
func unknownOnly(err error) error {
	if errors.Is(err, dynastay.ErrOutcomeUnknown) {
		return dynastay.ErrOutcomeUnknown
	}
	return err
}
