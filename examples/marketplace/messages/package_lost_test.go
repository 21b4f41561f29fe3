package messages_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

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
