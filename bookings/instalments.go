package bookings

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// See docs/decisions/0029-instalments.md for why they are not stored.

// Instalment is a part of the total of a booking that is due at one time. It follows from [availability.PaymentTerms] of the
// rate plans as they were when the rooms were booked, so nothing is stored but [Booking.DueAt].
type Instalment struct {
	When InstalmentTime
	// DueAt is by when it is to be paid: the time of the booking, or the end of a date at the property. The zero time for what is
	// due at the property. What a modification adds may be due at a time that has passed.
	DueAt  time.Time      `json:",omitzero"`
	Amount dynastay.Money `json:",omitzero"`
	Paid   dynastay.Money `json:",omitzero"` // of Amount: payments are for the earliest instalments first
}

// InstalmentTime is when an instalment is due.
type InstalmentTime string

// The times at which instalments are due, in their order.
const (
	DueAtBooking     InstalmentTime = "at_booking"
	DueBeforeArrival InstalmentTime = "before_arrival"
	DueAtProperty    InstalmentTime = "at_property"
)

// Instalments returns what is due when of the total, in the order in which it is due; nil if nothing is due before the guests
// arrive. The amounts add up to the total, rounded to the currency's minor unit. If any line has terms, what modifications have
// kept is due at booking. Each line has the part of the rest that it has of the prices of the rooms; that of a line without terms
// is due at the property. It sends no request, and the instalments are those of a booking that takes place: whoever cancels owes
// what [Booking.Settle] says.
//
// It returns a [*dynastay.Error] that matches [dynastay.ErrCorrupt] if the total or the price of a line is missing, negative, or
// in another currency, or the terms of a line are not valid.
func (b *Booking) Instalments() ([]Instalment, error) {
	due := dueDates{}
	if !slices.ContainsFunc(b.Lines, func(l Line) bool { return l.Plan != nil && l.Plan.Payment != availability.PaymentTerms{} }) {
		return nil, nil
	}
	kept := b.Breakdown.Kept.Round()
	price, err := b.Total.Round().Sub(kept) // other software may have stored a total that nobody can pay
	if err != nil || !b.Total.IsSet() || price.Sign() < 0 {
		return nil, b.unreadable("TotalAmount", errAmount)
	}
	weights, err := b.weights(b.Lines)
	if err != nil {
		return nil, err
	}
	whole := new(big.Rat)
	for _, weight := range weights {
		whole.Add(whole, weight)
	}
	for i, line := range b.Lines {
		if err := due.add(b, line, weights[i].Mul(weights[i], new(big.Rat).Quo(exact(price), whole))); err != nil {
			return nil, err
		}
	}
	all, err := due.instalments(b, price, kept)
	switch {
	case err != nil:
		return nil, b.unreadable("TotalAmount", err)
	case len(all) == 1 && all[0].When == DueAtProperty:
		return nil, nil
	}
	return all, nil
}

// errTerms is about items of other software.
var errTerms = errors.New("must be valid payment terms, and prices of nights that are not negative")

// Instalments returns what will be due when if the request is booked at that time, for the page on which the guest decides. They
// follow from Quote, TaxesAndFees and Discounts, or the Discounts of the quote; the rest of the request may be missing. It
// sends no request. Its errors are those of [availability.Quote.Validate], and those of Create for these fields.
func (req Request) Instalments(at time.Time) ([]Instalment, error) {
	if req.Quote == nil {
		return nil, dynastay.Invalid("Quote", "is required")
	}
	if err := req.Quote.Validate(); err != nil {
		return nil, dynastay.Within("Quote", err)
	}
	b := &Booking{Breakdown: Breakdown{Discounts: cmp.Or(req.Discounts, req.Quote.Discounts)}}
	if err := cmp.Or(checkFees(req.TaxesAndFees, req.Quote), charged(req.Quote, b.Breakdown.Discounts)); err != nil {
		return nil, err
	}
	if at.IsZero() {
		return nil, dynastay.Invalid("At", "is required")
	}
	b.CreatedAt = at.UTC().Truncate(time.Millisecond)
	if err := b.agree(req.Quote, req.TaxesAndFees); err != nil {
		return nil, dynastay.Within("Discounts", err)
	}
	if b.Breakdown.Discounts.Sign() < 0 || b.Breakdown.Discounts != b.Breakdown.Discounts.Round() || b.Total.Sign() < 0 {
		return nil, dynastay.Invalid("Discounts", "must be between 0 and the price, and in whole minor units")
	}
	for _, line := range req.Quote.Lines {
		b.Lines = append(b.Lines, Line{Line: line})
	}
	return b.Instalments()
}

