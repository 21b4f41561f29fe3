package users_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// verified is what VerifyRow says of each item that contradicts another one.
func verified(t *testing.T, db *dyntest.DB, repo *users.Repository) (all []entity.DifferentError) {
	t.Helper()
	for _, item := range raw.All(t, db, keys.UsersTable) {
		changed, err := repo.VerifyRow(t.Context(), dynastay.RowOf(item))
		assert.False(t, changed)
		if err != nil {
			require.ErrorIs(t, err, dynastay.ErrCorrupt)
			all = append(all, *blame.As[*entity.DifferentError](t, err))
		}
	}
	return all
}

// What contradicts a profile is found, whichever side it is on, and is mended where the library can know how.
func TestVerifyRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable))
	repo := users.New(db.DB, nil)
	for _, id := range []string{"ada", "bob"} {
		_, err := repo.Create(ctx, users.User{ID: id, Email: id + "@example.com", FirstName: "A", LastName: "B", Role: users.Customer})
		require.NoError(t, err)
	}
	assert.Empty(t, verified(t, db, repo))
	profile, guard := dynastay.Key{PK: "USER#ada", SK: "PROFILE"}, dynastay.Key{PK: "EMAIL#ada@example.com", SK: "GUARD"}
	whole, err := db.Direct.Get(ctx, keys.UsersTable, profile)
	require.NoError(t, err)
	owned, err := db.Direct.Get(ctx, keys.UsersTable, guard)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		spoil func()
		want  []entity.DifferentError
		text  string
		left  int // what cannot be mended
	}{
		"a stale index key": {
			func() { raw.Set(t, db, keys.UsersTable, profile, dynastay.Text("EMAIL#old@example.com"), "GSI1PK") },
			[]entity.DifferentError{{Entity: "User", ID: "ada", Attributes: []string{"GSI1PK"}}},
			"User ada: not as they follow from the item: GSI1PK", 0,
		},
		"no index key": {
			func() { raw.Update(t, db, keys.UsersTable, profile, "REMOVE GSI1PK, GSI1SK", nil) },
			[]entity.DifferentError{{Entity: "User", ID: "ada", Attributes: []string{"GSI1PK", "GSI1SK"}}},
			"User ada: not as they follow from the item: GSI1PK, GSI1SK", 0,
		},
		"no guard": {
			func() { raw.Delete(t, db, keys.UsersTable, guard) },
			[]entity.DifferentError{{Entity: "User", ID: "ada", Unguarded: []string{"Email"}}},
			"User ada: without a guard of its own: Email", 0,
		},
		"the guard is somebody else's": {
			func() { raw.Set(t, db, keys.UsersTable, guard, dynastay.Text("bob"), "UserId") },
			[]entity.DifferentError{
				{Entity: "User", ID: "bob", Guard: guard.String()}, {Entity: "User", ID: "ada", Unguarded: []string{"Email"}},
			},
			"User bob: it does not have the value of the guard EMAIL#ada@example.com/GUARD", 2,
		},
		"the guard of nobody": {
			func() { raw.Set(t, db, keys.UsersTable, guard, dynastay.Text("eve"), "UserId") },
			[]entity.DifferentError{
				{Entity: "User", ID: "eve", Guard: guard.String()}, {Entity: "User", ID: "ada", Unguarded: []string{"Email"}},
			},
			"User eve: it does not have the value of the guard EMAIL#ada@example.com/GUARD", 2,
		},
		"other software": {
			func() { raw.Update(t, db, keys.UsersTable, profile, "REMOVE WriteId", nil) },
			[]entity.DifferentError{{Entity: "User", ID: "ada", Foreign: true}}, "User ada: it has not been adopted", 0,
		},
	} {
		test.spoil()
		got := verified(t, db, repo)
		assert.ElementsMatch(t, test.want, got, name)
		assert.Equal(t, test.text, test.want[0].Error())
		for _, item := range raw.All(t, db, keys.UsersTable) {
			_, err := repo.MendRow(ctx, dynastay.RowOf(item))
			require.NoError(t, err, name)
		}
		assert.Len(t, verified(t, db, repo), test.left, name)
		raw.Put(t, db, keys.UsersTable, whole.Item())
		raw.Put(t, db, keys.UsersTable, owned.Item())
	}
	assert.Empty(t, verified(t, db, repo))
}

