package messages_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

func TestInput(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	record := p.Faults.Record()
	send := func(m messages.Message) error { _, err := p.repo.Send(t.Context(), m); return err }
	long := strings.Repeat("x", 129)
	page := func(list dynastay.List[*messages.Message]) error {
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
