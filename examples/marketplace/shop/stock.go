package shop

import (
	"cmp"
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
)

// The actions on the stock. A sale and a reduction compare the stock in the database at the time of the write, not what
// was read before. Other software may not have stored a number: nothing can be added to a NULL, so the number replaces
// it.
var (
	stock  = dynastay.NameOf(attrStock)
	amount = dynastay.Param("amount")

	existing = expression.AttributeExists(dynastay.NameOf(keys.Table.Key.Partition))

	takeOrdered = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(dynastay.NameOf(attrStatus).Equal(expression.Value(string(Active))).
				And(dynastay.NameOf(attrPrice).Equal(dynastay.Param("price"))).
				And(dynastay.NameOf(attrCurrency).Equal(dynastay.Param("currency"))).
				And(dynastay.Absent(attrMinOrder).Or(dynastay.NameOf(attrMinOrder).LessThanEqual(amount))).
				And(stock.GreaterThanEqual(amount))).
			WithUpdate(expression.Set(stock, stock.Minus(amount))))

	reduce = dynastay.MustCompile(expression.NewBuilder().
		WithCondition(stock.GreaterThanEqual(amount)).
		WithUpdate(expression.Set(stock, stock.Minus(amount))))

	increase = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(existing.And(expression.AttributeNotExists(stock).Or(expression.AttributeType(stock, expression.Number)))).
			WithUpdate(expression.Set(stock, expression.Plus(expression.IfNotExists(stock, expression.Value(0)), amount))))

	replaceNull = dynastay.MustCompile(expression.NewBuilder().
			WithCondition(expression.AttributeType(stock, expression.Null)).
			WithUpdate(expression.Set(stock, amount)))
)

// stockMove adds to the stock of a product, or takes from it. It is used by all preparations of an operation.
type stockMove struct {
	ref       dynastay.Ref
	productID string
	delta     int
	null      bool // a NULL was found
}

func newStockMove(sellerID, productID string, delta int) (*stockMove, error) {
	at, err := productKey(sellerID, productID)
	return &stockMove{ref: dynastay.RefOf(keys.Table, at), productID: productID, delta: delta}, err
}

// addTo adds the action. missing returns the error if the product does not exist.
func (m *stockMove) addTo(tx *dynastay.Tx, missing func() error) {
	expr := increase
	switch {
	case m.delta < 0:
		expr = reduce
	case m.null:
		expr = replaceNull
	}
	tx.Update(keys.Table, m.ref.Key, expr.With(dynastay.Item{"amount": dynastay.Number(max(m.delta, -m.delta))})).
		Else(func(old dynastay.Row) error {
			if !old.Exists() {
				return missing()
			}
			is, err := termsOf(m.productID, old)
			switch {
			case err != nil:
				return err
			case m.delta < 0: // the only condition
				return &Refused{Lines: []RefusedLine{{ProductID: m.productID, Title: is.Title, Reason: OutOfStock, Left: max(0, is.Stock)}}}
			}
			m.null = old.Value(attrStock).Kind() == dynastay.KindNull
			return dynastay.ErrOvertaken
		})
}

// RestockOp adds delta units to the stock of a product, or takes them from it if delta is negative. It does not read
// the stock, so several calls add up, and none of them or of the buyers overwrites another. A stock that other software
// has not set counts as 0. It fails with [dynastay.ErrNotFound], with a [*Refused] for the reason [OutOfStock] if there
// is less than is to be taken, and with [dynastay.ErrInvalid].
func (r *Repository) RestockOp(sellerID, productID string, delta int) *dynastay.Operation[struct{}] {
	move, invalid := newStockMove(sellerID, productID, delta)
	if delta == 0 || delta < -MaxQuantity || delta > MaxQuantity {
		invalid = cmp.Or(invalid, dynastay.Invalid("Delta", "must be between -%d and %[1]d, and not 0", MaxQuantity))
	}
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "shop.Restock", Invalid: invalid,
		Input: func(in *dynastay.Input) {
			in.Key(move.ref.Key)
			in.Field("delta", strconv.Itoa(delta))
		},
		Contest: &dynastay.Contest{Items: []dynastay.Ref{move.ref}},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			move.addTo(tx, func() error {
				return &dynastay.Error{Op: "shop.Restock", Entity: "Product", ID: productID, Kind: dynastay.ErrNotFound}
			})
			return struct{}{}, nil
		},
	})
}

// Restock runs [Repository.RestockOp]. 1 request. Without an idempotency key, a repeated call adds again.
func (r *Repository) Restock(ctx context.Context, sellerID, productID string, delta int, opts ...dynastay.WriteOption) error {
	_, err := dynastay.Do(ctx, r.db, r.RestockOp(sellerID, productID, delta), opts...)
	return err
}

// terms are what a product is ordered under. They are read without the rest of the product, which may be unreadable.
type terms struct {
	Title    string
	Status   ProductStatus
	Price    dynastay.Money
	MinOrder int
	Stock    int
}

var termsCodec = entity.Declare(func(f *entity.Fields, t *terms) {
	f.String("title", &t.Title)
	entity.String(f, attrStatus, &t.Status)
	f.Money(attrPrice, attrCurrency, &t.Price)
	f.Int(attrMinOrder, &t.MinOrder)
	f.Int(attrStock, &t.Stock)
})

func termsOf(productID string, row dynastay.Row) (*terms, error) {
	return entity.Read("Product", productID, termsCodec, row)
}
