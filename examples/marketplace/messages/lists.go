package messages

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

var allMessages = dynastay.Range{Prefix: key.SortKind[keys.Message]()}

// partition returns that of the messages of two users.
func partition(userID, otherID string) (string, error) {
	if _, err := sideKey(userID, otherID); err != nil {
		return "", err
	}
	return key.Partition(keys.Message{FirstID: min(userID, otherID), SecondID: max(userID, otherID)})
}

// Messages returns what two users have written to each other, the oldest first. 1 request a page.
//
// Pattern M8: PK = CONVERSATION#{user1}#{user2}, SK begins with MESSAGE#, 1 request
func (r *Repository) Messages(userID, otherID string) dynastay.List[*Message] {
	return r.list("messages.Messages", userID, otherID, false)
}

// Recent is [Repository.Messages] in reverse, for a screen that begins with the last message.
func (r *Repository) Recent(userID, otherID string) dynastay.List[*Message] {
	return r.list("messages.Recent", userID, otherID, true)
}

func (r *Repository) list(name, userID, otherID string, descending bool) dynastay.List[*Message] {
	partition, err := partition(userID, otherID)
	if err != nil {
		return dynastay.NoList[*Message](err)
	}
	return r.messages.List(dynastay.Query{Name: name, Partition: partition, Range: allMessages, Descending: descending})
}

// Conversation reads userID's side of the conversation with otherID. It reads consistently, so what was marked as read
// a moment ago is not shown as unread. It fails with [dynastay.ErrNotFound] if there are no messages. 1 request; 2 if
// the messages were not counted yet.
func (r *Repository) Conversation(ctx context.Context, userID, otherID string) (*Conversation, error) {
	at, err := sideKey(userID, otherID)
	if err != nil {
		return nil, err
	}
	row, err := r.db.Get(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	if row.Exists() {
		return r.side.Value(row)
	}
	s, err := r.count(ctx, userID, otherID)
	switch {
	case err != nil:
		return nil, err
	case s.empty:
		return nil, notFound(userID, otherID)
	}
	return s.a.Conversation, nil
}

func notFound(userID, otherID string) error {
	return &dynastay.Error{Entity: "Conversation", ID: idOf(userID, otherID), Kind: dynastay.ErrNotFound}
}

// Inbox returns the conversations of a user, the one with the last message first. The index lags behind the table.
// 1 request a page: GSI2, GSI2PK = INBOX#{user}.
func (r *Repository) Inbox(userID string) dynastay.List[*Conversation] {
	partition, err := key.Partition(keys.Inbox{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Conversation](err)
	}
	return r.sides.List(dynastay.Query{
		Name: "messages.Inbox", Index: keys.Index2, Partition: partition, Descending: true,
		Range: dynastay.Range{Prefix: key.SortKind[keys.Inbox]()},
	})
}
