package bookings_test

import (
	"math"

	"github.com/stretchr/testify/require"
)

// addsUp requires what must hold of the stored items, whatever the model expects: the summary of the payments of a
// booking and its total are sums, no payment is refunded by more than was paid, and a promo code counts the bookings
// that use it.
func (w *world) addsUp(items, codes map[string]map[string]any) {
	paid, authorized, refunded := map[string]int64{}, map[string]int64{}, map[string]int64{} // by booking
	left := map[string]int64{}                                                               // by payment
	uses := map[string]int{}
	for _, item := range items {
		id, _ := item["BookingId"].(string)
		status, _ := item["Status"].(string)
		transaction, _ := item["ProviderTransactionId"].(string)
		switch item["EntityType"] {
		case "PaymentAttempt":
			switch status {
			case "paid":
				paid[id] += cents(item["Amount"])
				left[id+"/"+transaction] += cents(item["Amount"])
			case "authorized":
				authorized[id] += cents(item["Amount"])
			}
		case "Refund":
			if status != "failed" {
				refunded[id] += cents(item["Amount"])
				left[id+"/"+transaction] -= cents(item["Amount"])
			}
		case "Booking":
			parts := item["PriceBreakdown"].(map[string]any)
			sum := cents(parts["RoomTotal"]) + cents(parts["TaxesAndFees"]) - cents(parts["Discounts"]) + cents(parts["Kept"])
			require.Equal(w.t, sum, cents(item["TotalAmount"]), "the total of %s", id)
			if code, used := item["PromoCode"].(string); used && status != "cancelled" && status != "expired" {
				uses[code]++
			}
		}
	}
	for payment, cents := range left {
		require.GreaterOrEqual(w.t, cents, int64(0), "refunded more than was paid: %s", payment)
	}
	for _, item := range items {
		if item["EntityType"] == "Payment" {
			id := item["BookingId"].(string)
			require.Equal(w.t, paid[id], cents(item["PaidAmount"]))
			require.Equal(w.t, authorized[id], cents(item["AuthorizedAmount"]))
			require.Equal(w.t, refunded[id], cents(item["RefundAmount"]))
		}
	}
	for _, item := range codes {
		require.EqualValues(w.t, uses[item["Code"].(string)], item["UsageCount"], "the uses of %s", item["Code"])
		if limit, limited := item["UsageLimit"].(float64); limited {
			require.LessOrEqual(w.t, item["UsageCount"], limit)
		}
	}
}

// cents returns a stored amount.
func cents(stored any) int64 {
	units, _ := stored.(float64)
	return int64(math.Round(100 * units))
}
