package shop_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	draft := bricks("", 10)
	draft.SellerName, draft.Version, draft.CreatedAt, draft.WriteID = "Somebody else", 7, base.AddDate(1, 0, 0), "x"
	made, err := m.repo.Create(t.Context(), draft)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(made.ID, "prod_"), made.ID)
	assert.NoError(t, made.WriteID.Validate())
	want := bricks(made.ID, 10)
	want.Title, want.SellerName, want.Status, want.Version = draft.Title, "Estcourt Building Supplies", shop.Active, 1
	want.CreatedAt, want.UpdatedAt, want.WriteID = base, base, made.WriteID
	assert.Equal(t, &want, made)
	stored, err := m.repo.Product(t.Context(), seller, made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, stored)
	assert.Equal(t, []*shop.Offer{offerOf(made)}, page(t, m.repo.InCategory("Bricks", "ZAR")))

	// The name is a copy.
	_, err = m.users.Update(t.Context(), seller, func(p *people.Profile) error { p.Shop.BusinessName = "EBS"; return nil })
	require.NoError(t, err)
	_, err = m.repo.Update(t.Context(), seller, made.ID, func(p *shop.Product) error { p.Unit = "each"; return nil })
	require.NoError(t, err)
	stored, err = m.repo.Product(t.Context(), seller, made.ID)
	require.NoError(t, err)
	assert.Equal(t, "Estcourt Building Supplies", stored.SellerName)

	_, err = m.repo.Create(t.Context(), bricks(made.ID, 1))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	nobody := bricks("b2", 1)
	nobody.SellerID = "nobody"
	_, err = m.repo.Create(t.Context(), nobody)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	nobody.SellerID = buyer
	_, err = m.repo.Create(t.Context(), nobody)
	requireInvalid(t, err, "SellerID", "a buyer")

	hidden := bricks("b3", 0)
	hidden.Status = shop.Inactive
	_, err = m.repo.Create(t.Context(), hidden)
	require.NoError(t, err)
	assert.Len(t, page(t, m.repo.InCategory("Bricks", "ZAR")), 1)
	assert.Len(t, page(t, m.repo.Products(seller)), 2)
	assert.Empty(t, page(t, m.repo.Products("seller")), "not a prefix")
}

// A repeated call returns the product that the first one made, also if only the answer to that was lost. The stock and
// the status belong to what is compared.
func TestCreateAgain(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
	first, err := m.repo.Create(t.Context(), bricks("", 10), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Empty(t, first.WriteID)
	require.NoError(t, m.repo.Restock(t.Context(), seller, first.ID, 5))
	again, err := m.repo.Create(t.Context(), bricks("", 10), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, []any{first.ID, 15}, []any{again.ID, again.Stock})
	for _, change := range []func(*shop.Product){
		func(p *shop.Product) { p.Stock = 11 },
		func(p *shop.Product) { p.Status = shop.Inactive },
		func(p *shop.Product) { p.Title = "x" },
		func(p *shop.Product) { p.ID = "x" },
	} {
		p := bricks("", 10)
		change(&p)
		_, err = m.repo.Create(t.Context(), p, dynastay.IdempotencyKey("k"))
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
	require.Len(t, page(t, m.repo.Products(seller)), 1)
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	made := m.create(bricks("b1", 10))
	m.Clock.Advance(time.Minute)
	got, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error {
		p.Price, p.Category, p.Delivery.FreeOver = zar("6"), "Clay", zar("100")
		return nil
	}, dynastay.IfVersion(1), dynastay.IfWritten(made.WriteID))
	require.NoError(t, err)
	assert.Equal(t, []any{2, base.Add(time.Minute), base}, []any{got.Version, got.UpdatedAt, got.CreatedAt})
	assert.Empty(t, page(t, m.repo.InCategory("Bricks", "ZAR")))
	assert.Equal(t, []*shop.Offer{offerOf(got)}, page(t, m.repo.InCategory("Clay", "ZAR")))
	_, err = m.repo.Update(t.Context(), seller, "b1", func(*shop.Product) error { return nil }, dynastay.IfVersion(1))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	for field, change := range map[string]func(*shop.Product){
		"ID":         func(p *shop.Product) { p.ID = "b2" },
		"SellerID":   func(p *shop.Product) { p.SellerID = "seller_2" },
		"SellerName": func(p *shop.Product) { p.SellerName = "x" },
		"Stock":      func(p *shop.Product) { p.Stock++ },
		"Status":     func(p *shop.Product) { p.Status = shop.Inactive },
		"CreatedAt":  func(p *shop.Product) { p.CreatedAt = base.AddDate(0, 0, 1) },
		"UpdatedAt":  func(p *shop.Product) { p.UpdatedAt = base.AddDate(0, 0, 1) },
		"Version":    func(p *shop.Product) { p.Version = 9 },
	} {
		_, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error { change(p); return nil })
		requireInvalid(t, err, field, field)
	}
	mine := errors.New("mine")
	_, err = m.repo.Update(t.Context(), seller, "b1", func(*shop.Product) error { return mine })
	require.ErrorIs(t, err, mine)
	_, err = m.repo.Update(t.Context(), seller, "b9", func(*shop.Product) error { return nil })
	require.ErrorIs(t, err, dynastay.ErrNotFound)

	// A replay does not run the function.
	for range 2 {
		got, err = m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error {
			p.Description += "x"
			return nil
		}, dynastay.AgreedOn("x"), dynastay.IdempotencyKey("k"))
		require.NoError(t, err)
		assert.Equal(t, "x", got.Description)
	}
	assert.Empty(t, got.WriteID)
	for _, other := range []*dynastay.Operation[*shop.Product]{
		m.repo.UpdateOp(seller, "b1", func(*shop.Product) error { return nil }, dynastay.AgreedOn("y")),
		m.repo.UpdateOp(seller, "b2", func(*shop.Product) error { return nil }, dynastay.AgreedOn("x")),
	} {
		require.ErrorIs(t, m.Write(t.Context(), other, dynastay.IdempotencyKey("k")), dynastay.ErrIdempotencyMismatch)
	}
	unknown := m.repo.UpdateOp(seller, "b1", func(*shop.Product) error { return nil })
	requireInvalid(t, m.Write(t.Context(), unknown, dynastay.IdempotencyKey("k")), "IdempotencyKey", "a function cannot be compared")
}

