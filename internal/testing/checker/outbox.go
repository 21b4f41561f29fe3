package checker

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

var messageEntity = entity.New(entity.Spec[message]{
	Name:   "Message",
	Schema: &dynastay.Schema{Name: "Outbox", Key: dynastay.KeyNames{Partition: "queue", Sort: "id"}},
	Key:    func(m *message) (dynastay.Key, error) { return dynastay.Key{PK: m.Queue, SK: m.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, m *message) {
		f.String("queue", &m.Queue)
		f.String("id", &m.ID)
		f.WriteID("WriteId", &m.WriteID)
	}),
})

type message struct {
	Queue, ID string
	WriteID   dynastay.WriteID
}

const queues = 3

// outbox is what producers create and consumers delete: each message once.
type outbox struct {
	*checker
	keyed repeats

	mu      sync.Mutex
	made    map[string]func() verdict
	taken   map[string]int  // acknowledged deletions
	maybe   map[string]bool // deletions of which nobody knows
	dropped map[string]bool // consumed for certain
}

func newOutbox(c *checker) *outbox {
	return &outbox{
		checker: c, made: map[string]func() verdict{}, taken: map[string]int{}, maybe: map[string]bool{}, dropped: map[string]bool{},
	}
}

func (o *outbox) step(w *worker) {
	if w.oneIn(2) {
		o.consume(w)
	} else {
		o.produce(w)
	}
}

func (o *outbox) queue(w *worker) string { return fmt.Sprint("queue-", w.rand.IntN(queues)) }

func (o *outbox) produce(w *worker) {
	if w.oneIn(3) {
		o.keyed.call(w, func() *once {
			m := &message{Queue: o.queue(w), ID: w.mark()}
			one := &once{key: dynastay.IdempotencyKey(m.ID), name: "create once", items: m.ID, refusal: never}
			one.send = func(ctx context.Context, p *process) error {
				_, err := tablesOf(p).outbox.Create(ctx, m, one.key)
				return err
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.made[m.ID] = one.verdict
			return one
		})
		return
	}
	m := &message{Queue: o.queue(w), ID: w.mark()}
	told := unknown // until then
	o.mu.Lock()
	o.made[m.ID] = func() verdict { return told }
	o.mu.Unlock()
	put, name := tablesOf(w.process).outbox.Create, "create"
	if w.oneIn(2) {
		put, name = tablesOf(w.process).outbox.Put, "put"
	}
	v := w.call(name, m.ID, "", never, func(ctx context.Context) error {
		_, err := put(ctx, m)
		return err
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	told = v
}

// announce lets another scenario produce a message along with what it writes.
func (o *outbox) announce(m *message, verdict func() verdict) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.made[m.ID] = verdict
}

// consume takes one of the messages of a queue, the first ones above all, which others want too.
func (o *outbox) consume(w *worker) {
	o.mu.Lock()
	before := maps.Clone(o.dropped)
	o.mu.Unlock()
	ctx, cancel := w.deadline()
	defer cancel()
	page, err := tablesOf(w.process).outbox.List(dynastay.Query{
		Name: "checker.outbox", Partition: o.queue(w), Consistent: true,
	}).Page(ctx, dynastay.Paging{Limit: 4})
	if err != nil || len(page.Items) == 0 {
		return
	}
	for _, m := range page.Items {
		if before[m.ID] {
			o.differ("a message that was consumed came back", m.ID, "it is in %s", m.Queue)
		}
	}
	m := page.Items[w.rand.IntN(len(page.Items))]
	v := w.call("consume", m.ID, "", refusedBy(dynastay.ErrNotFound, dynastay.ErrVersion), func(ctx context.Context) error {
		return tablesOf(w.process).outbox.Delete(ctx, dynastay.Key{PK: m.Queue, SK: m.ID}, dynastay.IfWritten(m.WriteID))
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	switch v {
	case acknowledged:
		o.taken[m.ID]++
		o.dropped[m.ID] = true
	case unknown:
		o.maybe[m.ID] = true
	}
}

func (o *outbox) settle(w *worker) { o.keyed.settle(w) }

func (o *outbox) check() {
	left := map[string]int{}
	for _, m := range stored(o.checker, messageEntity) {
		left[m.ID] = 1
		if o.made[m.ID] == nil {
			o.differ("a message that nobody made", m.ID, "")
		}
	}
	for id, verdict := range o.made {
		n := o.taken[id] + left[id]
		switch v := verdict(); {
		case v == refused && (n > 0 || o.maybe[id]):
			o.differ("a message that was not to be made", id, "consumed %d times, %d left", o.taken[id], left[id])
		case n > 1:
			o.differ("a message twice", id, "consumed %d times, %d left", o.taken[id], left[id])
		case v == acknowledged && n == 0 && !o.maybe[id]:
			o.differ("a message is lost", id, "")
		}
	}
}
