package migrate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Walk is what [Mover.Walk] reads, and what it does with each item.
type Walk struct {
	// Name is that under which the position is stored. It must be valid as [key.ID].
	Name string
	// Table is what is read.
	Table *dynastay.Schema
	// Segments is how many parts of the table are walked at the same time, 1 to 1,000, but at most as many as
	// [dynastay.Options.Parallel]. It stays the same until the walk has ended. Default: 1. Not with Partitions, each of which
	// is a segment.
	Segments int
	// Partitions are the partitions that are read instead of the whole table: of Index, or of the table itself if Index is "".
	Partitions []string
	Index      string
	// Page is how many items are read at once, 1 to 1,000. Default: 100.
	Page int
	// Each is called with each item, or with what the index projects of it. It reports whether it has changed something. It
	// must be repeatable, and safe for concurrent use if there are several segments.
	//
	// If it fails because of the item, the walk goes on, and the item counts as refused. It stops for an error that
	// says nothing about the item: of [dynastay.ErrUnavailable], [dynastay.ErrThrottled], [dynastay.ErrContention],
	// [dynastay.ErrOutcomeUnknown] and [dynastay.ErrRejected], and at the end of the context.
	Each func(context.Context, dynastay.Row) (changed bool, err error)
	// Refused is called with each item that counts as refused, and why. Default: nil, nobody is told.
	Refused func(dynastay.Key, error)
	// Progress is called after each page, by one goroutine at a time. Default: nil.
	Progress func(Report)
	// DryRun writes nothing, and begins at the beginning.
	DryRun bool
}

// Report is how far a walk has come, over all of its runs. What was done of a page that an interruption has left unsaved does
// not count, and the page is walked again.
type Report struct {
	Segments int // in all
	Ended    int // segments that have ended
	Walked   int // items
	Changed  int // items that the function has changed, or would change in a dry run
	Refused  int // items that the function has failed for
}

// Done reports whether the walk has ended.
func (r Report) Done() bool { return r.Ended == r.Segments }

func (w *Walk) validate() error {
	switch {
	case w.Table == nil:
		return dynastay.Invalid("Table", "is required")
	case w.Each == nil:
		return dynastay.Invalid("Each", "is required")
	case w.Segments < 0 || w.Segments > 1000:
		return dynastay.Invalid("Segments", "must be between 1 and 1,000")
	case w.Segments > 0 && len(w.Partitions) > 0:
		return dynastay.Invalid("Segments", "must not be given with Partitions, each of which is one")
	case len(w.Partitions) > 1000:
		return dynastay.Invalid("Partitions", "must be at most 1,000")
	case w.Index != "" && len(w.Partitions) == 0:
		return dynastay.Invalid("Partitions", "of the index are required")
	case w.Page < 0 || w.Page > 1000:
		return dynastay.Invalid("Page", "must be between 1 and 1,000")
	}
	_, err := keys.Of(keys.WalkSegment{Walk: w.Name})
	return err
}

// Walk calls a function with each item of a table, from where the last walk of the name has stopped. It returns how far
// it has come, also with an error. It fails with [ErrBudget], [ErrTakenOver], with an error of [Walk.Each] that says
// nothing about the item, or if a read fails; the same call then continues. 1 request and 1 for each segment to begin,
// then 3 for each page, without those of the function.
func (m *Mover) Walk(ctx context.Context, w Walk) (Report, error) {
	if err := w.validate(); err != nil {
		return Report{}, err
	}
	if w.DryRun {
		ctx = context.WithValue(ctx, dryKey{}, true)
	}
	src := m.source(&w)
	all, err := m.begin(ctx, &w, src, m.DB.NewID("run_"))
	if err != nil {
		return Report{}, err
	}
	r := &run{m: m, w: &w, src: src, all: all}
	err = m.DB.Each(ctx, len(all), r.segment)
	return r.report(), err
}

// run is one run of a walk.
type run struct {
	m   *Mover
	w   *Walk
	src source
	mu  sync.Mutex
	all []*position
}

func (r *run) report() Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return reportOf(r.all)
}

func reportOf(all []*position) Report {
	sum := Report{Segments: len(all)}
	for _, p := range all {
		if !p.EndedAt.IsZero() {
			sum.Ended++
		}
		sum.Walked += p.Walked
		sum.Changed += p.Changed
		sum.Refused += p.Refused
	}
	return sum
}

// segment walks a segment to its end.
func (r *run) segment(ctx context.Context, i int) error {
	r.mu.Lock()
	p := *r.all[i]
	r.mu.Unlock()
	for p.EndedAt.IsZero() {
		if err := r.m.wait(ctx); err != nil {
			return err
		}
		rows, after, err := r.src.page(ctx, i, p.After)
		if err != nil {
			return fmt.Errorf("migrate.Walk: %s, segment %d: %w", r.src.text(i), i, err)
		}
		var did Report
		for _, row := range rows {
			if err := r.item(ctx, row, &did); err != nil {
				return err
			}
		}
		advance := func(p *position) {
			p.After = after
			p.Walked += did.Walked
			p.Changed += did.Changed
			p.Refused += did.Refused
			if after == "" {
				p.EndedAt = r.m.DB.Now()
			}
		}
		if r.w.DryRun {
			advance(&p)
		} else if err := r.m.save(ctx, &p, advance); err != nil {
			return err
		}
		r.progress(i, p)
	}
	return nil
}

func (r *run) progress(i int, p position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[i] = &p
	if r.w.Progress != nil {
		r.w.Progress(reportOf(r.all))
	}
}

func (r *run) item(ctx context.Context, row dynastay.Row, did *Report) error {
	if err := r.m.wait(ctx); err != nil {
		return err
	}
	changed, err := r.w.Each(ctx, row)
	did.Walked++
	switch {
	case errors.Is(err, ErrDryRun), err == nil && changed:
		did.Changed++
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case passes(err):
		return err
	default:
		did.Refused++
		if r.w.Refused != nil {
			r.w.Refused(r.w.Table.Key.From(row), err)
		}
	}
	return nil
}

// passes reports whether an error says nothing about the item, so that the same call may succeed later.
func passes(err error) bool {
	for _, kind := range []error{
		dynastay.ErrUnavailable, dynastay.ErrThrottled, dynastay.ErrContention, dynastay.ErrOutcomeUnknown, dynastay.ErrRejected,
		context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
