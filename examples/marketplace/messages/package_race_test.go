package messages_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

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
