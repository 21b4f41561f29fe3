package shop

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// StatusError means that an order cannot change from From to To. Nothing was written.
type StatusError struct {
	OrderID  string
	From, To Status // From is what was found
}

// Error names both statuses.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the order is %s and cannot become %s", e.From, e.To)
}

// Is makes it match [dynastay.ErrRefused].
func (*StatusError) Is(target error) bool { return target == dynastay.ErrRefused }

// PaymentError means that the payment of an order cannot change from From to To. Nothing was written.
type PaymentError struct {
	OrderID  string
	From, To PaymentStatus // From is what was found
}

// Error names both statuses.
func (e *PaymentError) Error() string {
	return fmt.Sprintf("the payment is %s and cannot become %s", e.From, e.To)
}

// Is makes it match [dynastay.ErrRefused].
func (*PaymentError) Is(target error) bool { return target == dynastay.ErrRefused }

// ErrNotParty means that the user is neither the buyer nor the seller of the order.
var ErrNotParty = dynastay.Refusal("the user is neither the buyer nor the seller")

// comesFrom are the statuses before each status of an order, and before each of its payment.
var (
	comesFrom = map[Status][]Status{
		Confirmed: {Pending},
		Shipped:   {Confirmed},
		Delivered: {Shipped},
		Cancelled: {Pending, Confirmed},
	}
	paymentComesFrom = map[PaymentStatus][]PaymentStatus{
		PaymentPending: {PaymentFailed},
		Paid:           {PaymentPending, PaymentFailed},
		PaymentFailed:  {PaymentPending},
		Refunded:       {Paid},
	}
)

// ConfirmOp lets the seller accept a pending order. It fails with a [*StatusError] and with [dynastay.ErrNotFound],
// like all changes of a status, and with [dynastay.ErrCorrupt] if other software has stored an order without what its
// keys need.
func (r *Repository) ConfirmOp(orderID string) *dynastay.Operation[*Order] {
	return r.moveOp("shop.Confirm", orderID, nil, nil, advance(Confirmed), nil)
}

// Confirm runs [Repository.ConfirmOp]. 2 requests: a consistent read of the order, and the write.
func (r *Repository) Confirm(ctx context.Context, orderID string, opts ...dynastay.WriteOption) (*Order, error) {
	return dynastay.Do(ctx, r.db, r.ConfirmOp(orderID), opts...)
}

// ShipOp records that a confirmed order is on its way. It can no longer be cancelled. See [Repository.ConfirmOp].
func (r *Repository) ShipOp(orderID string) *dynastay.Operation[*Order] {
	return r.moveOp("shop.Ship", orderID, nil, nil, advance(Shipped), nil)
}

// Ship runs [Repository.ShipOp]. 2 requests: a consistent read of the order, and the write.
func (r *Repository) Ship(ctx context.Context, orderID string, opts ...dynastay.WriteOption) (*Order, error) {
	return dynastay.Do(ctx, r.db, r.ShipOp(orderID), opts...)
}

// DeliverOp records that a shipped order has arrived, and counts it in the seller's profile in the same transaction. If
// the seller no longer has a profile, nothing is counted. See [Repository.ConfirmOp].
func (r *Repository) DeliverOp(orderID string) *dynastay.Operation[*Order] {
	return r.moveOp("shop.Deliver", orderID, nil, nil, advance(Delivered), r.countOrder)
}

// Deliver runs [Repository.DeliverOp]. 3 requests: consistent reads of the order and of the seller's profile, and the
// write. Deliveries of one seller in one process take turns.
func (r *Repository) Deliver(ctx context.Context, orderID string, opts ...dynastay.WriteOption) (*Order, error) {
	return dynastay.Do(ctx, r.db, r.DeliverOp(orderID), opts...)
}

// countOrder adds the action that counts a delivered order.
func (r *Repository) countOrder(ctx context.Context, tx *dynastay.Tx, o *Order) error {
	at, err := key.Of(keys.Profile{UserID: o.SellerID})
	if err != nil {
		return err
	}
	// The profile is read after its turn has come, because every delivery of the seller changes it.
	if err := tx.Contend(ctx, dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.Table, at)}}); err != nil {
		return err
	}
	profile, err := r.db.Get(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil {
		return err
	}
	if !profile.Exists() {
		tx.Check(keys.Table, at, dynastay.IfNew(keys.Table), func(dynastay.Row) error { return dynastay.ErrOvertaken })
		return nil
	}
	return r.people.Count(ctx, tx, profile, people.Tally{Orders: 1})
}

// Cancellation is the input of [Repository.Cancel].
type Cancellation struct {
	OrderID string
	By      string // the id of the user who cancels: the buyer or the seller
	Reason  string // for the other one; at most entity.MaxNote bytes
}

// CancelOp cancels an order that is pending or confirmed, and gives its products back to the stock in the same
// transaction: once, however often and by however many callers it is cancelled. A product that no longer exists is left
// out. The status of the payment stays as it is. It fails with [ErrNotParty] unless By is the buyer or the seller, and
// in the same cases as [Repository.ConfirmOp].
func (r *Repository) CancelOp(c Cancellation) *dynastay.Operation[*Order] {
	invalid := dynastay.Within("Reason", entity.CheckText(c.Reason, entity.MaxNote))
	if _, err := key.Of(keys.Profile{UserID: c.By}); err != nil {
		invalid = named("By", err)
	}
	var returns returning
	return r.moveOp("shop.Cancel", c.OrderID, invalid, func(in *dynastay.Input) {
		in.Field("by", c.By)
		in.Field("reason", c.Reason)
	}, func(o *Order) error {
		if c.By != o.BuyerID && c.By != o.SellerID {
			return &dynastay.Error{Op: "shop.Cancel", Entity: "Order", ID: o.ID, Err: ErrNotParty}
		}
		o.CancelledBy, o.CancelReason = c.By, c.Reason
		return advance(Cancelled)(o)
	}, returns.giveBack)
}

