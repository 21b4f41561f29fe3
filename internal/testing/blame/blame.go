// Package blame asserts what an error says: its type, its kind, and the field of the call that it names.
package blame

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// Invalid asserts that an argument is refused, and returns the error that names it.
func Invalid(t require.TestingT, err error, field string, about ...any) *dynastay.InvalidError {
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid, about...)
	assert.ErrorIs(t, err, dynastay.ErrInvalid, about...)
	assert.Equal(t, field, invalid.Field, said(err, about)...)
	return invalid
}

// Named asserts the field that an error of the library names, and returns the error.
func Named(t require.TestingT, err error, field string, about ...any) *dynastay.Error {
	var failure *dynastay.Error
	require.ErrorAs(t, err, &failure, about...)
	assert.Equal(t, field, failure.Field, said(err, about)...)
	return failure
}

// Of asserts the kind of an error and the field that it names.
func Of(t require.TestingT, err, kind error, field string) {
	require.ErrorIs(t, err, kind)
	if kind == dynastay.ErrInvalid {
		Invalid(t, err, field)
	} else {
		Named(t, err, field)
	}
}

// said is what a failure is about: the error, if the test does not say it.
func said(err error, about []any) []any {
	if len(about) == 0 {
		return []any{"%v", err}
	}
	return about
}

// As returns the error of a type that an error is or wraps.
func As[E error](t require.TestingT, err error, about ...any) E {
	var found E
	require.ErrorAs(t, err, &found, about...)
	return found
}
