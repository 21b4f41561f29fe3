package users_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/users"
)

// worldOperations are all that a world does, each as often as its weight says.
var worldOperations = []struct {
	name   string
	weight int
	do     func(*call)
}{
	{"create", 14, doCreate},
	{"update", 14, doUpdate},
	{"verify e-mail", 4, doVerifyEmail},
	{"verify phone", 4, doVerifyPhone},
	{"login", 4, doLogin},
	{"find", 3, doFind},
	{"prefer", 8, doPrefer},
	{"earn", 10, doMove(1)},
	{"redeem", 8, doMove(-1)},
	{"reverse", 6, doReverse},
	{"create wishlist", 8, doCreateWishlist},
	{"add", 8, doAdd},
	{"remove", 6, doRemove},
	{"rename", 6, doRename},
	{"delete", 5, doDelete},
	{"own write", 1, doOwnWrite},
	{"read", 3, doRead},
	{"erase", 2, doErase},
}

// spelled returns an address as a user may type it; now and then, it is none.
func (c *call) spelled() (typed, normal string) {
	normal = draw(c.world, "address", c.addresses...)
	if c.chance("no address", 4) {
		return "nobody", ""
	}
	return draw(c.world, "spelling", normal, strings.ToUpper(normal), " "+normal), normal
}

var numbers = []string{"", "+1-555-123-4567", "+15551234567", "+371 20 000 000"}

func compact(number string) string { return strings.NewReplacer(" ", "", "-", "").Replace(number) }

// version draws a condition, and reports whether it holds for an entity at the given version.
func (c *call) version(now int) (opts []dynastay.UpdateOption, holds bool) {
	if !c.chance("conditional", 25) {
		return nil, true
	}
	wanted := draw(c.world, "version", max(0, now-1), now, now)
	return []dynastay.UpdateOption{dynastay.IfVersion(wanted)}, wanted == now
}

func doCreate(c *call) {
	typed, address := c.spelled()
	given := john(func(u *users.User) {
		u.ID, u.Email, u.EmailVerified, u.Phone = c.user.id, typed, c.chance("verified", 50), draw(c.world, "phone", numbers...)
		u.LastLoginAt = time.Time{}
	})
	got, err := c.repo.Create(c.ctx, given)
	want := "done"
	switch {
	case address == "":
		want = "invalid Email"
	case !c.user.erasedAt.IsZero():
		want = "erased"
	case c.user.profile != nil:
		want = "exists"
	case c.owner(address) != nil:
		want = "exists Email"
	}
	if c.ended(want, err) {
		given.Email, given.CreatedAt, given.UpdatedAt, given.Version = address, c.now, c.now, 1
		require.Equal(c.T, &given, got)
		c.user.profile = &given
	}
}

// edited is what the model expects of a change: the entity before it, if nothing was changed.
func edited[T any](before, after *T, changed func(*T)) *T {
	if reflect.DeepEqual(before, after) {
		return before
	}
	changed(after)
	return after
}

func (c *call) editedProfile(after users.User) *users.User {
	return edited(c.user.profile, &after, func(u *users.User) { u.UpdatedAt, u.Version = c.now, u.Version+1 })
}

func doUpdate(c *call) {
	typed, address := c.spelled()
	number, name := draw(c.world, "phone", numbers...), draw(c.world, "name", "John", "Jane")
	withEmail, withPhone, withFlags := c.chance("e-mail", 50), c.chance("with phone", 30), c.chance("flags", 20)
	before := users.User{}
	if c.user.profile != nil {
		before = *c.user.profile
	}
	opts, holds := c.version(before.Version)
	got, err := c.repo.Update(c.ctx, c.user.id, editing(func(u *users.User) {
		u.FirstName = name
		if withEmail {
			u.Email = typed
		}
		if withPhone {
			u.Phone = number
		}
		if withFlags {
			u.EmailVerified, u.PhoneVerified = true, true
		}
	}), opts...)
	after, want := before, "done"
	after.FirstName = name
	if withFlags {
		after.EmailVerified, after.PhoneVerified = true, true
	}
	if withEmail {
		after.Email, after.EmailVerified = address, after.EmailVerified && address == before.Email
	}
	if withPhone {
		after.Phone, after.PhoneVerified = number, after.PhoneVerified && compact(number) == compact(before.Phone)
	}
	switch {
	case c.user.profile == nil:
		want = "not found"
	case !holds:
		want = "version"
	case withEmail && address == "":
		want = "invalid Email"
	case c.owner(after.Email) != c.user && c.owner(after.Email) != nil:
		want = "exists Email"
	}
	if c.ended(want, err) {
		c.user.profile = c.editedProfile(after)
		require.Equal(c.T, c.user.profile, got)
	}
}

