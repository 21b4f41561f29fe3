package venue

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// slotNames are the slots of a day as the keys spell them.
var slotNames = map[string]string{"MORNING": "MORNING", "AFTERNOON": "AFTERNOON", "FULL_DAY": "FULLDAY"}

func (s *venues) Check() {
	v := s.read(s.Scan(venuekeys.Table))
	v.invitations = checker.Stored(s.Run, invitationEntity)
	s.checkAll(v)
}

func (s *venues) checkAll(v *items) {
	changed := s.attribute(v)
	for _, c := range s.all {
		s.trace(c, v)
	}
	for mark, i := range v.invitations {
		s.Differ("an invitation that nobody wrote", mark, "%v", i)
	}
	for mark, n := range v.notices {
		s.Differ("a message that nobody wrote", mark, "%v", n)
	}
	lives := map[string]*life{}
	for _, c := range s.all {
		if c.booking != "" && lives[c.booking] == nil {
			lives[c.booking] = s.life(c.booking, checker.NumberOf(v.bookings[c.booking], "version"))
		}
	}
	all := s.occupancies(lives)
	for id, b := range v.bookings {
		s.checkBooking(id, b, lives[id], v, changed[id])
	}
	for id, l := range lives {
		s.checkStates(l)
		s.checkPayments(l, v.payments[id])
		delete(v.payments, id)
	}
	for id, p := range v.payments {
		s.Differ("a payment that nobody reported", id, "%v", p)
	}
	s.checkEvents(v, all)
	s.checkOccupancies(all)
	s.checkUsers(v)
	for _, c := range s.all {
		s.checkCall(c, lives, all)
	}
	for _, l := range s.days {
		s.checkDay(l, all)
	}
	for _, l := range s.numbers {
		s.checkNumbers(l, lives, all)
	}
}

// checkBooking compares a booking with its calls, its event, and its item in the partition of its user.
func (s *venues) checkBooking(id string, b plain, l *life, v *items, byUser int) {
	differ := func(kind string, other any) {
		s.Differ(kind, id+" hall/"+checker.TextOf(b, "date"), "%v, %v", b, other)
	}
	if l == nil {
		differ("a booking that nobody asked for", nil)
		return
	}
	status, user := checker.TextOf(b, "status"), checker.TextOf(b, "userId")
	st := state{
		user, checker.TextOf(b, "eventDescription"), checker.TextOf(b, "date"), checker.TextOf(b, "timeSlot"), checker.NumberOf(b, "attendees"),
		status, checker.TextOf(b, "decidedBy"), checker.TextOf(b, "reason"), checker.TextOf(b, "eventId"),
	}
	if !l.fits(len(l.stages), st) {
		differ("a booking that does not follow from its calls", l.last())
	}
	if told, is := s.states[id][len(l.stages)]; is && told != st {
		differ("a booking that is not as somebody was told", told)
	}
	for _, c := range s.all {
		byUser -= checker.Count(c.kind == changing && c.by.Role == venue.Customer && c.booking == id && c.Done())
	}
	if byUser != 0 {
		differ("changes by the user that are not those of the audit log", byUser)
	}
	relation := v.relations[user][id]
	delete(v.relations[user], id)
	for _, name := range []string{"bookingId", "date", "timeSlot", "duration", "status"} {
		if b[name] == nil || relation[name] != b[name] {
			differ("a booking whose user has another one", relation)
		}
	}
	if whole := b["duration"] == "FULL_DAY"; whole != (st.slot == "FULL_DAY") || !whole && b["duration"] != "HALF_DAY" {
		differ("a booking with another duration", b["duration"])
	}
	want := plain{"GSI1PK": nil, "GSI1SK": nil}
	if status == "pending" {
		want = plain{"GSI1PK": "STATUS#PENDING", "GSI1SK": checker.TimeOf(b["requestedAt"]).Format("2006-01-02T15:04:05Z") + "#BOOKING#" + id}
	}
	if b["GSI1PK"] != want["GSI1PK"] || b["GSI1SK"] != want["GSI1SK"] {
		differ("a booking whose index keys are wrong", want)
	}
	if e := v.events[st.date][slotNames[st.slot]]; status == "approved" && (e["bookingId"] != id || e["eventId"] != st.event) {
		differ("an approved booking without its event", e)
	}
}

