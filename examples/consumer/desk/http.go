package desk

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// confirmation is the answer to a booking.
type confirmation struct {
	Reference string         `json:"reference"`
	Property  string         `json:"property"`
	CheckIn   dynastay.Date  `json:"checkIn"`
	CheckOut  dynastay.Date  `json:"checkOut"`
	Total     dynastay.Money `json:"total"`
}

// problem is the answer to a request that failed.
type problem struct {
	Problem string            `json:"problem"`
	Field   string            `json:"field,omitempty"`
	Nights  map[string]string `json:"nights,omitempty"` // by date, the reason why it is unavailable
}

// order is an [Order] as it is received.
type order struct {
	PropertyID string         `json:"propertyId"`
	RoomTypeID string         `json:"roomTypeId"`
	Rooms      int            `json:"rooms"`
	CheckIn    dynastay.Date  `json:"checkIn"`
	CheckOut   dynastay.Date  `json:"checkOut"`
	Adults     int            `json:"adults"`
	Children   int            `json:"children"`
	UserID     string         `json:"userId"`
	Guest      bookings.Guest `json:"guest"`
}

// ServeHTTP answers POST /bookings. The header Idempotency-Key is the request's id.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/bookings" {
		http.NotFound(w, r)
		return
	}
	id := r.Header.Get("Idempotency-Key")
	if id == "" {
		answer(w, http.StatusBadRequest, problem{Problem: "header Idempotency-Key is required"})
		return
	}
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		answer(w, http.StatusBadRequest, problem{Problem: err.Error()})
		return
	}
	b, err := d.Book(r.Context(), id, Order{
		PropertyID: o.PropertyID, RoomTypeID: o.RoomTypeID, Rooms: o.Rooms, UserID: o.UserID, Guest: o.Guest,
		Stay:   dynastay.Stay{CheckIn: o.CheckIn, CheckOut: o.CheckOut},
		Guests: availability.Guests{Adults: o.Adults, Children: o.Children},
	})
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusCreated, confirmation{b.Reference, b.PropertyName, b.Stay.CheckIn, b.Stay.CheckOut, b.Total})
}

// refuse tells the caller what to do about an error.
func refuse(w http.ResponseWriter, err error) {
	var refused *bookings.Refused
	var invalid *dynastay.InvalidError
	switch {
	case errors.As(err, &refused):
		p := problem{Problem: "unavailable", Nights: map[string]string{}}
		for _, night := range refused.Nights {
			p.Nights[night.Date.String()] = string(night.Reason)
		}
		answer(w, http.StatusConflict, p)
	case errors.As(err, &invalid):
		answer(w, http.StatusBadRequest, problem{Problem: invalid.Reason, Field: invalid.Field})
	case errors.Is(err, dynastay.ErrIdempotencyMismatch):
		answer(w, http.StatusUnprocessableEntity, problem{Problem: err.Error()})
	case errors.Is(err, dynastay.ErrNotFound):
		answer(w, http.StatusNotFound, problem{Problem: err.Error()})
	case errors.Is(err, dynastay.ErrOutcomeUnknown), errors.Is(err, dynastay.ErrCommitted), errors.Is(err, dynastay.ErrContention),
		errors.Is(err, dynastay.ErrThrottled), errors.Is(err, dynastay.ErrUnavailable),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		// It was done, or not, or that is unknown: in any case it is right to repeat the request with the same id.
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusServiceUnavailable, problem{Problem: "try again with the same Idempotency-Key"})
	default:
		slog.Error("book", "error", err)
		answer(w, http.StatusInternalServerError, problem{Problem: "internal error"})
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the caller is gone
}
