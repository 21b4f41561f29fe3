package property

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// statuses are the calls that change the status of a property, by property.
type statuses struct {
	mu     sync.Mutex
	moves  map[string][]*statusMove
	nights map[string]int // of the properties that have some
}

// statusMove is one call. If it fails after it has changed the status, because it could not finish with the nights, its
// answer is an error, so only the status that refuses it proves that nothing was written.
type statusMove struct {
	checker.Span
	to           properties.Status
	acknowledged bool
	refused      bool
}

var openDates = dynastay.MustStay("2026-10-01", "2026-10-06")

// openSome opens nights of the room types that a property is made with.
func (l *listings) openSome(made *properties.WithRooms) {
	for _, room := range made.Rooms {
		_, err := availability.New(l.Base.Direct).Open(l.T.Context(), availability.OpenRequest{
			PropertyID: made.ID, RoomTypeID: room.ID, Nights: openDates, Rooms: 1, Price: fixture.Price,
		})
		if err != nil {
			l.T.Fatal(err)
		}
		l.statuses.nights[made.ID] += openDates.Nights()
	}
}

func refusedByStatus(err error) bool {
	var status *properties.StatusError
	return errors.As(err, &status)
}

// move calls one of the methods that change the status of a property.
func (l *listings) move(w *checker.Worker) {
	id := l.pick(w)
	all := []struct {
		name string
		to   properties.Status
		call func(context.Context, string, ...dynastay.UpdateOption) (*properties.Property, error)
		lost error // if another call overtook it
	}{
		{"approve", properties.Approved, editorOf(w).properties.Approve, availability.ErrClosed},
		{"suspend", properties.Suspended, editorOf(w).properties.Suspend, availability.ErrReopened},
		{"reject", properties.Rejected, editorOf(w).properties.Reject, nil},
		{"resubmit", properties.Pending, editorOf(w).properties.Resubmit, nil},
	}
	to := all[[]int{0, 0, 0, 1, 1, 1, 2, 3}[w.Rand.IntN(8)]]
	mayRefuse := checker.Refusal(refusedByStatus)
	if to.lost != nil {
		mayRefuse = mayRefuse.Or(checker.RefusedBy(to.lost))
	}
	m := &statusMove{to: to.to, Span: checker.Since(l.Moment())}
	l.statuses.mu.Lock()
	l.statuses.moves[id] = append(l.statuses.moves[id], m)
	l.statuses.mu.Unlock()
	var err error
	v := w.Call(to.name, id, "", mayRefuse, func(ctx context.Context) error {
		var p *properties.Property
		if p, err = to.call(ctx, id); err == nil && p.Status != to.to {
			l.Differ("another status than was asked for", id, "%s instead of %s", p.Status, to.to)
		}
		err = checker.UnknownOnly(err)
		return err
	})
	l.statuses.mu.Lock()
	defer l.statuses.mu.Unlock()
	m.acknowledged, m.refused = v == checker.Acknowledged, refusedByStatus(err)
	if m.acknowledged {
		m.Span.To = l.Moment()
	}
}

// finishMoves finishes with the nights what a call has left.
func (l *listings) finishMoves(w *checker.Worker) {
	for _, id := range l.ids {
		p, err := editorOf(w).properties.Get(w.T.Context(), id, dynastay.Consistent)
		if err == nil && p.Status == properties.Approved {
			_, err = editorOf(w).properties.Approve(w.T.Context(), id)
		} else if err == nil && p.Status == properties.Suspended {
			_, err = editorOf(w).properties.Suspend(w.T.Context(), id)
		}
		if err != nil {
			l.Differ("a change of a status that cannot be finished", id, "%v", err)
		}
	}
}

// checkStatus compares the status with the calls, of which one was the last.
func (l *listings) checkStatus(id string, p plain) {
	if l.updates[id] == nil {
		return // nobody was told of it, so nobody has changed it
	}
	status := properties.Status(p["Status"].(string))
	all := append([]*statusMove{{to: properties.Pending}}, l.statuses.moves[id]...)
	last := checker.Moment(-1)
	for _, m := range all {
		if m.to == status && !m.refused {
			last = max(last, m.Span.To)
		}
	}
	if last < 0 || slices.ContainsFunc(all, func(m *statusMove) bool { return m.to != status && m.acknowledged && m.From > last }) {
		l.Differ("a status that was not the last", id, "%s", status)
	}
}

// checkGuards compares the guards of the room types with the statuses, with which they change in one transaction.
func (l *listings) checkGuards() {
	status, closed, rooms := map[string]any{}, map[string]string{}, map[string]string{}
	for _, p := range l.Scan(keys.PropertiesTable) {
		id, _ := strings.CutPrefix(p["PK"].(string), "PROPERTY#")
		switch sk := p["SK"].(string); {
		case sk == "METADATA":
			status[id] = p["Status"]
		case strings.HasPrefix(sk, "ROOM#"):
			rooms[sk] = id
		case sk == "GUARD":
			closed[p["PK"].(string)], _ = p[keys.AttrClosed].(string)
		}
	}
	for room, id := range rooms {
		if l.updates[id] == nil {
			continue // nobody was told of it, so nobody has changed its status
		}
		added := l.parts.all[strings.TrimPrefix(room, "ROOM#")]
		if added != nil && added.removals.Load() > 0 && strings.HasPrefix(closed[room], keys.ClosedByWithdrawal) {
			continue // a deletion that was not finished
		}
		if suspended := status[id] == "suspended"; suspended != strings.HasPrefix(closed[room], keys.ClosedByStatus) {
			l.Differ("a guard that does not follow the status", id, "%s is closed by %q while the property is %v", room, closed[room], status[id])
		}
	}
}

// checkClosed compares a night with the status of its property.
func (l *listings) checkClosed(night plain) {
	id := night["PropertyId"].(string)
	if l.statuses.nights[id] == 0 {
		return
	}
	l.statuses.nights[id]--
	p, err := properties.New(l.Base.Direct, nil).Get(l.T.Context(), id, dynastay.Consistent)
	if closed := night[keys.AttrPropertyClosed] == true; err != nil || closed != (p.Status == properties.Suspended) {
		l.Differ("a night that does not follow the status", id, "%v: %v", night, err)
	}
}
