package dynastay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// account is an observer that writes down what it is told, and adds up what operations and requests say.
type account struct {
	mu     sync.Mutex
	lines  []string
	sums   dynastay.Ended // of operations that are no parts
	calls  dynastay.Ended // of requests
	orphan int            // requests outside of any operation
}

type inner struct{ *account }

func (a *account) Begin(ctx context.Context, operation string) (context.Context, func(dynastay.Ended)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	indent, _ := ctx.Value(inner{a}).(string)
	a.lines = append(a.lines, indent+operation)
	return context.WithValue(ctx, inner{a}, indent+"  "), func(e dynastay.Ended) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lines = append(a.lines, fmt.Sprintf("%send: %d requests, %s", indent, e.Requests, errText(e.Err)))
		if indent == "" {
			addTo(&a.sums, e)
		}
	}
}

func (a *account) Request(ctx context.Context, c dynastay.Call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	indent, within := ctx.Value(inner{a}).(string)
	if !within {
		a.orphan++
	}
	a.lines = append(a.lines, indent+c.Operation+" "+string(c.Verdict))
	sum := dynastay.Ended{Requests: c.Requests(), ReadUnits: c.ReadUnits(), WriteUnits: c.WriteUnits(), Retries: c.Retries}
	if c.Attempt > 1 {
		sum.Retries++
	}
	switch c.Verdict {
	case dynastay.Conflict:
		sum.Conflicts = 1
	case dynastay.Throttled:
		sum.Throttled = 1
	case dynastay.Lost:
		sum.Lost = 1
	}
	addTo(&a.calls, sum)
}

func addTo(to *dynastay.Ended, e dynastay.Ended) {
	to.Requests += e.Requests
	to.Retries += e.Retries
	to.ReadUnits += e.ReadUnits
	to.WriteUnits += e.WriteUnits
	to.Conflicts += e.Conflicts
	to.Throttled += e.Throttled
	to.Lost += e.Lost
}

func errText(err error) string {
	var failure *dynastay.Error
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &failure) && failure.Kind != nil:
		return failure.Kind.Error()
	}
	return err.Error()
}

func (a *account) told() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	lines := a.lines
	a.lines = nil
	return strings.Join(lines, "\n")
}

