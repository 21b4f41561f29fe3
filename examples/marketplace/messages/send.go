package messages

import (
	"cmp"
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
)

// SendOp writes a message, with both sides of its conversation. Any ID, Number, Read and CreatedAt that are passed
// are overwritten. It fails with a [*dynastay.InvalidError].
func (r *Repository) SendOp(m Message) *dynastay.Operation[*Message] {
	m = Message{
		ID: r.db.NewID("msg_"), SenderID: m.SenderID, RecipientID: m.RecipientID, ProjectID: m.ProjectID, Content: m.Content,
	}
	var contest dynastay.Contest
	at, err := sideKeys(m.SenderID, m.RecipientID)
	for _, side := range at {
		contest.Items = append(contest.Items, dynastay.RefOf(keys.Table, side))
	}
	var free time.Time // after messages of other software that were in the way
	return dynastay.NewOp(dynastay.OpSpec[*Message]{
		Name: "messages.Send", Invalid: cmp.Or(m.Validate(), err), Contest: &contest,
		Input: func(in *dynastay.Input) {
			in.Field("sender", m.SenderID)
			in.Field("recipient", m.RecipientID)
			in.Field("project", m.ProjectID)
			in.Field("content", m.Content)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Message, error) {
			s, err := r.read(ctx, m.SenderID, m.RecipientID)
			if err != nil {
				return nil, err
			}
			made := m
			made.CreatedAt = latest(r.db.Now(), free, next(s.a.LastAt), next(s.b.LastAt))
			s.b.Received++
			made.Number = s.b.Received
			if made.Number < 1 { // other software has stored no number of messages
				return nil, unusable(s.b.Conversation, errNoCount)
			}
			item, err := r.message.Item(&made)
			if err != nil {
				return nil, unusable(s.a.Conversation, err)
			}
			tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), func(dynastay.Row) error {
				free = next(made.CreatedAt)
				return dynastay.ErrOvertaken
			})
			tx.Made("SK", keys.Table.Key.From(dynastay.RowOf(item)).SK)
			for _, side := range []side{s.a, s.b} {
				side.last(made.SenderID, made.Content, made.CreatedAt)
				if err := r.put(tx, side); err != nil {
					return nil, err
				}
			}
			return &made, nil
		},
		Restore: func(ctx context.Context, made map[string]string) (*Message, error) {
			partition, err := partition(m.SenderID, m.RecipientID)
			if err != nil {
				return nil, err
			}
			return r.messages.Get(ctx, dynastay.Key{PK: partition, SK: made["SK"]}, dynastay.Consistent)
		},
	})
}

// next returns the first time after t that a message can have.
func next(t time.Time) time.Time { return t.Add(time.Millisecond) }

func latest(t time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(t) {
			t = other
		}
	}
	return t
}

// Send runs [Repository.SendOp]. 2 requests; 3 for the first message of a conversation.
func (r *Repository) Send(ctx context.Context, m Message, opts ...dynastay.WriteOption) (*Message, error) {
	return dynastay.Do(ctx, r.db, r.SendOp(m), opts...)
}
