package messages_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

// Local engines always read consistently, so only the requests show whether DynamoDB would.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	send := func() error {
		_, err := p.repo.Send(t.Context(), messages.Message{SenderID: ana, RecipientID: ben, Content: "x"})
		return err
	}
	p.load(foreign("user_c", ana, "2037-11-10T08:00:00Z", "1", no), foreign("user_d", ana, "2037-11-10T08:00:00Z", "1", no))
	for _, call := range []struct {
		name string
		want []string
		do   func() error
	}{
		{"first Send", []string{"BatchGetItem", "Query", "TransactWriteItems"}, send},
		{"Send", []string{"BatchGetItem", "TransactWriteItems"}, send},
		{"MarkRead", []string{"TransactWriteItems"}, func() error { return p.repo.MarkRead(t.Context(), ben, ana, 1) }},
		{"first MarkRead", []string{"TransactWriteItems", "BatchGetItem", "Query", "TransactWriteItems"}, func() error {
			return p.repo.MarkRead(t.Context(), ana, "user_c", 1)
		}},
		{"Conversation", []string{"GetItem"}, func() error { _, err := p.repo.Conversation(t.Context(), ben, ana); return err }},
		{"Conversation that was not counted", []string{"GetItem", "Query"}, func() error {
			_, err := p.repo.Conversation(t.Context(), ana, "user_d")
			return err
		}},
	} {
		record := p.Faults.Record()
		require.NoError(t, call.do(), call.name)
		var sent []string
		for _, r := range record() {
			sent = append(sent, r.Operation)
			var body struct{ ConsistentRead bool }
			switch r.Operation {
			case "GetItem", "Query":
				require.NoError(t, json.Unmarshal(r.Body, &body))
				assert.True(t, body.ConsistentRead, "%s: %s", call.name, r.Operation)
			case "BatchGetItem":
				assert.Contains(t, string(r.Body), `"ConsistentRead":true`, call.name)
			}
		}
		assert.Equal(t, call.want, sent, call.name)
	}
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
