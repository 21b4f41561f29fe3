package bookings

import (
	"math/big"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// givenUp is what a modification gives up of a booking, and what follows from the policies of its lines.
type givenUp struct {
	kept dynastay.Money // of the price of what is given up; the zero Money for nothing
	// policyCheckIn is that of the booking afterwards.
	policyCheckIn dynastay.Date
}

// giveUp settles what a quote gives up of a booking as if it were cancelled. A hold gives up nothing: its guests have not
// agreed to anything yet.
func (r *Repository) giveUp(b *Booking, q *availability.Quote, has availability.Booked, now time.Time) (up givenUp, err error) {
	if b.Status == Pending {
		return up, nil
	}
	parts := b.parts(q, has, r.opts.Terms)
	if !slices.ContainsFunc(parts, func(part *big.Rat) bool { return part.Sign() > 0 }) {
		if b.PolicyCheckIn.Before(q.Stay.CheckIn) {
			up.policyCheckIn = b.PolicyCheckIn
		}
		return up, nil
	}
	lost, err := b.lost(b.Lines, parts, now, r.opts.Terms)
	if err != nil {
		return up, err
	}
	if b.reopens(q.Stay, parts, now, r.opts.Terms) {
		up.policyCheckIn = b.policyCheckIn()
	}
	if !slices.ContainsFunc(lost, func(part *big.Rat) bool { return part.Sign() > 0 }) {
		return up, nil
	}
	if up.kept, err = b.keptBeside(lost, q.Charges); up.kept.Sign() == 0 {
		up.kept = dynastay.Money{}
	}
	return up, err
}

// parts returns which part of the price of each line a quote gives up, from 0 to 1. If no policy was agreed for a line,
// nothing can be kept of it, so it counts as kept. Who gets another rate plan gives up the line: its price was for its terms.
// Under the same plan, nights that stay may get another price, because the party or the length has changed. If they get
// cheaper, the difference is given up too, unless nights are added; if they get dearer, it is set against what is given up:
// who shortens a long stay would otherwise pay for its discount twice.
func (b *Booking) parts(q *availability.Quote, has availability.Booked, own TermsOf) []*big.Rat {
	goesOn := map[int]*availability.Line{}
	for i, with := range has.GoesOn(q.Lines) {
		goesOn[with] = &q.Lines[i]
	}
	longer := q.Stay.CheckIn.Before(has.Stay.CheckIn) || q.Stay.CheckOut.After(has.Stay.CheckOut)
	var parts []*big.Rat
	for i, line := range has.Lines {
		now := goesOn[i]
		if now != nil && !now.SameTerms(&line) {
			now = nil
		}
		all, gone, cheaper, nights, missed := new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
		add := func(sum *big.Rat, price *big.Rat, rooms int) {
			sum.Add(sum, new(big.Rat).Mul(price, big.NewRat(int64(rooms), 1)))
		}
		for _, night := range line.Nights {
			if line.Quantity < 1 || !has.Stay.Contains(night.Date) {
				continue
			}
			dropped := line.Quantity
			if now != nil && q.Stay.Contains(night.Date) {
				dropped = max(0, line.Quantity-now.Quantity)
				if line.Plan != nil || line.Agreed {
					next := now.Nights[q.Stay.CheckIn.DaysUntil(night.Date)].Price
					add(cheaper, new(big.Rat).Sub(exact(night.Price), exact(next)), line.Quantity-dropped)
				}
			}
			add(all, exact(night.Price), line.Quantity)
			add(gone, exact(night.Price), dropped)
			add(nights, one, line.Quantity)
			add(missed, one, dropped)
		}
		if cheaper.Sign() < 0 || !longer {
			gone.Add(gone, cheaper)
		}
		if all.Sign() == 0 { // without prices, each night counts the same
			all, gone = nights, missed
		}
		part := new(big.Rat)
		if _, err := b.terms(b.Lines[i], own); all.Sign() > 0 && (err == nil || b.policyOf(b.Lines[i]) != "") {
			part.Quo(gone, all)
		}
		parts = append(parts, part)
	}
	return parts
}

var one = big.NewRat(1, 1)

// policyCheckIn returns the date of check-in from which the hours of the policies count.
func (b *Booking) policyCheckIn() dynastay.Date {
	if !b.PolicyCheckIn.IsZero() {
		return b.PolicyCheckIn
	}
	return b.Stay.CheckIn
}

// reopens reports whether a later arrival would make nights refundable again that the booking keeps and whose deadline is
// over.
func (b *Booking) reopens(stay dynastay.Stay, parts []*big.Rat, now time.Time, own TermsOf) bool {
	moved := *b
	moved.Stay, moved.PolicyCheckIn = stay, dynastay.Date{}
	for i, line := range b.Lines {
		terms, err := b.terms(line, own)
		if err == nil && parts[i].Cmp(one) < 0 && terms.Percent > 0 &&
			!inTime(terms.Hours, b.arrival(), now) && inTime(terms.Hours, moved.arrival(), now) {
			return true
		}
	}
	return false
}

// toldOfKept compares what is kept with what the guest was told.
func toldOfKept(told, kept dynastay.Money) error {
	switch {
	case told == kept || told.Sign() == 0 && kept.Sign() == 0:
		return nil
	case kept.Sign() == 0:
		return dynastay.Invalid("Kept", "must be 0: nothing is kept")
	}
	return dynastay.Invalid("Kept", "must be %s, which the property keeps of the price of what is given up", kept)
}
