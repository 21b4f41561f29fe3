package listing

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	calendar "github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// items are the items of one listing in the end, and the calls for its events.
type items struct {
	listing                 string
	events, nights, imports map[string]plain // by the id of the event, by date, and by source and id of the reservation
	registers               map[string]*register
	tenancies               tenancies
}

func (c *items) register(event string) *register {
	if c.registers[event] == nil {
		c.registers[event] = &register{listing: c.listing, event: event}
	}
	return c.registers[event]
}

// stayOf reads the dates of a stored item.
func stayOf(item plain, checkIn, checkOut string) (stay dynastay.Stay) {
	for name, date := range map[string]*dynastay.Date{checkIn: &stay.CheckIn, checkOut: &stay.CheckOut} {
		if text, is := item[name].(string); is {
			_ = date.UnmarshalText([]byte(text)) // the zero Date differs from every other one
		}
	}
	return stay
}

func (s *calendars) Check() {
	all := s.read(s.Scan(listingkeys.Table))
	slips := checker.Stored(s.Run, slipEntity)
	for _, c := range s.all {
		s.Decide(c.Deed, slips)
	}
	s.CheckReceipts(slips)
	for _, at := range slices.Sorted(maps.Keys(all)) {
		s.checkCalendar(all[at])
	}
}

// read sorts the items of all listings.
func (s *calendars) read(stored []plain) map[string]*items {
	all := map[string]*items{}
	of := func(listing string) *items {
		if all[listing] == nil {
			all[listing] = &items{
				listing: listing, events: map[string]plain{}, nights: map[string]plain{}, imports: map[string]plain{},
				registers: map[string]*register{}, tenancies: tenancies{},
			}
		}
		return all[listing]
	}
	for _, c := range s.all {
		of(c.listing)
	}
	for _, p := range stored {
		c := of(strings.TrimPrefix(p["pk"].(string), "LISTING_AVAILABILITY#"))
		kind, id, _ := strings.Cut(p["sk"].(string), "#")
		switch kind {
		case "EVENT":
			c.events[id] = p
		case "DATE":
			c.nights[id] = p
		case "IMPORT":
			c.imports[id] = p
		default:
			s.Differ("an item that nobody wrote", c.listing, "%v", p)
		}
	}
	return all
}

func (s *calendars) checkCalendar(c *items) {
	deliveries := map[*channelBooking][]*call{}
	for id, e := range c.events {
		s.checkAuthor(id, e)
	}
	for _, call := range s.all {
		if call.listing != c.listing {
			continue
		}
		if d := call.delivery; d != nil {
			deliveries[d.of] = append(deliveries[d.of], call)
			if id, is := c.imports[string(d.Source)+"#"+d.ExternalID]["bookingId"].(string); is && call.event == "" {
				call.event = "BOOKING#" + id
			}
		}
		if call.event != "" { // otherwise nothing was written
			r := c.register(call.event)
			r.calls = append(r.calls, call)
		}
	}
	for _, r := range c.registers {
		c.tenancies.add(r)
	}
	for _, b := range s.channels {
		if b.listing == c.listing {
			s.checkReservation(b, deliveries[b], c)
		}
	}
	for id, item := range c.imports {
		s.Differ("a reservation that nobody delivered", c.listing, "%s: %v", id, item)
	}
	for _, r := range c.registers {
		s.checkRegister(r, c.events[r.event])
	}
	for id, e := range c.events {
		s.checkEvent(id, e, c)
	}
	for date, n := range c.nights {
		s.Differ("a night of no event", c.listing, "%s: %v", date, n)
	}
	for _, call := range s.all {
		if call.listing == c.listing {
			s.checkCall(call, c)
		}
	}
	for _, l := range s.looks {
		if l.listing == c.listing {
			s.checkLook(l, c)
		}
	}
}

// checkAuthor finds the call that has made an event.
func (s *calendars) checkAuthor(id string, e plain) {
	mark, _ := e["note"].(string)
	if e["externalReservationId"] != nil && mark == "" {
		return
	}
	at := slices.IndexFunc(s.all, func(c *call) bool { return c.Mark == mark })
	if at < 0 {
		s.Differ("an event that nobody asked for", id, "%v", e)
		return
	}
	c := s.all[at]
	if c.event == "" {
		c.event = id // it was drawn, and nobody was told
	}
	if c.event != id || c.listing != e["listingId"] || c.kind != booking && c.kind != blocking {
		s.Differ("another event than was asked for", c.Items, "%s: %v", c.About, e)
	}
	if c.Verdict() == checker.Refused {
		s.Differ("an event that was refused", c.Items, "%s: %v", c.About, e)
	}
	c.Saw(s.Moment())
}

// checkRegister compares what an event holds in the end with the calls for it, and these with each other.
func (s *calendars) checkRegister(r *register, e plain) {
	stay := stayOf(e, "checkIn", "checkOut")
	if !r.possible(nil, atLast, func(other dynastay.Stay) bool { return other == stay }) {
		s.Differ("an event that does not follow from its calls", r.listing+"/"+r.event, "%v", e)
	}
	var made, mayBeMade, freed, mayBeFreed int
	for _, c := range r.calls {
		can := c.Could() || c.parts()
		switch {
		case c.kind == freeing:
			mayBeFreed += checker.Count(can)
			freed += checker.Count(c.Done() && !c.orMissing)
		case c.kind == booking, c.kind == blocking:
			made += checker.Count(c.Done())
			mayBeMade += checker.Count(can)
		case c.kind == delivering:
			mayBeMade += checker.Count(can && someNights(c.stay))
		}
	}
	if made > 1+mayBeFreed || freed > mayBeMade {
		s.Differ("an event that was made or deleted twice", r.listing+"/"+r.event, "made %d to %d times, deleted %d to %d times", made, mayBeMade, freed, mayBeFreed)
	}
}

