package messages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

func TestMarkRead(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	require.ErrorIs(t, p.repo.MarkRead(t.Context(), ana, ben, 1), dynastay.ErrNotFound)
	_, err := p.repo.Conversation(t.Context(), ana, ben)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	for i := range 4 {
		p.send(ben, ana, fmt.Sprint(i))
	}
	for _, step := range []struct{ upTo, want int }{{0, 0}, {2, 2}, {1, 2}, {2, 2}, {3, 3}, {9, 4}, {9, 4}, {4, 4}, {1, 4}, {0, 4}} {
		p.read(ana, ben, step.upTo)
		c, err := p.repo.Conversation(t.Context(), ana, ben)
		require.NoError(t, err)
		assert.Equal(t, step.want, c.ReadUpTo, "%v", step)
		assert.Equal(t, 4-step.want, c.Unread(), "%v", step)
	}
	p.read(ben, ana, 3)
	assert.Zero(t, p.side(ben, ana).ReadUpTo, "ben has not received anything")
	p.send(ben, ana, "Four")
	assert.Equal(t, 1, p.side(ana, ben).Unread())
}

func TestReadBy(t *testing.T) {
	t.Parallel()
	toAna := messages.Message{SenderID: ben, RecipientID: ana, Number: 2}
	foreign := messages.Message{SenderID: ben, RecipientID: ana}
	wasRead := foreign
	wasRead.Read = true
	side := func(user, other string, readUpTo, unnumbered int) messages.Conversation {
		return messages.Conversation{UserID: user, OtherID: other, Received: 9, ReadUpTo: readUpTo, Unnumbered: unnumbered}
	}
	for i, c := range []struct {
		m    messages.Message
		side messages.Conversation
		want bool
	}{
		{toAna, side(ana, ben, 1, 0), false},
		{toAna, side(ana, ben, 2, 0), true},
		{toAna, side(ana, ben, 3, 0), true},
		{toAna, side(ben, ana, 0, 0), true},
		{toAna, side(ana, "user_c", 3, 0), false},
		{toAna, side(ben, "user_c", 3, 0), false},
		{toAna, side("user_c", ben, 3, 0), false},
		{foreign, side(ana, ben, 0, 0), false},
		{foreign, side(ana, ben, 2, 3), false},
		{foreign, side(ana, ben, 3, 3), true},
		{foreign, side(ana, ben, 4, 3), true},
		{wasRead, side(ana, ben, 2, 3), true},
		{wasRead, side(ana, ben, 0, 0), true},
	} {
		assert.Equal(t, c.want, c.m.ReadBy(&c.side), "case %d", i)
	}
	c := messages.Conversation{Received: 2, ReadUpTo: 3}
	assert.Zero(t, c.Unread())
}
