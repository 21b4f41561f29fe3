package shop

import (
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
)

// Reason is why a product cannot be ordered.
type Reason string

// The reasons.
const (
	NotFound     Reason = "not found"
	NotActive    Reason = "not active"
	PriceChanged Reason = "price changed"       // the buyer saw another price
	BelowMinimum Reason = "below minimum order" // the quantity is too small
	OutOfStock   Reason = "out of stock"        // less is left than was ordered
)

// RefusedLine is a product that cannot be ordered, and why.
type RefusedLine struct {
	ProductID string
	Title     string // as it was ordered, or for a product that is restocked, as it is
	Reason    Reason
	Price     dynastay.Money // the price now, for PriceChanged
	MinOrder  int            // the smallest quantity, for BelowMinimum
	Left      int            // what is left, for OutOfStock
}

// String returns the product and the reason, such as "Red Clay Bricks is out of stock, 20 left".
func (l RefusedLine) String() string {
	text := l.Title
	if text == "" {
		text = l.ProductID
	}
	switch l.Reason {
	case NotFound:
		return text + " does not exist"
	case NotActive:
		return text + " is not offered"
	case PriceChanged:
		if !l.Price.IsSet() { // other software has stored none, or no currency
			return text + " has no price"
		}
		return fmt.Sprintf("%s costs %s", text, l.Price)
	case BelowMinimum:
		return fmt.Sprintf("%s is sold from a quantity of %d", text, l.MinOrder)
	}
	return fmt.Sprintf("%s is out of stock, %d left", text, l.Left)
}

// Refused is the error for products that cannot be ordered, or for a stock that cannot be reduced. Nothing was written.
type Refused struct {
	Lines []RefusedLine // in the order of the items; a product may have several reasons
}

// Error lists every product with its reasons.
func (r *Refused) Error() string {
	texts := make([]string, len(r.Lines))
	for i, line := range r.Lines {
		texts[i] = line.String()
	}
	return "cannot be ordered: " + strings.Join(texts, ", ")
}

// Is makes it match [dynastay.ErrRefused].
func (*Refused) Is(target error) bool { return target == dynastay.ErrRefused }

// Has reports whether any product was refused for this reason.
func (r *Refused) Has(reason Reason) bool {
	for _, line := range r.Lines {
		if line.Reason == reason {
			return true
		}
	}
	return false
}

// refuse returns why an item cannot be ordered; it is empty if it can. It has the conditions of takeOrdered.
func (i Item) refuse(product dynastay.Row) (all []RefusedLine, err error) {
	because := func(line RefusedLine) {
		line.ProductID, line.Title = i.ProductID, i.Title
		all = append(all, line)
	}
	if !product.Exists() {
		because(RefusedLine{Reason: NotFound})
		return all, nil
	}
	is, err := termsOf(i.ProductID, product)
	if err != nil {
		return nil, err
	}
	if is.Status != Active {
		because(RefusedLine{Reason: NotActive})
		return all, nil
	}
	if is.Price != i.UnitPrice {
		because(RefusedLine{Reason: PriceChanged, Price: is.Price})
	}
	if is.MinOrder > i.Quantity {
		because(RefusedLine{Reason: BelowMinimum, MinOrder: is.MinOrder})
	}
	if is.Stock < i.Quantity {
		because(RefusedLine{Reason: OutOfStock, Left: max(0, is.Stock)})
	}
	return all, nil
}
