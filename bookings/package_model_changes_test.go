package bookings_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/tariff"
	"github.com/dynastay/dynastay/keys"
)

// change changes a booking, after prices, plans and the date have changed.
func (h *tariffHouse) change(b *tariffBooking) {
	d := h.d
	for _, room := range []string{h.roomType("a"), h.roomType("b")} {
		for date := b.stay.CheckIn.AddDays(-3); date.Before(b.stay.CheckOut.AddDays(4)); date = date.AddDays(1) {
			if n := h.nights[room][date]; n != nil && d.One(3) {
				h.reprice(n)
				raw.Update(h.t, h.DB, keys.AvailabilityTable, nightKey(room, date), "SET PricePerNight = :p, Rates = :r", dynastay.Item{
					":p": amountOf(n.price), ":r": n.stored(),
				})
			}
		}
	}
	if days := tariff.Pick(d, 0, 1, 3, 8, 20); !slices.ContainsFunc(h.booked, func(b *tariffBooking) bool {
		return b.stay.CheckIn.Before(h.today.AddDays(days))
	}) {
		h.today = h.today.AddDays(days)
		h.Clock.Set(h.today.Time().Add(12 * time.Hour))
	}
	if d.One(2) {
		h.drawPlans()
	}
	stay, entries := h.otherStay(b.stay), h.entriesOf(b)
	for range tariff.Pick(d, 0, 1, 1, 2, 3) {
		entries = h.edit(entries)
	}
	req := h.request(stay, entries, func(id string) bool {
		return h.asks(id) || slices.ContainsFunc(b.lines, func(l tariffLine) bool { return l.planID() == id && l.terms != nil && asks(l.terms) })
	})
	if h.keepsPlans(b, req) && d.One(3) {
		h.met.Add("plans that RatePlans does not have", 1)
		req.RatePlans = nil
	}
	want, refused := h.requote(b, req)
	m, err := h.repo.QuoteModification(h.t.Context(), b.id, req)
	about := []any{b.stay, b.lines, req}
	if h.refuses(refused, err, "change refused", about) {
		return
	}
	h.same(want, m.Quote, about)
	_, err = h.repo.Modify(h.t.Context(), m)
	if large := (*dynastay.TooLargeError)(nil); errors.As(err, &large) {
		h.met.Add("too large", 1)
		return
	}
	require.NoError(h.t, err, h.about(about))
	h.met.Add("changed", 1)
	h.take(b.stay, b.lines, -1)
	for room := range h.nights { // the first line of a room type is always 1
		if !slices.ContainsFunc(b.lines, func(l tariffLine) bool { return l.room == room }) {
			delete(b.used, fmt.Sprint(room, 1))
		}
	}
	b.stay, b.lines = stay, want
	h.take(b.stay, b.lines, 1)
	b.kept, err = b.kept.Add(m.Kept)
	require.NoError(h.t, err)
	h.read(b, m.Quote)
}

// otherStay mostly keeps an end of the stay.
func (h *tariffHouse) otherStay(stay dynastay.Stay) dynastay.Stay {
	d := h.d
	other := stay
	switch d.IntN(6) {
	case 0, 1:
	case 2, 3:
		other.CheckOut = stay.CheckOut.AddDays(d.Between(-4, 4))
	case 4:
		other.CheckIn = stay.CheckIn.AddDays(d.Between(-3, 3))
	default:
		other = h.randomStay()
	}
	if other.CheckIn.Before(laterDate(h.today, h.window.CheckIn)) || other.CheckOut.After(h.window.CheckOut) || other.Nights() < 1 || other.Nights() > 20 {
		return stay
	}
	return other
}

// entriesOf are the rooms of a booking, as a request has them.
func (h *tariffHouse) entriesOf(b *tariffBooking) (all []availability.Room) {
	for _, l := range b.lines {
		r := h.room(l.room[len(l.room)-1:])
		r.Quantity, r.RatePlanID, r.Party = l.quantity, l.planID(), l.party
		if l.party == nil {
			r.Party = &availability.Party{Guests: availability.Guests{Adults: 1}}
		}
		all = append(all, r)
	}
	return all
}

// keepsPlans reports whether no rooms are added under a plan, and none get another one.
func (h *tariffHouse) keepsPlans(b *tariffBooking, req availability.QuoteRequest) bool {
	_, plans, with := h.continued(b, req)
	for i, plan := range plans {
		if plan != "" && (with[i] < 0 || b.lines[with[i]].planID() != plan) {
			return false
		}
	}
	return true
}

// edit changes something about the rooms.
func (h *tariffHouse) edit(entries []availability.Room) []availability.Room {
	d := h.d
	at := d.IntN(len(entries))
	switch d.IntN(6) {
	case 0, 1:
		party := d.Party()
		entries[at].Party = &party
	case 2:
		if entries[at].Quantity > 1 {
			entries[at].Quantity--
		}
	case 3:
		if len(entries) > 1 {
			entries = slices.Delete(entries, at, at+1)
		}
	case 4:
		entries[at].RatePlanID = tariff.Pick(d, "own", "more", "less", "day", "")
	default:
		if d.One(2) {
			entries[at].Quantity++
		} else if len(entries) < 6 {
			entries = append(entries, h.entry())
		}
	}
	return entries
}
