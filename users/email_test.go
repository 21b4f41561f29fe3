package users_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/users"
)

var (
	secret = []byte("an e-mail secret of the platform's own")
	hashed = &users.Options{EmailSecret: secret}
)

func TestAddressesAreHashedInKeys(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, hashed)
	made, err := repo.Create(ctx, john(func(u *users.User) { u.Email = " John.Doe@Example.com " }))
	require.NoError(t, err)
	assert.Equal(t, "john.doe@example.com", made.Email, "the profile keeps it")

	hash, err := key.HashEmail(secret, "john.doe@example.com")
	require.NoError(t, err)
	profile := partition(t, db, "USER#user_456")[0]
	assert.Equal(t, "EMAIL#"+hash, profile["GSI1PK"])
	guard := partition(t, db, "EMAIL#"+hash)
	require.Len(t, guard, 1)
	assert.Equal(t, "user_456", guard[0]["UserId"])
	assert.Empty(t, partition(t, db, "EMAIL#john.doe@example.com"))
	config := partition(t, db, "CONFIG#email")
	require.Len(t, config, 1)
	assert.NotContains(t, fmt.Sprint(config), string(secret))

	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		found, err := repo.ByEmail(ctx, "JOHN.DOE@example.com", opts...)
		require.NoError(t, err)
		assert.Equal(t, made.ID, found.ID)
		_, err = repo.ByEmail(ctx, "jane@example.com", opts...)
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
		_, err = repo.ByEmail(ctx, "jane", opts...)
		blame.Of(t, err, dynastay.ErrInvalid, "Email")
	}
	_, err = repo.Create(ctx, john(func(u *users.User) { u.ID = "user_2" }))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "Email")
	_, err = repo.Create(ctx, john(func(u *users.User) { u.Email = "jane" }))
	blame.Of(t, err, dynastay.ErrInvalid, "Email")
}

// A process with a different secret, or without one, is refused before it writes or finds anything.
func TestAnotherSecretIsRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	other := &users.Options{EmailSecret: bytes.ToUpper(secret)}
	for name, c := range map[string]struct{ first, second *users.Options }{
		"another secret": {hashed, other},
		"none any more":  {hashed, nil},
		"hashed later":   {nil, hashed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, userTables)
			early := users.New(db.DB, c.second)
			_, err := early.ByEmail(ctx, "john.doe@example.com")
			require.ErrorIs(t, err, dynastay.ErrNotFound, "nobody has used the table yet")
			_, err = users.New(db.DB, c.first).Create(ctx, john())
			require.NoError(t, err)

			jane := john(func(u *users.User) { u.ID = "user_2" })
			for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
				_, err = early.ByEmail(ctx, "john.doe@example.com", opts...)
				assert.ErrorIs(t, err, users.ErrEmailSecret, "it looked before there was a user")
			}
			for _, repo := range []*users.Repository{users.New(db.DB, c.second), early} {
				_, err = repo.Create(ctx, jane)
				assert.ErrorIs(t, err, users.ErrEmailSecret)
				assert.NotErrorIs(t, err, dynastay.ErrCommitted)
			}
			_, err = users.New(db.DB, c.second).ByEmail(ctx, "john.doe@example.com")
			assert.ErrorIs(t, err, users.ErrEmailSecret)
			_, err = users.New(db.DB, c.second).ByEmail(ctx, "john.doe@example.com", dynastay.Consistent)
			assert.ErrorIs(t, err, users.ErrEmailSecret)
			assert.Empty(t, partition(t, db, "USER#user_2"))
			found, err := users.New(db.DB, c.second).Get(ctx, "user_456")
			require.NoError(t, err, "ids need no secret")
			assert.Equal(t, "user_456", found.ID)
		})
	}
}

// Processes with different secrets use a new table at once: one secret wins, and all users are made with it.
func TestFirstUseIsARace(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	db.Faults.Conflicts(2 * time.Millisecond)
	var wg sync.WaitGroup
	errs := make([]error, 12)
	start := make(chan struct{})
	for i := range errs {
		opts := []*users.Options{hashed, nil, {EmailSecret: bytes.ToUpper(secret)}}[i%3]
		repo := users.New(db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 200}}), opts)
		wg.Go(func() {
			<-start
			_, errs[i] = repo.Create(context.Background(), john(func(u *users.User) {
				u.ID, u.Email = fmt.Sprint("user_", i), fmt.Sprintf("john.%d@example.com", i)
			}))
		})
	}
	close(start)
	wg.Wait()
	won := map[int]int{}
	for i, err := range errs {
		if err == nil {
			won[i%3]++
		} else {
			assert.ErrorIs(t, err, users.ErrEmailSecret)
			assert.Empty(t, partition(t, db, fmt.Sprint("USER#user_", i)))
		}
	}
	require.Len(t, won, 1, "one of the secrets")
	for _, n := range won {
		assert.Equal(t, 4, n, "all of its users")
	}
}

