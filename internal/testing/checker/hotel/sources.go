package hotel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// agency is a channel that delivers some reservations more than once, as different bookings, of which one may be made.
const agency = "agency"

// source is where a booking comes from, and what the platform notes about it and its lines.
type source struct {
	user, channel, reference string
	data, line               string         // what is noted as "of"; "" for nothing
	taken                    []checker.Told // refusals because of the reference
}

// from draws the source of a booking: a third are reservations of the agency, and another third say more than who the user is.
func (s *sales) from(w *checker.Worker, mark string, r *bookings.Request) source {
	of := source{user: fmt.Sprint("user_", w.N%7)}
	switch w.Rand.IntN(3) {
	case 0:
		s.mu.Lock()
		if w.OneIn(2) {
			s.references++
		}
		of = source{channel: agency, reference: fmt.Sprint("r", s.references), data: mark, line: mark}
		s.mu.Unlock()
		r.NoUser, r.UniqueReference = true, true
	case 1:
		of.channel, of.line = "front desk", mark
	}
	r.UserID, r.Source, r.Data = of.user, bookings.Source{Channel: of.channel, ExternalReference: of.reference}, noted(of.data)
	if of.line != "" {
		r.LineData = slices.Repeat([]bookings.Data{noted(of.line)}, len(r.Quote.Lines))
	}
	return of
}

func noted(text string) bookings.Data {
	if text == "" {
		return nil
	}
	return bookings.Data{"of": text}
}

// delivered tells the refusal of a reference that another booking has.
var delivered = checker.Taken("ExternalReference")

// note draws what a modification notes about the booking and, with a quote, about its lines.
func note(w *checker.Worker, mark string, to *bookings.Modification) {
	if w.OneIn(3) {
		to.Data = noted(mark)
	}
	if to.Quote != nil && w.OneIn(2) {
		to.LineData = slices.Repeat([]bookings.Data{noted(mark)}, len(to.Quote.Lines))
	}
}

// otherSource says how a booking differs from where it comes from, and from what was noted last; "" for not at all. A line that a
// modification has added has nothing noted about it, unless the modification says what.
func (l *stayLife) otherSource() string {
	of, index := l.ask.source, [2]string{}
	if of.user != "" {
		index = [2]string{"USER#" + of.user, "CHECKIN#" + l.text("CheckInDate") + "#BOOKING#" + l.id}
	}
	got := []string{l.text("UserId"), l.text("Channel"), l.text("ExternalReference")}
	if want := []string{of.user, of.channel, of.reference}; !slices.Equal(got, want) {
		return fmt.Sprintf("it is of %v instead of %v", got, want)
	}
	if got := [2]string{l.text("GSI1PK"), l.text("GSI1SK")}; got != index {
		return fmt.Sprintf("it is listed as %v instead of %v", got, index)
	}
	if l.registered != (of.reference != "") {
		return fmt.Sprintf("its reference %q is registered: %t", of.reference, l.registered)
	}
	data, line, added := of.data, of.line, false
	for _, m := range l.modified {
		data = cmp.Or(m.to.Data["of"], data)
		switch {
		case m.to.LineData != nil:
			line, added = m.Mark, false
		case m.to.Quote != nil:
			added = true
		}
	}
	if got := notedIn(l.plain); got != data {
		return fmt.Sprintf("%q is noted, and not %q", got, data)
	}
	for _, stored := range l.lines {
		if got := notedIn(stored); got != line && !(added && got == "") {
			return fmt.Sprintf("%q is noted about a line, and not %q", got, line)
		}
	}
	return ""
}

func notedIn(item plain) string {
	data, _ := item["Data"].(plain)
	text, _ := data["of"].(string)
	return text
}

// checkSources compares each booking with its source, and each refusal of a reference with who else had it by then.
func (s *sales) checkSources(lives map[string]*stayLife) {
	has := map[string]*stayLife{}
	for _, id := range slices.Sorted(maps.Keys(lives)) {
		l := lives[id]
		if text := l.otherSource(); text != "" {
			s.Differ("a booking of another source", id, "%s", text)
		}
		reference := l.ask.source.reference
		if reference == "" {
			continue
		}
		if other := has[reference]; other != nil {
			s.Differ("two bookings of one reference", id, "%s and %s of %s", id, other.id, reference)
		}
		has[reference] = l
		b, err := bookings.New(s.Base.Direct, nil).ByExternalReference(
			context.Background(), bookings.Source{Channel: agency, ExternalReference: reference})
		if err != nil || b.ID != id {
			s.Differ("a booking that its reference does not find", id, "%s: %v", reference, err)
		}
	}
	for mark, a := range s.asked {
		if !a.refusedFor(has[a.source.reference]) {
			s.Differ("a reference that nobody had", mark, "%s: %v", a.source.reference, a.source.taken)
		}
	}
}

// refusedFor reports whether a booking that has the reference, or nil, explains all refusals because of it.
func (a *ask) refusedFor(has *stayLife) bool {
	return !slices.ContainsFunc(a.source.taken, func(t checker.Told) bool { return has == nil || has.ask == a || has.ask.from > t.To })
}
