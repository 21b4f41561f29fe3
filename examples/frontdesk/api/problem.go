package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"

	"github.com/dynastay/dynastay/examples/frontdesk/house"
)

// problem is the answer to a request that failed, as RFC 9457 describes it.
type problem struct {
	Type   string         `json:"type" format:"uri-reference" example:"/problems/not-found" doc:"Names the kind of problem."`
	Title  string         `json:"title" example:"Not Found"`
	Status int            `json:"status" example:"404"`
	Detail string         `json:"detail" doc:"What is wrong with this request."`
	Errors []fieldError   `json:"errors,omitempty" doc:"The fields that are wrong."`
	Nights []refusedNight `json:"nights,omitempty" doc:"The nights that cannot be sold."`
}

type fieldError struct {
	Location string `json:"location" example:"body.email"`
	Message  string `json:"message"`
}

type refusedNight struct {
	RoomTypeID string `json:"roomTypeId"`
	Date       string `json:"date" format:"date"`
	Reason     string `json:"reason" doc:"Such as sold_out or price_changed."`
}

func newProblem(status int, name, detail string) *problem {
	return &problem{Type: "/problems/" + name, Title: http.StatusText(status), Status: status, Detail: detail}
}

func (p *problem) Error() string             { return p.Detail }
func (p *problem) GetStatus() int            { return p.Status }
func (p *problem) ContentType(string) string { return contentOfProblems }

// problemOf returns the answer for an error of the application. What is nobody's business but the operator's is logged, not told.
func problemOf(ctx context.Context, err error) error {
	p := newProblem(house.Status(err), house.Name(err), err.Error())
	var invalid *dynastay.InvalidError
	var existing *dynastay.Error
	var refused *bookings.Refused
	switch {
	case p.Status >= http.StatusInternalServerError:
		slog.ErrorContext(ctx, "a request failed", "error", err)
		p.Detail = "Try again with the same Idempotency-Key, if the request has one."
	case errors.As(err, &invalid):
		p.Errors = []fieldError{{invalid.Field, invalid.Reason}}
	case errors.As(err, &existing) && existing.Field != "":
		p.Errors = []fieldError{{existing.Field, "is taken"}}
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

// asProblem gives the errors of huma itself, such as those of its validation, the form of all others. It leaves out what the client has
// sent, which may be a password.
func asProblem(_ huma.Context, _ string, answer any) (any, error) {
	e, is := answer.(*huma.ErrorModel)
	if !is {
		return answer, nil
	}
	name := house.Name(dynastay.ErrInvalid)
	if e.Status >= http.StatusInternalServerError {
		name = house.Name(e)
	}
	p := newProblem(e.Status, name, e.Detail)
	for _, d := range e.Errors {
		p.Errors = append(p.Errors, fieldError{d.Location, d.Message})
	}
	return p, nil
}

// denied refuses what a page of another site sends.
func denied(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", contentOfProblems)
	w.WriteHeader(http.StatusForbidden)
	p := newProblem(http.StatusForbidden, "other-site", "a page of another site cannot do this")
	if err := json.NewEncoder(w).Encode(p); err != nil {
		slog.WarnContext(r.Context(), "an answer was not sent", "error", err)
	}
}
