package writes

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

var counterEntity = entity.New(entity.Spec[counter]{
	Name: "Counter", Version: "version",
	Schema: &dynastay.Schema{Name: "Counters", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(c *counter) (dynastay.Key, error) { return dynastay.Key{PK: c.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, c *counter) {
		f.String("id", &c.ID)
		f.Int("value", &c.Value)
		f.IfSet().Int("version", &c.Version)
	}),
})

type counter struct {
	ID             string
	Value, Version int
}

func increment(c *counter) error {
	c.Value++
	return nil
}

// counters are incremented: alone, as the successor of a version, in pairs, and under keys.
type counters struct {
	*checker.Run
	keyed checker.Repeats

	mu    sync.Mutex
	bare  map[string]*checker.Tally // increments without a key, by counter
	taken map[string]string         // "counter version" to the one who was told to be its successor
	byKey map[string][]*checker.Once
}

func newCounters(c *checker.Run) *counters {
	s := &counters{Run: c, bare: map[string]*checker.Tally{}, taken: map[string]string{}, byKey: map[string][]*checker.Once{}}
	table := entity.NewTable(c.Base.Direct, counterEntity)
	for n := range 5 {
		id := counterID(n)
		s.bare[id] = &checker.Tally{}
		if _, err := table.Create(context.Background(), &counter{ID: id}); err != nil {
			c.T.Fatal(err)
		}
	}
	return s
}

func counterID(n int) string { return fmt.Sprint("counter-", n) }

func counterKey(id string) dynastay.Key { return dynastay.Key{PK: id} }

func (s *counters) Step(w *checker.Worker) {
	id := counterID(w.Rand.IntN(5))
	switch w.Rand.IntN(10) {
	case 0, 1, 2:
		s.alone(w, id)
	case 3, 4, 5:
		s.successor(w, id)
	case 6:
		s.pair(w, id)
	default:
		s.underKey(w, id)
	}
}

func (s *counters) told(v checker.Verdict, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.bare[id][v]++
	}
}

func (s *counters) alone(w *checker.Worker, id string) {
	s.told(w.Call("increment", id, "", checker.Never, func(ctx context.Context) error {
		return checker.ErrorOf(tablesOf(w).counters.Update(ctx, counterKey(id), increment))
	}), id)
}

// successor reads, consistently, and writes on condition that nobody else has: one caller for each version.
func (s *counters) successor(w *checker.Worker, id string) {
	s.mu.Lock()
	least := s.bare[id][checker.Acknowledged]
	s.mu.Unlock()
	ctx, cancel := w.Deadline()
	defer cancel()
	read, err := tablesOf(w).counters.Get(ctx, counterKey(id), dynastay.Consistent)
	if err != nil {
		return
	}
	if read.Value < least {
		s.Differ("a consistent read before an acknowledged write", id, "%d where %d were acknowledged before", read.Value, least)
	}
	v := w.Call("increment version", id, fmt.Sprint(read.Version), checker.RefusedBy(dynastay.ErrVersion), func(ctx context.Context) error {
		return checker.ErrorOf(tablesOf(w).counters.Update(ctx, counterKey(id), increment, dynastay.IfVersion(read.Version)))
	})
	s.told(v, id)
	if v != checker.Acknowledged {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, me := id+" "+strconv.Itoa(read.Version), fmt.Sprint("worker ", w.N)
	if other, twice := s.taken[at]; twice {
		s.Differ("one version acknowledged twice", id, "version %d to %s and %s", read.Version, other, me)
	}
	s.taken[at] = me
}

// pair increments two counters together, which draws no id and puts nothing: only the write ids tell whether it was
// done.
func (s *counters) pair(w *checker.Worker, id string) {
	other := counterID(w.Rand.IntN(5))
	if other == id {
		return
	}
	s.told(w.Call("increment two", id+" "+other, "", checker.Never, func(ctx context.Context) error {
		return w.Write(ctx, tablesOf(w).counters.UpdateOp(counterKey(id), increment), tablesOf(w).counters.UpdateOp(counterKey(other), increment))
	}), id, other)
}

func (s *counters) underKey(w *checker.Worker, id string) {
	s.keyed.Repeat(w, func() *checker.Once {
		mark := w.Mark()
		o := &checker.Once{
			Key: dynastay.IdempotencyKey(mark).Of("counters"), Name: "increment once", Items: id, About: mark, Refusal: checker.Never,
		}
		o.Send = func(ctx context.Context, p *checker.Process) error {
			return p.Write(ctx, o.Key, tablesOf(p).counters.UpdateOp(counterKey(id), increment, dynastay.AgreedOn("one more")))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.byKey[id] = append(s.byKey[id], o)
		return o
	})
}

func (s *counters) Settle(w *checker.Worker) { s.keyed.Settle(w) }

func (s *counters) Check() {
	for id, there := range checker.Stored(s.Run, counterEntity) {
		least, most := s.bare[id][checker.Acknowledged], s.bare[id][checker.Acknowledged]+s.bare[id][checker.Unknown]
		for _, o := range s.byKey[id] {
			if o.Verdict() == checker.Acknowledged {
				least, most = least+1, most+1
			}
		}
		if there.Value < least || there.Value > most || there.Version != 1+there.Value {
			s.Differ("increments do not add up", id, "%d, version %d, where %d to %d were made", there.Value, there.Version, least, most)
		}
	}
}
