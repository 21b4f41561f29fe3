package dyntest

import (
	"context"
	"net/http"
)

// Before calls f before the request reaches the engine, on the goroutine that sends it and with its context: to have
// another process write between a read and the write that follows from it, say. With [Faults.Conflicts] on, the request
// holds its items by then. Requests that f sends itself do not find the same turn again; but since they could find
// another one, Before needs Nth, Times or Match.
//
// Let f write through db.Open(nil) or db.Direct, as another process would: through db.DB it may queue, in this process,
// behind the very call that it interrupts. Where f waits, it also waits for the end of the context, or a request that
// nobody expected hangs until the test binary's time is up.
func Before(f func(context.Context)) Fault {
	return calling("Before", f, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		t.hit()
		f(x.Context())
		return next(x)
	})
}

// After calls f when the engine has carried the request out, before the caller gets the answer, on the goroutine that
// sends it and with its context. If that has ended when f returns, the SDK's caller gets its error instead of the answer;
// [dynastay.DB.Write], which is such a caller, then settles the write on time of its own. Like [Before], it needs Nth,
// Times or Match, and f writes through db.Open(nil) or db.Direct.
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
