package dynastay

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// named is an operation that learns what it contends for while it is prepared.
type named struct {
	name  string
	first []string // what it knows from the start
	then  Contest
	read  func() // after its turn has come
	runs  int
}

func (n *named) op() *Operation[struct{}] {
	spec := OpSpec[struct{}]{
		Name: n.name, Input: func(*Input) {},
		Prepare: func(ctx context.Context, tx *Tx) (struct{}, error) {
			n.runs++
			if err := tx.Contend(ctx, n.then); err != nil {
				return struct{}{}, err
			}
			if n.read != nil {
				n.read()
			}
			for _, ref := range n.then.Items {
				item := nightsSchema.Key.Of(ref.Key)
				item["By"] = str(n.name)
				tx.Put(nightsSchema, item).If(Expr{}, func(Row) error { return errors.New("no room") })
			}
			return struct{}{}, nil
		},
	}
	if n.first != nil {
		spec.Contest = &Contest{Items: gateRefs(n.first...)}
	}
	return NewOp(spec)
}

// An operation that learns from a first read what it contends for waits there for its turn, keeps it until the write
// has ended, and is prepared once: what it reads after its turn has come is current.
func TestContendWaitsForTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &script{}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		other := enterNow(t, &c.db.gates, "a")
		fresh := false
		n := &named{name: "n", then: Contest{Items: gateRefs("a", "b")}, read: func() {
			fresh = true
			assert.Len(t, c.db.gates.open, 2)
		}}
		c.start(t.Context(), "n", n.op())
		assert.Empty(t, c.now(), "it waits")
		assert.False(t, fresh)
		other.leave(nil)
		assert.Equal(t, map[string]error{"n": nil}, c.now())
		assert.Equal(t, 1, n.runs)
		assert.True(t, fresh)
		assertOpen(t, &c.db.gates)
	})
}

// A write does not wait again for an item that it already has its turn for.
func TestContendForWhatIsHeld(t *testing.T) {
	t.Parallel()
	db := (&script{}).open(atOnce)
	n := &named{name: "n", first: []string{"a", "b"}, then: Contest{Items: gateRefs("b")}}
	require.NoError(t, db.Write(t.Context(), n.op()))
	assert.EqualValues(t, 2, db.gates.moves, "one arrival, and a tick for the request")
	assertOpen(t, &db.gates)
}

// Whatever the order in which items are named one after the other, there is no deadlock, and no two writes write an
// item at the same time.
func TestContendExcludesWithoutDeadlock(t *testing.T) {
	items := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(items), 0, 3, rapid.ID)
		var all [][2][]string
		for range rapid.IntRange(2, 6).Draw(t, "writes") {
			all = append(all, [2][]string{some.Draw(t, "first"), some.Draw(t, "then")})
		}
		db := (&script{}).open(atOnce)
		var mu sync.Mutex
		inside := map[string]bool{}
		var group sync.WaitGroup
		for _, w := range all {
			group.Go(func() {
				held := append(slices.Clone(w[0]), w[1]...)
				n := &named{name: "n", first: append([]string{}, w[0]...), then: Contest{Items: gateRefs(w[1]...)}}
				n.read = func() {
					mu.Lock()
					for _, name := range w[1] {
						if inside[name] {
							t.Errorf("two are at %s", name)
						}
						inside[name] = true
					}
					mu.Unlock()
				}
				leave := NewOp(OpSpec[struct{}]{Name: "leave", Prepare: func(context.Context, *Tx) (struct{}, error) {
					mu.Lock()
					defer mu.Unlock()
					for _, name := range w[1] {
						inside[name] = false
					}
					return struct{}{}, nil
				}})
				if err := db.Write(context.Background(), n.op(), leave); err != nil {
					t.Errorf("%v: %v", held, err)
				}
			})
		}
		group.Wait()
		if len(db.gates.open) > 0 {
			t.Fatalf("left shut: %v", db.gates.open)
		}
	})
}

// A refusal also decides, without a request, for operations that are waiting in Contend, but only if their Judge says
// so.
func TestRefusalIsSharedWhereItIsContended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		client := &script{answer: func(n int) error {
			if n == 1 {
				return cancelledBy("ConditionalCheckFailed")
			}
			return nil
		}}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		first := &purchase{name: "first", turn: "a", refusal: errSharedRefusal, preparing: func(int) { <-ready }}
		c.start(t.Context(), "first", first.op())
		judging := func(answer error) func(map[Ref]Row) error {
			return func(map[Ref]Row) error { return answer }
		}
		refused := &named{name: "refused", then: Contest{Items: gateRefs("a"), Judge: judging(errSharedRefusal)}}
		tries := &named{name: "tries", then: Contest{Items: gateRefs("a"), Judge: judging(nil)}}
		c.start(t.Context(), "refused", refused.op())
		c.start(t.Context(), "tries", tries.op())
		close(ready)
		assert.Equal(t, map[string]error{"first": errSharedRefusal, "refused": errSharedRefusal, "tries": nil}, c.now())
		assert.Equal(t, []string{"first", "tries"}, client.by)
		assertOpen(t, &c.db.gates)
	})
}

