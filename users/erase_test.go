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
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// furnish stores something of every kind for a user, some of it as other software would.
func furnish(t *testing.T, db *dyntest.DB, userID string) {
	t.Helper()
	repo := users.New(db.Direct, nil)
	do := func(_ any, err error) {
		t.Helper()
		require.NoError(t, err)
	}
	do(repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = userID, userID+"@example.com" })))
	do(repo.UpdatePreferences(t.Context(), userID, setting("theme", "dark")))
	do(repo.Earn(t.Context(), users.Movement{UserID: userID, ReasonID: "r1", Points: 10}))
	do(repo.Redeem(t.Context(), users.Movement{UserID: userID, ReasonID: "r2", Points: 5}))
	do(repo.CreateWishlist(t.Context(), users.Wishlist{UserID: userID, Name: "John's ideas"}))
	do(repo.CreateWishlist(t.Context(), users.Wishlist{UserID: userID, Name: "Winter"}))
	for _, s := range []*dynastay.Schema{keys.UsersTable, keys.MetadataTable} {
		item := s.Key.Of(dynastay.Key{PK: "USER#" + userID, SK: "NOTE"})
		item["Text"] = dynastay.Text("John Doe called")
		raw.Put(t, db, s, item)
	}
}

var furnished = map[string]int{
	"profiles deleted": 1, "preferences deleted": 1, "loyalty accounts deleted": 1, "loyalty entries deleted": 2,
	"wishlists deleted": 2, "other items deleted": 2,
}

// everything reads both tables past the library.
func everything(t *testing.T, db *dyntest.DB) []dynastay.Item {
	t.Helper()
	return raw.All(t, db, keys.UsersTable, keys.MetadataTable)
}

// assertErased checks that of a user there is only the tombstone, and returns when the user was erased.
func assertErased(t *testing.T, db *dyntest.DB, userID, about string) string {
	t.Helper()
	erasedAt := ""
	for _, item := range everything(t, db) {
		var text strings.Builder
		for name, v := range item {
			fmt.Fprint(&text, name, " ", dynastay.RowOf(dynastay.Item{"v": v}).Value("v").Text(), "; ")
		}
		row := dynastay.RowOf(item)
		if row.Text("PK") == "USER#"+userID && row.Text("SK") == "ERASED" {
			erasedAt = row.Text("ErasedAt")
			assert.Len(t, item, 6, "PK, SK, EntityType, UserId, ErasedAt, WriteId: %s", text.String())
			continue
		}
		assert.NotContains(t, text.String(), userID, about)
	}
	require.NotEmpty(t, erasedAt, about)
	return erasedAt
}

func TestErase(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	furnish(t, db, "john_1")
	furnish(t, db, "jane_2")
	others := len(everything(t, db)) / 2
	got, err := repo.Erase(t.Context(), "john_1")
	require.NoError(t, err)
	assert.Equal(t, &users.Erasure{UserID: "john_1", ErasedAt: start, Done: furnished}, got)
	assert.Equal(t, "2026-06-01T12:00:00.007Z", assertErased(t, db, "john_1", ""))
	assert.Len(t, everything(t, db), others+2, "the tombstone, and the form of the keys")

	// Again, and later: nothing is found, and the time is the first one.
	db.Clock.Advance(time.Hour)
	stop := db.Faults.Record()
	got, err = repo.Erase(t.Context(), "john_1")
	require.NoError(t, err)
	assert.Equal(t, &users.Erasure{UserID: "john_1", ErasedAt: start, Done: map[string]int{}}, got)
	assert.Len(t, stop(), 6)
	assertErased(t, db, "john_1", "")

	// The address is free.
	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = "", "john_1@example.com" }))
	require.NoError(t, err)

	// Nobody needs to exist.
	got, err = repo.Erase(t.Context(), "nobody")
	require.NoError(t, err)
	assert.Equal(t, &users.Erasure{UserID: "nobody", ErasedAt: start.Add(time.Hour), Done: map[string]int{}}, got)
	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = "nobody", "n@example.com" }))
	assert.ErrorIs(t, err, users.ErrErased)
}

