package writes

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

var (
	lockTable  = &dynastay.Schema{Name: "Locks", Key: dynastay.KeyNames{Partition: "id"}}
	latchTable = &dynastay.Schema{Name: "Latches", Key: dynastay.KeyNames{Partition: "id"}}
)

type lock struct {
	ID      string
	Holder  string
	Turns   int
	WriteID dynastay.WriteID
}

func lockIn(table *dynastay.Schema) *entity.Entity[lock] {
	return entity.New(entity.Spec[lock]{
		Name: "Lock", Schema: table,
		Key: func(l *lock) (dynastay.Key, error) { return dynastay.Key{PK: l.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, l *lock) {
			f.String("id", &l.ID)
			f.String("holder", &l.Holder)
			f.Int("turns", &l.Turns)
			f.WriteID("WriteId", &l.WriteID)
		}),
	})
}

// locks are taken with Create and released with Delete: one holder at a time, and nobody's lock is taken away. A lock
// is released by its write id, which makes the release repeatable. A latch is released by a plain Delete, which is
// never repeated unless the latch is seen to be there still.
type locks struct {
	*checker.Run
	holders map[string]*atomic.Pointer[string]

	mu       sync.Mutex
	given    map[string]bool // marks of takers that gave up: their request may arrive late
	rejected map[string]bool // marks of takers that were told that nothing was written
}

func newLocks(c *checker.Run) *locks {
	c.DeletesInTime(latchTable)
	l := &locks{Run: c, holders: map[string]*atomic.Pointer[string]{}, given: map[string]bool{}, rejected: map[string]bool{}}
	for n := range 6 {
		l.holders[fmt.Sprint("lock-", n)] = &atomic.Pointer[string]{}
		l.holders[fmt.Sprint("latch-", n)] = &atomic.Pointer[string]{}
	}
	return l
}

func (l *locks) Step(w *checker.Worker) {
	switch w.Rand.IntN(5) {
	case 0, 1:
		l.hold(w, tablesOf(w).latches, l.id(w, "latch"))
	case 2, 3:
		l.hold(w, tablesOf(w).locks, l.id(w, "lock"))
	default:
		one, other := l.id(w, "lock"), l.id(w, "lock")
		if one != other {
			l.hold(w, tablesOf(w).locks, one, other)
		}
	}
}

func (l *locks) id(w *checker.Worker, kind string) string {
	return fmt.Sprintf("%s-%d", kind, w.Rand.IntN(6))
}

// hold takes locks, all or none, and releases them one by one.
func (l *locks) hold(w *checker.Worker, table *entity.Table[lock], ids ...string) {
	mark := w.Mark()
	all, ok := l.take(w, table, ids, mark)
	if !ok {
		return
	}
	for _, id := range ids {
		if !l.holders[id].CompareAndSwap(nil, &mark) {
			l.Differ("two holders of one lock", id, "%s took it while another had it", mark)
			return
		}
	}
	for _, held := range all {
		shaky := false
		if w.OneIn(4) {
			held, shaky = l.extend(w, table, held)
		}
		l.holders[held.ID].Store(nil) // from now on the release may have arrived
		if table == tablesOf(w).latches {
			l.unlatch(w, held)
			continue
		}
		l.release(w, table, held, shaky)
		if w.OneIn(4) {
			l.stale(w, held)
		}
	}
}

// read is how it stands, past all faults; nil where nobody has it.
func (l *locks) read(id string) *lock {
	direct := entity.NewTable(l.Base.Direct, lockIn(lockTable))
	if strings.HasPrefix(id, "latch") {
		direct = entity.NewTable(l.Base.Direct, lockIn(latchTable))
	}
	there, err := direct.Get(context.Background(), dynastay.Key{PK: id}, dynastay.Consistent)
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rejected[there.Holder] {
		l.Differ("a lock of one who was told that nothing was written", id, "%s", there.Holder)
	}
	return there
}

