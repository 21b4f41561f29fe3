package bookings

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/shown"
)

// Settlement is how the price of a booking is settled when it is cancelled. The amounts are in the currency of the
// booking, and at most one of Refund and Owed is not 0.
type Settlement struct {
	Kept   dynastay.Money `json:",omitzero"` // what the property keeps of the total, including Breakdown.Kept
	Refund dynastay.Money `json:",omitzero"` // what is to be refunded of what has been paid: paid − Kept, at least 0
	Owed   dynastay.Money `json:",omitzero"` // what is still to be paid: Kept − paid, at least 0
}

// TermsOf returns the terms of a platform's own policies, those of [availability.CustomPolicy], and of "", that no
// policy was agreed. It returns false if it does not know the policy. Percent must be between 0 and 100, Hours at least
// 0.
type TermsOf func(availability.CancellationPolicy) (availability.Terms, bool)

// PolicyError means that nobody knows the terms of a cancellation policy: package availability does not define it, and
// there is no [TermsOf], or it returned false or terms that are out of range.
type PolicyError struct {
	BookingID  string
	RoomTypeID string // of the line; "" if the booking has no lines
	Policy     availability.CancellationPolicy
}

// Error names the booking, the room type and the policy.
func (e *PolicyError) Error() string {
	text := "cannot settle booking " + shown.Masked(e.BookingID)
	if e.RoomTypeID != "" {
		text += ", room type " + shown.Masked(e.RoomTypeID)
	}
	return fmt.Sprintf("%s: its cancellation policy %q has no known terms", text, shown.Truncated(string(e.Policy)))
}

// Is makes it match [dynastay.ErrRefused].
func (*PolicyError) Is(target error) bool { return target == dynastay.ErrRefused }

// Settle returns how the price of the booking is settled if it is cancelled at the time at. Paid is what the guest has
// paid, less what has been refunded; the zero Money means nothing. Settle sends no request, and does not look at the
// status of the booking.
//
// Each line has a share of the total in proportion to its Subtotal, so taxes, fees and discounts are refunded in
// proportion. The charges of a booking that has some are settled by their own rules instead, see [charges.Kept]: those that are
// kept by the policy in the part of each line, and all others are refunded. If no line has a price, its share is in proportion
// to its rooms, and a line without a Quantity counts as one room. Of each share, the percentage of the line's policy is
// refunded up to and including the deadline, and nothing after it. A line without a policy has that of the booking, and so has
// a booking without lines. The sum is rounded once, and so is each charge that is added or has a rule of its own, to the
// currency's minor unit, half away from zero. A total that is more precise than the minor unit, which only other software can
// have stored, is rounded first. What was kept of earlier modifications is not part of the shares: it is kept whatever the
// policies are now.
//
// The deadline is the policy's number of hours before CheckInTime on the date of check-in at the property. A
// CheckInTime that is not a time of day, such as 15:00 or 3 PM, means the beginning of the day, and an unknown time
// zone means UTC. The hours are elapsed hours: if the clocks change between the deadline and check-in, the deadline is
// an hour earlier or later on the clock. If the clocks leave out the time of check-in or show it twice, the later
// instant counts.
//
// Settle returns a [*dynastay.InvalidError] for the field "Paid" if paid is negative, in a different currency, more
// precise than the minor unit, or too large, and for the field "At" if at is the zero time. It returns a [*PolicyError]
// for a policy whose terms neither package availability nor own knows; own may be nil. If the total, the date of
// check-in or a subtotal is missing, negative or too large, it returns a [*dynastay.Error] that matches
// [dynastay.ErrCorrupt].
func (b *Booking) Settle(paid dynastay.Money, at time.Time, own TermsOf) (Settlement, error) {
	if err := b.settles(paid, at); err != nil {
		return Settlement{}, err
	}
	lines := b.settled()
	all := slices.Repeat([]*big.Rat{one}, len(lines))
	lost, err := b.lost(lines, all, at, own)
	if err != nil {
		return Settlement{}, err
	}
	kept, err := b.keptOf(lost)
	if err == nil {
		kept, err = kept.Add(b.Breakdown.Kept)
	}
	if err != nil {
		return Settlement{}, err
	}
	return settlement(kept, paid)
}

// settled returns the lines that share the price: a booking without lines has one.
func (b *Booking) settled() []Line {
	if len(b.Lines) == 0 {
		return make([]Line, 1)
	}
	return b.Lines
}