// After the erasure, nothing can be created under the id, and what needs an existing item does not find it.
func TestNothingIsCreatedForAnErasedUser(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	furnish(t, db, "john_1")
	_, err := repo.Erase(t.Context(), "john_1")
	require.NoError(t, err)
	before := everything(t, db)
	for name, call := range map[string]func() error{
		"create": func() error {
			_, err := repo.Create(t.Context(), john(func(u *users.User) { u.ID = "john_1" }))
			return err
		},
		"preferences": func() error { _, err := repo.UpdatePreferences(t.Context(), "john_1", setting("a", "b")); return err },
		"earn": func() error {
			_, err := repo.Earn(t.Context(), users.Movement{UserID: "john_1", ReasonID: "r3", Points: 10})
			return err
		},
		"wishlist": func() error {
			_, err := repo.CreateWishlist(t.Context(), users.Wishlist{UserID: "john_1", Name: "Ideas"})
			return err
		},
		"own write": func() error { return db.Write(t.Context(), repo.NotErasedOp("john_1")) },
	} {
		err := call()
		require.ErrorIs(t, err, users.ErrErased, name)
		failure := blame.As[*dynastay.Error](t, err)
		assert.Equal(t, "User", failure.Entity, name)
		assert.Equal(t, "john_1", failure.ID, name)
		assert.NotEmpty(t, failure.Op, name)
	}
	for name, call := range map[string]func() error{
		"update": func() error { _, err := repo.Update(t.Context(), "john_1", editing(func(*users.User) {})); return err },
		"login":  func() error { return repo.RecordLogin(t.Context(), "john_1") },
		"add":    func() error { _, err := repo.AddToWishlist(t.Context(), "john_1", "wl_1", "prop_1"); return err },
	} {
		assert.ErrorIs(t, call(), dynastay.ErrNotFound, name)
	}
	var refused *users.PointsError
	_, err = repo.Redeem(t.Context(), users.Movement{UserID: "john_1", ReasonID: "r3", Points: 10})
	assert.ErrorAs(t, err, &refused)
	assert.ElementsMatch(t, before, everything(t, db))

	// The check of an own write holds for everybody else.
	require.NoError(t, db.Write(t.Context(), repo.NotErasedOp("jane_2"), dynastay.IdempotencyKey("k")))
	stop := db.Faults.Record()
	blame.Of(t, db.Write(t.Context(), repo.NotErasedOp("")), dynastay.ErrInvalid, "UserID")
	assert.Empty(t, stop())
}

// eraser records its calls.
type eraser struct {
	calls  *[]string
	name   string
	check  error
	passes []map[string]int // what the passes do; then nothing
	errs   map[int]error    // by pass
	n      int
}

func (e *eraser) Check(_ context.Context, userID string) error {
	*e.calls = append(*e.calls, e.name+" checks "+userID)
	return e.check
}

func (e *eraser) Erase(_ context.Context, userID string) (map[string]int, error) {
	*e.calls = append(*e.calls, e.name+" erases "+userID)
	e.n++
	if e.n > len(e.passes) {
		return nil, e.errs[e.n]
	}
	return e.passes[e.n-1], e.errs[e.n]
}

func TestErasers(t *testing.T) {
	t.Parallel()
	_, repo := clocked(t)
	var calls []string
	one := &eraser{calls: &calls, name: "one", passes: []map[string]int{{"reviews deleted": 2}, {}, {"reviews deleted": 1}, {"reviews deleted": 0}}}
	other := &eraser{calls: &calls, name: "other", passes: []map[string]int{{"bookings anonymised": 3}}}
	got, err := repo.Erase(t.Context(), "john_1", one, other)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"reviews deleted": 3, "bookings anonymised": 3}, got.Done)
	want := []string{"one checks john_1", "other checks john_1"}
	for range 5 { // found, nothing, found after the wait, nothing, nothing
		want = append(want, "one erases john_1", "other erases john_1")
	}
	assert.Equal(t, want, calls)
}

