// Package venue runs and checks the writes of a venue: requests for its slots, their approvals, and events.
package venue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// plain is a stored item without the library.
type plain = map[string]any

// venues are one venue with few days, whose slots are wanted by the requests of users and by the events of
// administrators. Every administrator acts only once, under the mark of the call, so the audit log tells which calls
// were carried out. A call through DB.Write may also leave an invitation. The calls are in calls.go, what the audit log
// tells of them in items.go, what was stored when in lives.go, and the comparison in check.go and refusals.go.
type venues struct {
	*checker.Run
	calls  checker.Deeds[*call]
	guests atomic.Int64 // the last number of attendees: each is written once, so it says which call wrote it

	mu      sync.Mutex
	all     map[string]*call // by mark
	lately  []*venue.Booking // that somebody was told of last
	shown   []*venue.Event   // likewise
	states  map[string]map[int]state
	titles  map[string]map[int]string // of events, by id and version
	days    []*dayLook
	numbers []*numbersLook
}

// Tables are those of the venue.
var Tables = []*dynastay.Schema{venuekeys.Table, invitationEntity.Schema}

// Join adds the venue to a run.
func Join(c *checker.Run) { c.Add(newVenues(c), 26) }

// invitationEntity are the invitations that a call may leave.
var invitationEntity = checker.ReceiptsIn("Invitations")

// hall is what a process has of the venue.
type hall struct {
	venue       *venue.Repository
	invitations *entity.Table[checker.Receipt]
}

var hallOf = checker.Each(func(p *checker.Process) *hall {
	return &hall{venue.New(p.DB, nil), entity.NewTable(p.DB, invitationEntity)}
})

// The kinds of calls.
const (
	requesting  = "request slot"
	changing    = "change request"
	approving   = "approve request"
	declining   = "reject request"
	withdrawing = "cancel request"
	staging     = "create event"
	renaming    = "update event"
	striking    = "delete event"
	coding      = "set lock code"
	reporting   = "report venue payment"
	recounting  = "recount user"
)

// actions are the entries of the audit log that show that a call was carried out. Payments and recounts have none.
var actions = map[string]string{
	requesting: "booking.requested", changing: "booking.updated", approving: "booking.approved", declining: "booking.rejected",
	withdrawing: "booking.cancelled", staging: "event.created", renaming: "event.updated", striking: "event.deleted", coding: "lockcode.set",
}

// call is a call about a booking, an event, or the statistics of a user.
type call struct {
	*checker.Deed
	kind      string
	by        venue.Actor
	user      string // of a request and a recount; otherwise that of the booking, if it has one
	booking   string // "" if there is none, or its id is drawn and not known yet
	event     string // likewise: the one that the call made, changed or deleted
	date      dynastay.Date
	slot      venue.Slot
	attendees int
	version   int // that the booking or the event must have; 0 for any
	code      bool
	payment   venue.Payment
	stranger  bool // who must not do it
	keyed     bool
	invites   bool
	notifies  bool
	results   []*venue.Booking
	recorded  []report

	// What is found in the end.
	entries     []plain // of the audit log
	codeEntries int
}

// state is a version of a booking, without the times.
type state struct {
	user, description, date, slot string
	attendees                     int
	status, by, reason, event     string
}

func stateOf(b *venue.Booking) state {
	return state{
		b.UserID, b.Description, b.Date.String(), string(b.Slot), b.Attendees, string(b.Status), b.DecidedBy, b.Reason, b.EventID,
	}
}

// dayLook is an answer to what takes place on a day.
type dayLook struct {
	checker.Span
	date   dynastay.Date
	events []*venue.Event
}

// report is an answer to a report of a payment.
type report struct {
	checker.Span
	venue.Recorded
}

// numbersLook is an answer to how many bookings a user has.
type numbersLook struct {
	checker.Span
	user                string
	requested, approved int
}

func newVenues(c *checker.Run) *venues {
	s := &venues{Run: c, all: map[string]*call{}, states: map[string]map[int]state{}, titles: map[string]map[int]string{}}
	if c.Base == nil { // the tests of wrong histories
		return s
	}
	for n := range hirers {
		id := fmt.Sprint(hirerPrefix, n)
		_, err := venue.New(c.Base.Direct, nil).CreateUser(c.T.Context(), venue.User{ID: id, Name: id, Email: id + "@example.com"})
		if err != nil {
			c.T.Fatal(err)
		}
	}
	return s
}

const (
	hirers      = 4
	hirerPrefix = "hirer-"
	// uncounted is the user whose statistics other software changes.
	uncounted   = hirerPrefix + "0"
	adminPrefix = "admin-"
)

func hirer(w *checker.Worker) string { return fmt.Sprint(hirerPrefix, w.Rand.IntN(hirers)) }

func hallDay(w *checker.Worker) dynastay.Date {
	return dynastay.MustDate("2030-05-01").AddDays(w.Rand.IntN(8))
}

func hallSlot(w *checker.Worker) venue.Slot {
	return []venue.Slot{venue.Morning, venue.Morning, venue.Afternoon, venue.Afternoon, venue.FullDay}[w.Rand.IntN(5)]
}

func (s *venues) Step(w *checker.Worker) {
	draw := s.request
	switch at := w.Rand.IntN(60); {
	case at < 12:
	case at < 24:
		draw = s.approve
	case at < 26:
		draw = s.reject
	case at < 36:
		draw = s.cancel
	case at < 41:
		draw = s.update
	case at < 44:
		draw = s.createEvent
	case at < 47:
		draw = s.updateEvent
	case at < 51:
		draw = s.deleteEvent
	case at < 53:
		draw = s.setCode
	case at < 54:
		draw = s.pay
	case at < 57:
		draw = s.recount
	case at < 59:
		s.look(w)
		return
	default:
		s.miscount(w)
		return
	}
	s.calls.Do(w, func(keyed bool) *call { return draw(w, keyed) })
}

