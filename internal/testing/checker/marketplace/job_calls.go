package marketplace

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

func (s *jobs) post(w *checker.Worker, keyed bool) *jobCall {
	mark, c := w.Mark(), &jobCall{client: fmt.Sprint(clientPrefix, w.Rand.IntN(clients))}
	if w.OneIn(2) {
		c.project = mark
	}
	p := projects.Project{
		ID: c.project, BuyerID: c.client, Title: mark, Category: "Walls",
		Budget: projects.Budget{Min: rands(1_00), Max: rands(9_00)},
	}
	s.made(w, c, mark, posting, keyed, checker.Never, func(ctx context.Context, m *market, parts []dynastay.Part) error {
		made, err := checker.Write(ctx, m, parts, m.projects.PostOp(p))
		if err != nil {
			return err
		}
		s.mu.Lock()
		if c.project == "" {
			c.project = made.ID
		}
		if made.Title != mark || made.BuyerID != c.client || made.ID != c.project {
			s.Differ("an answer about another project", made.ID, "%s: %+v", c.About, made)
		}
		s.mu.Unlock()
		s.show(made.ID, c.client)
		return nil
	})
	if c.project != "" && w.OneIn(2) {
		s.show(c.project, c.client)
	}
	return c
}

// about makes a call about a project, and the bid of a worker for it; or posts a project if there is none. A buyer sees
// the quote of the bid; a worker makes another one.
func (s *jobs) about(
	w *checker.Worker, kind string, open, keyed bool, refusal checker.Refusal,
	draw func(j *job, c *jobCall, mark string) func(*market) dynastay.Part,
) *jobCall {
	j := s.pick(w, open)
	if j == nil {
		return s.post(w, keyed)
	}
	mark := w.Mark()
	c := &jobCall{
		project: j.id, worker: fmt.Sprint(masonPrefix, w.Rand.IntN(masons)), quote: int64(1+w.Rand.IntN(4)) * 1_00,
	}
	op := draw(j, c, mark)
	return s.made(w, c, mark, kind, keyed, refusal, func(ctx context.Context, m *market, parts []dynastay.Part) error {
		part := op(m)
		if err := m.Write(ctx, append(parts, part)...); err != nil {
			return err
		}
		switch op := part.(type) {
		case *dynastay.Operation[*projects.Bid]:
			s.learnBid(c, op.Result())
		case *dynastay.Operation[*projects.Project]:
			s.learn(c, op.Result())
		}
		return nil
	})
}

// learnBid takes the quote from an answer. Under a key, it may be a later one.
func (s *jobs) learnBid(c *jobCall, b *projects.Bid) {
	if b.ProjectID != c.project || b.WorkerID != c.worker || c.Key == (dynastay.Idempotency{}) && c.kind != leaving &&
		(b.Proposal != c.Mark || checker.Minor(b.Quote) != c.quote || b.Status != projects.Pending) {
		s.Differ("an answer about another bid", c.Items, "%s: %+v", c.About, b)
	}
	s.told(c.project, func(j *job) bool {
		if delete(j.quotes, c.worker); b.Status == projects.Pending {
			j.quotes[c.worker] = checker.Minor(b.Quote)
		}
		return true
	})
}

// after are the statuses of a project after the calls that move it.
var after = map[string]projects.Status{
	hiring: projects.InProgress, completing: projects.Completed, abandoning: projects.Cancelled,
}

func (s *jobs) learn(c *jobCall, p *projects.Project) {
	keyed := c.Key != (dynastay.Idempotency{})
	moved := p.Status == after[c.kind] || c.kind == hiring && keyed && p.Status != projects.Open
	if p.ID != c.project || !moved || c.kind == hiring && p.AcceptedWorkerID != c.worker {
		s.Differ("an answer about another project", c.Items, "%s: %+v", c.About, p)
	}
	s.told(c.project, func(j *job) bool {
		j.worker = p.AcceptedWorkerID
		return false
	})
}

func (s *jobs) bid(w *checker.Worker, keyed bool) *jobCall {
	return s.about(w, bidding, true, keyed, otherStatus.Or(checker.RefusedBy(dynastay.ErrAlreadyExists)),
		func(j *job, c *jobCall, mark string) func(*market) dynastay.Part {
			s.idle(w, j, c)
			return func(m *market) dynastay.Part {
				return m.projects.BidOp(projects.Bid{
					ProjectID: c.project, WorkerID: c.worker, Quote: rands(c.quote), Proposal: mark,
				})
			}
		})
}

