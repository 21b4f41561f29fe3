package bookings_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

var (
	dueStays = flag.Int("due.stays", 60, "number of random bookings that TestWhatIsDueWhen pays and changes")
	dueSeed  = flag.Uint64("due.seed", 0, "seed of these bookings; 0 draws one")
)

// Random bookings under random terms are paid, refunded, changed and moved. After each step, from when the next part is overdue is
// what a model says that works in another way: it asks how much was due by each date.
func TestWhatIsDueWhen(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*dueSeed, uint64(time.Now().UnixNano()))
	t.Logf("to repeat: -due.seed %d", seed)
	i := newInnWithPlans(t)
	met := map[string]int{}
	for n := range *dueStays {
		i = i.nextWithPlans(t)
		s := &dueStay{inn: i, t: t, random: rand.New(rand.NewPCG(seed, uint64(n))), met: met}
		s.make()
		for range 6 {
			s.step()
			s.agree()
		}
	}
	t.Log(met)
	for _, outcome := range []string{"booked", "paid", "refunded", "modified", "confirmed", "checked in", "cancelled", "something due"} {
		assert.NotZero(t, met[outcome], outcome)
	}
}

type dueStay struct {
	*inn
	t      *testing.T
	random *rand.Rand
	met    map[string]int
	req    availability.QuoteRequest
	b      *bookings.Booking
	paid   int64 // cents
	ids    []string
}

func (s *dueStay) make() {
	var want []under
	for range 1 + s.random.IntN(3) {
		plans := []string{"flex", "nonref", "half", "long", ""}
		want = append(want, under{plans[s.random.IntN(len(plans))], 1, adults(1 + s.random.IntN(2))})
	}
	from := innNights.CheckIn.AddDays(s.random.IntN(10))
	s.req = s.requestUnder(dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(1 + s.random.IntN(4))}, want...)
	for n := range s.req.Rooms { // those without a plan need a policy
		s.req.Rooms[n].CancellationPolicy = availability.FreeCancellation(24)
	}
	for n := range s.req.RatePlans {
		p := &s.req.RatePlans[n].Payment
		switch s.random.IntN(4) {
		case 0:
			p.Percent = dynastay.Percent(1 + s.random.IntN(100_00))
		case 1:
			p.Nights = 1 + s.random.IntN(4)
		}
		if s.random.IntN(2) == 0 && p.Percent < 100_00 {
			p.RestDays = 1 + s.random.IntN(12)
		}
	}
	q, err := availability.New(s.DB.DB).Quote(s.t.Context(), s.req)
	require.NoError(s.t, err)
	req := bookings.Request{Quote: q, UserID: "user_456", Guest: guest, TaxesAndFees: dollarsOf(fmt.Sprintf("%d.%02d", s.random.IntN(30), s.random.IntN(100)))}
	if s.random.IntN(2) == 0 {
		req.Hold = time.Hour
	}
	before, err := req.Instalments(s.DB.Now())
	require.NoError(s.t, err)
	s.b, err = s.repo.Create(s.t.Context(), req)
	require.NoError(s.t, err)
	after, err := s.b.Instalments()
	require.NoError(s.t, err)
	require.Equal(s.t, before, after, "what the guest was shown")
	s.met["booked"]++
	s.agree()
}

func (s *dueStay) step() {
	id, ctx := s.b.ID, s.t.Context()
	try := func(outcome string, err error) {
		if err == nil {
			s.met[outcome]++
		}
	}
	switch s.random.IntN(8) {
	case 0, 1:
		cents := 1 + s.random.Int64N(2*max(centsOf(s.b.Total), 1))
		tx := fmt.Sprint("ch_", len(s.ids))
		p := bookings.Payment{BookingID: id, Provider: "acme", ProviderTransactionID: tx, Method: "card", Amount: dollars(cents), Status: bookings.PaymentPaid}
		_, err := s.repo.RecordPayment(ctx, p)
		require.NoError(s.t, err)
		s.ids, s.paid = append(s.ids, tx), s.paid+cents
		s.met["paid"]++
	case 2:
		if len(s.ids) == 0 {
			return
		}
		r := bookings.Refund{ID: s.NewID("re_"), BookingID: id, ProviderTransactionID: s.ids[s.random.IntN(len(s.ids))], Amount: dollars(1 + s.random.Int64N(20_000))}
		_, err := s.repo.RecordRefund(ctx, r)
		if try("refunded", err); err == nil {
			s.paid -= centsOf(r.Amount)
		}
	case 3:
		_, err := s.repo.Confirm(ctx, id, nil)
		try("confirmed", err)
	case 4:
		s.Clock.Set(laterOf(s.Clock.Now(), s.b.Stay.CheckIn.Time().Add(time.Hour)))
		_, err := s.repo.CheckIn(ctx, id, nil)
		try("checked in", err)
	case 5:
		if s.random.IntN(3) == 0 {
			_, err := s.repo.Cancel(ctx, id, "", nil)
			try("cancelled", err)
		}
	case 6:
		req := s.req
		if s.random.IntN(2) == 0 {
			req.Stay.CheckIn = req.Stay.CheckIn.AddDays(s.random.IntN(6) - 2)
		}
		req.Stay.CheckOut = req.Stay.CheckIn.AddDays(1 + s.random.IntN(4))
		m, err := s.repo.QuoteModification(ctx, id, req)
		if err == nil {
			m.TaxesAndFees = dollarsOf("7.77")
			_, err = s.repo.Modify(ctx, m)
		}
		try("modified", err)
	case 7:
		s.Clock.Advance(time.Duration(s.random.IntN(72)) * time.Hour)
	}
}

func laterOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// dueBy returns how much of the total is due by the end of a date, in cents; the zero date is the time of the booking.
func (s *dueStay) dueBy(date dynastay.Date) int64 {
	if !slices.ContainsFunc(s.b.Lines, func(l bookings.Line) bool { return l.Plan != nil && l.Plan.Payment != payTerms{} }) {
		return 0 // nor of what was kept
	}
	due, kept := new(big.Rat), centsOf(s.b.Breakdown.Kept)
	booked := dynastay.MustDate(s.b.CreatedAt.Format(time.DateOnly)) // the inn is in UTC
	for _, l := range s.b.Lines {
		if l.Plan == nil {
			continue
		}
		t := l.Plan.Payment
		part := big.NewRat(int64(t.Percent), 100_00)
		if t.Nights > 0 {
			var first, all int64
			for n, night := range l.Nights {
				all += centsOf(night.Price)
				if n < t.Nights {
					first += centsOf(night.Price)
				}
			}
			part = big.NewRat(first, all)
		}
		if rest := s.b.Stay.CheckIn.AddDays(-t.RestDays); t.RestDays > 0 && (!rest.After(booked) || !date.IsZero() && !rest.After(date)) {
			part = big.NewRat(1, 1)
		}
		due.Add(due, part.Mul(part, big.NewRat(centsOf(l.Subtotal), centsOf(s.b.Breakdown.Rooms))))
	}
	due.Mul(due, big.NewRat(centsOf(s.b.Total)-kept, 1))
	cents, ok := new(big.Int).SetString(due.FloatString(0), 10)
	require.True(s.t, ok)
	return cents.Int64() + kept
}

// agree compares the booking with the model.
func (s *dueStay) agree() {
	var err error
	s.b, err = s.repo.Get(s.t.Context(), s.b.ID, dynastay.Consistent)
	require.NoError(s.t, err)
	var dueAt time.Time
	var now int64
	if s.dueBy(dynastay.Date{}) > 0 {
		now = s.dueBy(dynastay.Date{})
	}
	if now > s.paid {
		dueAt = s.b.CreatedAt
	}
	for date := dynastay.MustDate("2026-06-01"); date.Before(s.b.Stay.CheckIn); date = date.AddDays(1) {
		end := date.AddDays(1).Time()
		if by := s.dueBy(date); by > s.dueBy(dynastay.Date{}) {
			if dueAt.IsZero() && by > s.paid {
				dueAt = end
			}
			if !s.DB.Now().Before(end) {
				now = by
			}
		}
	}
	require.Equal(s.t, dueAt, s.b.DueAt, "paid %d of %s: %+v", s.paid, s.b.Total, s.b.Lines)
	checkDerived(s.t, s.DB, s.b.ID, s.b.Reference)
	listed := (s.b.Status == bookings.Confirmed || s.b.Status == bookings.CheckedIn) && !dueAt.IsZero()
	require.Equal(s.t, listed, len(s.overdue(s.t, s.b.ID, farAhead)) == 1)
	r := s.receipt(s.t, s.b.ID)
	if len(r.Instalments) == 0 {
		return
	}
	var sum, paid int64
	for _, one := range r.Instalments {
		sum, paid = sum+centsOf(one.Amount), paid+centsOf(one.Paid)
		require.Positive(s.t, one.Amount.Sign())
	}
	require.Equal(s.t, []int64{centsOf(s.b.Total), min(s.paid, centsOf(s.b.Total))}, []int64{sum, paid})
	require.Equal(s.t, max(now-s.paid, 0), centsOf(r.DueNow), "at %s: %v", s.DB.Now(), r.Instalments)
	if r.DueNow.Sign() > 0 {
		s.met["something due"]++
	}
}
