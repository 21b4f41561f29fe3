package users_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/users"
)

func movement(reason string, points int) users.Movement {
	return users.Movement{UserID: "user_1", ReasonID: reason, Points: points, Note: "for " + reason}
}

// entries reads all entries of an account.
func entries(t *testing.T, repo *users.Repository, userID string) (all []users.LoyaltyEntry) {
	t.Helper()
	for e, err := range repo.LoyaltyEntries(userID).All(t.Context()) {
		require.NoError(t, err)
		all = append(all, *e)
	}
	return all
}

func TestDocumentLoyaltyComesBack(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/loyalty.json")
	l, err := users.LoyaltyEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := users.LoyaltyEntity.Item(l)
	require.NoError(t, err)
	assert.Equal(t, item, again)
}

func TestEarnAndRedeem(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	none, err := repo.Loyalty(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, &users.Loyalty{UserID: "user_1", Tier: users.Bronze}, none)
	assert.Empty(t, entries(t, repo, "user_1"))

	first, err := repo.Earn(t.Context(), movement("b", 300))
	require.NoError(t, err)
	assert.Equal(t, &users.LoyaltyEntry{
		UserID: "user_1", ReasonID: "b", Points: 300, Balance: 300, Note: "for b", CreatedAt: start,
	}, first)
	want := &users.Loyalty{UserID: "user_1", Points: 300, LifetimePoints: 300, Tier: users.Bronze, TierSince: start, UpdatedAt: start}
	got, err := repo.Loyalty(t.Context(), "user_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	db.Clock.Advance(time.Hour)
	second, err := repo.Redeem(t.Context(), movement("a", 100))
	require.NoError(t, err)
	assert.Equal(t, &users.LoyaltyEntry{
		UserID: "user_1", ReasonID: "a", Points: -100, Balance: 200, Note: "for a", CreatedAt: start.Add(time.Hour),
	}, second)
	want.Points, want.UpdatedAt = 200, start.Add(time.Hour)
	got, err = repo.Loyalty(t.Context(), "user_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, []users.LoyaltyEntry{*second, *first}, entries(t, repo, "user_1"), "by reason")

	_, err = repo.Redeem(t.Context(), movement("c", 200))
	require.NoError(t, err)
	got, err = repo.Loyalty(t.Context(), "user_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Zero(t, got.Points)
}

func TestRedeemTooMuch(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	for _, balance := range []int{0, 300} {
		if balance > 0 {
			_, err := repo.Earn(t.Context(), movement("a", balance))
			require.NoError(t, err)
		}
		items := partition(t, db, "USER#user_1")
		stop := db.Faults.Record()
		_, err := repo.Redeem(t.Context(), movement("b", balance+1))
		assert.Len(t, stop(), 1)
		refused := blame.As[*users.PointsError](t, err)
		assert.Equal(t, users.PointsError{UserID: "user_1", Points: balance + 1, Balance: balance}, *refused)
		assert.Equal(t, fmt.Sprintf("loyalty account of user_1: %d points exceed the balance of %d", balance+1, balance), refused.Error())
		assert.Equal(t, items, partition(t, db, "USER#user_1"))
	}
}

// A reason counts once. Its repetition gets the first entry, without a write.
func TestReasonCountsOnce(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	earned, err := repo.Earn(t.Context(), movement("a", 300))
	require.NoError(t, err)
	redeemed, err := repo.Redeem(t.Context(), movement("b", 200))
	require.NoError(t, err)
	items := partition(t, db, "USER#user_1")
	db.Clock.Advance(time.Hour)

	stop := db.Faults.Record()
	again := movement("a", 300)
	again.Note = "another"
	got, err := repo.Earn(t.Context(), again)
	require.NoError(t, err)
	assert.Equal(t, earned, got)
	got, err = repo.Redeem(t.Context(), movement("b", 200))
	require.NoError(t, err)
	assert.Equal(t, redeemed, got)
	assert.Len(t, stop(), 2)

	_, err = repo.Earn(t.Context(), movement("a", 301))
	blame.Of(t, err, users.ErrReasonUsed, "Points")
	_, err = repo.Redeem(t.Context(), movement("a", 300))
	blame.Of(t, err, users.ErrReasonUsed, "Points")
	_, err = repo.Earn(t.Context(), movement("b", 200))
	blame.Of(t, err, users.ErrReasonUsed, "Points")
	assert.Equal(t, items, partition(t, db, "USER#user_1"))

	other := movement("a", 7)
	other.UserID = "user_2"
	_, err = repo.Earn(t.Context(), other)
	assert.NoError(t, err, "the reasons of another user are others")
}

func TestMovementOnce(t *testing.T) {
	t.Parallel()
	_, repo := clocked(t)
	key := dynastay.IdempotencyKey("k")
	for range 2 {
		got, err := repo.Earn(t.Context(), movement("a", 300), key)
		require.NoError(t, err)
		assert.Equal(t, 300, got.Balance)
	}
	_, err := repo.Redeem(t.Context(), movement("a", 300), key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	_, err = repo.Earn(t.Context(), movement("b", 300), key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
}

func TestMovementRefuses(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	stop := db.Faults.Record()
	for _, bad := range []struct {
		field string
		spoil func(*users.Movement)
	}{
		{"UserID", func(m *users.Movement) { m.UserID = "" }},
		{"UserID", func(m *users.Movement) { m.UserID = "a#b" }},
		{"ReasonID", func(m *users.Movement) { m.ReasonID = "" }},
		{"ReasonID", func(m *users.Movement) { m.ReasonID = "a#b" }},
		{"Points", func(m *users.Movement) { m.Points = 0 }},
		{"Points", func(m *users.Movement) { m.Points = -1 }},
		{"Points", func(m *users.Movement) { m.Points = math.MinInt }},
		{"Points", func(m *users.Movement) { m.Points = 1_000_000_001 }},
		{"Note", func(m *users.Movement) { m.Note = strings.Repeat("a", 2049) }},
		{"Note", func(m *users.Movement) { m.Note = "\xff" }},
	} {
		m := movement("a", 10)
		bad.spoil(&m)
		_, err := repo.Earn(t.Context(), m)
		blame.Of(t, err, dynastay.ErrInvalid, bad.field)
		_, err = repo.Redeem(t.Context(), m)
		blame.Of(t, err, dynastay.ErrInvalid, bad.field)
	}
	_, err := repo.Loyalty(t.Context(), "")
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.LoyaltyEntries("").Page(t.Context(), dynastay.Paging{})
	blame.Of(t, err, dynastay.ErrInvalid, "UserID")
	assert.Empty(t, stop())

	m := movement("a", 1_000_000_000)
	m.Note = strings.Repeat("é", 1024)
	_, err = repo.Earn(t.Context(), m)
	assert.NoError(t, err)
}

// A tier is that of the lifetime points, from the movement that crossed its threshold.
func TestTiers(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	at := func(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }
	for i, step := range []struct {
		points int
		tier   users.Tier
		since  int
	}{
		{999, users.Bronze, 0},
		{-500, users.Bronze, 0},
		{1, users.Silver, 2}, // 1,000
		{-500, users.Silver, 2},
		{3_999, users.Silver, 2},
		{1, users.Gold, 5}, // 5,000
		{14_999, users.Gold, 5},
		{1, users.Platinum, 7}, // 20,000
		{1_000_000, users.Platinum, 7},
	} {
		db.Clock.Set(at(i))
		var err error
		if reason := fmt.Sprint(i); step.points > 0 {
			_, err = repo.Earn(t.Context(), movement(reason, step.points))
		} else {
			_, err = repo.Redeem(t.Context(), movement(reason, -step.points))
		}
		require.NoError(t, err)
		got, err := repo.Loyalty(t.Context(), "user_1", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, step.tier, got.Tier, i)
		assert.Equal(t, at(step.since), got.TierSince, i)
		assert.Equal(t, at(i), got.UpdatedAt, i)
	}
	m := movement("once", 6_000)
	m.UserID = "user_2"
	_, err := repo.Earn(t.Context(), m)
	require.NoError(t, err)
	got, err := repo.Loyalty(t.Context(), "user_2", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, users.Gold, got.Tier, "with one movement")
}

// The document's account, and what other software may make of it.
func TestForeignAccounts(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	granted := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	type account struct {
		tier             string // "" for none
		lifetime, earned int
	}
	for _, test := range []struct {
		name   string
		stored account
		want   users.Tier
		since  time.Time
	}{
		{"the document's", account{"gold", 5000, 10}, users.Gold, granted},
		{"it crosses a threshold", account{"gold", 19_995, 10}, users.Platinum, start},
		{"it stays below a threshold", account{"gold", 19_989, 10}, users.Gold, granted},
		{"a higher tier was granted", account{"platinum", 4_995, 10}, users.Platinum, granted},
		{"the same tier was granted", account{"gold", 4_995, 10}, users.Gold, granted},
		{"a lower tier is kept until a threshold", account{"bronze", 5000, 10}, users.Bronze, granted},
		{"a lower tier at a threshold", account{"bronze", 4_995, 10}, users.Gold, start},
		{"no tier", account{"", 5000, 10}, users.Gold, start},
		{"an unknown tier is kept until a threshold", account{"founder", 5000, 10}, "founder", granted},
		{"an unknown tier at a threshold", account{"founder", 4_995, 10}, users.Gold, start},
	} {
		t.Run(test.name, func(t *testing.T) {
			id := "user_" + strings.ReplaceAll(test.name, " ", "_")
			item := raw.Document(t, "testdata/loyalty.json")
			item["PK"], item["UserId"], item["Campaign"] = dynastay.Text("USER#"+id), dynastay.Text(id), dynastay.Text("spring")
			item["LifetimePoints"] = dynastay.Number(test.stored.lifetime)
			item["Tier"] = dynastay.Text(test.stored.tier)
			if test.stored.tier == "" {
				item["Tier"] = dynastay.NullValue().Stored()
			}
			put(t, db, item)
			m := movement("a", test.stored.earned)
			m.UserID = id
			_, err := repo.Earn(t.Context(), m)
			require.NoError(t, err)
			m.ReasonID, m.Points = "b", 2510
			e, err := repo.Redeem(t.Context(), m)
			require.NoError(t, err)
			assert.Zero(t, e.Balance)
			got, err := repo.Loyalty(t.Context(), id, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, &users.Loyalty{
				UserID: id, Points: 0, LifetimePoints: test.stored.lifetime + 10, Tier: test.want, TierSince: test.since, UpdatedAt: start,
			}, got)
			assert.Equal(t, "spring", partition(t, db, "USER#"+id)[0]["Campaign"])
		})
	}
	t.Run("no tier, and points are redeemed", func(t *testing.T) {
		item := raw.Document(t, "testdata/loyalty.json")
		delete(item, "Tier")
		delete(item, "TierSince")
		put(t, db, item)
		_, err := repo.Redeem(t.Context(), users.Movement{UserID: "user_456", ReasonID: "a", Points: 1})
		require.NoError(t, err)
		got, err := repo.Loyalty(t.Context(), "user_456", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, users.Gold, got.Tier)
		assert.Equal(t, start, got.TierSince)
	})
	t.Run("NULL", func(t *testing.T) {
		item := raw.Document(t, "testdata/loyalty.json")
		for _, name := range []string{"Points", "LifetimePoints", "Tier", "TierSince", "UpdatedAt"} {
			item[name] = dynastay.NullValue().Stored()
		}
		put(t, db, item)
		_, err := repo.Earn(t.Context(), users.Movement{UserID: "user_456", ReasonID: "null", Points: 1000})
		require.NoError(t, err)
		got, err := repo.Loyalty(t.Context(), "user_456", dynastay.Consistent)
		require.NoError(t, err)
		want := &users.Loyalty{UserID: "user_456", Points: 1000, LifetimePoints: 1000, Tier: users.Silver, TierSince: start, UpdatedAt: start}
		assert.Equal(t, want, got)
	})
	t.Run("a negative balance", func(t *testing.T) {
		item := raw.Document(t, "testdata/loyalty.json")
		item["Points"] = dynastay.Number(-100)
		put(t, db, item)
		e, err := repo.Earn(t.Context(), users.Movement{UserID: "user_456", ReasonID: "negative", Points: 50})
		require.NoError(t, err)
		assert.Equal(t, -50, e.Balance)
	})
	for name, spoil := range map[string]func(dynastay.Item){
		"no user":            func(i dynastay.Item) { delete(i, "UserId") },
		"another user":       func(i dynastay.Item) { i["UserId"] = dynastay.Text("user_1") },
		"points as text":     func(i dynastay.Item) { i["Points"] = dynastay.Text("many") },
		"too many points":    func(i dynastay.Item) { i["Points"] = dynastay.Number(math.MaxInt) },
		"too many, lifetime": func(i dynastay.Item) { i["LifetimePoints"] = dynastay.Number(math.MaxInt) },
	} {
		t.Run(name, func(t *testing.T) {
			item := raw.Document(t, "testdata/loyalty.json")
			spoil(item)
			put(t, db, item)
			before := partition(t, db, "USER#user_456")
			_, err := repo.Earn(t.Context(), users.Movement{UserID: "user_456", ReasonID: "c", Points: 1})
			require.ErrorIs(t, err, dynastay.ErrCorrupt)
			assert.NotErrorIs(t, err, dynastay.ErrInvalid)
			assert.Equal(t, before, partition(t, db, "USER#user_456"))
		})
	}
}

func TestOwnTiers(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	tiers := []users.TierFrom{{"guest", 0}, {"friend", 10}}
	repo := users.New(db.DB, &users.Options{Tiers: tiers})
	tiers[1].Points = 1 // they are copied
	for i, want := range []users.Tier{"guest", "friend"} {
		_, err := repo.Earn(t.Context(), movement(fmt.Sprint(i), 5))
		require.NoError(t, err)
		got, err := repo.Loyalty(t.Context(), "user_1", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, want, got.Tier)
	}
	for want, tiers := range map[string][]users.TierFrom{
		"[0] must begin at 0 points, got 1":                            {{"a", 1}},
		"[0] must have a name":                                         {{"", 0}},
		"[1] must begin at more points than the tier before it, got 0": {{"a", 0}, {"b", 0}},
		"[2] must begin at more points than the tier before it, got 4": {{"a", 0}, {"b", 5}, {"c", 4}},
		"[1] must have a name":                                         {{"a", 0}, {"", 1}},
		"[2] has a name that appears more than once":                   {{"a", 0}, {"b", 5}, {"a", 6}},
	} {
		assert.PanicsWithValue(t, "users.New: Options.Tiers"+want, func() { users.New(nil, &users.Options{Tiers: tiers}) })
	}
	assert.NotPanics(t, func() { users.New(nil, &users.Options{Tiers: users.DefaultTiers}) })
}

// An account, and what else is new of a user, in one write: the check that the user was not erased appears once.
func TestSignUpInOneWrite(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	created := repo.CreateOp(john())
	op := func() []dynastay.Part {
		return []dynastay.Part{
			repo.NotErasedOp("user_456"), repo.CreateOp(john(func(u *users.User) { u.Email = db.NewID("") + "@example.com" })),
			repo.EarnOp(users.Movement{UserID: "user_456", ReasonID: "welcome", Points: 100}),
			repo.UpdatePreferencesOp("user_456", setting("theme", "dark")),
			repo.CreateWishlistOp(users.Wishlist{UserID: "user_456", Name: "Ideas"}),
		}
	}
	_, err := repo.Create(t.Context(), john(func(u *users.User) { u.ID = "user_1" }))
	require.NoError(t, err)
	err = db.Write(t.Context(), created)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	require.NoError(t, db.Write(t.Context(), op()...))
	assert.Len(t, partition(t, db, "USER#user_456"), 4)

	_, err = repo.Erase(t.Context(), "user_456")
	require.NoError(t, err)
	err = db.Write(t.Context(), op()...)
	require.ErrorIs(t, err, users.ErrErased)
	var failure *dynastay.Error
	require.True(t, errors.As(err, &failure))
	assert.Equal(t, "user_456", failure.ID)
	assert.Equal(t, "User", failure.Entity)
	assert.Len(t, partition(t, db, "USER#user_456"), 1)
}
