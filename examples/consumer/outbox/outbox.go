// Package outbox keeps the messages that must go out if, and only if, something else was written: a message is put in
// the same transaction, and a [Relay] delivers it afterwards.
//
// It is an entity of this service's own, in a table of its own, made of the same parts as dynastay's repositories.
package outbox

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// PendingIndex holds the messages that were not delivered yet, the oldest first. It keeps keys only: the relay has to
// read the message itself anyway, because an index lags behind its table.
const PendingIndex = "PendingIndex"

// Table is where messages are kept.
var Table = &dynastay.Schema{
	Name: "Outbox",
	Key:  dynastay.KeyNames{Partition: "id"},
	Indexes: []dynastay.Index{{
		Name: PendingIndex, Key: dynastay.KeyNames{Partition: "pending", Sort: "position"}, Project: dynastay.ProjectKeys,
	}},
	TTL: "expiresAt",
}

// Keep is how long a delivered message can be looked up.
const Keep = 7 * 24 * time.Hour

// Message is something to be told to somebody.
type Message struct {
	ID          string // the sender's, so that a repeated request makes the same message
	Topic       string // such as "booking.confirmed"
	Ref         string // what it is about; the text is made when it is delivered, and holds no personal data until then
	CreatedAt   time.Time
	DeliveredAt time.Time // zero while it is pending
}

const pending = "PENDING"

func (m *Message) expires() time.Time {
	if m.DeliveredAt.IsZero() {
		return time.Time{}
	}
	return m.DeliveredAt.Add(Keep)
}

var entity = &dynastay.Entity[Message]{
	Name:   "Message",
	Schema: Table,
	Key:    func(m *Message) (dynastay.Key, error) { return dynastay.Key{PK: m.ID}, nil },
	Codec: dynastay.Declare(func(f *dynastay.Fields, m *Message) {
		f.String("id", &m.ID)
		f.String("topic", &m.Topic)
		f.String("ref", &m.Ref)
		f.Time("createdAt", &m.CreatedAt)
		f.Time("deliveredAt", &m.DeliveredAt)
	}),
	// The time is drawn anew by every call, also by the repetition of one, so it is no part of what was agreed on.
	Agreed: func(in *dynastay.Input, m *Message) {
		in.Field("id", m.ID)
		in.Field("topic", m.Topic)
		in.Field("ref", m.Ref)
	},
	Derived: append(
		dynastay.IndexKey(Table, PendingIndex, []string{"deliveredAt", "createdAt", "id"}, func(m *Message) (dynastay.Key, error) {
			if !m.DeliveredAt.IsZero() {
				return dynastay.Key{}, nil // a delivered message leaves the index
			}
			return dynastay.Key{PK: pending, SK: m.CreatedAt.UTC().Format(time.RFC3339) + "#" + m.ID}, nil
		}),
		dynastay.Derived[Message]{
			Name: Table.TTL, From: []string{"deliveredAt"},
			Value: func(m *Message) (types.AttributeValue, error) {
				if m.expires().IsZero() {
					return nil, nil
				}
				return dynastay.N(int(m.expires().Unix())), nil
			},
		},
	),
}

// Outbox puts and finds messages.
type Outbox struct {
	db       *dynastay.DB
	messages *dynastay.Table[Message]
}

// New makes an outbox. It sends nothing.
func New(db *dynastay.DB) *Outbox {
	return &Outbox{db, dynastay.NewTable(db, entity)}
}

// SendOp puts a message, for a transaction together with what it tells of.
func (o *Outbox) SendOp(id, topic, ref string) *dynastay.Operation[*Message] {
	return o.messages.CreateOp(&Message{ID: id, Topic: topic, Ref: ref, CreatedAt: o.db.Now()})
}

// Get is a message that is pending, or was delivered within [Keep]; otherwise [dynastay.ErrNotFound].
func (o *Outbox) Get(ctx context.Context, id string) (*Message, error) {
	m, err := o.messages.Get(ctx, dynastay.Key{PK: id}, true)
	if err != nil {
		return nil, err
	}
	// DynamoDB removes what has expired within days, not at once.
	if expires := m.expires(); !expires.IsZero() && !expires.After(o.db.Now()) {
		return nil, &dynastay.Error{Op: "outbox.Get", Entity: "Message", ID: id, Kind: dynastay.ErrNotFound}
	}
	return m, nil
}

// pending is a page of the ids of messages that the index takes for pending.
func (o *Outbox) pending(ctx context.Context, paging dynastay.Paging) (dynastay.Page[string], error) {
	return dynastay.QueryPage(ctx, o.db, Table, dynastay.Query{
		Name: "outbox.pending", Index: PendingIndex, Partition: pending, Paging: paging,
	}, func(row dynastay.Item) (string, error) { return Table.Key.From(row).PK, nil })
}
