package messages_test

import (
	"errors"
	"fmt"
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

func TestPages(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for i := range 5 {
		p.send(ana, ben, fmt.Sprint(i))
	}
	page, err := p.repo.Recent(ben, ana).Page(t.Context(), dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, "4", page.Items[0].Content)
	page, err = p.repo.Recent(ana, ben).Page(t.Context(), dynastay.Paging{Limit: 2, After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, "2", page.Items[0].Content)
	_, err = p.repo.Messages(ana, ben).Page(t.Context(), dynastay.Paging{After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

func TestInbox(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for i, other := range []string{"user_c", ben, "user_a"} {
		p.send(other, ana, "Hello "+fmt.Sprint(i))
		p.Clock.Advance(time.Millisecond)
	}
	p.send(ana, "user_c", "Hello yourself")
	p.send(ben, "user_a", "Not for Ana")
	inbox := itemsOf(t, p.repo.Inbox(ana))
	var others []string
	for _, c := range inbox {
		others = append(others, c.OtherID)
		assert.Equal(t, 1, c.Unread())
	}
	assert.Equal(t, []string{"user_c", "user_a", ben}, others)
	assert.Equal(t, "Hello yourself", inbox[0].LastText)
	assert.Equal(t, ana, inbox[0].LastSenderID)
	p.read(ana, ben, 1)
	assert.Zero(t, itemsOf(t, p.repo.Inbox(ana))[2].Unread(), "the index has what was read")
	assert.Empty(t, itemsOf(t, p.repo.Inbox("user_z")))
}

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

// A replay reads consistently: the message may have been written a moment ago.
func TestReplayReadsConsistently(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	m := messages.Message{SenderID: ana, RecipientID: ben, Content: "Once"}
	_, err := p.repo.Send(t.Context(), m, dynastay.IdempotencyKey("k1"))
	require.NoError(t, err)
	record := p.Faults.Record()
	_, err = p.repo.Send(t.Context(), m, dynastay.IdempotencyKey("k1"))
	require.NoError(t, err)
	reads := 0
	for _, r := range record() {
		if r.Operation == "GetItem" {
			reads++
			assert.Contains(t, string(r.Body), `"ConsistentRead":true`)
		}
	}
	assert.NotZero(t, reads)
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

func TestInput(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	record := p.Faults.Record()
	send := func(m messages.Message) error { _, err := p.repo.Send(t.Context(), m); return err }
	long := strings.Repeat("x", 129)
	page := func(list dynastay.Listing[*messages.Message]) error {
		_, err := list.Page(t.Context(), dynastay.Paging{})
		return err
	}
	conversation := func(user, other string) error { _, err := p.repo.Conversation(t.Context(), user, other); return err }
	inbox := func(user string) error { _, err := p.repo.Inbox(user).Page(t.Context(), dynastay.Paging{}); return err }
	mark := func(user, other string, upTo int) error { return p.repo.MarkRead(t.Context(), user, other, upTo) }
	for i, c := range []struct {
		field string
		err   error
	}{
		{"SenderID", send(messages.Message{RecipientID: ben, Content: "x"})},
		{"SenderID", send(messages.Message{SenderID: "a#b", RecipientID: ben, Content: "x"})},
		{"RecipientID", send(messages.Message{SenderID: ana, Content: "x"})},
		{"RecipientID", send(messages.Message{SenderID: ana, RecipientID: long, Content: "x"})},
		{"RecipientID", send(messages.Message{SenderID: ana, RecipientID: ana, Content: "x"})},
		{"ProjectID", send(messages.Message{SenderID: ana, RecipientID: ben, ProjectID: "a#b", Content: "x"})},
		{"Content", send(messages.Message{SenderID: ana, RecipientID: ben})},
		{"Content", send(messages.Message{SenderID: ana, RecipientID: ben, Content: " \n"})},
		{"Content", send(messages.Message{SenderID: ana, RecipientID: ben, Content: strings.Repeat("x", 2049)})},
		{"Content", send(messages.Message{SenderID: ana, RecipientID: ben, Content: "\xff"})},
		{"UserID", page(p.repo.Messages("", ben))},
		{"OtherID", page(p.repo.Messages(ana, "a#b"))},
		{"OtherID", page(p.repo.Messages(ana, ana))},
		{"UserID", page(p.repo.Recent(long, ben))},
		{"OtherID", page(p.repo.Recent(ana, ana))},
		{"UserID", conversation("", ben)},
		{"OtherID", conversation(ana, "")},
		{"OtherID", conversation(ana, ana)},
		{"UserID", inbox("")},
		{"UserID", inbox("a#b")},
		{"UserID", mark("", ben, 1)},
		{"OtherID", mark(ana, "", 1)},
		{"OtherID", mark(ana, ana, 1)},
		{"UpTo", mark(ana, ben, -1)},
		{"OtherID", mark(ana, "", -1)},
	} {
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, c.err, &invalid, "case %d", i) {
			assert.Equal(t, c.field, invalid.Field, "case %d", i)
		}
	}
	assert.Empty(t, record())
	assert.NoError(t, send(messages.Message{SenderID: ana, RecipientID: long[1:], Content: strings.Repeat("x", 2048)}))
}

// Stored values that cannot be used are not errors of the caller.
func TestCorruptItems(t *testing.T) {
	t.Parallel()
	corrupt := func(err error) {
		t.Helper()
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.False(t, errors.Is(err, dynastay.ErrInvalid), "%v", err)
	}
	for _, at := range []string{"2300-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "some time"} {
		p := newPost(t)
		p.load(foreign(ben, ana, at, "x", no))
		if at != "some time" { // the first message gets a time, and the conversation with it
			_, err := p.repo.Send(t.Context(), messages.Message{SenderID: ana, RecipientID: ben, Content: "x"})
			corrupt(err)
			assert.Len(t, itemsOf(t, p.repo.Messages(ana, ben)), 1)
		}
		corrupt(p.repo.MarkRead(t.Context(), ana, ben, 1))
		assert.Nil(t, p.side(ana, ben))
	}
	p := newPost(t)
	p.load(dynastay.Item{
		"PK": dynastay.Text("USER#" + ana), "SK": dynastay.Text("CONVERSATION#" + ben), "received": dynastay.Text("many"),
	})
	corrupt(p.repo.MarkRead(t.Context(), ana, ben, 1))
	_, err := p.repo.Send(t.Context(), messages.Message{SenderID: ana, RecipientID: ben, Content: "x"})
	corrupt(err)
	_, err = p.repo.Send(t.Context(), messages.Message{SenderID: ben, RecipientID: ana, Content: "x"})
	corrupt(err)
	_, err = p.repo.Conversation(t.Context(), ana, ben)
	corrupt(err)
}

// The clock of a server that stands still, goes back, or is hours ahead of another one does not change the order.
func TestClocks(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	ahead, behind := p.server(5*time.Hour), p.server(-5*time.Hour)
	var sent []*messages.Message
	for i, repo := range []*messages.Repository{behind, ahead, behind, p.repo, ahead, p.repo, behind} {
		if i == 4 {
			p.Clock.Set(base.AddDate(0, 0, -1))
		}
		from, to := ana, ben
		if i%3 == 0 {
			from, to = ben, ana
		}
		m, err := repo.Send(t.Context(), messages.Message{SenderID: from, RecipientID: to, Content: fmt.Sprint(i)})
		require.NoError(t, err)
		sent = append(sent, m)
	}
	assert.Equal(t, sent, p.all(ana, ben))
	assert.Equal(t, base.Add(-5*time.Hour), sent[0].CreatedAt)
	for i, m := range sent[1:] {
		assert.Equal(t, base.Add(5*time.Hour).Add(time.Duration(i)*time.Millisecond), m.CreatedAt)
	}
	p.Clock.Set(base.AddDate(0, 0, 1))
	assert.Equal(t, base.AddDate(0, 0, 1), p.send(ana, ben, "later").CreatedAt)
	assert.Equal(t, "later", itemsOf(t, p.repo.Inbox(ana))[0].LastText)
}