// keptOf returns what is kept of the price of the booking, if parts of its lines are lost to the guest.
func (b *Booking) keptOf(lost []*big.Rat) (kept dynastay.Money, err error) {
	return b.keptBeside(lost, &charges.Bill{})
}

// keptBeside is keptOf for a booking that goes on with another bill. Of a charge, no more can be given up than it comes to less in
// that bill: a cleaning fee is charged anew in full, so a part of it must not be kept as well.
func (b *Booking) keptBeside(lost []*big.Rat, next *charges.Bill) (kept dynastay.Money, err error) {
	kept, parts, err := b.keptParts(lost)
	for i, e := range b.apart() {
		if err != nil {
			return kept, err
		}
		least := parts[i]
		for _, again := range next.Entries {
			less, err := e.Amount.Sub(again.Amount)
			if err != nil {
				return kept, err
			}
			if more, _ := least.Compare(less); again.ID == e.ID && more > 0 {
				least = less
			}
		}
		if least.Sign() > 0 {
			kept, err = kept.Add(least)
		}
	}
	return kept, err
}

// whole returns the price of the booking in the parts in which it is settled: that of the lines, less the discount, and each charge
// that is settled apart.
func (b *Booking) whole() (rooms dynastay.Money, apart []dynastay.Money, err error) {
	price, err := b.price()
	if err != nil || price.Sign() < 0 || b.Breakdown.Kept.Sign() < 0 || b.Total.Sign() < 0 || !b.Total.IsSet() {
		return rooms, nil, b.unreadable("TotalAmount", errAmount)
	}
	if err := b.checkCharges(); err != nil {
		return rooms, nil, err
	}
	rooms = price.Round()
	for _, e := range b.apart() {
		apart = append(apart, e.Amount)
		if rooms, err = rooms.Sub(e.Amount); err != nil || rooms.Sign() < 0 {
			return rooms, nil, b.unreadable("Charges", errCharges)
		}
	}
	return rooms, apart, nil
}

// keptParts returns what is kept of each of these parts: all without what is refundable, which is rounded half away from zero, as
// FloatString does. Each part is rounded by itself, because each is a line of the receipt.
func (b *Booking) keptParts(lost []*big.Rat) (rooms dynastay.Money, apart []dynastay.Money, err error) {
	rooms, apart, err = b.whole()
	if err != nil {
		return rooms, nil, err
	}
	weights, err := b.weights(b.settled())
	if err != nil {
		return rooms, nil, err
	}
	without := func(amount dynastay.Money, refundable *big.Rat) dynastay.Money {
		rounded, failed := dynastay.MoneyOfDigits(refundable.FloatString(amount.Currency().MinorUnit()), amount.Currency())
		if failed == nil {
			amount, failed = amount.Sub(rounded)
		}
		if failed != nil {
			err = b.unreadable("TotalAmount", failed)
		}
		return amount
	}
	included := make([]*big.Rat, len(weights)) // of each line, after the discount
	price, all := exact(rooms), new(big.Rat)
	for i, weight := range weights {
		included[i] = new(big.Rat)
		all.Add(all, weight)
	}
	for c, e := range b.apart() {
		apart[c] = without(e.Amount, refundOf(e, lost))
		for i, amount := range e.Lines {
			if e.Included {
				included[i].Add(included[i], exact(amount))
				price.Add(price, exact(amount))
			}
		}
	}
	for i, weight := range weights { // the price of the lines after the discount, without these charges
		weight.Mul(weight, new(big.Rat).Quo(price, all)).Sub(weight, included[i])
	}
	part, sum := new(big.Rat), new(big.Rat)
	for i, weight := range weights {
		if weight.Sign() < 0 { // charges are rounded, so they may be a cent more than the line
			weight = new(big.Rat)
		}
		sum.Add(sum, weight)
		part.Add(part, new(big.Rat).Mul(weight, new(big.Rat).Sub(one, lost[i])))
	}
	if sum.Sign() > 0 { // otherwise, all of the price is charges
		rooms = without(rooms, part.Mul(part.Quo(part, sum), exact(rooms)))
	}
	return rooms, apart, err
}

func settlement(kept, paid dynastay.Money) (Settlement, error) {
	refund, err := paid.Sub(kept)
	if err != nil {
		return Settlement{}, dynastay.Invalid("Paid", "must be smaller")
	}
	owed, _ := kept.Sub(paid)                                  // cannot fail: it has the digits of refund
	nothing, _ := dynastay.MoneyOfDigits("0", kept.Currency()) // cannot fail
	if refund.Sign() < 0 {
		return Settlement{Kept: kept, Refund: nothing, Owed: owed}, nil
	}
	return Settlement{Kept: kept, Refund: refund, Owed: nothing}, nil
}

