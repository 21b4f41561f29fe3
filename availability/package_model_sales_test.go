package availability_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// quoting is a request for a quote.
type quoting struct {
	stay            dynastay.Stay
	rooms           []int // room types
	count, overbook int
}

func drawQuoting(t *rapid.T) quoting {
	return quoting{
		stay:  drawDates(t, 1, 2, 2, 3),
		rooms: rapid.SliceOfNDistinct(rapid.SampledFrom([]int{0, 1, 2}), 1, 2, rapid.ID[int]).Draw(t, "room types"),
		count: rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "rooms"), overbook: rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "overbook"),
	}
}

func drawQuote(t *rapid.T) step { return drawQuoting(t) }

func (s quoting) String() string {
	return fmt.Sprintf("quote %d rooms of types %v for %s, overbook %d", s.count, s.rooms, s.stay, s.overbook)
}

func (s quoting) request(m *ledger) availability.QuoteRequest {
	req := availability.QuoteRequest{
		Property: m.house(), Stay: s.stay, Guests: availability.Guests{Adults: len(s.rooms) * s.count}, Overbook: s.overbook,
	}
	for _, i := range s.rooms {
		req.Rooms = append(req.Rooms, room(m.room(i), s.count))
	}
	return req
}

// quote returns the quote, whether or not the nights can be sold, and why they cannot. A night that is not open costs
// 100 USD.
func (s quoting) quote(m *ledger) (*availability.Quote, []availability.RefusedNight) {
	all := len(s.rooms) * s.count
	q := &availability.Quote{
		Property: m.house(), Stay: s.stay, Guests: availability.Guests{Adults: len(s.rooms) * s.count}, Overbook: s.overbook, At: m.db.Now(),
		Sleeps: availability.Limits{MaxAdults: 2 * all, MaxChildren: all, MaxOccupancy: 2 * all},
	}
	var no []availability.RefusedNight
	var cents int64
	for _, i := range slices.Sorted(slices.Values(s.rooms)) {
		l := lineOf(room(m.room(i), s.count))
		subtotal := int64(0)
		for date := s.stay.CheckIn; date != s.stay.CheckOut; date = date.AddDays(1) {
			price := int64(10_000)
			if n, open := m.nights[at{l.RoomTypeID, date}]; open {
				price = n.cents
				if n.left() < s.count {
					l.Overbooked = append(l.Overbooked, date)
				}
			}
			l.Nights = append(l.Nights, availability.NightPrice{Date: date, Price: dollars(price)})
			subtotal += price * int64(s.count)
		}
		l.Subtotal = dollars(subtotal)
		cents += subtotal
		no = append(no, refusals(l.RoomTypeID, s.count, s.overbook, s.stay, m.onSale(m.propertyID, l.RoomTypeID, false))...)
		q.Lines = append(q.Lines, l)
	}
	q.Total = dollars(cents)
	return q, no
}

func (s quoting) run(m *ledger, on process) {
	q, refused := s.quote(m)
	var no error
	switch {
	case s.stay.CheckIn.Before(m.today()):
		no = invalid("Stay.CheckIn")
	case refused != nil:
		no = &availability.Refused{Nights: refused}
	}
	got, err := on.repo.Quote(context.Background(), s.request(m))
	switch {
	case m.failed(err):
	case no != nil:
		m.fails(no, err)
		m.met.Add("quote: refused", 1)
	default:
		require.NoError(m.t, err)
		require.Equal(m.t, q, got)
		m.quotes = append(m.quotes, got)
		m.met.Add("quote: quoted", 1)
	}
}

// selling is a sale at an earlier quote, or at the current prices.
type selling struct {
	quoting
	earlier int // which quote; -1 for none
}

func drawSale(t *rapid.T) step {
	return selling{drawQuoting(t), rapid.SampledFrom([]int{-1, -1, -1, 0, 0, 1, 2}).Draw(t, "earlier quote")}
}

func (s selling) String() string { return fmt.Sprintf("sell quote %d, or %s", s.earlier, s.quoting) }

