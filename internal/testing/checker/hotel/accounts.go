package hotel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// add puts an item of its partition to a booking, and reports whether there is such an item.
func (f *found) add(item plain) bool {
	kind, id, _ := strings.Cut(item["SK"].(string), "#")
	own := true
	switch kind {
	case "ROOM":
		f.lines = append(f.lines, item)
	case "CHARGES":
		f.charges = item
		own = id == "" && item["BookingId"] == f.plain["BookingId"]
	case "REFUND":
		f.refunds[id] = item
		own = item["RefundId"] == id && item["BookingId"] == f.plain["BookingId"]
	case "PAYMENT":
		if id == "" {
			f.summary = item
		} else {
			f.payments[id] = item
			own = item["ProviderTransactionId"] == id
		}
		own = own && item["BookingId"] == f.plain["BookingId"]
	default:
		return false
	}
	return own
}

// sums are the totals of the payments and the refunds of a booking, in cents.
type sums struct{ paid, authorized, refunded int64 }

func (f *found) sums() (s sums) {
	for _, p := range f.payments {
		switch p["Status"] {
		case "paid":
			s.paid += checker.Cents(p["Amount"])
		case "authorized":
			s.authorized += checker.Cents(p["Amount"])
		}
	}
	for _, r := range f.refunds {
		if r["Status"] != "failed" {
			s.refunded += checker.Cents(r["Amount"])
		}
	}
	return s
}

// owes is the payment status that follows from the sums, the total and the status of the last payment, "" for none.
func (s sums) owes(total int64, last any) bookings.PaymentStatus {
	switch {
	case s.refunded > 0 && s.refunded < s.paid:
		return bookings.PaymentPartiallyRefunded
	case s.refunded > 0:
		return bookings.PaymentRefunded
	case s.paid >= total:
		return bookings.PaymentPaid
	case s.authorized > 0:
		return bookings.PaymentAuthorized
	case s.paid == 0 && last == "failed":
		return bookings.PaymentFailed
	}
	return bookings.PaymentPending
}

// mayLead reports whether the summary may show a payment: a paid one, else an authorized one, else the last one.
func (f *found) mayLead(p plain) bool {
	stages := []string{"authorized", "paid"}
	stage := func(p plain) int { return slices.Index(stages, p["Status"].(string)) }
	for _, other := range f.payments {
		if stage(other) > stage(p) || stage(p) < 0 && stage(other) < 0 && checker.TimeOf(other["StatusAt"]).After(checker.TimeOf(p["StatusAt"])) {
			return false
		}
	}
	return true
}

// unbalanced says what of a booking's payments does not follow from the others, "" for nothing.
func (f *found) unbalanced() string {
	sums, total := f.sums(), checker.Cents(f.plain["TotalAmount"])
	leading, _ := f.summary["ProviderTransactionId"].(string)
	first := f.payments[leading]
	switch {
	case len(f.payments) == 0 && (len(f.refunds) > 0 || f.summary != nil):
		return "refunds or a summary without a payment"
	case len(f.payments) > 0 && (first == nil || !f.mayLead(first)):
		return fmt.Sprintf("the summary is of %q", leading)
	}
	if want := string(sums.owes(total, first["Status"])); f.text("PaymentStatus") != want || first != nil && f.summary["Status"] != want {
		return fmt.Sprintf("the status must be %s: %v of %d, summary %v", want, sums, total, f.summary)
	}
	if first != nil {
		return f.summarised(first, sums)
	}
	return ""
}

// summarised compares the summary with the payment that it shows, and with the sums.
func (f *found) summarised(first plain, want sums) string {
	if got := (sums{checker.Cents(f.summary["PaidAmount"]), checker.Cents(f.summary["AuthorizedAmount"]), checker.Cents(f.summary["RefundAmount"])}); got != want {
		return fmt.Sprintf("the summary has %v instead of %v", got, want)
	}
	for _, name := range []string{"PaymentId", "Amount", "Currency", "PaymentMethod", "PaymentProvider", "CreatedAt"} {
		if f.summary[name] != first[name] {
			return fmt.Sprintf("the summary has the %s %v instead of %v", name, f.summary[name], first[name])
		}
	}
	var paidAt, refundedAt time.Time
	if first["Status"] == "paid" {
		paidAt = checker.TimeOf(first["StatusAt"])
	}
	for _, r := range f.refunds {
		if at := checker.TimeOf(r["StatusAt"]); r["Status"] != "failed" && at.After(refundedAt) {
			refundedAt = at
		}
	}
	if !checker.TimeOf(f.summary["PaidAt"]).Equal(paidAt) || !checker.TimeOf(f.summary["RefundedAt"]).Equal(refundedAt) {
		return fmt.Sprintf("the summary was paid at %s and refunded at %s: %v", paidAt, refundedAt, f.summary)
	}
	return ""
}

// overRefunded says which payment has refunds that it cannot have, "" for none.
func (f *found) overRefunded() string {
	left := map[string]int64{}
	for id, p := range f.payments {
		if p["Status"] == "paid" {
			left[id] = checker.Cents(p["Amount"])
		}
	}
	for id, r := range f.refunds {
		of, _ := r["ProviderTransactionId"].(string)
		if _, paid := left[of]; !paid {
			return fmt.Sprintf("%s is of %q, which is not paid", id, of)
		}
		if r["Status"] != "failed" {
			left[of] -= checker.Cents(r["Amount"])
		}
		if left[of] < 0 {
			return fmt.Sprintf("more than %s has is refunded", of)
		}
	}
	return ""
}

// checkAccount compares the payments of a booking with each other, and with what the library reads.
func (s *sales) checkAccount(l *stayLife) {
	if text := l.unbalanced(); text != "" {
		s.Differ("payments that do not add up", l.id, "%s", text)
	}
	if at := l.overdue(); !l.at("DueAt").Equal(at) {
		s.Differ("a booking that is due at another time", l.id, "%s instead of %s: %v", l.text("DueAt"), at, l.sums())
	}
	if text := l.overRefunded(); text != "" {
		s.Differ("a refund that exceeds its payment", l.id, "%s", text)
	}
}

// checkRead compares what the library reads of the payments of a booking with what is stored: each one once.
func (s *sales) checkRead(id string, f *found) {
	repo := bookings.New(s.Base.Direct, nil)
	all, err := repo.PaymentHistory(s.T.Context(), id, dynastay.Consistent)
	if err != nil || len(all.Payments) != len(f.payments) || len(all.Refunds) != len(f.refunds) {
		s.Differ("a history with other payments", id, "%v: %v", err, all)
	}
	for _, p := range all.Payments {
		if item := f.payments[p.ProviderTransactionID]; item == nil || item["Status"] != string(p.Status) || checker.Cents(item["Amount"]) != checker.Minor(p.Amount) {
			s.Differ("a history with other payments", id, "%v instead of %v", p, item)
		}
	}
	for _, r := range all.Refunds {
		if item := f.refunds[r.ID]; item == nil || item["Status"] != string(r.Status) || checker.Cents(item["Amount"]) != checker.Minor(r.Amount) {
			s.Differ("a history with other payments", id, "%v instead of %v", r, item)
		}
	}
	if f.summary == nil {
		return
	}
	if summary, err := repo.Payment(s.T.Context(), id, dynastay.Consistent); err != nil || string(summary.Payment.Status) != f.text("PaymentStatus") {
		s.Differ("a history with other payments", id, "%v: %v", err, summary)
	}
}
