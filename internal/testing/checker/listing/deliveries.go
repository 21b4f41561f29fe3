package listing

import (
	"context"
	"errors"
	"fmt"

	"github.com/dynastay/dynastay"
	calendar "github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// channelBooking is a reservation of a channel, whose revisions are delivered late, twice, and out of order.
type channelBooking struct {
	listing, id string
	source      calendar.Source
	bookingID   string // as some of its deliveries say; "" if none does
	newest      int
	deliveries  []*delivery
}

// delivery is what a channel says of a reservation. Some channels say two things under one revision.
type delivery struct {
	calendar.Reservation
	of *channelBooking
}

// rank orders what is delivered: of two that have one revision, the cancellation is the later one.
func (d *delivery) rank() int {
	if d.Cancelled {
		return 2*d.Revision + 1
	}
	return 2 * d.Revision
}

// outcome is what an import has returned.
type outcome struct {
	checker.Span
	what calendar.Outcome
}

func (s *calendars) deliver(w *checker.Worker, keyed bool) *call {
	at := site(w)
	s.mu.Lock()
	b := s.reservation(w, at)
	if len(b.deliveries) == 0 || w.OneIn(3) {
		s.revise(w, b)
	}
	d := checker.Recent(w, b.deliveries, 4) // late, if it is not the last one
	s.mu.Unlock()
	return s.deliverOf(w, d, keyed)
}

// reservation draws one of those that change now.
func (s *calendars) reservation(w *checker.Worker, at string) *channelBooking {
	const slots = 3
	now, slot := s.latest[at], w.Rand.IntN(slots)
	if slot < len(now) && (now[slot].newest < 6 || !w.OneIn(6)) {
		return now[slot]
	}
	mark := w.Mark()
	b := &channelBooking{
		listing: at, id: "R-" + mark,
		source: []calendar.Source{calendar.BookingCom, calendar.Airbnb, calendar.Other}[w.Rand.IntN(3)],
	}
	if w.OneIn(2) {
		b.bookingID = "of-" + b.id
	}
	s.channels = append(s.channels, b)
	if slot < len(now) {
		now[slot] = b
	} else {
		s.latest[at] = append(now, b)
	}
	return b
}

// revise adds a revision, or something else that the channel says under the last one.
func (s *calendars) revise(w *checker.Worker, b *channelBooking) {
	d := &delivery{of: b, Reservation: calendar.Reservation{
		ListingID: b.listing, HostID: hostOf(b.listing), Source: b.source, ExternalID: b.id, Stay: nightsIn(w, b.listing),
		Cancelled: w.OneIn(5),
	}}
	if b.newest == 0 || !w.OneIn(8) {
		b.newest += 1 + w.Rand.IntN(2)
	}
	if d.Revision = b.newest; !w.OneIn(4) {
		d.BookingID = b.bookingID
	}
	if n := len(b.deliveries); n > 0 && !b.deliveries[n-1].Cancelled && w.OneIn(4) {
		d.Stay = b.deliveries[n-1].Stay // something else has changed
	}
	if d.Cancelled {
		d.Stay = dynastay.Stay{}
	}
	b.deliveries = append(b.deliveries, d)
}

var notDelivered = takenNights.Or(func(err error) bool {
	var revision *calendar.RevisionError
	var invalid *dynastay.InvalidError
	return errors.As(err, &revision) || errors.As(err, &invalid) && invalid.Field == "BookingID"
})

func (s *calendars) deliverOf(w *checker.Worker, d *delivery, keyed bool) *call {
	c := &call{kind: delivering, listing: d.ListingID, stay: d.Stay, delivery: d}
	op := d.ListingID != castle && w.OneIn(2)
	s.made(w, c, w.Mark(), keyed, op, notDelivered, func(ctx context.Context, p *checker.Process, parts []dynastay.Part) (err error) {
		var done calendar.Imported
		from := s.Moment()
		if op {
			done, err = checker.Write(ctx, p, parts, keeperOf(p).calendars.ImportOp(d.Reservation))
		} else {
			done, err = keeperOf(p).calendars.Import(ctx, d.Reservation, optionsOf(parts)...)
		}
		if err == nil {
			s.delivered(c, done, from)
		}
		return err
	})
	c.Items += " " + d.ExternalID
	c.About = fmt.Sprintf("%s %s revision %d: %s", c.Mark, d.ExternalID, d.Revision, d.Stay)
	return c
}

func (s *calendars) delivered(c *call, done calendar.Imported, from checker.Moment) {
	if e := done.Event; e != nil {
		s.told(c, e, false)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.event == "" {
		c.event = done.EventID
	}
	if done.EventID != c.event || done.EventID != "" && done.EventID != "BOOKING#"+done.BookingID {
		s.Differ("a reservation of another booking", c.Items, "%s: %+v", c.About, done)
	}
	c.answers = append(c.answers, outcome{checker.Between(from, s.Moment()), done.Outcome})
}

// redelivery delivers the last revision of the reservation whose event is left incomplete; nil for other events.
func (s *calendars) redelivery(w *checker.Worker, event plain) *call {
	var last *delivery
	for _, b := range s.channels {
		if b.id != event["externalReservationId"] {
			continue
		}
		for _, d := range b.deliveries {
			if last == nil || d.rank() > last.rank() {
				last = d
			}
		}
	}
	if last == nil {
		return nil
	}
	return s.deliverOf(w, last, false)
}

// checkReservation compares what was answered to the deliveries of a reservation with its item, and with what holds its
// nights.
func (s *calendars) checkReservation(b *channelBooking, calls []*call, c *items) {
	item := c.imports[string(b.source)+"#"+b.id]
	differ := func(kind, format string, args ...any) {
		s.Differ(kind, b.listing+" "+b.id, format+": %v", append(args, item)...)
	}
	delete(c.imports, string(b.source)+"#"+b.id)
	if item == nil {
		for _, d := range calls {
			if d.Done() {
				differ("a reservation is lost", "%s", d.About)
			}
		}
		return
	}
	revision, stay := int(item["revision"].(float64)), stayOf(item, "checkIn", "checkOut")
	cancelled, deleted := item["cancelled"] == true, item["deleted"] == true
	rank := (&delivery{Reservation: calendar.Reservation{Revision: revision, Cancelled: cancelled}}).rank()
	bookingID, _ := item["bookingId"].(string)
	imported, freed := revision == 0 && item["pending"] == true, false
	for _, d := range calls {
		imported = imported || d.Could() && d.delivery.rank() == rank && d.stay == stay
	}
	if !imported {
		differ("a revision that was not delivered", "%d", revision)
	}
	event := c.events["BOOKING#"+bookingID]
	switch holds := revision > 0 && !cancelled && !deleted; {
	case holds != (event != nil), holds && stayOf(event, "checkIn", "checkOut") != stay:
		differ("a reservation that does not agree with its event", "%v", event)
	case holds && (event["externalReservationId"] != b.id || event["eventSource"] != string(b.source)):
		differ("an event of another reservation", "%v", event)
	}
	for _, d := range c.register("BOOKING#" + bookingID).calls {
		freed = freed || d.kind == freeing && d.Could()
	}
	if deleted && !freed {
		differ("a reservation that nobody deleted", "%d", revision)
	}
	for _, d := range calls {
		if d.event != "" && d.event != "BOOKING#"+bookingID {
			differ("a reservation of two bookings", "%s: %s", d.About, d.event)
		}
		for _, a := range d.answers {
			s.checkOutcome(d, a, calls, rank)
			s.checkFormer(d, a, c.register("BOOKING#"+bookingID))
		}
		for _, told := range d.Refusals {
			s.checkNotDelivered(d, told, calls, bookingID)
		}
	}
}

// writes reports whether an import with this outcome was the one that wrote the revision.
func (o outcome) writes() bool {
	switch o.what {
	case calendar.Created, calendar.Changed, calendar.Cancelled, calendar.Unchanged:
		return true
	}
	return false
}

// wrote reports whether the delivery has certainly written its revision.
func (c *call) wrote() bool {
	for _, a := range c.answers {
		if a.writes() {
			return true
		}
	}
	return false
}

// checkOutcome compares an outcome with the other deliveries of the reservation, and with the revision in the end.
func (s *calendars) checkOutcome(d *call, a outcome, calls []*call, last int) {
	rank := d.delivery.rank()
	if last < rank || last == rank && a.what == calendar.Outdated {
		s.Differ("a revision is lost", d.Items, "%s: %s, but in the end it is %d", d.About, a.what, last)
	}
	var again, newer bool
	for _, e := range calls {
		other := e.delivery.rank()
		begun := e.Could() && e.Within.From <= a.To
		again = again || begun && (e != d || d.keyed) && other == rank && e.stay == d.stay
		newer = newer || begun && other > rank
		if e == d || !e.wrote() {
			continue
		}
		before := e.Within.To < d.Within.From
		switch {
		case a.writes() && other == rank:
			s.Differ("a revision that was imported twice", d.Items, "%s: %s, and %s", d.About, a.what, e.About)
		case a.writes() && before && other > rank:
			s.Differ("a revision that was imported after a newer one", d.Items, "%s: %s, but %s", d.About, a.what, e.About)
		case a.what == calendar.Repeated && before && other > rank:
			s.Differ("a revision that was outdated, and not repeated", d.Items, "%s, but %s", d.About, e.About)
		}
	}
	if a.what == calendar.Repeated && !again || a.what == calendar.Outdated && !newer {
		s.Differ("an outcome without a reason", d.Items, "%s: %s", d.About, a.what)
	}
}

// checkFormer compares an outcome with what the reservation held before.
func (s *calendars) checkFormer(d *call, a outcome, r *register) {
	same := func(stay dynastay.Stay) bool { return stay == d.stay }
	for what, before := range map[calendar.Outcome]func(dynastay.Stay) bool{
		calendar.Created: noNights, calendar.Changed: someNights, calendar.Unchanged: same,
	} {
		if a.what == what && !r.possible(d, d.Within, before) {
			s.Differ("an outcome without a reason", d.Items, "%s: %s", d.About, a.what)
		}
	}
}

// checkNotDelivered compares a refusal with the other deliveries of the reservation. Taken nights are checked like all
// others.
func (s *calendars) checkNotDelivered(d *call, at checker.Told, calls []*call, bookingID string) {
	var invalid *dynastay.InvalidError
	var revision *calendar.RevisionError
	justified := true
	switch {
	case errors.As(at.Err, &invalid):
		justified = d.delivery.BookingID != "" && bookingID != "" && bookingID != d.delivery.BookingID
	case errors.As(at.Err, &revision):
		justified = false
		for _, e := range calls {
			justified = justified || e.Could() && e.Within.From <= at.To && e.delivery.Revision == revision.Revision && e.stay == revision.Stay
		}
		justified = justified && revision.Revision == d.delivery.Revision && revision.Delivered == d.stay && revision.Stay != d.stay &&
			someNights(revision.Stay) // a cancellation is the later one
	}
	if !justified {
		s.Differ("a refusal without the reason that it names", d.Items, "%s: %v", d.About, at.Err)
	}
}
