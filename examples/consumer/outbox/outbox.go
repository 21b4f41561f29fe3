// Package outbox stores messages that must be sent if, and only if, something else was written: a message is put in
// the same transaction, and a [Relay] delivers it afterwards.
//
// A message is an entity of this service, in its own table, built from the same parts as dynastay's repositories.
package outbox

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// PendingIndex holds the messages that are not delivered yet, the oldest first. It projects keys only: the relay must read
// the message itself anyway, because an index lags behind its table.
const PendingIndex = "PendingIndex"

// Table is the table of the messages.
var Table = &dynastay.Schema{
	Name: "Outbox",
	Key:  dynastay.KeyNames{Partition: "id"},
	Indexes: []dynastay.Index{{
		Name: PendingIndex, Key: dynastay.KeyNames{Partition: "pending", Sort: "position"}, Project: dynastay.ProjectKeys,
	}},
	TTL: "expiresAt",
}

// Keep is how long a delivered message can be read.
const Keep = 7 * 24 * time.Hour

// Message is a notification to deliver.
type Message struct {
	ID          string
	Topic       string // such as "booking.confirmed"
	Ref         string // the id of its subject; the text, with any personal data, is made on delivery
	CreatedAt   time.Time
	DeliveredAt time.Time // zero while it is pending
}

func (m *Message) expires() time.Time {
	if m.DeliveredAt.IsZero() {
		return time.Time{}
	}
	return m.DeliveredAt.Add(Keep)
}

var messages = entity.New(entity.Spec[Message]{
	Name: "Message", Operations: "outbox", Schema: Table,
	ID: "id", Prefix: "msg_", Created: "createdAt",
	Key: func(m *Message) (dynastay.Key, error) { return keyOf(m.ID) },
	Codec: entity.Declare(func(f *entity.Fields, m *Message) {
		f.String("id", &m.ID)
		f.String("topic", &m.Topic)
		f.String("ref", &m.Ref)
		f.Time("createdAt", &m.CreatedAt)
		f.Time("deliveredAt", &m.DeliveredAt)
	}),
	Indexes: map[string]func(*Message) (dynastay.Key, error){
		PendingIndex: func(m *Message) (dynastay.Key, error) {
			if !m.DeliveredAt.IsZero() {
				return dynastay.Key{}, nil // a delivered message leaves the index
			}
			return key.Of(byAge{m.CreatedAt.UnixMilli(), m.ID})
		},
	},
	Derived: []entity.Derived[Message]{entity.TTL(Table.TTL, (*Message).expires)},
})

// Outbox puts and finds messages.
type Outbox struct {
	db       *dynastay.DB
	messages *entity.Table[Message]
}

// New returns an outbox. It sends nothing.
func New(db *dynastay.DB) *Outbox {
	return &Outbox{db, entity.NewTable(db, messages)}
}

// SendOp puts a message in the same transaction as its subject. Ref is called while the transaction is prepared: an earlier
// operation in the same Write then knows the id of what it makes. Under an idempotency key only the topic is compared,
// because an id that another operation draws is different in every call. A repeated call returns the first message, or only
// its ID if it was delivered so long ago that it no longer exists.
func (o *Outbox) SendOp(topic string, ref func() string) *dynastay.Operation[*Message] {
	return o.messages.CreateFromOp(func() (*Message, error) { return &Message{Topic: topic, Ref: ref()}, nil }, topic)
}

// Get returns a message that is pending or was delivered within [Keep]; otherwise [dynastay.ErrNotFound].
func (o *Outbox) Get(ctx context.Context, id string) (*Message, error) {
	k, err := keyOf(id)
	if err != nil {
		return nil, err
	}
	m, err := o.messages.Get(ctx, k, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	// DynamoDB removes expired items within days, not at once.
	if expires := m.expires(); !expires.IsZero() && !expires.After(o.db.Now()) {
		return nil, &dynastay.Error{Op: "outbox.Get", Entity: "Message", ID: id, Kind: dynastay.ErrNotFound}
	}
	return m, nil
}

// deliver records that a message was delivered.
func (o *Outbox) deliver(ctx context.Context, id string) error {
	k, err := keyOf(id)
	if err != nil {
		return err
	}
	_, err = o.messages.Update(ctx, k, func(m *Message) error {
		m.DeliveredAt = o.db.Now()
		return nil
	})
	return err
}

// pending lists the ids of messages that are pending according to the index.
func (o *Outbox) pending() dynastay.List[string] {
	partition, err := key.Partition(byAge{})
	if err != nil {
		return dynastay.NoList[string](err)
	}
	return dynastay.ListOf(o.db, Table, dynastay.Query{
		Name: "outbox.pending", Index: PendingIndex, Partition: partition,
	}, func(_ context.Context, row dynastay.Row) (string, error) { return Table.Key.From(row).PK, nil })
}