// Cancel runs [Repository.CancelOp]. 2 requests: a consistent read of the order, and the write; 2 more if a product no
// longer exists.
func (r *Repository) Cancel(ctx context.Context, c Cancellation, opts ...dynastay.WriteOption) (*Order, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(c), opts...)
}

// SetPaymentOp records how far the payment of an order is, whatever the status of the order: a payment may still arrive
// for an order that was cancelled. If it has the status already, nothing is written, because providers deliver their
// notifications more than once. It fails with a [*PaymentError], and in the same cases as ConfirmOp.
func (r *Repository) SetPaymentOp(orderID string, to PaymentStatus) *dynastay.Operation[*Order] {
	var invalid error
	if _, known := paymentComesFrom[to]; !known {
		invalid = dynastay.Invalid("PaymentStatus", "must be PENDING, PAID, FAILED or REFUNDED")
	}
	return r.moveOp("shop.SetPayment", orderID, invalid, func(in *dynastay.Input) {
		in.Field("payment", string(to))
	}, func(o *Order) error {
		// Other software may have stored an order without it.
		from := cmp.Or(o.PaymentStatus, PaymentPending)
		if from != to && !slices.Contains(paymentComesFrom[to], from) {
			return &PaymentError{OrderID: o.ID, From: from, To: to}
		}
		o.PaymentStatus = to
		return nil
	}, nil)
}

// SetPayment runs [Repository.SetPaymentOp]. 2 requests: a consistent read of the order, and the write, if there is
// anything to write.
func (r *Repository) SetPayment(
	ctx context.Context, orderID string, to PaymentStatus, opts ...dynastay.WriteOption,
) (*Order, error) {
	return dynastay.Do(ctx, r.db, r.SetPaymentOp(orderID, to), opts...)
}

// advance returns the function that gives an order a status.
func advance(to Status) func(*Order) error {
	return func(o *Order) error {
		if !slices.Contains(comesFrom[to], o.Status) {
			return &StatusError{OrderID: o.ID, From: o.Status, To: to}
		}
		o.Status = to
		return nil
	}
}

// moveOp changes an order with move, on condition that it is as it was read. also adds the actions on other items,
// given the order before; input adds the other arguments. Both are optional.
func (r *Repository) moveOp(
	name, orderID string, invalid error, input func(*dynastay.Input), move func(*Order) error,
	also func(context.Context, *dynastay.Tx, *Order) error,
) *dynastay.Operation[*Order] {
	at, err := orderKey(orderID)
	return dynastay.NewOp(dynastay.OpSpec[*Order]{
		Name: name, Invalid: cmp.Or(err, invalid),
		Input: func(in *dynastay.Input) {
			in.Key(at)
			if input != nil {
				input(in)
			}
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Order, error) {
			c, err := r.orders.Change(ctx, at, func(o *Order) error {
				if o.ID != orderID {
					return corrupt("Order", orderID, errOtherID)
				}
				return move(o)
			})
			if err == nil && c.Before.WriteID == "" { // other software has written it
				err = c.Whole()
			}
			if err == nil && also != nil {
				err = also(ctx, tx, c.Before)
			}
			if err == nil {
				err = c.AddTo(tx)
			}
			if err != nil {
				return nil, unusable("Order", orderID, err)
			}
			return c.After, nil
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Order, error) { return r.orderAgain(ctx, orderID) },
	})
}

// returning gives the products of an order back. It is used by all preparations of a cancellation.
type returning struct{ moves []*stockMove }

// maxReturned is the number of products that one transaction can give back: with the order, the two items that list it
// and the record of an idempotency key, it has 100 actions.
const maxReturned = 96

// giveBack adds the actions that give the products of an order back.
func (g *returning) giveBack(ctx context.Context, tx *dynastay.Tx, o *Order) error {
	moves, err := g.movesOf(o)
	if err != nil {
		return err
	}
	var contest dynastay.Contest
	for _, m := range moves {
		contest.Items = append(contest.Items, m.ref)
	}
	// Without queueing, a cancellation would have to retry over and over while buyers contend for the same products.
	if err := tx.Contend(ctx, contest); err != nil {
		return err
	}
	for _, m := range moves {
		m.addTo(tx, func() error { return dynastay.ErrSkip })
	}
	return nil
}

// movesOf returns what to give back, one move for each product. Other software may have stored a product twice, or an
// item from which nothing can be given back.
func (g *returning) movesOf(o *Order) (moves []*stockMove, err error) {
	for _, item := range o.Items {
		m, err := newStockMove(o.SellerID, item.ProductID, item.Quantity)
		switch {
		case err != nil || item.Quantity < 1:
			continue
		case item.Quantity > MaxQuantity: // the stock would become larger than an int
			return nil, corrupt("Order", o.ID, fmt.Errorf("the quantity of %s must be at most %d", item.ProductID, MaxQuantity))
		}
		same := func(other *stockMove) bool { return other.ref == m.ref }
		if i := slices.IndexFunc(moves, same); i >= 0 {
			moves[i].delta += m.delta
			continue
		}
		if i := slices.IndexFunc(g.moves, same); i >= 0 {
			m.null = g.moves[i].null
		}
		moves = append(moves, m)
	}
	if len(moves) > maxReturned {
		return nil, corrupt("Order", o.ID, fmt.Errorf("its %d products do not fit into one transaction", len(moves)))
	}
	g.moves = moves
	return moves, nil
}
