// Package listing runs and checks the writes of the calendars of listings: bookings, blocks, and reservations of channels.
package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
	calendar "github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// plain is a stored item without the library.
type plain = map[string]any

// calendars are those of a few listings, whose nights are wanted by bookings, by blocks, and by the reservations of
// channels, see deliveries.go. An event names in its Note the call that made it. A call through DB.Write may leave
// a slip, which shows that it was carried out. What was stored when is in nights.go, and the comparison with what
// is stored in the end in check.go.
type calendars struct {
	*checker.Run
	calls checker.Deeds[*call]

	mu         sync.Mutex
	all        []*call
	lately     map[string][]holding         // by listing: the events that somebody was told of last
	latest     map[string][]*channelBooking // by listing: the reservations that change
	channels   []*channelBooking
	successors map[dynastay.WriteID]string // the call that was told to have written after the write with this id
	looks      []*look
}

// Tables are those of the calendars.
var Tables = []*dynastay.Schema{listingkeys.Table, slipEntity.Schema}

// Join adds the calendars to a run.
func Join(c *checker.Run) { c.Add(newCalendars(c), 26) }

// slipEntity are the slips that a call on a calendar may leave.
var slipEntity = checker.ReceiptsIn("Slips")

// keeper is what a process has of the calendars.
type keeper struct {
	calendars *calendar.Repository
	slips     *entity.Table[checker.Receipt]
}

var keeperOf = checker.Each(func(p *checker.Process) *keeper {
	return &keeper{calendar.New(p.DB), entity.NewTable(p.DB, slipEntity)}
})

// The kinds of calls.
const (
	booking    = "book nights"
	blocking   = "block nights"
	moving     = "move nights"
	freeing    = "free nights"
	delivering = "deliver a revision"
)

// call is a call after which an event holds the nights of a stay, or none.
type call struct {
	*checker.Deed
	kind, listing string
	event         string        // its id; "" if it is drawn and not known yet
	stay          dynastay.Stay // the zero Stay for none
	keyed         bool
	orMissing     bool
	after         *call     // the last one that may have written the event, or the call is refused; nil for any
	delivery      *delivery // of a reservation; otherwise nil
	answers       []outcome // of the delivery
}

// holding is an event as somebody was told.
type holding struct {
	event   string
	stay    dynastay.Stay
	writeID dynastay.WriteID
	call    *call
}

// look is an answer to what is free.
type look struct {
	checker.Span
	listing string
	stay    dynastay.Stay
	events  map[dynastay.Date]string
}

func newCalendars(c *checker.Run) *calendars {
	return &calendars{
		Run: c, lately: map[string][]holding{}, latest: map[string][]*channelBooking{}, successors: map[dynastay.WriteID]string{},
	}
}

const (
	cottages = 3
	castle   = "castle" // is booked for months, which takes several transactions
)

func hostOf(listing string) string { return "host-of-" + listing }

func cottage(w *checker.Worker) string { return fmt.Sprint("cottage-", w.Rand.IntN(cottages)) }

// site draws a listing. A castle is wanted less, because its changes take long.
func site(w *checker.Worker) string {
	if w.OneIn(12) {
		return castle
	}
	return cottage(w)
}

func nightsIn(w *checker.Worker, listing string) dynastay.Stay {
	first, among, n := dynastay.MustDate("2030-02-20"), 12, 1+w.Rand.IntN(4)
	if listing == castle {
		if among = 150; w.OneIn(2) {
			n = 90 + w.Rand.IntN(130)
		}
	}
	from := first.AddDays(w.Rand.IntN(among))
	return dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(n)}
}

func (s *calendars) Step(w *checker.Worker) {
	switch at := w.Rand.IntN(40); {
	case at < 10:
		s.calls.Do(w, func(keyed bool) *call { return s.place(w, site(w), keyed) })
	case at < 17:
		s.calls.Do(w, func(keyed bool) *call { return s.move(w, keyed) })
	case at < 22:
		s.calls.Do(w, func(keyed bool) *call { return s.free(w, keyed) })
	case at < 36:
		s.calls.Do(w, func(keyed bool) *call { return s.deliver(w, keyed) })
	default:
		s.look(w, site(w))
	}
}

