package users_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/users"
)

func TestCosts(t *testing.T) {
	t.Parallel()
	var calls []dynastay.Call
	db := dyntest.New(t, userTables, dyntest.With(dynastay.Options{
		Observer: func(_ context.Context, c dynastay.Call) { calls = append(calls, c) },
	}))
	repo := users.New(db.DB, nil)
	only := func(operation string) dynastay.Call {
		t.Helper()
		require.Len(t, calls, 1)
		call := calls[0]
		calls = nil
		assert.Equal(t, operation, call.Operation)
		assert.Equal(t, 1, call.Requests())
		return call
	}
	units := func(c dynastay.Call, index string) (read, write float64) {
		for _, u := range c.Usage {
			if u.Index == index {
				read, write = read+u.ReadUnits, write+u.WriteUnits
			}
		}
		return read, write
	}

	// The first use of a repository reads the form of the addresses in keys, and the first user of all puts it.
	first := john()
	first.ID, first.Email = "user_1", "first@example.com"
	_, err := repo.Create(t.Context(), first)
	require.NoError(t, err)
	require.Len(t, calls, 3)
	assert.Equal(t, 1.0, calls[0].ReadUnits())
	assert.Equal(t, 1.0, calls[1].WriteUnits())
	calls = nil

	_, err = repo.Create(t.Context(), john())
	require.NoError(t, err)
	creation := only("TransactWriteItems")
	_, table := units(creation, "")
	_, index := units(creation, "GSI1-EmailIndex")
	// Profile and guard of up to 1 KB each, and the check of the caller's id, twice for the transaction. DynamoDB Local
	// does not charge for a check of an item that does not exist.
	if db.Has(dyntest.ExactUnits) {
		assert.Equal(t, 6.0, table)
	}
	assert.Equal(t, db.Has(dyntest.IndexUnits), index > 0, "engines count them differently")

	_, err = repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	get := only("GetItem")
	assert.Equal(t, 0.5, get.ReadUnits()) // up to 4 KB, eventually consistent

	_, err = repo.ByEmail(t.Context(), "john.doe@example.com")
	require.NoError(t, err)
	byEmail := only("Query")
	read, _ := units(byEmail, "GSI1-EmailIndex")
	assert.Equal(t, 0.5, read)
	assert.Equal(t, 0.5, byEmail.ReadUnits()) // the index alone

	_, err = repo.Create(t.Context(), john())
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	only("TransactWriteItems")
}