func TestEraserRefuses(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	furnish(t, db, "john_1")
	before := everything(t, db)
	var calls []string
	booked, owner := errors.New("a booking has not ended"), errors.New("the user owns properties")
	one, other := &eraser{calls: &calls, name: "one"}, &eraser{calls: &calls, name: "other", check: booked}
	third := &eraser{calls: &calls, name: "third", check: owner}
	got, err := repo.Erase(t.Context(), "john_1", one, other)
	assert.Equal(t, booked, err)
	assert.Equal(t, &users.Erasure{UserID: "john_1", Done: map[string]int{}}, got)
	assert.Equal(t, []string{"one checks john_1", "other checks john_1"}, calls)
	_, err = repo.Erase(t.Context(), "john_1", other, third)
	assert.ErrorIs(t, err, booked)
	assert.ErrorIs(t, err, owner)
	err = repo.CheckErasure(t.Context(), "john_1", other, third)
	assert.ErrorIs(t, err, booked)
	assert.ErrorIs(t, err, owner)
	require.NoError(t, repo.CheckErasure(t.Context(), "john_1", one))
	erased, err := repo.ErasedAt(t.Context(), "john_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Zero(t, erased)
	assert.ElementsMatch(t, before, everything(t, db), "nothing is written")

	stop := db.Faults.Record()
	_, err = repo.Erase(t.Context(), "john_1", one, nil)
	blame.Of(t, err, dynastay.ErrInvalid, "Erasers[1]")
	blame.Of(t, repo.CheckErasure(t.Context(), "john_1", nil), dynastay.ErrInvalid, "Erasers[0]")
	_, err = repo.ErasedAt(t.Context(), "a#b")
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.Erase(t.Context(), "a#b", nil)
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	assert.Empty(t, stop())
	assert.Len(t, calls, 7)
}

// An eraser that fails does not hide what was done, and leaves the profile, so that the user can still log in.
func TestEraserFails(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	furnish(t, db, "john_1")
	var calls []string
	lost := errors.New("lost")
	failing := &eraser{calls: &calls, name: "one", passes: []map[string]int{{"reviews deleted": 2}}, errs: map[int]error{1: lost, 3: lost}}
	got, err := repo.Erase(t.Context(), "john_1", failing)
	assert.Equal(t, lost, err)
	assert.Equal(t, &users.Erasure{UserID: "john_1", ErasedAt: start, Done: map[string]int{"reviews deleted": 2}}, got)
	_, err = repo.Get(t.Context(), "john_1", dynastay.Consistent)
	require.NoError(t, err)
	db.Clock.Advance(time.Hour)
	got, err = repo.Erase(t.Context(), "john_1", failing)
	assert.Equal(t, lost, err)
	assert.Equal(t, &users.Erasure{UserID: "john_1", ErasedAt: start, Done: furnished}, got)
	erased, err := repo.ErasedAt(t.Context(), "john_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, start, erased)
	_, err = repo.Erase(t.Context(), "john_1", failing)
	require.NoError(t, err)
	assertErased(t, db, "john_1", "")
}

// Between the two last passes, the indexes get the time that they may lag.
func TestEraseAwaitsTheIndexes(t *testing.T) {
	t.Parallel()
	const lag = 50 * time.Millisecond
	db := dyntest.New(t, userTables)
	repo := users.New(db.Open(&dynastay.Options{IndexLag: lag}), nil)
	var passes []time.Time
	_, err := repo.Erase(t.Context(), "john_1", onErase(func() map[string]int {
		passes = append(passes, time.Now())
		return map[string]int{"reviews deleted": max(0, 3-len(passes))}
	}))
	require.NoError(t, err)
	require.Len(t, passes, 4)
	assert.GreaterOrEqual(t, passes[3].Sub(passes[2]), lag)

	ctx, cancel := context.WithCancel(t.Context())
	got, err := repo.Erase(ctx, "john_1", onErase(func() map[string]int {
		cancel()
		return nil
	}))
	assert.ErrorIs(t, err, context.Canceled)
	assert.False(t, got.ErasedAt.IsZero())
}

// onErase is an eraser.
type onErase func() map[string]int

func (f onErase) Check(context.Context, string) error { return nil }

func (f onErase) Erase(context.Context, string) (map[string]int, error) { return f(), nil }

// A partition with more items than a transaction has actions.
func TestEraseOfALongLedger(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	for i := range 3 * 99 {
		item := keys.UsersTable.Key.Of(dynastay.Key{PK: "USER#john_1", SK: fmt.Sprintf("LOYALTYENTRY#%03d", i)})
		put(t, db, item)
	}
	stop := db.Faults.Record()
	got, err := repo.Erase(t.Context(), "john_1")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"loyalty entries deleted": 3 * 99}, got.Done)
	transactions := 0
	for _, r := range stop() {
		if r.Operation == "TransactWriteItems" {
			transactions++
		}
	}
	assert.Equal(t, 3, transactions)
	assertErased(t, db, "john_1", "")
}

