package dyntest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/dyntest/internal/choice"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision/policy"
)

// Option configures [New].
type Option func(*config)

type config struct {
	engine  []engine.Option
	only    bool               // without the library's tables
	schemas []*dynastay.Schema // those of the options; once complete, all of the test's
	streams bool
	options dynastay.Options
	at      *time.Time // where the clock stands still; nil if it runs
	seeded  bool       // by Seed
	seed    uint64     // of random choices; known once complete

	permitted bool // by policies alone
	policies  []policy.Policy
}

// Tables adds tables to the library's tables, or to those of [OnlyTables].
func Tables(schemas ...*dynastay.Schema) Option {
	return func(c *config) { c.schemas = append(c.schemas, schemas...) }
}

// OnlyTables creates these tables and none of the library's. Combined with [Tables], it creates both sets. Writes with
// an idempotency key also require the table of idempotency records, which is keys.MetadataTable unless
// Options.Idempotency names another one.
func OnlyTables(schemas ...*dynastay.Schema) Option {
	return func(c *config) {
		c.only = true
		c.schemas = append(c.schemas, schemas...)
	}
}

// Streams enables the streams that the tables' schemas ask for. [DB.Streams] reads them. Default: disabled. Few tests
// read streams, and dynoxide becomes slower with every record in a stream.
func Streams() Option {
	return func(c *config) { c.streams = true }
}

// At stops the test's [Clock] at t. [Clock.Set] and [Clock.Advance] change it. Default: the Clock follows the machine's
// clock.
func At(t time.Time) Option {
	return func(c *config) { c.at = &t }
}

// With sets the options of the [dynastay.DB]. Its TablePrefix and TableSuffix are replaced by the test's own.
func With(options dynastay.Options) Option {
	return func(c *config) { c.options = options }
}

func configure(opts []Option) *config {
	c := &config{}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// complete fills in what the options leave unset.
func (c *config) complete() error {
	if !c.seeded {
		seed, err := defaultSeed()
		if err != nil {
			return err
		}
		c.seed = seed
	}
	var tables []*dynastay.Schema
	if !c.only {
		tables = keys.Tables()
	}
	for _, s := range c.schemas {
		same := func(other *dynastay.Schema) bool { return other.Name == s.Name }
		switch i := slices.IndexFunc(tables, same); {
		case i < 0:
			tables = append(tables, s)
		case tables[i] != s:
			return fmt.Errorf("dyntest: table %s appears more than once with different schemas", s.Name)
		}
	}
	c.schemas = tables
	return nil
}

// tables returns the schemas to create the test's tables from.
func (c *config) tables() []*dynastay.Schema {
	if c.streams {
		return c.schemas
	}
	plain := make([]*dynastay.Schema, len(c.schemas))
	for i, s := range c.schemas {
		table := *s
		table.Stream = false
		plain[i] = &table
	}
	return plain
}

// On runs the test only on this kind of engine, such as [engine.Dynoxide], regardless of the environment. Use it for a
// test that is about that engine. If it is unavailable, the test fails. Other tests may run on other engines at the
// same time: a test binary starts one for each kind and image that its tests ask for.
func On(kind engine.Kind) Option { return startWith(engine.On(kind)) }

// Image is On([engine.Docker]) with this image. Default, also for On(engine.Docker): the image in DYNTEST_IMAGE if that
// is set, otherwise amazon/dynamodb-local:3.1.0.
func Image(name string) Option { return startWith(docker.Image(name)) }

func startWith(opt engine.Option) Option {
	return func(c *config) { c.engine = append(c.engine, opt) }
}

// start finds the engine that the test runs on.
func (c *config) start(ctx context.Context) (*engine.Engine, error) {
	shared := func(c *choice.Choice) { c.Shared = true }
	return engine.Start(ctx, append(c.engine, docker.Allow(), shared)...)
}
