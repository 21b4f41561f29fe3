package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
)

// Options are the options of [Look] and [Apply]. Nil means the defaults.
type Options struct {
	// Named are the names of the differences with [ByName] that Apply makes disappear, see [Difference.Name].
	Named []string
	// Progress is called before each change, while DynamoDB is at work on it, and after it, by one goroutine at a time.
	Progress func(Progress)
	// Scaling reports what target tracking does. Default: nil, it is not compared.
	Scaling Scaling
}

func (o *Options) orDefault() *Options {
	if o == nil {
		return &Options{}
	}
	return o
}

// Progress is how far a change is.
type Progress struct {
	Difference Difference `json:",omitzero"`
	State      State
}

// State is how far a change is.
type State string

// The states of a change.
const (
	Begun   State = "begun"   // its request is sent next
	Waiting State = "waiting" // DynamoDB is at work on it
	Done    State = "done"
)

// Apply creates the tables that do not exist, and changes the others to be as they must be, all tables at the same time,
// and one setting or index of each after another. It returns a [*TableError] for each table that still differs, joined,
// with what is left for people to decide or to do. A table with another key, or that DynamoDB does not serve or that has
// no transactions, is another table, and Apply changes nothing of it.
//
// Apply waits for what DynamoDB does in the background, which takes hours for an index of a large table. Bound it with
// the context. Whether it is interrupted or fails, run it again.
func Apply(ctx context.Context, control Control, tables []Table, opts *Options) error {
	opts = opts.orDefault()
	for i, t := range tables {
		err := t.Check()
		if err == nil && slices.ContainsFunc(tables[:i], func(other Table) bool { return other.Name == t.Name }) {
			err = dynastay.Invalid("Name", "must not be %q again", t.Name)
		}
		if err != nil {
			return dynastay.Within(fmt.Sprintf("tables[%d]", i), err)
		}
	}
	var all sync.WaitGroup
	var one sync.Mutex // lets one goroutine at a time report
	errs := make([]error, len(tables))
	for i, t := range tables {
		a := &application{t: t, control: control, opts: opts, report: func(d Difference, s State) {
			if opts.Progress != nil {
				one.Lock()
				defer one.Unlock()
				opts.Progress(Progress{d, s})
			}
		}}
		all.Go(func() { errs[i] = a.run(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// application is the work on one table.
type application struct {
	t       Table
	control Control
	opts    *Options
	report  func(Difference, State)

	accepted []string // the differences whose changes DynamoDB has accepted, each once
}

// run makes one change after another, each from a look at the table: what other programs have changed in the meantime is
// no reason to fail, and what an earlier run has begun goes on.
func (a *application) run(ctx context.Context) error {
	r, err := a.look(ctx, Difference{})
	for err == nil {
		next := slices.IndexFunc(r.Differences, a.may)
		if next < 0 || slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.foreign }) {
			break
		}
		r, err = a.make(ctx, r.Differences[next])
	}
	switch {
	case err != nil:
		return fmt.Errorf("table %s: %w", a.t.Name, err)
	case len(r.Differences) > 0:
		return &TableError{a.t.Name, r.Differences}
	}
	return nil
}

// may reports whether a difference may be changed. One that is there again, or still, after DynamoDB has accepted its change
// is left to people: something works against it, and making it again could go on forever.
func (a *application) may(d Difference) bool {
	return (d.Mend == ByApply || d.Mend == ByName && slices.Contains(a.opts.Named, d.Name())) && !slices.Contains(a.accepted, d.String())
}

// look looks at the table as soon as DynamoDB has nothing in progress with it.
func (a *application) look(ctx context.Context, change Difference) (*Report, error) {
	for wait := (pace{}); ; {
		s, err := see(ctx, a.control, a.t)
		if err != nil {
			return nil, err
		}
		if s.settled() {
			return a.opts.compare(ctx, a.t, s)
		}
		if change.change != nil {
			a.report(change, Waiting)
		}
		if err := wait.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// looks is how often Apply looks for a change that DynamoDB has accepted, within half a minute: what DynamoDB describes may
// be a little old.
const looks = 14

// make makes a change, and returns what the table is like afterwards. An error counts only if the difference is still
// there: the change may have been made by a request whose response was lost, or by another program.
func (a *application) make(ctx context.Context, d Difference) (*Report, error) {
	a.report(d, Begun)
	failed := d.change(ctx, a.control)
	var wait pace
	for n := 1; ; n++ {
		r, err := a.look(ctx, d)
		if err != nil {
			return nil, errors.Join(err, failed)
		}
		still := slices.ContainsFunc(r.Differences, func(now Difference) bool { return now.String() == d.String() })
		switch {
		case !still:
			a.accepted = append(a.accepted, d.String())
			a.report(d, Done)
			return r, nil
		case failed != nil && !busy(failed):
			return nil, fmt.Errorf("%s: %w", d.Setting, failed)
		case failed == nil && n == looks:
			a.accepted = append(a.accepted, d.String())
			return r, nil
		}
		if err := wait.wait(ctx); err != nil {
			return nil, errors.Join(err, failed)
		}
		if failed != nil {
			failed = d.change(ctx, a.control)
		}
	}
}
