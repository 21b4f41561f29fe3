package outbox

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// Relay delivers what is pending. Deliver is called at least once for every message: two relays that run at the same
// time, or one that ends between the delivery and its note, may deliver it again, so the receiver looks at the
// message's ID.
type Relay struct {
	Outbox  *Outbox
	Deliver func(context.Context, *Message) error
}

// Run delivers all that is pending now, and returns how many messages it delivered. A message whose delivery fails
// stays pending, and does not keep the others.
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
	// The index may still show what was delivered a moment ago.
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
