package house

import (
	"errors"
	"net/http"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"

	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// kind is a row of the library's page about errors, docs/errors.md, with a name for its problem.
type kind struct {
	err    error
	status int
	name   string
}

// kinds are in the order in which they decide, as there. A test compares them with the page.
var kinds = []kind{
	{signin.ErrNoSession, http.StatusUnauthorized, "sign-in-required"},
	{signin.ErrSignIn, http.StatusUnauthorized, "wrong-password"},
	{ErrForged, http.StatusForbidden, "forged-notice"},
	{offer.ErrExpired, http.StatusConflict, "offer-expired"},
	{offer.ErrOtherUser, http.StatusForbidden, "offer-of-another-user"},
	{bookings.ErrOldQuote, http.StatusConflict, "offer-expired"},
	{bookings.ErrAnonymised, http.StatusGone, "erased"},
	{dynastay.ErrOutcomeUnknown, http.StatusInternalServerError, "outcome-unknown"},
	{dynastay.ErrCommitted, http.StatusInternalServerError, "outcome-unknown"},
	{dynastay.ErrContention, http.StatusServiceUnavailable, "busy"},
	{dynastay.ErrThrottled, http.StatusServiceUnavailable, "busy"},
	{dynastay.ErrUnavailable, http.StatusServiceUnavailable, "busy"},
	{dynastay.ErrCorrupt, http.StatusInternalServerError, "internal"},
	{dynastay.ErrRejected, http.StatusInternalServerError, "internal"},
	{dynastay.ErrCursor, http.StatusBadRequest, "cursor"},
	{dynastay.ErrInvalid, http.StatusBadRequest, "invalid"},
	{dynastay.ErrNotFound, http.StatusNotFound, "not-found"},
	{dynastay.ErrAlreadyExists, http.StatusConflict, "already-exists"},
	{dynastay.ErrVersion, http.StatusPreconditionFailed, "changed"},
	{dynastay.ErrIdempotencyMismatch, http.StatusUnprocessableEntity, "idempotency-key-reused"},
	{dynastay.ErrRefused, http.StatusConflict, "refused"},
}

var unknown = kind{status: http.StatusInternalServerError, name: "internal"}

func kindOf(err error) kind {
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k
		}
	}
	return unknown
}

// Status returns the HTTP status for an error, which is 500 for one that nobody expects.
func Status(err error) int { return kindOf(err).status }

// Name returns the name of the problem, such as "not-found".
func Name(err error) string { return kindOf(err).name }
