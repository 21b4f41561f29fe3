package checker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

var refundEntity = entity.New(entity.Spec[refund]{
	Name:   "Refund",
	Schema: &dynastay.Schema{Name: "Refunds", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(r *refund) (dynastay.Key, error) { return dynastay.Key{PK: r.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, r *refund) {
		f.String("id", &r.ID)
		f.String("booking", &r.BookingID)
	}),
})

type refund struct{ ID, BookingID string }

// sales are the bookings of the house and their cancellations. The call that made a booking is named in its SpecialRequests,
// the one that cancelled it in its CancellationReason, so that each stored one can be told.
type sales struct {
	*checker
	keyed, cancelledOnce repeats

	mu      sync.Mutex
	asked   map[string]*ask
	made    []*ask // that were acknowledged
	open    []*ask // of these, the ones of which no cancellation was acknowledged
	cancels map[string]*cancellation
}

type ask struct {
	quote   *availability.Quote
	id      string // as it was acknowledged
	verdict func() verdict
}

// items are the request and the nights that it is about.
func (a *ask) items(mark string) string { return mark + " " + strings.Join(nightsOf(a.quote), " ") }

type cancellation struct {
	bookingID string
	refund    bool
	verdict   func() verdict
}

func newSales(c *checker) *sales {
	return &sales{checker: c, asked: map[string]*ask{}, cancels: map[string]*cancellation{}}
}

func (s *sales) step(w *worker) {
	switch w.rand.IntN(10) {
	case 0, 1, 2:
		s.book(w)
	case 3, 4:
		s.bookOnce(w)
	case 5:
		s.madeBy(w)
	default:
		s.cancel(w)
	}
}

func soldOut(err error) bool {
	var r *bookings.Refused
	return errors.As(err, &r) && r.Has(availability.SoldOut)
}

func (s *sales) request(w *worker, mark string) (*ask, bookings.Request) {
	a := &ask{quote: s.hotel.quotes[w.rand.IntN(len(s.hotel.quotes))], verdict: func() verdict { return unknown }}
	r := fixture.Request(a.quote)
	r.SpecialRequests, r.UserID = mark, fmt.Sprint("user_", w.n%7)
	return a, r
}

// acknowledged notes what a booking call returned.
func (s *sales) acknowledged(mark string, a *ask, b *bookings.Booking) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.SpecialRequests != mark {
		s.differ("another's booking", mark, "%s is for %s", b.ID, b.SpecialRequests)
	}
	switch a.id {
	case "":
		a.id = b.ID
		s.made, s.open = append(s.made, a), append(s.open, a)
	case b.ID:
	default:
		s.differ("two bookings of one key", mark, "%s and %s", a.id, b.ID)
	}
}

