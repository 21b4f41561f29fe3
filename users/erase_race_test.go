package users_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// write is a call that writes something of a user. The names of what it needs follow from the user's id.
type write struct {
	name string
	// before stores what the write needs; nil for nothing.
	before func(ctx context.Context, repo *users.Repository, userID string) error
	call   func(ctx context.Context, repo *users.Repository, userID string) error
	// creates says that the write creates what it does not find.
	creates bool
}

func first[T any](_ T, err error) error { return err }

func createProfile(ctx context.Context, repo *users.Repository, userID string) error {
	return first(repo.Create(ctx, john(func(u *users.User) { u.ID, u.Email = userID, addressesOf(userID)[0] })))
}

func earn(reason string) func(context.Context, *users.Repository, string) error {
	return func(ctx context.Context, repo *users.Repository, userID string) error {
		return first(repo.Earn(ctx, users.Movement{UserID: userID, ReasonID: reason, Points: 100}))
	}
}

func prefer(name string) func(context.Context, *users.Repository, string) error {
	return func(ctx context.Context, repo *users.Repository, userID string) error {
		return first(repo.UpdatePreferences(ctx, userID, setting(name, "x")))
	}
}

func createWishlist(ctx context.Context, repo *users.Repository, userID string) error {
	return first(repo.CreateWishlist(ctx, users.Wishlist{ID: "wl_" + userID, UserID: userID, Name: "Ideas"}))
}

var writes = []write{
	{name: "create", creates: true, call: createProfile},
	{name: "change of address", before: createProfile, call: func(ctx context.Context, repo *users.Repository, userID string) error {
		return first(repo.Update(ctx, userID, editing(func(u *users.User) { u.Email = addressesOf(userID)[1] })))
	}},
	{name: "verification", before: createProfile, call: func(ctx context.Context, repo *users.Repository, userID string) error {
		return first(repo.VerifyPhone(ctx, userID, john().Phone))
	}},
	{name: "login", before: createProfile, call: func(ctx context.Context, repo *users.Repository, userID string) error {
		return repo.RecordLogin(ctx, userID)
	}},
	{name: "first points", creates: true, call: earn("r1")},
	{name: "more points", creates: true, before: earn("r1"), call: earn("r2")},
	{name: "redemption", creates: true, before: earn("r1"), call: func(ctx context.Context, repo *users.Repository, userID string) error {
		return first(repo.Redeem(ctx, users.Movement{UserID: userID, ReasonID: "r2", Points: 60}))
	}},
	{name: "first preference", creates: true, call: prefer("a")},
	{name: "another preference", creates: true, before: prefer("a"), call: prefer("b")},
	{name: "create wishlist", creates: true, call: createWishlist},
	{name: "add to wishlist", before: createWishlist, call: func(ctx context.Context, repo *users.Repository, userID string) error {
		return first(repo.AddToWishlist(ctx, userID, "wl_"+userID, "prop_1"))
	}},
	{name: "rename wishlist", before: createWishlist, call: func(ctx context.Context, repo *users.Repository, userID string) error {
		return first(repo.UpdateWishlist(ctx, userID, "wl_"+userID, func(w *users.Wishlist) error {
			w.Name = "Winter"
			return nil
		}))
	}},
	{name: "delete wishlist", before: createWishlist, call: func(ctx context.Context, repo *users.Repository, userID string) error {
		return repo.DeleteWishlist(ctx, userID, "wl_"+userID)
	}},
}

func (w write) on(userID string) racing.Call {
	return func(ctx context.Context, db *dynastay.DB) error { return w.call(ctx, users.New(db, nil), userID) }
}

func erasing(userID string) racing.Call {
	return func(ctx context.Context, db *dynastay.DB) error {
		return first(users.New(db, nil).Erase(ctx, userID))
	}
}

