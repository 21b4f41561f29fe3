// Package cost adds up what operations cost: requests and units by operation, documented pattern, table and index, over
// any time, and their price from a list that the caller gives.
//
//	meter := new(cost.Meter)
//	db := dynastay.Open(client, &dynastay.Options{Observer: meter})
//	// ...
//	for _, line := range meter.Bill().By(cost.Operation) {
//		amount, err := prices.Of(line)
//		// ...
//	}
//
// DynamoDB reports the units of each request itself. A request without an answer, and a write that was refused, report
// none, although DynamoDB charges for the refused one; what is metered is therefore a little less than what is billed.
// Storage, streams and copies are not metered.
package cost
