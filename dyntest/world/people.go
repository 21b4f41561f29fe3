package world

import (
	"fmt"
	"time"

	"github.com/dynastay/dynastay/users"
)

// Every tenth user owns properties, or may.
const ownersEach = 10

// oldestProperty is the largest age of a property, in days.
const oldestProperty = 1500

// owner returns the number of a user who owns properties.
func (w *World) owner(d dice) int {
	return d.below((w.opts.Users+ownersEach-1)/ownersEach) * ownersEach
}

// person plans the i-th user, and returns the time at which the user joins.
func (w *World) person(i int) (users.User, time.Time) {
	d := w.dice(forUser, i)
	at := draw(d, cityShares).country
	from := countries[at]
	joined := w.before(d, bookingDays+1, 1000)
	if i%ownersEach == 0 {
		joined = w.before(d, oldestProperty+1, 2500) // before what they own
	}
	u := users.User{
		ID: userID(i), FirstName: pick(d, from.names.first), LastName: pick(d, from.names.last), Role: users.Customer,
		Country: at, PreferredCurrency: from.currency, PreferredLanguage: from.language,
		EmailVerified: d.percent(92), LastLoginAt: joined.Add(time.Duration(d.below(60)) * 24 * time.Hour),
	}
	u.Email = fmt.Sprintf("%s.%s.%d@example.com", mailName(u.FirstName), mailName(u.LastName), i)
	if d.percent(60) {
		u.Phone = phoneNumber(d, at)
		u.PhoneVerified = d.percent(70)
	}
	if i%ownersEach == 0 {
		u.Role = users.Owner
	}
	return u, joined
}