// What each method sends and consumes, for a user whose items have less than 1 KB each. Reads are consistent where the
// method decides by them. In a transaction, each item costs two units.
func TestCostsOfAUser(t *testing.T) {
	t.Parallel()
	var ticks atomic.Int64
	db := dyntest.New(t, userTables, dyntest.With(dynastay.Options{
		IndexLag: time.Millisecond, Clock: func() time.Time { return start.Add(time.Duration(ticks.Add(1)) * time.Second) },
	}))
	repo, ctx := users.New(db.DB, nil), context.Background()
	made, err := repo.Create(ctx, john(func(u *users.User) { u.ID, u.EmailVerified = "", false }))
	require.NoError(t, err)
	id := made.ID
	measure := func(name string, requests int, read, table, index float64, call func() error) {
		t.Helper()
		want := dyntest.Bill{Requests: requests, ReadUnits: read, TableUnits: table, IndexUnits: index}
		dyntest.Costs(t, db, want, func() { require.NoError(t, call(), name) })
	}

	measure("create with a generated id", 1, 0, 2*2, 1, func() error {
		return first(repo.Create(ctx, john(func(u *users.User) { u.ID, u.Email = "", "2@example.com" })))
	})
	measure("create with an id", 1, 0, 3*2, 1, func() error {
		return first(repo.Create(ctx, john(func(u *users.User) { u.ID, u.Email = "user_3", "3@example.com" })))
	})
	measure("update", 2, 1, 1, 1, func() error {
		return first(repo.Update(ctx, id, editing(func(u *users.User) { u.FirstName = "Jane" })))
	})
	measure("update of nothing", 1, 1, 0, 0, func() error { return first(repo.Update(ctx, id, editing(func(*users.User) {}))) })
	measure("change of address: profile and two guards", 2, 1, 3*2, 2, func() error {
		return first(repo.Update(ctx, id, editing(func(u *users.User) { u.Email = "jane@example.com" })))
	})
	measure("replace the address", 2, 1, 3*2, 2, func() error {
		return first(repo.ReplaceEmail(ctx, id, "jane@example.com", "doe@example.com"))
	})
	measure("replace it back", 2, 1, 3*2, 2, func() error {
		return first(repo.Update(ctx, id, editing(func(u *users.User) { u.Email = "jane@example.com" })))
	})
	measure("verify e-mail", 2, 1, 1, 1, func() error { return first(repo.VerifyEmail(ctx, id, "jane@example.com")) })
	measure("verify phone", 2, 1, 1, 1, func() error { return first(repo.VerifyPhone(ctx, id, made.Phone)) })
	measure("login, a transaction of one item", 1, 0, 2, 1, func() error { return repo.RecordLogin(ctx, id) })
	measure("U1, consistent", 2, 2, 0, 0, func() error { return first(repo.ByEmail(ctx, "jane@example.com", dynastay.Consistent)) })

	measure("first preference", 2, 1, 2*2, 0, func() error { return first(repo.UpdatePreferences(ctx, id, setting("a", "b"))) })
	measure("another preference", 2, 1, 1, 0, func() error { return first(repo.UpdatePreferences(ctx, id, setting("a", "c"))) })
	measure("preferences", 1, 0.5, 0, 0, func() error { return first(repo.Preferences(ctx, id)) })

	m := users.Movement{UserID: id, ReasonID: "r1", Points: 500}
	measure("first points: account, entry and check", 2, 2, 3*2, 0, func() error { return first(repo.Earn(ctx, m)) })
	measure("the same points again", 1, 2, 0, 0, func() error { return first(repo.Earn(ctx, m)) })
	m.ReasonID = "r2"
	measure("more points: account and entry", 2, 2, 2*2, 0, func() error { return first(repo.Earn(ctx, m)) })
	m.ReasonID = "r3"
	measure("redeem", 2, 2, 2*2, 0, func() error { return first(repo.Redeem(ctx, m)) })
	measure("reverse", 2, 2, 2*2, 0, func() error { return first(repo.Reverse(ctx, id, "r3")) })
	measure("reverse again", 1, 2, 0, 0, func() error { return first(repo.Reverse(ctx, id, "r3")) })
	measure("an entry", 1, 0.5, 0, 0, func() error { return first(repo.LoyaltyEntry(ctx, id, "r3")) })
	measure("U4", 1, 0.5, 0, 0, func() error { return first(repo.Loyalty(ctx, id)) })
	measure("entries", 1, 0.5, 0, 0, func() error { return first(repo.LoyaltyEntries(id).Page(ctx, dynastay.Paging{})) })

	measure("create wishlist: list and check", 1, 0, 2*2, 0, func() error {
		return first(repo.CreateWishlist(ctx, users.Wishlist{ID: "wl_1", UserID: id, Name: "Ideas", Public: true}))
	})
	measure("add", 2, 1, 1, 0, func() error { return first(repo.AddToWishlist(ctx, id, "wl_1", "prop_1")) })
	measure("add again", 1, 1, 0, 0, func() error { return first(repo.AddToWishlist(ctx, id, "wl_1", "prop_1")) })
	measure("remove", 2, 1, 1, 0, func() error { return first(repo.RemoveFromWishlist(ctx, id, "wl_1", "prop_1")) })
	measure("rename", 2, 1, 1, 0, func() error {
		return first(repo.UpdateWishlist(ctx, id, "wl_1", func(w *users.Wishlist) error {
			w.Name = "Summer"
			return nil
		}))
	})
	measure("wishlist", 1, 0.5, 0, 0, func() error { return first(repo.Wishlist(ctx, id, "wl_1")) })
	measure("public wishlist", 1, 0.5, 0, 0, func() error { return first(repo.PublicWishlist(ctx, id, "wl_1")) })
	measure("U3", 1, 0.5, 0, 0, func() error { return first(repo.Wishlists(id).Page(ctx, dynastay.Paging{})) })
	measure("public wishlists", 1, 0.5, 0, 0, func() error { return first(repo.PublicWishlists(id).Page(ctx, dynastay.Paging{})) })
	measure("not erased", 1, 0, 2, 0, func() error { return db.Write(ctx, repo.NotErasedOp(id)) })

	// The tombstone; the profile with its guard and the check; account, three entries and preferences with the check; the
	// wishlist with the check. Each of three passes reads both partitions, and the first one the profile again.
	measure("erase", 11, 7, 1+3*2+6*2+2*2, 1, func() error { return first(repo.Erase(ctx, id)) })
	// DynamoDB charges one unit for the put that finds the tombstone, but no engine reports the units of a refused put.
	measure("was erased", 1, 0.5, 0, 0, func() error { return first(repo.ErasedAt(ctx, id)) })
	measure("erase again", 6, 5, 0, 0, func() error { return first(repo.Erase(ctx, id)) })
	measure("erase a user with only a profile", 9, 7, 1+3*2, 1, func() error { return first(repo.Erase(ctx, "user_3")) })
	measure("delete wishlist", 1, 0, 1, 0, func() error {
		return repo.DeleteWishlist(ctx, id, "wl_1", dynastay.OrMissing())
	})
}
