package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// market is some nights of one room type, which buyers book while managers change them, in two processes.
type market struct {
	*testing.T
	*history
	db      *dyntest.DB
	hotel   fixture.Hotel
	seed    uint64
	all     dynastay.Stay
	dates   []dynastay.Date
	quotes  map[dynastay.Stay]*availability.Quote // for one room
	plan    *availability.RatePlan                // under which all is sold, and whose prices and restrictions change; or nil
	servers []server
	started time.Time
	prices  atomic.Int64
}

type server struct {
	nights   *availability.Repository
	bookings *bookings.Repository
}

// history is what all callers did and were told.
type history struct {
	mu       sync.Mutex
	reads    []read
	attempts []*attempt
	edits    []*edit
}

type nights map[dynastay.Date]availability.Night

type read struct {
	span
	nights nights
}

type outcomeOf string

const (
	sale    outcomeOf = "sold"
	refusal outcomeOf = "refused"
	nothing outcomeOf = "nothing" // the database could not be reached
	doubt   outcomeOf = "doubt"   // the outcome is unknown
)

// attempt is the attempt to book a stay, and the cancellation of the booking.
type attempt struct {
	span
	userID    string // of this attempt only
	stay      dynastay.Stay
	rooms     int
	prices    []availability.NightPrice
	outcome   outcomeOf
	refused   []availability.RefusedNight
	cancelled *span
}

// edit is an update of some nights.
type edit struct {
	span
	set     availability.Change // ClosedToDeparture is for departures after the night
	reports map[dynastay.Date]availability.DateReport
}

func newMarket(t *testing.T, seed uint64, plan *availability.RatePlan, dates, rooms int) *market {
	t.Helper()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}), dyntest.Seed(seed))
	m := &market{
		T: t, db: db, hotel: fixture.New(t, db.Direct, rooms), seed: seed, history: &history{},
		quotes: map[dynastay.Stay]*availability.Quote{}, started: time.Now(),
	}
	first := dynastay.MustDate("2026-07-10")
	m.all = dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(dates)}
	m.dates = slices.Collect(m.all.Dates())
	for from := range dates {
		for to := from + 1; to <= dates; to++ {
			stay := dynastay.Stay{CheckIn: first.AddDays(from), CheckOut: first.AddDays(to)}
			m.quotes[stay] = m.hotel.Quote(t, db.Direct, stay, 1)
		}
	}
	m.openPlan(plan)
	patient := dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}
	for range 2 {
		own := db.Open(&dynastay.Options{Clock: fixture.Clock, Retry: patient})
		m.servers = append(m.servers, server{availability.New(own), bookings.New(own, nil)})
	}
	db.Faults.Conflicts(2 * time.Millisecond)
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Chance: 0.03})
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Chance: 0.03})
	// An update whose response is lost reads the night to find out what happened. If that fails too, the outcome is
	// unknown.
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{
		Operation: "GetItem", Table: keys.AvailabilityTable.Name, Chance: 0.2, EveryAttempt: true,
	})
	return m
}

func (m *market) now() int64 { return time.Since(m.started).Nanoseconds() }

// during makes a call, and returns when.
func (m *market) during(call func()) span {
	began := m.now()
	call()
	return span{began, m.now()}
}

// run makes all calls: of buyers who try some bookings each, of stays of at most so many nights, and of managers who
// make so many updates together, spread over the time of the bookings.
func (m *market) run(buyers, calls, managers, updates, longest int) {
	var buying, managing sync.WaitGroup
	var tried atomic.Int64
	due := make(chan struct{}, updates)
	for i := range buyers + managers {
		of := m.servers[i%len(m.servers)]
		draw := rand.New(rand.NewPCG(m.seed, uint64(i)))
		if i < managers {
			managing.Go(func() {
				for range due {
					m.manage(of, draw)
				}
			})
			continue
		}
		buying.Go(func() {
			for n := range calls {
				if tried := int(tried.Add(1)); tried*updates/(buyers*calls) > (tried-1)*updates/(buyers*calls) {
					due <- struct{}{}
				}
				m.buy(of, draw, fmt.Sprintf("user_%d_%d", i, n), longest)
			}
		})
	}
	buying.Wait()
	close(due)
	managing.Wait()
}

// look reads the nights of a few stays until one can be sold, or sometimes until there is only one reason against it.
// It returns the last stay that it read, or nil.
func (m *market) look(of server, draw *rand.Rand, longest int) (a *attempt) {
	for range 3 {
		length := 1 + draw.IntN(longest)
		from := m.dates[draw.IntN(len(m.dates)-length+1)]
		stay, rooms := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(length)}, 1+draw.IntN(2)
		var checked availability.Availability
		var err error
		at := m.during(func() {
			checked, err = of.nights.Check(context.Background(), m.hotel.ID, m.hotel.RoomTypeID, rooms, stay, dynastay.Consistent)
		})
		if err != nil {
			assert.True(m, unavailable(err), "%v", err)
			continue
		}
		m.mu.Lock()
		read := read{at, m.nightsOf(checked.Nights)}
		m.reads = append(m.reads, read)
		m.mu.Unlock()
		a = &attempt{stay: stay, rooms: rooms}
		for date := range stay.Dates() {
			a.prices = append(a.prices, availability.NightPrice{Date: date, Price: read.nights[date].Price})
		}
		if m.reasons(checked) <= draw.IntN(2) {
			break
		}
	}
	return a
}