// With another secret, the guard of the address would not be found.
func TestEraseNeedsTheSecret(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	furnish(t, db, "john_1")
	before := everything(t, db)
	got, err := users.New(db.DB, hashed).Erase(t.Context(), "john_1")
	assert.ErrorIs(t, err, users.ErrEmailSecret)
	assert.Zero(t, got.ErasedAt)
	assert.ElementsMatch(t, before, everything(t, db))
	_, err = repo.Erase(t.Context(), "john_1")
	require.NoError(t, err)

	secretly := dyntest.New(t, userTables)
	repo = users.New(secretly.Open(&dynastay.Options{IndexLag: time.Millisecond}), hashed)
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	_, err = repo.Erase(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Len(t, everything(t, secretly), 2, "the tombstone, and the form of the keys")
}

// A user of other software has no guard. One whose profile cannot be read is reported.
func TestEraseOfForeignUsers(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	item := raw.Document(t, "testdata/profile.json")
	put(t, db, item)
	put(t, db, raw.Document(t, "testdata/loyalty.json"))
	raw.Put(t, db, keys.MetadataTable, raw.Document(t, "testdata/wishlist.json"))
	got, err := repo.Erase(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"profiles deleted": 1, "loyalty accounts deleted": 1, "wishlists deleted": 1}, got.Done)
	assertErased(t, db, "user_456", "")
	assert.Len(t, partition(t, db, "CONFIG#email"), 1, "the guard was looked for under a form that nobody changes")

	// Without a guard, the profile is deleted alone. A lost response is no reason to give up.
	item["Email"] = dynastay.Text("not an address")
	put(t, db, item)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	got, err = repo.Erase(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"profiles deleted": 1}, got.Done)

	item["CreatedAt"] = dynastay.Text("yesterday")
	put(t, db, item)
	got, err = repo.Erase(t.Context(), "user_456")
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Equal(t, start, got.ErasedAt)
	assert.Empty(t, got.Done)
}

// What decides is read consistently.
func TestDecisionsAreConsistent(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	furnish(t, db, "john_1")
	stop := db.Faults.Record()
	var errs []error
	errs = append(errs, first(repo.Update(t.Context(), "john_1", editing(func(u *users.User) { u.FirstName = "Jane" }))))
	errs = append(errs, first(repo.UpdatePreferences(t.Context(), "john_1", setting("a", "b"))))
	errs = append(errs, first(repo.Earn(t.Context(), users.Movement{UserID: "john_1", ReasonID: "r3", Points: 10})))
	errs = append(errs, createWishlist(t.Context(), repo, "john_1"))
	errs = append(errs, first(repo.AddToWishlist(t.Context(), "john_1", "wl_john_1", "prop_1")))
	errs = append(errs, first(repo.Erase(t.Context(), "john_1")), first(repo.Erase(t.Context(), "john_1")))
	require.NoError(t, errors.Join(errs...))
	assert.Greater(t, wire.Consistent(t, stop()), 12)
}

// Whichever request of an erasure fails, and however: repeating it leaves nothing but the tombstone.
func TestEraseInterrupted(t *testing.T) {
	t.Parallel()
	db, _ := clocked(t)
	fragile := func() *users.Repository {
		return users.New(db.Open(&dynastay.Options{
			IndexLag: time.Millisecond, Settle: time.Millisecond, Retry: dynastay.Retry{Attempts: 1},
		}), nil)
	}
	type interrupted struct{}
	ctx := context.WithValue(t.Context(), interrupted{}, true)
	match := func(r dyntest.Request) bool { return r.Context.Value(interrupted{}) != nil }
	for name, fault := range map[string]dyntest.Fault{
		"lost answer": dyntest.LoseAnswer(), "lost request": dyntest.LoseRequest(), "refused": dyntest.Fail("AccessDeniedException"),
	} {
		failed := 0
		for n := 1; ; n++ {
			id := fmt.Sprintf("john_%s_%d_", strings.ReplaceAll(name, " ", "_"), n)
			about := fmt.Sprintf("%s of request %d", name, n)
			furnish(t, db, id)
			var calls []string
			own := &eraser{calls: &calls, name: "own", passes: []map[string]int{{"notes deleted": 1}}}
			injection := db.Faults.Inject(fault, dyntest.When{Nth: n, Match: match, EveryAttempt: true, Optional: true})
			first, err := fragile().Erase(ctx, id, own)
			injection.Stop()
			if injection.Hits() == 0 {
				require.NoError(t, err, about)
				assertErased(t, db, id, about)
				assert.Greater(t, n, 10, "it was interrupted at every request")
				break
			}
			if err != nil {
				failed++
			}
			second, err := fragile().Erase(t.Context(), id, own)
			require.NoError(t, err, about)
			assertErased(t, db, id, about)
			if !first.ErasedAt.IsZero() {
				assert.Equal(t, first.ErasedAt, second.ErasedAt, about)
			}
			for what, most := range furnished {
				assert.LessOrEqual(t, first.Done[what]+second.Done[what], most, "%s: %s", about, what)
			}
		}
		assert.Greater(t, failed, 5, name)
	}
}