func doVerifyEmail(c *call) {
	_, address := c.spelled()
	if address == "" {
		address = "nobody@example.com"
	}
	got, err := c.repo.VerifyEmail(c.ctx, c.user.id, strings.ToUpper(address))
	c.verified(err, got, func(u *users.User) string {
		if u.Email != address {
			return "version Email"
		}
		u.EmailVerified = true
		return "done"
	})
}

func doVerifyPhone(c *call) {
	number := draw(c.world, "number", numbers[1:]...)
	got, err := c.repo.VerifyPhone(c.ctx, c.user.id, number)
	c.verified(err, got, func(u *users.User) string {
		if compact(u.Phone) != compact(number) {
			return "version Phone"
		}
		u.PhoneVerified = true
		return "done"
	})
}

func (c *call) verified(err error, got *users.User, verify func(*users.User) string) {
	if c.user.profile == nil {
		c.ended("not found", err)
		return
	}
	after := *c.user.profile
	if c.ended(verify(&after), err) {
		c.user.profile = c.editedProfile(after)
		require.Equal(c.T, c.user.profile, got)
	}
}

func doLogin(c *call) {
	err := c.repo.RecordLogin(c.ctx, c.user.id)
	switch before := c.user.profile; {
	case before == nil:
		c.ended("not found", err)
	case c.faulty && outcomeOf(err) == "unknown" && !before.LastLoginAt.Before(c.now.Truncate(time.Second)):
		// Nothing had to be written, which is a refusal: the response to it was lost.
		c.met.Add(c.name+": unknown", 1)
	case c.ended("done", err):
		after := *c.user.profile
		after.LastLoginAt = c.now.Truncate(time.Second)
		c.user.profile = &after
	}
}

func doFind(c *call) {
	address := draw(c.world, "address", c.addresses...)
	got, err := c.repo.ByEmail(c.ctx, address, dynastay.Consistent)
	if owner := c.owner(address); owner == nil {
		c.ended("not found Email", err)
	} else if c.ended("done", err) {
		require.Equal(c.T, owner.profile, got)
	}
}

func doPrefer(c *call) {
	name, value, remove := draw(c.world, "name", "a", "b.c", ""), draw(c.world, "value", "x", "y", ""), c.chance("remove", 30)
	before := users.Preferences{UserID: c.user.id, Values: map[string]string{}}
	if c.user.preferences != nil {
		before = *c.user.preferences
	}
	change := func(p *users.Preferences) error {
		if remove {
			delete(p.Values, name)
		} else {
			p.Values[name] = value
		}
		return nil
	}
	opts, holds := c.version(before.Version)
	got, err := c.repo.UpdatePreferences(c.ctx, c.user.id, change, opts...)
	after, want := before, "done"
	after.Values = maps.Clone(before.Values)
	require.NoError(c.T, change(&after))
	changed := !maps.Equal(after.Values, before.Values)
	switch {
	case !holds:
		want = "version"
	case name == "" && !remove:
		want = "invalid Values"
	case changed && !c.user.erasedAt.IsZero():
		want = "erased"
	}
	if !c.ended(want, err) {
		return
	}
	if changed {
		after.UpdatedAt, after.Version = c.now, after.Version+1
		if before.Version == 0 {
			after.CreatedAt = c.now
		}
		c.user.preferences = &after
	}
	require.Equal(c.T, &after, got)
}

