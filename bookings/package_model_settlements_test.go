package bookings_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// settling is a confirmation with payments or a cancellation with refunds.
type settling struct {
	changingStatus
	charges []charging
	refunds []refunding
	edge    moment // after the deadline of a policy, when the booking is cancelled; nil for now
}

func drawConfirmPaid(t *rapid.T) worldStep {
	s := settling{changingStatus: drawMove(confirming)(t).(changingStatus)}
	s.charges = rapid.SliceOfN(rapid.Custom(drawCharging), 1, 2).Draw(t, "payments")
	return s
}

func drawCancelRefunding(t *rapid.T) worldStep {
	s := settling{changingStatus: drawMove(cancelling)(t).(changingStatus)}
	s.refunds = rapid.SliceOfN(rapid.Custom(drawRefunding), 1, 3).Draw(t, "refunds")
	for i := range s.refunds {
		s.refunds[i].share = model.OneOf(t, "share", dueOfIt, dueOfIt, dueOfIt, dueOfIt, s.refunds[i].share)
	}
	if onceIn(t, 3, "of each payment") {
		for i, transaction := range []string{"rest", "deposit", "ch_1"}[:len(s.refunds)] {
			s.refunds[i].id, s.refunds[i].transaction, s.refunds[i].share = "due_"+transaction, transaction, dueOfIt
		}
	}
	if edge := model.OneOf(t, "deadline", -time.Millisecond, 0, time.Millisecond); onceIn(t, 2, "at the deadline") {
		s.edge = &edge
	}
	return s
}

func (s settling) String() string {
	text := s.changingStatus.String()
	for i := range s.charges {
		text += ", with " + s.charges[i].String()
	}
	for i := range s.refunds {
		text += ", with " + s.refunds[i].String()
	}
	return fmt.Sprintf("%s, at the deadline %s", text, shownValue(s.edge))
}

func (s settling) run(w *world, on program) { w.runWrite(s, s.key, on) }

func (s settling) write(w *world) (worldWrite, bool) {
	id := w.chooses(s.back, s.from)
	if s.name == "confirm" {
		var payments []bookings.Payment
		for i, c := range s.charges {
			p := c.payment(w, id)
			if c.again && i == 0 {
				p.BookingID = ""
			}
			payments = append(payments, p)
			p.BookingID = id
			w.payments = append(w.payments, p)
		}
		return s.confirms(w, id, payments), true
	}
	id = w.choosesOf(s.back, func(b worldBooking) bool { return slices.Contains(s.from, b.status) && len(b.made()) > 0 })
	if s.edge != nil {
		w.toDeadline(w.bookings[id], *s.edge)
	}
	var refunds []bookings.Refund
	for _, c := range s.refunds {
		r := c.refund(w, id)
		refunds = append(refunds, r)
		if r.Amount.IsSet() {
			w.refunds = append(w.refunds, r)
		}
	}
	return s.cancels(w, id, refunds), true
}

// confirms returns the call that confirms a booking with payments.
func (s settling) confirms(w *world, id string, payments []bookings.Payment) worldWrite {
	c := s.call(w, id)
	expected, apply := c.expected, c.apply
	for i, p := range payments {
		c.input += inputOf(p)
		err := dynastay.Within(fmt.Sprintf("Payments[%d]", i), wrongPayment(p))
		if p.Status == bookings.PaymentFailed {
			err = dynastay.Invalid(fmt.Sprintf("Payments[%d].Status", i), "…")
		}
		if c.invalid == nil {
			c.invalid = err
		}
	}
	c.do = func(on program, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
		return on.repo.Confirm(context.Background(), id, payments, opts...)
	}
	c.expected = func() (worldBooking, error) {
		b, no := expected()
		for i, p := range payments {
			if no == nil {
				b, no = b.withPayment(p, w.db.Now())
				no = dynastay.Within(fmt.Sprintf("Payments[%d]", i), no)
			}
		}
		return b, no
	}
	c.apply = func(b worldBooking) {
		apply(b)
		w.met.Add("confirm: with payment", 1)
	}
	c.varied = func(which int) worldWrite {
		other := slices.Clone(payments)
		other[0].Amount = dollars(centsOf(payments[0].Amount) + int64(which) + 1)
		return s.confirms(w, id, other)
	}
	return c
}

