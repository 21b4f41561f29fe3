// Package outbox keeps the messages that must go out if, and only if, something else was written: a message is put in
// the same transaction, and a [Relay] delivers it afterwards.
//
// It is an entity of this service's own, in a table of its own, made of the same parts as dynastay's repositories.
package outbox

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
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

// New makes an outbox. It sends nothing.
func New(db *dynastay.DB) *Outbox {
	return &Outbox{db, entity.NewTable(db, messages)}
}

// SendOp puts a message, for a transaction together with what it tells of. Ref is asked while the transaction is
// prepared: an operation that stands before this one in the same Write then knows the id of what it makes. Under an
// idempotency key the topic is all that is compared, for what another operation draws is another one in every call. A
// repetition gives the first message; of one that was delivered so long ago that it is gone, the ID alone.
func (o *Outbox) SendOp(topic string, ref func() string) *dynastay.Operation[*Message] {
	return o.messages.CreateFromOp(func() (*Message, error) { return &Message{Topic: topic, Ref: ref()}, nil }, topic)
}

// Get is a message that is pending, or was delivered within [Keep]; otherwise [dynastay.ErrNotFound].
func (o *Outbox) Get(ctx context.Context, id string) (*Message, error) {
	k, err := keyOf(id)
	if err != nil {
		return nil, err
	}
	m, err := o.messages.Get(ctx, k, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	// DynamoDB removes what has expired within days, not at once.
	if expires := m.expires(); !expires.IsZero() && !expires.After(o.db.Now()) {
		return nil, &dynastay.Error{Op: "outbox.Get", Entity: "Message", ID: id, Kind: dynastay.ErrNotFound}
	}
	return m, nil
}

// deliver notes that a message was delivered.
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

// pending lists the ids of messages that the index takes for pending.
func (o *Outbox) pending() dynastay.Listing[string] {
	partition, err := key.Partition(byAge{})
	if err != nil {
		return dynastay.NoListing[string](err)
	}
	return dynastay.List(o.db, Table, dynastay.Query{
		Name: "outbox.pending", Index: PendingIndex, Partition: partition,
	}, func(_ context.Context, row dynastay.Row) (string, error) { return Table.Key.From(row).PK, nil })
}
