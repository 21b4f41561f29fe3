package cost

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/observe"
	"github.com/dynastay/dynastay/observe/measure"
)

// Line is what an operation cost on one table or index. Dimensions that a [Bill] was summed over are "".
type Line struct {
	Operation string // what was called, such as "bookings.ExpireHolds"
	Part      string // the write within it, such as "bookings.Expire"; the operation itself, if it is one write or reads
	Pattern   string // of the operation, see observe.Pattern
	Table     string // the full name
	Index     string // "" for the table itself
	// Requests counts a request over several tables once, for the first of them.
	Requests   int
	ReadUnits  float64
	WriteUnits float64
}

// Meter is a [dynastay.Observer] that adds up what operations cost. Its zero value is ready for use.
type Meter struct {
	mu    sync.Mutex
	lines map[Line]*Line // by their dimensions
}

// place is the operation and the part that a context belongs to.
type place struct{ operation, part string }

// placeKey is the key of a meter's place in a context.
type placeKey struct{ *Meter }

// Begin notes whose requests follow.
func (m *Meter) Begin(ctx context.Context, operation string) (context.Context, func(dynastay.Ended)) {
	at, within := ctx.Value(placeKey{m}).(place)
	operation = measure.OperationOf(operation).Name // a write of 3 messages and one of 30 are the same operation
	if at.part = operation; !within {
		at.operation = operation
	}
	return context.WithValue(ctx, placeKey{m}, at), func(dynastay.Ended) {}
}

// Request adds a request.
func (m *Meter) Request(ctx context.Context, call dynastay.Call) {
	at, _ := ctx.Value(placeKey{m}).(place)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, u := range call.Usage {
		is := Line{Operation: at.operation, Part: at.part, Pattern: observe.Pattern(at.operation), Table: u.Table, Index: u.Index}
		line := m.lines[is]
		if line == nil {
			if m.lines == nil {
				m.lines = map[Line]*Line{}
			}
			line = &is
			m.lines[is] = line
		}
		if i == 0 {
			line.Requests += call.Requests()
		}
		line.ReadUnits += u.ReadUnits
		line.WriteUnits += u.WriteUnits
	}
}

// Bill returns what was added since the meter began, or since the last [Meter.Reset], in the order of its dimensions.
func (m *Meter) Bill() Bill {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bill()
}

// Reset returns the bill and begins anew. Between two calls, nothing is lost and nothing is counted twice.
func (m *Meter) Reset() Bill {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() { m.lines = nil }()
	return m.bill()
}

func (m *Meter) bill() Bill {
	b := make(Bill, 0, len(m.lines))
	for _, line := range m.lines {
		b = append(b, *line)
	}
	slices.SortFunc(b, compare)
	return b
}

func compare(a, b Line) int {
	return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Pattern, b.Pattern),
		cmp.Compare(a.Table, b.Table), cmp.Compare(a.Index, b.Index))
}
