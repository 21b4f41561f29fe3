package dyntest

import (
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Option changes what [New] makes.
type Option interface{ configure(*config) }

type option func(*config)

func (o option) configure(c *config) { o(c) }

type config struct {
	choice  choice
	only    bool               // no tables of the hotel's
	schemas []*dynastay.Schema // those of the options; once complete, all of the test's
	streams bool
	options dynastay.Options
	at      *time.Time // the clock stands still there; nil where it runs
	seeded  bool       // by Seed
	seed    uint64     // of faults of chance; known once complete
}

// Tables adds tables to those of the hotel, or to those of [OnlyTables].
func Tables(schemas ...*dynastay.Schema) Option {
	return option(func(c *config) { c.schemas = append(c.schemas, schemas...) })
}

// OnlyTables makes these tables and none of the hotel's. Together with [Tables] it makes both sets. Writes under an idempotency
// key need the table of their records as well, which is keys.MetadataTable unless the options name another.
func OnlyTables(schemas ...*dynastay.Schema) Option {
	return option(func(c *config) {
		c.only = true
		c.schemas = append(c.schemas, schemas...)
	})
}

// Streams gives the test's tables the streams that their schemas ask for. Default: none. Few tests read them, and
// dynoxide becomes slower with every record that it keeps.
func Streams() Option {
	return option(func(c *config) { c.streams = true })
}

// At makes the test's [Clock] stand still at t, until it is set or advanced. Default: it runs with the machine's.
func At(t time.Time) Option {
	return option(func(c *config) { c.at = &t })
}

// With sets the options of the [dynastay.DB]. Its TablePrefix and TableSuffix are replaced by the test's own.
func With(options dynastay.Options) Option {
	return option(func(c *config) { c.options = options })
}

func configure(opts []Option) *config {
	c := &config{}
	for _, opt := range opts {
		opt.configure(c)
	}
	return c
}

// complete fills in what the options left open.
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
			return fmt.Errorf("dyntest: there are two tables named %s", s.Name)
		}
	}
	c.schemas = tables
	return nil
}

// tables are the schemas as the test's tables are made.
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

// engine is the engine that the test runs on.
func (c *config) engine() (*Engine, error) { return c.choice.shared() }