// checkEvent looks for the nights of an event.
func (s *calendars) checkEvent(id string, e plain, c *items) {
	differ := func(kind, format string, args ...any) {
		s.Differ(kind, c.listing+" "+c.listing+"/"+id, format, args...)
	}
	stay := stayOf(e, "checkIn", "checkOut")
	want := plain{
		"listingId": c.listing, "hostId": hostOf(c.listing), "eventId": id,
		"kind": "BLOCK", "eventSource": "HOST_CLOSED", "bookingId": nil, "externalReservationId": nil,
	}
	if own, is := strings.CutPrefix(id, "BOOKING#"); is {
		want["kind"], want["eventSource"], want["bookingId"] = "BOOKING", "LOCALSTAYS", own
	}
	if e["note"] == nil { // which is compared with its reservation
		want["eventSource"], want["externalReservationId"] = e["eventSource"], e["externalReservationId"]
	}
	for name, value := range want {
		if e[name] != value {
			differ("an event with other attributes", "%s: %v", name, e)
		}
	}
	if e["moving"] != nil || stay.Nights() < 1 {
		differ("an event that is left incomplete", "%v", e)
		return
	}
	for date := range stay.Dates() {
		n := c.nights[date.String()]
		delete(c.nights, date.String())
		if n["eventId"] != id {
			differ("a night is lost", "%s: %v of %v", date, n, e)
			continue
		}
		want["date"], want["gsi1pk"], want["gsi1sk"] = date.String(), "HOST_AVAILABILITY#"+hostOf(c.listing), "DATE#"+date.String()+"#LISTING#"+c.listing
		for name, value := range want {
			if n[name] != value {
				differ("a night with other attributes", "%s: %v of %v", name, n, e)
			}
		}
	}
}

// checkCall compares what a call was told with what all calls for the nights and the event have done.
func (s *calendars) checkCall(c *call, all *items) {
	if c.sure() && someNights(c.stay) {
		for date := range c.stay.Dates() {
			if h := all.tenancies.holder(date, c.Within); h != nil && h.event != c.event {
				s.Differ("two events held one night", c.Items+" "+h.Items, "%s: %s and %s", date, c.About, h.About)
			}
		}
	}
	r := all.register(c.event)
	before := map[string]func(dynastay.Stay) bool{booking: noNights, blocking: noNights, moving: someNights, freeing: someNights}[c.kind]
	if before != nil && c.Done() && !c.orMissing && !r.possible(c, c.Within, before) {
		s.Differ("a call that was not possible", c.Items, "%s", c.About)
	}
	for _, told := range c.Refusals {
		if !s.justified(c, told, r, all) {
			s.Differ("a refusal without the reason that it names", c.Items, "%s: %v", c.About, told.Err)
		}
	}
}

// justified reports whether a refusal was true at some moment of its call.
func (s *calendars) justified(c *call, at checker.Told, r *register, all *items) bool {
	var taken *calendar.Taken
	switch {
	case errors.As(at.Err, &taken):
		for _, n := range taken.Nights {
			if n.EventID == c.event || n.ListingID != c.listing || !c.stay.Contains(n.Date) || !all.mayHold(n.EventID, n.Date, at.Span) {
				return false
			}
		}
		return len(taken.Nights) > 0
	case errors.Is(at.Err, dynastay.ErrAlreadyExists):
		return r.possible(c, at.Span, someNights)
	case errors.Is(at.Err, dynastay.ErrNotFound):
		return r.possible(c, at.Span, noNights)
	case errors.Is(at.Err, calendar.ErrImported):
		return slices.ContainsFunc(r.calls, func(other *call) bool { return other.delivery != nil && other.Could() })
	case errors.Is(at.Err, dynastay.ErrVersion):
		return c.after != nil && slices.ContainsFunc(r.calls, func(other *call) bool {
			can := other.Could() || other.parts()
			return other != c && other != c.after && can && other.Within.From <= at.To && other.Within.To >= c.after.Within.From
		})
	}
	return incomplete(at.Err) && c.parts() || c.delivery != nil // which is compared with the reservation
}

// mayHold reports whether an event can have held a night at some moment of a time.
func (c *items) mayHold(event string, date dynastay.Date, at checker.Span) bool {
	h := c.tenancies.holder(date, at)
	return c.register(event).possible(nil, at, theNight(date)) && (h == nil || h.event == event)
}

// checkLook compares the nights that somebody has seen with what can have held them.
func (s *calendars) checkLook(l *look, c *items) {
	for date := range l.stay.Dates() {
		event, taken := l.events[date]
		h := c.tenancies.holder(date, l.Span)
		delete(l.events, date)
		switch {
		case !taken && h != nil:
			s.Differ("a night that was held, and shown as free", c.listing+" "+h.Items, "%s: %s", date, h.About)
		case taken && !c.mayHold(event, date, l.Span):
			s.Differ("a night that was shown as taken", c.listing+" "+c.listing+"/"+event, "%s by %s", date, event)
		}
	}
	if len(l.events) > 0 {
		s.Differ("a night that nobody asked for", c.listing, "%s: %v", l.stay, l.events)
	}
}
