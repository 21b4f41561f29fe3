package checker

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
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
	*checker
	keyed repeats

	mu    sync.Mutex
	bare  map[string]*tally // increments without a key, by counter
	taken map[string]string // "counter version" to the one who was told to be its successor
	byKey map[string][]*once
}

func newCounters(c *checker) *counters {
	s := &counters{checker: c, bare: map[string]*tally{}, taken: map[string]string{}, byKey: map[string][]*once{}}
	table := entity.NewTable(c.db.Direct, counterEntity)
	for n := range 5 {
		id := counterID(n)
		s.bare[id] = &tally{}
		if _, err := table.Create(context.Background(), &counter{ID: id}); err != nil {
			c.t.Fatal(err)
		}
	}
	return s
}

func counterID(n int) string { return fmt.Sprint("counter-", n) }

func counterKey(id string) dynastay.Key { return dynastay.Key{PK: id} }

func (s *counters) step(w *worker) {
	id := counterID(w.rand.IntN(5))
	switch w.rand.IntN(10) {
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

func (s *counters) told(v verdict, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.bare[id][v]++
	}
}

func (s *counters) alone(w *worker, id string) {
	s.told(w.call("increment", id, "", never, func(ctx context.Context) error {
		_, err := tablesOf(w.process).counters.Update(ctx, counterKey(id), increment)
		return err
	}), id)
}

// successor reads, consistently, and writes on condition that nobody else has: one caller for each version.
func (s *counters) successor(w *worker, id string) {
	s.mu.Lock()
	least := s.bare[id][acknowledged]
	s.mu.Unlock()
	ctx, cancel := w.deadline()
	defer cancel()
	read, err := tablesOf(w.process).counters.Get(ctx, counterKey(id), dynastay.Consistent)
	if err != nil {
		return
	}
	if read.Value < least {
		s.differ("a consistent read before an acknowledged write", id, "%d where %d were acknowledged before", read.Value, least)
	}
	v := w.call("increment version", id, fmt.Sprint(read.Version), refusedBy(dynastay.ErrVersion), func(ctx context.Context) error {
		_, err := tablesOf(w.process).counters.Update(ctx, counterKey(id), increment, dynastay.IfVersion(read.Version))
		return err
	})
	s.told(v, id)
	if v != acknowledged {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, me := id+" "+strconv.Itoa(read.Version), fmt.Sprint("worker ", w.n)
	if other, twice := s.taken[at]; twice {
		s.differ("one version acknowledged twice", id, "version %d to %s and %s", read.Version, other, me)
	}
	s.taken[at] = me
}

// pair increments two counters together, which draws no id and puts nothing: only the write ids tell whether it was
// done.
func (s *counters) pair(w *worker, id string) {
	other := counterID(w.rand.IntN(5))
	if other == id {
		return
	}
	s.told(w.call("increment two", id+" "+other, "", never, func(ctx context.Context) error {
		return w.Write(ctx, tablesOf(w.process).counters.UpdateOp(counterKey(id), increment), tablesOf(w.process).counters.UpdateOp(counterKey(other), increment))
	}), id, other)
}

func (s *counters) underKey(w *worker, id string) {
	s.keyed.call(w, func() *once {
		mark := w.mark()
		o := &once{
			key: dynastay.IdempotencyKey(mark).Of("counters"), name: "increment once", items: id, about: mark, refusal: never,
		}
		o.send = func(ctx context.Context, p *process) error {
			return p.Write(ctx, o.key, tablesOf(p).counters.UpdateOp(counterKey(id), increment, dynastay.AgreedOn("one more")))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.byKey[id] = append(s.byKey[id], o)
		return o
	})
}

func (s *counters) settle(w *worker) { s.keyed.settle(w) }

func (s *counters) check() {
	for id, there := range stored(s.checker, counterEntity) {
		least, most := s.bare[id][acknowledged], s.bare[id][acknowledged]+s.bare[id][unknown]
		for _, o := range s.byKey[id] {
			if o.verdict() == acknowledged {
				least, most = least+1, most+1
			}
		}
		if there.Value < least || there.Value > most || there.Version != 1+there.Value {
			s.differ("increments do not add up", id, "%d, version %d, where %d to %d were made", there.Value, there.Version, least, most)
		}
	}
}
