package migrate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// ErrBudget means that a walk has stopped because [Options.Units] are consumed. That of a new mover continues it.
var ErrBudget = errors.New("the budget of capacity units is consumed")

// Client is a client that can read whole tables. *dynamodb.Client implements it.
type Client interface {
	dynastay.Client
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
}

// Options are those of [New].
type Options struct {
	// DB are those of [Mover.DB]. They must name the same tables as those of the service.
	DB dynastay.Options
	// UnitsPerSecond limits the read and write units that are consumed in a second, on average. Default: 0, no limit.
	UnitsPerSecond float64
	// Units are how many read and write units may be consumed in all. Default: 0, any number.
	Units float64
}

// Mover walks tables. It is safe for concurrent use.
type Mover struct {
	// DB is for the repositories that a walk's function uses. What it consumes counts towards the rate and the budget.
	DB     *dynastay.DB
	client Client
	opts   Options
	saved  *entity.Table[position]
	list   *entity.Entity[position]

	mu    sync.Mutex
	spent Units
	ready time.Time // when the rate allows the next request
}

// Units are capacity units: a read unit is a consistent read of 4 KB, a write unit a write of 1 KB.
type Units struct{ Read, Written float64 }

// New returns a mover. It sends no requests. New panics if the rate or the budget is negative.
func New(client Client, opts Options) *Mover {
	if !(opts.UnitsPerSecond >= 0 && opts.Units >= 0) { // or is not a number
		panic("migrate.New: UnitsPerSecond and Units must not be negative")
	}
	m := &Mover{client: client, opts: opts}
	own := opts.DB
	own.Observer = dynastay.Observers(opts.DB.Observer, dynastay.RequestObserver(func(_ context.Context, call dynastay.Call) { m.consumed(call) }))
	m.DB = dynastay.Open(dry{client}, &own)
	m.list = newEntity(keys.MetadataTable)
	m.saved = entity.NewTable(m.DB, m.list)
	return m
}

// Consumed returns what has been consumed so far.
func (m *Mover) Consumed() Units {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}

func (m *Mover) consumed(call dynastay.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	read, written := call.ReadUnits(), call.WriteUnits()
	m.spent.Read += read
	m.spent.Written += written
	if m.opts.UnitsPerSecond == 0 {
		return
	}
	if now := time.Now(); m.ready.Before(now) {
		m.ready = now // what was not used before cannot be made up for: a burst would throttle the service
	}
	m.ready = m.ready.Add(time.Duration((read + written) / m.opts.UnitsPerSecond * float64(time.Second)))
}

// wait returns when the rate allows more. It fails if the budget is consumed, or the context ends.
func (m *Mover) wait(ctx context.Context) error {
	m.mu.Lock()
	over := m.opts.Units > 0 && m.spent.Read+m.spent.Written >= m.opts.Units
	pause := time.Until(m.ready)
	m.mu.Unlock()
	if over {
		return ErrBudget
	}
	if pause <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
