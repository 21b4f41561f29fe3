package bookings

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// DefaultHoldGrace is the default of [Options].HoldGrace.
const DefaultHoldGrace = time.Minute

// ExpireOp ends a pending booking whose hold has ended, and returns its rooms and the use of its promo code exactly
// once, as CancelOp does. It is
// possible only [Options].HoldGrace after the end, so that a process whose clock is fast does not take away a room that
// another one is about to confirm; before, it fails with a [*StatusError] that matches [ErrHoldOpen]. Nothing else
// returns the rooms of a hold: a booking has no time to live.
func (r *Repository) ExpireOp(bookingID string) *dynastay.Operation[Cancellation] {
	expire := move{
		name: "bookings.Expire", verb: "expire", from: []Status{Pending},
		ready: func(b *Booking, now time.Time) error {
			if !b.holdEnded(now.Add(-r.opts.HoldGrace)) {
				return ErrHoldOpen
			}
			return nil
		},
		apply: func(b *Booking, _ time.Time) { b.Status = Expired },
	}
	return r.giveBackOp(bookingID, giveBack{move: expire, input: func(*dynastay.Input) {}})
}

// Expire runs [Repository.ExpireOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) Expire(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.ExpireOp(bookingID), opts...)
}

// Sweep is the result of [Repository.ExpireHolds].
type Sweep struct {
	Expired []string `json:",omitzero"` // the ids of the bookings that this call has ended
	// Missing lists the nights whose rooms could not be returned, see [Cancellation].
	Missing []MissingNight `json:",omitzero"`
	// Due is what is to be refunded of what has been paid, by the ids of those of the bookings that have been paid for.
	// See [Repository.RefundDue].
	Due map[string]dynastay.Money `json:",omitzero"`
}

// ExpireHolds ends all bookings whose holds have ended, as [Repository.Expire] does. Call it regularly, for example
// every minute: until then, the rooms are not on sale again. Several processes may call it at the same time; each
// booking is ended by only one of them.
//
// A booking that cannot be ended, for example because other software has stored it in an unreadable form, does not keep
// the others from being ended: ExpireHolds returns it in a [*dynastay.UnreadableError] together with the result. Any
// other error ends the call, and the Sweep contains what it has done.
//
// It takes 1 request for each shard, see [Options].HoldShards, and 1 more for each further MB; then 2 for each booking,
// in parallel, see [dynastay.Options].
func (r *Repository) ExpireHolds(ctx context.Context) (_ Sweep, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.ExpireHolds")
	defer func() { end(err) }()
	s := &sweep{Repository: r}
	for id, err := range r.endedHolds().All(ctx) {
		var unreadable *dynastay.UnreadableError
		switch {
		case errors.As(err, &unreadable):
			s.unreadable = append(s.unreadable, unreadable.Items...)
		case err != nil:
			return s.done, err
		default:
			s.ids = append(s.ids, id)
		}
	}
	err = r.db.Each(ctx, len(s.ids), s.expire)
	if err == nil && len(s.unreadable) > 0 {
		err = &dynastay.UnreadableError{Items: s.unreadable}
	}
	return s.done, err
}

// endedHolds lists the ids of the bookings whose holds have ended, from the index. It may be behind, so some of them
// may have been confirmed or ended since.
func (r *Repository) endedHolds() dynastay.List[string] {
	shards, err := keys.Partitions(keys.BookingByHold{}, r.opts.HoldShards.Read)
	if err != nil {
		return dynastay.NoList[string](err)
	}
	// The key has whole seconds, so those of the last second are in the list even if they end a moment later.
	end, err := keys.SortPrefix(keys.BookingByHold{Expires: r.db.Now().Add(time.Second - r.opts.HoldGrace)})
	if err != nil {
		return dynastay.NoList[string](err)
	}
	return dynastay.ListOf(r.db, keys.BookingsTable, dynastay.Query{
		Name: "bookings.ExpireHolds", Index: keys.HoldIndex, Partition: shards[0], Shards: shards[1:], Range: dynastay.Range{To: end},
	}, func(_ context.Context, row dynastay.Row) (string, error) {
		at, err := keys.Parse[keys.Booking](keys.BookingsTable.Key.From(row))
		return at.BookingID, err
	})
}

// sweep is one call of ExpireHolds. See docs/decisions/0013-holds-end-by-the-clock.md for why no time to live does it.
type sweep struct {
	*Repository
	ids []string

	mu         sync.Mutex
	done       Sweep
	unreadable []error
}

func (s *sweep) expire(ctx context.Context, i int) error {
	ended, err := s.Expire(ctx, s.ids[i])
	s.mu.Lock()
	defer s.mu.Unlock()
	var state *StatusError
	switch {
	case err == nil:
		s.done.Expired = append(s.done.Expired, s.ids[i])
		s.done.Missing = append(s.done.Missing, ended.Missing...)
		if ended.Due.Sign() > 0 {
			if s.done.Due == nil {
				s.done.Due = map[string]dynastay.Money{}
			}
			s.done.Due[s.ids[i]] = ended.Due
		}
	case errors.As(err, &state), errors.Is(err, dynastay.ErrNotFound): // confirmed, or ended by somebody else
	case errors.Is(err, dynastay.ErrCorrupt), errors.Is(err, dynastay.ErrInvalid):
		s.unreadable = append(s.unreadable, err)
	default:
		return err
	}
	return nil
}