// The config survives lost responses and requests: the user is created once, and the config is as intended.
func TestConfigThroughFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]dyntest.Fault{
		"lost answer": dyntest.LoseAnswer(), "lost request": dyntest.LoseRequest(), "throttled": dyntest.Throttle(),
	} {
		for _, operation := range []string{"GetItem", "PutItem"} {
			t.Run(name+" of "+operation, func(t *testing.T) {
				t.Parallel()
				db := dyntest.New(t, userTables)
				db.Faults.Inject(fault, dyntest.When{Operation: operation, Nth: 1})
				made, err := users.New(db.DB, hashed).Create(t.Context(), john())
				require.NoError(t, err)
				assert.Equal(t, "user_456", made.ID)
				assert.Len(t, partition(t, db, "CONFIG#email"), 1)
			})
		}
	}
}

// If the config cannot be put, nothing of the user was written, and the outcome is not unknown.
func TestConfigCannotBePut(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	lost := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "PutItem"})
	_, err := users.New(db.DB, hashed).Create(t.Context(), john())
	assert.ErrorIs(t, err, dynastay.ErrUnavailable)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Empty(t, partition(t, db, "USER#user_456"))
	lost.Stop()
	_, err = users.New(db.DB, hashed).Create(t.Context(), john())
	assert.NoError(t, err)
}

// Two users in one transaction are both the first.
func TestFirstUsersTogether(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, hashed)
	jane := john(func(u *users.User) { u.ID, u.Email = "user_2", "jane@example.com" })
	require.NoError(t, db.Write(t.Context(), repo.CreateOp(john()), repo.CreateOp(jane)))
	found, err := repo.ByEmail(t.Context(), "jane@example.com", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "user_2", found.ID)
}

// With Consistent the guard decides: an index that lags does not.
func TestLoginAsksTheGuard(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, userTables)
	db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Operation: "Query", Index: keys.EmailIndex})
	repo := users.New(db.DB, nil)
	_, err := repo.Create(ctx, john())
	require.NoError(t, err)
	_, err = repo.ByEmail(ctx, "john.doe@example.com")
	require.ErrorIs(t, err, dynastay.ErrNotFound, "the index does not show it yet")
	stop := db.Faults.Record()
	found, err := repo.ByEmail(ctx, "John.Doe@example.com", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "user_456", found.ID)
	sent := stop()
	require.Len(t, sent, 2)
	for _, r := range sent {
		assert.Equal(t, "GetItem", r.Operation)
		assert.Contains(t, string(r.Body), `"ConsistentRead":true`)
	}
}

// The form is read once, and consistently.
func TestFormIsAskedOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, userTables)
	_, err := users.New(db.DB, nil).Create(ctx, john())
	require.NoError(t, err)
	repo := users.New(db.DB, nil)
	stop := db.Faults.Record()
	for i := range 3 {
		_, err := repo.ByEmail(ctx, "john.doe@example.com")
		require.NoError(t, err)
		_, err = repo.Create(ctx, john(func(u *users.User) { u.ID, u.Email = fmt.Sprint("u", i), fmt.Sprint(i, "@example.com") }))
		require.NoError(t, err)
	}
	var reads []string
	for _, r := range stop() {
		if r.Operation == "GetItem" {
			reads = append(reads, string(r.Body))
		}
	}
	require.Len(t, reads, 1)
	assert.Contains(t, reads[0], "CONFIG#email")
	assert.Contains(t, reads[0], `"ConsistentRead":true`)

	// A repository that only reads asks once, too, and again when it finds nobody while there is no config.
	empty := dyntest.New(t, userTables)
	reader := users.New(empty.DB, nil)
	for range 3 {
		_, err := reader.ByEmail(ctx, "john.doe@example.com")
		require.ErrorIs(t, err, dynastay.ErrNotFound)
	}
	assert.Equal(t, 4, empty.Faults.Count("GetItem"))
	put(t, empty, raw.Document(t, "testdata/profile.json"))
	for range 3 {
		_, err := reader.ByEmail(ctx, "john.doe@example.com")
		require.NoError(t, err)
	}
	assert.Equal(t, 4, empty.Faults.Count("GetItem"), "a user of other software")
}

