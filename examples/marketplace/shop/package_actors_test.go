package shop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// Who acts is part of what a key stands for: the key of somebody else is refused, and shows nothing of what they did.
func TestKeysOfOtherActors(t *testing.T) {
	t.Parallel()
	for where, key := range map[string]func(string) dynastay.Idempotency{
		"without a scope": dynastay.IdempotencyKey,
		"in one scope":    func(k string) dynastay.Idempotency { return dynastay.IdempotencyKey(k).Of("tenant") },
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			m.create(bricks("b1", 9))
			o := m.placed(item("b1", 1))
			for _, c := range []struct {
				name, by, other string
				op              func(by string) dynastay.Part
			}{
				{"create", seller, "seller_2", func(by string) dynastay.Part {
					p := bricks("", 9)
					p.SellerID = by
					return m.repo.CreateOp(p)
				}},
				{"update", seller, "seller_2", func(by string) dynastay.Part {
					return m.repo.UpdateOp(by, "b1", func(p *shop.Product) error { p.Title += "!"; return nil }, dynastay.AgreedOn("!"))
				}},
				{"deactivate", seller, "seller_2", func(by string) dynastay.Part { return m.repo.DeactivateOp(by, "b1") }},
				{"activate", seller, "seller_2", func(by string) dynastay.Part { return m.repo.ActivateOp(by, "b1") }},
				{"restock", seller, "seller_2", func(by string) dynastay.Part { return m.repo.RestockOp(by, "b1", 1) }},
				{"place", buyer, "buyer_2", func(by string) dynastay.Part {
					o := order(by, item("b1", 1))
					o.Items[0].Title += "!"
					return m.repo.PlaceOp(o)
				}},
				{"cancel", buyer, seller, func(by string) dynastay.Part {
					return m.repo.CancelOp(shop.Cancellation{OrderID: o.ID, By: by})
				}},
			} {
				write := func(by string) error { return m.Write(t.Context(), key(c.name), c.op(by)) }
				require.NoError(t, write(c.by), c.name)
				assert.ErrorIs(t, write(c.other), dynastay.ErrIdempotencyMismatch, c.name)
				assert.NoError(t, write(c.by), "%s, repeated", c.name)
			}
		})
	}
}