// dueDates are the exact amounts that are due on dates before the arrival. What is due at booking has the zero date, and what
// is due at the property none.
type dueDates map[dynastay.Date]*big.Rat

func (d dueDates) addOn(date dynastay.Date, amount *big.Rat) {
	if d[date] == nil {
		d[date] = new(big.Rat)
	}
	d[date].Add(d[date], amount)
}

// add adds what is due of a line that has a part of the price.
func (d dueDates) add(b *Booking, line Line, price *big.Rat) error {
	terms := availability.PaymentTerms{}
	if line.Plan != nil {
		terms = line.Plan.Payment
	}
	deposit := big.NewRat(int64(terms.Percent), int64(dynastay.MaxPercent))
	if terms.Nights > 0 {
		deposit = line.partOf(terms.Nights)
	}
	if terms.Validate() != nil || deposit.Sign() < 0 || deposit.Cmp(one) > 0 {
		return b.unreadable("PlanRule", errTerms)
	}
	deposit.Mul(deposit, price)
	d.addOn(dynastay.Date{}, deposit)
	if terms.RestDays == 0 {
		return nil
	}
	date := b.Stay.CheckIn.AddDays(-terms.RestDays)
	if !date.After(b.today(b.CreatedAt)) {
		date = dynastay.Date{} // the guest has booked too late to pay later
	}
	d.addOn(date, new(big.Rat).Sub(price, deposit))
	return nil
}

// partOf returns which part of the price of the line is for its first nights.
func (l *Line) partOf(nights int) *big.Rat {
	first, all := new(big.Rat), new(big.Rat)
	for i, night := range l.Nights {
		if all.Add(all, exact(night.Price)); i < nights {
			first.Add(first, exact(night.Price))
		}
	}
	if all.Sign() == 0 {
		return big.NewRat(int64(min(nights, len(l.Nights))), int64(max(len(l.Nights), 1)))
	}
	return first.Quo(first, all)
}

// instalments rounds the sums up to each date, and not each amount, so the amounts add up to the total.
func (d dueDates) instalments(b *Booking, price, kept dynastay.Money) (all []Instalment, err error) {
	sum, before := new(big.Rat), dynastay.Money{}
	dates := make([]dynastay.Date, 0, len(d))
	for date := range d {
		dates = append(dates, date)
	}
	slices.SortFunc(dates, dynastay.Date.Compare)
	add := func(one Instalment, up dynastay.Money) {
		if err == nil {
			one.Amount, err = up.Sub(before)
		}
		if before = up; err == nil && one.When == DueAtBooking {
			one.Amount, err = one.Amount.Add(kept)
		}
		if one.Amount.Sign() != 0 {
			all = append(all, one)
		}
	}
	for _, date := range dates {
		one := Instalment{When: DueAtBooking, DueAt: b.CreatedAt}
		if !date.IsZero() {
			one = Instalment{When: DueBeforeArrival, DueAt: b.on(date.AddDays(1), 0).UTC()}
		}
		up, invalid := dynastay.MoneyOfDigits(sum.Add(sum, d[date]).FloatString(price.Currency().MinorUnit()), price.Currency())
		if err == nil {
			err = invalid
		}
		add(one, up)
	}
	add(Instalment{When: DueAtProperty}, price)
	return all, err
}

// dueAt returns by when the first part of the total is to be paid that has not been paid; the zero time if nothing is left to pay
// before the arrival. An unreadable booking, which only other software can have stored, must not keep anybody from recording a
// payment: nothing is due then.
func (b *Booking) dueAt(paid dynastay.Money) time.Time {
	all, err := b.Instalments()
	if err != nil || pay(all, paid) != nil {
		return time.Time{}
	}
	for _, one := range all {
		if one.Paid != one.Amount && !one.DueAt.IsZero() { // other software may not have stored when it made the booking
			return one.DueAt
		}
	}
	return time.Time{}
}

// pay enters in the instalments what has been paid of them.
func pay(all []Instalment, paid dynastay.Money) error {
	for i := range all {
		one := &all[i]
		more, err := paid.Compare(one.Amount)
		switch {
		case !paid.IsSet(), err == nil && paid.Sign() <= 0:
			one.Paid, err = one.Amount.Times(0)
		case err == nil && more >= 0:
			one.Paid = one.Amount
			paid, err = paid.Sub(one.Amount)
		case err == nil:
			one.Paid, paid = paid, dynastay.Money{}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
