package checker

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// modification is one call that gives a booking other nights. Its receipt tells that it was this one, and so do its taxes
// and fees while no other one follows.
type modification struct {
	*deed
	booking *ask
	to      bookings.Modification
}

const modifying = "modify"

// modify quotes a booking anew, for a stay that others want too, and modifies it. A booking of tonight keeps its rooms, to
// which guests may be checking in, and gets other fees.
func (s *sales) modify(w *worker) {
	a, _ := s.pick(w)
	if a == nil {
		return
	}
	to := s.hotel.quotes[w.rand.IntN(len(s.hotel.quotes))]
	if a.arrives() {
		to = a.quote
	}
	request := availability.QuoteRequest{Property: to.Property, Stay: to.Stay, Guests: availability.Guests{Adults: 1}}
	for _, line := range to.Lines {
		request.Rooms = append(request.Rooms, availability.Room{
			RoomTypeID: line.RoomTypeID, Name: line.Name, Quantity: 1, Limits: s.hotel.Rooms[0].Limits, CancellationPolicy: line.CancellationPolicy,
		})
	}
	quoted, err := bookings.New(s.db.Direct, nil).QuoteModification(context.Background(), a.id, request)
	switch {
	case notModified(err):
		return
	case err != nil:
		s.differ("a quote that failed", a.id, "%v", err)
		return
	}
	s.modified.do(w, func(keyed bool) *modification { return s.newModification(w, a, quoted, keyed) })
}

func (s *sales) newModification(w *worker, a *ask, to bookings.Modification, keyed bool) *modification {
	mark := w.mark()
	s.mu.Lock()
	defer s.mu.Unlock()
	to.TaxesAndFees, _ = dynastay.MoneyOfMinor(int64(len(s.modifications)+1), "USD")
	m := &modification{booking: a, to: to}
	m.deed = w.deed(mark, modifying, a.items(a.id), a.id, keyed, notModified,
		func(ctx context.Context, p *process, parts ...dynastay.Part) error {
			op := p.bookings.ModifyOp(to)
			err := p.Write(ctx, append(parts, p.receipts.CreateOp(&receipt{mark, a.id, modifying}), op)...)
			var state *bookings.StateError
			switch {
			case err == nil:
				b := op.Result().Booking
				if b.ID != a.id || !keyed && (b.Version != to.Version+1 || b.Breakdown.TaxesAndFees != to.TaxesAndFees || b.Stay != to.Quote.Stay) {
					s.differ("a modification with another result", m.items, "%s returned version %d of %s", mark, b.Version, b.ID)
				}
				if missing := op.Result().Missing; len(missing) > 0 {
					s.differ("a night that is not missing", m.items, "%v", missing)
				}
				s.told(a, b.Status)
			case errors.As(err, &state):
				s.told(a, state.Status)
			}
			return err
		})
	s.modifications = append(s.modifications, m)
	return m
}

func notModified(err error) bool {
	var state *bookings.StateError
	var nights *bookings.Refused
	return errors.As(err, &state) || errors.As(err, &nights) || errors.Is(err, dynastay.ErrVersion)
}

// checkModifications finds the modifications that were carried out by their receipts, for the booking that they are about.
func (s *sales) checkModifications(lives map[string]*stayLife, receipts map[string]*receipt) {
	for _, m := range s.modifications {
		l := lives[m.booking.id]
		r := receipts[m.mark]
		delete(receipts, m.mark)
		if l == nil {
			continue // the booking is lost, which is told elsewhere
		}
		l.tried = append(l.tried, m)
		switch v := m.verdict(); {
		case r != nil && *r != (receipt{m.mark, m.booking.id, modifying}):
			s.differ("a receipt of something else", m.items, "%v of %s", *r, m.mark)
		case r != nil && v == refused:
			s.differ("a modification that was refused", m.items, "%s of %s is done", m.mark, l.id)
		case r == nil && v == acknowledged:
			s.differ("a modification is lost, or acknowledged twice", m.items, "%s of %s", m.mark, l.id)
		case r != nil:
			l.modified = append(l.modified, m)
		}
		for _, told := range m.refusals {
			if errors.Is(told.err, dynastay.ErrVersion) && l.plain["Version"].(float64) <= float64(m.to.Version) {
				s.differ("a refusal that was not true", m.items, "%s of %s: %v", m.mark, l.id, told.err)
			}
		}
	}
}

// checkModified compares a booking with its last modification. Each of them was of another version, and none was of one that
// the booking did not have.
func (s *sales) checkModified(l *stayLife) {
	slices.SortFunc(l.modified, func(a, b *modification) int { return cmp.Compare(a.to.Version, b.to.Version) })
	want, fees := nightsOf(l.ask.quote), 0.0
	for i, m := range l.modified {
		if i > 0 && m.to.Version == l.modified[i-1].to.Version || float64(m.to.Version) >= l.plain["Version"].(float64) {
			s.differ("two modifications of one version", l.id, "%s of %d", m.mark, m.to.Version)
		}
		cents, err := m.to.TaxesAndFees.Minor()
		if err != nil {
			s.differ("an amount that is none", l.id, "%v", err)
		}
		want, fees = nightsOf(m.to.Quote), float64(cents)/100
	}
	if got := l.nights(); !slices.Equal(got, want) {
		s.differ("a booking of other nights", l.id, "it has %v, and %v were asked for", got, want)
	}
	if got := l.plain["PriceBreakdown"].(map[string]any)["TaxesAndFees"]; got != fees {
		s.differ("a booking with the fees of another modification", l.id, "%v instead of %v", got, fees)
	}
}
