package listing

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	calendar "github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// yearbook is a calendar with a booking that was moved, a block that was deleted, and a reservation that was imported.
type yearbook struct {
	*calendars
	items                            *items
	book, move, block, free, deliver *call
	reservation                      *channelBooking
}

func newYearbook(t *testing.T) *yearbook {
	s := newCalendars(checker.Histories(t))
	y := &yearbook{calendars: s, reservation: &channelBooking{listing: "l", id: "R", source: calendar.Airbnb}}
	call := func(mark, kind, event string, v checker.Verdict, at checker.Span, stay dynastay.Stay) *call {
		c := &call{Deed: checker.Answered(mark, v, at), kind: kind, listing: "l", event: event, stay: stay}
		c.Refusal = takenNights
		s.all = append(s.all, c)
		return c
	}
	y.block = call("m1", blocking, "BLOCK#m1", checker.Acknowledged, checker.Between(1, 2), march(1, 3))
	y.free = call("m2", freeing, "BLOCK#m1", checker.Acknowledged, checker.Between(3, 4), dynastay.Stay{})
	y.book = call("m3", booking, "BOOKING#m3", checker.Acknowledged, checker.Between(5, 6), march(1, 3))
	y.move = call("m4", moving, "BOOKING#m3", checker.Acknowledged, checker.Between(11, 12), march(2, 4))
	y.deliver = call("m5", delivering, "BOOKING#b", checker.Acknowledged, checker.Between(21, 22), march(1, 2))
	y.deliver.answers = []outcome{{checker.Between(21, 22), calendar.Created}}
	y.deliver.delivery = &delivery{of: y.reservation, Reservation: calendar.Reservation{
		ListingID: "l", Source: calendar.Airbnb, ExternalID: "R", Revision: 1, Stay: march(1, 2),
	}}
	s.channels = []*channelBooking{y.reservation}
	y.items = &items{
		listing: "l", events: map[string]plain{}, nights: map[string]plain{}, imports: map[string]plain{},
		registers: map[string]*register{}, tenancies: tenancies{},
	}
	y.put(plain{
		"eventId": "BOOKING#m3", "eventSource": "LOCALSTAYS", "bookingId": "m3", "note": "m3", "checkIn": "2030-03-02", "checkOut": "2030-03-04",
	}, "2030-03-02", "2030-03-03")
	y.put(plain{
		"eventId": "BOOKING#b", "eventSource": "AIRBNB", "bookingId": "b", "externalReservationId": "R", "checkIn": "2030-03-01", "checkOut": "2030-03-02",
	}, "2030-03-01")
	y.items.imports["AIRBNB#R"] = plain{"bookingId": "b", "revision": 1.0, "checkIn": "2030-03-01", "checkOut": "2030-03-02"}
	return y
}

func march(from, to int) dynastay.Stay {
	first := dynastay.MustDate("2030-03-01")
	return dynastay.Stay{CheckIn: first.AddDays(from - 1), CheckOut: first.AddDays(to - 1)}
}

// put stores an event with its nights.
func (y *yearbook) put(e plain, dates ...string) {
	e["listingId"], e["hostId"], e["kind"] = "l", hostOf("l"), "BOOKING"
	y.items.events[e["eventId"].(string)] = e
	for _, date := range dates {
		n := maps.Clone(e)
		n["date"], n["gsi1pk"], n["gsi1sk"] = date, "HOST_AVAILABILITY#"+hostOf("l"), "DATE#"+date+"#LISTING#l"
		y.items.nights[date] = n
	}
}

// refuse adds a refused call for an event.
func (y *yearbook) refuse(kind, event string, at checker.Span, stay dynastay.Stay, err error) {
	c := &call{Deed: checker.Answered("m9", checker.Refused, at), kind: kind, listing: "l", event: event, stay: stay}
	c.Refusals = []checker.Told{{Span: at, Err: err}}
	y.all = append(y.all, c)
}

func (y *yearbook) redeliver(at checker.Span, revision int, what calendar.Outcome, stay dynastay.Stay) {
	c := &call{Deed: checker.Answered("m9", checker.Acknowledged, at), kind: delivering, listing: "l", event: "BOOKING#b", stay: stay}
	d := y.deliver.delivery.Reservation
	d.Revision, d.Stay = revision, stay
	c.delivery, c.answers = &delivery{d, y.reservation}, []outcome{{at, what}}
	y.all = append(y.all, c)
}

func takenBy(event string, day int) error {
	return &calendar.Taken{ListingID: "l", Nights: []*calendar.Night{{ListingID: "l", Date: march(day, 9).CheckIn, EventID: event}}}
}

