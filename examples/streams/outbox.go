package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
)

// outboxTable has the messages that must be delivered if, and only if, something else was written: a message is put in
// the same transaction. The stream of the table passes it to [outbox.deliver]. No index and no polling of the table is
// needed.
var outboxTable = &dynastay.Schema{Name: "Outbox", Key: dynastay.KeyNames{Partition: "PK"}, Stream: true}

const roomTaken = "room.taken"

// message is for the hotel's own system.
type message struct {
	ID        string
	Topic     string
	BookingID string
	CreatedAt time.Time
}

type messageKey struct{ ID string }

func (k *messageKey) Form(f *key.Form) { f.PK("MESSAGE#", key.ID("ID", &k.ID)) }

var messages = entity.New(entity.Spec[message]{
	Name: "Message", Operations: "outbox", Schema: outboxTable, ID: "MessageId", Prefix: "msg_", Created: createdAt,
	Key: func(m *message) (dynastay.Key, error) { return key.Of(messageKey{m.ID}) },
	Codec: entity.Declare(func(f *entity.Fields, m *message) {
		f.String("MessageId", &m.ID)
		f.String("Topic", &m.Topic)
		f.String("BookingId", &m.BookingID)
		f.Time(createdAt, &m.CreatedAt)
	}),
})

const createdAt = "CreatedAt"

// readBoth also reads the messages of other software, which stores the time in seconds. It corrects [outbox.deliver].
func readBoth(row dynastay.Row) (*message, error) {
	if row.Value(createdAt).Kind() == dynastay.KindNumber {
		item := row.Item()
		item[createdAt] = dynastay.Instant(time.Unix(int64(row.Int(createdAt)), 0))
		row = dynastay.RowOf(item)
	}
	return messages.Value(row)
}

// outbox delivers messages.
type outbox struct {
	messages *entity.Table[message]
	receiver *receiver
	lost     *faults // of responses of the receiver
}

// deliver passes a new message to the receiver, and deletes it. If it fails in between, the receiver gets the message
// again.
func (o *outbox) deliver(ctx context.Context, c stream.Change[message]) error {
	if c.New == nil { // it was delivered and deleted
		return nil
	}
	if err := o.receiver.receive(ctx, c.New); err != nil {
		return err
	}
	if err := o.lost.firstTime(c.New.ID); err != nil {
		return err
	}
	return o.messages.Delete(ctx, c.Key, dynastay.OrMissing())
}

// receiver is the hotel's own system. It may get a message several times, and remembers the ids of those that it has
// handled. A receipt has an id of its own, so handling a message twice would leave two.
type receiver struct {
	db       *dynastay.DB
	receipts *entity.Table[receipt]
	calls    *atomic.Int64
}

type receipt struct {
	MessageID string
	ID        string
	BookingID string
}

type receiptKey struct{ MessageID, ID string }

func (k *receiptKey) Form(f *key.Form) {
	f.PK("MESSAGE#", key.ID("MessageID", &k.MessageID))
	f.SK("RECEIPT#", key.ID("ID", &k.ID))
}

var receipts = entity.New(entity.Spec[receipt]{
	Name: "Receipt", Operations: "receiver", Schema: deliveriesTable, ID: "ReceiptId", Prefix: "rcp_",
	Key: func(r *receipt) (dynastay.Key, error) { return key.Of(receiptKey{r.MessageID, r.ID}) },
	Codec: entity.Declare(func(f *entity.Fields, r *receipt) {
		f.String("MessageId", &r.MessageID)
		f.String("ReceiptId", &r.ID)
		f.String("BookingId", &r.BookingID)
	}),
})

func (r *receiver) receive(ctx context.Context, m *message) error {
	r.calls.Add(1)
	_, err := r.receipts.Create(ctx, &receipt{MessageID: m.ID, BookingID: m.BookingID}, dynastay.IdempotencyKey(m.ID).Of("hotel"))
	return err
}
