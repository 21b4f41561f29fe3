package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"

	"github.com/dynastay/dynastay/examples/frontdesk/house"
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
	{house.ErrForged, http.StatusForbidden, "forged-notice"},
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

// problem is the answer to a request that failed, as RFC 9457 describes it.
type problem struct {
	huma.ErrorModel
	Nights []refusedNight `json:"nights,omitempty" doc:"The nights that cannot be sold."`
}

type refusedNight struct {
	RoomTypeID string `json:"roomTypeId"`
	Date       string `json:"date" format:"date"`
	Reason     string `json:"reason" doc:"Such as sold_out or price_changed."`
}

// problemOf returns the answer for an error of the application. What is nobody's business but the operator's is logged, not told.
func problemOf(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	p := &problem{ErrorModel: huma.ErrorModel{Status: http.StatusInternalServerError, Type: "/problems/internal"}}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			p.Status, p.Type = k.status, "/problems/"+k.name
			break
		}
	}
	p.Title, p.Detail = http.StatusText(p.Status), err.Error()
	var invalid *dynastay.InvalidError
	var existing *dynastay.Error
	var refused *bookings.Refused
	switch {
	case p.Status >= http.StatusInternalServerError:
		slog.ErrorContext(ctx, "a request failed", "error", err)
		p.Detail = "Try again with the same Idempotency-Key, if the request has one."
	case errors.As(err, &invalid):
		p.Errors = []*huma.ErrorDetail{{Location: invalid.Field, Message: invalid.Reason}}
	case errors.As(err, &existing) && existing.Field != "":
		p.Errors = []*huma.ErrorDetail{{Location: existing.Field, Message: "is taken"}}
	case errors.As(err, &refused):
		p.Nights = nightsOf(refused)
	}
	return p
}

func nightsOf(refused *availability.Refused) (all []refusedNight) {
	for _, n := range refused.Nights {
		all = append(all, refusedNight{n.RoomTypeID, n.Date.String(), string(n.Reason)})
	}
	return all
}
