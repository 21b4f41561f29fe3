package engine

import (
	"context"
	"sync"
	"time"

	"github.com/dynastay/dynastay/dyntest/internal/choice"
)

// started are the engines that this process shares, by kind and image; found are those that a search ended with, by
// what it asked for. Two that asked for different things may well have found the same one.
var started, found engines

type engineKey struct {
	kind  Kind
	image string // of Docker
}

// engines has one engine for each key, made when it is first asked for. A start that failed is not repeated for every
// test: it may have taken long, and would fail in the same way.
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

// shared is the engine of this process for the choice. The context has no end: that of one test is not that of others.
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
