package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// A gauge is an item whose writes are numbered, so a handler can tell whether it has got all of them in order.
type gauge struct {
	Name    string
	Reading int
}

type gaugeKey struct{ Name string }

func (k *gaugeKey) Form(f *key.Form) { f.PK("GAUGE#", key.ID("Name", &k.Name)) }

var gaugesTable = &dynastay.Schema{Name: "Gauges", Key: dynastay.KeyNames{Partition: "PK"}, Stream: true}

var gaugeEntity = entity.New(entity.Spec[gauge]{
	Name: "Gauge", Schema: gaugesTable,
	Key: func(g *gauge) (dynastay.Key, error) { return key.Of(gaugeKey{g.Name}) },
	Codec: entity.Declare(func(f *entity.Fields, g *gauge) {
		f.String("Name", &g.Name)
		f.Int("Reading", &g.Reading)
	}),
})

func newDB(t *testing.T, opts ...dyntest.Option) *dyntest.DB {
	return dyntest.New(t, append([]dyntest.Option{dyntest.OnlyTables(keys.MetadataTable, gaugesTable), dyntest.Streams()}, opts...)...)
}

// turn writes the next reading of each gauge.
func turn(t *testing.T, db *dynastay.DB, readings map[string]int, names ...string) {
	t.Helper()
	table := entity.NewTable(db, gaugeEntity)
	for _, name := range names {
		readings[name]++
		_, err := table.Put(t.Context(), &gauge{name, readings[name]})
		require.NoError(t, err)
	}
}

func gauges(db *dynastay.DB) stream.Decoder[gauge] {
	return stream.NewDecoder(db, gaugesTable, key.Is[gaugeKey], gaugeEntity.Value)
}

// book remembers what was delivered, in order.
type book struct {
	mu        sync.Mutex
	delivered map[string][]int
}

func (b *book) note(g *gauge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.delivered == nil {
		b.delivered = map[string][]int{}
	}
	b.delivered[g.Name] = append(b.delivered[g.Name], g.Reading)
}

func (b *book) of(name string) []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.delivered[name])
}

func (b *book) len() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, readings := range b.delivered {
		n += len(readings)
	}
	return n
}

// router returns a router that notes all readings in b.
func (b *book) router(db *dynastay.DB) *stream.Router {
	return stream.NewRouter(stream.On(gauges(db), func(_ context.Context, c stream.Change[gauge]) error {
		b.note(c.New)
		return nil
	}))
}

// complete checks that each reading was delivered, and not before any earlier one. A reading may be delivered again.
func (b *book) complete(t assert.TestingT, readings map[string]int) {
	for name, last := range readings {
		var first []int
		for _, n := range b.of(name) {
			if !slices.Contains(first, n) {
				first = append(first, n)
			}
		}
		want := make([]int, last)
		for i := range want {
			want[i] = i + 1
		}
		assert.Equal(t, want, first, "first deliveries of %s", name)
	}
}

// drained runs c until the condition holds. Drain could return too early: a simulated shard may answer that it has no
// changes although it has some.
func drained(t *testing.T, c *consumer.Consumer, until func(*assert.CollectT)) {
	t.Helper()
	stop := run(t, c)
	require.EventuallyWithT(t, until, patience, time.Millisecond)
	stop()
}

const patience = time.Minute

func quick(s consumer.Spec) consumer.Spec {
	s.Lease, s.Poll = 2*time.Second, 5*time.Millisecond
	if s.Name == "" {
		s.Name = "gauges"
	}
	if s.Start == 0 {
		s.Start = consumer.Oldest
	}
	return s
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("g%d", i))
	}
	return all
}