func (s *jobs) revise(w *checker.Worker, keyed bool) *jobCall {
	return s.about(w, revising, true, keyed, otherBid, func(j *job, c *jobCall, mark string) func(*market) dynastay.Part {
		s.seen(w, j, c)
		return func(m *market) dynastay.Part {
			return m.projects.ReviseOp(c.project, c.worker, func(b *projects.Bid) error {
				b.Quote, b.Proposal = rands(c.quote), mark
				return nil
			}, dynastay.AgreedOn(mark))
		}
	})
}

// idle takes mostly a worker of whom no bid was seen.
func (s *jobs) idle(w *checker.Worker, j *job, c *jobCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for tries := 0; tries < 3 && j.quotes[c.worker] > 0; tries++ {
		c.worker = fmt.Sprint(masonPrefix, w.Rand.IntN(masons))
	}
}

// seen takes a bid that somebody has seen, if there is one.
func (s *jobs) seen(w *checker.Worker, j *job, c *jobCall) (quote int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(j.quotes) > 0 {
		workers := slices.Sorted(maps.Keys(j.quotes))
		c.worker = workers[w.Rand.IntN(len(workers))]
	}
	return j.quotes[c.worker]
}

func (s *jobs) withdraw(w *checker.Worker, keyed bool) *jobCall {
	return s.about(w, leaving, true, keyed, otherBid, func(j *job, c *jobCall, _ string) func(*market) dynastay.Part {
		s.seen(w, j, c)
		return func(m *market) dynastay.Part { return m.projects.WithdrawOp(c.project, c.worker) }
	})
}

func (s *jobs) accept(w *checker.Worker, keyed bool) *jobCall {
	return s.about(w, hiring, true, keyed, otherBid, func(j *job, c *jobCall, _ string) func(*market) dynastay.Part {
		if quote := s.seen(w, j, c); quote > 0 {
			c.quote = quote
		}
		a := projects.Acceptance{ProjectID: c.project, WorkerID: c.worker, Quote: rands(c.quote)}
		return func(m *market) dynastay.Part { return m.projects.AcceptOp(a) }
	})
}

func (s *jobs) complete(w *checker.Worker, keyed bool) *jobCall {
	return s.about(w, completing, false, keyed, otherStatus,
		func(_ *job, c *jobCall, _ string) func(*market) dynastay.Part {
			c.worker = ""
			return func(m *market) dynastay.Part { return m.projects.CompleteOp(c.project) }
		})
}

// cancel cancels a project, for its buyer, or for a worker who may or may not have got it.
func (s *jobs) cancel(w *checker.Worker, keyed bool) *jobCall {
	return s.about(w, abandoning, w.OneIn(4), keyed, otherStatus.Or(checker.RefusedBy(projects.ErrNotParty)),
		func(j *job, c *jobCall, mark string) func(*market) dynastay.Part {
			s.mu.Lock()
			defer s.mu.Unlock()
			switch by := c.worker; {
			case w.OneIn(3):
				c.by = by
			case j.worker != "" && w.OneIn(2):
				c.by = j.worker
			default:
				c.by = j.client
			}
			c.worker = ""
			return func(m *market) dynastay.Part {
				return m.projects.CancelOp(projects.Cancellation{ProjectID: c.project, By: c.by, Reason: mark})
			}
		})
}

func (s *jobs) rejectRest(w *checker.Worker) {
	if j := s.pick(w, false); j != nil {
		s.reject(w, j.id)
	}
}

// reject stores that bids have lost. That takes several writes, so if it is not acknowledged, some may be done.
func (s *jobs) reject(w *checker.Worker, project string) {
	r := &rest{project: project, Span: checker.Since(w.Moment())}
	s.mu.Lock()
	s.rests = append(s.rests, r)
	s.mu.Unlock()
	rejected := 0
	if w.Call("reject rest", project, "", checker.Never, func(ctx context.Context) (err error) {
		rejected, err = marketOf(w).projects.RejectRest(ctx, project)
		return err
	}) == checker.Acknowledged {
		r.rejected = rejected
	}
}
