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
	config := huma.DefaultConfig("Front desk", "1.0.0")
	config.DocsPath = "" // its page would load scripts of others
	config.SchemasPath = ""
	config.CreateHooks = nil // no links to schemas in the answers
	s := &server{h, secure}
	s.register(humago.New(mux, config))
	return counted(http.NewCrossOriginProtection().Handler(mux))
}

func (s *server) register(a huma.API) {
	s.sessions(a)
	s.hotels(a)
	s.bookings(a)
	s.payments(a)
}

// operation describes an operation of the API.
func operation(id, method, path, summary string, status int, mayFail ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary, DefaultStatus: status,
		Errors: append(mayFail, http.StatusServiceUnavailable),
	}
}

// handle registers a handler. Its errors are answered with their problems.
func handle[I, O any](a huma.API, op huma.Operation, serve func(context.Context, *I) (*O, error)) {
	huma.Register(a, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := serve(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, err)
		}
		return out, nil
	})
}

// Signed is the part of a request that says who sends it.
type Signed struct {
	Token string `cookie:"session" doc:"The session, see POST /v1/session."`
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
func (s *server) anyoneOf(ctx context.Context, in Signed) (string, error) {
	if in.Token == "" {
		return "", nil
	}
	user, err := s.userOf(ctx, in)
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
		w.Header().Set("X-Cost", w.tally.String())
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
