package messages_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

// cost is in requests, read units, and write units on the table and on its indexes.
type cost dyntest.Bill

// The costs in the documentation. Ids are as long as those that the library draws.
func TestCosts(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	a, b := p.NewID("user_"), p.NewID("user_")
	costs := func(what string, want cost, do func() error) {
		t.Helper()
		p.Clock.Advance(time.Minute)
		dyntest.Costs(t, p.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
	send := func(from, to, content string, opts ...dynastay.WriteOption) func() error {
		return func() error {
			_, err := p.repo.Send(t.Context(), messages.Message{SenderID: from, RecipientID: to, ProjectID: p.NewID("proj_"), Content: content}, opts...)
			return err
		}
	}
	mark := func(upTo int) func() error {
		return func() error { return p.repo.MarkRead(t.Context(), b, a, upTo) }
	}
	conversation := func() error { _, err := p.repo.Conversation(t.Context(), b, a); return err }
	page := func(list dynastay.List[*messages.Message]) func() error {
		return func() error { _, err := list.Page(t.Context(), dynastay.Paging{}); return err }
	}
	costs("first message", cost{3, 3, 6, 2}, send(a, b, "One"))
	costs("message", cost{2, 2, 6, 4}, send(a, b, "Two"))
	costs("answer", cost{2, 2, 6, 4}, send(b, a, "Three"))
	costs("long message", cost{2, 2, 10, 4}, send(a, b, strings.Repeat("x", 2048)))
	costs("message with a key", cost{2, 2, 8, 4}, send(a, b, "Four", dynastay.IdempotencyKey("k")))
	costs("MarkRead", cost{1, 0, 2, 1}, mark(2))
	// The engine does not report the 2 units of a refused transaction.
	costs("MarkRead again", cost{1, 0, 0, 0}, mark(2))
	costs("MarkRead of more than there is", cost{2, 0, 2, 1}, mark(9))
	costs("Conversation", cost{1, 1, 0, 0}, conversation)
	costs("Messages, 5 KB", cost{1, 1, 0, 0}, page(p.repo.Messages(a, b)))
	costs("Recent, 5 KB", cost{1, 1, 0, 0}, page(p.repo.Recent(a, b)))
	costs("Inbox", cost{1, 0.5, 0, 0}, func() error {
		_, err := p.repo.Inbox(a).Page(t.Context(), dynastay.Paging{})
		return err
	})
	p.load(foreign(a, b, "2037-11-10T09:00:00Z", "1", no))
	a, b = ana, ben
	p.load(foreign(a, b, "2037-11-10T09:00:00Z", "1", no))
	costs("Conversation of other software", cost{2, 2, 0, 0}, conversation)
	costs("MarkRead in it", cost{4, 3, 4, 2}, mark(1))
}

// A message is written in one transaction of three actions.
func TestOneTransaction(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for range 2 {
		record := p.Faults.Record()
		p.send(ana, ben, "x")
		for _, r := range record() {
			var body struct{ TransactItems []json.RawMessage }
			if r.Operation == "TransactWriteItems" {
				require.NoError(t, json.Unmarshal(r.Body, &body))
				assert.Len(t, body.TransactItems, 3)
			}
		}
	}
}

// The pattern as it is documented.
func TestRequests(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"Messages", func() error {
			_, err := p.repo.Messages(ben, ana).Page(t.Context(), dynastay.Paging{Limit: 20})
			return err
		}, `{
			"TableName": "ProjectKhaya", "Limit": 20, "KeyConditionExpression": "(#0 = :0) AND (begins_with (#1, :1))",
			"ExpressionAttributeNames": {"#0": "PK", "#1": "SK"},
			"ExpressionAttributeValues": {":0": {"S": "CONVERSATION#user_ana#user_ben"}, ":1": {"S": "MESSAGE#"}}
		}`},
		{"Recent", func() error {
			_, err := p.repo.Recent(ben, ana).Page(t.Context(), dynastay.Paging{Limit: 20})
			return err
		}, `{
			"TableName": "ProjectKhaya", "Limit": 20, "KeyConditionExpression": "(#0 = :0) AND (begins_with (#1, :1))",
			"ScanIndexForward": false, "ExpressionAttributeNames": {"#0": "PK", "#1": "SK"},
			"ExpressionAttributeValues": {":0": {"S": "CONVERSATION#user_ana#user_ben"}, ":1": {"S": "MESSAGE#"}}
		}`},
		{"Inbox", func() error { _, err := p.repo.Inbox(ana).Page(t.Context(), dynastay.Paging{Limit: 20}); return err }, `{
			"TableName": "ProjectKhaya", "IndexName": "GSI2", "Limit": 20, "ScanIndexForward": false,
			"KeyConditionExpression": "(#0 = :0) AND (begins_with (#1, :1))", "ExpressionAttributeNames": {"#0": "GSI2PK", "#1": "GSI2SK"},
			"ExpressionAttributeValues": {":0": {"S": "INBOX#user_ana"}, ":1": {"S": "TIMESTAMP#"}}
		}`},
	} {
		record := p.Faults.Record()
		require.NoError(t, c.do(), c.name)
		sent := record()
		require.Len(t, sent, 1, c.name)
		assert.JSONEq(t, c.want, string(sent[0].Body), c.name)
	}
}
