package hotel

import (
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// saverDeposit is which part of the price is due at booking under the plan saver, in percent. Other lines have no terms.
const saverDeposit = 45

// entries are the charges of a booking as they are stored, by id.
func (f *found) entries() map[string]plain {
	all := map[string]plain{}
	list, _ := f.charges["Charges"].([]any)
	for _, one := range list {
		e := one.(plain)
		all[e["Id"].(string)] = e
	}
	return all
}

// chargesOf are the amounts that a line has of each charge.
func (f *found) chargesOf(line plain) map[string]int64 {
	sort, _ := line["SK"].(string)
	name := strings.NewReplacer("#LINE#0", "#", "#LINE#", "#").Replace(strings.TrimPrefix(sort, "ROOM#")) // numbers have two digits in keys
	all := map[string]int64{}
	for id, e := range f.entries() {
		all[id] = checker.Cents(e["LineAmounts"].(plain)[name])
	}
	return all
}

// otherCharges says how the charges of a booking differ from the bill that was sold, "" for not at all. Those of its lines and
// nights are its own, and add up.
func (f *found) otherCharges(bill *charges.Bill) string {
	if bill == nil || f.charges == nil {
		if bill == nil && f.charges == nil {
			return ""
		}
		return fmt.Sprintf("%v instead of %v", f.charges, bill)
	}
	all := f.entries()
	if len(all) != len(bill.Entries) || checker.Cents(f.charges["Added"]) != checker.Minor(bill.Added) {
		return fmt.Sprintf("%v instead of %v", f.charges, bill)
	}
	for _, sold := range bill.Entries {
		e, sum := all[sold.ID], int64(0)
		for _, line := range f.lines {
			sum += f.chargesOf(line)[sold.ID]
		}
		lines, _ := e["LineAmounts"].(plain)
		nights, _ := e["NightAmounts"].(plain)
		if checker.Cents(e["Amount"]) != checker.Minor(sold.Amount) || sum != checker.Minor(sold.Amount) || len(lines) != len(f.lines) || len(nights) != len(sold.Nights) {
			return fmt.Sprintf("%v instead of %v", e, sold)
		}
		for date := range nights {
			if date < f.text("CheckInDate") || date >= f.text("CheckOutDate") {
				return fmt.Sprintf("%s of %s is no night of it", sold.ID, date)
			}
		}
	}
	return ""
}

// overdue is from when a booking is overdue by its payments: from its creation until the deposit is paid, and what was kept of
// earlier stays with it.
func (f *found) overdue() time.Time {
	prices, _ := f.plain["PriceBreakdown"].(plain)
	before, saver, all := checker.Cents(prices["Kept"]), int64(0), int64(0)
	for _, line := range f.lines {
		if price := checker.Cents(line["Subtotal"]); line["RatePlanId"] == "saver" {
			saver, all = saver+price, all+price
		} else {
			all += price
		}
	}
	if saver == 0 {
		return time.Time{}
	}
	deposit := (2*(checker.Cents(f.plain["TotalAmount"])-before)*saver*saverDeposit + all*100) / (2 * all * 100) // half a cent is rounded up
	if now := f.sums(); now.paid-now.refunded >= deposit+before {
		return time.Time{}
	}
	return f.at("CreatedAt")
}
