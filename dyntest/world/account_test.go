package world

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/users"
)

// checkAccount checks that what belongs to a user agrees with itself and with the times.
func checkAccount(t testing.TB, w *World, a *Account) {
	t.Helper()
	today := w.opts.Today.Time()
	if p := a.Preferences; p != nil {
		assert.Equal(t, a.ID, p.UserID)
		assert.NotEmpty(t, p.Values["theme"])
		assert.WithinRange(t, p.CreatedAt, a.CreatedAt, today)
	}
	points, earned, tier := 0, 0, users.Bronze
	before := a.CreatedAt
	for n, e := range a.Entries {
		assert.Equal(t, []string{a.ID, movementID(numberOf(t, a.ID), n+1)}, []string{e.UserID, e.ReasonID})
		points, earned = points+e.Points, earned+max(e.Points, 0)
		assert.Equal(t, points, e.Balance, e.ReasonID)
		assert.False(t, points < 0, e.ReasonID)
		assert.WithinRange(t, e.CreatedAt, before, today)
		before = e.CreatedAt
		assert.NotEmpty(t, e.Note)
		if e.TierReached != "" {
			tier = e.TierReached
		}
	}
	assert.Equal(t, []any{a.ID, points, earned, tier}, []any{a.Loyalty.UserID, a.Loyalty.Points, a.Loyalty.LifetimePoints, a.Loyalty.Tier})
	for n, l := range a.Wishlists {
		assert.Equal(t, []string{a.ID, wishlistID(numberOf(t, a.ID), n+1)}, []string{l.UserID, l.ID})
		assert.WithinRange(t, l.CreatedAt, a.CreatedAt, today)
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(l.PropertyIDs))), len(l.PropertyIDs), l.ID)
		assert.Contains(t, wishlistNames, l.Name)
	}
}

// The accounts of a world that is large enough to show the shares.
func TestAccounts(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 8, Properties: 30, Users: 3000})
	tiers, sizes, wished, names, values := map[users.Tier]int{}, map[int]int{}, map[string]bool{}, map[string]int{}, map[string]int{}
	preferences, members, could, redeemed, most, withLists, lists, public := 0, 0, 0, 0, 0, 0, 0, 0
	for a := range w.Accounts() {
		checkAccount(t, w, a)
		if a.Preferences != nil {
			preferences++
			for name, value := range a.Preferences.Values {
				names[name]++
				values[name+value]++
			}
		}
		tiers[a.Loyalty.Tier]++
		if len(a.Entries) > 0 {
			members++
			most = max(most, len(a.Entries))
		}
		if a.Loyalty.LifetimePoints >= 500 {
			could++
		}
		if last := len(a.Entries) - 1; a.Loyalty.Points < a.Loyalty.LifetimePoints {
			redeemed++
			assert.Equal(t, -(a.Loyalty.LifetimePoints / 2), a.Entries[last].Points)
			assert.GreaterOrEqual(t, a.Loyalty.LifetimePoints, 500)
		}
		if len(a.Wishlists) > 0 {
			withLists++
		}
		for _, l := range a.Wishlists {
			lists++
			sizes[len(l.PropertyIDs)]++
			if l.Public {
				public++
			}
			for _, id := range l.PropertyIDs {
				wished[id] = true
			}
		}
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"preferences":         {40, percent(preferences, 3000), 3},
		"have earned points":  {45, percent(members, 3000), 3},
		"redeem points":       {30, percent(redeemed, could), 5},
		"wishlists":           {30, percent(withLists, 3000), 3},
		"of these, two":       {50, percent(lists-withLists, withLists), 6},
		"public wishlists":    {30, percent(public, lists), 5},
		"a theme":             {100, percent(names["theme"], preferences), 0},
		"a newsletter or not": {50, percent(names["newsletter"], preferences), 5},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Len(t, tiers, len(users.DefaultTiers))
	assert.Len(t, sizes, mostWishes+1)
	assert.Len(t, wished, 30, "any hotel, and no other")
	for id := range wished {
		assert.Less(t, numberOf(t, id), 30)
	}
	assert.Len(t, names, len(settings))
	assert.Len(t, values, 9)
	assert.Equal(t, 7, most, "six stays, and points redeemed")
}