func TestShortSecretIsRefused(t *testing.T) {
	for _, secret := range []string{"", strings.Repeat("s", 31)} {
		want := fmt.Sprintf("users.New: Options.EmailSecret must be at least 32 bytes, got %d", len(secret))
		assert.PanicsWithValue(t, want, func() { users.New(nil, &users.Options{EmailSecret: []byte(secret)}) })
	}
	assert.NotPanics(t, func() { users.New(nil, &users.Options{EmailSecret: []byte(strings.Repeat("s", 32))}) })
}

// The secret is copied: the caller may clear it once the repository is made.
func TestSecretIsCopied(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	lent := bytes.Clone(secret)
	repo := users.New(db.DB, &users.Options{EmailSecret: lent})
	clear(lent)
	_, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	_, err = users.New(db.DB, hashed).ByEmail(t.Context(), "john.doe@example.com")
	assert.NoError(t, err)
}

// One mailbox is one account, however its domain is written.
func TestOneMailboxIsOneAccount(t *testing.T) {
	t.Parallel()
	spellings := []string{"ada@münchen.example", "ada@MÜNCHEN.example", "ada@xn--mnchen-3ya.example", "ADA@mu\u0308nchen.EXAMPLE"}
	for _, secret := range [][]byte{nil, []byte("0123456789abcdef0123456789abcdef")} {
		for _, first := range spellings {
			db := dyntest.New(t, dyntest.Tables(keys.UsersTable), dyntest.At(fixture.Now))
			repo := users.New(db.DB, &users.Options{EmailSecret: secret})
			ada, err := repo.Create(t.Context(), users.User{Email: first, FirstName: "Ada", LastName: "Byron", Role: users.Customer})
			require.NoError(t, err)
			assert.Equal(t, "ada@münchen.example", ada.Email)
			for _, email := range spellings {
				_, err := repo.Create(t.Context(), users.User{Email: email, FirstName: "A.", LastName: "B.", Role: users.Customer})
				assert.ErrorIs(t, err, dynastay.ErrAlreadyExists, email)
				for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
					found, err := repo.ByEmail(t.Context(), email, opts...)
					require.NoError(t, err, email)
					assert.Equal(t, ada.ID, found.ID)
				}
				same, err := repo.VerifyEmail(t.Context(), ada.ID, email)
				require.NoError(t, err)
				assert.Equal(t, ada.Email, same.Email)
			}
		}
	}
}

// A user who was stored before domains were folded keeps the guard and the row of the address, is found by it, and gets
// the normal form with the next change of the address. Nothing of the old form is left then.
func TestUserStoredWithACapitalDomain(t *testing.T) {
	t.Parallel()
	const stored = "ada@mÜnchen.example" // as the capitals were stored: only ASCII letters in lower case
	db := dyntest.New(t, dyntest.Tables(keys.UsersTable), dyntest.At(fixture.Now))
	repo := users.New(db.DB, nil)
	ada, err := repo.Create(t.Context(), users.User{ID: "user_1", Email: "ada@example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer})
	require.NoError(t, err)
	profile, err := db.Direct.Get(t.Context(), keys.UsersTable, dynastay.Key{PK: "USER#user_1", SK: "PROFILE"}, dynastay.Consistent)
	require.NoError(t, err)
	item := profile.Item()
	item["Email"], item["GSI1PK"] = dynastay.Text(stored), dynastay.Text("EMAIL#"+stored)
	old := dynastay.Key{PK: "EMAIL#" + stored, SK: "GUARD"}
	guarded := dynastay.Item{
		"PK": dynastay.Text(old.PK), "SK": dynastay.Text(old.SK), "EntityType": dynastay.Text("Guard"), "UserId": dynastay.Text("user_1"),
	}
	require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		_ = yield(keys.UsersTable, item) && yield(keys.UsersTable, guarded)
	}))
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		found, err := repo.ByEmail(t.Context(), "ada@MÜNCHEN.example", opts...)
		require.NoError(t, err)
		assert.Equal(t, ada.ID, found.ID)
		assert.Equal(t, stored, found.Email)
	}
	guard := func() bool {
		row, err := db.Direct.Get(t.Context(), keys.UsersTable, old, dynastay.Consistent)
		require.NoError(t, err)
		return row.Exists()
	}
	_, err = repo.Update(t.Context(), "user_1", func(u *users.User) error { u.FirstName = "A."; return nil })
	require.NoError(t, err)
	assert.True(t, guard())
	changed, err := repo.Update(t.Context(), "user_1", func(u *users.User) error { u.Email = "ada@MÜNCHEN.example"; return nil })
	require.NoError(t, err)
	assert.Equal(t, "ada@münchen.example", changed.Email)
	assert.False(t, guard(), "the old guard is released")
	found, err := repo.ByEmail(t.Context(), "ada@xn--mnchen-3ya.example", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, ada.ID, found.ID)
}
