package messages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

func TestSend(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	first, err := p.repo.Send(t.Context(), messages.Message{
		ID: "mine", SenderID: ben, RecipientID: ana, ProjectID: "proj_1", Content: "One", Number: 7, Read: true, CreatedAt: base.AddDate(1, 0, 0),
	})
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(first.ID, "msg_"), first.ID)
	assert.Equal(t, &messages.Message{
		ID: first.ID, SenderID: ben, RecipientID: ana, ProjectID: "proj_1", Content: "One", Number: 1, CreatedAt: base,
	}, first)
	second := p.send(ana, ben, "Two")
	assert.Equal(t, 1, second.Number, "it is the first that ben receives")
	assert.Equal(t, base.Add(time.Millisecond), second.CreatedAt)
	p.Clock.Advance(time.Hour)
	third := p.send(ben, ana, "Three")
	assert.Equal(t, 2, third.Number)
	assert.Equal(t, base.Add(time.Hour), third.CreatedAt)
	assert.NotEqual(t, first.ID, third.ID)

	sent := []*messages.Message{first, second, third}
	assert.Equal(t, sent, itemsOf(t, p.repo.Messages(ana, ben)))
	assert.Equal(t, sent, itemsOf(t, p.repo.Messages(ben, ana)))
	assert.Equal(t, []*messages.Message{third, second, first}, itemsOf(t, p.repo.Recent(ana, ben)))
	assert.Equal(t, &messages.Conversation{
		UserID: ana, OtherID: ben, Received: 2, LastAt: base.Add(time.Hour), LastText: "Three", LastSenderID: ben,
	}, p.side(ana, ben))
	assert.Equal(t, &messages.Conversation{
		UserID: ben, OtherID: ana, Received: 1, LastAt: base.Add(time.Hour), LastText: "Three", LastSenderID: ben,
	}, p.side(ben, ana))
}

// A preview has at most 100 bytes, and no part of a character.
func TestPreview(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for content, want := range map[string]string{
		strings.Repeat("x", 100):               strings.Repeat("x", 100),
		strings.Repeat("x", 101):               strings.Repeat("x", 100),
		strings.Repeat("x", 99) + "é":          strings.Repeat("x", 99),
		strings.Repeat("x", 98) + "é":          strings.Repeat("x", 98) + "é",
		strings.Repeat("x", 98) + "éé":         strings.Repeat("x", 98) + "é",
		"x" + strings.Repeat("\U0001F9F1", 25): "x" + strings.Repeat("\U0001F9F1", 24),
	} {
		p.send(ana, ben, content)
		assert.Equal(t, want, p.side(ben, ana).LastText)
		assert.Equal(t, want, p.side(ana, ben).LastText)
	}
}

// A retry with the key of a call gets the message of that call, also if there are others by now.
func TestReplay(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	m := messages.Message{SenderID: ana, RecipientID: ben, ProjectID: "proj_1", Content: "Once"}
	first, err := p.repo.Send(t.Context(), m, dynastay.IdempotencyKey("k1"))
	require.NoError(t, err)
	p.Clock.Advance(time.Minute)
	p.send(ben, ana, "Meanwhile")
	again, err := p.repo.Send(t.Context(), m, dynastay.IdempotencyKey("k1"))
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Len(t, p.all(ana, ben), 2)
	for _, other := range []messages.Message{
		{SenderID: ana, RecipientID: ben, ProjectID: "proj_1", Content: "Twice"},
		{SenderID: ana, RecipientID: ben, ProjectID: "proj_2", Content: "Once"},
		{SenderID: ana, RecipientID: "user_c", ProjectID: "proj_1", Content: "Once"},
		{SenderID: ben, RecipientID: ana, ProjectID: "proj_1", Content: "Once"},
		{SenderID: "user_c", RecipientID: ben, ProjectID: "proj_1", Content: "Once"},
	} {
		_, err = p.repo.Send(t.Context(), other, dynastay.IdempotencyKey("k1"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
	mark := func(user, other string, upTo int) error {
		return p.DB.Write(t.Context(), p.repo.MarkReadOp(user, other, upTo), dynastay.IdempotencyKey("k2"))
	}
	require.NoError(t, mark(ana, ben, 1))
	require.NoError(t, mark(ana, ben, 1))
	assert.ErrorIs(t, mark(ana, ben, 2), dynastay.ErrIdempotencyMismatch)
	assert.ErrorIs(t, mark(ben, ana, 1), dynastay.ErrIdempotencyMismatch)
}

// Both operations can be part of a larger write, but not of one, because both write the same side.
func TestInOneWrite(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.send(ana, ben, "Question")
	toBen, toC := messages.Message{SenderID: ana, RecipientID: ben, Content: "x"}, messages.Message{SenderID: ana, RecipientID: "user_c", Content: "x"}
	first, second := p.repo.SendOp(toBen), p.repo.SendOp(toC)
	require.NoError(t, p.DB.Write(t.Context(), first, second, p.repo.MarkReadOp("user_c", ben, 0)))
	assert.Equal(t, 2, first.Result().Number)
	assert.Equal(t, 1, second.Result().Number)
	assert.ErrorIs(t, p.DB.Write(t.Context(), p.repo.SendOp(toBen), p.repo.MarkReadOp(ben, ana, 1)), dynastay.ErrInvalid)
}
