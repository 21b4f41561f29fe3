package consumer

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
)

// Run reads the streams and passes their changes to the router until ctx ends, and then returns nil. The handlers that
// are running may then go on for a third of Lease, before their contexts end too; Run waits for them, stores the
// positions and then releases the shards, so that other processes need not wait for the end of the leases. A Run that
// is killed instead does no harm except that its shards wait, and a few changes are handled again.
//
// Run returns an error only if it cannot read the list of shards or the positions at the start, for example because a
// table has no stream, or permission is denied. Later errors are reported to [Spec.OnError], and Run goes on.
//
// Every sixth of Lease, it sends 1 request for all positions, and 1 for each shard that it holds; every Lease, 2 for
// each table and 1 more for the positions; and for each shard that it holds 1 every Poll, or without a pause while
// there are changes. [dynastay.Options.Observer] does not see the requests to the streams.
//
// Run may be called again, also while it runs: each call acts as a process of its own.
func (c *Consumer) Run(ctx context.Context) error {
	if err := c.run(ctx, false); ctx.Err() == nil {
		return err
	}
	return nil
}

// Drain is like [Consumer.Run], but returns nil once all changes that the streams had when it was called are handled.
// It is for tests, and for programs that run from time to time. It does not wait for shards that other processes hold
// and keep renewing; if one of them was killed, it waits for the end of its leases. If ctx ends first, Drain returns
// the error of ctx. A shard counts as read when DynamoDB returns no more changes of it once, which is certain only on a
// local engine.
func (c *Consumer) Drain(ctx context.Context) error { return c.run(ctx, true) }

// run is one call of Run or Drain.
type run struct {
	*Consumer
	ctx       context.Context // of Run
	me        string
	drain     bool
	seen      map[identity]sighting
	looked    time.Time         // for new shards, the last time
	searched  map[identity]bool // shards that had ended before their children were looked for
	awake     chan struct{}     // something has happened that the next turn need not wait for
	finishing bool

	mu   sync.Mutex
	held map[identity]*reader // by the shard, including those whose lease was lost while a handler is running
}

// sighting is when a position was first seen with a write id. The lease lasts at least until Lease after that write, so
// it has ended if the position has been seen unchanged for so long.
type sighting struct {
	id      dynastay.WriteID
	when    time.Time
	renewed bool      // its owner is alive: the position was seen with another write id before
	free    time.Time // when it was first seen ready to be read and free; zero if it was not
}

func (c *Consumer) run(ctx context.Context, drain bool) error {
	host, _ := os.Hostname()
	r := &run{
		Consumer: c, ctx: ctx, me: cmp.Or(host, "unknown") + "-" + rand.Text()[:8], drain: drain,
		seen: map[identity]sighting{}, searched: map[identity]bool{}, held: map[identity]*reader{}, awake: make(chan struct{}, 1),
	}
	known, err := r.read(ctx)
	if err == nil {
		_, err = r.look(ctx, known)
	}
	if err != nil {
		return err
	}
	defer r.finish(ctx)
	for ctx.Err() == nil {
		drained, err := r.turn(ctx)
		if err != nil && ctx.Err() == nil {
			c.spec.OnError(ctx, &Error{Consumer: c.spec.Name, Err: err})
		}
		if drain && drained {
			return nil
		}
		r.sleep(ctx)
	}
	return ctx.Err()
}

// sleep waits until the leases must be renewed, or a reader has news.
func (r *run) sleep(ctx context.Context) {
	timer := time.NewTimer(r.spec.Lease / 6)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.awake:
	case <-ctx.Done():
	}
}

func (r *run) wake() {
	select {
	case r.awake <- struct{}{}:
	default: // it is awake already
	}
}

// turn renews the leases of the shards that the process holds, takes its share of the others, and then looks for new
// ones. It returns whether all shards have been read to their present end. Its two parts have a third of Lease each, so
// that even a slow turn renews the leases in time.
func (r *run) turn(ctx context.Context) (drained bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.spec.Lease/3)
	defer cancel()
	all, err := r.read(ctx)
	if err != nil {
		return false, err
	}
	r.sight(all)
	r.forget(all)
	mayEnd := map[identity]bool{}
	for _, p := range all {
		mayEnd[p.identity()] = r.mayEnd(p, all)
		if rd := r.holds(p); rd != nil && slices.ContainsFunc(all, p.replacedBy) {
			rd.replaced.Store(true)
		}
	}
	failed := each(all, func(p *position) error { return r.keep(ctx, p, mayEnd[p.identity()]) })
	take, ask := r.plan(all)
	failed = errors.Join(failed,
		each(take, func(p *position) error { return r.take(ctx, p) }),
		each(ask, func(p *position) error { return r.ask(ctx, p) }))
	return r.drained(all), errors.Join(failed, r.search(all))
}

