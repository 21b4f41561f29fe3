package hotel

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// sales are the bookings of the house, some of them holds, with a promo code or of an agency, and what becomes of them, see
// stays.go, modifications.go, notices.go, promos.go and sources.go. The call that made a booking is named in
// its SpecialRequests, so that each stored one can be told. Each step advances the clock, so that holds end.
type sales struct {
	*checker.Run
	hotel    *house
	keyed    checker.Repeats
	moved    checker.Deeds[*stayMove]
	modified checker.Deeds[*modification]
	noticed  checker.Deeds[*notice]
	switched checker.Deeds[*promoSwitch]
	promos   []*promo

	mu         sync.Mutex
	asked      map[string]*ask // by mark
	movedIn    map[string]*moveIn
	made       []*ask // that were acknowledged
	open       []*ask // of these, the ones that are not known to have come to their end
	references int    // of the agency, so far

	moves         map[string]*stayMove // by mark
	modifications []*modification
	notices       []*notice // those of moves are in the moves
	sweeps        []*sweep
}

// grace is how long a hold is granted after its end. The clocks of the processes differ by more, so that one of them may
// confirm what another one may expire.
const grace = 500 * time.Millisecond

// office is what a process has of the hotel.
type office struct {
	bookings *bookings.Repository
	nights   *availability.Repository
	receipts *entity.Table[checker.Receipt]
}

var officeOf = checker.Each(func(p *checker.Process) *office {
	return &office{
		bookings.New(p.DB, &bookings.Options{
			StatusShards: p.Shards, CheckInShards: p.Shards, HoldShards: p.Shards, HoldGrace: grace, NoShowAfter: time.Nanosecond,
		}),
		availability.New(p.DB), entity.NewTable(p.DB, receiptEntity),
	}
})

// tick is by how much a step advances the clock.
const tick = 100 * time.Millisecond

// endless is a hold that does not end while the checker runs.
const endless = 48 * time.Hour

// ask is a request for a booking.
type ask struct {
	quote   *availability.Quote
	hold    time.Duration
	id      string          // as it was acknowledged
	held    time.Time       // until when, as it was acknowledged; zero for no hold
	status  bookings.Status // the last that anybody was told
	verdict func() checker.Verdict
	from    checker.Moment // when it was first asked for
	code    string         // as the guest types it
	source  source

	refusals     []checker.Told    // of the code
	transactions []transaction     // that many notices are about
	refunds      []bookings.Refund // the same
}

// items are the request, the nights that it is about, and its promo code.
func (a *ask) items(mark string) string {
	return strings.Join(append(nightsOf(a.quote), mark, strings.ToUpper(a.code)), " ")
}

// arrives reports whether the guests can arrive today.
func (a *ask) arrives() bool { return a.quote.Stay.CheckIn == dynastay.MustDate(today) }

func newSales(c *checker.Run, hotel *house) *sales {
	return &sales{Run: c, hotel: hotel, asked: map[string]*ask{}, movedIn: map[string]*moveIn{}, moves: map[string]*stayMove{}, promos: newPromos(c)}
}

func (s *sales) Step(w *checker.Worker) {
	s.Base.Clock.Advance(tick)
	switch at := w.Rand.IntN(60); {
	case at < 6:
		s.book(w)
	case at < 10:
		s.bookOnce(w)
	case at < 12:
		s.madeBy(w)
	case at < 13:
		s.sweep(w)
	case at < 20:
		s.modify(w)
	case at < 32:
		for range 3 {
			s.record(w)
		}
	case at < 34:
		s.switchPromo(w)
	case at < 36:
		s.moveIn(w)
	default:
		s.move(w)
	}
}

func soldOut(err error) bool {
	var r *bookings.Refused
	return errors.As(err, &r) && r.Has(availability.SoldOut)
}

// request draws what is booked: every third stay begins today, and half of all are held, for so long that it ends while
// others are at it, or never does.
func (s *sales) request(w *checker.Worker, mark string) (*ask, bookings.Request) {
	quotes := s.hotel.quotes
	if w.OneIn(3) {
		quotes = s.hotel.tonight
	}
	a := &ask{quote: quotes[w.Rand.IntN(len(quotes))], verdict: func() checker.Verdict { return checker.Unknown }, from: w.Moment()}
	switch w.Rand.IntN(6) {
	case 0, 1:
		a.hold = time.Second + time.Duration(w.Rand.IntN(3000))*time.Millisecond
	case 2:
		a.hold = endless
	}
	r := fixture.Request(a.quote)
	r.SpecialRequests, r.Hold = mark, a.hold
	a.source = s.from(w, mark, &r)
	if a.quote.Charges == nil { // charges are of what is paid, and the quotes are shared
		r.PromoCode, r.Discounts = s.typed(w, a, checker.Minor(a.quote.Total))
		a.code = r.PromoCode
	}
	return a, r
}

