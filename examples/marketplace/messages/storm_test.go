package messages_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

var stormMessages = flag.Int("storm.messages", 64, "how many messages TestBothWriteAndRead sends")

// checkOrder requires that the messages of a conversation are in the order of their numbers and times, without gaps,
// and that both sides have counted them.
func (p *post) checkOrder() {
	p.t.Helper()
	received := map[string]int{}
	var last time.Time
	ids := map[string]bool{}
	all := p.all(ana, ben)
	for _, m := range all {
		received[m.RecipientID]++
		assert.Equal(p.t, received[m.RecipientID], m.Number, m.Content)
		assert.True(p.t, m.CreatedAt.After(last), m.Content)
		assert.False(p.t, ids[m.ID], m.ID)
		last, ids[m.ID] = m.CreatedAt, true
	}
	for user, other := range map[string]string{ana: ben, ben: ana} {
		c := p.side(user, other)
		require.NotNil(p.t, c)
		assert.Equal(p.t, received[user], c.Received)
		assert.Equal(p.t, last, c.LastAt)
		assert.Equal(p.t, all[len(all)-1].Content, c.LastText)
		unread := 0
		for _, m := range all {
			if m.RecipientID == user && !m.ReadBy(c) {
				unread++
			}
		}
		assert.Equal(p.t, unread, c.Unread())
	}
}

// Both users write and read at the same time, through two servers whose clocks differ by hours and sometimes go back,
// and through conflicts, lost requests and lost answers.
func TestBothWriteAndRead(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.Faults.Conflicts(time.Millisecond)
	p.Faults.Inject(dyntest.AnyOf(dyntest.Conflict(), dyntest.LoseAnswer(), dyntest.LoseRequest()), dyntest.When{
		Operation: "TransactWriteItems", Chance: 0.15,
	})
	repos := []*messages.Repository{p.server(4 * time.Hour), p.server(-3 * time.Hour)}
	again := func(err error) bool {
		return errors.Is(err, dynastay.ErrOutcomeUnknown) || errors.Is(err, dynastay.ErrUnavailable) || errors.Is(err, dynastay.ErrContention)
	}
	var writers, readers sync.WaitGroup
	sent := make(chan *messages.Message, *stormMessages)
	for w := range 4 {
		from, to := ana, ben
		if w%2 == 1 {
			from, to = ben, ana
		}
		writers.Go(func() {
			for n := range *stormMessages / 4 {
				p.Clock.Set(base.Add(time.Duration(rand.IntN(5000)) * time.Millisecond))
				m := messages.Message{SenderID: from, RecipientID: to, Content: fmt.Sprint(w, "-", n)}
				for {
					got, err := repos[(w/2+n)%2].Send(t.Context(), m, dynastay.IdempotencyKey(m.Content))
					if err == nil {
						sent <- got
						break
					}
					if !assert.True(t, again(err), "%v", err) {
						return
					}
				}
			}
		})
	}
	done := make(chan bool)
	marked := map[string]int{} // the largest number that was acknowledged
	var mu sync.Mutex
	for user, other := range map[string]string{ana: ben, ben: ana} {
		for i, repo := range repos {
			readers.Go(func() {
				seen := 0
				for n := 0; ; n++ {
					c, err := repo.Conversation(t.Context(), user, other)
					if err == nil {
						assert.GreaterOrEqual(t, c.ReadUpTo, seen)
						assert.LessOrEqual(t, c.ReadUpTo, c.Received)
						seen = c.ReadUpTo
						upTo := max(0, c.Received-rand.IntN(3))
						if err := repo.MarkRead(t.Context(), user, other, upTo); err == nil {
							mu.Lock()
							marked[user] = max(marked[user], upTo)
							mu.Unlock()
						} else {
							assert.True(t, again(err), "%v", err)
						}
					} else {
						assert.ErrorIs(t, err, dynastay.ErrNotFound)
					}
					select {
					case <-done:
						if i == 0 || n > 0 {
							return
						}
					default:
					}
				}
			})
		}
	}
	writers.Wait()
	close(done)
	readers.Wait()
	close(sent)

	p.checkOrder()
	all := map[string]*messages.Message{}
	for _, m := range p.all(ana, ben) {
		all[m.Content] = m
	}
	assert.Len(t, all, *stormMessages/4*4)
	for m := range sent {
		assert.Equal(t, m, all[m.Content], "as it was acknowledged")
	}
	for user, other := range map[string]string{ana: ben, ben: ana} {
		assert.GreaterOrEqual(t, p.side(user, other).ReadUpTo, marked[user])
	}
}