func (s *sales) book(w *worker) {
	mark := w.mark()
	a, request := s.request(w, mark)
	s.mu.Lock()
	s.asked[mark] = a
	s.mu.Unlock()
	v := w.call("book", a.items(mark), "", soldOut, func(ctx context.Context) error {
		b, err := w.bookings.Create(ctx, request)
		if err == nil {
			s.acknowledged(mark, a, b)
		}
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	a.verdict = func() verdict { return v }
}

func (s *sales) bookOnce(w *worker) {
	s.keyed.call(w, func() *once {
		mark := w.mark()
		a, request := s.request(w, mark)
		o := &once{key: dynastay.IdempotencyKey(mark).Of(request.UserID), name: "book once", items: a.items(mark), about: mark, refusal: soldOut}
		o.send = func(ctx context.Context, p *process) error {
			b, err := p.bookings.Create(ctx, request, o.key)
			if err == nil {
				s.acknowledged(mark, a, b)
			}
			return err
		}
		a.verdict = o.verdict
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[mark] = a
		return o
	})
}

// madeBy asks for what a key made: certainly that, where it was acknowledged before.
func (s *sales) madeBy(w *worker) {
	s.keyed.mu.Lock()
	if len(s.keyed.all) == 0 {
		s.keyed.mu.Unlock()
		return
	}
	o := s.keyed.all[max(0, len(s.keyed.all)-1-w.rand.IntN(12))]
	s.keyed.mu.Unlock()
	s.mu.Lock()
	a := s.asked[o.about]
	before := a.id
	s.mu.Unlock()
	ctx, cancel := w.deadline()
	defer cancel()
	switch b, err := w.bookings.MadeBy(ctx, o.key); {
	case err == nil:
		s.acknowledged(o.about, a, b)
		o.mu.Lock()
		o.told[acknowledged]++
		o.mu.Unlock()
	case errors.Is(err, dynastay.ErrNotFound) && before != "":
		s.differ("a key that has forgotten its booking", o.about, "%s", before)
	}
}

func notCancellable(err error) bool {
	var state *bookings.StateError
	return errors.As(err, &state)
}

// cancel cancels one of the last bookings, as others do at the same time, half of the times with a refund.
func (s *sales) cancel(w *worker) {
	s.mu.Lock()
	if len(s.made) == 0 {
		s.mu.Unlock()
		return
	}
	booked := s.made[w.rand.IntN(len(s.made))]
	if open := len(s.open); open > 0 && !w.oneIn(5) {
		booked = s.open[w.rand.IntN(min(4, open))] // which others want to cancel too
	}
	id, items := booked.id, booked.items(booked.id)
	s.mu.Unlock()
	if w.oneIn(3) {
		s.cancelledOnce.call(w, func() *once {
			reason := w.mark()
			c := &cancellation{bookingID: id, refund: w.oneIn(2)}
			o := &once{key: dynastay.IdempotencyKey(reason), name: "cancel once", items: items, about: "by " + reason, refusal: notCancellable}
			o.send = func(ctx context.Context, p *process) error {
				err := p.Write(ctx, append(c.parts(p, reason), o.key)...)
				s.closed(id, err)
				return err
			}
			c.verdict = o.verdict
			s.mu.Lock()
			defer s.mu.Unlock()
			s.cancels[reason] = c
			return o
		})
		return
	}
	reason := w.mark()
	c := &cancellation{bookingID: id, refund: w.oneIn(2), verdict: func() verdict { return unknown }}
	s.mu.Lock()
	s.cancels[reason] = c
	s.mu.Unlock()
	v := w.call("cancel", items, "by "+reason, notCancellable, func(ctx context.Context) error {
		err := w.Write(ctx, c.parts(w.process, reason)...)
		s.closed(id, err)
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	c.verdict = func() verdict { return v }
}

// closed takes a booking from those that are worth cancelling.
func (s *sales) closed(id string, err error) {
	if err != nil && !notCancellable(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(open *ask) bool { return open.id == id })
}

func (c *cancellation) parts(p *process, reason string) []dynastay.Part {
	parts := []dynastay.Part{p.bookings.CancelOp(c.bookingID, reason)}
	if c.refund {
		parts = append(parts, p.refunds.CreateOp(&refund{reason, c.bookingID}))
	}
	return parts
}

func (s *sales) settle(w *worker) {
	s.keyed.settle(w)
	s.cancelledOnce.settle(w)
}

func (s *sales) check() {
	found := s.readBookings()
	s.checkAsked(found)
	s.checkCancelled(found)
	s.checkNights(found)
}

// found is a booking as it is stored.
type found struct {
	plain
	lines []plain
	guard bool
}

func (f *found) mark() string { return f.plain["SpecialRequests"].(string) }

func (f *found) confirmed() bool { return f.plain["Status"] == "confirmed" }

func (f *found) nights() (all []string) {
	checkIn, _ := dynastay.ParseDate(f.plain["CheckInDate"].(string))
	checkOut, _ := dynastay.ParseDate(f.plain["CheckOutDate"].(string))
	for date := range (dynastay.Stay{CheckIn: checkIn, CheckOut: checkOut}).Dates() {
		for _, line := range f.lines {
			all = append(all, fmt.Sprintf("%s/%s", line["RoomTypeId"], date))
		}
	}
	slices.Sort(all)
	return all
}

// readBookings puts the items of the table together, none of which is left over.
func (s *sales) readBookings() map[string]*found {
	all := map[string]*found{}
	var guards []plain
	var lines []plain
	for _, item := range s.scan(keys.BookingsTable) {
		p := s.plainOf(item)
		switch sk := p["SK"].(string); {
		case sk == "METADATA":
			all[strings.TrimPrefix(p["PK"].(string), "BOOKING#")] = &found{plain: p}
		case strings.HasPrefix(sk, "ROOM#"):
			lines = append(lines, p)
		case sk == "GUARD":
			guards = append(guards, p)
		default:
			s.differ("an item of no kind", p["PK"].(string), "%v", p)
		}
	}
	for _, line := range lines {
		if f := all[strings.TrimPrefix(line["PK"].(string), "BOOKING#")]; f != nil {
			f.lines = append(f.lines, line)
		} else {
			s.differ("a line without a booking", line["PK"].(string), "%v", line)
		}
	}
	for _, guard := range guards {
		f := all[guard["BookingId"].(string)]
		if f == nil || guard["PK"] != "REFERENCE#"+f.plain["BookingReference"].(string) {
			s.differ("a reference without a booking", guard["PK"].(string), "%v", guard)
			continue
		}
		f.guard = true
	}
	for id, f := range all {
		_, arrives := f.plain["GSI5PK"]
		if !f.guard || len(f.lines) != int(f.plain["NumberOfRooms"].(float64)) || !s.listed(id, f) || arrives != f.confirmed() {
			s.differ("a booking whose lines, guard or index keys are wrong", id, "%v", f.plain)
		}
	}
	return all
}

// listed reports whether the booking is in the list of its status, in a shard that some process writes to.
func (s *sales) listed(id string, f *found) bool {
	partitions, err := keys.Partitions(keys.BookingByStatus{Status: f.plain["Status"].(string)}, shards)
	for count := range shards {
		if err == nil && f.plain["GSI3PK"] == partitions[key.ShardOf(id, count+1)] {
			return true
		}
	}
	return false
}

func (s *sales) checkAsked(all map[string]*found) {
	byMark := map[string]string{}
	for id, f := range all {
		mark := f.mark()
		a := s.asked[mark]
		if a == nil {
			s.differ("a booking that nobody asked for", id, "%v", f.plain)
			continue
		}
		if other, twice := byMark[mark]; twice {
			s.differ("two bookings of one request", mark, "%s and %s", id, other)
		}
		byMark[mark] = id
		if a.verdict() == refused {
			s.differ("a booking that was refused", mark, "%s is stored", id)
		}
		if got, want := f.nights(), nightsOf(a.quote); !slices.Equal(got, want) {
			s.differ("a booking of other nights", mark, "%s has %v, and %v were asked for", id, got, want)
		}
	}
	for mark, a := range s.asked {
		if a.id != "" && byMark[mark] != a.id || a.verdict() == acknowledged && byMark[mark] == "" {
			s.differ("a booking is lost", mark, "%s", a.id)
		}
	}
}

func (s *sales) checkCancelled(all map[string]*found) {
	refunds := stored(s.checker, refundEntity)
	for id, f := range all {
		if f.confirmed() {
			continue
		}
		reason, _ := f.plain["CancellationReason"].(string)
		c := s.cancels[reason]
		if c == nil || c.bookingID != id || c.verdict() == refused {
			s.differ("a cancellation that nobody made", id, "by %q", reason)
		}
	}
	for reason, c := range s.cancels {
		f := all[c.bookingID]
		done := f != nil && !f.confirmed() && f.plain["CancellationReason"] == reason
		if c.verdict() == acknowledged && !done {
			s.differ("a cancellation acknowledged twice, or lost", c.bookingID, "by %s", reason)
		}
		if there := refunds[reason] != nil; there != (done && c.refund) {
			s.differ("a refund without its cancellation, or the other way round", c.bookingID, "by %s: refunded %t", reason, there)
		}
	}
}

// checkNights adds up the rooms: what was put on sale is left or sold, and never sold twice.
func (s *sales) checkNights(all map[string]*found) {
	sold := map[string]float64{}
	for _, f := range all {
		if !f.confirmed() {
			continue
		}
		for _, night := range f.nights() {
			sold[night]++
		}
	}
	for _, item := range s.scan(keys.AvailabilityTable) {
		p := s.plainOf(item)
		night := fmt.Sprintf("%s/%s", p["RoomTypeId"], p["Date"])
		left, total := p["AvailableRooms"].(float64), p["TotalRooms"].(float64)
		if left < 0 || left+sold[night] != total {
			s.differ("rooms do not add up", night, "%v left and %v sold of %v", left, sold[night], total)
		}
	}
}
