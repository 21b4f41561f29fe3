package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"
)

func startEndpoint(ctx context.Context) (*Engine, error) {
	endpoint := os.Getenv(endpointVar)
	if endpoint == "" {
		return nil, errors.New(endpointVar + " is not set")
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s must be a URL such as http://127.0.0.1:8000, got %q", endpointVar, endpoint)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := untilAnswer(ctx, endpoint, nil); err != nil {
		return nil, err
	}
	return newEngine("endpoint "+endpoint, endpoint, func(context.Context) error { return nil }), nil
}

var errEnded = errors.New("the process exited before it answered")

// untilAnswer waits until the server at the endpoint answers an HTTP request, whatever it answers, or until gone is closed.
// An open port is not enough: Docker opens it before the server listens.
func untilAnswer(ctx context.Context, endpoint string, gone <-chan struct{}) error {
	client := &http.Client{Timeout: time.Second}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
		select {
		case <-gone:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("no answer from %s: %w", endpoint, err)
		case <-tick.C:
		}
	}
}
