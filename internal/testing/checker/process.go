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

// Process is what one process has of its own: a DB, on which each system opens what it needs, see [Each].
type Process struct {
	Name       string
	TakesTurns bool // it has gates
	*dynastay.DB
	Run     *Run
	Shards  key.Shards // which differ from those of the others, as while these are raised
	options dynastay.Options
}

// Shards is how many shards all processes read.
const Shards = 3

// skew is by how much the clock of each process is ahead of that of the one before.
const skew = 400 * time.Millisecond

func (c *Run) process(name string, options dynastay.Options) *Process {
	ahead := time.Duration(len(c.processes)%len(temperaments)) * skew
	options.Clock = func() time.Time { return c.Base.Clock.Now().Add(ahead) }
	options.Observer = dynastay.RequestObserver(c.observe)
	p := &Process{
		Name: name, TakesTurns: !options.NoGates, Run: c, Shards: key.Shards{Write: 1 + len(c.processes)%Shards, Read: Shards}, options: options,
	}
	p.DB = p.Open(c.Base, func(*dynastay.Options) {})
	return p
}

// Open opens a database for the process, with some options that differ from those of its DB.
func (p *Process) Open(db *dyntest.DB, change func(*dynastay.Options)) *dynastay.DB {
	options := p.options
	options.TablePrefix = strings.TrimSuffix(db.TableName(keys.BookingsTable), keys.BookingsTable.Name)
	change(&options)
	return dynastay.Open(fake.Client{Next: db.Client, Do: p.Run.late.way}, &options)
}

// OfProcess is a process, or a worker of one.
type OfProcess interface{ itself() *Process }

func (p *Process) itself() *Process { return p }

// Each returns what a system has of a process, such as its repositories. It is opened when it is first asked for.
func Each[T any](open func(*Process) T) func(OfProcess) T {
	var mu sync.Mutex
	all := map[*Process]T{}
	return func(of OfProcess) T {
		p := of.itself()
		mu.Lock()
		defer mu.Unlock()
		own, known := all[p]
		if !known {
			own = open(p)
			all[p] = own
		}
		return own
	}
}