var (
	errAmount   = errors.New("must be an amount that is not negative")
	errSubtotal = errors.New("each line must have a subtotal that is not negative, in the currency of the total")
	errCheckIn  = errors.New("must be a date")
)

// unreadable is the error for an attribute that only other software can have stored.
func (b *Booking) unreadable(field string, why error) error {
	return &dynastay.Error{
		Op: "bookings.Settle", Entity: "Booking", ID: b.ID, Field: field, Kind: dynastay.ErrCorrupt, Err: why,
	}
}

// settles checks the booking and the arguments of Settle.
func (b *Booking) settles(paid dynastay.Money, at time.Time) error {
	currency := b.Total.Currency()
	switch {
	case !b.Total.IsSet() || b.Total.Sign() < 0:
		return b.unreadable("TotalAmount", errAmount)
	case b.Stay.CheckIn.IsZero():
		return b.unreadable("CheckInDate", errCheckIn)
	case paid.IsSet() && paid.Currency() != currency:
		return dynastay.Invalid("Paid", "must be in %s, the currency of the booking", currency)
	case paid.Sign() < 0:
		return dynastay.Invalid("Paid", "must not be negative")
	case paid != paid.Round():
		return dynastay.Invalid("Paid", "must have at most %d decimal places in %s", currency.MinorUnit(), currency)
	case at.IsZero():
		return dynastay.Invalid("At", "is required")
	}
	return nil
}

// lost returns which part of each line is not refunded if the given parts of them are cancelled, all from 0 to 1.
func (b *Booking) lost(lines []Line, given []*big.Rat, at time.Time, own TermsOf) (parts []*big.Rat, err error) {
	for i, line := range lines {
		part := new(big.Rat)
		if given[i].Sign() > 0 {
			terms, err := b.terms(line, own)
			if err != nil {
				return nil, err
			}
			percent := 0
			if inTime(terms.Hours, b.arrival(), at) {
				percent = terms.Percent
			}
			part.Mul(given[i], big.NewRat(int64(100-percent), 100))
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// weights returns the subtotals of the lines, or the numbers of rooms if there are no subtotals.
func (b *Booking) weights(lines []Line) ([]*big.Rat, error) {
	rooms, subtotals, priced, missing := []*big.Rat{}, []*big.Rat{}, false, false
	for _, line := range lines {
		amount := line.Subtotal
		if amount.Sign() < 0 || amount.IsSet() && amount.Currency() != b.Total.Currency() {
			return nil, b.unreadable("Subtotal", errSubtotal)
		}
		priced, missing = priced || amount.Sign() > 0, missing || !amount.IsSet()
		subtotals = append(subtotals, exact(amount))
		rooms = append(rooms, big.NewRat(int64(max(line.Quantity, 1)), 1))
	}
	switch {
	case !priced:
		return rooms, nil
	case missing:
		return nil, b.unreadable("Subtotal", errSubtotal)
	}
	return subtotals, nil
}

// terms returns the terms of a line, or of the booking for a line without a policy.
func (b *Booking) terms(line Line, own TermsOf) (availability.Terms, error) {
	policy := b.policyOf(line)
	terms, ok := policy.Terms()
	if !ok && own != nil {
		terms, ok = own(policy)
	}
	if !ok || terms.Percent < 0 || terms.Percent > 100 || terms.Hours < 0 {
		return terms, &PolicyError{BookingID: b.ID, RoomTypeID: line.RoomTypeID, Policy: policy}
	}
	return terms, nil
}

// policyOf returns the policy of a line, or that of the booking for a line without one.
func (b *Booking) policyOf(line Line) availability.CancellationPolicy {
	return cmp.Or(line.CancellationPolicy, b.CancellationPolicy)
}

// inTime reports whether at is no later than the number of hours before arrival. It counts the hours between the two:
// the time so many hours before arrival may be further back than a time.Duration reaches.
func inTime(hours int, arrival, at time.Time) bool {
	seconds := arrival.Unix() - at.Unix()
	if at.Nanosecond() > 0 {
		seconds--
	}
	return seconds >= 0 && seconds/3600 >= int64(hours)
}

// exact returns an amount without its currency. The zero Money is 0.
func exact(amount dynastay.Money) *big.Rat {
	r, _ := new(big.Rat).SetString(amount.Digits()) // cannot fail: these are decimal digits
	return r
}
