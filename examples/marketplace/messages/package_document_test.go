package messages_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

// documented is the message of the marketplace document.
const documented = `{
	"PK": "CONVERSATION#buyer123#worker456",
	"SK": "MESSAGE#2025-01-21T12:30:00Z",
	"entityType": "MESSAGE",
	"messageId": "msg456",
	"conversationId": "buyer123#worker456",
	"senderId": "buyer123",
	"recipientId": "worker456",
	"projectId": "proj001",
	"content": "Can you start on February 5th?",
	"read": false,
	"createdAt": "2025-01-21T12:30:00Z"
}`

func TestMessageOfTheDocument(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	item := itemOf(t, documented)
	p.load(item)
	all := itemsOf(t, p.repo.Messages("worker456", "buyer123"))
	want := &messages.Message{
		ID: "msg456", SenderID: "buyer123", RecipientID: "worker456", ProjectID: "proj001",
		Content: "Can you start on February 5th?", CreatedAt: time.Date(2025, 1, 21, 12, 30, 0, 0, time.UTC),
	}
	require.Equal(t, []*messages.Message{want}, all)
	again, err := messages.ItemOf(p.DB.DB, all[0])
	require.NoError(t, err)
	assert.Equal(t, item, again)

	read := maps.Clone(item)
	read["read"] = yes
	p.load(read)
	all = itemsOf(t, p.repo.Messages("worker456", "buyer123"))
	assert.True(t, all[0].Read)
	again, err = messages.ItemOf(p.DB.DB, all[0])
	require.NoError(t, err)
	assert.Equal(t, read, again)
}

// A message is stored as in the document, with its number and its write id, and without what would be false for ever.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.Clock.Advance(250 * time.Millisecond)
	sent, err := p.repo.Send(t.Context(), messages.Message{SenderID: ben, RecipientID: ana, ProjectID: "proj_1", Content: "Hello"})
	require.NoError(t, err)
	get := func(pk, sk string) dynastay.Item {
		row, err := p.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: pk, SK: sk}, dynastay.Consistent)
		require.NoError(t, err)
		item := maps.Clone(row.Item())
		assert.Len(t, row.Value("writeId").Bytes(), 12)
		delete(item, "writeId")
		return item
	}
	text := dynastay.Text
	assert.Equal(t, dynastay.Item{
		"PK": text("CONVERSATION#user_ana#user_ben"), "SK": text("MESSAGE#2037-11-10T09:00:00Z.250"), "entityType": text("MESSAGE"),
		"messageId": text(sent.ID), "conversationId": text("user_ana#user_ben"), "senderId": text(ben), "recipientId": text(ana),
		"projectId": text("proj_1"), "content": text("Hello"), "number": dynastay.Number(1), "createdAt": text("2037-11-10T09:00:00.250Z"),
	}, get("CONVERSATION#user_ana#user_ben", "MESSAGE#2037-11-10T09:00:00Z.250"))
	assert.Equal(t, dynastay.Item{
		"PK": text("USER#user_ana"), "SK": text("CONVERSATION#user_ben"), "entityType": text("CONVERSATION"),
		"GSI2PK": text("INBOX#user_ana"), "GSI2SK": text("TIMESTAMP#2141456400250#user_ben"), "userId": text(ana), "otherId": text(ben),
		"received": dynastay.Number(1), "readUpTo": dynastay.Number(0), "lastAt": text("2037-11-10T09:00:00.250Z"),
		"lastText": text("Hello"), "lastSenderId": text(ben),
	}, get("USER#user_ana", "CONVERSATION#user_ben"))
	assert.Equal(t, dynastay.Number(0), get("USER#user_ben", "CONVERSATION#user_ana")["received"])
}