// made adds a call. Half of those that are operations leave a slip.
func (s *calendars) made(
	w *checker.Worker, c *call, mark string, keyed, op bool, refusal checker.Refusal, send func(context.Context, *checker.Process, []dynastay.Part) error,
) *call {
	c.keyed = keyed
	c.Deed = w.Deed(mark, c.kind, c.listing+" "+c.listing+"/"+c.event, fmt.Sprint(c.event, " ", c.stay), keyed, refusal.Or(incomplete),
		func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
			return partly(send(ctx, p, c.Leave(keeperOf(p).slips, parts)))
		})
	if op && w.OneIn(2) {
		c.Receipt = &checker.Receipt{ID: mark, Kind: c.kind}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, c)
	return c
}

var (
	// incomplete refuses a call for what another one has left, before anything is written.
	incomplete = checker.Refusal(func(err error) bool {
		var left *calendar.IncompleteError
		return errors.As(err, &left) && left.Err == nil
	})
	takenNights = checker.Refusal(func(err error) bool {
		var taken *calendar.Taken
		return errors.As(err, &taken)
	})
)

// partly tells that a call of several transactions may be carried out yet, by somebody else too.
func partly(err error) error {
	var left *calendar.IncompleteError
	if errors.As(err, &left) && left.Err != nil {
		return fmt.Errorf("%w: %v", dynastay.ErrOutcomeUnknown, err)
	}
	return err
}

func optionsOf(parts []dynastay.Part) (options []dynastay.WriteOption) {
	for _, part := range parts {
		options = append(options, part.(dynastay.WriteOption))
	}
	return options
}

// place books or blocks nights, sometimes for an event that exists, or has existed.
func (s *calendars) place(w *checker.Worker, at string, keyed bool) *call {
	mark, id := w.Mark(), ""
	c := &call{kind: booking, listing: at, stay: nightsIn(w, at)}
	op := at != castle && w.OneIn(2)
	if w.OneIn(3) {
		c.kind = blocking
	}
	switch h, known := s.pick(w, at); {
	case c.kind == blocking && c.stay.Nights() < 90 && w.OneIn(2): // its id is drawn
	case known && h.call.delivery == nil && h.call.kind == c.kind && w.OneIn(4):
		_, id, _ = strings.Cut(h.event, "#")
	default:
		id = mark
	}
	if id != "" {
		c.event = map[string]string{booking: "BOOKING#", blocking: "BLOCK#"}[c.kind] + id
	}
	return s.made(w, c, mark, keyed, op, takenNights.Or(checker.RefusedBy(dynastay.ErrAlreadyExists)), func(ctx context.Context, p *checker.Process, parts []dynastay.Part) error {
		var e *calendar.Event
		var err error
		b := calendar.Booking{ListingID: at, HostID: hostOf(at), BookingID: id, Stay: c.stay, Note: mark}
		l := calendar.Block{ListingID: at, HostID: hostOf(at), BlockID: id, Stay: c.stay, Note: mark}
		switch {
		case c.kind == booking && op:
			e, err = checker.Write(ctx, p, parts, keeperOf(p).calendars.BookOp(b))
		case c.kind == booking:
			e, err = keeperOf(p).calendars.Book(ctx, b, optionsOf(parts)...)
		case op:
			e, err = checker.Write(ctx, p, parts, keeperOf(p).calendars.BlockOp(l))
		default:
			e, err = keeperOf(p).calendars.Block(ctx, l, optionsOf(parts)...)
		}
		if err == nil {
			s.told(c, e, keyed)
		}
		return err
	})
}

// told notes an event as a call returned it. Under a key, that may be what has become of it since.
func (s *calendars) told(c *call, e *calendar.Event, keyed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.event == "" {
		c.event = e.ID
	}
	if e.ID != c.event || e.ListingID != c.listing || !keyed && (e.Stay != c.stay || e.Moving) {
		s.Differ("an event that nobody asked for", c.Items, "%s: %+v", c.About, e)
	}
	s.forget(c.listing, e.ID)
	s.lately[c.listing] = checker.Keep(s.lately[c.listing], holding{e.ID, e.Stay, e.WriteID, c}, 6)
}

func (s *calendars) forget(listing, event string) {
	s.lately[listing] = slices.DeleteFunc(s.lately[listing], func(h holding) bool { return h.event == event })
}

func (s *calendars) pick(w *checker.Worker, listing string) (holding, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.lately[listing]
	if len(all) == 0 {
		return holding{}, false
	}
	return all[w.Rand.IntN(len(all))], true
}

// succeeded notes that a call was the next one after a write.
func (s *calendars) succeeded(c *call, after holding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.successors[after.writeID]; other != "" && other != c.Mark {
		s.Differ("two successors of one write", c.Items, "%s and %s", other, c.Mark)
	}
	s.successors[after.writeID] = c.Mark
}

