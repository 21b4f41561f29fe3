package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// patient is a transport that lets the engine answer a request that the caller has given up. ExtendDB keeps its tables in
// the memory of its one connection to SQLite, and closes that connection when a client goes away in the middle of a
// transaction: all tables would be gone.
// See docs/decisions/0022-engines.md for the one test that it does not help.
type patient struct{ network http.RoundTripper }

// RoundTrip returns when the caller's context ends, as any transport does, and the request goes on.
func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req.Clone(context.WithoutCancel(req.Context()))
	if req.Body != nil { // the caller may use its reader again once this call has returned
		body, err := io.ReadAll(req.Body)
		if err := errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
		sent.Body = io.NopCloser(bytes.NewReader(body))
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	type answer struct {
		*http.Response
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		resp, err := p.network.RoundTrip(sent)
		if err == nil {
			var body []byte
			body, err = io.ReadAll(resp.Body)
			err = errors.Join(err, resp.Body.Close())
			resp.Body = io.NopCloser(bytes.NewReader(body))
		}
		answered <- answer{resp, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, a.err
		}
		return a.Response, nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}
