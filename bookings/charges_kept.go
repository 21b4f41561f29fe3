package bookings

import (
	"errors"
	"math/big"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// errCharges is about items of other software, and about a booking that was read while it was being modified.
var errCharges = errors.New("must be the charges of the booking's lines and nights, and must add up")

// checkCharges checks that the charges are those of the lines and of the total.
func (b *Booking) checkCharges() error {
	if b.Charges == nil {
		return nil
	}
	err := b.Charges.Validate(len(b.Lines), b.Stay.Nights(), b.Total.Currency())
	if err != nil || b.Charges.Added != b.Breakdown.TaxesAndFees {
		return b.unreadable("Charges", errCharges)
	}
	return nil
}

// apart returns the charges that are paid with the booking, but are not settled as a part of the price of its lines: those that are
// added, and those that are included and have a rule of their own. An included one that is kept by the policy is kept as the
// rest of the price is.
func (b *Booking) apart() (all []charges.Entry) {
	if b.Charges == nil {
		return nil
	}
	for _, e := range b.Charges.Entries {
		if e.Kind != charges.Deposit && !e.AtProperty && (!e.Included || e.Kept != charges.KeptByPolicy) {
			all = append(all, e)
		}
	}
	return all
}

// refundOf returns what is refunded of a charge, if parts of the lines are lost to the guest.
func refundOf(e charges.Entry, lost []*big.Rat) *big.Rat {
	if e.Kept != charges.KeptByPolicy {
		return exact(e.Amount)
	}
	sum := new(big.Rat)
	for i, amount := range e.Lines {
		left := new(big.Rat).Sub(one, lost[i])
		sum.Add(sum, left.Mul(left, exact(amount)))
	}
	return sum
}

// owed returns what the guests owe of the total, if the booking is not cancelled.
func (b *Booking) owed() (owed dynastay.Money, err error) {
	if b.Charges == nil {
		return b.Total, nil
	}
	if owed, _, err = b.whole(); err == nil {
		owed, err = owed.Add(b.Breakdown.Kept)
	}
	for _, e := range b.apart() {
		var charged dynastay.Money
		if err == nil {
			charged, err = b.owedOf(e)
		}
		if err == nil {
			owed, err = owed.Add(charged)
		}
	}
	return owed, err
}

// owedOf returns what the guests owe of a charge, if the booking is not cancelled: of a no-show and of guests who have left, not
// what is for nights on which they did not stay. See [charges.Kept].
func (b *Booking) owedOf(e charges.Entry) (owed dynastay.Money, err error) {
	if e.Kept != charges.KeptByPolicy && b.Status == NoShow {
		return e.Amount.Times(0)
	}
	owed = e.Amount
	for i, amount := range e.Nights { // of charges that are kept only if the guests stay
		if err == nil && !b.stayed(b.Stay.CheckIn.AddDays(i)) {
			owed, err = owed.Sub(amount)
		}
	}
	return owed, err
}

// stayed reports whether the guests of a completed booking were there in a night of it. If nights were released, the guests
// arrived after those, and so had not been there before either. And they may have left early.
func (b *Booking) stayed(night dynastay.Date) bool {
	return !night.Before(b.Released.CheckOut) && (b.CheckedOutAt.IsZero() || night.Before(b.today(b.CheckedOutAt)))
}
