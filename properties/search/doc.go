// Package search finds properties that can lodge a party for a stay, with prices that can be booked.
//
// A search has a destination, a stay, guests, filters and an order. Its result is a page of offers. An [Offer] is a
// property with its quotes: one for each room type that is large enough for the guests and open on every night or, if
// no single room type is, one for the cheapest combination of rooms. If the property advertises rate plans, there is one
// for each plan. Package bookings books a quote as it is.
//
//	found, err := search.New(db, properties.New(db, nil)).Page(ctx, search.Request{
//		City: "New York", Country: "USA",
//		Stay:   dynastay.MustStay("2025-01-15", "2025-01-18"),
//		Guests: availability.Guests{Adults: 2},
//		Sort:   search.BestRated,
//	}, dynastay.Paging{Limit: 20})
//
// The page of a property shows what [Search.OfferOf] returns: the same offer, of one property, in one request.
//
// # What a page costs
//
// A page takes two steps, one after the other, however large the city is. The first is one Query that reads the cards
// of the candidates from an index, half a read unit for about 4 cards. The second reads the nights of those that
// meet the filters: one Query of the index GSI1-PropertyDateIndex for each property, usually half a read unit each. At
// most [dynastay.Options].Parallel of them are sent at a time, 16 by default: the 50 of a full page take as long as
// four, so the page takes as long as five requests. With a Parallel of 50, it takes as long as two. Around a point, the
// first step is that of [properties.Repository.Near] instead, whose cost grows with the number of properties in the
// circle.
//
// A page has fewer offers than its limit if candidates do not meet the filters or are sold out. A [dynastay.Paging] with
// Reads of 2 or more allows further rounds, which fill it up.
//
// If an order is computed for more candidates than a page offers, each page reads the cards of all of them. An order by
// total also reads the nights of all of them each time: 101 requests for the default of 100.
//
// # Orders
//
//   - [Recommended], by the score of featured properties, then the rating, or [Request.Rank]. Candidates in a city: the
//     best rated; around a point: all
//   - [BestRated], by the guest rating. Candidates in a city: the order of the index; around a point: all
//   - [LowestPrice], by the lowest base price. Candidates in a city: the order of the index; around a point: all
//   - [HighestPrice], by the highest base price. Candidates in a city: those whose lowest price is highest; around a
//     point: all
//   - [LowestTotal], by what the guest pays for the cheapest quote, with the charges that are added. Candidates in a city:
//     those with the lowest base price; around a point: the same
//   - [HighestTotal], by the same. Candidates in a city: those whose lowest price is highest; around a point: those with
//     the highest base price
//   - [Nearest], by the distance from [Request.Point]. Candidates in a city: the best rated; around a point: all
//
// Where the candidates have the order of the index, or all are read, the pages together are one ordered list. The other
// orders are computed for a limited number of candidates at a time, see [Request.Candidates]. If there may be more,
// [Page.Cut] is true: the pages first go through these candidates in order, and then through the next ones.
//
// A property that keeps its rank and its place in the index is on exactly one page, whatever happens to others meanwhile.
// If either changes between two pages, the property may be on both or on neither.
package search
