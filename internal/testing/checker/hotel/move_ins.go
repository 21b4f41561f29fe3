package hotel

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// moveIn is a booking of another system that is imported while the house sells, and imported again, as a load does that was
// broken off. It has an id of its own, and nobody moves it.
type moveIn struct {
	id      string
	stay    dynastay.Stay
	there   bool // it was acknowledged, or said to be there
	refused bool // so was each import of it
}

func (s *sales) moveIn(w *checker.Worker) {
	mark, quote := w.Mark(), s.hotel.quotes[w.Rand.IntN(len(s.hotel.quotes))]
	in := bookings.Import{
		ID: "pms-" + mark, Property: quote.Property, Stay: quote.Stay, Guests: quote.Guests, Guest: fixture.Request(quote).Guest,
		Status: bookings.Confirmed, CreatedAt: s.Base.Clock.Now().Add(-time.Hour), SpecialRequests: mark,
	}
	for _, line := range quote.Lines {
		in.Rooms = append(in.Rooms, availability.Room{
			RoomTypeID: line.RoomTypeID, Name: line.Name, Quantity: line.Quantity, Agreed: slices.Repeat([]dynastay.Money{line.Nights[0].Price}, in.Stay.Nights()),
			Limits: availability.Limits{MaxOccupancy: 4, MaxAdults: 4, MaxChildren: 2},
		})
	}
	m := &moveIn{id: in.ID, stay: in.Stay, refused: true}
	s.mu.Lock()
	s.movedIn[mark] = m
	s.mu.Unlock()
	mayRefuse := checker.Refusal(soldOut)
	for range 1 + w.Rand.IntN(3) {
		var told error
		v := w.Call("import", (&ask{quote: quote}).items(mark), "", mayRefuse, func(ctx context.Context) error {
			_, told = officeOf(w).bookings.Import(ctx, in)
			return told
		})
		exists := errors.Is(told, dynastay.ErrAlreadyExists)
		if exists && m.refused {
			s.Differ("an import that was refused exists", mark, "%s", m.id)
		}
		m.there, m.refused = m.there || v == checker.Acknowledged || exists, m.refused && v == checker.Refused && !exists
		mayRefuse = checker.Refusal(soldOut).Or(checker.RefusedBy(dynastay.ErrAlreadyExists))
		if m.there {
			mayRefuse = checker.RefusedBy(dynastay.ErrAlreadyExists) // it has its rooms, however many are left
		}
	}
}

func (s *sales) checkMovedIn(all map[string]*found) {
	for mark, m := range s.movedIn {
		f := all[m.id]
		switch {
		case f == nil && m.there:
			s.Differ("an import is lost", mark, "%s", m.id)
		case f == nil:
		case m.refused:
			s.Differ("an import that was refused", mark, "%s is stored", m.id)
		case f.mark() != mark || f.status() != bookings.Confirmed || len(slices.Compact(f.nights())) < m.stay.Nights():
			s.Differ("an import that is not what it was", mark, "%v", f.plain)
		}
	}
}