// create books what was asked for.
func (s *sales) create(ctx context.Context, p *checker.Process, mark string, a *ask, r bookings.Request, options ...dynastay.WriteOption) error {
	from := s.Moment()
	b, err := officeOf(p).bookings.Create(ctx, r, options...)
	if err == nil {
		s.acknowledged(mark, a, b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := checker.Told{Span: checker.Between(from, s.Moment()), Err: err}
	switch {
	case unusable(err):
		a.refusals = append(a.refusals, at)
	case delivered(err):
		a.source.taken = append(a.source.taken, at)
	}
	return err
}

var notBooked = checker.Refusal(soldOut).Or(unusable).Or(delivered)

// acknowledged notes what a booking call returned.
func (s *sales) acknowledged(mark string, a *ask, b *bookings.Booking) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.SpecialRequests != mark {
		s.Differ("another's booking", mark, "%s is for %s", b.ID, b.SpecialRequests)
	}
	switch a.id {
	case "":
		if a.hold > 0 {
			a.held = b.CreatedAt.Add(a.hold)
		}
		a.id, a.status = b.ID, b.Status
		s.made, s.open = append(s.made, a), append(s.open, a)
	case b.ID:
	default:
		s.Differ("two bookings of one key", mark, "%s and %s", a.id, b.ID)
	}
}

func (s *sales) book(w *checker.Worker) {
	mark := w.Mark()
	a, request := s.request(w, mark)
	s.mu.Lock()
	s.asked[mark] = a
	s.mu.Unlock()
	v := w.Call("book", a.items(mark), "", notBooked, func(ctx context.Context) error {
		return s.create(ctx, w.Process, mark, a, request)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	a.verdict = func() checker.Verdict { return v }
}

func (s *sales) bookOnce(w *checker.Worker) {
	s.keyed.Repeat(w, func() *checker.Once {
		mark := w.Mark()
		a, request := s.request(w, mark)
		o := &checker.Once{Key: dynastay.IdempotencyKey(mark).Of(cmp.Or(a.source.user, agency)), Name: "book once", Items: a.items(mark), About: mark, Refusal: notBooked}
		o.Send = func(ctx context.Context, p *checker.Process) error { return s.create(ctx, p, mark, a, request, o.Key) }
		a.verdict = o.Verdict
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[mark] = a
		return o
	})
}

// madeBy asks for what a key made: certainly that, where it was acknowledged before.
func (s *sales) madeBy(w *checker.Worker) {
	o, there := s.keyed.Again(w, 1)
	if !there {
		return
	}
	s.mu.Lock()
	a := s.asked[o.About]
	before := a.id
	s.mu.Unlock()
	ctx, cancel := w.Deadline()
	defer cancel()
	switch b, err := officeOf(w).bookings.MadeBy(ctx, o.Key); {
	case err == nil:
		s.acknowledged(o.About, a, b)
		o.Answer(checker.Acknowledged)
	case errors.Is(err, dynastay.ErrNotFound) && before != "":
		s.Differ("a key that has forgotten its booking", o.About, "%s", before)
	}
}

// pick draws a booking that others want to move too, among the oldest or the newest that are not over, and sometimes
// any one; nil if there is none.
func (s *sales) pick(w *checker.Worker) (a *ask, status bookings.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.open
	if len(all) == 0 || w.OneIn(10) {
		all = s.made
	} else if n := min(4, len(all)); w.OneIn(2) {
		all = all[:n]
	} else {
		all = all[len(all)-n:]
	}
	if len(all) == 0 {
		return nil, ""
	}
	a = all[w.Rand.IntN(len(all))]
	return a, a.status
}

// told notes the status of a booking as somebody was told, which takes it from the open ones at its end.
func (s *sales) told(a *ask, status bookings.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.status = status; len(possible[status]) == 0 {
		s.open = slices.DeleteFunc(s.open, func(open *ask) bool { return open == a })
	}
}

func (s *sales) Settle(w *checker.Worker) {
	s.keyed.Settle(w)
	s.moved.Settle(w)
	s.modified.Settle(w)
	s.noticed.Settle(w)
	s.switched.Settle(w)
	s.sweepAll(w)
}

func (s *sales) Check() {
	found := s.readBookings()
	s.checkAsked(found)
	s.checkMovedIn(found)
	s.checkMoves(found)
	s.checkNights(found)
	for id, f := range found {
		s.checkRead(id, f)
	}
}

func (s *sales) checkAsked(all map[string]*found) {
	byMark := map[string]string{}
	for id, f := range all {
		mark := f.mark()
		a := s.asked[mark]
		if m := s.movedIn[mark]; m != nil && m.id == id {
			continue
		}
		if a == nil {
			s.Differ("a booking that nobody asked for", id, "%v", f.plain)
			continue
		}
		if other, twice := byMark[mark]; twice {
			s.Differ("two bookings of one request", mark, "%s and %s", id, other)
		}
		byMark[mark] = id
		if a.verdict() == checker.Refused {
			s.Differ("a booking that was refused", mark, "%s is stored", id)
		}
	}
	for mark, a := range s.asked {
		if a.id != "" && byMark[mark] != a.id || a.verdict() == checker.Acknowledged && byMark[mark] == "" {
			s.Differ("a booking is lost", mark, "%s", a.id)
		}
	}
}
