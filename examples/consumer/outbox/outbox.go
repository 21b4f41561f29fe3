// Package outbox keeps the messages that must go out if, and only if, something else was written: a message is put in
// the same transaction, and a [Relay] delivers it afterwards.
//
// It is an entity of this service's own, in a table of its own, made of the same parts as dynastay's repositories.
package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
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
	ID          string
	Topic       string // such as "booking.confirmed"
	Ref         string // the id of what it is about; the text, with whatever is personal in it, is made on delivery
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

var entity = &entity.Entity[Message]{
	Name:   "Message",
	Schema: Table,
	Key:    func(m *Message) (dynastay.Key, error) { return dynastay.Key{PK: m.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, m *Message) {
		f.String("id", &m.ID)
		f.String("topic", &m.Topic)
		f.String("ref", &m.Ref)
		f.Time("createdAt", &m.CreatedAt)
		f.Time("deliveredAt", &m.DeliveredAt)
	}),
	Derived: append(
		dynastay.IndexKey(Table, PendingIndex, func(m *Message) (dynastay.Key, error) {
			if !m.DeliveredAt.IsZero() {
				return dynastay.Key{}, nil // a delivered message leaves the index
			}
			return dynastay.Key{PK: pending, SK: m.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z") + "#" + m.ID}, nil
		}),
		entity.Derived[Message]{
			Name: Table.TTL,
			Value: func(m *Message) (types.AttributeValue, error) {
				if m.expires().IsZero() {
					return nil, nil
				}
				return dynastay.Number(int(m.expires().Unix())), nil
			},
		},
	),
}

// Outbox puts and finds messages.
type Outbox struct {
	db       *dynastay.DB
	messages *entity.Table[Message]
}

// New makes an outbox. It sends nothing.
func New(db *dynastay.DB) *Outbox {
	return &Outbox{db, entity.NewTable(db, entity)}
}

var absent = dynastay.IfNew(Table)

// SendOp puts a message, for a transaction together with what it tells of. Ref is asked while the transaction is
// prepared: an operation that stands before this one in the same Write then knows the id of what it makes.
func (o *Outbox) SendOp(topic string, ref func() string) *dynastay.Operation[*Message] {
	id := o.db.NewID("msg_")
	return dynastay.NewOp(dynastay.OpSpec[*Message]{
		Name: "outbox.Send",
		// The id, the time and what another operation draws are another ones in every call, also in the repetition of one:
		// under an idempotency key they are no part of what was agreed on.
		Input: func(in *dynastay.Input) { in.Field("topic", topic) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Message, error) {
			m := &Message{ID: id, Topic: topic, Ref: ref(), CreatedAt: o.db.Now()}
			item, err := entity.Item(m)
			if err != nil {
				return nil, err
			}
			tx.Add(dynastay.Put(Table, item, absent, func(dynastay.Item) error {
				return &dynastay.Error{Op: "outbox.Send", Entity: "Message", ID: id, Kind: dynastay.ErrAlreadyExists}
			}).Identified().Drawn())
			tx.Made("MessageId", id)
			return m, nil
		},
		Restore: func(ctx context.Context, made map[string]string) (*Message, error) {
			m, err := o.messages.Get(ctx, dynastay.Key{PK: made["MessageId"]}, true)
			if errors.Is(err, dynastay.ErrNotFound) {
				return &Message{ID: made["MessageId"], Topic: topic}, nil // delivered so long ago that it is gone
			}
			return m, err
		},
	})
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
