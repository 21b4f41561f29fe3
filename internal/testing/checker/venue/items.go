package venue

import (
	"strings"

	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// items are all items of the venue in the end.
type items struct {
	users, bookings, codes, notices map[string]plain // by id; codes by that of the event
	relations, payments             map[string]map[string]plain
	events                          map[string]map[string]plain // by date and slot, as the key spells it
	entries                         []plain
	invitations                     map[string]*checker.Receipt
}

func newItems() *items {
	return &items{
		users: map[string]plain{}, bookings: map[string]plain{}, codes: map[string]plain{}, notices: map[string]plain{},
		relations: map[string]map[string]plain{}, payments: map[string]map[string]plain{}, events: map[string]map[string]plain{},
		invitations: map[string]*checker.Receipt{},
	}
}

// read sorts the items by their keys.
func (s *venues) read(items []plain) *items {
	all := newItems()
	put := func(of map[string]map[string]plain, id, at string, p plain) {
		if of[id] == nil {
			of[id] = map[string]plain{}
		}
		of[id][at] = p
	}
	for _, p := range items {
		kind, id, _ := strings.Cut(checker.TextOf(p, "PK"), "#")
		sort := checker.TextOf(p, "SK")
		part, rest, _ := strings.Cut(sort, "#")
		switch kind + " " + part {
		case "USER METADATA":
			all.users[id] = p
		case "USER BOOKING":
			put(all.relations, id, rest, p)
		case "USER NOTIFICATION":
			all.notices[checker.TextOf(p, "notificationId")] = p
		case "BOOKING METADATA":
			all.bookings[id] = p
		case "BOOKING PAYMENT":
			put(all.payments, id, rest, p)
		case "EVENT MORNING", "EVENT AFTERNOON", "EVENT FULLDAY":
			put(all.events, id, sort, p)
		case "EVENT LOCKCODE":
			all.codes[id] = p
		case "EMAIL GUARD": // of the users, whose addresses do not change
		default:
			if kind != "AUDIT" {
				s.Differ("an item that nobody wrote", id, "%v", p)
				continue
			}
			all.entries = append(all.entries, p)
		}
	}
	return all
}

// attribute finds the calls that the entries of the audit log are of. It returns how many changes of a booking only say
// that its user made them.
func (s *venues) attribute(v *items) map[string]int {
	changed := map[string]int{}
	for _, e := range v.entries {
		c := s.author(e, v)
		action, booking := checker.TextOf(e, "action"), checker.TextOf(e, "bookingId")
		if c == nil && action == actions[changing] && checker.TextOf(e, "by") == checker.TextOf(v.bookings[booking], "userId") {
			changed[booking]++
			continue
		}
		if c == nil || action != actions[c.kind] && !(c.code && c.kind == approving && action == actions[coding]) {
			s.Differ("an entry of the audit log that nobody asked for", booking+" "+checker.TextOf(e, "eventId"), "%v", e)
			continue
		}
		s.learn(c, e)
		if action == actions[c.kind] {
			c.entries = append(c.entries, e)
		} else {
			c.codeEntries++
		}
	}
	for _, c := range s.all {
		for _, e := range c.entries {
			s.checkEntry(c, e, v)
		}
	}
	return changed
}

// author is the call that an entry names: by the administrator, the reason, or the request itself.
func (s *venues) author(e plain, v *items) *call {
	if mark, is := strings.CutPrefix(checker.TextOf(e, "by"), adminPrefix); is {
		return s.all[mark]
	}
	switch checker.TextOf(e, "action") {
	case actions[withdrawing]:
		return s.all[checker.TextOf(e, "note")]
	case actions[requesting]:
		return s.all[checker.TextOf(v.bookings[checker.TextOf(e, "bookingId")], "eventDescription")]
	}
	return nil
}

// learn takes ids that were drawn, and that nobody was told of, from the audit log.
func (s *venues) learn(c *call, e plain) {
	for name, id := range map[string]*string{"bookingId": &c.booking, "eventId": &c.event} {
		if *id == "" {
			*id = checker.TextOf(e, name)
		}
	}
}

// checkEntry compares an entry of the audit log with its call.
func (s *venues) checkEntry(c *call, e plain, v *items) {
	booking, user := c.booking, ""
	if c.kind == renaming {
		booking = s.bookingOf(c.event)
	}
	if booking != "" {
		user = checker.TextOf(v.bookings[booking], "userId")
	}
	note := ""
	switch c.kind {
	case declining, withdrawing, staging, renaming:
		note = c.Mark
	case striking:
		note = checker.TextOf(e, "note") // the title, which other calls may have changed
	}
	for name, want := range map[string]string{
		"by": c.by.UserID, "role": string(c.by.Role), "bookingId": booking, "userId": user, "eventId": c.event, "note": note,
	} {
		if checker.TextOf(e, name) != want {
			s.Differ("an entry of the audit log that is not of its call", c.Items, "%s: %s is not %q: %v", c.About, name, want, e)
		}
	}
}

// bookingOf is the booking of an event, by the call that made the event.
func (s *venues) bookingOf(event string) string {
	for _, c := range s.all {
		if c.kind == approving && c.event == event {
			return c.booking
		}
	}
	return ""
}

// trace finds out whether a call was carried out, and compares that with what it was told.
func (s *venues) trace(c *call, v *items) {
	traces := len(c.entries)
	audited := actions[c.kind] != "" && (c.kind != changing || c.by.Role == venue.Admin)
	there, note := v.invitations[c.Mark], v.notices[c.Mark]
	delete(v.invitations, c.Mark)
	delete(v.notices, c.Mark)
	written, known := traces > 0, audited
	for extra, is := range map[*bool]bool{&c.invites: there != nil, &c.notifies: note != nil} {
		switch {
		case !*extra && is, *extra && known && is != written:
			s.Differ("a part of a write without the others", c.Items, "%s: %v, %v, %d entries", c.About, there, note, traces)
		case *extra && !known:
			written, known = is, true
		}
	}
	if there != nil && there.Kind != c.kind || note != nil && (checker.TextOf(note, "userId") != c.user || checker.TextOf(note, "title") != c.kind) {
		s.Differ("a part of another write", c.Items, "%s: %v, %v", c.About, there, note)
	}
	if c.code && c.kind == approving && c.codeEntries != traces {
		s.Differ("a code that is not in the audit log", c.Items, "%s: %d entries", c.About, c.codeEntries)
	}
	if !known {
		return
	}
	switch answer := c.Verdict(); {
	case traces > 1:
		s.Differ("a call that was carried out twice", c.Items, "%s: %d entries", c.About, traces)
	case written && (answer == checker.Refused || c.stranger):
		s.Differ("a call that was refused", c.Items, "%s", c.About)
	case !written && answer == checker.Acknowledged:
		s.Differ("a call is lost", c.Items, "%s", c.About)
	}
	if written {
		c.Saw(s.Moment())
	} else {
		c.Undone = true
	}
}
