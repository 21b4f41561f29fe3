package migrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Load is the file that [Mover.Load] reads, and what becomes of its lines.
type Load struct {
	// Name is that under which the position is stored. It must be valid as [key.ID]. Loads and walks have different names.
	Name string
	// Lines are what the lines of the file are, such as [Bookings].
	Lines Lines
	// Open opens the file, from its beginning. It is called twice: before the first line is written, all are checked.
	Open func() (io.ReadCloser, error)
	// CSV means that the file has comma-separated values, under a header with the names of the fields. Default: JSON Lines.
	CSV bool
	// Page is how many lines are written between two positions, 1 to 1,000; at most [dynastay.Options.Parallel] of them at
	// once, those of [Nights] and [NightChanges] one after the other. Default: 100.
	Page int
	// SkipInvalid loads the other lines of a file that has invalid ones, instead of none. Default: false.
	SkipInvalid bool
	// Refused is called with each line that counts as refused, one at a time. Default: nil, nobody is told.
	Refused func(LineError)
	// Progress is called after each page, by one goroutine at a time. Default: nil.
	Progress func(Loaded)
	// DryRun checks all lines, and writes nothing. What depends on the date, on the rooms that are left, or on what exists is
	// found by the load only.
	DryRun bool
}

// Loaded is how far a load has come, over all of its runs.
type Loaded struct {
	Lines   int // with something in them, without the header of CSV
	Written int
	There   int // which an earlier run, or somebody else, has already written
	Refused int // invalid ones, and those that a repository has refused, such as bookings without rooms
	Done    bool
}

// LineError is why a line is not loaded, or cannot be read.
type LineError struct {
	Line int // of the file, from 1
	Err  error
}

// Error names the line and the reason, with the field if there is one.
func (e LineError) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e LineError) Unwrap() error { return e.Err }

// InvalidLinesError means that a file has invalid lines. Nothing was written. It matches [dynastay.ErrInvalid].
type InvalidLinesError struct {
	Count int
	Lines []LineError // the first 1,000
}

// Error names the first ones.
func (e *InvalidLinesError) Error() string {
	const shown = 3
	var all []string
	for _, line := range e.Lines[:min(shown, len(e.Lines))] {
		all = append(all, line.Error())
	}
	if e.Count > len(all) {
		all = append(all, fmt.Sprintf("and %d more", e.Count-len(all)))
	}
	return fmt.Sprintf("nothing was loaded, invalid lines: %d: %s", e.Count, strings.Join(all, "; "))
}

// Is makes it match [dynastay.ErrInvalid].
func (*InvalidLinesError) Is(target error) bool { return target == dynastay.ErrInvalid }

const mostInvalid = 1000

func (l *Load) validate() error {
	switch {
	case l.Lines.blank == nil:
		return dynastay.Invalid("Lines", "is required")
	case l.Open == nil:
		return dynastay.Invalid("Open", "is required")
	case l.Page < 0 || l.Page > 1000:
		return dynastay.Invalid("Page", "must be between 1 and 1,000")
	}
	if l.Page == 0 {
		l.Page = usualPage
	}
	l.Lines.complete = l.Lines.begin()
	_, err := keys.Of(keys.WalkSegment{Walk: l.Name})
	return err
}

// Load writes what the lines of a file say, from where the last load of the name has stopped. First it checks all lines, and if
// any of them is invalid, it fails with an [*InvalidLinesError] and writes nothing. A line that a repository refuses counts as
// refused, and the load goes on.
//
// What a line creates has an id of its own, so a line that is loaded again writes nothing: it counts as There, if what exists was
// created at the time that the line says, and as refused otherwise. It fails with [ErrBudget], or with an error that
// says nothing about the line; another call then continues, with the same file. After a load has ended, it does nothing.
//
// 2 requests to begin, and those that the check of the lines needs; then 2 for each page, without those of the lines.
func (m *Mover) Load(ctx context.Context, l Load) (Loaded, error) {
	if err := l.validate(); err != nil {
		return Loaded{}, err
	}
	checked, err := m.check(ctx, &l)
	if err != nil {
		return Loaded{Lines: checked.lines, Refused: checked.count}, err
	}
	if l.DryRun {
		return Loaded{Lines: checked.lines, Refused: checked.count}, nil
	}
	all, err := m.begin(ctx, l.Name, []string{"load " + l.Lines.kind + " " + checked.sum}, false)
	if err != nil {
		return Loaded{}, err
	}
	r := &loading{m: m, l: &l, at: all[0], invalid: checked.invalid}
	err = r.run(ctx)
	return r.report(), err
}

