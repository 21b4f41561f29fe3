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
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/wire"
)

// worldWrite is a call that creates a booking or changes one.
type worldWrite struct {
	name  string // of the operation
	input string // what calls with the same idempotency key are compared by
	do    func(on program, opts ...dynastay.WriteOption) (*bookings.Booking, error)
	// expected returns the booking as the call leaves it, without an id if it is new, or why it is refused. An error that
	// does not depend on what is stored is in invalid.
	expected func() (worldBooking, error)
	invalid  error
	apply    func(worldBooking)
	// varied returns the call with one other value, of which there are up to four.
	varied func(which int) worldWrite
	plain  bool // without a key, it is one UpdateItem: if a response is lost, the outcome is unknown
	// again is set if a call without a key can be repeated until its outcome is known: what is recorded twice counts once.
	again bool
	// sees compares what the call returned beside the booking. Replayed means that an earlier call may have been
	// carried out.
	sees func(after worldBooking, replayed bool)
}

// record is an idempotency key that was used.
type record struct {
	name, input string
	of          string // the id of the booking, or the promo code
}

// keyedCall is a call that can be repeated, also varied, of which there are four ways.
type keyedCall struct {
	key    string
	repeat func(vary int, on program)
}

// keyed is the choice of an idempotency key.
type keyChoice int

const (
	noKey keyChoice = iota
	newKey
	usedKey // of any earlier call, usually a different one
)

func drawKey(t *rapid.T) keyChoice {
	return model.OneOf(t, "idempotency key", noKey, noKey, noKey, newKey, newKey, newKey, newKey, usedKey)
}

// writing is an operation that is one call.
type writing interface {
	// write returns the call; found is false if there is nothing to do.
	write(w *world) (c worldWrite, found bool)
}

func (w *world) runWrite(s writing, key keyChoice, on program) {
	if c, found := s.write(w); found {
		w.write(c, key, on)
	}
}

// write makes a call, and repeats it with its key until its outcome is known.
func (w *world) write(c worldWrite, choice keyChoice, on program) {
	w.writeWith(c, w.keyFor(choice, func(key string, vary int, on program) {
		again := c
		if vary < 4 {
			again = c.varied(vary)
		}
		w.writeWith(again, key, on)
	}), on)
}

// keyFor returns the key of a call that can be repeated.
func (w *world) keyFor(choice keyChoice, repeat func(key string, vary int, on program)) (key string) {
	switch {
	case choice == usedKey && len(w.keyed) > 0:
		key = w.keyed[len(w.keyed)-1-len(w.order)%len(w.keyed)].key
	case choice != noKey:
		key = fmt.Sprintf("key %d", len(w.keyed))
		w.keyed = append(w.keyed, keyedCall{key, func(vary int, on program) { repeat(key, vary, on) }})
	}
	return key
}

// keyOption returns the options of a call.
func keyOption(key string) (opts []dynastay.WriteOption) {
	if key != "" {
		opts = append(opts, dynastay.IdempotencyKey(key))
	}
	return opts
}

func (w *world) writeWith(c worldWrite, key string, on program) {
	after, repeated, no := w.expect(c, key)
	opts := keyOption(key)
	sent := w.db.Faults.Record()
	got, err := c.do(on, opts...)
	wire.Consistent(w.t, sent())

	unknown := errors.Is(err, dynastay.ErrOutcomeUnknown)
	if unknown {
		w.met.Add("unknown", 1)
		// With a key, a call that cannot read the record of its key does not know whether it was carried out before.
		require.True(w.t, w.fault.Loses() || key != "" && w.fault.Fatal(), "nothing was lost")
		require.True(w.t, w.fault.Fatal() || c.plain && key == "" || no != nil, "the transaction could have been sent again: %v", err)
	}
	failed, read := unknown || w.gaveUp(err), false
	if failed {
		w.recover()
		if key == "" && !unknown && c.again {
			w.verify() // nothing was written
		}
		if read = key == "" && !c.again; read {
			got, err = w.settle(after, no, err), nil
			if got == nil {
				return // nothing was written
			}
		} else {
			got, err = c.do(w.programs[len(w.order)%2], opts...)
		}
	}
	if no != nil {
		w.refuses(c, no, err)
		return
	}
	require.NoError(w.t, err)
	if repeated {
		w.met.Add("repeated", 1)
		require.Equal(w.t, after.want(), got)
	} else {
		after = w.accepts(c, after, got)
		if key != "" {
			w.records[key] = record{c.name, c.input, after.id}
		}
	}
	if c.sees != nil && !read {
		c.sees(after, repeated || failed)
	}
}

// refuses compares the refusal of a call.
func (w *world) refuses(c worldWrite, no, err error) {
	w.fails(no, err)
	for why := range whyRefused(no) {
		w.met.Add(c.name+": "+why, 1)
	}
}

// accepts compares the result of a call that was carried out, and changes the model.
func (w *world) accepts(c worldWrite, after worldBooking, got *bookings.Booking) worldBooking {
	if after.id == "" {
		after.id, after.reference = got.ID, got.Reference
		w.order = append(w.order, after.id)
	}
	w.learn(after)
	w.bookings[after.id] = after
	c.apply(after)
	w.met.Add(c.name+": done", 1)
	require.Equal(w.t, after.want(), got)
	return after
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
		return w.bookings[used.of], true, nil
	}
	after, no = c.expected()
	return after, false, no
}

// settle finds out what has become of a call without a key, and returns the booking if it was carried out.
func (w *world) settle(after worldBooking, no, err error) *bookings.Booking {
	if no != nil || after.id != "" && after.version == w.bookings[after.id].version {
		return nil // there was nothing to write
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

// whyRefused returns the names of an outcome.
func whyRefused(no error) map[string]bool {
	var refused *availability.Refused
	var state *bookings.StatusError
	var payment *bookings.PaymentError
	var promo *bookings.PromoError
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
	case errors.As(no, &payment):
		names[payment.Err.Error()] = true
	case errors.As(no, &promo):
		names[promo.Err.Error()] = true
	case errors.As(no, new(*bookings.PolicyError)):
		names["policy"] = true
	case errors.Is(no, dynastay.ErrInvalid):
		names["invalid"] = true
	case errors.Is(no, dynastay.ErrVersion):
		names["version"] = true
	case errors.Is(no, dynastay.ErrAlreadyExists):
		names["already exists"] = true
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

func drawRepeat(t *rapid.T) worldStep {
	return repeating{model.UpTo(t, 9, "which"), model.UpTo(t, 7, "vary")}
}

func (s repeating) String() string {
	return fmt.Sprintf("repeat the last but %d call with a key, varied by %d", s.back, s.vary)
}

func (s repeating) run(w *world, on program) {
	if s.back >= len(w.keyed) {
		return
	}
	w.keyed[len(w.keyed)-1-s.back].repeat(s.vary, on)
}
