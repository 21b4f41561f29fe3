package engine

import (
	"context"
	"sync"
	"time"

	"github.com/dynastay/dynastay/dyntest/internal/choice"
)

// started are the engines that this process shares, by kind and image. Found are the results of searches, by what was
// asked for. Different searches may find the same engine.
var started, found engines

type engineKey struct {
	kind  Kind
	image string // of Docker
}

// engines has one engine for each key, started when it is first asked for. A failed start is not repeated for every
// test: it may take long, and would fail in the same way.
type engines struct {
	mu   sync.Mutex
	made map[engineKey]func() (*Engine, error)
}

func (e *engines) get(key engineKey, start func() (*Engine, error)) (*Engine, error) {
	e.mu.Lock()
	once := e.made[key]
	if once == nil {
		once = sync.OnceValues(start)
		if e.made == nil {
			e.made = map[engineKey]func() (*Engine, error){}
		}
		e.made[key] = once
	}
	e.mu.Unlock()
	return once()
}

// shared returns the engine of this process for the choice. Its context must not end with one test, since others share it.
func shared(ctx context.Context, c *choice.Choice) (*Engine, error) {
	return found.get(engineKey{Kind(c.Kind), c.Image}, func() (*Engine, error) {
		return search(ctx, c, func(ctx context.Context, s source) (*Engine, error) {
			return started.get(engineKey{s.kind, s.image}, func() (*Engine, error) {
				ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
				defer cancel()
				return s.start(ctx)
			})
		})
	})
}
