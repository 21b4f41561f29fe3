package hotel

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// modification is one call that gives a booking other nights, or another guest, and perhaps another promo code. Its
// receipt tells that it was this one, and so do its taxes and fees or, with charges, the guest's name, while no other one
// follows.
type modification struct {
	*checker.Deed
	booking *ask
	to      bookings.Modification
}

const modifying = "modify"

// modify quotes a booking anew, for a stay that others want too, and modifies it. A booking of tonight keeps its rooms,
// to which guests may be checking in, and gets other fees.
func (s *sales) modify(w *checker.Worker) {
	a, _ := s.pick(w)
	if a == nil {
		return
	}
	if w.OneIn(2) {
		s.edit(w, a)
		return
	}
	to := s.hotel.quotes[w.Rand.IntN(len(s.hotel.quotes))]
	if a.arrives() {
		to = a.quote
	}
	request := availability.QuoteRequest{
		Property: to.Property, Stay: to.Stay, Guests: availability.Guests{Adults: len(to.Lines)}, RatePlans: s.hotel.plans,
	}
	for _, line := range to.Lines {
		room := availability.Room{
			RoomTypeID: line.RoomTypeID, Name: line.Name, Quantity: 1, Limits: s.hotel.Rooms[0].Limits, CancellationPolicy: line.CancellationPolicy,
		}
		if line.Plan != nil {
			room.RatePlanID = line.Plan.ID
		}
		for _, night := range line.Nights {
			if line.Agreed {
				room.Agreed = append(room.Agreed, night.Price)
			}
		}
		request.Rooms = append(request.Rooms, room)
	}
	if to.Charges != nil || a.quote.Charges != nil {
		request.Charges = s.hotel.charges
	}
	quoted, err := bookings.New(s.Base.Direct, nil).QuoteModification(context.Background(), a.id, request)
	switch {
	case notModified(err):
		return
	case err != nil:
		s.Differ("a quote that failed", a.id, "%v", err)
		return
	}
	if request.Charges == nil && w.OneIn(3) {
		s.exchange(w, a, &quoted, checker.Minor(quoted.Quote.Total))
	}
	s.modified.Do(w, func(keyed bool) *modification { return s.newModification(w, a, quoted, keyed) })
}

// edit gives a booking another promo code and another guest, and nothing else. With another guest, it changes in any
// case.
func (s *sales) edit(w *checker.Worker, a *ask) {
	b, err := bookings.New(s.Base.Direct, nil).Get(context.Background(), a.id, dynastay.Consistent)
	if err != nil {
		s.Differ("a booking that cannot be read", a.id, "%v", err)
		return
	}
	to := bookings.Modification{BookingID: a.id, Version: b.Version}
	if b.Charges == nil { // charges would follow the discount
		s.exchange(w, a, &to, checker.Minor(b.Breakdown.Rooms))
	}
	if b.Charges == nil && w.OneIn(3) {
		to.PromoCode, to.Discounts = &b.PromoCode, b.Breakdown.Discounts
	}
	s.modified.Do(w, func(keyed bool) *modification { return s.newModification(w, a, to, keyed) })
}

// exchange draws another promo code for a booking with rooms at a price, or none, or the one that it has.
func (s *sales) exchange(w *checker.Worker, a *ask, to *bookings.Modification, rooms int64) {
	text, told := s.typed(w, a, rooms)
	if text == "" && w.OneIn(2) {
		told, _ = dynastay.MoneyOfMinor(0, "USD")
	}
	to.PromoCode, to.Discounts = &text, told
}

func (s *sales) newModification(w *checker.Worker, a *ask, to bookings.Modification, keyed bool) *modification {
	mark := w.Mark()
	s.mu.Lock()
	defer s.mu.Unlock()
	if to.Quote != nil && to.Quote.Charges == nil {
		to.TaxesAndFees, _ = dynastay.MoneyOfMinor(int64(len(s.modifications)+1), "USD")
	} else { // charges are not its own
		guest := fixture.Request(a.quote).Guest
		guest.FirstName, to.Guest = mark, &guest
	}
	note(w, mark, &to)
	m := &modification{booking: a, to: to}
	m.Deed = w.Deed(mark, modifying, a.items(a.id), a.id, keyed, notModified,
		func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
			op := officeOf(p).bookings.ModifyOp(to)
			err := p.Write(ctx, append(m.Leave(officeOf(p).receipts, parts), op)...)
			var state *bookings.StatusError
			switch {
			case err == nil:
				b := op.Result().Booking
				if b.ID != a.id || !keyed && (b.Version != to.Version+1 || !m.seen(b)) {
					s.Differ("a modification with another result", m.Items, "%s returned version %d of %s", mark, b.Version, b.ID)
				}
				if missing := op.Result().Missing; len(missing) > 0 {
					s.Differ("a night that is not missing", m.Items, "%v", missing)
				}
				s.told(a, b.Status)
			case errors.As(err, &state):
				s.told(a, state.Status)
			}
			return err
		})
	m.Receipt = &checker.Receipt{ID: mark, Kind: modifying, Of: a.id}
	s.modifications = append(s.modifications, m)
	return m
}

