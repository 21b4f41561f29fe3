package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

const (
	// givenUpPercent is the chance, on each free night of a room, that a guest had booked it and gave the booking up.
	givenUpPercent = 6
	// unpaidPercent of these guests did not pay for a hold. The others cancelled.
	unpaidPercent = 15
	// transferPercent is the chance that a guest of the last days pays by bank transfer, for which the rooms are held.
	transferPercent = 50
	longestHold     = 5 // days
	// arrivalHours is how long after the check-in time the last guests of a day arrive.
	arrivalHours = 8
)

var cancellationReasons = []string{"change of plans", "illness", "flight cancelled", "found another place", "booked twice"}

// step is a call of the bookings repository for the n-th booking.
type step struct {
	at     time.Time
	n      int
	does   does
	notice notice // of a payment
}

type does int

const (
	creates does = iota
	pays
	assigns // units
	extends // the hold
	moves   // to the status that the booking has in the end
	refunds
	leaves
)

// steps returns what happens to the bookings of a hotel, in the order of time.
func steps(sales []sale) (all []step) {
	for n, s := range sales {
		all = append(all, step{at: s.made, n: n, does: creates})
		for _, notice := range s.notices {
			all = append(all, step{at: notice.at, n: n, does: pays, notice: notice})
		}
		if !s.housed.IsZero() {
			all = append(all, step{at: s.housed, n: n, does: assigns})
		}
		if !s.extended.IsZero() {
			all = append(all, step{at: s.extended, n: n, does: extends})
		}
		if !s.moved.IsZero() {
			all = append(all, step{at: s.moved, n: n, does: moves})
		}
		if !s.refunded.IsZero() {
			all = append(all, step{at: s.refunded, n: n, does: refunds})
		}
		if !s.left.IsZero() {
			all = append(all, step{at: s.left, n: n, does: leaves})
		}
	}
	slices.SortStableFunc(all, func(a, b step) int { return a.at.Compare(b.at) })
	return all
}

// givenUp plans the bookings that were cancelled or expired before Today. They are of nights that nobody else has
// booked, so the rooms are free again.
func (w *World) givenUp(d dice, h *house, rooms []*lane, fees int) (all []sale) {
	for _, room := range rooms {
		for at := 0; at < len(room.taken); at++ {
			if room.taken[at] || !d.percent(givenUpPercent) {
				continue
			}
			length := min(draw(d, stayLengths), room.free(at))
			if _, least := h.night(room.k, w.opts.Today.AddDays(at)); length < least {
				continue
			}
			s := w.sale(d, room.k, at, length, fees)
			w.book(d, h, &s)
			w.giveUp(d, &s)
			all = append(all, s)
			at += length - 1
		}
	}
	return all
}

// giveUp ends a booking between its creation and the start of Today.
func (w *World) giveUp(d dice, s *sale) {
	today, hold := w.opts.Today.Time(), days(d.between(1, longestHold))
	// Holds are looked for every minute.
	expired := s.made.Add(hold + bookings.DefaultHoldGrace + time.Duration(d.below(60))*time.Second)
	if d.percent(unpaidPercent) && !expired.After(today) {
		s.status, s.hold, s.moved = bookings.Expired, hold, expired
		return
	}
	s.status, s.reason = bookings.Cancelled, pick(d, cancellationReasons)
	s.moved = s.made.Add(time.Duration(d.between(1, int(today.Sub(s.made)/time.Second))) * time.Second)
}

// live plans what becomes of the bookings of the i-th hotel that were not given up: some of the last days are not paid
// for yet, and some of today's guests have arrived.
func (w *World) live(d dice, h *house, sales []sale) error {
	opens, err := h.at(w.opts.Today, h.property.CheckInTime)
	if err != nil {
		return err
	}
	doors := make([]int, len(h.rooms)) // the last one that was given to guests, by room type
	for n := range sales {
		s := &sales[n]
		if s.status != bookings.Confirmed {
			continue
		}
		if hold := days(d.between(1, longestHold)); d.percent(transferPercent) && w.holds(s, hold) {
			s.status, s.hold = bookings.Pending, hold
		}
		arrives := opens.Add(time.Duration(d.between(0, arrivalHours*60*60)) * time.Second)
		if s.arrival > 0 || arrives.After(w.Now()) {
			continue
		}
		s.status, s.moved, s.assigned = bookings.CheckedIn, arrives, h.assign(s.rooms, doors)
	}
	return nil
}

// assign gives guests the next doors.
func (h *house) assign(rooms []choice, doors []int) bookings.Assigned {
	assigned := bookings.Assigned{}
	for _, c := range rooms {
		for range c.quantity {
			doors[c.k]++
			id := h.rooms[c.k].ID
			assigned[id] = append(assigned[id], fmt.Sprint(100*(c.k+1)+doors[c.k]))
		}
	}
	return assigned
}

// carryOut lets the repository do to a booking what a step says.
func (s sale) carryOut(
	ctx context.Context, repo *bookings.Repository, b *bookings.Booking, step step,
) (*bookings.Booking, error) {
	switch step.does {
	case pays:
		return step.notice.record(ctx, repo, b)
	case assigns:
		return repo.AssignUnits(ctx, b.ID, s.assignments(b))
	case extends:
		return repo.ExtendHold(ctx, b.ID, s.longer)
	case refunds:
		return completeRefunds(ctx, repo, b.ID)
	case leaves:
		return repo.CheckOut(ctx, b.ID)
	}
	switch s.status {
	case bookings.CheckedIn, bookings.Completed:
		if s.units != nil {
			return repo.CheckInTo(ctx, b.ID, s.assignments(b))
		}
		return repo.CheckIn(ctx, b.ID, s.assigned)
	case bookings.NoShow:
		return repo.NoShow(ctx, b.ID)
	case bookings.Expired:
		c, err := repo.Expire(ctx, b.ID)
		return c.Booking, err
	}
	c, err := repo.Cancel(ctx, b.ID, s.reason, []bookings.Refund{{
		ID: refundID(b.ID), Status: bookings.PaymentPending, Reason: s.reason,
	}})
	return c.Booking, err
}

// endsUnused reports whether the guests do not need the rooms of a sale in the end.
func (s sale) endsUnused() bool {
	return s.status == bookings.Cancelled || s.status == bookings.Expired
}

// holds reports whether a hold lasts beyond Now, but not into the day of arrival.
func (w *World) holds(s *sale, hold time.Duration) bool {
	ends := s.made.Add(hold)
	return ends.After(w.Now()) && !ends.After(w.stay(*s).CheckIn.Time())
}

// at returns when the clocks of the house show a time of day, such as "15:00", on a date.
func (h *house) at(date dynastay.Date, timeOfDay string) (time.Time, error) {
	zone, err := availability.House{TimeZone: h.property.TimeZone}.Location()
	if err != nil {
		return time.Time{}, err
	}
	return time.ParseInLocation("2006-01-02 15:04", date.String()+" "+timeOfDay, zone)
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
