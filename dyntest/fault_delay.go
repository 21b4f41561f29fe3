package dyntest

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Delay makes a request take d longer to reach the engine. If its context ends before that, the request never arrives.
func Delay(d time.Duration) Fault {
	return delaying("Delay", d, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		t.hit()
		if err := pause(x.Context(), d); err != nil {
			return nil, err
		}
		return next(x)
	})
}

// DelayAnswer makes the answer take d longer to reach the caller, after the engine has carried out the request. If the
// request's context ends before that, the caller gets the context's error instead.
func DelayAnswer(d time.Duration) Fault {
	return delaying("DelayAnswer", d, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		return afterAnswer(x, next, func() error {
			t.hit()
			return pause(x.Context(), d)
		})
	})
}

func delaying(name string, d time.Duration, strike strike) Fault {
	fault := newFault(fmt.Sprintf("%s(%s)", name, d), nil, strike)
	if d <= 0 {
		fault.wrong = "d must be positive"
	}
	return fault
}

// pause waits for d, or until the context ends; it then returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// afterAnswer calls f once the engine has carried out the request. It then returns the answer, or f's error instead.
func afterAnswer(x *exchange, next hop, f func() error) (*http.Response, error) {
	resp, err := next(x)
	if err != nil {
		return nil, err
	}
	if _, err := readAnswer(resp); err != nil {
		return nil, err
	}
	if err := f(); err != nil {
		return nil, err
	}
	return resp, nil
}