// cancels returns the call that cancels a booking with refunds.
func (s settling) cancels(w *world, id string, refunds []bookings.Refund) worldWrite {
	c := s.call(w, id)
	expected, apply := c.expected, c.apply
	for i, r := range refunds {
		c.input += inputOfRefund(r)
		twice := slices.ContainsFunc(refunds[:i], func(other bookings.Refund) bool { return other.ID == r.ID })
		switch {
		case c.invalid != nil:
		case r.Status != bookings.PaymentPaid && twice:
			c.invalid = dynastay.Invalid(fmt.Sprintf("Refunds[%d].ID", i), "…")
		case r.Status == bookings.PaymentPaid || r.Status == bookings.PaymentFailed:
			c.invalid = dynastay.Invalid(fmt.Sprintf("Refunds[%d].Status", i), "…")
		}
	}
	var got bookings.Cancellation
	c.do = func(on program, opts ...dynastay.WriteOption) (b *bookings.Booking, err error) {
		if got, err = on.repo.Cancel(context.Background(), id, s.reason, refunds, opts...); err == nil && got.Missing != nil {
			err = fmt.Errorf("nights are missing: %v", got.Missing)
		}
		return got.Booking, err
	}
	var made []bookings.Refund
	c.expected = func() (b worldBooking, no error) {
		if b, no = expected(); no != nil {
			return b, no
		}
		b, made, no = b.withRefunds(refunds, w.db.Now())
		return b, no
	}
	c.apply = func(b worldBooking) {
		apply(b)
		w.met.Add("cancel: refunds", len(made))
	}
	c.sees = func(b worldBooking, replayed bool) {
		require.Equal(w.t, b.summary(), got.Payment)
		var want []bookings.Refund
		for _, r := range refunds {
			made, there := b.refunds[r.ID]
			for n := 2; there; n++ {
				want = append(want, made.stands())
				if r.Amount.IsSet() || r.ProviderTransactionID != "" {
					break
				}
				made, there = b.refunds[fmt.Sprintf("%s_%d", r.ID, n)]
			}
		}
		require.Equal(w.t, want, got.Refunds)
		if due, no := b.due(b.cancelled); no == nil {
			require.Equal(w.t, dollars(max(0, due)), got.Due)
		} else {
			require.Zero(w.t, got.Due)
		}
	}
	c.varied = func(which int) worldWrite {
		other := slices.Clone(refunds)
		other[0].Reason += fmt.Sprint(which)
		return s.cancels(w, id, other)
	}
	return c
}

// withRefunds returns a cancelled booking with refunds, and those that have been recorded.
func (b worldBooking) withRefunds(refunds []bookings.Refund, now time.Time) (_ worldBooking, made []bookings.Refund, no error) {
	for i, r := range refunds {
		if !r.Amount.IsSet() {
			due, err := b.due(now)
			if err != nil {
				return b, nil, err
			}
			if due <= 0 {
				continue
			}
			of := []string{r.ProviderTransactionID}
			if r.ProviderTransactionID == "" {
				of = b.oldestPaid()
			} else if _, err := b.refunded(r); err != nil {
				return b, nil, dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
			}
			parts := 0
			for _, id := range of {
				part := r
				part.ProviderTransactionID, part.Amount = id, dollars(min(due, b.leftOf(id)))
				if part.Amount.Sign() == 0 {
					continue
				}
				if parts++; parts > 1 {
					part.ID = fmt.Sprintf("%s_%d", r.ID, parts)
				}
				due -= centsOf(part.Amount)
				if b, no = b.withRefund(part, now); no != nil {
					return b, nil, dynastay.Within(fmt.Sprintf("Refunds[%d]", i), no)
				}
				made = append(made, b.refunds[part.ID].stands())
			}
			continue
		}
		if b, no = b.withRefund(r, now); no != nil {
			return b, nil, dynastay.Within(fmt.Sprintf("Refunds[%d]", i), no)
		}
		made = append(made, b.refunds[r.ID].stands())
	}
	return b, made, nil
}

// oldestPaid returns the payments that have been made, as they were recorded.
func (b worldBooking) oldestPaid() []string {
	ids := b.made()
	slices.SortStableFunc(ids, func(id, other string) int { return b.payments[id].created.Compare(b.payments[other].created) })
	return ids
}

