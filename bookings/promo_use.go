package bookings

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// promo is a promo code as it was read for a booking. The zero promo is none.
type promo struct {
	*PromoCode
	row dynastay.Row
}

// readPromo reads a code that a booking is to use, has, or both.
func (r *Repository) readPromo(ctx context.Context, spelled []dynastay.Key) (promo, error) {
	code, row, err := r.findPromo(ctx, spelled, dynastay.Consistent)
	if errors.Is(err, dynastay.ErrNotFound) {
		err = unknownPromo(spelled[len(spelled)-1]) // ErrNotFound would be about the booking
	}
	return promo{code, row}, err
}

// take adds the action that counts one more use of the code. It is conditional on the code as it was read, because the
// discount was computed from that, and on the limit: the count may have changed since, without a new write id.
func (p promo) take(tx *dynastay.Tx) {
	count := dynastay.NameOf(attrUsageCount)
	condition := dynastay.Unchanged(keys.MetadataTable, p.row, promoEntity.Known()...)
	update := expression.Set(count, count.Plus(expression.Value(1)))
	if p.row.Value(attrUsageCount).Kind() != dynastay.KindNumber {
		// Other software may have stored a NULL, to which nothing can be added.
		condition, update = condition.And(dynastay.Absent(attrUsageCount)), expression.Set(count, expression.Value(1))
	} else if p.UsageLimit > 0 {
		condition = condition.And(count.LessThan(expression.Value(p.UsageLimit)))
	}
	expr := dynastay.MustCompile(expression.NewBuilder().WithCondition(condition).WithUpdate(update)).With(nil)
	tx.Update(keys.MetadataTable, keys.MetadataTable.Key.From(p.row), expr).Else(overtaken)
}

// returnUse has a condition because a count below 1 does not contain the use of the booking, and because a code that
// somebody has deleted must not be created again.
var returnUse = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(dynastay.NameOf(attrUsageCount).GreaterThanEqual(expression.Value(1))).
	WithUpdate(expression.Set(dynastay.NameOf(attrUsageCount), dynastay.NameOf(attrUsageCount).Minus(expression.Value(1)))))

// promoRef returns the item of the code that a booking uses; ok is false if it uses none.
func (b *Booking) promoRef() (ref dynastay.Ref, ok bool) {
	key, err := keys.Of(keys.PromoCode{Code: b.PromoCode})
	return dynastay.RefOf(keys.MetadataTable, key), err == nil
}

// returnPromo adds the action that returns the use of the code that a booking has. If nothing can be returned, it is
// skipped.
func (b *Booking) returnPromo(tx *dynastay.Tx) {
	ref, ok := b.promoRef()
	if ok {
		tx.Update(keys.MetadataTable, ref.Key, returnUse.With(nil)).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
	}
}

// rediscount gives a booking the discount that its code, or another one, gives for its rooms. It returns the code if
// the booking must take a use of it.
func (r *Repository) rediscount(ctx context.Context, b *Booking, m Modification) (taken promo, err error) {
	text := b.PromoCode
	if m.PromoCode != nil {
		text = *m.PromoCode
	}
	if text == "" && m.PromoCode == nil {
		return promo{}, nil // a discount without a code, which other software has given, stays as it is
	}
	nothing, err := b.Breakdown.Rooms.Times(0)
	if err != nil {
		return promo{}, err
	}
	if text == "" {
		b.PromoCode, b.Breakdown.Discounts = "", nothing
		return promo{}, nil
	}
	spelled, err := promoKeys(text)
	if err != nil {
		return promo{}, err
	}
	code, err := r.readPromo(ctx, spelled)
	if err != nil {
		return promo{}, err
	}
	discount, err := code.Discount(b.Breakdown.Rooms)
	if m.PromoCode == nil || code.Code == b.PromoCode {
		if errors.Is(err, ErrPromoMinimum) {
			discount, err = nothing, nil // it keeps the use, and can have a discount again
		}
	} else {
		if err == nil {
			err = code.Usable(r.db.Now())
		}
		taken = code
	}
	b.PromoCode, b.Breakdown.Discounts = code.Code, discount
	return taken, err
}

// contestFor adds promo codes to what an operation contends for. Otherwise, the bookings that want a popular code would
// make each other fail over and over. Those in taken are to be used, under one of several spellings; returned is the
// code whose use is returned.
// See docs/decisions/0015-payments.md for why a write queues for a code before it queues for nights.
func (r *Repository) contestFor(nights dynastay.Contest, taken, returned []dynastay.Ref) dynastay.Contest {
	c := nights
	c.Items = slices.Concat(nights.Items, taken, returned)
	if len(taken) == 0 {
		return c
	}
	c.Judge = func(seen map[dynastay.Ref]dynastay.Row) error {
		if nights.Judge != nil {
			if err := nights.Judge(seen); err != nil {
				return err
			}
		}
		return judgePromo(seen, taken, r.db.Now())
	}
	c.See = func(ctx context.Context) (seen map[dynastay.Ref]dynastay.Row, err error) {
		seen = map[dynastay.Ref]dynastay.Row{}
		if nights.See != nil {
			if seen, err = nights.See(ctx); err != nil {
				return nil, err
			}
		}
		for _, ref := range taken {
			if seen[ref], err = r.db.Get(ctx, keys.MetadataTable, ref.Key, dynastay.Consistent); err != nil {
				return nil, err
			}
		}
		return seen, nil
	}
	return c
}

// judgePromo returns why a code cannot be used, given what was seen of its spellings.
func judgePromo(seen map[dynastay.Ref]dynastay.Row, spellings []dynastay.Ref, now time.Time) error {
	missing := 0
	for _, ref := range spellings {
		row, known := seen[ref]
		if row.Exists() {
			code, err := promoOf(ref.Key, row)
			if err != nil {
				return err
			}
			return code.Usable(now)
		}
		if known {
			missing++
		}
	}
	if missing < len(spellings) {
		return nil
	}
	return unknownPromo(spellings[len(spellings)-1].Key)
}

func unknownPromo(key dynastay.Key) error {
	return &PromoError{Code: promoEntity.IDOf(key), Err: ErrPromoUnknown}
}

func refsOf(spelled []dynastay.Key) []dynastay.Ref {
	refs := make([]dynastay.Ref, len(spelled))
	for i, key := range spelled {
		refs[i] = dynastay.RefOf(keys.MetadataTable, key)
	}
	return refs
}