func (w write) prepare(t *testing.T, db *dyntest.DB, userID string) {
	t.Helper()
	if w.before != nil {
		require.NoError(t, w.before(t.Context(), users.New(db.Direct, nil), userID))
	}
}

// check checks what a write that met an erasure was told: that it has written, that the user was erased, or that what
// it needs does not exist any more.
func (w write) check(t *testing.T, about string, mayBeUnknown bool, err error) {
	t.Helper()
	var refused *users.PointsError
	switch {
	case err == nil, errors.Is(err, users.ErrErased):
	case mayBeUnknown && errors.Is(err, dynastay.ErrOutcomeUnknown):
	case w.name == "redemption" && errors.As(err, &refused):
	default:
		assert.False(t, w.creates, about)
		assert.ErrorIs(t, err, dynastay.ErrNotFound, about)
	}
}

// assertClear checks that nothing of a user remains but the tombstone.
func assertClear(t *testing.T, db *dyntest.DB, userID, about string) {
	t.Helper()
	rest := partition(t, db, "USER#"+userID)
	require.Len(t, rest, 1, about)
	require.Equal(t, "ERASED", rest[0]["SK"], about)
	require.Empty(t, partitionOf(t, db, keys.MetadataTable, "USER#"+userID), about)
	checkNoAddress(t, db, userID, about)
}

func checkNoAddress(t *testing.T, db *dyntest.DB, userID, about string) {
	t.Helper()
	for _, address := range addressesOf(userID) {
		require.Empty(t, partition(t, db, "EMAIL#"+strings.ToLower(address)), about)
	}
}

// A write that meets an erasure, at any point of either, leaves nothing behind.
func TestWritesThatMeetAnErasure(t *testing.T) {
	t.Parallel()
	for _, w := range writes {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, userTables)
			require.NoError(t, createProfile(t.Context(), users.New(db.Direct, nil), "the_first"))
			n := 0
			user := func() string {
				n++
				id := fmt.Sprint("user_", n)
				w.prepare(t, db, id)
				return id
			}
			for _, way := range racing.Ways {
				id := user()
				about := "erased " + way.Name + " of the write"
				written, erased := way.Meet(t, db, w.on(id), erasing(id))
				require.NoError(t, erased, about)
				w.check(t, about, strings.Contains(way.Name, "lost"), written)
				assertClear(t, db, id, about)

				id = user()
				about = "written " + way.Name + " of the erasure"
				erased, written = way.Meet(t, db, erasing(id), w.on(id))
				require.NoError(t, erased, about)
				w.check(t, about, strings.Contains(way.Name, "lost"), written)
				assertClear(t, db, id, about)
			}
			// Before each request of the erasure.
			for at, more := 0, true; more; at++ {
				id, sent := user(), 0
				about := fmt.Sprintf("before request %d of the erasure", at+1)
				more = false
				err := racing.Harass(t, db, at+1, erasing(id), func() {
					if sent == at {
						more = true
						w.check(t, about, false, w.on(id)(t.Context(), db.Direct))
					}
					sent++
				})
				require.NoError(t, err, about)
				assertClear(t, db, id, about)
			}
		})
	}
}

// All writes of a user, and two erasures, at once.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	require.NoError(t, createProfile(t.Context(), users.New(db.Direct, nil), "the_first"))
	db.Faults.Conflicts(time.Millisecond)
	for round := range 6 {
		id := fmt.Sprint("user_", round)
		if round%2 == 0 {
			for _, before := range []func(context.Context, *users.Repository, string) error{createProfile, earn("r1"), prefer("a"), createWishlist} {
				require.NoError(t, before(t.Context(), users.New(db.Direct, nil), id))
			}
		}
		calls := []racing.Call{erasing(id), erasing(id)}
		for _, w := range writes {
			calls = append(calls, w.on(id))
		}
		for i, err := range racing.AtOnce(t, db, calls...) {
			if i < 2 {
				require.NoError(t, err)
			}
		}
		assertClear(t, db, id, id)
	}
}
