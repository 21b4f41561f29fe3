package outbox

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// Relay delivers pending messages. Deliver is called at least once for every message: two relays that run at the same
// time, or one that ends after the delivery but before recording it, may deliver it again. So the receiver must check the
// message's ID.
type Relay struct {
	Outbox  *Outbox
	Deliver func(context.Context, *Message) error
}

// Run delivers all messages that are pending now, and returns how many it delivered. If a delivery fails, the message stays
// pending, and the others are still delivered.
func (r *Relay) Run(ctx context.Context) (delivered int, err error) {
	for id, walkErr := range r.Outbox.pending().All(ctx) {
		if walkErr != nil {
			return delivered, errors.Join(err, walkErr)
		}
		done, failed := r.one(ctx, id)
		if done {
			delivered++
		}
		err = errors.Join(err, failed)
	}
	return delivered, err
}

func (r *Relay) one(ctx context.Context, id string) (done bool, err error) {
	// The index may still show a message that was just delivered.
	m, err := r.Outbox.Get(ctx, id)
	if errors.Is(err, dynastay.ErrNotFound) || err == nil && !m.DeliveredAt.IsZero() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := r.Deliver(ctx, m); err != nil {
		return false, err
	}
	return true, r.Outbox.deliver(ctx, id)
}
