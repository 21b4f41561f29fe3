// Package search finds properties that can lodge a party for a stay, with prices that can be booked.
//
// A search has a destination, a stay, guests, filters and an order. Its result is a page of offers. An [Offer] is a
// property with its quotes: one for each room type that holds the guests and is open on every night or, if no single
// room type does, one for the cheapest combination of rooms. Package bookings books a quote as it is.
//
//	found, err := search.New(db, properties).Page(ctx, search.Request{
//		City: "New York", Country: "USA",
//		Stay:   dynastay.MustStay("2025-01-15", "2025-01-18"),
//		Guests: availability.Guests{Adults: 2},
//		Sort:   search.BestRated,
//	}, dynastay.Paging{Limit: 20})
//
// # What a page costs
//
// A page is two dependent steps, however large the city is. The first is one Query that reads the cards of the
// candidates from an index, half a read unit for every 3 or 4. The second reads the nights of those that meet the
// filters: one Query of the index GSI1-PropertyDateIndex for each property, in parallel, usually half a read unit each.
// Around a point, the first step is that of [properties.Repository.Near] instead, whose cost grows with the number of
// properties in the circle.
//
// So a page has fewer offers than its limit if candidates do not meet the filters or are sold out. [dynastay.Paging]'s
// Reads allows further rounds.
//
// # Orders
//
//	| order | computed from | candidates |
//	|---|---|---|
//	| [Recommended] | the score of featured properties, then the rating, or [Request.Rank] | the best rated ones of the city |
//	| [BestRated]     | the guest rating | GSI1-LocationIndex |
//	| [LowestPrice]   | the lowest base price | GSI7-PriceIndex |
//	| [HighestPrice]  | the highest base price | GSI7-PriceIndex, backwards |
//	| [LowestTotal], [HighestTotal] | the price of the stay | as for the base prices |
//	| [Nearest]       | the distance from [Request.Point] | GSI10-GeohashIndex around a point, otherwise the best rated ones of the city |
//
// BestRated and LowestPrice in a city, and Nearest around a point, are the order of an index: the pages together are one
// ordered list. No index has the other orders. They are computed for a limited number of candidates at a time, see
// [Request.Candidates]. If there are more, [Page.Cut] is true: the pages first go through these candidates in order, and
// then through the next ones. Every property whose rank does not change meanwhile is on one page.
package search
