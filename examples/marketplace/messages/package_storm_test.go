package messages_test

import (
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