// buy tries to book a stay at the prices that it read, and cancels some of the bookings.
func (m *market) buy(of server, draw *rand.Rand, userID string, longest int) {
	a := m.look(of, draw, longest)
	if a == nil {
		return
	}
	a.userID = userID
	req := fixture.Request(m.quoteOf(a))
	req.UserID = userID
	var made *bookings.Booking
	var err error
	a.span = m.during(func() { made, err = of.bookings.Create(context.Background(), req) })
	var refused *bookings.Refused
	switch {
	case err == nil:
		a.outcome = sale
	case errors.As(err, &refused):
		a.outcome, a.refused = refusal, m.refused(refused.Nights)
		assert.NotEmpty(m, refused.Nights)
	case errors.Is(err, dynastay.ErrOutcomeUnknown):
		a.outcome = doubt
	default:
		a.outcome = nothing
		assert.True(m, unavailable(err), "%v", err)
	}
	m.mu.Lock()
	m.attempts = append(m.attempts, a)
	m.mu.Unlock()
	if a.outcome != sale || draw.IntN(2) == 0 {
		return
	}
	var cancelled bookings.Cancellation
	at := m.during(func() { cancelled, err = of.bookings.Cancel(context.Background(), made.ID, "", nil) })
	switch {
	case err == nil:
		assert.Empty(m, cancelled.Missing)
	case errors.Is(err, dynastay.ErrOutcomeUnknown):
		at.ret = never
	default:
		assert.True(m, unavailable(err), "%v", err)
		return
	}
	a.cancelled = &at
}

// quoteOf returns the quote of a stay at the prices of an attempt.
func (m *market) quoteOf(a *attempt) *availability.Quote {
	q := m.quotes[a.stay].Clone()
	line := &q.Lines[0]
	line.Quantity, line.Nights = a.rooms, m.sold(a.prices)
	line.Plan = m.plan
	q.Guests = availability.Guests{Adults: a.rooms}
	q.Sleeps.MaxAdults, q.Sleeps.MaxChildren, q.Sleeps.MaxOccupancy = 2*a.rooms, a.rooms, 2*a.rooms
	line.Subtotal = dynastay.Money{}
	for _, night := range a.prices {
		for range a.rooms {
			line.Subtotal, _ = line.Subtotal.Add(night.Price) // Quote.Validate checks the sum
		}
	}
	q.Total = line.Subtotal
	return q
}

// unavailable reports whether a call ended because of lost requests, without having written anything.
func unavailable(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, dynastay.ErrOutcomeUnknown)
}

// manage changes some values of some of the nights.
func (m *market) manage(of server, draw *rand.Rand) {
	length := 1 + draw.IntN(len(m.dates))
	from := m.dates[draw.IntN(len(m.dates)-length+1)]
	e := &edit{set: m.draw(draw, from), reports: map[dynastay.Date]availability.DateReport{}}
	ofNight, ofDeparture := e.set, availability.Change{ClosedToDeparture: e.set.ClosedToDeparture}
	ofNight.ClosedToDeparture = nil
	request := availability.UpdateRequest{PropertyID: m.hotel.ID}
	if shownChange(ofNight) != "" {
		ofNight.Dates = dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(length)}
		request.Changes = append(request.Changes, ofNight)
	}
	if ofDeparture.ClosedToDeparture != nil {
		ofDeparture.Dates = dynastay.Stay{CheckIn: from.AddDays(1), CheckOut: from.AddDays(length + 1)}
		request.Changes = append(request.Changes, ofDeparture)
	}
	for i, change := range request.Changes {
		request.Changes[i] = m.ofPlan(change)
		request.Changes[i].RoomTypeIDs = []string{m.hotel.RoomTypeID}
	}
	var report availability.Report
	var err error
	e.span = m.during(func() { report, err = of.nights.Update(context.Background(), request) })
	if report.Dates == nil {
		assert.True(m, unavailable(err), "%v", err)
		return
	}
	assert.Len(m, report.Dates, length*len(request.Changes))
	failed := 0
	for _, d := range report.Dates {
		night := d.Date
		if d.Err != nil {
			failed++
		}
		if d.Departure {
			night = night.AddDays(-1)
		}
		if departure, both := e.reports[night]; both { // departures after the night before come first
			assert.Equal(m, departure.Result, d.Result)
			assert.Equal(m, departure.Err, d.Err)
		}
		if !d.Departure || len(request.Changes) == 1 {
			e.reports[night] = d
		}
		var sold *availability.SoldError
		if d.Result == availability.NotWritten && !errors.As(d.Err, &sold) && !errors.As(d.Err, new(*availability.LimitsError)) {
			assert.True(m, unavailable(d.Err), "%v", d.Err)
		}
	}
	var updateErr *availability.UpdateError
	assert.Equal(m, failed > 0, errors.As(err, &updateErr), "%v", err)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.edits = append(m.edits, e)
}

