package checker

import (
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// patient goes on until it knows, or until nobody else is left.
var patient = dynastay.Options{Retry: dynastay.Retry{Attempts: 40, Base: time.Millisecond, Cap: 20 * time.Millisecond}}

// temperaments are the options of the processes, in turn.
var temperaments = []dynastay.Options{
	{Retry: dynastay.Retry{Attempts: 6, Base: time.Millisecond, Cap: 5 * time.Millisecond}, Settle: 50 * time.Millisecond},
	{Retry: dynastay.Retry{Attempts: 16, Base: time.Millisecond, Cap: 10 * time.Millisecond}, NoGates: true},
	{Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 5 * time.Millisecond}, NoGates: true, Settle: 50 * time.Millisecond},
	patient,
}

// process is what one process has of its own: a DB, and on it what each system needs, see [each].
type process struct {
	name       string
	takesTurns bool
	*dynastay.DB
	checker *checker
	options dynastay.Options
	shards  key.Shards
}

// The processes write to different counts of shards, as while these are raised, and keep addresses out of keys.
const shards = 3

// skew is by how much the clock of each process is ahead of that of the one before.
const skew = 400 * time.Millisecond

func (c *checker) process(name string, options dynastay.Options) *process {
	ahead := time.Duration(len(c.processes)%len(temperaments)) * skew
	options.Clock = func() time.Time { return c.db.Clock.Now().Add(ahead) }
	options.Observer = dynastay.RequestObserver(c.observe)
	p := &process{
		name: name, takesTurns: !options.NoGates, checker: c, options: options, shards: key.Shards{Write: 1 + len(c.processes)%shards, Read: shards},
	}
	p.DB = p.open(c.db, func(*dynastay.Options) {})
	return p
}

// open opens a database for the process, with some options that differ from those of its DB.
func (p *process) open(db *dyntest.DB, change func(*dynastay.Options)) *dynastay.DB {
	options := p.options
	options.TablePrefix = strings.TrimSuffix(db.TableName(keys.BookingsTable), keys.BookingsTable.Name)
	change(&options)
	return dynastay.Open(fake.Client{Next: db.Client, Do: p.checker.late.way}, &options)
}

// each returns what a system has of a process, such as its repositories. It is opened when it is first asked for.
func each[T any](open func(*process) T) func(*process) T {
	var mu sync.Mutex
	all := map[*process]T{}
	return func(p *process) T {
		mu.Lock()
		defer mu.Unlock()
		of, known := all[p]
		if !known {
			of = open(p)
			all[p] = of
		}
		return of
	}
}