func (y *yearbook) check() { y.checkCalendar(y.items) }

func TestRightCalendars(t *testing.T) {
	checker.Accepts(t, newYearbook, (*yearbook).check, map[string]func(y *yearbook){
		"nothing else": func(*yearbook) {},
		"true refusals": func(y *yearbook) {
			y.refuse(booking, "BOOKING#x", checker.Between(7, 8), march(1, 3), takenBy("BOOKING#m3", 1))
			y.refuse(booking, "BOOKING#x", checker.Between(4, 5), march(1, 3), takenBy("BLOCK#m1", 1))
			y.refuse(booking, "BOOKING#m3", checker.Between(13, 14), march(7, 8), dynastay.ErrAlreadyExists)
			y.refuse(moving, "BLOCK#m1", checker.Between(5, 5), march(7, 8), dynastay.ErrNotFound)
			y.refuse(moving, "BOOKING#b", checker.Between(30, 31), march(7, 8), calendar.ErrImported)
		},
		"an unknown deletion": func(y *yearbook) {
			y.free.Answers = checker.Tally{checker.Unknown: 1}
			y.free.Within.To = checker.Ever
		},
		"outcomes": func(y *yearbook) {
			y.redeliver(checker.Between(30, 31), 1, calendar.Repeated, march(1, 2))
			y.deliver.delivery.Revision = 1
		},
		"a look": func(y *yearbook) {
			y.looks = []*look{{checker.Between(7, 8), "l", march(1, 4), map[dynastay.Date]string{
				march(1, 2).CheckIn: "BOOKING#m3", march(2, 3).CheckIn: "BOOKING#m3",
			}}}
		},
	})
}