// mayEnd reports whether a shard that was read to its end can be stored as ended. Its children must be stored before:
// if the consumer stopped for a day in between, nobody would know that they are missing.
func (r *run) mayEnd(p *position, all []*position) bool {
	return r.searched[p.identity()] || slices.ContainsFunc(all, func(child *position) bool { return child.continues(p) })
}

// search looks for new shards every Lease, and if a shard has ended whose children are not known.
func (r *run) search(all []*position) error {
	var parents []*position
	for _, p := range all {
		if rd := r.holds(p); rd != nil && rd.now().ended && !r.mayEnd(p, all) {
			parents = append(parents, p)
		}
	}
	if len(parents) == 0 && time.Since(r.looked) < r.spec.Lease {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.spec.Lease/3)
	defer cancel()
	failed, err := r.look(ctx, all)
	for _, p := range parents {
		if !failed[p.Table] {
			r.searched[p.identity()] = true
			r.wake()
		}
	}
	return err
}

// look looks for new shards. It returns the tables whose streams could not be read.
func (r *run) look(ctx context.Context, known []*position) (failed map[string]bool, err error) {
	r.looked = time.Now()
	return r.discover(ctx, known)
}

// each calls do for several positions at a time. It is not an error if another process has written a position first.
func each(all []*position, do func(*position) error) error {
	errs := make([]error, len(all))
	var group sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i, p := range all {
		slots <- struct{}{}
		group.Go(func() {
			if err := do(p); !errors.Is(err, dynastay.ErrVersion) {
				errs[i] = err
			}
			<-slots
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// sight notes which leases have been renewed since the last turn.
func (r *run) sight(all []*position) {
	before := r.seen
	r.seen = map[identity]sighting{}
	for _, p := range all {
		last, known := before[p.identity()]
		if last.id != p.WriteID {
			last = sighting{id: p.WriteID, when: time.Now(), renewed: known}
		}
		r.seen[p.identity()] = last
	}
}

// forget gives up the shards whose positions were deleted.
func (r *run) forget(all []*position) {
	for id, rd := range r.readers() {
		if !slices.ContainsFunc(all, func(p *position) bool { return p.identity() == id }) {
			rd.lose(ErrLeaseLost)
			if rd.stopped() {
				r.drop(id)
			}
		}
	}
}

// keep renews the lease of a shard and stores its progress. A shard that was read to its end, or that another process
// wants, is given up once its reader has stopped.
func (r *run) keep(ctx context.Context, p *position, mayEnd bool) error {
	rd := r.holds(p)
	switch {
	case r.finishing && rd == nil && p.Owner == r.me: // handed over, or taken by a write whose response was lost
		return r.write(ctx, p, func(p *position) { p.Owner, p.Wanted = p.Wanted, "" })
	case r.finishing && p.Wanted == r.me:
		return r.write(ctx, p, func(p *position) { p.Wanted = "" })
	case rd == nil:
		return nil
	}
	stopped := rd.stopped() // asked before its progress, which is then the last one
	if p.Owner != r.me || rd.lost() {
		// A lease that was lost is not renewed, even if nobody has taken the shard yet: a handler that does not stop
		// would keep it from everyone.
		rd.lose(ErrLeaseLost)
		if stopped {
			r.drop(p.identity())
		}
		return nil
	}
	if p.Wanted != "" {
		rd.stop()
	}
	progress := rd.now()
	leaves := stopped && (mayEnd || !progress.ended || r.finishing)
	began := time.Now()
	if !leaves && began.Sub(rd.renewed()) < r.spec.Lease/12 {
		return nil // this turn came early
	}
	err := r.write(ctx, p, func(p *position) {
		progress.store(p)
		if leaves {
			p.Owner, p.Wanted = p.Wanted, ""
		}
		if leaves && progress.ended && mayEnd {
			p.Owner, p.EndedAt = "", r.db.Now()
		}
	})
	switch {
	case err != nil:
		return err
	case leaves:
		r.drop(p.identity())
		r.wake() // others may be ready now
	default:
		rd.renew(began)
	}
	return nil
}

// plan returns the shards to take and those to ask for.
func (r *run) plan(all []*position) (take, ask []*position) {
	var open []*position
	for _, p := range all {
		if rd := r.holds(p); ready(p, all) && (rd == nil || !rd.lost()) { // one that was lost is left to others
			open = append(open, p)
		}
	}
	// Processes that start together should not all try to take the same ones.
	mathrand.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	shards := make([]holding, len(open))
	for i, p := range open {
		if shards[i].owner = r.owner(p); shards[i].owner != "" {
			shards[i].wanted = p.Wanted
		}
		shards[i].left = shards[i].owner == "" && r.isLeft(p)
	}
	takes, asks := share(shards, r.me)
	for _, i := range takes {
		take = append(take, open[i])
	}
	for _, i := range asks {
		ask = append(ask, open[i])
	}
	if r.drain {
		ask = nil // it will be over before it is its turn
	}
	return take, ask
}

// isLeft notes that a shard is ready and free, and reports whether it has been so for a lease. That its position has not
// changed for so long is not enough: the shard may have waited for its parent, so that nobody has had the time to take
// it.
func (r *run) isLeft(p *position) bool {
	s := r.seen[p.identity()]
	if s.free.IsZero() {
		s.free = time.Now()
		r.seen[p.identity()] = s
	}
	return time.Since(s.free) >= r.spec.Lease
}

// owner returns the process whose lease of a shard has not ended, or "".
func (r *run) owner(p *position) string {
	if p.Owner == r.me {
		if r.holds(p) == nil { // it was taken by a write whose response was lost
			return ""
		}
		return r.me
	}
	if time.Since(r.seen[p.identity()].when) >= r.spec.Lease {
		return ""
	}
	return p.Owner
}

// take takes a free shard and starts to read it.
func (r *run) take(ctx context.Context, p *position) error {
	began := time.Now()
	if err := r.write(ctx, p, func(p *position) { p.Owner, p.Wanted = r.me, "" }); err != nil {
		return err
	}
	caughtUp := func() {}
	if r.drain {
		caughtUp = r.wake
	}
	r.hold(p, r.start(r.ctx, p, began, caughtUp, r.wake))
	return nil
}

func (r *run) ask(ctx context.Context, p *position) error {
	return r.write(ctx, p, func(p *position) { p.Wanted = r.me })
}

// drained reports whether all shards have ended, or have been read to their present end by this process, or are held by
// others that are alive.
func (r *run) drained(all []*position) bool {
	return !slices.ContainsFunc(all, func(p *position) bool {
		if rd := r.holds(p); rd != nil {
			return rd.now().ended || !rd.now().current
		}
		owner := r.owner(p)
		others := owner != "" && owner != r.me && r.seen[p.identity()].renewed
		return !p.ended() && !others
	})
}

// finish stops all readers and releases their shards.
func (r *run) finish(ctx context.Context) {
	readers := r.readers()
	for _, rd := range readers {
		rd.stop()
	}
	grace := time.AfterFunc(r.spec.Lease/3, func() {
		for _, rd := range readers {
			rd.lose(context.Canceled)
		}
	})
	for _, rd := range readers {
		<-rd.done
	}
	grace.Stop()
	r.finishing = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.spec.Lease/3)
	defer cancel()
	for {
		all, err := r.read(ctx)
		// What the process has without a reader, or may still be given, is read again: another process may write it first.
		mine := slices.ContainsFunc(all, func(p *position) bool {
			return p.Owner == r.me && r.holds(p) == nil || p.Wanted == r.me
		})
		if err == nil {
			r.forget(all)
			err = each(all, func(p *position) error { return r.keep(ctx, p, false) })
		}
		if err == nil && !mine && len(r.readers()) == 0 {
			return
		}
		// Another process may have asked for a shard in between.
		if !wait(ctx, r.spec.Poll) {
			err = errors.Join(err, fmt.Errorf("%d shards could not be released", len(r.readers())))
			r.spec.OnError(ctx, &Error{Consumer: r.spec.Name, Err: err})
			return
		}
	}
}

func (r *run) readers() map[identity]*reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.held)
}

func (r *run) holds(p *position) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[p.identity()]
}

func (r *run) hold(p *position, rd *reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[p.identity()] = rd
}

func (r *run) drop(shard identity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[shard].close()
	delete(r.held, shard)
	delete(r.searched, shard)
}
