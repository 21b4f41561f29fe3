package bookings_test

import (
	"math/big"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// givesUp returns the cents that are kept of what a booking gives up for another stay or other rooms, and from which date
// of check-in the hours of its policies count afterwards, if that is not the new one.
func (b worldBooking) givesUp(stay dynastay.Stay, rooms map[string]int, now time.Time) (cents int64, from dynastay.Date) {
	if b.status == bookings.Pending {
		return 0, from
	}
	moved := b
	moved.stay, moved.policyFrom = stay, dynastay.Date{}
	_, priced, _ := b.sums()
	lost, all := new(big.Rat), new(big.Rat)
	any, reopens := false, false
	for _, l := range b.lines {
		percent, hours, known := terms(l.CancellationPolicy)
		given, whole := int64(0), int64(0) // by price, or by nights without one
		for i, price := range l.cents {
			if l.subtotal() == 0 {
				price = 1
			}
			left := 0
			if date := b.stay.CheckIn.AddDays(i); stay.Contains(date) {
				left = min(l.Quantity, rooms[l.RoomTypeID])
			}
			given, whole = given+price*int64(l.Quantity-left), whole+price*int64(l.Quantity)
		}
		weight := big.NewRat(l.subtotal(), 1)
		if priced == 0 {
			weight = big.NewRat(int64(l.Quantity), 1)
		}
		all.Add(all, weight)
		if !known {
			continue
		}
		open := !now.After(b.arrival().Add(-hours))
		reopens = reopens || given < whole && percent > 0 && !open && !now.After(moved.arrival().Add(-hours))
		any = any || given > 0
		if !open {
			percent = 0
		}
		part := big.NewRat(given*(100-percent), whole*100)
		lost.Add(lost, part.Mul(part, weight))
	}
	if !any {
		if b.policyFrom.Before(stay.CheckIn) {
			from = b.policyFrom
		}
		return 0, from
	}
	if reopens {
		if from = b.policyFrom; from.IsZero() {
			from = b.stay.CheckIn
		}
		if !from.Before(stay.CheckIn) {
			from = dynastay.Date{}
		}
	}
	price := big.NewRat(b.total()-b.kept, 1)
	back := new(big.Rat).Sub(price, lost.Mul(lost.Quo(lost, all), price))
	twice := new(big.Int).Div(back.Mul(back, big.NewRat(2, 1)).Num(), back.Denom()) // of the half cents, rounded down
	return b.total() - b.kept - (twice.Int64()+1)/2, from
}