// known draws an event that somebody was told of. Only the operations take a key, and they are for short events.
func (s *calendars) known(w *checker.Worker, keyed bool) (at string, h holding, known bool) {
	at = site(w)
	if keyed {
		at = cottage(w)
	}
	h, known = s.pick(w, at)
	return at, h, known
}

func (s *calendars) move(w *checker.Worker, keyed bool) *call {
	at, h, known := s.known(w, keyed)
	if !known {
		return s.place(w, at, keyed)
	}
	return s.moveOf(w, at, h, keyed)
}

// moveOf gives an event other dates.
func (s *calendars) moveOf(w *checker.Worker, at string, h holding, keyed bool) *call {
	c := &call{kind: moving, listing: at, event: h.event, stay: nightsIn(w, at)}
	var options []dynastay.UpdateOption
	only := h.writeID != "" && c.stay != h.stay && w.OneIn(3) // with the same dates it writes nothing
	if only {
		options, c.after = append(options, dynastay.IfWritten(h.writeID)), h.call
	}
	op := keyed || at != castle && w.OneIn(2)
	refusal := takenNights.Or(checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion, calendar.ErrImported))
	return s.made(w, c, w.Mark(), keyed, op, refusal, func(ctx context.Context, p *checker.Process, parts []dynastay.Part) error {
		var e *calendar.Event
		var err error
		if op {
			e, err = checker.Write(ctx, p, parts, keeperOf(p).calendars.ModifyOp(at, h.event, c.stay, options...))
		} else {
			e, err = keeperOf(p).calendars.Modify(ctx, at, h.event, c.stay, options...)
		}
		if err == nil {
			s.told(c, e, keyed)
		}
		if err == nil && only {
			s.succeeded(c, h)
		}
		return err
	})
}

func (s *calendars) free(w *checker.Worker, keyed bool) *call {
	at, h, known := s.known(w, keyed)
	if !known {
		return s.place(w, at, keyed)
	}
	return s.freeOf(w, at, h, keyed)
}

// freeOf deletes an event.
func (s *calendars) freeOf(w *checker.Worker, at string, h holding, keyed bool) *call {
	c := &call{kind: freeing, listing: at, event: h.event, orMissing: w.OneIn(6)}
	var options []dynastay.UpdateOption
	only := h.writeID != "" && !c.orMissing && w.OneIn(3)
	switch {
	case c.orMissing:
		options = append(options, dynastay.OrMissing())
	case only:
		options, c.after = append(options, dynastay.IfWritten(h.writeID)), h.call
	}
	op := keyed || at != castle && w.OneIn(2)
	forget := !w.OneIn(3) // otherwise others look for it
	refusal := checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion)
	return s.made(w, c, w.Mark(), keyed, op, refusal, func(ctx context.Context, p *checker.Process, parts []dynastay.Part) error {
		var err error
		if op {
			_, err = checker.Write(ctx, p, parts, keeperOf(p).calendars.DeleteOp(at, h.event, options...))
		} else {
			err = keeperOf(p).calendars.Delete(ctx, at, h.event, options...)
		}
		if err == nil && only {
			s.succeeded(c, h)
		}
		if err == nil && forget {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.forget(at, h.event)
		}
		return err
	})
}

// look asks what is free, with a consistent read.
func (s *calendars) look(w *checker.Worker, at string) {
	l := &look{listing: at, stay: nightsIn(w, at), events: map[dynastay.Date]string{}}
	l.From = w.Moment()
	v := w.Call("look at nights", at, l.stay.String(), checker.Never, func(ctx context.Context) error {
		found, err := keeperOf(w).calendars.Check(ctx, at, l.stay, dynastay.Consistent)
		for _, n := range found.Taken {
			l.events[n.Date] = n.EventID
		}
		return err
	})
	if l.To = w.Moment(); v == checker.Acknowledged {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.looks = append(s.looks, l)
	}
}

// Settle completes or undoes what calls of several transactions have left.
func (s *calendars) Settle(w *checker.Worker) {
	s.calls.Settle(w)
	for _, p := range s.Scan(listingkeys.Table) {
		if p["moving"] == nil {
			continue
		}
		h := holding{event: p["eventId"].(string)}
		c := s.redelivery(w, p)
		switch {
		case c != nil:
		case w.OneIn(2):
			c = s.moveOf(w, castle, h, false)
		default:
			c = s.freeOf(w, castle, h, false)
		}
		c.Call(w)
	}
}