// What is changed while it is verified is no difference, neither for the profile nor for the guards.
func TestVerifyRowDuringChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable))
	repo, other := users.New(db.DB, nil), users.New(db.Direct, nil)
	_, err := repo.Create(ctx, users.User{ID: "ada", Email: "a0@example.com", FirstName: "A", LastName: "B", Role: users.Customer})
	require.NoError(t, err)
	n := 0
	move := func(context.Context) {
		n++
		_, err := other.Update(ctx, "ada", func(u *users.User) error { u.Email = fmt.Sprintf("a%d@example.com", n); return nil })
		assert.NoError(t, err)
	}
	for _, what := range []string{"the profile", "its guard"} {
		key := dynastay.Key{PK: "USER#ada", SK: "PROFILE"}
		if what == "its guard" {
			key = dynastay.Key{PK: fmt.Sprintf("EMAIL#a%d@example.com", n), SK: "GUARD"}
		}
		row, err := db.Direct.Get(ctx, keys.UsersTable, key)
		require.NoError(t, err)
		require.True(t, row.Exists(), what)
		var stop []func()
		for _, operation := range []string{"BatchGetItem", "GetItem"} {
			stop = append(stop, db.Faults.Inject(dyntest.Before(move), dyntest.When{Operation: operation, Nth: 1, Optional: true}).Stop)
		}
		_, err = repo.VerifyRow(ctx, row)
		require.NoError(t, err)
		for _, stop := range stop {
			stop()
		}
	}
	assert.GreaterOrEqual(t, n, 2)

	row, err := db.Direct.Get(ctx, keys.UsersTable, dynastay.Key{PK: "USER#ada", SK: "PROFILE"})
	require.NoError(t, err)
	raw.Delete(t, db, keys.UsersTable, dynastay.Key{PK: "USER#ada", SK: "PROFILE"})
	raw.Delete(t, db, keys.UsersTable, dynastay.Key{PK: "EMAIL#" + row.Text("Email"), SK: "GUARD"})
	_, err = repo.VerifyRow(ctx, row)
	require.NoError(t, err, "it was deleted meanwhile")
	mended, err := repo.MendRow(ctx, row)
	require.NoError(t, err)
	assert.False(t, mended)
}

// A row may be as old as an export. What is different, unreadable or of another user only in the row is no difference.
func TestVerifyRowOfAnOldRead(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable))
	repo := users.New(db.DB, nil)
	_, err := repo.Create(ctx, users.User{ID: "ada", Email: "ada@example.com", FirstName: "A", LastName: "B", Role: users.Customer})
	require.NoError(t, err)
	key := dynastay.Key{PK: "USER#ada", SK: "PROFILE"}
	whole := raw.Get(t, db, keys.UsersTable, key)
	for name, v := range map[string]types.AttributeValue{"GSI1PK": dynastay.Text("x"), "CreatedAt": dynastay.Number(7), "UserId": dynastay.Text("eve")} {
		old := maps.Clone(whole) // with the write id of now: a person has changed it back by hand
		old[name] = v
		_, err := repo.VerifyRow(ctx, dynastay.RowOf(old))
		require.NoError(t, err, name)
		raw.Put(t, db, keys.UsersTable, old)
		_, err = repo.VerifyRow(ctx, dynastay.RowOf(old))
		require.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		raw.Put(t, db, keys.UsersTable, whole)
	}
}

// While a guard is verified, its user gives up the address and takes it again.
func TestVerifyGuardThatIsClaimedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable))
	repo, other := users.New(db.DB, nil), users.New(db.Direct, nil)
	_, err := repo.Create(ctx, users.User{ID: "ada", Email: "ada@example.com", FirstName: "A", LastName: "B", Role: users.Customer})
	require.NoError(t, err)
	guard, err := db.Direct.Get(ctx, keys.UsersTable, dynastay.Key{PK: "EMAIL#ada@example.com", SK: "GUARD"})
	require.NoError(t, err)
	for n, email := range []string{"away@example.com", "ada@example.com"} {
		db.Faults.Inject(dyntest.Before(func(context.Context) {
			_, err := other.Update(ctx, "ada", func(u *users.User) error { u.Email = email; return nil })
			assert.NoError(t, err)
		}), dyntest.When{Operation: "GetItem", Nth: n + 1})
	}
	_, err = repo.VerifyRow(ctx, guard)
	require.NoError(t, err)
}
