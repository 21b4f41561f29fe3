package messages_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
	"github.com/dynastay/dynastay/keys/key"
)

// The users of most tests.
const (
	ana = "user_ana"
	ben = "user_ben"
)

// base is the time of the clocks in tests. Engines delete items whose time to live has passed, so it is far ahead.
var base = time.Date(2037, 11, 10, 9, 0, 0, 0, time.UTC)

// post is a table with a repository.
type post struct {
	*dyntest.DB
	t    testing.TB
	repo *messages.Repository
}

func newPost(t testing.TB, opts ...dyntest.Option) *post {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{
		dyntest.OnlyTables(keys.Table), dyntest.At(base), dyntest.With(dynastay.Options{Idempotency: keys.Table}),
	}, opts...)...)
	return &post{DB: db, t: t, repo: messages.New(db.DB)}
}

// server opens a DB with a clock of its own, which differs from that of the test.
func (p *post) server(ahead time.Duration) *messages.Repository {
	return messages.New(p.Open(&dynastay.Options{
		Clock: func() time.Time { return p.Clock.Now().Add(ahead) }, Idempotency: keys.Table,
		Retry: dynastay.Retry{Attempts: 300, Base: time.Millisecond, Cap: 4 * time.Millisecond},
	}))
}

func (p *post) context() context.Context { return p.t.Context() }

func (p *post) send(from, to, content string) *messages.Message {
	p.t.Helper()
	m, err := p.repo.Send(p.context(), messages.Message{SenderID: from, RecipientID: to, Content: content})
	require.NoError(p.t, err)
	return m
}

func (p *post) read(user, other string, upTo int) {
	p.t.Helper()
	require.NoError(p.t, p.repo.MarkRead(p.context(), user, other, upTo))
}

// side returns a stored side, or nil.
func (p *post) side(user, other string) *messages.Conversation {
	p.t.Helper()
	at, err := key.Of(keys.Conversation{UserID: user, OtherID: other})
	require.NoError(p.t, err)
	row, err := p.Direct.Get(p.context(), keys.Table, at, dynastay.Consistent)
	require.NoError(p.t, err)
	if !row.Exists() {
		return nil
	}
	c, err := messages.New(p.Direct).Conversation(p.context(), user, other)
	require.NoError(p.t, err)
	return c
}

// all returns the messages in the order of their keys.
func (p *post) all(user, other string) []*messages.Message {
	p.t.Helper()
	return itemsOf(p.t, messages.New(p.Direct).Messages(user, other))
}

func itemsOf[T any](t testing.TB, list dynastay.List[T]) (all []T) {
	t.Helper()
	for item, err := range list.All(t.Context()) {
		require.NoError(t, err)
		all = append(all, item)
	}
	return all
}

// load puts items as other software does.
func (p *post) load(items ...dynastay.Item) {
	p.t.Helper()
	require.NoError(p.t, p.Direct.PutAll(p.context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, item := range items {
			if !yield(keys.Table, item) {
				return
			}
		}
	}))
}

// foreign is a message of other software.
func foreign(from, to, at, content string, read types.AttributeValue) dynastay.Item {
	conversation := min(from, to) + "#" + max(from, to)
	return dynastay.Item{
		"PK": dynastay.Text("CONVERSATION#" + conversation), "SK": dynastay.Text("MESSAGE#" + at), "entityType": dynastay.Text("MESSAGE"),
		"messageId": dynastay.Text("msg-" + content), "conversationId": dynastay.Text(conversation), "senderId": dynastay.Text(from),
		"recipientId": dynastay.Text(to), "content": dynastay.Text(content), "read": read, "createdAt": dynastay.Text(at),
	}
}

var (
	yes  = &types.AttributeValueMemberBOOL{Value: true}
	no   = &types.AttributeValueMemberBOOL{}
	null = &types.AttributeValueMemberNULL{Value: true}
)

// itemOf converts an item from the JSON of the marketplace document.
func itemOf(t testing.TB, text string) dynastay.Item {
	t.Helper()
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &fields))
	item := dynastay.Item{}
	for name, v := range fields {
		switch v := v.(type) {
		case string:
			item[name] = dynastay.Text(v)
		case bool:
			item[name] = &types.AttributeValueMemberBOOL{Value: v}
		default:
			t.Fatalf("%s: unexpected %T", name, v)
		}
	}
	return item
}

type attribute = types.AttributeValue

// isDenied reports whether DynamoDB refused a request because of the caller's permissions.
func isDenied(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException"
}