func (l *life) last() (by []string) {
	if len(l.stages) > 0 {
		for _, c := range l.stages[len(l.stages)-1].by {
			by = append(by, c.About)
		}
	}
	return by
}

// checkStates compares what was told of a booking with its versions.
func (s *venues) checkStates(l *life) {
	for n, st := range s.states[l.id] {
		if !l.fits(n, st) {
			s.Differ("a version that does not follow from its calls", l.id, "%d: %+v", n, st)
		}
	}
	for n, v := range l.stages {
		if n == 0 || len(v.by) != 1 || v.by[0].kind != withdrawing {
			continue
		}
		ended, event := l.stages[n-1], ""
		if ended.status == venue.Approved && len(ended.by) == 1 {
			event = ended.by[0].event
		}
		if v.by[0].event != event {
			s.Differ("a cancellation of another event", v.by[0].Items, "%s: %q", v.by[0].About, event)
		}
	}
}

// checkEvents compares the events and their codes with the calls for them.
func (s *venues) checkEvents(v *items, all map[string]*occupancy) {
	left := maps.Clone(all)
	for date, day := range v.events {
		if day["FULLDAY"] != nil && len(day) > 1 {
			s.Differ("a slot that is held twice", "hall/"+date, "%v", day)
		}
		for slot, e := range day {
			id := checker.TextOf(e, "eventId")
			o := left[id]
			delete(left, id)
			if o == nil || len(o.ends) > 0 {
				s.Differ("an event that is not to be there", id+" hall/"+date, "%s: %v", slot, e)
				continue
			}
			if o.date == "" {
				o.date, o.slot = checker.TextOf(e, "date"), venue.Slot(checker.TextOf(e, "timeSlot"))
			}
			s.checkEventItem(date, slot, e, o, v)
			s.checkCode(o, v.codes[id])
			delete(v.codes, id)
		}
	}
	for id, o := range left {
		if len(o.ends) == 0 {
			s.Differ("an event is lost", o.by.Items+" "+id, "%s", o.by.About)
		}
	}
	for id, code := range v.codes {
		s.Differ("a code of no event", id, "%v", code)
	}
}

func (s *venues) checkEventItem(date, slot string, e plain, o *occupancy, v *items) {
	want := plain{"date": o.date, "timeSlot": string(o.slot), "eventType": concert, "bookingId": nil, "createdBy": o.by.by.UserID}
	if o.booking != "" {
		b := v.bookings[o.booking]
		if b["status"] != "approved" || b["eventId"] != o.event || b["date"] != e["date"] || b["timeSlot"] != e["timeSlot"] {
			s.Differ("an event without its booking", o.by.Items+" hall/"+date, "%v, %v", e, b)
		}
		want["eventType"], want["bookingId"], want["createdBy"] = "private_booking", o.booking, b["userId"]
	}
	for name, value := range want {
		if e[name] != value {
			s.Differ("an event with other attributes", o.by.Items, "%s is not %v: %v", name, value, e)
		}
	}
	if date != o.date || slot != slotNames[string(o.slot)] {
		s.Differ("an event in another slot", o.by.Items, "%s %s: %v", date, slot, e)
	}
	title, version := checker.TextOf(e, "title"), checker.NumberOf(e, "version")
	updates := s.of(renaming, o.event)
	if version != 1+len(updates) {
		s.Differ("an event whose version does not count its changes", o.by.Items, "%d changes: %v", len(updates), e)
	}
	first := title == o.by.Mark || title == checker.TextOf(v.bookings[o.booking], "eventDescription")
	if len(updates) == 0 != first || len(updates) > 0 && !lastOf(updates, title) {
		s.Differ("an event without its last title", o.by.Items, "%v", e)
	}
	if told, is := s.titles[o.event][version]; is && told != title {
		s.Differ("an event that is not as somebody was told", o.by.Items, "%s: %v", told, e)
	}
	for told := range s.titles[o.event] {
		if told > version {
			s.Differ("a version of an event is lost", o.by.Items, "%d: %v", told, e)
		}
	}
}