// An operation is what a caller called; the writes within it are its parts, unless they have its name.
func TestOperations(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var a account
	db, outbox := openOutbox(t, dynastay.Options{Observer: &a, NewID: func(string) string { return "m" }})
	list := outbox.List(dynastay.Query{Name: "outbox.All/open", Partition: "m"})
	boom := errors.New("boom")
	for _, step := range []struct {
		do   func(ctx context.Context) error
		want string
	}{
		{func(ctx context.Context) error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err },
			"Message.Create\n  PutItem done\nend: 1 requests, done"},
		{func(ctx context.Context) error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err },
			"Message.Create\n  PutItem refused\nend: 1 requests, already exists"},
		{func(ctx context.Context) error { _, err := outbox.Get(ctx, keyOf("m")); return err },
			"Message.Get\n  GetItem done\nend: 1 requests, done"},
		{func(ctx context.Context) error { _, err := outbox.Get(ctx, keyOf("n")); return err },
			"Message.Get\n  GetItem done\nend: 1 requests, not found"},
		{func(ctx context.Context) error { _, err := outbox.GetAll(ctx, []dynastay.Key{keyOf("m")}); return err },
			"Message.GetAll\n  BatchGetItem done\nend: 1 requests, done"},
		{func(ctx context.Context) error { _, err := list.Page(ctx, dynastay.Paging{}); return err },
			"outbox.All\n  Query done\nend: 1 requests, done"},
		{func(ctx context.Context) error {
			loaded := dynastay.Load(list, func(context.Context, []*message) ([]int, error) { return nil, nil })
			_, err := loaded.Page(ctx, dynastay.Paging{})
			return err
		}, "outbox.All\n  Query done\nend: 1 requests, done"},
		{func(ctx context.Context) error {
			_, err := dynastay.QueryAll(ctx, db.DB, outboxTable, dynastay.Query{Partition: "m"})
			return err
		}, "Query Outbox\n  Query done\nend: 1 requests, done"},
		{func(ctx context.Context) error { _, err := db.Get(ctx, outboxTable, keyOf("m")); return err },
			"Get Outbox\n  GetItem done\nend: 1 requests, done"},
		{func(ctx context.Context) error {
			_, err := db.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("m")})
			return err
		}, "GetAll Outbox\n  BatchGetItem done\nend: 1 requests, done"},
		{func(ctx context.Context) error { return db.DeleteAll(ctx, outboxTable, []dynastay.Key{keyOf("x")}) },
			"DeleteAll Outbox\n  BatchWriteItem done\nend: 1 requests, done"},
		{func(ctx context.Context) error {
			return db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
				yield(outboxTable, outboxTable.Key.Of(keyOf("x")))
			})
		}, "PutAll\n  BatchWriteItem done\nend: 1 requests, done"},
		{func(ctx context.Context) error {
			return db.Write(ctx, outbox.CreateOp(&message{ID: "o"}), outbox.DeleteOp(keyOf("m")))
		}, "Message.Create + Message.Delete\n  TransactWriteItems done\nend: 1 requests, done"},
		{func(ctx context.Context) (err error) {
			ctx, end := db.Begin(ctx, "desk.Tidy")
			defer func() { end(err) }()
			for range list.All(ctx) {
			}
			if _, err = outbox.Get(ctx, keyOf("o")); err != nil {
				return err
			}
			if err = outbox.Delete(ctx, keyOf("o")); err != nil {
				return err
			}
			return boom
		}, "desk.Tidy\n  Query done\n  GetItem done\n  Message.Delete\n    DeleteItem done\n  end: 1 requests, done\nend: 3 requests, boom"},
		{func(ctx context.Context) (err error) {
			ctx, end := db.Begin(ctx, "Message.Create")
			defer func() { end(err) }()
			_, err = outbox.Create(ctx, &message{ID: "p"})
			return err
		}, "Message.Create\n  PutItem done\nend: 1 requests, done"},
	} {
		err := step.do(ctx)
		assert.Equal(t, step.want, a.told())
		_, end, _ := strings.Cut(step.want[strings.LastIndex(step.want, "end:"):], ", ")
		assert.Equal(t, end, errText(err))
	}
	assert.Zero(t, a.orphan)
	assert.Equal(t, a.calls, a.sums)

	// The requests of another DB are not of this operation: it may have another observer.
	var b account
	other := entity.NewTable(db.Open(&dynastay.Options{Observer: &b}), messageEntity)
	inDB, end := db.Begin(ctx, "desk.Both")
	_, err := other.Get(inDB, keyOf("p"))
	require.NoError(t, err)
	end(nil)
	assert.Equal(t, "desk.Both\nend: 0 requests, done", a.told())
	assert.Equal(t, "Message.Get\n  GetItem done\nend: 1 requests, done", b.told())
}

// All are told, from the outside in at a beginning, and from the inside out at an end.
func TestObservers(t *testing.T) {
	t.Parallel()
	var lines []string
	of := func(name string) dynastay.Observer { return lettered{name, &lines} }
	_, outbox := openOutbox(t, dynastay.Options{Observer: dynastay.Observers(of("a"), of("b"))})
	_, err := outbox.Get(t.Context(), keyOf("m"))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, []string{"a begins", "b begins in a", "a: GetItem in a in b", "b: GetItem in a in b", "b ends", "a ends"}, lines)
}

type lettered struct {
	name  string
	lines *[]string
}

type way struct{}

func (n lettered) Begin(ctx context.Context, _ string) (context.Context, func(dynastay.Ended)) {
	in, _ := ctx.Value(way{}).(string)
	*n.lines = append(*n.lines, n.name+" begins"+in)
	return context.WithValue(ctx, way{}, in+" in "+n.name), func(dynastay.Ended) { *n.lines = append(*n.lines, n.name+" ends") }
}

func (n lettered) Request(ctx context.Context, c dynastay.Call) {
	in, _ := ctx.Value(way{}).(string)
	*n.lines = append(*n.lines, n.name+": "+c.Operation+in)
}

