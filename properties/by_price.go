package properties

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// PriceQuery selects the approved properties of a city by the lowest base price of their room types. City and Country
// must be exactly as in the addresses of the properties, including case.
type PriceQuery struct {
	City, Country string
	// Currency is required even if Min or Max is set, and both must be in it. A query therefore selects properties of
	// the same currency whether or not a guest has entered a bound. Prices in different currencies are never compared.
	Currency dynastay.Currency
	// Min and Max are the bounds of Card.Prices.Min, both inclusive. The zero Money means that there is no bound.
	Min, Max   dynastay.Money
	Descending bool // the property with the highest lowest price first; the default is that with the lowest
}

// ByPrice lists the approved properties of a city whose lowest base price is within the bounds, in the order of that
// price. The list is eventually consistent: recent changes may not be visible yet.
//
// A row that other software wrote has no card. ByPrice then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list, or missing if there is a bound.
//
// Pattern P3: GSI7-PriceIndex, GSI7PK = CITY#{city}#{country}#CURRENCY#{code}, GSI7SK from PRICE#{min} to PRICE#{max}, 1 request
func (r *Repository) ByPrice(q PriceQuery) dynastay.List[*Card] {
	partition, err := keys.Partition(keys.PropertyByPrice{City: q.City, Country: q.Country, Currency: q.Currency})
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	prices, err := q.prices()
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	return r.cards(dynastay.Query{
		Name: "properties.ByPrice", Index: keys.PriceIndex, Partition: partition, Range: prices, Descending: q.Descending,
	}, q.includes)
}

// prices returns the range of the sort keys within the bounds.
func (q PriceQuery) prices() (within dynastay.Range, err error) {
	if within.From, err = q.bound("Min", q.Min, 0); err != nil {
		return within, err
	}
	if within.To, err = q.bound("Max", q.Max, 1); err != nil {
		return within, err
	}
	if !atMost(q.Min, q.Max) {
		return within, dynastay.Invalid("Max", "must not be less than Min")
	}
	return within, nil
}

// bound returns the sort keys' prefix for a price, or for the price that follows it by some thousandths. It returns ""
// if there is no bound or no such price.
func (q PriceQuery) bound(field string, m dynastay.Money, after key.Thousandths) (string, error) {
	if !m.IsSet() {
		return "", nil
	}
	if m.Currency() != q.Currency {
		return "", dynastay.Invalid(field, "must be in %s, got %s", q.Currency, m.Currency())
	}
	price, err := key.PriceOf(m)
	if err != nil {
		return "", renamed(field, err)
	}
	prefix, err := keys.SortPrefix(keys.PropertyByPrice{Price: price + after})
	if err != nil { // nothing follows the highest price
		return "", nil
	}
	return prefix, nil
}

// includes reports whether a card has a price within the bounds.
func (q PriceQuery) includes(c *Card) bool {
	lowest := c.Prices.Min
	return lowest.Currency() == q.Currency && atMost(q.Min, lowest) && atMost(lowest, q.Max)
}

// atMost reports whether an amount is at most another one in the same currency. It is true if either is not set.
func atMost(m, most dynastay.Money) bool {
	n, _ := m.Compare(most) // 0 if either is not set
	return n <= 0
}
