package messages

import (
	"context"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// count returns the sides of a conversation as its messages show them. 1 request for 1 MB of messages.
//
// Only what is counted is read of a message, so that one that cannot be read does not hold up the conversation.
func (r *Repository) count(ctx context.Context, a, b string) (*sides, error) {
	partition, err := partition(a, b)
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.Table, dynastay.Query{
		Name: "messages.count", Partition: partition, Range: allMessages, Consistent: true,
	})
	if err != nil {
		return nil, err
	}
	s := &sides{
		a:     side{Conversation: &Conversation{UserID: a, OtherID: b}},
		b:     side{Conversation: &Conversation{UserID: b, OtherID: a}},
		empty: len(rows) == 0,
	}
	var last time.Time
	for _, row := range rows {
		switch row.Text("recipientId") {
		case a:
			s.a.count(row)
		case b:
			s.b.count(row)
		}
		last = latest(last, timeOf(row))
	}
	if s.empty {
		return s, nil
	}
	newest := rows[len(rows)-1]
	s.a.last(newest.Text("senderId"), newest.Text("content"), last)
	s.b.last(newest.Text("senderId"), newest.Text("content"), last)
	return s, nil
}

// count adds a message that the side has received.
func (c *Conversation) count(row dynastay.Row) {
	number := row.Int("number")
	c.Received = max(c.Received+1, number)
	if number == 0 {
		c.Unnumbered = c.Received
	}
	if row.Value("read").Bool() {
		c.ReadUpTo = c.Received
	}
}

// timeOf returns a time in whole milliseconds. Every time after it is later than the message, and has a key that comes
// after the message's key. It is zero if the message has no time.
func timeOf(row dynastay.Row) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, row.Text("createdAt"))
	if whole := at.Truncate(time.Millisecond); whole.Before(at) {
		at = whole.Add(time.Millisecond)
	}
	stored := keys.Table.Key.From(row)
	k, err := key.Parse[keys.Message](stored)
	if err != nil {
		// Keys are compared as text. Whatever follows the second of another form, a zone or a fraction, comes before Z.
		text := strings.TrimPrefix(stored.SK, allMessages.Prefix)
		k.At, _ = time.Parse(wholeSeconds, text[:min(len(text), len(wholeSeconds))])
	}
	return latest(at.UTC(), k.At)
}

const wholeSeconds = "2006-01-02T15:04:05"