func (l *locks) take(w *checker.Worker, table *entity.Table[lock], ids []string, mark string) ([]*lock, bool) {
	var made []*lock
	name := "take"
	if len(ids) > 1 {
		name = "take two"
	}
	switch w.Call(name, strings.Join(ids, " "), mark, checker.RefusedBy(dynastay.ErrAlreadyExists), func(ctx context.Context) error {
		var parts []dynastay.Part
		var locks []*dynastay.Operation[*lock]
		for _, id := range ids {
			op := table.CreateOp(&lock{ID: id, Holder: mark})
			parts, locks = append(parts, op), append(locks, op)
		}
		if err := w.Write(ctx, parts...); err != nil {
			return err
		}
		for _, op := range locks {
			made = append(made, op.Result())
		}
		return nil
	}) {
	case checker.Acknowledged:
		if len(made) == len(ids) {
			return made, true
		}
	case checker.Refused:
		l.mu.Lock()
		l.rejected[mark] = true
		l.mu.Unlock()
		for _, id := range ids {
			l.clear(w, table, id)
		}
		return nil, false
	}
	for _, id := range ids {
		if there := l.read(id); there != nil && there.Holder == mark {
			made = append(made, there)
		} else if len(made) > 0 {
			l.Differ("half of a transaction", id, "%s has %s only", mark, made[0].ID)
			return nil, false
		} else {
			break
		}
	}
	if len(made) == len(ids) {
		return made, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given[mark] = true
	return nil, false
}

// clear removes a lock that arrived when its taker had given up.
func (l *locks) clear(w *checker.Worker, table *entity.Table[lock], id string) {
	there := l.read(id)
	if there == nil {
		return
	}
	l.mu.Lock()
	given := l.given[there.Holder]
	l.mu.Unlock()
	if given {
		w.Call("clear", id, there.Holder, checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion), func(ctx context.Context) error {
			return table.Delete(ctx, dynastay.Key{PK: id}, dynastay.IfWritten(there.WriteID))
		})
	}
}

// extend writes the lock while it is held. It is shaky afterwards where that may yet arrive.
func (l *locks) extend(w *checker.Worker, table *entity.Table[lock], held *lock) (now *lock, shaky bool) {
	switch w.Call("extend", held.ID, held.Holder, checker.Never, func(ctx context.Context) (err error) {
		now, err = table.Update(ctx, dynastay.Key{PK: held.ID}, func(l *lock) error { l.Turns++; return nil }, dynastay.IfWritten(held.WriteID))
		return err
	}) {
	case checker.Acknowledged:
		return now, false
	case checker.Unknown:
		return held, true
	}
	return held, false
}

// release repeats the release with the same write id until it is certain.
func (l *locks) release(w *checker.Worker, table *entity.Table[lock], held *lock, shaky bool) {
	sent := false
	for {
		gone := false
		v := w.Call("release", held.ID, held.Holder, func(err error) bool {
			gone = checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion)(err)
			return gone
		}, func(ctx context.Context) error {
			return table.Delete(ctx, dynastay.Key{PK: held.ID}, dynastay.IfWritten(held.WriteID))
		})
		switch there := l.read(held.ID); {
		case v == checker.Acknowledged:
			return
		case v == checker.Unknown:
			sent = true
			if there == nil || there.Holder != held.Holder {
				return
			}
		case gone && shaky && there != nil && there.Holder == held.Holder:
			held = there // the extension has arrived
		case gone:
			if !sent {
				l.Differ("somebody's lock was taken away", held.ID, "%s had it, and now there is %v", held.Holder, there)
			}
			return
		}
	}
}

// stale releases a lock once more, which is somebody else's by now.
func (l *locks) stale(w *checker.Worker, held *lock) {
	if w.Call("release again", held.ID, held.Holder, checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion), func(ctx context.Context) error {
		return tablesOf(w).locks.Delete(ctx, dynastay.Key{PK: held.ID}, dynastay.IfWritten(held.WriteID))
	}) == checker.Acknowledged {
		l.Differ("a lock released twice", held.ID, "%s had it", held.Holder)
	}
}

// unlatch deletes the latch, whatever it is by then, and again only while it is seen to be there. It takes its time: a
// request that is given up could remove the next one's.
func (l *locks) unlatch(w *checker.Worker, held *lock) {
	for sent := false; ; {
		gone := false
		v := w.CallIn(w.T.Context(), "unlatch", held.ID, held.Holder, func(err error) bool {
			gone = checker.RefusedBy(dynastay.ErrNotFound)(err)
			return gone
		}, func(ctx context.Context) error { return tablesOf(w).latches.Delete(ctx, dynastay.Key{PK: held.ID}) })
		switch {
		case v == checker.Acknowledged:
			return
		case v == checker.Unknown:
			sent = true
			if there := l.read(held.ID); there == nil || there.Holder != held.Holder {
				return
			}
		case gone:
			if !sent {
				l.Differ("somebody's lock was taken away", held.ID, "%s had it", held.Holder)
			}
			return
		}
	}
}

func (l *locks) Settle(*checker.Worker) {}

func (l *locks) Check() {
	for _, table := range []*dynastay.Schema{lockTable, latchTable} {
		for id, there := range checker.Stored(l.Run, lockIn(table)) {
			if !l.given[there.Holder] {
				l.Differ("a lock that nobody left", id, "%s: refused %v", there.Holder, l.rejected[there.Holder])
			}
		}
	}
}
