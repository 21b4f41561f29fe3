package writes

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
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
	*checker.Run
	keyed checker.Repeats

	mu      sync.Mutex
	made    map[string]func() checker.Verdict
	taken   map[string]int  // acknowledged deletions
	maybe   map[string]bool // deletions of which nobody knows
	dropped map[string]bool // consumed for certain
}

func newOutbox(c *checker.Run) *outbox {
	return &outbox{
		Run: c, made: map[string]func() checker.Verdict{}, taken: map[string]int{}, maybe: map[string]bool{}, dropped: map[string]bool{},
	}
}

func (o *outbox) Step(w *checker.Worker) {
	if w.OneIn(2) {
		o.consume(w)
	} else {
		o.produce(w)
	}
}

func (o *outbox) queue(w *checker.Worker) string { return fmt.Sprint("queue-", w.Rand.IntN(queues)) }

func (o *outbox) produce(w *checker.Worker) {
	if w.OneIn(3) {
		o.keyed.Repeat(w, func() *checker.Once {
			m := &message{Queue: o.queue(w), ID: w.Mark()}
			one := &checker.Once{Key: dynastay.IdempotencyKey(m.ID), Name: "create once", Items: m.ID, Refusal: checker.Never}
			one.Send = func(ctx context.Context, p *checker.Process) error {
				return checker.ErrorOf(tablesOf(p).outbox.Create(ctx, m, one.Key))
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.made[m.ID] = one.Verdict
			return one
		})
		return
	}
	m := &message{Queue: o.queue(w), ID: w.Mark()}
	told := checker.Unknown // until then
	o.mu.Lock()
	o.made[m.ID] = func() checker.Verdict { return told }
	o.mu.Unlock()
	put, name := tablesOf(w).outbox.Create, "create"
	if w.OneIn(2) {
		put, name = tablesOf(w).outbox.Put, "put"
	}
	v := w.Call(name, m.ID, "", checker.Never, func(ctx context.Context) error { return checker.ErrorOf(put(ctx, m)) })
	o.mu.Lock()
	defer o.mu.Unlock()
	told = v
}

// announce lets another scenario produce a message along with what it writes.
func (o *outbox) announce(m *message, verdict func() checker.Verdict) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.made[m.ID] = verdict
}

// consume takes one of the messages of a queue, the first ones above all, which others want too.
func (o *outbox) consume(w *checker.Worker) {
	o.mu.Lock()
	before := maps.Clone(o.dropped)
	o.mu.Unlock()
	ctx, cancel := w.Deadline()
	defer cancel()
	page, err := tablesOf(w).outbox.List(dynastay.Query{
		Name: "checker.outbox", Partition: o.queue(w), Consistent: true,
	}).Page(ctx, dynastay.Paging{Limit: 4})
	if err != nil || len(page.Items) == 0 {
		return
	}
	for _, m := range page.Items {
		if before[m.ID] {
			o.Differ("a message that was consumed came back", m.ID, "it is in %s", m.Queue)
		}
	}
	m := page.Items[w.Rand.IntN(len(page.Items))]
	v := w.Call("consume", m.ID, "", checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion), func(ctx context.Context) error {
		return tablesOf(w).outbox.Delete(ctx, dynastay.Key{PK: m.Queue, SK: m.ID}, dynastay.IfWritten(m.WriteID))
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	switch v {
	case checker.Acknowledged:
		o.taken[m.ID]++
		o.dropped[m.ID] = true
	case checker.Unknown:
		o.maybe[m.ID] = true
	}
}

func (o *outbox) Settle(w *checker.Worker) { o.keyed.Settle(w) }

func (o *outbox) Check() {
	left := map[string]int{}
	for _, m := range checker.Stored(o.Run, messageEntity) {
		left[m.ID] = 1
		if o.made[m.ID] == nil {
			o.Differ("a message that nobody made", m.ID, "")
		}
	}
	for id, verdict := range o.made {
		n := o.taken[id] + left[id]
		switch v := verdict(); {
		case v == checker.Refused && (n > 0 || o.maybe[id]):
			o.Differ("a message that was not to be made", id, "consumed %d times, %d left", o.taken[id], left[id])
		case n > 1:
			o.Differ("a message twice", id, "consumed %d times, %d left", o.taken[id], left[id])
		case v == checker.Acknowledged && n == 0 && !o.maybe[id]:
			o.Differ("a message is lost", id, "")
		}
	}
}
