package world

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
)

const (
	// calendarPast is the number of nights before Today with which a calendar begins.
	calendarPast = 14
	// changePercent of the reservations of channels are changed once. They keep some of their nights, or none.
	changePercent = 20
	// Neighbours may have the same host.
	neighbours       = 4
	otherHostPercent = 50
)

var (
	// beginnings are the chance, in percent, that an event begins on a night on which no other event goes on.
	beginnings = []share[int]{{10, 0}, {30, 8}, {45, 25}, {15, 90}}
	sources    = []share[listing.Source]{
		{45, listing.Localstays}, {20, listing.BookingCom}, {20, listing.Airbnb}, {5, listing.Other}, {10, listing.HostClosed},
	}
	blockNotes = []string{"Painting", "The family visits", "Deep cleaning", "New kitchen", "We are there ourselves"}
)

// calendar is the plan of a listing: its events, in the order of creation.
type calendar struct {
	id, host string
	today    dynastay.Date
	all      []occupation
}

// occupation is the plan of an event.
type occupation struct {
	id     string // of the booking, or of the block
	source listing.Source
	stay   dynastay.Stay
	note   string
	made   time.Time
	// Some reservations of channels are changed: they keep their first nights, and none if they are cancelled.
	changed time.Time // zero if it is not changed
	kept    int
}

// calendar plans the i-th listing. It goes through the nights in order. The nights that a changed reservation has given
// back are free for what comes next, which is then made later.
func (w *World) calendar(i int) calendar {
	p := calendar{id: listingID(i), host: w.host(i), today: w.opts.Today}
	if w.opts.Empty {
		return p
	}
	d := w.dice(forListing, i)
	begins := draw(d, beginnings)
	back, since := 0, time.Time{} // nights before back were given back until since
	for at := -calendarPast; at < w.opts.Nights; {
		if !d.percent(begins) {
			at++
			continue
		}
		if at >= back {
			since = time.Time{}
		}
		o := w.occupation(d, at, since)
		if p.all = append(p.all, o); o.changed.IsZero() {
			at += o.stay.Nights()
			continue
		}
		back, since = max(back, at+o.stay.Nights()), o.changed
		at += o.kept
	}
	slices.SortStableFunc(p.all, func(a, b occupation) int { return a.made.Compare(b.made) })
	for n := range p.all {
		if p.all[n].id = listingBookingID(i, n); p.all[n].source == listing.HostClosed {
			p.all[n].id = blockID(i, n)
		}
	}
	return p
}

// occupation plans an event that begins at a night, and is made after a time: before it begins, and before Today.
func (w *World) occupation(d dice, at int, since time.Time) occupation {
	arrival := w.opts.Today.AddDays(at)
	o := occupation{source: draw(d, sources), stay: dynastay.Stay{
		CheckIn: arrival, CheckOut: arrival.AddDays(min(draw(d, stayLengths), w.opts.Nights-at)),
	}}
	before := w.opts.Today.AddDays(min(at, 0)).Time().Add(-time.Second)
	after := before.AddDate(0, 0, -bookingDays)
	if since.After(after) {
		after = since
	}
	o.made = d.time(after, before)
	switch o.source {
	case listing.Localstays:
		o.note = draw(d, wishes)
	case listing.HostClosed:
		o.note = pick(d, blockNotes)
	default:
		if d.percent(changePercent) {
			o.changed, o.kept = d.time(o.made, before), d.below(o.stay.Nights())
		}
	}
	return o
}

// time returns a time from one to another one, both included.
func (d dice) time(from, to time.Time) time.Time {
	return from.Add(seconds(d.between(0, int(to.Sub(from)/time.Second))))
}

// host returns the id of the host of the i-th listing.
func (w *World) host(i int) string {
	d := w.dice(forHost, i/neighbours)
	host := w.owner(d)
	for range i % neighbours {
		if d.percent(otherHostPercent) {
			host = w.owner(d)
		}
	}
	return userID(host)
}

// reservation returns the first delivery of a reservation.
func (p calendar) reservation(o occupation) listing.Reservation {
	return listing.Reservation{
		ListingID: p.id, HostID: p.host, Source: o.source, ExternalID: externalID(o.id), Revision: 1, Stay: o.stay,
	}
}

// change returns the second delivery of a reservation that is changed.
func (p calendar) change(o occupation) listing.Reservation {
	r := p.reservation(o)
	r.Revision++
	if r.Stay.CheckOut = r.Stay.CheckIn.AddDays(o.kept); o.kept == 0 {
		r.Stay, r.Cancelled = dynastay.Stay{}, true
	}
	return r
}