// The callers of one process queue for a conversation, in both directions, so that they do not conflict.
func TestCallersOfOneProcessQueue(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.Faults.Conflicts(time.Millisecond)
	p.send(ana, ben, "first")
	spent := p.Measure(func() {
		var all sync.WaitGroup
		for i := range 16 {
			from, to := ana, ben
			if i%2 == 0 {
				from, to = ben, ana
			}
			all.Go(func() {
				_, err := p.repo.Send(t.Context(), messages.Message{SenderID: from, RecipientID: to, Content: fmt.Sprint(i)})
				assert.NoError(t, err)
			})
		}
		all.Wait()
	})
	assert.Equal(t, 2*16, spent.Requests)
	p.checkOrder()
}

// Reading does not make a message be prepared again, and a message does not make a mark fail.
func TestReadingDoesNotHoldUpWriting(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.send(ana, ben, "1")
	p.send(ben, ana, "2")
	other := messages.New(p.Open(nil))
	p.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, other.MarkRead(ctx, ana, ben, 1))
		assert.NoError(t, other.MarkRead(ctx, ben, ana, 1))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	spent := p.Measure(func() { p.send(ana, ben, "3") })
	assert.Equal(t, 2+2, spent.Requests)
	assert.Equal(t, 1, p.side(ana, ben).ReadUpTo)
	assert.Equal(t, 1, p.side(ben, ana).ReadUpTo, "the message does not take it back")

	p.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := other.Send(ctx, messages.Message{SenderID: ana, RecipientID: ben, Content: "4"})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	spent = p.Measure(func() { p.read(ben, ana, 2) })
	assert.Equal(t, 1+2, spent.Requests)
	assert.Equal(t, []int{3, 2}, []int{p.side(ben, ana).Received, p.side(ben, ana).ReadUpTo})
	p.checkOrder()
}

// Two messages of two processes at one moment: in one direction, and in both.
func TestTwoMessagesAtTheSameTime(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		for _, from := range []string{ana, ben} {
			p := newPost(t)
			if !first {
				p.send(ben, ana, "0")
			}
			other := messages.New(p.Open(nil))
			p.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				_, err := other.Send(ctx, messages.Message{SenderID: from, RecipientID: map[string]string{ana: ben, ben: ana}[from], Content: "1"})
				assert.NoError(t, err)
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			m := p.send(ana, ben, "2")
			p.checkOrder()
			all := p.all(ana, ben)
			assert.Equal(t, m, all[len(all)-1])
			assert.Equal(t, "1", all[len(all)-2].Content)
		}
	}
}

// The answer to a message is lost, and its caller has no time to ask again. The write ids show that it was sent, also
// if another message came after it. After more messages, only a key can show it.
func TestALostAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		before, after int
		key           bool
		want          error
	}{
		{"first message", 0, 0, false, nil},
		{"first message, and three others", 0, 3, false, nil},
		{"message", 1, 0, false, nil},
		{"message, and another one", 1, 1, false, nil},
		{"message, and two others", 1, 2, false, dynastay.ErrOutcomeUnknown},
		{"message with a key, and two others", 1, 2, true, nil},
	} {
		p := newPost(t)
		for i := range c.before {
			p.send(ben, ana, fmt.Sprint("before ", i))
		}
		other := messages.New(p.Open(nil))
		ctx, cancel := context.WithCancel(t.Context())
		p.Faults.Inject(dyntest.After(func(context.Context) {
			for i := range c.after {
				_, err := other.Send(t.Context(), messages.Message{SenderID: ben, RecipientID: ana, Content: fmt.Sprint("after ", i)})
				assert.NoError(t, err)
			}
			cancel()
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		var opts []dynastay.WriteOption
		if c.key {
			opts = append(opts, dynastay.IdempotencyKey("k"))
		}
		_, err := p.repo.Send(ctx, messages.Message{SenderID: ana, RecipientID: ben, Content: "x"}, opts...)
		assert.ErrorIs(t, err, c.want, c.name)
		p.checkOrder()
		assert.Len(t, p.all(ana, ben), c.before+1+c.after, c.name)
	}
}

// A request is lost, and another message is sent before it is repeated. If it arrived now, it would be refused, so the
// message is prepared again.
func TestALostRequest(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.send(ana, ben, "1")
	other := messages.New(p.Open(nil))
	p.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	p.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := other.Send(ctx, messages.Message{SenderID: ben, RecipientID: ana, Content: "2"})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	assert.Equal(t, 2, p.send(ana, ben, "3").Number)
	p.checkOrder()
	assert.Len(t, p.all(ana, ben), 3)
}

// A mark that is repeated after its answer was lost is done once, and does not take back a later one.
func TestALostAnswerOfAMark(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for i := range 3 {
		p.send(ana, ben, fmt.Sprint(i))
	}
	other := messages.New(p.Open(&dynastay.Options{Idempotency: keys.Table}))
	p.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	p.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, other.MarkRead(ctx, ben, ana, 3))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	p.read(ben, ana, 2)
	assert.Equal(t, 3, p.side(ben, ana).ReadUpTo)
}
