package users_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/users"
)

// higher returns the tiers above a tier.
func higher(than users.Tier) (all []users.Tier) {
	for _, t := range slices.Backward(users.DefaultTiers) {
		if t.Tier == than {
			break
		}
		all = append(all, t.Tier)
	}
	return all
}

// doReverse takes a movement back.
func doReverse(c *call) {
	reason := draw(c.world, "reason", "a", "b", "c", "d", "e", "f", "g", "h")
	got, err := c.repo.Reverse(c.ctx, c.user.id, reason)
	entry, there := c.user.entries[reason]
	want := "done"
	switch {
	case !there:
		want = "not found"
	case entry.ReversedAt.IsZero() && c.user.account.Points < entry.Points:
		want = "points"
	}
	if !c.ended(want, err) {
		return
	}
	if entry.ReversedAt.IsZero() {
		account := *c.user.account
		account.Points, account.UpdatedAt = account.Points-entry.Points, c.now
		account.LifetimePoints -= max(entry.Points, 0)
		entry.ReversedAt = c.now
		c.user.account, c.user.entries[reason] = &account, entry
	}
	require.Equal(c.T, &entry, got)
}