// doMove earns points, or redeems them if the sign is negative.
func doMove(sign int) func(*call) {
	return func(c *call) {
		m := users.Movement{
			UserID: c.user.id, ReasonID: draw(c.world, "reason", "a", "b", "c", "d", "e", "f", "g", "h"),
			Points: draw(c.world, "points", 1, 400, 999, 3_600), Note: draw(c.world, "note", "", "for you"),
		}
		move := c.repo.Earn
		if sign < 0 {
			move = c.repo.Redeem
		}
		got, err := move(c.ctx, m)
		account := users.Loyalty{UserID: c.user.id, Tier: users.Bronze, TierSince: c.now}
		if c.user.account != nil {
			account = *c.user.account
		}
		entry, repeated := c.user.entries[m.ReasonID]
		want := "done"
		switch {
		case repeated && entry.Points != sign*m.Points:
			want = "reason used Points"
		case repeated && !entry.ReversedAt.IsZero():
			want = "reversed"
		case repeated:
		case sign < 0 && account.Points < m.Points:
			want = "points"
		case !c.user.erasedAt.IsZero():
			want = "erased"
		}
		if !c.ended(want, err) {
			return
		}
		if !repeated {
			entry = users.LoyaltyEntry{
				UserID: m.UserID, ReasonID: m.ReasonID, Points: sign * m.Points, Balance: account.Points + sign*m.Points,
				Note: m.Note, CreatedAt: c.now,
			}
			for _, tier := range users.DefaultTiers {
				if sign > 0 && account.LifetimePoints < tier.Points && account.LifetimePoints+m.Points >= tier.Points {
					if slices.Contains(higher(account.Tier), tier.Tier) {
						account.Tier, account.TierSince, entry.TierReached = tier.Tier, c.now, tier.Tier
					}
				}
			}
			account.Points, account.UpdatedAt = entry.Balance, c.now
			account.LifetimePoints += max(entry.Points, 0)
			c.user.account, c.user.entries[m.ReasonID] = &account, entry
		}
		require.Equal(c.T, &entry, got)
	}
}

func doCreateWishlist(c *call) {
	given := users.Wishlist{
		ID: draw(c.world, "id", "", "wl_1", "wl_2"), UserID: c.user.id, Name: draw(c.world, "name", "Summer", "Winter", " "),
		Public: c.chance("public", 50), PropertyIDs: draw(c.world, "properties", nil, []string{"a", "b"}),
	}
	got, err := c.repo.CreateWishlist(c.ctx, given)
	want := "done"
	switch {
	case given.Name == " ":
		want = "invalid Name"
	case !c.user.erasedAt.IsZero():
		want = "erased"
	case c.user.wishlists[given.ID] != nil:
		want = "exists"
	}
	if c.ended(want, err) {
		if given.ID == "" {
			require.Regexp(c.T, "^wl_.{26}$", got.ID)
			given.ID = got.ID
		}
		given.CreatedAt, given.UpdatedAt, given.Version = c.now, c.now, 1
		require.Equal(c.T, &given, got)
		c.user.wishlists[given.ID] = &given
	}
}

// wishlist draws one of the user's wishlists, or one that may not exist.
func (c *call) wishlist() (id string, w users.Wishlist, exists bool) {
	all := slices.Sorted(maps.Keys(c.user.wishlists))
	id = draw(c.world, "wishlist", append(slices.Repeat(all, 4), "wl_1", "wl_2")...)
	if found := c.user.wishlists[id]; found != nil {
		w = *found
		w.PropertyIDs = slices.Clone(found.PropertyIDs)
		return id, w, true
	}
	return id, w, false
}

// changed is the end of a call that changes a wishlist.
func (c *call) changed(want, id string, after users.Wishlist, got *users.Wishlist, err error) {
	if c.ended(want, err) {
		c.user.wishlists[id] = edited(c.user.wishlists[id], &after, func(w *users.Wishlist) {
			w.UpdatedAt, w.Version = c.now, w.Version+1
		})
		require.Equal(c.T, c.user.wishlists[id], got)
	}
}