// loading is one run of a load.
// See docs/decisions/0034-loads.md for why the file is read twice.
type loading struct {
	m       *Mover
	l       *Load
	at      *position
	invalid map[int]error // by line
}

func (r *loading) report() Loaded {
	p := r.at
	return Loaded{Lines: p.Walked, Written: p.Changed, Refused: p.Refused, There: p.Walked - p.Changed - p.Refused, Done: !p.EndedAt.IsZero()}
}

func (r *loading) run(ctx context.Context) error {
	for r.at.EndedAt.IsZero() {
		if err := r.from(ctx, r.at.Walked); err != nil {
			return err
		}
	}
	return nil
}

// from writes the lines after some that are done, as long as nobody else moves the position.
func (r *loading) from(ctx context.Context, done int) error {
	file, err := r.l.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	lines := linesOf(r.l, file)
	for range done {
		if _, err := lines.next(); err != nil {
			return fmt.Errorf("migrate.Load: the file has changed since it was checked: %w", err)
		}
	}
	for r.at.EndedAt.IsZero() && r.at.Walked == done {
		page, ended, err := lines.page(r.l.Page)
		if err != nil {
			return err
		}
		if err := r.page(ctx, page, ended); err != nil {
			return err
		}
		done += len(page)
	}
	return nil
}

// page writes some lines. If it is stopped, what was done before the first line that was not done counts. What was done after
// it will be found to be there.
func (r *loading) page(ctx context.Context, page []line, ended bool) error {
	done := make([]outcome, len(page))
	var halted atomic.Bool // no line is begun any more, but those that were are finished: the first one counts only then
	stopped := r.each(ctx, len(page), func(ctx context.Context, i int) error {
		if i > 0 && halted.Load() {
			return nil
		}
		// The budget allows one line at least, or a page would never be begun.
		if err := r.m.wait(ctx); err != nil && (i > 0 || !errors.Is(err, ErrBudget)) {
			done[i].stop = err
		} else {
			done[i] = r.line(ctx, page[i])
		}
		if done[i].stop != nil {
			halted.Store(true)
		}
		return nil
	})
	for _, one := range done {
		if stopped == nil {
			stopped = one.stop
		}
	}
	var did Report
	var refused []LineError
	for i, one := range done {
		if !one.done {
			break
		}
		did.Walked++
		switch {
		case one.refused != nil:
			did.Refused++
			refused = append(refused, LineError{page[i].number, one.refused})
		case one.written:
			did.Changed++
		}
	}
	if did.Walked == 0 && !(ended && stopped == nil) {
		return stopped
	}
	after := strconv.Itoa(r.at.Walked + did.Walked)
	if err := r.m.advance(ctx, r.at, after, did, ended && stopped == nil); err != nil {
		return errors.Join(stopped, err)
	}
	for _, line := range refused {
		if r.l.Refused != nil {
			r.l.Refused(line)
		}
	}
	if r.l.Progress != nil {
		r.l.Progress(r.report())
	}
	return stopped
}

// each calls a function for each line of a page.
func (r *loading) each(ctx context.Context, n int, do func(context.Context, int) error) error {
	if !r.l.Lines.ordered {
		return r.m.DB.Each(ctx, n, do)
	}
	for i := range n {
		if err := do(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what became of a line.
type outcome struct {
	done, written bool
	refused, stop error
}

func (r *loading) line(ctx context.Context, l line) outcome {
	if err := r.invalid[l.number]; err != nil {
		return outcome{done: true, refused: err}
	}
	v, err := r.l.Lines.read(ctx, l)
	written := false
	if err == nil {
		written, err = r.l.Lines.write(ctx, v)
	}
	switch {
	case err == nil:
		return outcome{done: true, written: written}
	case ofTheItem(err):
		return outcome{done: true, refused: err}
	}
	return outcome{stop: fmt.Errorf("migrate.Load: %w", LineError{l.number, err})}
}
