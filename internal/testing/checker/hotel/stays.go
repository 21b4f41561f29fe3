package hotel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// receiptEntity are the receipts of moves, modifications, payments and refunds.
var receiptEntity = checker.ReceiptsIn("Receipts")

// The kinds of moves. Each of them leads to one status.
const (
	confirming  = "confirm"
	expiring    = "expire"
	cancelling  = "cancel"
	checkingIn  = "check in"
	checkingOut = "check out"
	missing     = "no-show"
)

var leadsTo = map[string]bookings.Status{
	confirming: bookings.Confirmed, expiring: bookings.Expired, cancelling: bookings.Cancelled,
	checkingIn: bookings.CheckedIn, checkingOut: bookings.Completed, missing: bookings.NoShow,
}

// possible are the moves of a booking by its status. One that has none is at its end.
var possible = map[bookings.Status][]string{
	bookings.Pending:   {confirming, expiring, cancelling},
	bookings.Confirmed: {checkingIn, missing, cancelling},
	bookings.CheckedIn: {checkingOut},
}

// stayMove is one call that moves a booking. What it leaves behind tells that it was this one: a receipt, the reason of
// a cancellation, the rooms that a check-in assigns, a payment or a refund. It may leave nothing.
type stayMove struct {
	*checker.Deed
	booking *ask
	kind    string
	receipt bool
	rooms   bookings.Assigned
	notice  *notice // of a payment that a confirmation records, or a refund; nil for none
}

// traces reports whether the move leaves something behind.
func (m *stayMove) traces() bool {
	return m.receipt || m.kind == cancelling || m.rooms != nil || m.notice != nil
}

// move moves a booking, as others do at the same time.
func (s *sales) move(w *checker.Worker) {
	if a, status := s.pick(w); a != nil {
		s.moved.Do(w, func(keyed bool) *stayMove {
			kinds := a.likely(w, status)
			return s.newMove(w, a, kinds[w.Rand.IntN(len(kinds))], keyed)
		})
	}
}

// likely are the moves of a booking that its status allows, as far as it is known, and the time; sometimes all.
func (a *ask) likely(w *checker.Worker, status bookings.Status) []string {
	switch ended := !w.Now().Before(a.held); {
	case len(possible[status]) == 0, w.OneIn(5):
		return []string{confirming, expiring, cancelling, checkingIn, checkingOut, missing}
	case status == bookings.Pending && ended:
		return []string{confirming, expiring}
	case status == bookings.Pending:
		return []string{confirming, cancelling}
	case status == bookings.Confirmed && !a.arrives():
		return []string{cancelling}
	}
	return possible[status]
}

func (s *sales) newMove(w *checker.Worker, a *ask, kind string, keyed bool) *stayMove {
	mark := w.Mark()
	m := &stayMove{booking: a, kind: kind, receipt: w.OneIn(2)}
	s.withNotice(w, m, mark)
	if kind == checkingIn && !w.OneIn(3) {
		m.rooms = bookings.Assigned{}
		for _, line := range a.quote.Lines {
			m.rooms[line.RoomTypeID] = []string{roomFor(mark, line.RoomTypeID)}
		}
	}
	m.Deed = w.Deed(mark, kind, a.items(a.id), a.id, keyed, checker.Refusal(impossible).Or(contradicted),
		func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
			op, result := m.part(p)
			if m.receipt {
				parts = append(parts, officeOf(p).receipts.CreateOp(&checker.Receipt{ID: mark, Kind: kind, Of: a.id}))
			}
			from := p.Now()
			err := p.Write(ctx, append(parts, op)...)
			var state *bookings.StatusError
			switch {
			case err == nil:
				s.checkResult(m, result(), keyed)
			case errors.As(err, &state):
				if !m.justified(state, times{from, p.Now()}) {
					s.Differ("a refusal without the reason that it names", m.Items, "%s %s, held until %s: %v", mark, kind, a.held, err)
				}
				s.told(a, state.Status)
			}
			return err
		})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moves[mark] = m
	return m
}

// roomFor is the room that a check-in assigns, and nobody else.
func roomFor(mark, roomTypeID string) string { return mark + "/" + roomTypeID }

func impossible(err error) bool {
	var state *bookings.StatusError
	return errors.As(err, &state)
}