// The names of specifications are free text.
func TestUpdateOfSpecifications(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for _, name := range []string{"Weight [kg]", "size[0]", "[0]", "]", "v1.2", `"a"`, "hauteur é", "日本", "😀"} {
		p := bricks(name, 10)
		p.Specifications = map[string]string{name: "1", "color": "Red"}
		m.create(p)
		for _, want := range []map[string]string{{name: "2", "color": "Red"}, {"color": "Red"}, {name: "3", "color": "Red"}} {
			_, err := m.repo.Update(t.Context(), seller, name, func(p *shop.Product) error { p.Specifications = want; return nil })
			require.NoError(t, err, name)
			got, err := m.repo.Product(t.Context(), seller, name)
			require.NoError(t, err)
			assert.Equal(t, want, got.Specifications)
		}
		_, err := m.repo.Update(t.Context(), seller, name, func(p *shop.Product) error { p.Specifications["texture"] = ""; return nil })
		requireInvalid(t, err, "Specifications", name)
	}
}

func TestActivateAndDeactivate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	for range 2 {
		p, err := m.repo.Deactivate(t.Context(), seller, "b1", dynastay.IdempotencyKey("off"))
		require.NoError(t, err)
		assert.Equal(t, []any{shop.Inactive, 2}, []any{p.Status, p.Version})
	}
	_, err := m.repo.Deactivate(t.Context(), seller, "b2", dynastay.IdempotencyKey("off"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	assert.Empty(t, page(t, m.repo.InCategory("Bricks", "ZAR")))
	p, err := m.repo.Activate(t.Context(), seller, "b1")
	require.NoError(t, err)
	assert.Equal(t, []any{shop.Active, 3}, []any{p.Status, p.Version})
	assert.Len(t, page(t, m.repo.InCategory("Bricks", "ZAR")), 1)
	_, err = m.repo.Activate(t.Context(), seller, "b9")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}

// What an edit has read is compared once more, so a deactivation and an edit that meet are both carried out.
func TestUpdateMeetsDeactivate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	m.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := m.direct().Deactivate(ctx, seller, "b1")
		assert.NoError(t, err)
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	p, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error { p.Unit = "each"; return nil })
	require.NoError(t, err)
	assert.Equal(t, []any{shop.Inactive, "each", 3}, []any{p.Status, p.Unit, p.Version})
	assert.Empty(t, page(t, m.repo.InCategory("Bricks", "ZAR")))
}

func requireInvalid(t *testing.T, err error, field, name string) {
	t.Helper()
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid, name)
	require.Equal(t, field, invalid.Field, "%s: %v", name, err)
}
