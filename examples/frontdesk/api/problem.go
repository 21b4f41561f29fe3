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

	"github.com/dynastay/dynastay/examples/frontdesk/house"
)

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
	p := &problem{}
	p.Status, p.Type = house.Status(err), "/problems/"+house.Name(err)
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
