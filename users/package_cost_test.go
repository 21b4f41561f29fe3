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
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/users"
)

func TestCosts(t *testing.T) {
	t.Parallel()
	var calls []dynastay.Call
	db := dyntest.New(t, userTables, dyntest.With(dynastay.Options{
		Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) { calls = append(calls, c) }),
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
	repo, ctx, costs := users.New(db.DB, nil), context.Background(), page.Costs{DB: db}
	made, err := repo.Create(ctx, john(func(u *users.User) { u.ID, u.EmailVerified = "", false }))
	require.NoError(t, err)
	id := made.ID
	measure := func(what, why string, requests int, read, table, index float64, call func() error) {
		t.Helper()
		want := dyntest.Bill{Requests: requests, ReadUnits: read, TableUnits: table, IndexUnits: index}
		costs.Measure(t, what, why, want, func() { require.NoError(t, call(), what) })
	}

	measure("create a user", "the profile and the guard of the address, in a transaction", 1, 0, 2*2, 1, func() error {
		return first(repo.Create(ctx, john(func(u *users.User) { u.ID, u.Email = "", "2@example.com" })))
	})
	measure("create a user, with an id of your own", "also the check that nobody with that id was erased",
		1, 0, 3*2, 1, func() error {
			return first(repo.Create(ctx, john(func(u *users.User) { u.ID, u.Email = "user_3", "3@example.com" })))
		})
	measure("update a profile", "one plain update. The row by e-mail contains the profile", 2, 1, 1, 1, func() error {
		return first(repo.Update(ctx, id, editing(func(u *users.User) { u.FirstName = "Jane" })))
	})
	measure("update a profile with nothing new", "it is seen by the read",
		1, 1, 0, 0, func() error { return first(repo.Update(ctx, id, editing(func(*users.User) {}))) })
	measure("change the address",
		"the profile, the old guard and the new one, in a transaction. The row by e-mail moves",
		2, 1, 3*2, 2, func() error {
			return first(repo.Update(ctx, id, editing(func(u *users.User) { u.Email = "jane@example.com" })))
		})
	measure("replace the address", "", 2, 1, 3*2, 2, func() error {
		return first(repo.ReplaceEmail(ctx, id, "jane@example.com", "doe@example.com"))
	})
	measure("replace it back", "", 2, 1, 3*2, 2, func() error {
		return first(repo.Update(ctx, id, editing(func(u *users.User) { u.Email = "jane@example.com" })))
	})
	measure("verify an address", "one plain update",
		2, 1, 1, 1, func() error { return first(repo.VerifyEmail(ctx, id, "jane@example.com")) })
	measure("verify a phone number", "one plain update",
		2, 1, 1, 1, func() error { return first(repo.VerifyPhone(ctx, id, made.Phone)) })
	measure("record a login",
		"a transaction of one item, which can be sent again if its response is lost. The minimum is 1",
		1, 0, 2, 1, func() error { return repo.RecordLogin(ctx, id) })
	measure("U1, consistent", "", 2, 2, 0, 0, func() error { return first(repo.ByEmail(ctx, "jane@example.com", dynastay.Consistent)) })

	measure("a profile, an account, preferences, a wishlist, a page of them", "half a unit for every 4 KB",
		1, 0.5, 0, 0, func() error { return first(repo.Get(ctx, id)) })

	measure("set the first preference", "with the check that the user was not erased, in a transaction",
		2, 1, 2*2, 0, func() error { return first(repo.UpdatePreferences(ctx, id, setting("a", "b"))) })
	measure("set a preference", "one plain update",
		2, 1, 1, 0, func() error { return first(repo.UpdatePreferences(ctx, id, setting("a", "c"))) })
	measure("the preferences", "", 1, 0.5, 0, 0, func() error { return first(repo.Preferences(ctx, id)) })

	m := users.Movement{UserID: id, ReasonID: "r1", Points: 500}
	measure("earn the first points",
		"the account, the entry and the check, in a transaction; the first two are read before",
		2, 2, 3*2, 0, func() error { return first(repo.Earn(ctx, m)) })
	measure("the same movement again", "it is recognised by the read",
		1, 2, 0, 0, func() error { return first(repo.Earn(ctx, m)) })
	m.ReasonID = "r2"
	measure("earn points", "the account and the entry, in a transaction",
		2, 2, 2*2, 0, func() error { return first(repo.Earn(ctx, m)) })
	m.ReasonID = "r3"
	measure("redeem points", "the same", 2, 2, 2*2, 0, func() error { return first(repo.Redeem(ctx, m)) })
	measure("reverse a movement", "the same", 2, 2, 2*2, 0, func() error { return first(repo.Reverse(ctx, id, "r3")) })
	measure("reverse it again", "", 1, 2, 0, 0, func() error { return first(repo.Reverse(ctx, id, "r3")) })
	measure("a movement", "", 1, 0.5, 0, 0, func() error { return first(repo.LoyaltyEntry(ctx, id, "r3")) })
	measure("an account (U4)", "", 1, 0.5, 0, 0, func() error { return first(repo.Loyalty(ctx, id)) })
	measure("a page of movements", "", 1, 0.5, 0, 0, func() error { return first(repo.LoyaltyEntries(id).Page(ctx, dynastay.Paging{})) })

	measure("create a wishlist", "the wishlist and the check, in a transaction", 1, 0, 2*2, 0, func() error {
		return first(repo.CreateWishlist(ctx, users.Wishlist{ID: "wl_1", UserID: id, Name: "Ideas", Public: true}))
	})
	measure("add a property to it", "one plain update",
		2, 1, 1, 0, func() error { return first(repo.AddToWishlist(ctx, id, "wl_1", "prop_1")) })
	measure("add it again", "it is seen by the read",
		1, 1, 0, 0, func() error { return first(repo.AddToWishlist(ctx, id, "wl_1", "prop_1")) })
	measure("remove a property", "one plain update",
		2, 1, 1, 0, func() error { return first(repo.RemoveFromWishlist(ctx, id, "wl_1", "prop_1")) })
	measure("rename it", "one plain update", 2, 1, 1, 0, func() error {
		return first(repo.UpdateWishlist(ctx, id, "wl_1", func(w *users.Wishlist) error {
			w.Name = "Summer"
			return nil
		}))
	})
	measure("a wishlist", "", 1, 0.5, 0, 0, func() error { return first(repo.Wishlist(ctx, id, "wl_1")) })
	measure("a public wishlist", "", 1, 0.5, 0, 0, func() error { return first(repo.PublicWishlist(ctx, id, "wl_1")) })
	measure("a page of wishlists (U3)", "", 1, 0.5, 0, 0, func() error { return first(repo.Wishlists(id).Page(ctx, dynastay.Paging{})) })
	measure("a page of public wishlists", "", 1, 0.5, 0, 0, func() error { return first(repo.PublicWishlists(id).Page(ctx, dynastay.Paging{})) })
	measure("not erased", "", 1, 0, 2, 0, func() error { return db.Write(ctx, repo.NotErasedOp(id)) })

	measure("erase a user with only a profile",
		"the tombstone, then three passes of two Queries, the first of which reads the profile again and deletes it. One pass is "+
			"needed to see that nothing is left, and another one later",
		9, 7, 1+3*2, 1, func() error { return first(repo.Erase(ctx, "user_3")) })
	// The tombstone; the profile with its guard and the check; account, three entries and preferences with the check; the
	// wishlist with the check.
	measure("erase a user who also has an account, three movements, preferences and a wishlist",
		"also a transaction for each table; each contains the check",
		11, 7, 1+3*2+6*2+2*2, 1, func() error { return first(repo.Erase(ctx, id)) })
	// DynamoDB charges one unit for the put that finds the tombstone, but no engine reports the units of a refused put.
	measure("was the user erased", "half a unit", 1, 0.5, 0, 0, func() error { return first(repo.ErasedAt(ctx, id)) })
	measure("erase a user again", "the tombstone is there; two passes find nothing", 6, 5, 0, 0,
		func() error { return first(repo.Erase(ctx, id)) })
	measure("delete wishlist", "", 1, 0, 1, 0, func() error {
		return repo.DeleteWishlist(ctx, id, "wl_1", dynastay.OrMissing())
	})
	costs.Section(t, "users")
}