// part is the operation of the move, and its result.
func (m *stayMove) part(p *checker.Process) (dynastay.Part, func() bookings.Cancellation) {
	moved := func(op *dynastay.Operation[*bookings.Booking]) (dynastay.Part, func() bookings.Cancellation) {
		return op, func() bookings.Cancellation { return bookings.Cancellation{Booking: op.Result()} }
	}
	ended := func(op *dynastay.Operation[bookings.Cancellation]) (dynastay.Part, func() bookings.Cancellation) {
		return op, op.Result
	}
	switch m.kind {
	case confirming:
		var payments []bookings.Payment
		if m.notice != nil {
			payments = append(payments, *m.notice.payment)
		}
		return moved(officeOf(p).bookings.ConfirmOp(m.booking.id, payments))
	case checkingIn:
		return moved(officeOf(p).bookings.CheckInOp(m.booking.id, m.rooms))
	case checkingOut:
		return moved(officeOf(p).bookings.CheckOutOp(m.booking.id))
	case missing:
		return moved(officeOf(p).bookings.NoShowOp(m.booking.id))
	case expiring:
		return ended(officeOf(p).bookings.ExpireOp(m.booking.id))
	}
	var refunds []bookings.Refund
	if m.notice != nil {
		refunds = append(refunds, *m.notice.refund)
	}
	return ended(officeOf(p).bookings.CancelOp(m.booking.id, m.Mark, refunds))
}

// checkResult compares what a move returned with what it was to do. Under a key it may be what has become of the
// booking since.
func (s *sales) checkResult(m *stayMove, c bookings.Cancellation, keyed bool) {
	b := c.Booking
	if b.ID != m.booking.id || !keyed && b.Status != leadsTo[m.kind] || slices.Contains(possible[b.Status], m.kind) || len(c.Missing) > 0 {
		s.Differ("a move with another result", m.Items, "%s %s returned %s, which is %s, with %v missing", m.Mark, m.kind, b.ID, b.Status, c.Missing)
	}
	s.told(m.booking, b.Status)
	if m.notice != nil {
		if m.kind == cancelling {
			s.checkRefunded(m, c, keyed)
		}
		s.announce(m.notice, c.Refunds)
	}
}

// times are those of a call, by the clock of its process.
type times struct{ from, to time.Time }

// justified reports whether what a refusal names, the status or the time, can have been its reason.
func (m *stayMove) justified(refusal *bookings.StatusError, call times) bool {
	switch refusal.Err {
	case nil:
		return !slices.Contains(possible[refusal.Status], m.kind)
	case bookings.ErrHoldEnded:
		return m.kind == confirming && !call.to.Before(m.booking.held)
	case bookings.ErrHoldOpen:
		return m.kind == expiring && call.from.Before(m.booking.held.Add(grace))
	case bookings.ErrTooEarly:
		return m.kind == checkingIn && !m.booking.arrives()
	case bookings.ErrStillExpected:
		return m.kind == missing && !m.booking.arrives()
	}
	return false
}

// sweep is one call that ends all holds that are over.
type sweep struct {
	within checker.Span
	ended  []string
	whole  bool // nothing else can have been ended
}

func (s *sales) sweep(w *checker.Worker) *sweep {
	of := &sweep{within: checker.Since(w.Moment())}
	w.Call("sweep", "", "", checker.Never, func(ctx context.Context) error {
		done, err := officeOf(w).bookings.ExpireHolds(ctx)
		of.ended, of.whole = done.Expired, err == nil
		if len(done.Missing) > 0 {
			s.Differ("a night that is not missing", strings.Join(done.Expired, " "), "%v", done.Missing)
		}
		return err
	})
	of.within.To = w.Moment()
	s.mu.Lock()
	s.sweeps = append(s.sweeps, of)
	var ended []*ask
	for _, a := range s.open {
		if slices.Contains(of.ended, a.id) {
			ended = append(ended, a)
		}
	}
	s.mu.Unlock()
	for _, a := range ended {
		s.told(a, bookings.Expired)
	}
	return of
}

// sweepAll ends at last all holds that end at all, for which one sweep is enough.
func (s *sales) sweepAll(w *checker.Worker) {
	s.Base.Clock.Advance(time.Minute)
	s.sweep(w)
	if again := s.sweep(w); !again.whole || len(again.ended) > 0 {
		s.Differ("a sweep that has left something", "", "%v", again.ended)
	}
}
