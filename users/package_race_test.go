package users_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

func keyOf(id string) dynastay.Key { return dynastay.Key{PK: "USER#" + id, SK: "PROFILE"} }

// addressesOf returns the addresses that a user may have in a race.
func addressesOf(id string) []string {
	return []string{"a-" + id + "@example.com", "B-" + id + "@Example.COM", "c-" + id + "@example.com"}
}

func drawn(t *testing.T, db *dynastay.DB, draw *rand.Rand) *users.User {
	t.Helper()
	id := db.NewID("user_")
	made, err := users.New(db, nil).Create(t.Context(), john(func(u *users.User) {
		u.ID, u.Email = id, addressesOf(id)[0]
		u.PhotoURL, u.Phone = racing.One(draw, "", u.PhotoURL), racing.One(draw, "", u.Phone)
	}))
	require.NoError(t, err)
	return made
}

// checkDerived compares what is derived from a user's address, among all that the user may have, with what is stored.
// If the user was deleted, the address is "", and nothing may be stored.
func checkDerived(t *testing.T, db *dyntest.DB, id, address string) {
	t.Helper()
	normal := strings.ToLower(address)
	profile := partition(t, db, "USER#"+id)
	if address == "" {
		assert.Empty(t, profile)
	} else {
		require.Len(t, profile, 1)
		assert.Equal(t, address, profile[0]["Email"])
		assert.Equal(t, "EMAIL#"+normal, profile[0]["GSI1PK"])
		assert.Equal(t, "USER", profile[0]["GSI1SK"])
	}
	for _, other := range addressesOf(id) {
		other = strings.ToLower(other)
		guard := partition(t, db, "EMAIL#"+other)
		if other != normal {
			assert.Empty(t, guard, "guard of an address that %s has given up", id)
			continue
		}
		want := map[string]any{"PK": "EMAIL#" + normal, "SK": "GUARD", "EntityType": "Guard", "UserId": id}
		assert.Equal(t, []map[string]any{want}, guard)
	}
}

// Any two fields of a user: neither change is lost, and the address's row and guard reflect both.
func TestNoChangeOfAUserIsLost(t *testing.T) {
	t.Parallel()
	racing.Attributes[users.User]{
		Entity: users.UserEntity,
		Make:   drawn,
		Values: func(u *users.User) map[string][]any {
			addresses := addressesOf(u.ID)
			return map[string][]any{
				"Email": {addresses[1], addresses[2]}, "Phone": {"", "+371 20 000 000"}, "PreferredCurrency": {"", "EUR"},
			}
		},
		Kept:  []string{"ID", "CreatedAt", "UpdatedAt", "LastLoginAt", "Version"},
		Check: func(t *testing.T, db *dyntest.DB, u *users.User) { checkDerived(t, db, u.ID, u.Email) },
	}.Run(t)
}

// A user who is deleted while the address changes, or vice versa, leaves no address behind that nobody could take.
func TestNoAddressOutlivesItsUser(t *testing.T) {
	t.Parallel()
	move := func(u *users.User) racing.Call {
		return func(ctx context.Context, db *dynastay.DB) error {
			_, err := entity.NewTable(db, users.UserEntity).Update(ctx, keyOf(u.ID), func(u *users.User) error {
				u.Email = addressesOf(u.ID)[1]
				return nil
			})
			if errors.Is(err, dynastay.ErrNotFound) {
				return nil // deleted before
			}
			return err
		}
	}
	remove := func(u *users.User) racing.Call {
		return func(ctx context.Context, db *dynastay.DB) error {
			return entity.NewTable(db, users.UserEntity).Delete(ctx, keyOf(u.ID))
		}
	}
	racing.Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		check := func(way racing.Way, u *users.User, moved, removed error) {
			t.Helper()
			if way.Unknown && errors.Is(removed, dynastay.ErrOutcomeUnknown) {
				removed = remove(u)(t.Context(), db.Direct)
			}
			if !way.Unknown || !errors.Is(moved, dynastay.ErrOutcomeUnknown) {
				assert.NoError(t, moved, way.Name)
			}
			assert.NoError(t, removed, way.Name)
			checkDerived(t, db, u.ID, "")
			require.False(t, t.Failed(), way.Name)
		}
		for _, way := range racing.Ways {
			u := drawn(t, db.Direct, draw)
			moved, removed := way.Meet(t, db, move(u), remove(u))
			check(way, u, moved, removed)
			u = drawn(t, db.Direct, draw)
			removed, moved = way.Meet(t, db, remove(u), move(u))
			check(way, u, moved, removed)
		}
		u := drawn(t, db.Direct, draw)
		db.Faults.Conflicts(0)
		errs := racing.AtOnce(t, db, move(u), remove(u))
		check(racing.Way{Name: "at once"}, u, errs[0], errs[1])
	}, dyntest.OnlyTables(keys.UsersTable))
}