func TestWrongCalendars(t *testing.T) {
	event := func(y *yearbook) plain { return y.items.events["BOOKING#m3"] }
	for name, change := range map[string]func(y *yearbook){
		"a night is lost":               func(y *yearbook) { delete(y.items.nights, "2030-03-02") },
		"a night of another event":      func(y *yearbook) { y.items.nights["2030-03-02"]["eventId"] = "BOOKING#b" },
		"a night too many":              func(y *yearbook) { y.items.nights["2030-03-09"] = plain{"eventId": "BOOKING#m3"} },
		"a night of another source":     func(y *yearbook) { y.items.nights["2030-03-02"]["eventSource"] = "OTHER" },
		"a night of another host":       func(y *yearbook) { y.items.nights["2030-03-02"]["gsi1pk"] = "HOST_AVAILABILITY#x" },
		"an event with another booking": func(y *yearbook) { event(y)["bookingId"] = "x" },
		"an event that is incomplete":   func(y *yearbook) { event(y)["moving"] = true },
		"an event of nobody":            func(y *yearbook) { event(y)["note"] = "x" },
		"an event of another call":      func(y *yearbook) { event(y)["note"] = "m1" },
		"an event that was refused":     func(y *yearbook) { y.book.Answers = checker.Tally{checker.Refused: 1} },
		"a booking is lost":             func(y *yearbook) { delete(y.items.events, "BOOKING#m3") },
		"a move that was refused":       func(y *yearbook) { y.move.Answers = checker.Tally{checker.Refused: 1} },
		"a deletion that was refused":   func(y *yearbook) { y.free.Answers = checker.Tally{checker.Refused: 1} },
		"a deletion without an event":   func(y *yearbook) { y.block.Answers = checker.Tally{checker.Refused: 1} },
		"an event made twice":           func(y *yearbook) { y.all = append(y.all, y.book) },
		"two events held one night":     func(y *yearbook) { y.book.stay, y.free.Within = march(1, 3), checker.Between(13, 14) },
		"a move of nothing":             func(y *yearbook) { y.move.event = "BOOKING#x" },
		"a refusal for a free night": func(y *yearbook) {
			y.refuse(booking, "x", checker.Between(30, 31), march(3, 9), takenBy("BOOKING#m3", 5))
		},
		"a refusal for a night left": func(y *yearbook) {
			y.refuse(booking, "x", checker.Between(13, 14), march(1, 3), takenBy("BOOKING#m3", 1))
		},
		"a refusal for another night": func(y *yearbook) {
			y.refuse(booking, "x", checker.Between(13, 14), march(6, 9), takenBy("BOOKING#m3", 2))
		},
		"a refusal for an event of nobody": func(y *yearbook) {
			y.refuse(booking, "x", checker.Between(13, 14), march(1, 3), takenBy("BOOKING#x", 1))
		},
		"a refusal for its own night": func(y *yearbook) {
			y.refuse(moving, "BOOKING#m3", checker.Between(13, 14), march(2, 9), takenBy("BOOKING#m3", 2))
		},
		"a refusal that names nothing": func(y *yearbook) { y.refuse(booking, "x", checker.Between(13, 14), march(2, 9), &calendar.Taken{}) },
		"another event held the night": func(y *yearbook) {
			y.refuse(booking, "x", checker.Between(30, 31), march(2, 9), takenBy("BOOKING#b", 2))
		},
		"it does not exist": func(y *yearbook) {
			y.refuse(booking, "BLOCK#m1", checker.Between(5, 6), march(7, 8), dynastay.ErrAlreadyExists)
		},
		"it exists": func(y *yearbook) {
			y.refuse(freeing, "BOOKING#m3", checker.Between(13, 14), march(7, 8), dynastay.ErrNotFound)
		},
		"it was not imported": func(y *yearbook) {
			y.refuse(moving, "BOOKING#m3", checker.Between(13, 14), march(7, 8), calendar.ErrImported)
		},
		"nobody has written it since": func(y *yearbook) {
			y.refuse(moving, "BOOKING#m3", checker.Between(13, 14), march(7, 8), dynastay.ErrVersion)
		},
		"a short event incomplete": func(y *yearbook) {
			y.refuse(moving, "BOOKING#m3", checker.Between(13, 14), march(7, 8), &calendar.IncompleteError{})
		},
		"shown as free": func(y *yearbook) { y.looks = []*look{{checker.Between(7, 8), "l", march(1, 2), nil}} },
		"shown as taken": func(y *yearbook) {
			y.looks = []*look{{checker.Between(13, 14), "l", march(1, 2), map[dynastay.Date]string{march(1, 2).CheckIn: "BOOKING#m3"}}}
		},
		"nights of another time": func(y *yearbook) {
			y.looks = []*look{{checker.Between(0, 0), "l", march(5, 6), map[dynastay.Date]string{march(9, 10).CheckIn: "BOOKING#m3"}}}
		},
		"a reservation is lost":       func(y *yearbook) { delete(y.items.imports, "AIRBNB#R") },
		"a reservation of nobody":     func(y *yearbook) { y.items.imports["AIRBNB#S"] = plain{} },
		"a revision of nobody":        func(y *yearbook) { y.items.imports["AIRBNB#R"]["revision"] = 2.0 },
		"an older revision":           func(y *yearbook) { y.redeliver(checker.Between(30, 31), 2, calendar.Changed, march(1, 2)) },
		"another event":               func(y *yearbook) { y.items.imports["AIRBNB#R"]["bookingId"] = "x" },
		"cancelled, with an event":    func(y *yearbook) { y.items.imports["AIRBNB#R"]["cancelled"] = true },
		"deleted by nobody":           func(y *yearbook) { y.items.imports["AIRBNB#R"]["deleted"] = true; delete(y.items.events, "BOOKING#b") },
		"other dates":                 func(y *yearbook) { y.items.events["BOOKING#b"]["checkOut"] = "2030-03-03" },
		"an event of another channel": func(y *yearbook) { y.items.events["BOOKING#b"]["eventSource"] = "OTHER" },
		"imported twice":              func(y *yearbook) { y.redeliver(checker.Between(30, 31), 1, calendar.Unchanged, march(1, 2)) },
		"an older one after a newer":  func(y *yearbook) { y.reverse() },
		"repeated by nobody":          func(y *yearbook) { y.deliver.answers[0].what = calendar.Repeated },
		"outdated by nobody": func(y *yearbook) {
			y.redeliver(checker.Between(30, 31), 0, calendar.Outdated, march(1, 2))
			y.deliver.Within.From = 40
		},
		"outdated, and the newest one": func(y *yearbook) { y.redeliver(checker.Between(30, 31), 1, calendar.Outdated, march(1, 2)) },
		"changed, where nothing was":   func(y *yearbook) { y.deliver.answers[0].what = calendar.Changed },
		"unchanged, where nothing was": func(y *yearbook) { y.deliver.answers[0].what = calendar.Unchanged },
	} {
		y := newYearbook(t)
		change(y)
		y.checkCalendar(y.items)
		assert.NotEmpty(t, y.Kinds(), name)
	}
}

// reverse lets the reservation be imported again with an older revision.
func (y *yearbook) reverse() {
	y.redeliver(checker.Between(30, 31), 1, calendar.Changed, march(1, 2))
	y.deliver.delivery.Revision = 2
	y.items.imports["AIRBNB#R"]["revision"] = 2.0
}
