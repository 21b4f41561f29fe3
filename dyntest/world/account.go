package world

import (
	"context"
	"slices"
	"time"

	"github.com/dynastay/dynastay/users"
)

// Account is a user with everything that belongs to it, as it is stored. It is a copy: changing it does not change the
// world.
type Account struct {
	*users.User
	// Preferences is nil if the user has none.
	Preferences *users.Preferences
	// Loyalty is the loyalty account. A user who has never earned any points has none of them.
	Loyalty *users.Loyalty
	// Entries are the movements of the loyalty account, in the order of their reason ids, which is that of their times.
	Entries []*users.LoyaltyEntry
	// Wishlists are in the order of their ids.
	Wishlists []*users.Wishlist
}

const (
	preferencesPercent = 40
	memberPercent      = 45 // have earned points
	redeemPercent      = 30 // of those who have enough points redeem some
	leastRedeemed      = 500
	wishlistPercent    = 30
	publicPercent      = 30 // of the wishlists
	mostWishes         = 6  // in a wishlist
)

var (
	stayCounts    = []share[int]{{40, 1}, {25, 2}, {15, 3}, {10, 4}, {6, 5}, {4, 6}}
	pointsANight  = []share[int]{{50, 50}, {25, 100}, {15, 250}, {10, 1000}}
	wishlistNames = []string{"Summer holidays", "City breaks", "Work trips", "Honeymoon", "With the children", "One day"}
	settings      = []struct {
		name   string
		values []string
	}{
		{"theme", []string{"light", "dark", "system"}},
		{"newsletter", []string{"true", "false"}},
		{"price_display", []string{"per_night", "total"}},
		{"distance_unit", []string{"km", "mi"}},
	}
)

// belongings is the plan of what belongs to a user.
type belongings struct {
	settings  map[string]string // nil for none
	set       time.Time
	movements []movement
	wishlists []wishlist
}

// movement is one of points, at a time.
type movement struct {
	users.Movement
	redeems bool
	at      time.Time
}

// wishlist is created at a time.
type wishlist struct {
	users.Wishlist
	at time.Time
}

// belongings plans what belongs to the i-th user.
func (w *World) belongings(i int) (b belongings) {
	d := w.dice(forAccount, i)
	_, joined := w.person(i)
	since := int(w.opts.Today.Time().Sub(joined) / time.Second)
	later := func() time.Time { return joined.Add(seconds(d.between(1, since))) }
	if b.set = later(); d.percent(preferencesPercent) {
		b.settings = map[string]string{}
		for n, s := range settings {
			if value := pick(d, s.values); n == 0 || d.percent(50) {
				b.settings[s.name] = value
			}
		}
	}
	if d.percent(memberPercent) {
		b.movements = movements(d, i, later)
	}
	if d.percent(wishlistPercent) {
		for n := range d.between(1, 2) {
			b.wishlists = append(b.wishlists, wishlist{users.Wishlist{
				ID: wishlistID(i, n+1), UserID: userID(i), Name: pick(d, wishlistNames), Public: d.percent(publicPercent),
				PropertyIDs: w.wishes(d),
			}, later()})
		}
	}
	return b
}

// movements plans the points of the i-th user: some for each stay, of which some may be redeemed in the end.
func movements(d dice, i int, later func() time.Time) (all []movement) {
	user, aNight, points := userID(i), draw(d, pointsANight), 0
	times := make([]time.Time, draw(d, stayCounts)+1)
	for n := range times {
		times[n] = later()
	}
	slices.SortFunc(times, time.Time.Compare)
	last := len(times) - 1
	for n, at := range times[:last] {
		earned := draw(d, stayLengths) * aNight
		points += earned
		all = append(all, movement{users.Movement{
			UserID: user, ReasonID: movementID(i, n+1), Points: earned, Note: "A stay",
		}, false, at})
	}
	if d.percent(redeemPercent) && points >= leastRedeemed {
		all = append(all, movement{users.Movement{
			UserID: user, ReasonID: movementID(i, last+1), Points: points / 2, Note: "A voucher",
		}, true, times[last]})
	}
	return all
}

// wishes returns some hotels, whatever their status.
func (w *World) wishes(d dice) (ids []string) {
	for range d.below(mostWishes + 1) {
		if id := propertyID(d.below(w.opts.Properties)); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// accounts makes the users from, inclusive, to to, exclusive, with what belongs to them.
func (c *cell) accounts(ctx context.Context, from, to int) (all []*Account, err error) {
	repo := users.New(c.open(&c.capture), nil)
	for i := from; i < to; i++ {
		a := &Account{}
		if a.User, err = c.user(ctx, repo, i); err != nil {
			return nil, err
		}
		if err = c.world.belongings(i).carryOut(ctx, repo, a, func(now time.Time) { c.now = now }); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// carryOut lets the repository write what belongs to the user of an account, and adds it. It passes each time to clock
// first.
func (b belongings) carryOut(
	ctx context.Context, repo *users.Repository, a *Account, clock func(time.Time),
) (err error) {
	if b.settings != nil {
		clock(b.set)
		a.Preferences, err = repo.UpdatePreferences(ctx, a.ID, func(p *users.Preferences) error {
			p.Values = b.settings
			return nil
		})
	}
	for _, m := range b.movements {
		if err != nil {
			return err
		}
		clock(m.at)
		move := repo.Earn
		if m.redeems {
			move = repo.Redeem
		}
		var entry *users.LoyaltyEntry
		entry, err = move(ctx, m.Movement)
		a.Entries = append(a.Entries, entry)
	}
	for _, l := range b.wishlists {
		if err != nil {
			return err
		}
		clock(l.at)
		var made *users.Wishlist
		made, err = repo.CreateWishlist(ctx, l.Wishlist)
		a.Wishlists = append(a.Wishlists, made)
	}
	return err
}