// draw returns a change of one or two values. No price is used twice, and many totals are close to the number of rooms
// that are sold on the date.
func (m *market) draw(draw *rand.Rand, date dynastay.Date) (c availability.Change) {
	one, other := draw.IntN(7), draw.IntN(10)%7
	has := func(value int) bool { return value == one || value == other }
	seldom := func() *bool { b := draw.IntN(8) == 0; return &b }
	if has(2) {
		price, err := dynastay.NewMoney(fmt.Sprintf("%d.00", 1000+m.prices.Add(1)), "USD")
		assert.NoError(m, err)
		c.Price = price
	}
	if has(1) {
		rooms := draw.IntN(2 * m.hotel.Rooms[0].Total)
		if n := m.stored()[date]; draw.IntN(2) == 0 {
			rooms = max(0, n.Total-n.Available+draw.IntN(4)-1)
		}
		c.Rooms, c.AboveCapacity, c.Overbook = &rooms, true, 2*draw.IntN(2)
	}
	if has(0) {
		stay := max(0, draw.IntN(8)-5)
		c.MinStay = &stay
	}
	if has(3) {
		stay := max(0, draw.IntN(8)-5)
		if c.MinStay != nil && stay > 0 {
			stay = max(stay, *c.MinStay)
		}
		c.MaxStay = &stay
	}
	if has(4) {
		c.ClosedToArrival = seldom()
	}
	if has(5) {
		c.ClosedToDeparture = seldom()
	}
	if has(6) {
		if c.StopSell = seldom(); *c.StopSell && m.plan == nil { // a plan has no reason
			c.StopSellReason = fmt.Sprintf("reason %d", draw.IntN(3))
		}
	}
	return c
}

// shownChange returns what a change sets.
func shownChange(c availability.Change) string {
	var all []string
	show := func(set bool, value func() string) {
		if set {
			all = append(all, value())
		}
	}
	show(c.Price.IsSet(), func() string { return c.Price.String() })
	show(c.Rooms != nil, func() string { return fmt.Sprintf("%d rooms, overbook %d", *c.Rooms, c.Overbook) })
	show(c.MinStay != nil, func() string { return fmt.Sprintf("min %d", *c.MinStay) })
	show(c.MaxStay != nil, func() string { return fmt.Sprintf("max %d", *c.MaxStay) })
	show(c.ClosedToArrival != nil, func() string { return fmt.Sprintf("CTA %v", *c.ClosedToArrival) })
	show(c.ClosedToDeparture != nil, func() string { return fmt.Sprintf("CTD %v", *c.ClosedToDeparture) })
	show(c.StopSell != nil, func() string { return fmt.Sprintf("stop %v %q", *c.StopSell, c.StopSellReason) })
	return strings.Join(all, ", ")
}

// settle replaces the unknown outcomes of bookings and cancellations by what is stored, checks that everything else is
// stored as it was acknowledged, and adds a last read of all nights to the history, which it returns.
func (m *market) settle() nights {
	m.Helper()
	byUser := map[string]*bookings.Summary{}
	repo := bookings.New(m.db.Direct, nil)
	for _, status := range []bookings.Status{bookings.Confirmed, bookings.Cancelled} {
		for b, err := range repo.ByStatus(status).All(m.Context()) {
			require.NoError(m, err)
			assert.NotContains(m, byUser, b.UserID, "a call made two bookings")
			byUser[b.UserID] = b
		}
	}
	for _, a := range m.attempts {
		stored := byUser[a.userID]
		delete(byUser, a.userID)
		switch {
		case a.outcome == doubt && stored == nil:
			a.outcome = nothing
		case a.outcome == doubt:
			a.outcome, a.ret = sale, m.now()
		}
		if a.outcome != sale {
			assert.Nil(m, stored, "%v", a)
			continue
		}
		if !assert.NotNil(m, stored, "%v", a) {
			continue
		}
		assert.Equal(m, a.stay, stored.Stay)
		assert.Equal(m, a.rooms, stored.Rooms)
		assert.Equal(m, m.quoteOf(a).Total, stored.Total)
		if a.cancelled != nil && a.cancelled.ret == never {
			if a.cancelled.ret = m.now(); stored.Status == bookings.Confirmed {
				a.cancelled = nil
			}
		}
		assert.Equal(m, a.cancelled != nil, stored.Status == bookings.Cancelled, "%v", a)
	}
	assert.Empty(m, byUser, "bookings without a call")
	var last nights
	at := m.during(func() { last = m.stored() })
	m.reads = append(m.reads, read{at, last})
	return last
}

// stored reads all nights, without faults.
func (m *market) stored() nights {
	m.Helper()
	checked, err := availability.New(m.db.Direct).Check(m.Context(), m.hotel.ID, m.hotel.RoomTypeID, 1, m.all, dynastay.Consistent)
	require.NoError(m, err)
	return m.nightsOf(checked.Nights)
}

func (m *market) nightsOf(all []availability.Night) nights {
	by := nights{}
	for _, n := range all {
		by[n.Date] = m.view(values(n))
	}
	return by
}
