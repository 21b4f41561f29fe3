package bookings_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
)

// worldWrite is a call that creates a booking or changes one.
type worldWrite struct {
	name  string // of the operation
	input string // what calls with the same idempotency key are compared by
	do    func(on program, opts ...dynastay.WriteOption) (*bookings.Booking, error)
	// judge returns the booking as the call leaves it, without an id if it is new, or why it is refused. An error that
	// does not depend on what is stored is in invalid.
	judge   func() (worldBooking, error)
	invalid error
	apply   func(worldBooking)
	// varied returns the call with one other value, of which there are up to four.
	varied func(which int) worldWrite
	plain  bool // without a key, it is one UpdateItem: if a response is lost, the outcome is unknown
}

// record is an idempotency key that was used.
type record struct {
	name, input string
	bookingID   string
}

// keyedCall is a call that can be repeated.
type keyedCall struct {
	key string
	worldWrite
}

// keyed is the choice of an idempotency key.
type keyChoice int

const (
	noKey keyChoice = iota
	newKey
	usedKey // of any earlier call, usually a different one
)

func drawKey(t *rapid.T) keyChoice {
	return oneOf(t, "idempotency key", noKey, noKey, noKey, newKey, newKey, newKey, newKey, usedKey)
}

// write makes a call, and repeats it with its key until its outcome is known.
func (w *world) write(c worldWrite, choice keyChoice, on program) {
	key := ""
	switch {
	case choice == usedKey && len(w.keyed) > 0:
		key = w.keyed[len(w.keyed)-1-len(w.order)%len(w.keyed)].key
	case choice != noKey:
		key = fmt.Sprintf("key %d", len(w.keyed))
		w.keyed = append(w.keyed, keyedCall{key, c})
	}
	w.writeWith(c, key, on)
}

func (w *world) writeWith(c worldWrite, key string, on program) {
	after, repeated, no := w.expect(c, key)
	var opts []dynastay.WriteOption
	if key != "" {
		opts = append(opts, dynastay.IdempotencyKey(key))
	}
	sent := w.db.Faults.Record()
	got, err := c.do(on, opts...)
	w.consistent(sent())

	unknown := errors.Is(err, dynastay.ErrOutcomeUnknown)
	if unknown {
		w.met.add("unknown", 1)
		// With a key, a call that cannot read the record of its key does not know whether it was carried out before.
		require.True(w.t, w.fault.loses() || key != "" && w.fault.fatal(), "nothing was lost")
		require.True(w.t, w.fault.fatal() || c.plain && key == "" || no != nil, "the transaction could have been sent again: %v", err)
	}
	if unknown || w.gaveUp(err) {
		w.recover()
		if key == "" {
			got, err = w.settle(after, no, err), nil
			if got == nil {
				return // nothing was written
			}
		} else {
			got, err = c.do(w.programs[len(w.order)%2], opts...)
		}
	}
	if no != nil {
		w.fails(no, err)
		for why := range whyRefused(no) {
			w.met.add(c.name+": "+why, 1)
		}
		return
	}
	require.NoError(w.t, err)
	if after.id == "" {
		after.id, after.reference = got.ID, got.Reference
		w.order = append(w.order, after.id)
	}
	if key != "" && !repeated {
		w.records[key] = record{c.name, c.input, after.id}
	}
	if repeated {
		w.met.add("repeated", 1)
	} else {
		w.bookings[after.id] = after
		c.apply(after)
		w.met.add(c.name+": done", 1)
	}
	require.Equal(w.t, after.want(), got)
}

// expect returns what a call with a key must come to.
func (w *world) expect(c worldWrite, key string) (after worldBooking, repeated bool, no error) {
	if c.invalid != nil {
		return after, false, c.invalid
	}
	if used, there := w.records[key]; there {
		if used.name != c.name || used.input != c.input {
			return after, false, dynastay.ErrIdempotencyMismatch
		}
		return w.bookings[used.bookingID], true, nil
	}
	after, no = c.judge()
	return after, false, no
}

// settle finds out what has become of a call without a key, and returns the booking if it was carried out.
func (w *world) settle(after worldBooking, no, err error) *bookings.Booking {
	if no != nil {
		return nil
	}
	found := after.id
	if after.id == "" {
		for _, row := range w.scan(bookingsTable) {
			id := row.Text("BookingId")
			if _, known := w.bookings[id]; !known && row.Text("SK") == "METADATA" {
				found = id
			}
		}
		if found == "" {
			return nil
		}
	}
	b, getErr := bookings.New(w.db.Direct, nil).Get(context.Background(), found, dynastay.Consistent)
	require.NoError(w.t, getErr)
	if b.Version != after.version {
		return nil
	}
	require.ErrorIs(w.t, err, dynastay.ErrOutcomeUnknown, "it was carried out, but the caller was told that it was not")
	return b
}

// consistent requires everything that a write reads to be read consistently, which local engines do not need.
func (w *world) consistent(sent []dyntest.Request) {
	for _, r := range sent {
		if r.Operation == "GetItem" || r.Operation == "BatchGetItem" || r.Operation == "Query" {
			require.Contains(w.t, string(r.Body), `"ConsistentRead":true`)
		}
	}
}

// whyRefused returns the names of an outcome.
func whyRefused(no error) map[string]bool {
	var refused *availability.Refused
	var state *bookings.StateError
	names := map[string]bool{}
	switch {
	case errors.As(no, &refused):
		for _, n := range refused.Nights {
			names[string(n.Reason)] = true
		}
	case errors.As(no, &state) && state.Err != nil:
		names[state.Err.Error()] = true
	case errors.As(no, &state):
		names["status"] = true
	case errors.Is(no, dynastay.ErrInvalid):
		names["invalid"] = true
	case errors.Is(no, dynastay.ErrVersion):
		names["version"] = true
	case errors.Is(no, dynastay.ErrNotFound):
		names["not found"] = true
	case errors.Is(no, dynastay.ErrIdempotencyMismatch):
		names["mismatch"] = true
	}
	return names
}

// repeating repeats an earlier call with its idempotency key: if that was carried out, nothing happens. A call with
// another value is refused.
type repeating struct{ back, vary int }

func drawRepeat(t *rapid.T) worldStep { return repeating{upTo(t, 9, "which"), upTo(t, 7, "vary")} }

func (s repeating) String() string {
	return fmt.Sprintf("repeat the last but %d call with a key, varied by %d", s.back, s.vary)
}

func (s repeating) run(w *world, on program) {
	if s.back >= len(w.keyed) {
		return
	}
	c := w.keyed[len(w.keyed)-1-s.back]
	if s.vary < 4 {
		c.worldWrite = c.varied(s.vary)
	}
	w.writeWith(c.worldWrite, c.key, on)
}
