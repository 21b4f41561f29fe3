package bookings

import (
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// CreatePromoCodeOp creates a promo code, active or not as p.Active says. If the code exists, in this spelling or
// another one that is stored in the same form, it fails with [dynastay.ErrAlreadyExists]. A code that other software
// has stored with lower-case letters is a different code. If [PromoCode.Validate] rejects a field, CreatePromoCodeOp
// fails with its error. A retry with the same idempotency key returns the code in its current state; without a key, a
// lost request or response may result in [dynastay.ErrOutcomeUnknown].
func (r *Repository) CreatePromoCodeOp(p PromoCode) *dynastay.Operation[*PromoCode] {
	err := p.Validate()
	if err == nil {
		p.Code, err = promoText(p.Code)
	}
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*PromoCode]{Name: "promoCodes.Create", Invalid: err})
	}
	return r.promos.CreateOp(&p)
}

// CreatePromoCode runs [Repository.CreatePromoCodeOp]. 1 request.
func (r *Repository) CreatePromoCode(ctx context.Context, p PromoCode, opts ...dynastay.WriteOption) (*PromoCode, error) {
	return dynastay.Do(ctx, r.db, r.CreatePromoCodeOp(p), opts...)
}

// PromoCode finds a promo code as a guest types it, with lower-case letters or surrounding spaces, or fails with
// [dynastay.ErrNotFound]. A code that other software has stored with lower-case letters is found if it is typed exactly
// so, and then comes first. It accepts [dynastay.Consistent]. 1 request, a GetItem, or a BatchGetItem of both spellings
// if the text has lower-case letters.
func (r *Repository) PromoCode(ctx context.Context, code string, opts ...dynastay.ReadOption) (_ *PromoCode, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.PromoCode")
	defer func() { end(err) }()
	spelled, err := promoKeys(code)
	if err != nil {
		return nil, err
	}
	p, _, err := r.findPromo(ctx, spelled, opts...)
	return p, err
}

// ActivatePromoCodeOp allows bookings to use a promo code, which it finds as [Repository.PromoCode] does, or fails with
// [dynastay.ErrNotFound]. It changes nothing if the code is active already.
func (r *Repository) ActivatePromoCodeOp(code string) *dynastay.Operation[*PromoCode] {
	return r.switchPromoOp("promoCodes.Activate", code, true)
}

// ActivatePromoCode runs [Repository.ActivatePromoCodeOp]. 2 requests: a consistent read as of [Repository.PromoCode],
// and the update, unless the code is active already.
func (r *Repository) ActivatePromoCode(ctx context.Context, code string, opts ...dynastay.WriteOption) (*PromoCode, error) {
	return dynastay.Do(ctx, r.db, r.ActivatePromoCodeOp(code), opts...)
}

// DeactivatePromoCodeOp ends the use of a promo code, which it finds as [Repository.PromoCode] does, or fails with
// [dynastay.ErrNotFound]. Bookings that use the code keep their discounts. It changes nothing if the code is not
// active. A code that cannot be used for any rooms, see [ErrPromoCurrency], can be deactivated too.
func (r *Repository) DeactivatePromoCodeOp(code string) *dynastay.Operation[*PromoCode] {
	return r.switchPromoOp("promoCodes.Deactivate", code, false)
}

// DeactivatePromoCode runs [Repository.DeactivatePromoCodeOp]. 2 requests: a consistent read as of
// [Repository.PromoCode], and the update, unless the code is inactive already.
func (r *Repository) DeactivatePromoCode(ctx context.Context, code string, opts ...dynastay.WriteOption) (*PromoCode, error) {
	return dynastay.Do(ctx, r.db, r.DeactivatePromoCodeOp(code), opts...)
}

// switchPromoOp activates or deactivates a code. The update leaves a new write id, so that a booking which read the
// code before cannot use it. Uses of the code are counted without a new write id and do not delay the update.
func (r *Repository) switchPromoOp(name, code string, active bool) *dynastay.Operation[*PromoCode] {
	spelled, err := promoKeys(code)
	return dynastay.NewOp(dynastay.OpSpec[*PromoCode]{
		Name:    name,
		Invalid: err,
		Input:   func(in *dynastay.Input) { in.Key(spelled[len(spelled)-1]) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*PromoCode, error) {
			_, row, err := r.findPromo(ctx, spelled, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			change, err := r.promos.ChangeOf(keys.MetadataTable.Key.From(row), row, func(p *PromoCode) error {
				p.Active = active
				return nil
			})
			if err != nil {
				return nil, err
			}
			return change.After, change.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*PromoCode, error) {
			return r.PromoCode(ctx, code, dynastay.Consistent)
		},
	})
}

// promoKeys returns the keys of the codes that a text may mean, the first one first: the text as it is, and in the form
// in which this package stores it, if that is different.
func promoKeys(code string) (all []dynastay.Key, err error) {
	own, err := promoText(code)
	if err != nil {
		return nil, err
	}
	for _, spelling := range []string{code, own} {
		key, err := keys.Of(keys.PromoCode{Code: spelling})
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	return all, nil
}

// findPromo returns the first code that exists, with its row.
func (r *Repository) findPromo(
	ctx context.Context, spelled []dynastay.Key, opts ...dynastay.ReadOption,
) (*PromoCode, dynastay.Row, error) {
	rows := make([]dynastay.Row, 1)
	var err error
	if len(spelled) == 1 {
		rows[0], err = r.db.Get(ctx, keys.MetadataTable, spelled[0], opts...)
	} else {
		rows, err = r.db.GetAll(ctx, keys.MetadataTable, spelled, opts...)
	}
	if err != nil {
		return nil, dynastay.Row{}, err
	}
	for i, row := range rows {
		if row.Exists() {
			p, err := promoOf(spelled[i], row)
			return p, row, err
		}
	}
	return nil, dynastay.Row{}, promoNotFound(spelled[len(spelled)-1])
}

func promoNotFound(key dynastay.Key) error {
	return &dynastay.Error{Entity: "PromoCode", ID: promoEntity.IDOf(key), Kind: dynastay.ErrNotFound}
}

// promoOf decodes a code. An update derives the key from the attribute Code, so it cannot write a code that other
// software has stored without it, or in a different case.
func promoOf(key dynastay.Key, row dynastay.Row) (*PromoCode, error) {
	p, err := promoEntity.Value(row)
	if err != nil {
		return nil, err
	}
	if own, _ := promoEntity.Key(p); own != key { // own is the zero Key if there is no code
		return nil, &dynastay.Error{
			Entity: "PromoCode", ID: promoEntity.IDOf(key), Field: "Code", Kind: dynastay.ErrCorrupt,
			Err: errors.New("must be the code in the key"),
		}
	}
	return p, nil
}