func (s selling) run(m *ledger, on process) {
	q, _ := s.quote(m)
	if s.earlier >= 0 && len(m.quotes) > 0 {
		q = m.quotes[len(m.quotes)-1-s.earlier%len(m.quotes)]
	}
	require.NoError(m.t, q.Validate())

	var refused []availability.RefusedNight
	changes, writes, twice := map[at]openNight{}, 0, false
	want := q.Clone().Lines
	for i, l := range q.Lines {
		want[i].Overbooked = nil
		no := refusals(l.RoomTypeID, l.Quantity, q.Overbook, q.Stay, m.onSale(m.propertyID, l.RoomTypeID, true))
		for _, quoted := range l.Nights {
			writes++
			refused = append(refused, slices.DeleteFunc(slices.Clone(no), func(n availability.RefusedNight) bool { return n.Date != quoted.Date })...)
			n, open := m.nights[at{l.RoomTypeID, quoted.Date}]
			if open && dollars(n.cents) != quoted.Price {
				refused = append(refused, availability.RefusedNight{
					RoomTypeID: l.RoomTypeID, Date: quoted.Date, Reason: availability.PriceChanged, Price: dollars(n.cents),
				})
			}
			if n.left() < l.Quantity {
				want[i].Overbooked = append(want[i].Overbooked, quoted.Date)
				twice = twice || q.Overbook == 0 // it finds out by a refusal
			}
			n.sold, n.updated = n.sold+l.Quantity, m.db.Now()
			changes[at{l.RoomTypeID, quoted.Date}] = n
		}
	}

	sale := on.repo.Sale(q)
	sold, err := dynastay.Do(context.Background(), on.db, dynastay.NewOp(dynastay.OpSpec[availability.Sold]{
		Name: "test.Sell", Contest: sale.Contest(), Prepare: sale.Add,
	}))
	failed := m.failed(err) || m.lost(err, writes == 1, refused != nil || twice)
	switch {
	case refused != nil:
		if !failed {
			m.fails(&availability.Refused{Nights: refused}, err)
			m.met.Add("sale: refused", 1)
		}
	case failed:
		if errors.Is(err, dynastay.ErrOutcomeUnknown) {
			m.met.Add("sale: unknown", 1)
			m.settle(changes)
		}
	default:
		require.NoError(m.t, err)
		require.Equal(m.t, availability.Sold{Lines: want}, sold)
		maps.Copy(m.nights, changes)
		m.met.Add("sale: sold", 1)
		for _, l := range sold.Lines {
			if l.Overbooked != nil {
				m.met.Add("sale: overbooked", 1)
				if q.Overbook == 0 {
					m.met.Add("sale: within the limit", 1)
				}
			}
		}
	}
}

// lost reports whether the outcome of a write is unknown for one of two reasons, even if only one response was lost: it
// is not a transaction, which could be sent again, or it was refused when it was, and the lost one may still arrive.
func (m *ledger) lost(err error, plain, refused bool) bool {
	return (plain || refused) && m.fault.Loses() && errors.Is(err, dynastay.ErrOutcomeUnknown)
}

// returning returns rooms of some nights.
type returning []returned

type returned struct{ room, day, rooms int }

func drawGiveBack(t *rapid.T) step {
	return returning(rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) returned {
		return returned{uniform(t, 0, 2, "room type"), uniform(t, 0, modelDates, "day"), uniform(t, 1, 2, "rooms")}
	}), 1, 12, func(r returned) returned { return returned{r.room, r.day, 0} }).Draw(t, "nights"))
}

func (s returning) String() string { return fmt.Sprintf("give back %v", []returned(s)) }