// seen reports whether a booking is what the modification makes of it.
func (m *modification) seen(b *bookings.Booking) bool {
	if m.to.Guest != nil && b.Guest.FirstName != m.Mark {
		return false
	}
	return m.to.Quote == nil || checker.Minor(b.Breakdown.TaxesAndFees) == m.fees() && b.Stay == m.to.Quote.Stay
}

// fees are the taxes and fees that a modification with a quote makes the booking have.
func (m *modification) fees() int64 {
	if m.to.Quote.Charges != nil {
		return checker.Minor(m.to.Quote.Charges.Added)
	}
	return checker.Minor(m.to.TaxesAndFees)
}

func notModified(err error) bool {
	var state *bookings.StatusError
	var nights *bookings.Refused
	var told *dynastay.InvalidError // a deadline has passed since the quote, the booking has charges since, or its code has ended
	return errors.As(err, &state) || errors.As(err, &nights) || errors.Is(err, dynastay.ErrVersion) || unusable(err) ||
		errors.As(err, &told) && slices.Contains([]string{"Kept", "Charges", "Quote.Charges", "Discounts", "Quote.Discounts"}, told.Field)
}

// checkModifications finds the modifications that were carried out by their receipts, for the booking that they are
// about.
func (s *sales) checkModifications(lives map[string]*stayLife, receipts map[string]*checker.Receipt) {
	for _, m := range s.modifications {
		l, done := lives[m.booking.id], receipts[m.Mark] != nil
		s.Decide(m.Deed, receipts)
		if l == nil {
			continue // the booking is lost, which is told elsewhere
		}
		l.tried = append(l.tried, m)
		if done {
			l.modified = append(l.modified, m)
		}
		for _, told := range m.Refusals {
			if errors.Is(told.Err, dynastay.ErrVersion) && l.plain["Version"].(float64) <= float64(m.to.Version) {
				s.Differ("a refusal that was not true", m.Items, "%s of %s: %v", m.Mark, l.id, told.Err)
			}
		}
	}
}

// checkModified compares a booking with its last modification. Each of them was of another version, and none was of one
// that the booking did not have.
func (s *sales) checkModified(l *stayLife) {
	slices.SortFunc(l.modified, func(a, b *modification) int { return cmp.Compare(a.to.Version, b.to.Version) })
	want, fees, guest, bill := nightsOf(l.ask.quote), int64(0), fixture.Request(l.ask.quote).Guest.FirstName, l.ask.quote.Charges
	if bill != nil {
		fees = checker.Minor(bill.Added)
	}
	for i, m := range l.modified {
		if i > 0 && m.to.Version == l.modified[i-1].to.Version || float64(m.to.Version) >= l.plain["Version"].(float64) {
			s.Differ("two modifications of one version", l.id, "%s of %d", m.Mark, m.to.Version)
		}
		if m.to.Quote != nil {
			want, fees, bill = nightsOf(m.to.Quote), m.fees(), m.to.Quote.Charges
		}
		if m.to.Guest != nil {
			guest = m.Mark
		}
	}
	if got := l.nights(); !slices.Equal(got, want) {
		s.Differ("a booking of other nights", l.id, "it has %v, and %v were asked for", got, want)
	}
	if got := l.plain["PriceBreakdown"].(map[string]any)["TaxesAndFees"]; checker.Cents(got) != fees {
		s.Differ("a booking with the fees of another modification", l.id, "%v instead of %d cents", got, fees)
	}
	if text := l.otherCharges(bill); text != "" {
		s.Differ("a booking with the charges of another modification", l.id, "%s", text)
	}
	if got := l.plain["GuestInfo"].(plain)["FirstName"]; got != guest {
		s.Differ("a booking with the guest of another modification", l.id, "%v instead of %s", got, guest)
	}
}
