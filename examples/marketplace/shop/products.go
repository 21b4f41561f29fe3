package shop

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// CreateOp writes a new product of a seller. An empty ID is generated, and an empty Status means [Active]; SellerName
// is read from the seller's profile, and any times and version that are passed are overwritten. It fails with
// [dynastay.ErrNotFound] if the seller does not exist, with [dynastay.ErrAlreadyExists] if the seller has a product
// with the ID, and with a [*dynastay.InvalidError], whose field is "SellerID" if the user is not a seller.
func (r *Repository) CreateOp(p Product) *dynastay.Operation[*Product] {
	p.Status = cmp.Or(p.Status, Active)
	given := p.Validate()
	creation, invalid := r.products.Creation(&p)
	return dynastay.NewOp(dynastay.OpSpec[*Product]{
		// Validated as it was given as well: its stored form lacks what is empty.
		Name: "shop.Create", Invalid: cmp.Or(invalid, given),
		Input: func(in *dynastay.Input) {
			creation.Input(in)
			in.Field("status", string(p.Status))
			in.Field("stock", strconv.Itoa(p.Stock))
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Product, error) {
			seller, err := r.people.Profile(ctx, p.SellerID, dynastay.Consistent)
			switch {
			case err != nil:
				return nil, err
			case seller.Role != people.Seller:
				return nil, dynastay.Invalid("SellerID", "must be the id of a seller")
			}
			creation.Finish = func(p *Product) { p.SellerName = seller.DisplayName() }
			err = creation.AddTo(tx)
			made := *creation.Value // changes to the result must not reach the next preparation
			return &made, err
		},
		Restore: func(ctx context.Context, made map[string]string) (*Product, error) {
			return r.productAgain(ctx, p.SellerID, made["productId"])
		},
	})
}

// Create runs [Repository.CreateOp]. 2 requests: a consistent read of the seller's profile, and the write.
func (r *Repository) Create(ctx context.Context, p Product, opts ...dynastay.WriteOption) (*Product, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(p), opts...)
}

// productAgain reads the result of an earlier call, without its write id, which may be another caller's by now.
func (r *Repository) productAgain(ctx context.Context, sellerID, productID string) (*Product, error) {
	p, err := r.Product(ctx, sellerID, productID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	p.WriteID = ""
	return p, nil
}

// Product reads a product, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1 request.
func (r *Repository) Product(ctx context.Context, sellerID, productID string, opts ...dynastay.ReadOption) (*Product, error) {
	at, err := productKey(sellerID, productID)
	if err != nil {
		return nil, err
	}
	return r.products.Get(ctx, at, opts...)
}

// UpdateOp changes a product with fn, which may change everything but ID, SellerID, SellerName, Stock, Status, the
// times and the version, and may be called more than once. Orders that were placed keep the title and the price that
// they have. It fails with [dynastay.ErrNotFound], with [dynastay.ErrVersion] if a condition in opts does not hold, and
// with a [*dynastay.InvalidError].
func (r *Repository) UpdateOp(
	sellerID, productID string, fn func(*Product) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Product] {
	return r.changeProductOp("shop.Update", sellerID, productID, productChange{fn: fn, opts: opts})
}

// Update runs [Repository.UpdateOp]. 2 requests.
func (r *Repository) Update(
	ctx context.Context, sellerID, productID string, fn func(*Product) error, opts ...dynastay.UpdateOption,
) (*Product, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(sellerID, productID, fn, opts...))
}

// ActivateOp makes a product available: it appears in its category and can be ordered. For a product that is active, it
// writes nothing, except that it adopts one that other software has written. It fails with [dynastay.ErrNotFound], and
// with [dynastay.ErrCorrupt] if other software has stored a product without a valid category or price.
func (r *Repository) ActivateOp(sellerID, productID string) *dynastay.Operation[*Product] {
	return r.changeProductOp("shop.Activate", sellerID, productID, productChange{to: Active})
}

// Activate runs [Repository.ActivateOp]. 2 requests, or 1 if there is nothing to write.
func (r *Repository) Activate(
	ctx context.Context, sellerID, productID string, opts ...dynastay.WriteOption,
) (*Product, error) {
	return dynastay.Do(ctx, r.db, r.ActivateOp(sellerID, productID), opts...)
}

// DeactivateOp is the reverse of [Repository.ActivateOp]. Orders that were placed remain.
func (r *Repository) DeactivateOp(sellerID, productID string) *dynastay.Operation[*Product] {
	return r.changeProductOp("shop.Deactivate", sellerID, productID, productChange{to: Inactive})
}

// Deactivate runs [Repository.DeactivateOp]. 2 requests, or 1 if there is nothing to write.
func (r *Repository) Deactivate(
	ctx context.Context, sellerID, productID string, opts ...dynastay.WriteOption,
) (*Product, error) {
	return dynastay.Do(ctx, r.db, r.DeactivateOp(sellerID, productID), opts...)
}

// productChange is an edit, or a change of the status.
type productChange struct {
	fn   func(*Product) error
	opts []dynastay.UpdateOption
	to   ProductStatus // "" for an edit
}

func (r *Repository) changeProductOp(name, sellerID, productID string, m productChange) *dynastay.Operation[*Product] {
	at, err := productKey(sellerID, productID)
	input := func(in *dynastay.Input) { in.Key(at) }
	if m.to == "" {
		input = entity.InputOf(at, m.opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Product]{
		Name: name, Invalid: cmp.Or(err, r.product.CheckUpdate(m.opts...)), Input: input, Options: m.opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Product, error) {
			c, err := r.products.Change(ctx, at, func(p *Product) error {
				if p.ID != productID || p.SellerID != sellerID {
					return corrupt("Product", productID, errOtherID)
				}
				if m.fn == nil {
					return nil
				}
				specifications := maps.Clone(p.Specifications)
				if err := m.fn(p); err != nil {
					return err
				}
				switch {
				case p.SellerID != sellerID:
					return dynastay.Invalid("SellerID", "cannot be changed")
				case !maps.Equal(p.Specifications, specifications):
					return p.checkSpecifications() // one without a value is not stored, so it would change nothing
				}
				return nil
			}, m.opts...)
			if err != nil {
				return nil, err
			}
			if m.to != "" {
				if err := setProductStatus(c, m.to); err != nil {
					return nil, unusable("Product", productID, err)
				}
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Product, error) {
			return r.productAgain(ctx, sellerID, productID)
		},
	})
}

func setProductStatus(c *entity.Change[Product], to ProductStatus) error {
	switch {
	case c.Before.Status != to:
		c.Touch()
		return c.Keep(func(p *Product) error { p.Status = to; return nil })
	case c.Before.WriteID == "": // other software has written it
		return c.Whole()
	}
	return nil
}

// errOtherID is about an item of other software.
var errOtherID = errors.New("the item must contain the ids of its key")

func corrupt(name, id string, cause error) error {
	return &dynastay.Error{Entity: name, ID: id, Kind: dynastay.ErrCorrupt, Err: cause}
}

// unusable returns the error for what other software has stored and from which no key can be made. It is not about the
// caller's arguments.
func unusable(name, id string, err error) error {
	if errors.Is(err, dynastay.ErrInvalid) {
		return corrupt(name, id, errors.New(err.Error()))
	}
	return err
}