// In a storm, each request is told once, within an operation, and operations and requests say the same as the wire.
func TestOperationsAccountForEveryRequest(t *testing.T) {
	t.Parallel()
	var a account
	db, outbox := openOutbox(t, dynastay.Options{Observer: &a})
	for _, fault := range []dyntest.Fault{
		dyntest.Throttle(), dyntest.Conflict(), dyntest.LoseAnswer(), dyntest.InternalError(), dyntest.InternalErrorAfterCommit(),
	} {
		db.Faults.Inject(fault, dyntest.When{Chance: 0.05})
	}
	spent := db.Measure(func() {
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				for i := range 20 {
					id := fmt.Sprintf("%d-%d", worker, i%5)
					_, _ = outbox.Create(t.Context(), &message{ID: id}) // each of these may fail: the faults are many
					_, _ = outbox.Update(t.Context(), keyOf("0-0"), func(m *message) error { m.Sent++; return nil })
					_, _ = outbox.GetAll(t.Context(), []dynastay.Key{keyOf(id), keyOf("0-0")})
					_ = db.Write(t.Context(), outbox.DeleteOp(keyOf(id)), outbox.PutOp(&message{ID: id + "x"}))
				}
			})
		}
		wg.Wait()
	})
	assert.Zero(t, a.orphan)
	assert.Equal(t, a.calls, a.sums)
	assert.Equal(t, spent.Requests, a.sums.Requests)
	assert.InDelta(t, spent.ReadUnits, a.sums.ReadUnits, 1e-6)
	assert.LessOrEqual(t, a.sums.WriteUnits, spent.WriteUnits, "an answer that is lost does not say what it cost")
	assert.NotZero(t, a.sums.Conflicts)
	assert.NotZero(t, a.sums.Throttled)
	assert.NotZero(t, a.sums.Lost)
}

// An operation ends with the error that its caller gets, also a page with rows that cannot be read, and also if it panics.
func TestEndOfAPage(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var ended []dynastay.Ended
	db, outbox := openOutbox(t, dynastay.Options{Observer: endings{&ended}})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	for name, decode := range map[string]func() error{
		"done": func() error { return nil }, "unreadable": func() error { return errors.New("not a message") },
		"panic": func() error { panic("boom") },
	} {
		ended = nil
		list := dynastay.ListOf(db.DB, outboxTable, dynastay.Query{Name: "outbox.Odd", Partition: "m"},
			func(context.Context, dynastay.Row) (string, error) { return "", decode() })
		var err error
		func() {
			defer func() { _ = recover() }()
			_, err = list.Page(ctx, dynastay.Paging{})
		}()
		require.Len(t, ended, 1, name)
		assert.Equal(t, err != nil, ended[0].Err != nil, name)
		assert.Equal(t, name == "unreadable", errors.Is(ended[0].Err, dynastay.ErrCorrupt), name)
	}
}

// endings keeps how operations ended.
type endings struct{ all *[]dynastay.Ended }

func (e endings) Begin(ctx context.Context, _ string) (context.Context, func(dynastay.Ended)) {
	return ctx, func(one dynastay.Ended) { *e.all = append(*e.all, one) }
}

func (endings) Request(context.Context, dynastay.Call) {}

// What uses the context of an operation that has ended is an operation of its own.
func TestAfterTheEnd(t *testing.T) {
	t.Parallel()
	var a account
	db, outbox := openOutbox(t, dynastay.Options{Observer: dynastay.Observers(nil, dynastay.RequestObserver(nil), &a)})
	ctx, end := db.Begin(t.Context(), "desk.Tidy")
	end(nil)
	end(errors.New("again"))
	_, err := outbox.Get(ctx, keyOf("m"))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, "desk.Tidy\nend: 0 requests, done\n  Message.Get\n    GetItem done\n  end: 1 requests, not found", a.told())
}

// teller keeps what it is told of operations that are no parts.
type teller struct {
	mu         sync.Mutex
	operations []string
	sum        dynastay.Ended
}

type within struct{}

func (w *teller) Begin(ctx context.Context, operation string) (context.Context, func(dynastay.Ended)) {
	if ctx.Value(within{}) != nil {
		return ctx, func(dynastay.Ended) {}
	}
	return context.WithValue(ctx, within{}, true), func(e dynastay.Ended) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.operations = append(w.operations, operation)
		w.sum.Requests += e.Requests
		w.sum.ReadUnits += e.ReadUnits
		w.sum.WriteUnits += e.WriteUnits
	}
}

func (*teller) Request(context.Context, dynastay.Call) {}

func (w *teller) forget() { w.operations, w.sum = nil, dynastay.Ended{} }
