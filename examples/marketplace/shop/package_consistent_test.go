package shop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// Local engines always read consistently, so only the requests show whether DynamoDB would. Every read that a write
// depends on, or that returns the result of an earlier call, is consistent.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	ctx := t.Context()
	m.create(bricks("b1", 1000))
	m.create(bricks("b2", 1000))
	placed, shipped, other := m.placed(item("b1", 1)), m.at(shop.Shipped, item("b1", 1)), m.placed(item("b1", 1))
	do := dynastay.Do[*shop.Product]
	move := dynastay.Do[*shop.Order]
	for _, call := range []struct {
		name         string
		first, again int // reads
		do           func(dynastay.WriteOption) error
	}{
		{"Create", 1, 2, func(o dynastay.WriteOption) error { return ok(m.repo.Create(ctx, bricks("", 1), o)) }},
		{"Update", 1, 2, func(o dynastay.WriteOption) error {
			edit := func(p *shop.Product) error { p.Unit += "x"; return nil }
			return ok(do(ctx, m.DB.DB, m.repo.UpdateOp(seller, "b1", edit, dynastay.AgreedOn("x")), o))
		}},
		{"Deactivate", 1, 2, func(o dynastay.WriteOption) error { return ok(m.repo.Deactivate(ctx, seller, "b2", o)) }},
		{"Activate", 1, 2, func(o dynastay.WriteOption) error { return ok(m.repo.Activate(ctx, seller, "b2", o)) }},
		{"Restock", 0, 0, func(o dynastay.WriteOption) error { return m.repo.Restock(ctx, seller, "b1", 1, o) }},
		{"Place", 0, 1, func(o dynastay.WriteOption) error { return ok(m.repo.Place(ctx, order(buyer, item("b1", 1)), o)) }},
		{"Place, refused", 2, 2, func(o dynastay.WriteOption) error {
			return expects[*shop.Refused](t, ok(m.repo.Place(ctx, order(buyer, item("b1", 9999), item("b9", 1)), o)))
		}},
		{"Confirm", 1, 2, func(o dynastay.WriteOption) error { return ok(m.repo.Confirm(ctx, placed.ID, o)) }},
		{"SetPayment", 1, 2, func(o dynastay.WriteOption) error { return ok(m.repo.SetPayment(ctx, placed.ID, shop.Paid, o)) }},
		{"Ship", 1, 2, func(o dynastay.WriteOption) error { return ok(m.repo.Ship(ctx, placed.ID, o)) }},
		{"Deliver", 2, 2, func(o dynastay.WriteOption) error { return ok(move(ctx, m.DB.DB, m.repo.DeliverOp(shipped.ID), o)) }},
		{"Cancel", 1, 2, func(o dynastay.WriteOption) error {
			return ok(m.repo.Cancel(ctx, shop.Cancellation{OrderID: other.ID, By: buyer}, o))
		}},
	} {
		for i, least := range []int{call.first, call.again} {
			stop := m.Faults.Record()
			require.NoError(t, call.do(dynastay.IdempotencyKey(call.name)), call.name)
			reads := 0
			for _, r := range stop() {
				var body struct{ ConsistentRead bool }
				switch r.Operation {
				case "GetItem", "Query":
					require.NoError(t, json.Unmarshal(r.Body, &body))
					assert.True(t, body.ConsistentRead, "%s: %s", call.name, r.Operation)
					reads++
				case "BatchGetItem":
					assert.Contains(t, string(r.Body), `"ConsistentRead":true`, call.name)
					reads++
				}
			}
			if i == 0 {
				assert.Equal(t, least, reads, call.name)
			} else {
				assert.GreaterOrEqual(t, reads, least, "%s again", call.name)
			}
		}
	}
	for name, read := range map[string]func(...dynastay.ReadOption) error{
		"Product": func(o ...dynastay.ReadOption) error { return ok(m.repo.Product(ctx, seller, "b1", o...)) },
		"Order":   func(o ...dynastay.ReadOption) error { return ok(m.repo.Order(ctx, placed.ID, o...)) },
	} {
		for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
			stop := m.Faults.Record()
			require.NoError(t, read(opts...))
			assert.Equal(t, opts != nil, strings.Contains(string(stop()[0].Body), `"ConsistentRead":true`), name)
		}
	}
}