func foundOr(exists bool, want string) string {
	if !exists {
		return "not found"
	}
	return want
}

func doAdd(c *call) {
	id, after, exists := c.wishlist()
	property := draw(c.world, "property", "a", "b", "c", "d")
	got, err := c.repo.AddToWishlist(c.ctx, c.user.id, id, property)
	if !slices.Contains(after.PropertyIDs, property) {
		after.PropertyIDs = append(after.PropertyIDs, property)
	}
	c.changed(foundOr(exists, "done"), id, after, got, err)
}

func doRemove(c *call) {
	id, after, exists := c.wishlist()
	property := draw(c.world, "property", "a", "b", "c", "d")
	got, err := c.repo.RemoveFromWishlist(c.ctx, c.user.id, id, property)
	after.PropertyIDs = slices.DeleteFunc(after.PropertyIDs, func(other string) bool { return other == property })
	c.changed(foundOr(exists, "done"), id, after, got, err)
}

func doRename(c *call) {
	id, after, exists := c.wishlist()
	after.Name, after.Public = draw(c.world, "name", "Summer", "Winter", ""), c.chance("public", 50)
	opts, holds := c.version(after.Version)
	got, err := c.repo.UpdateWishlist(c.ctx, c.user.id, id, func(w *users.Wishlist) error {
		w.Name, w.Public = after.Name, after.Public
		return nil
	}, opts...)
	want := "done"
	switch {
	case !holds:
		want = "version"
	case after.Name == "":
		want = "invalid Name"
	}
	c.changed(foundOr(exists, want), id, after, got, err)
}

// doDelete deletes a wishlist. If the request or its response is lost, the outcome may be unknown.
func doDelete(c *call) {
	id, before, exists := c.wishlist()
	opts, holds := c.version(before.Version)
	err := c.repo.DeleteWishlist(c.ctx, c.user.id, id, opts...)
	if c.faulty && errors.Is(err, dynastay.ErrOutcomeUnknown) {
		c.ended("unknown", err)
		_, err := c.repo.Wishlist(c.ctx, c.user.id, id, dynastay.Consistent)
		if outcomeOf(err) == "not found" {
			delete(c.user.wishlists, id)
		}
		return
	}
	want := "done"
	if !holds {
		want = "version"
	}
	if c.ended(foundOr(exists, want), err) {
		delete(c.user.wishlists, id)
	}
}

func doOwnWrite(c *call) {
	want := "done"
	if !c.user.erasedAt.IsZero() {
		want = "erased"
	}
	c.ended(want, c.process.Write(c.ctx, c.repo.NotErasedOp(c.user.id)))
}

func doRead(c *call) {
	c.comparePerson(c.repo, c.user)
}

func doErase(c *call) {
	got, err := c.repo.Erase(c.ctx, c.user.id)
	if !c.ended("done", err) {
		return
	}
	done := map[string]int{}
	for what, n := range map[string]int{
		"profiles deleted": present(c.user.profile), "preferences deleted": present(c.user.preferences),
		"loyalty accounts deleted": present(c.user.account), "loyalty entries deleted": len(c.user.entries),
		"wishlists deleted": len(c.user.wishlists),
	} {
		if n > 0 {
			done[what] = n
		}
	}
	if c.user.erasedAt.IsZero() {
		c.user.erasedAt = c.now
	}
	require.Equal(c.T, &users.Erasure{UserID: c.user.id, ErasedAt: c.user.erasedAt, Done: done}, got, fmt.Sprint(done))
	*c.user = person{
		id: c.user.id, erasedAt: c.user.erasedAt, entries: map[string]users.LoyaltyEntry{}, wishlists: map[string]*users.Wishlist{},
	}
}

func present[T any](v *T) int {
	if v == nil {
		return 0
	}
	return 1
}
