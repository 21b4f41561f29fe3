package hotel

import (
	"errors"
	"maps"
	"slices"

	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// stayLife is what has become of a booking.
type stayLife struct {
	*found
	ask      *ask
	id       string
	kinds    []string             // of the moves that can be seen, in order
	by       map[string]*stayMove // the move of each kind that has left something behind
	all      []*stayMove          // that were tried
	statuses []during             // from its creation on
	tried    []*modification      // all of them
	modified []*modification      // that were carried out, by version
	told     []*notice            // all of them
	certain  []*notice            // that were carried out
	maybe    []*notice            // of which nobody knows
	uses     []use                // of promo codes
}

// during is a status, and the time within which the booking can have had it.
type during struct {
	status bookings.Status
	checker.Span
}

// first is the status with which the booking was made.
func (l *stayLife) first() bookings.Status {
	if l.ask.hold > 0 {
		return bookings.Pending
	}
	return bookings.Confirmed
}

// kindsOf are the moves that a booking shows, by its status and its times.
func (f *found) kindsOf(held bool) (kinds []string) {
	if held && !f.at("ConfirmedAt").IsZero() {
		kinds = append(kinds, confirming)
	}
	if !f.at("CheckedInAt").IsZero() {
		kinds = append(kinds, checkingIn)
	}
	if !f.at("CheckedOutAt").IsZero() {
		kinds = append(kinds, checkingOut)
	}
	for _, kind := range []string{missing, cancelling, expiring} {
		if leadsTo[kind] == f.status() {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// checkMoves compares the moves with the bookings: those that were acknowledged can be seen, once each, those that were
// refused cannot, and what can be seen was made by somebody.
func (s *sales) checkMoves(all map[string]*found) {
	lives := map[string]*stayLife{}
	for id, f := range all {
		if a := s.asked[f.mark()]; a != nil {
			lives[id] = &stayLife{found: f, ask: a, id: id, kinds: f.kindsOf(a.hold > 0), by: map[string]*stayMove{}}
		}
	}
	receipts := checker.Stored(s.Run, receiptEntity)
	for mark, m := range s.moves {
		l := lives[m.booking.id]
		if l == nil {
			continue // the booking is lost, which is told elsewhere
		}
		l.all = append(l.all, m)
		s.checkTraces(l, m, receipts[mark])
		delete(receipts, mark)
	}
	s.checkModifications(lives, receipts)
	s.checkNotices(lives, receipts)
	for mark, r := range receipts {
		s.Differ("a receipt that nobody wrote", r.Of, "%s of %s", r.Kind, mark)
	}
	for _, id := range slices.Sorted(maps.Keys(lives)) {
		l := lives[id]
		s.checkLife(l)
		s.checkModified(l)
		s.checkTimes(l)
		s.checkAuthors(l)
		s.checkRefusals(l)
		s.checkRecords(l)
		s.checkAccount(l)
		s.checkContradictions(l)
		s.checkPromo(l)
	}
	s.checkPromos(lives, all)
	s.checkSources(lives)
}

// checkTraces looks for what a move has left behind, which is all or nothing.
func (s *sales) checkTraces(l *stayLife, m *stayMove, r *checker.Receipt) {
	if r != nil && *r != (checker.Receipt{ID: m.Mark, Kind: m.kind, Of: m.booking.id}) {
		s.Differ("a receipt of something else", m.Items, "%v of %s", *r, m.Mark)
	}
	var traces []bool
	if m.receipt {
		traces = append(traces, r != nil)
	}
	if m.kind == cancelling {
		traces = append(traces, l.text("CancellationReason") == m.Mark)
	}
	if m.rooms != nil {
		for _, line := range l.lines {
			traces = append(traces, line["RoomId"] == roomFor(m.Mark, line["RoomTypeId"].(string)))
		}
	}
	if m.notice != nil && (m.kind == confirming || m.notice.refund.Amount.IsSet()) {
		traces = append(traces, m.notice.recorded(l))
	}
	if len(traces) == 0 {
		return
	}
	done := traces[0]
	if m.notice != nil {
		m.notice.carried = done
	}
	if slices.Contains(traces, !done) {
		s.Differ("a move that is half done", m.Items, "%s %s of %s", m.Mark, m.kind, m.booking.id)
	}
	switch v := m.Verdict(); {
	case done && v == checker.Refused:
		s.Differ("a move that was refused", m.Items, "%s %s of %s is done", m.Mark, m.kind, m.booking.id)
	case !done && v == checker.Acknowledged:
		s.Differ("a move is lost, or acknowledged twice", m.Items, "%s %s of %s", m.Mark, m.kind, m.booking.id)
	case done && l.by[m.kind] != nil:
		s.Differ("a move that was made twice", m.Items, "%s of %s by %s and %s", m.kind, m.booking.id, m.Mark, l.by[m.kind].Mark)
	case done:
		l.by[m.kind] = m
	}
}

// checkLife follows a booking from its creation to its status.
func (s *sales) checkLife(l *stayLife) {
	status := l.first()
	for _, kind := range l.kinds {
		if !slices.Contains(possible[status], kind) {
			s.Differ("moves that contradict each other", l.id, "%v", l.kinds)
		}
		status = leadsTo[kind]
	}
	if status != l.status() || l.plain["Version"] != float64(1+len(l.kinds)+len(l.modified)) {
		s.Differ("a booking that does not follow from its moves", l.id, "%v: %v", l.kinds, l.plain)
	}
	has := func(name string) bool { _, has := l.plain[name]; return has }
	if has("HoldExpiresAt") != (l.ask.hold > 0 && !has("ConfirmedAt")) || has("ConfirmedAt") != (l.ask.hold == 0 || slices.Contains(l.kinds, confirming)) ||
		has("CancelledAt") != (status == bookings.Cancelled) || has("CancellationReason") != (status == bookings.Cancelled) {
		s.Differ("a booking with the attributes of another status", l.id, "%v: %v", l.kinds, l.plain)
	}
	for _, line := range l.lines {
		if by := l.by[checkingIn]; line["RoomId"] != nil && (by == nil || by.rooms == nil) {
			s.Differ("rooms that nobody assigned", l.id, "%v", line)
		}
	}
}

// checkTimes compares the time of each move with when it was possible.
func (s *sales) checkTimes(l *stayLife) {
	end := l.at("CreatedAt").Add(l.ask.hold)
	if at := l.at("HoldExpiresAt"); !at.IsZero() && !at.Equal(end) {
		s.Differ("a hold with another end", l.id, "%s instead of %s", at, end)
	}
	if at := l.at("ConfirmedAt"); l.ask.hold == 0 && !at.Equal(end) {
		s.Differ("a booking that was not confirmed when it was made", l.id, "but at %s", at)
	}
	if l.status() == bookings.Pending && l.ask.hold < endless {
		s.Differ("a hold that no sweep has ended", l.id, "until %s", end)
	}
	for _, kind := range l.kinds {
		late := kind == confirming && !l.at("ConfirmedAt").Before(end)
		early := kind == expiring && l.at("UpdatedAt").Before(end.Add(grace)) || (kind == checkingIn || kind == missing) && !l.ask.arrives()
		if late || early {
			s.Differ("a move at the wrong time", l.id, "%s, held until %s: %v", kind, end, l.plain)
		}
	}
}

// checkAuthors finds the call that has made each move of a booking: the one that has left something behind, or the one
// that was acknowledged, or any that may have been carried out.
func (s *sales) checkAuthors(l *stayLife) {
	l.statuses = []during{{l.first(), checker.Since(0)}}
	for _, kind := range slices.Sorted(maps.Keys(leadsTo)) {
		certain, maybe := s.authors(l, kind)
		there := slices.Contains(l.kinds, kind)
		switch {
		case len(certain) > 1:
			s.Differ("a move that was acknowledged twice", l.id, "%s", kind)
		case len(certain) > 0 && !there:
			s.Differ("a move that cannot be seen", l.id, "%s: %v", kind, l.plain)
		case there && len(certain) == 0 && !maybe:
			s.Differ("a move that nobody made", l.id, "%s: %v", kind, l.plain)
		}
	}
	for _, kind := range l.kinds {
		within := checker.Since(0)
		if certain, _ := s.authors(l, kind); len(certain) == 1 {
			within = certain[0]
		}
		last := &l.statuses[len(l.statuses)-1]
		if last.To = within.To; last.From > last.To {
			s.Differ("moves in the wrong order", l.id, "%v", l.kinds)
		}
		l.statuses = append(l.statuses, during{leadsTo[kind], checker.Since(within.From)})
	}
}

// authors are when those calls ran that have certainly made a move of a kind, and whether there are others that may
// have.
func (s *sales) authors(l *stayLife, kind string) (certain []checker.Span, maybe bool) {
	if by := l.by[kind]; by != nil {
		certain = append(certain, by.Within)
	}
	for _, m := range l.all {
		if m.kind != kind || m.traces() {
			continue
		}
		switch m.Verdict() {
		case checker.Acknowledged:
			certain = append(certain, m.Within)
		case checker.Unknown:
			maybe = true
		}
	}
	if kind == expiring {
		for _, sweep := range s.sweeps {
			if slices.Contains(sweep.ended, l.id) {
				certain = append(certain, sweep.within)
			}
			maybe = maybe || !sweep.whole
		}
	}
	return certain, maybe
}

// checkRefusals compares each refusal with the statuses that the booking can have had during the call.
func (s *sales) checkRefusals(l *stayLife) {
	deeds := make([]*checker.Deed, 0, len(l.all)+len(l.tried))
	for _, m := range l.all {
		deeds = append(deeds, m.Deed)
	}
	for _, m := range l.tried {
		deeds = append(deeds, m.Deed)
	}
	for _, m := range deeds {
		for _, told := range m.Refusals {
			var state *bookings.StatusError
			if !errors.As(told.Err, &state) {
				continue // of a modification, which is checked elsewhere
			}
			if state.BookingID != l.id || !slices.ContainsFunc(l.statuses, func(d during) bool {
				return d.status == state.Status && d.Meets(told.Span)
			}) {
				s.Differ("a refusal that was not true", m.Items, "%s %s of %s: %v", m.Mark, m.Name, l.id, told.Err)
			}
		}
	}
}
