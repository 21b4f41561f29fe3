package dyntest

import (
	"context"
	"net/http"
)

// Before calls f before the request reaches the engine, on the goroutine that sends it and with its context. For
// example, f lets another process write between a read and the write that depends on it. With [Faults.Conflicts], the
// request already holds its items. Requests that f itself sends do not call f again for the same hit. But they could be
// hit later themselves, so Before requires Nth, Times or Match.
//
// Let f write through db.Open(nil) or db.Direct, as another process would. Through db.DB, it may queue in this process
// behind the very call that it interrupts. If f waits, it must also wait for the end of the context, or an unexpected
// request hangs until the test binary times out.
func Before(f func(context.Context)) Fault {
	return calling("Before", f, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		t.hit()
		f(x.Context())
		return next(x)
	})
}

// After calls f after the engine has carried out the request and before the caller gets the response, on the goroutine
// that sends it and with its context. If the context has ended when f returns, the caller of the SDK gets the context's
// error instead of the response. [dynastay.DB.Write] is such a caller; it then determines the outcome of the write
// within its own time limit. Like [Before], After requires Nth, Times or Match, and f must write through db.Open(nil)
// or db.Direct.
func After(f func(context.Context)) Fault {
	return calling("After", f, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		return afterAnswer(x, next, func() error {
			t.hit()
			f(x.Context())
			return x.Context().Err()
		})
	})
}

func calling(name string, f func(context.Context), strike strike) Fault {
	fault := newFault(name, nil, strike)
	fault.calls = true
	if f == nil {
		fault.wrong = "f is required"
	}
	return fault
}