// of are the calls of a kind that have changed an event.
func (s *venues) of(kind, event string) (all []*call) {
	for _, c := range s.all {
		if c.kind == kind && c.event == event && c.Done() {
			all = append(all, c)
		}
	}
	return all
}

// lastOf reports whether the call with the mark can have been the last one.
func lastOf(all []*call, mark string) bool {
	at := slices.IndexFunc(all, func(c *call) bool { return c.Mark == mark })
	return at >= 0 && !slices.ContainsFunc(all, func(c *call) bool { return c.Within.From > all[at].Within.To })
}

// checkCode compares the code of an event with the calls that have set one.
func (s *venues) checkCode(o *occupancy, code plain) {
	sets := s.of(coding, o.event)
	if o.by.code {
		sets = append(sets, o.by)
	}
	if len(sets) == 0 && code == nil {
		return
	}
	if !lastOf(sets, checker.TextOf(code, "code")) || len(sets) > 1 && o.by.code && code["code"] == o.by.Mark {
		s.Differ("an event without its last code", o.by.Items, "%d codes: %v", len(sets), code)
	}
	if code["date"] != o.date || code["timeSlot"] != string(o.slot) || code["eventId"] != o.event {
		s.Differ("a code of another event", o.by.Items, "%v", code)
	}
}

// checkOccupancies looks for two events that held one slot, and for one that ended twice.
func (s *venues) checkOccupancies(all map[string]*occupancy) {
	byDate := map[string][]*occupancy{}
	for _, o := range all {
		byDate[o.date] = append(byDate[o.date], o)
		if len(o.ends) > 1 {
			s.Differ("an event that ended twice", o.by.Items+" "+o.event, "%s and %s", o.ends[0].About, o.ends[1].About)
		}
		if o.made.From > o.gone.To {
			s.Differ("an event that ended before it began", o.by.Items+" "+o.event, "%s and %s", o.by.About, o.ends[0].About)
		}
	}
	for date, day := range byDate {
		for i, o := range day {
			for _, other := range day[:i] {
				if o.clashes(other) {
					s.Differ("two events held one slot", o.by.Items+" "+other.by.Items+" hall/"+date, "%s and %s", o.by.About, other.by.About)
				}
			}
		}
	}
}

// checkUsers counts the bookings of each user. Every request, approval and end of an approved booking moves the counts.
func (s *venues) checkUsers(v *items) {
	for id, relations := range v.relations {
		for booking, p := range relations {
			s.Differ("an item of a booking that does not exist", id+" "+booking, "%v", p)
		}
	}
	requested, approved, moved := map[string]int{}, map[string]int{}, map[string]int{}
	for _, b := range v.bookings {
		user := checker.TextOf(b, "userId")
		requested[user]++
		approved[user] += checker.Count(b["status"] == "approved")
		if b["status"] == "approved" {
			moved[user]++
		}
		moved[user]++
	}
	for _, c := range s.all {
		if c.kind == withdrawing && c.Done() && c.event != "" {
			moved[checker.TextOf(v.bookings[c.booking], "userId")] += 2
		}
	}
	for n := range hirers {
		id := fmt.Sprint(hirerPrefix, n)
		u := v.users[id]
		delete(v.users, id)
		if checker.NumberOf(u, "requestedCount") != requested[id] || checker.NumberOf(u, "approvedCount") != approved[id] {
			s.Differ("statistics that do not count the bookings", id, "%d, %d approved: %v", requested[id], approved[id], u)
		}
		if checker.NumberOf(u, "countsMoved") != moved[id] {
			s.Differ("statistics that have moved more or less than the bookings", id, "%d: %v", moved[id], u)
		}
	}
	for id, u := range v.users {
		s.Differ("a user that nobody created", id, "%v", u)
	}
}