// due returns what is to be refunded of what has been paid, if the booking is cancelled now.
func (b worldBooking) due(now time.Time) (cents int64, no error) {
	paid, _, refunded := b.money()
	if paid <= refunded {
		return 0, nil // whatever the policies say
	}
	refundable, all := int64(0), int64(0)
	_, total, _ := b.sums()
	for _, l := range b.lines {
		percent, hours, known := terms(l.CancellationPolicy)
		if !known {
			return 0, &bookings.PolicyError{BookingID: b.id, RoomTypeID: l.RoomTypeID, Policy: l.CancellationPolicy}
		}
		weight := l.subtotal()
		if total == 0 {
			weight = int64(l.Quantity)
		}
		if !now.After(b.arrival().Add(-hours)) {
			refundable += percent * weight
		}
		all += 100 * weight
	}
	price := b.total() - b.kept
	returned := (2*price*refundable + all) / (2 * all) // rounded half up
	return paid - refunded - (b.total() - returned), nil
}

// terms are those of the policies that the rooms have.
func terms(policy availability.CancellationPolicy) (percent int64, until time.Duration, known bool) {
	switch policy {
	case "free_cancellation_48h":
		return 100, 48 * time.Hour, true
	case "partial_35_24h":
		return 35, 24 * time.Hour, true
	case "non_refundable":
		return 0, 0, true
	}
	return 0, 0, false
}

// arrival is 15:00 on the date of check-in, from which the hours of the policies count.
func (b worldBooking) arrival() time.Time {
	from := b.stay.CheckIn
	if !b.policyFrom.IsZero() {
		from = b.policyFrom
	}
	y, m, d := from.Time().Date()
	return time.Date(y, m, d, 15, 0, 0, 0, b.house.zone)
}

// toDeadline sets the clock around the deadline of a line, if that is still to come.
func (w *world) toDeadline(b worldBooking, around time.Duration) {
	for _, l := range b.lines {
		_, hours, _ := terms(l.CancellationPolicy)
		if at := b.arrival().Add(around - hours); at.After(w.db.Now()) {
			w.db.Clock.Set(at)
			return
		}
	}
}

// givesUp returns the cents that are kept of what a booking gives up for another stay or other rooms, and from which date
// of check-in the hours of its policies count afterwards, if that is not the new one.
func (b worldBooking) givesUp(stay dynastay.Stay, rooms map[string]int, now time.Time) (cents int64, from dynastay.Date) {
	if b.status == bookings.Pending {
		return 0, from
	}
	moved := b
	moved.stay, moved.policyFrom = stay, dynastay.Date{}
	_, priced, _ := b.sums()
	lost, all := new(big.Rat), new(big.Rat)
	any, reopens := false, false
	for _, l := range b.lines {
		percent, hours, known := terms(l.CancellationPolicy)
		given, whole := int64(0), int64(0) // by price, or by nights without one
		for i, price := range l.cents {
			if l.subtotal() == 0 {
				price = 1
			}
			left := 0
			if date := b.stay.CheckIn.AddDays(i); stay.Contains(date) {
				left = min(l.Quantity, rooms[l.RoomTypeID])
			}
			given, whole = given+price*int64(l.Quantity-left), whole+price*int64(l.Quantity)
		}
		weight := big.NewRat(l.subtotal(), 1)
		if priced == 0 {
			weight = big.NewRat(int64(l.Quantity), 1)
		}
		all.Add(all, weight)
		if !known {
			continue
		}
		open := !now.After(b.arrival().Add(-hours))
		reopens = reopens || given < whole && percent > 0 && !open && !now.After(moved.arrival().Add(-hours))
		any = any || given > 0
		if !open {
			percent = 0
		}
		part := big.NewRat(given*(100-percent), whole*100)
		lost.Add(lost, part.Mul(part, weight))
	}
	if !any {
		if b.policyFrom.Before(stay.CheckIn) {
			from = b.policyFrom
		}
		return 0, from
	}
	if reopens {
		if from = b.policyFrom; from.IsZero() {
			from = b.stay.CheckIn
		}
		if !from.Before(stay.CheckIn) {
			from = dynastay.Date{}
		}
	}
	price := big.NewRat(b.total()-b.kept, 1)
	back := new(big.Rat).Sub(price, lost.Mul(lost.Quo(lost, all), price))
	twice := new(big.Int).Div(back.Mul(back, big.NewRat(2, 1)).Num(), back.Denom()) // of the half cents, rounded down
	return b.total() - b.kept - (twice.Int64()+1)/2, from
}
