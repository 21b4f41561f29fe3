package hotel

import (
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// policies are those of the two room types of the house: how much is refunded, until when before the check-in. For some
// stays that ends while the checker runs.
var policies = map[availability.CancellationPolicy]struct {
	percent int64
	until   time.Duration
}{
	availability.FreeCancellation(24): {100, 24 * time.Hour}, availability.PartialRefund(35, 48): {35, 48 * time.Hour},
}

const checkInTime = "00:01"

// charged is what a booking has of a room type: its policy, its price, and what it has of each charge, in cents.
type charged struct {
	policy  availability.CancellationPolicy
	price   int64
	charges map[string]int64
}

// keptOf is what the house keeps of the total of a cancelled booking, by the policies of its lines and the rules of its charges.
func keptOf(b *bookings.Booking) int64 {
	stay := b.Stay
	if !b.PolicyCheckIn.IsZero() {
		stay.CheckIn = b.PolicyCheckIn
	}
	var lines []charged
	for i, l := range b.Lines {
		one := charged{l.CancellationPolicy, checker.Minor(l.Subtotal), map[string]int64{}}
		if b.Charges != nil {
			for _, e := range b.Charges.Entries {
				one.charges[e.ID] = checker.Minor(e.Lines[i])
			}
		}
		lines = append(lines, one)
	}
	return kept(checker.Minor(b.Total), checker.Minor(b.Breakdown.Kept), stay, b.CancelledAt, lines)
}

// kept is what follows from the prices of the rooms: each line has a share of the total, except for what was kept before and for
// the charges. Of these, the house keeps its part of the service, and nothing of the city tax. Each is rounded by itself.
func kept(total, before int64, stay dynastay.Stay, at time.Time, lines []charged) int64 {
	arrival := stay.CheckIn.Time().Add(time.Minute)
	percents, prices, service, refunded, city := int64(0), int64(0), int64(0), int64(0), int64(0)
	for _, l := range lines {
		prices += l.price
		service, city = service+l.charges["service"], city+l.charges["city"]
		if terms := policies[l.policy]; !at.After(arrival.Add(-terms.until)) {
			percents += terms.percent * l.price
			refunded += terms.percent * l.charges["service"]
		}
	}
	rooms := total - before - service - city
	return before + rooms - (2*rooms*percents+100*prices)/(200*prices) + service - (refunded+50)/100 // half a cent is rounded up
}

// checkRefunded compares what a cancellation refunded with what was due when it was carried out.
func (s *sales) checkRefunded(m *stayMove, c bookings.Cancellation, keyed bool) {
	if keyed && len(c.Refunds) == 0 {
		return // perhaps a replay
	}
	if asked := *m.notice.refund; !refundedAs(asked, c, keyed) {
		s.Differ("a cancellation with another refund", m.Items, "%s of %v returned %v of %v, keyed: %t", m.Mark, asked, c.Refunds, c.Payment, keyed)
	}
}

// refundedAs reports whether the refunds of a cancellation are those that were asked for. A replay has the payments as
// they are now, and payments may have been reported since, so it does not show what was due.
func refundedAs(asked bookings.Refund, c bookings.Cancellation, keyed bool) bool {
	if c.Payment == nil {
		return len(c.Refunds) == 0
	}
	paid, made := checker.Minor(c.Payment.Paid)-checker.Minor(c.Payment.Refunded), int64(0)
	for _, r := range c.Refunds {
		made += checker.Minor(r.Amount)
	}
	due := max(0, paid+made-keptOf(c.Booking))
	switch {
	case asked.Amount.IsSet():
		due = checker.Minor(asked.Amount)
	case keyed:
		due = made
	case asked.ProviderTransactionID != "":
		due = min(due, made) // or what was left of this payment
	}
	if made != due || !ofAllPayments(asked) && len(c.Refunds) > 1 {
		return false
	}
	of := map[string]bool{}
	for i, r := range c.Refunds {
		id := asked.ID
		if i > 0 {
			id += fmt.Sprint("_", i+1)
		}
		named := asked.ProviderTransactionID == "" || r.ProviderTransactionID == asked.ProviderTransactionID
		if r.ID != id || !named || of[r.ProviderTransactionID] || checker.Minor(r.Amount) == 0 {
			return false
		}
		of[r.ProviderTransactionID] = true
	}
	return true
}

// ofAllPayments reports whether a refund becomes one of each payment until nothing is due any more. The first has its id.
func ofAllPayments(r bookings.Refund) bool { return !r.Amount.IsSet() && r.ProviderTransactionID == "" }

// mostDue is what at most can have been due when a booking was cancelled, which is not modified afterwards.
func (l *stayLife) mostDue() int64 {
	checkIn, err := dynastay.ParseDate(l.text("PolicyCheckInDate"))
	if err != nil {
		checkIn, _ = dynastay.ParseDate(l.text("CheckInDate"))
	}
	paid := int64(0)
	for _, p := range l.payments {
		if p["Status"] == "paid" {
			paid += checker.Cents(p["Amount"])
		}
	}
	prices, _ := l.plain["PriceBreakdown"].(plain)
	before := checker.Cents(prices["Kept"])
	var lines []charged
	for _, one := range l.lines {
		policy, _ := one["CancellationPolicy"].(string)
		lines = append(lines, charged{availability.CancellationPolicy(policy), checker.Cents(one["Subtotal"]), l.chargesOf(one)})
	}
	return paid - kept(checker.Cents(l.plain["TotalAmount"]), before, dynastay.Stay{CheckIn: checkIn}, l.at("CancelledAt"), lines)
}