// A refusal counts only as long as what the operation read before is still so, whether the refusal is its own or that of
// another write. Otherwise, the operation is prepared again.
func TestRefusalOfWhatIsStillSo(t *testing.T) {
	t.Parallel()
	boom := errors.New("unreadable")
	for name, test := range map[string]struct {
		still []bool // the answers, one after another
		err   error  // with each answer
		want  error
		runs  int
		sent  []string
	}{
		"still so":       {[]bool{true}, nil, errSharedRefusal, 1, []string{"first"}},
		"no longer so":   {[]bool{false}, nil, nil, 2, []string{"first", "waits"}},
		"cannot be told": {[]bool{true}, boom, boom, 1, []string{"first"}},
	} {
		t.Run("shared, "+name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ready := make(chan struct{})
				client := &script{answer: func(n int) error {
					if n == 1 {
						return cancelledBy("ConditionalCheckFailed")
					}
					return nil
				}}
				c := &calls{db: client.open(atOnce), ended: map[string]error{}}
				c.start(t.Context(), "first", (&purchase{name: "first", turn: "a", refusal: errSharedRefusal, preparing: func(int) { <-ready }}).op())
				still := test.still
				waits := &named{name: "waits", then: Contest{
					Items: gateRefs("a"),
					Judge: func(map[Ref]Row) error { return errSharedRefusal },
					Still: func(context.Context) (bool, error) {
						now := still[0]
						still = still[1:]
						return now, test.err
					},
				}}
				c.start(t.Context(), "waits", waits.op())
				close(ready)
				assert.Equal(t, test.want, c.now()["waits"])
				assert.Equal(t, test.runs, waits.runs)
				assert.Equal(t, test.sent, client.by)
				assertOpen(t, &c.db.gates)
			})
		})
		t.Run("its own, "+name, func(t *testing.T) {
			t.Parallel()
			client := &script{answer: func(n int) error {
				if n == 1 {
					return cancelledBy("ConditionalCheckFailed")
				}
				return nil
			}}
			db := client.open(atOnce)
			alone := &named{name: "alone", then: Contest{
				Items: gateRefs("a"),
				Judge: func(map[Ref]Row) error { return errSharedRefusal },
				Still: func(context.Context) (bool, error) { return test.still[0], test.err },
			}}
			err := db.Write(t.Context(), alone.op())
			assert.ErrorIs(t, err, test.want)
			assert.Equal(t, test.runs, alone.runs)
			assertOpen(t, &db.gates)
		})
	}
}

// Prepare may ask for another preparation. Each counts as an attempt.
func TestPrepareIsOvertaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		times int
		want  error
	}{{0, nil}, {4, nil}, {5, ErrContention}} {
		db := (&script{}).open(&Options{Retry: Retry{Attempts: 5, Base: 1, Cap: 1}})
		runs := 0
		err := db.Write(t.Context(), NewOp(OpSpec[struct{}]{Name: "test", Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
			if runs++; runs <= test.times {
				return struct{}{}, ErrOvertaken
			}
			item := nightsSchema.Key.Of(gateRef("a").Key)
			item["By"] = str("test")
			tx.Put(nightsSchema, item)
			return struct{}{}, nil
		}}))
		assert.ErrorIs(t, err, test.want, test.times)
		assert.Equal(t, min(test.times+1, 5), runs)
	}
}

// The caller's context may end in the queue. Then nothing was written, and no gates are held.
func TestContextEndsWhereItIsContended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &script{}
		c := &calls{db: client.open(atOnce), ended: map[string]error{}}
		other := enterNow(t, &c.db.gates, "b")
		ctx, cancel := context.WithCancel(t.Context())
		c.start(ctx, "n", (&named{name: "n", first: []string{"a"}, then: Contest{Items: gateRefs("b")}}).op())
		cancel()
		err := c.now()["n"]
		assert.ErrorIs(t, err, ErrContention)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, client.by)
		other.leave(nil)
		assertOpen(t, &c.db.gates)
	})
}

func TestContendWithoutGates(t *testing.T) {
	t.Parallel()
	db := (&script{}).open(&Options{NoGates: true})
	enterNow(t, &db.gates, "a")
	require.NoError(t, db.Write(t.Context(), (&named{name: "n", then: Contest{Items: gateRefs("a")}}).op()))
}

// A write that queued for an item after a conflict keeps its turn when it names more items to contend for.
func TestContendKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	client := &script{answer: func(n int) error {
		if n == 1 {
			return cancelledBy("None", "TransactionConflict")
		}
		return nil
	}}
	db := client.open(atOnce)
	n := &named{name: "n", then: Contest{Items: gateRefs("a")}}
	n.read = func() {
		if n.runs == 2 {
			assert.Len(t, db.gates.open, 3, "a and z, and x, where it was met")
		}
	}
	first := NewOp(OpSpec[struct{}]{Name: "first", Prepare: func(context.Context, *Tx) (struct{}, error) {
		if n.runs == 1 {
			n.then.Items = gateRefs("a", "z") // it contends for another item by now
		}
		return struct{}{}, nil
	}})
	met := NewOp(OpSpec[struct{}]{Name: "met", Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
		item := nightsSchema.Key.Of(gateRef("x").Key)
		tx.Put(nightsSchema, item)
		return struct{}{}, nil
	}})
	require.NoError(t, db.Write(t.Context(), first, n.op(), met))
	assert.Equal(t, 2, n.runs)
	assertOpen(t, &db.gates)
}
