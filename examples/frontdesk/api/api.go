// Package api serves the application over HTTP, as JSON. The handlers are the description: huma derives the OpenAPI document from
// their types, at /openapi.json.
package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/dynastay/dynastay/examples/frontdesk/cost"
	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

type server struct {
	house  *house.House
	secure bool // the cookie is sent over HTTPS only
}

// New returns the handler of the API. Browsers may send what changes something only from pages of the service itself. Each answer has
// a header X-Cost: what it cost at DynamoDB.
func New(h *house.House, secure bool) http.Handler {
	mux := http.NewServeMux()
	s := &server{h, secure}
	s.register(humago.New(mux, configured()))
	sameSite := http.NewCrossOriginProtection()
	sameSite.SetDenyHandler(http.HandlerFunc(denied))
	return counted(sameSite.Handler(mux))
}

func (s *server) register(a huma.API) {
	s.sessions(a)
	s.hotels(a)
	s.bookings(a)
	s.payments(a)
}

// userOf returns the id of the user who sends the request, or [signin.ErrNoSession].
func (s *server) userOf(ctx context.Context, in Signed) (string, error) {
	found, err := s.house.Signins.Session(ctx, in.Token)
	if err != nil {
		return "", err
	}
	return found.UserID, nil
}

// anyoneOf returns "" if nobody has signed in.
func (s *server) anyoneOf(ctx context.Context, in Visitor) (string, error) {
	if in.Token == "" {
		return "", nil
	}
	user, err := s.userOf(ctx, in.Signed)
	if errors.Is(err, signin.ErrNoSession) {
		return "", nil
	}
	return user, err
}

// counted adds what a request has cost to its answer.
func counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, tally := cost.Begin(r.Context())
		next.ServeHTTP(&countedWriter{ResponseWriter: w, tally: tally}, r.WithContext(ctx))
	})
}

type countedWriter struct {
	http.ResponseWriter
	tally   *cost.Tally
	started bool
}

func (w *countedWriter) WriteHeader(status int) {
	if !w.started {
		w.started = true
		w.Header().Set(costs, w.tally.String())
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedWriter) Write(b []byte) (int, error) {
	if !w.started {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