func (s returning) run(m *ledger, on process) {
	rooms := map[at]int{}
	changes := map[at]openNight{}
	var order, want []at
	for _, r := range s {
		night := at{m.room(r.room), firstDate.AddDays(r.day)}
		n, open := m.nights[night]
		switch {
		case !open:
			want = append(want, night)
			rooms[night] = r.rooms
		case n.sold == 0:
			continue
		default:
			rooms[night] = min(r.rooms, n.sold)
			n.sold, n.updated = n.sold-rooms[night], m.db.Now()
			changes[night] = n
		}
		order = append(order, night)
	}
	if len(order) == 0 {
		return
	}
	skipped, err := dynastay.Do(context.Background(), on.db, dynastay.NewOp(dynastay.OpSpec[[]at]{
		Name: "test.GiveBack", Prepare: func(_ context.Context, tx *dynastay.Tx) (skipped []at, err error) {
			for _, night := range order {
				if tx.Skipped(keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + night.room, SK: "DATE#" + night.date.String()}) {
					skipped = append(skipped, night)
				}
				if err := on.repo.GiveBack(tx, m.propertyID, night.room, night.date, rooms[night]); err != nil {
					return nil, err
				}
			}
			return skipped, nil
		},
	}))
	if m.failed(err) || m.lost(err, len(changes) == 1, len(want) > 0) {
		if errors.Is(err, dynastay.ErrOutcomeUnknown) {
			m.met.Add("give back: unknown", 1)
			m.settle(changes)
		}
		return
	}
	require.NoError(m.t, err)
	require.Equal(m.t, want, skipped)
	maps.Copy(m.nights, changes)
	m.met.Add("give back: returned", len(changes))
}

// closing closes or reopens the property.
type closing struct{ reopen bool }

func drawClose(t *rapid.T) step { return closing{chance(t, 2, "reopen")} }

func (s closing) String() string { return fmt.Sprintf("close sales; reopen %t", s.reopen) }

func (s closing) run(m *ledger, on process) {
	do := on.repo.CloseSales
	if s.reopen {
		do = on.repo.ReopenSales
	}
	yesterday := m.today().AddDays(-1)
	changes, nights := map[string]map[at]openNight{}, 0 // by room type
	for night, n := range m.nights {
		if !night.date.Before(yesterday) && n.closed == s.reopen {
			n.closed, n.updated = !s.reopen, m.db.Now()
			if changes[night.room] == nil {
				changes[night.room] = map[at]openNight{}
			}
			changes[night.room][night] = n
			nights++
		}
	}
	got, err := do(context.Background(), m.propertyID)
	if m.failed(err) {
		// The guards first, all of them or none; then each room type, all nights or none.
		moved := 0
		for _, nights := range changes {
			if m.settle(nights) {
				moved += len(nights)
			}
		}
		require.LessOrEqual(m.t, got.Nights, moved)
		guards := m.guards()
		if moved > 0 {
			require.Equal(m.t, !s.reopen, guards, "the guards are changed before the nights")
		}
		require.Contains(m.t, []bool{m.closed, !s.reopen}, guards)
		m.closed = guards
		m.met.Add("close: failed", 1)
		return
	}
	require.NoError(m.t, err)
	require.Equal(m.t, availability.SalesChange{RoomTypes: 3, Nights: nights}, got)
	for _, nights := range changes {
		maps.Copy(m.nights, nights)
	}
	m.closed = !s.reopen
	if s.reopen {
		m.met.Add("close: reopened", 1)
	} else {
		m.met.Add("close: closed", 1)
	}
	require.Equal(m.t, m.closed, m.guards())
}

// guards reports whether the guards of the room types are closed: all of them, or none.
func (m *ledger) guards() bool {
	closed := 0
	for _, id := range m.rooms {
		guard, err := m.db.Direct.Get(context.Background(), keys.PropertiesTable, dynastay.Key{PK: "ROOM#" + id, SK: "GUARD"}, dynastay.Consistent)
		require.NoError(m.t, err)
		if !guard.Value(keys.AttrClosed).IsNull() {
			closed++
		}
	}
	require.Contains(m.t, []int{0, len(m.rooms)}, closed)
	return closed > 0
}

// waiting lets hours pass.
type waiting int

func drawClock(t *rapid.T) step {
	return waiting(rapid.SampledFrom([]int{15, 24, 24, 24, 36, 72}).Draw(t, "hours"))
}

func (s waiting) String() string { return fmt.Sprintf("wait %d hours", int(s)) }

func (s waiting) run(m *ledger, _ process) { m.db.Clock.Advance(time.Duration(s) * time.Hour) }
