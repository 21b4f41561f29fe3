package bookings_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// meeting is two calls of two processes that meet: the second one is carried out just before the first one writes.
type meeting struct {
	first, second writing
	lastUse       bool // both create bookings with the same code, which can be used once more
}

func drawMeeting(t *rapid.T) worldStep {
	if onceIn(t, 2, "rivals") {
		return drawRivals(t)
	}
	draw := func(name string) writing {
		of := model.OneOf(t, name, drawCreate, drawCreate, drawCreate, drawCharge, drawCharge, drawRefund, drawRefund, drawConfirmPaid, drawCancelRefunding,
			drawMove(cancelling), drawMove(expiring), drawRequoting(true), drawRecoding, drawRecoding)
		return of(t).(writing)
	}
	return meeting{first: draw("first"), second: draw("second")}
}

// drawRivals draws two calls that want the same.
func drawRivals(t *rapid.T) meeting {
	switch model.UpTo(t, 3, "want") {
	case 0:
		r := drawRefunding(t)
		r.share, r.currency, r.status = restOfIt, "USD", bookings.PaymentPending
		other := r
		r.id, other.id = "re_1", "re_2"
		return meeting{first: notifying{refund: &r, earlier: -1}, second: notifying{refund: &other, earlier: -1}}
	case 1:
		c, other := drawCharging(t), drawCharging(t)
		other.back, other.again, other.transaction = c.back, c.again, c.transaction
		return meeting{first: notifying{charge: &c, earlier: -1}, second: notifying{charge: &other, earlier: -1}}
	}
	return meeting{first: drawCreate(t).(writing), second: drawCreate(t).(writing), lastUse: true}
}

func (s meeting) String() string { return fmt.Sprintf("%v, which meets %v", s.first, s.second) }

func (s meeting) run(w *world, _ program) {
	w.recover() // without another fault
	if code, found := w.lastUse(); s.lastUse && found {
		s.first, s.second = s.first.(creating).with(code), s.second.(creating).with(code)
	}
	second, there := s.second.write(w)
	first, found := s.first.write(w)
	if !there || !found || first.invalid != nil || second.invalid != nil {
		return
	}
	met, b, failed := false, (*bookings.Booking)(nil), error(nil)
	fault := w.db.Faults.Inject(dyntest.Before(func(context.Context) {
		met = true
		b, failed = second.do(w.programs[1])
	}), dyntest.When{Operation: "TransactWriteItems", Times: 1, Optional: true})
	got, err := first.do(w.programs[0])
	fault.Stop()
	w.meeting = true // what was stored before the calls is not known any more
	defer func() { w.meeting = false }()
	if met {
		w.met.Add("meetings", 1)
		w.comesTo(second, b, failed)
	}
	w.comesTo(first, got, err)
}

// comesTo compares what a call without a key has come to.
func (w *world) comesTo(c worldWrite, got *bookings.Booking, err error) {
	after, no := c.expected()
	if no != nil {
		w.refuses(c, no, err)
		return
	}
	require.NoError(w.t, err)
	after = w.accepts(c, after, got)
	if c.sees != nil {
		c.sees(after, false)
	}
}

// lastUse returns the choice of a code that one more booking can use.
func (w *world) lastUse() (s choosingCode, found bool) {
	for i, code := range w.codeNames {
		if limit := w.codes[code].UsageLimit; limit > 0 && w.uses(code) == limit-1 && w.unusable(code) == nil {
			s, found = choosingCode{len(w.codeNames) - 1 - i, len(codePool)}, true
		}
	}
	return s, found
}

// with returns the creation with a code.
func (s creating) with(code choosingCode) creating {
	s.promo, s.coded, s.told, s.edge = code, true, toldRight, 0
	return s
}

// either is the refusal of a call that has met another one, for one of two reasons: if both arise between its read and
// its write, the one that is found first is returned.
type either struct {
	code   error
	nights *availability.Refused
}

func (e either) Error() string { return errors.Join(e.code, e.nights).Error() }

func (e either) Unwrap() []error { return []error{e.code, e.nights} }

// refusalOf returns why a sale is refused, given what is wrong with the code and with the nights.
func refusalOf(code error, nights []availability.RefusedNight) error {
	switch {
	case nights == nil:
		return code
	case code == nil:
		return &availability.Refused{Nights: nights}
	}
	return either{code, &availability.Refused{Nights: nights}}
}
