package dyntest

import (
	"context"
	"sync"
	"time"
)

// started are the engines of this test binary, by kind and image; found are those that tests came upon, by what they
// asked for. Two that asked for different things may well have found the same one.
var started, found engines

// engines has one engine for each choice, made when it is first asked for. A start that failed is not repeated for
// every test: it may have taken long, and would fail in the same way.
type engines struct {
	mu   sync.Mutex
	made map[choice]func() (*Engine, error)
}

func (e *engines) get(c choice, start func() (*Engine, error)) (*Engine, error) {
	e.mu.Lock()
	once := e.made[c]
	if once == nil {
		once = sync.OnceValues(start)
		if e.made == nil {
			e.made = map[choice]func() (*Engine, error){}
		}
		e.made[c] = once
	}
	e.mu.Unlock()
	return once()
}

// shared is the engine that all tests with this choice run on.
func (c choice) shared() (*Engine, error) {
	return found.get(c, func() (*Engine, error) {
		return c.search(context.Background(), func(_ context.Context, s source) (*Engine, error) {
			return started.get(s.choice, func() (*Engine, error) {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
				defer cancel()
				return s.start(ctx)
			})
		})
	})
}