// made adds a call. Its user gets a message with some calls, in the same transaction. told notes what the call returned.
func made[R any](
	s *venues, w *checker.Worker, c *call, mark string, keyed bool, refusal checker.Refusal, op func(*venue.Repository) *dynastay.Operation[R],
	told func(c *call, at checker.Span, result R),
) *call {
	c.keyed = keyed
	c.invites = c.kind == changing && c.by.Role == venue.Customer || w.OneIn(4) // a user's change has no other mark
	c.notifies = c.user != "" && w.OneIn(6)
	items := fmt.Sprint(c.booking, " ", c.event)
	if !c.date.IsZero() {
		items += " hall/" + c.date.String()
	}
	about := fmt.Sprintf("%s %s %s %s of %d by %s", c.booking, c.event, c.date, c.slot, c.version, c.by.UserID)
	c.Deed = w.Deed(mark, c.kind, items, about, keyed, refusal, func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
		if c.invites {
			parts = append(parts, hallOf(p).invitations.CreateOp(&checker.Receipt{ID: mark, Kind: c.kind}))
		}
		if c.notifies {
			parts = append(parts, hallOf(p).venue.NotifyOp(venue.Notification{UserID: c.user, ID: mark, Title: c.kind}))
		}
		at := checker.Span{From: s.Moment()}
		result, err := checker.Write(ctx, p, parts, op(hallOf(p).venue))
		if at.To = s.Moment(); err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			told(c, at, result)
		}
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[mark] = c
	return c
}

// told notes a booking as a call returned it. Under a key, that may be what has become of it since.
func (s *venues) told(c *call, _ checker.Span, b *venue.Booking) {
	c.results = append(c.results, b)
	if c.booking == "" {
		c.booking = b.ID
	}
	if b.ID != c.booking {
		s.Differ("a booking that nobody asked for", c.Items, "%s: %+v", c.About, b)
	}
	if s.states[b.ID] == nil {
		s.states[b.ID] = map[int]state{}
	}
	if other, is := s.states[b.ID][b.Version]; is && other != stateOf(b) {
		s.Differ("two states of one version", c.Items+" "+b.ID, "version %d: %+v and %+v", b.Version, other, stateOf(b))
	}
	s.states[b.ID][b.Version] = stateOf(b)
	s.show(b)
	if b.Status == venue.Approved {
		s.showEvent(&venue.Event{ID: b.EventID, Date: b.Date, Slot: b.Slot, Version: 1})
	}
}

// show lets others pick a booking.
func (s *venues) show(b *venue.Booking) {
	if at := slices.IndexFunc(s.lately, func(other *venue.Booking) bool { return other.ID == b.ID }); at >= 0 {
		if s.lately[at].Version < b.Version {
			s.lately[at] = b
		}
		return
	}
	s.lately = checker.Keep(s.lately, b, 14)
}

func (s *venues) showEvent(e *venue.Event) {
	s.hide(e.ID)
	s.shown = checker.Keep(s.shown, e, 8)
}

func (s *venues) hide(event string) {
	s.shown = slices.DeleteFunc(s.shown, func(e *venue.Event) bool { return e.ID == event })
}

// toldEvent notes an event as a call returned it.
func (s *venues) toldEvent(c *call, _ checker.Span, e *venue.Event) {
	if c.event == "" {
		c.event = e.ID
	}
	if e.ID != c.event || e.Date != c.date || e.Slot != c.slot || !c.keyed && e.Title != c.Mark {
		s.Differ("an event that nobody asked for", c.Items, "%s: %+v", c.About, e)
	}
	if e.Version == 0 { // of a repeated call, after the event was deleted
		return
	}
	if s.titles[e.ID] == nil {
		s.titles[e.ID] = map[int]string{}
	}
	if other, is := s.titles[e.ID][e.Version]; is && other != e.Title {
		s.Differ("two titles of one version", c.Items, "version %d: %s and %s", e.Version, other, e.Title)
	}
	s.titles[e.ID][e.Version] = e.Title
	s.showEvent(e)
}

// pick draws a booking, mostly one that was told of lately in one of the statuses.
func (s *venues) pick(w *checker.Worker, statuses ...venue.Status) *venue.Booking {
	s.mu.Lock()
	defer s.mu.Unlock()
	fit := s.lately
	if !w.OneIn(5) {
		fit = slices.DeleteFunc(slices.Clone(fit), func(b *venue.Booking) bool { return !slices.Contains(statuses, b.Status) })
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[w.Rand.IntN(len(fit))]
}

func (s *venues) pickEvent(w *checker.Worker) *venue.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.shown) == 0 {
		return nil
	}
	return s.shown[w.Rand.IntN(len(s.shown))]
}

// Settle clears up what is unknown, and counts again what other software has changed.
func (s *venues) Settle(w *checker.Worker) {
	s.calls.Settle(w)
	w.Call(recounting, uncounted, "", checker.Never, func(ctx context.Context) error {
		return checker.ErrorOf(hallOf(w).venue.Recount(ctx, uncounted))
	})
}

var (
	takenSlot = checker.Refusal(func(err error) bool {
		var taken *venue.SlotTaken
		return errors.As(err, &taken)
	})
	wrongStatus = checker.Refusal(func(err error) bool {
		var status *venue.StatusError
		return errors.As(err, &status)
	})
	ofBooking = takenSlot.Or(wrongStatus).Or(checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion, venue.ErrNotAllowed))
)
