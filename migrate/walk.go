package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
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
	// Export is an export of the table to S3 that is read instead of it: the folder with manifest-summary.json, such as
	// os.DirFS("AWSDynamoDB/01693685827463-2d8752fd"). It must be a full export, in DynamoDB JSON. Each of its data files, up to
	// 1,000, is a segment, and is read twice: first to compare its checksum. Each is called with items as they were when they were
	// exported, so it must read them again before it writes. Not with Segments, Partitions or Index.
	Export fs.FS
	// Page is how many items are read at once, 1 to 1,000. Default: 100.
	Page int
	// Each is called with each item, or with what the index projects of it. It reports whether it has changed something. It
	// must be repeatable, and safe for concurrent use if there are several segments.
	//
	// If it fails because of the item, the walk goes on, and the item counts as refused, and as changed if that is reported too: with
	// [dynastay.ErrCorrupt], [dynastay.ErrInvalid], [dynastay.ErrRefused], [dynastay.ErrNotFound], [dynastay.ErrAlreadyExists] or
	// [dynastay.ErrVersion], or because the item would become too large. For any other error it stops.
	Each func(context.Context, dynastay.Row) (changed bool, err error)
	// Refused is called with each item that counts as refused, and why, by several goroutines if there are several segments.
	// Default: nil, nobody is told.
	Refused func(dynastay.Key, error)
	// Progress is called after each page, by one goroutine at a time. Default: nil.
	Progress func(Report)
	// DryRun writes nothing, and begins at the beginning.
	DryRun bool
}

// Report is how far a walk has come, over all of its runs. What was done of a page whose position could not be saved does
// not count, and the page is walked again.
type Report struct {
	Segments int // in all
	Ended    int // segments that have ended
	Walked   int // items
	Changed  int // items that the function has changed, or would change in a dry run
	Refused  int // items for which the function has failed
}

// Done reports whether the walk has ended.
func (r Report) Done() bool { return r.Segments > 0 && r.Ended == r.Segments }

func (w *Walk) validate() error {
	switch {
	case w.Table == nil:
		return dynastay.Invalid("Table", "is required")
	case w.Each == nil:
		return dynastay.Invalid("Each", "is required")
	case w.Segments < 0 || w.Segments > 1000:
		return dynastay.Invalid("Segments", "must be between 1 and 1,000")
	case w.Export != nil && w.Segments > 0:
		return dynastay.Invalid("Segments", "must not be given with Export, each file of which is one")
	case w.Export != nil && w.Partitions != nil:
		return dynastay.Invalid("Partitions", "must not be given with Export, which is read as a whole")
	case w.Export != nil && w.Index != "":
		return dynastay.Invalid("Index", "must not be given with Export, which has the items of the table")
	case w.Partitions != nil && len(w.Partitions) == 0:
		return dynastay.Invalid("Partitions", "must not be empty; without them, the whole table is read")
	case slices.Contains(w.Partitions, ""):
		return dynastay.Invalid("Partitions", "must have names")
	case w.Index != "" && !slices.ContainsFunc(w.Table.Indexes, func(i dynastay.Index) bool { return i.Name == w.Index }):
		return dynastay.Invalid("Index", "must be one of the table")
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

const usualPage = 100

// page returns how many items are read at once.
func (w *Walk) page() int { return cmp.Or(w.Page, usualPage) }

// Walk calls a function with each item of a table, from where the last walk of the name has stopped. Once it has
// begun, it returns how far it has come, also with an error. It fails with [ErrBudget], with an error of [Walk.Each] that says nothing about the item, or if a read fails;
// another call then continues, after [ErrBudget] that of a new [Mover]. It fails with [dynastay.ErrCorrupt] if a file of [Walk.Export] is
// damaged, and goes on after it was copied again. 1 request to begin, and 1 for each new segment; then 3 for each page, or 2 of an
// export, without those of the function.
func (m *Mover) Walk(ctx context.Context, w Walk) (Report, error) {
	if err := w.validate(); err != nil {
		return Report{}, err
	}
	src, err := m.source(&w)
	if err != nil {
		return Report{}, err
	}
	if w.DryRun {
		ctx = context.WithValue(ctx, dryKey{}, true)
	}
	if err := m.wait(ctx); err != nil {
		return Report{}, err
	}
	all, err := m.begin(ctx, w.Name, src.texts(), w.DryRun)
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
	defer r.src.close(i)
	for p.EndedAt.IsZero() {
		if err := r.m.wait(ctx); err != nil {
			return err
		}
		rows, after, err := r.src.page(ctx, i, p.After)
		if err != nil {
			return fmt.Errorf("migrate.Walk: segment %d: %w", i, err)
		}
		did, stopped := r.page(ctx, rows)
		switch {
		case stopped != nil && did.Walked == 0:
			return stopped
		case stopped != nil:
			after = r.src.after(p.After, rows[:did.Walked])
		}
		if err := r.m.advance(ctx, &p, after, did, stopped == nil && after == ""); err != nil {
			return errors.Join(stopped, err)
		}
		r.progress(i, p)
		if stopped != nil {
			return stopped
		}
	}
	return nil
}

// page calls the function with the items of a page. It returns what was done before an error.
func (r *run) page(ctx context.Context, rows []dynastay.Row) (did Report, err error) {
	for n, row := range rows {
		// The budget allows one item at least, or a page that costs more would be read for nothing again and again.
		if err := r.m.wait(ctx); err != nil && (n > 0 || !errors.Is(err, ErrBudget)) {
			return did, err
		}
		if err := r.item(ctx, row, &did); err != nil {
			return did, err
		}
	}
	return did, nil
}

// grace is how long the position may take to be saved after the context has ended.
const grace = 2 * time.Second

// advance saves what was done.
func (m *Mover) advance(ctx context.Context, p *position, after string, did Report, ended bool) error {
	advance := func(p *position) {
		p.After = after
		p.Walked += did.Walked
		p.Changed += did.Changed
		p.Refused += did.Refused
		if ended {
			p.EndedAt = m.DB.Now()
		}
	}
	if isDry(ctx) {
		advance(p)
		return nil
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
	}
	return m.save(ctx, p, advance)
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
	changed, err := r.w.Each(ctx, row)
	switch {
	case errors.Is(err, ErrDryRun), err == nil && changed:
		did.Changed++
	case err == nil:
	case ofTheItem(err):
		if did.Refused++; changed {
			did.Changed++
		}
		if r.w.Refused != nil {
			r.w.Refused(r.w.Table.Key.From(row), err)
		}
	default:
		return fmt.Errorf("migrate.Walk: %s: %w", shown.Masked(r.w.Table.Key.From(row).String()), err)
	}
	did.Walked++
	return nil
}

// ofTheItem reports whether an error says something about the item. Of any other, such as a missing permission, one does not
// know whether the next item is better off: a walk that went on would end without having done anything.
func ofTheItem(err error) bool {
	for _, kind := range []error{
		dynastay.ErrCorrupt, dynastay.ErrInvalid, dynastay.ErrRefused, dynastay.ErrNotFound, dynastay.ErrAlreadyExists, dynastay.ErrVersion,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	// An item that would become too large, or a key that would become too long, is refused by DynamoDB.
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "ValidationException" {
		return true
	}
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &cancelled) && slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
		return r.Code != nil && (*r.Code == "ValidationError" || *r.Code == "ItemCollectionSizeLimitExceeded")
	})
}
