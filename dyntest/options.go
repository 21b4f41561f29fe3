package dyntest

import (
	"context"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Option changes what [New] makes.
type Option func(*config)

type config struct {
	schemas []*dynastay.Schema
	options dynastay.Options
}

// Tables adds tables to those of the hotel.
func Tables(schemas ...*dynastay.Schema) Option {
	return func(c *config) { c.schemas = append(c.schemas, schemas...) }
}

// With sets the options of the [dynastay.DB]. Its TablePrefix and TableSuffix are replaced by the test's own.
func With(options dynastay.Options) Option {
	return func(c *config) { c.options = options }
}

func configure(opts []Option) *config {
	c := &config{schemas: keys.Tables()}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// engine is the engine that the test runs on.
func (c *config) engine() (*Engine, error) { return shared() }

// shared is the one engine of the test binary. A start that failed is not repeated for every test: it may have taken
// long, and would fail in the same way.
var shared = sync.OnceValues(func() (*Engine, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return Start(ctx)
})
