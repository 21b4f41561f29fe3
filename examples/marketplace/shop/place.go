package shop

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
)

// PlaceOp writes a new order and takes its products out of the stock, all or none. The prices of the products must be
// those that the buyer saw; they are compared with the stored ones. The titles, and what delivery and tax cost, are
// stored as they are passed. The sums must add up: call [Order.AddUp] first, which sets them. An empty ID is generated;
// any statuses, times and version that are passed are overwritten. It fails
//
//   - with a [*Refused] that names every product that cannot be ordered, with its reasons: it is missing or not active,
//     has another price, is only sold in larger quantities, or not enough of it is left,
//   - with [dynastay.ErrAlreadyExists] if the ID is taken,
//   - with the [*dynastay.InvalidError] of [Order.Validate].
//
// Whether the buyer exists is not checked: it is the user who is signed in.
func (r *Repository) PlaceOp(o Order) *dynastay.Operation[*Order] {
	o.Status, o.PaymentStatus, o.CancelledBy, o.CancelReason = Pending, PaymentPending, "", ""
	if err := o.Validate(); err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Order]{Name: "shop.Place", Invalid: err})
	}
	creation, invalid := r.orders.Creation(&o)
	b := basketOf(o)
	return dynastay.NewOp(dynastay.OpSpec[*Order]{
		Name: "shop.Place", Invalid: invalid, Input: creation.Input,
		Contest: &dynastay.Contest{
			Items: b.refs, Judge: b.judge,
			See: func(ctx context.Context) (map[dynastay.Ref]dynastay.Row, error) { return b.see(ctx, r.db) },
		},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Order, error) {
			if err := creation.AddTo(tx); err != nil {
				return nil, err
			}
			b.take(tx)
			made := *creation.Value // changes to the result must not reach the next preparation
			return &made, nil
		},
		Restore: func(ctx context.Context, made map[string]string) (*Order, error) {
			return r.orderAgain(ctx, made["orderId"])
		},
	})
}

// Place runs [Repository.PlaceOp]. 1 request; after a refusal 1 more, and 1 to look for the record of an idempotency
// key. Callers in one process that want the same product take turns, and may share a refusal.
func (r *Repository) Place(ctx context.Context, o Order, opts ...dynastay.WriteOption) (*Order, error) {
	return dynastay.Do(ctx, r.db, r.PlaceOp(o), opts...)
}

// orderAgain reads the result of an earlier call, without its write id, which may be another caller's by now.
func (r *Repository) orderAgain(ctx context.Context, orderID string) (*Order, error) {
	o, err := r.Order(ctx, orderID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	o.WriteID = ""
	return o, nil
}

// Order reads an order, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1 request.
func (r *Repository) Order(ctx context.Context, orderID string, opts ...dynastay.ReadOption) (*Order, error) {
	at, err := orderKey(orderID)
	if err != nil {
		return nil, err
	}
	return r.orders.Get(ctx, at, opts...)
}

// basket is what an order takes out of the stock.
type basket struct {
	items []Item
	refs  []dynastay.Ref // of the products
}

// basketOf is for an order that was validated, so its products have keys.
func basketOf(o Order) (b basket) {
	for _, item := range o.Items {
		at, _ := productKey(o.SellerID, item.ProductID)
		b.items, b.refs = append(b.items, item), append(b.refs, dynastay.RefOf(keys.Table, at))
	}
	return b
}

func (b basket) take(tx *dynastay.Tx) {
	for i, item := range b.items {
		tx.Update(keys.Table, b.refs[i].Key, takeOrdered.With(dynastay.Item{
			"amount":   dynastay.Number(item.Quantity),
			"price":    &types.AttributeValueMemberN{Value: item.UnitPrice.Digits()},
			"currency": dynastay.Text(string(item.UnitPrice.Currency())),
		}))
	}
}

// see reads the products after a refusal.
func (b basket) see(ctx context.Context, db *dynastay.DB) (map[dynastay.Ref]dynastay.Row, error) {
	at := make([]dynastay.Key, len(b.refs))
	for i, ref := range b.refs {
		at[i] = ref.Key
	}
	rows, err := db.GetAll(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	seen := map[dynastay.Ref]dynastay.Row{}
	for i, row := range rows {
		seen[b.refs[i]] = row
	}
	return seen, nil
}

// judge refuses the order if any of the products that were seen cannot be ordered.
func (b basket) judge(seen map[dynastay.Ref]dynastay.Row) error {
	var all []RefusedLine
	for i, item := range b.items {
		row, known := seen[b.refs[i]]
		if !known {
			continue
		}
		lines, err := item.refuse(row)
		if err != nil {
			return err
		}
		all = append(all, lines...)
	}
	if len(all) == 0 {
		return nil
	}
	return &Refused{all}
}

// ReadOrder returns the order in a row that was read with its key, or an error that matches [dynastay.ErrNotFound] if
// there is none. It is for authors of operations that read orders together with other items.
func (r *Repository) ReadOrder(orderID string, row dynastay.Row) (*Order, error) {
	if !row.Exists() {
		return nil, &dynastay.Error{Entity: r.order.Name, ID: orderID, Kind: dynastay.ErrNotFound}
	}
	return r.order.Value(row)
}
