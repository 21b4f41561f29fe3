// Package shop manages the products of the sellers and the orders of the buyers.
//
//	M5   Products        the products of a seller
//	M6   InCategory      what is offered in a category, the cheapest first
//	M10  OrdersByStatus  the orders with a status, the newest first
//
// Further reads: Product and Order by id, InPriceRange for a part of a category, and OrdersOf for the orders of a buyer
// or of a seller.
//
// # Stock
//
// The stock of a product is a counter. [Repository.Place] takes what is ordered out of it, [Repository.Cancel] returns
// it, and [Repository.Restock] adds to it or takes from it; it never falls below 0. Nothing else changes it, so the
// orders of a product never force an edit of it to start again.
//
// # Orders
//
// An order is placed in one transaction, with 1 request and without a read before it: each product is taken on
// condition that it is active, has the price that the buyer saw, and has enough stock. If a product is refused, nothing
// is ordered, and [*Refused] names every product that cannot be ordered, with its reasons. The transaction has no item
// that other buyers of the seller need, except for the products themselves.
//
//	PENDING → CONFIRMED → SHIPPED → DELIVERED
//	PENDING, CONFIRMED → CANCELLED
//
// The payment of an order has a status of its own, because it may come before or after the goods:
//
//	PENDING → PAID, FAILED    FAILED → PENDING, PAID    PAID → REFUNDED
//
// # Copies
//
// The name of the seller in a product is that of the time when the product was created; a seller with a new name does
// not rewrite a thousand products. The titles and prices in an order are what the buyer saw.
//
// # Other software
//
// Products and orders that other software has written by the marketplace document are read as they are. An edit or a
// change of status adopts them: it writes the keys that this package needs, and the items that list an order under its
// buyer and its seller. Until then, OrdersByStatus and OrdersOf do not have such an order. To adopt a product without
// changing it, call Activate if it is active, and Deactivate if it is inactive. A cancellation assumes that the order
// was taken out of the stock.
package shop
