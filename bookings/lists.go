package bookings

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// ByUser lists all bookings of a user, latest check-in first. The list is eventually consistent: a booking that was
// just created may be missing.
//
// Pattern B1: GSI1-UserBookingsIndex, GSI1PK = USER#{userId}, 1 request
func (r *Repository) ByUser(userID string) dynastay.List[*Summary] {
	return r.byUser("bookings.ByUser", userID, dynastay.Date{}, dynastay.Date{}, true)
}

// Upcoming lists the bookings of a user whose stays are not over, next check-in first: those that are confirmed,
// checked in or currently held, with a check-out of today or later. today is the date where the user is. The list is
// eventually consistent. It reads the stays that began in the last 90 days as well, because a stay may be that long. A
// cursor remains valid on other dates.
//
// Pattern B1, upcoming: GSI1-UserBookingsIndex, GSI1PK = USER#{userId}, GSI1SK from CHECKIN#{today − 90 days}, 1 request
func (r *Repository) Upcoming(userID string, today dynastay.Date) dynastay.List[*Summary] {
	if today.IsZero() {
		return dynastay.NoList[*Summary](dynastay.Invalid("Today", "is required"))
	}
	list := r.byUser("bookings.Upcoming", userID, today.AddDays(-availability.MaxNights), dynastay.Date{}, false)
	return list.Filter(func(s *Summary) bool {
		switch s.Status {
		case Pending, Confirmed, CheckedIn:
			return !s.Stay.CheckOut.Before(today) && !s.lapsed(r.db.Now())
		}
		return false
	})
}

// datesAhead is how many days later than for a user the date at a property may be: there are 26 hours between the first
// and the last time zone.
const datesAhead = 2

// Past lists the bookings of a user that are over, latest check-in first: completed stays, no-shows, and all others
// with a check-out before today that were neither cancelled nor expired. A hold that has ended counts as expired. today
// is the date where the user is. The list is eventually consistent. A cursor remains valid on other dates.
//
// Pattern B1, past: GSI1-UserBookingsIndex, GSI1PK = USER#{userId}, GSI1SK to CHECKIN#{today + 3 days}, 1 request
func (r *Repository) Past(userID string, today dynastay.Date) dynastay.List[*Summary] {
	if today.IsZero() {
		return dynastay.NoList[*Summary](dynastay.Invalid("Today", "is required"))
	}
	list := r.byUser("bookings.Past", userID, dynastay.Date{}, today.AddDays(datesAhead+1), true)
	return list.Filter(func(s *Summary) bool {
		switch s.Status {
		case Completed, NoShow:
			return true
		case Cancelled, Expired:
			return false
		}
		return s.Stay.CheckOut.Before(today) && !s.lapsed(r.db.Now())
	})
}

// lapsed reports whether the booking is as good as expired: the hold has ended, but nothing has expired it yet.
func (s *Summary) lapsed(now time.Time) bool { return s.Status == Pending && s.holdEnded(now) }

// Cancelled lists the cancelled bookings of a user, latest check-in first. The list is eventually consistent.
//
// Pattern B1, cancelled: GSI1-UserBookingsIndex, GSI1PK = USER#{userId}, 1 request
func (r *Repository) Cancelled(userID string) dynastay.List[*Summary] {
	list := r.byUser("bookings.Cancelled", userID, dynastay.Date{}, dynastay.Date{}, true)
	return list.Filter(func(s *Summary) bool { return s.Status == Cancelled })
}

func (r *Repository) byUser(name, userID string, from, to dynastay.Date, descending bool) dynastay.List[*Summary] {
	partition, err := keys.Partition(keys.BookingByUser{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Summary](err)
	}
	return r.byCheckInDate(dynastay.Query{
		Name: name, Index: keys.UserBookingsIndex, Partition: partition, Descending: descending, Moving: true,
	}, from, to)
}

// byCheckInDate lists the bookings with a check-in in [from, to) from the index by user or by property, whose sort keys
// are the same. A zero date is no bound.
func (r *Repository) byCheckInDate(q dynastay.Query, from, to dynastay.Date) dynastay.List[*Summary] {
	var err error
	if q.Range, err = dates(from, to, func(date dynastay.Date) (string, error) {
		return keys.SortPrefix(keys.BookingByUser{CheckIn: date})
	}); err != nil {
		return dynastay.NoList[*Summary](err)
	}
	return dynastay.ListOf(r.db, keys.BookingsTable, q, summaryOf)
}

// dates returns the range of the keys with a date in [from, to), of which prefix returns the beginning.
func dates(from, to dynastay.Date, prefix func(dynastay.Date) (string, error)) (within dynastay.Range, err error) {
	if !from.IsZero() && !to.IsZero() && !to.After(from) {
		return within, dynastay.Invalid("To", "must be after From")
	}
	for _, bound := range []struct {
		date dynastay.Date
		text *string
	}{{from, &within.From}, {to, &within.To}} {
		if bound.date.IsZero() {
			continue
		}
		if *bound.text, err = prefix(bound.date); err != nil {
			return within, err
		}
	}
	return within, nil
}

// PropertyQuery selects bookings of a property by their check-in dates.
type PropertyQuery struct {
	PropertyID string
	// From is the first check-in date, To the first one after the range: the dates are half-open, like the nights of a
	// stay. Default: no bound.
	From, To dynastay.Date
}

// ByProperty lists the bookings of a property, earliest check-in first, whatever their status. The list is eventually
// consistent.
//
// Pattern B3: GSI2-PropertyBookingsIndex, GSI2PK = PROPERTY#{propertyId}, GSI2SK from CHECKIN#{from} to CHECKIN#{to}, 1 request
func (r *Repository) ByProperty(q PropertyQuery) dynastay.List[*Summary] {
	partition, err := keys.Partition(keys.BookingByProperty{PropertyID: q.PropertyID})
	if err != nil {
		return dynastay.NoList[*Summary](err)
	}
	return r.byCheckInDate(dynastay.Query{
		Name: "bookings.ByProperty", Index: keys.PropertyBookingsIndex, Partition: partition,
	}, q.From, q.To)
}

// ByStatus lists the bookings of all properties with a status, oldest first. The list is eventually consistent: a
// booking that was just created or changed may be missing, or still be listed under its former status. Each shard takes
// 1 request; the requests are sent in parallel.
//
// Pattern B4: GSI3-StatusIndex, GSI3PK = STATUS#{status}, 1 request
func (r *Repository) ByStatus(status Status) dynastay.List[*Summary] {
	shards, err := keys.Partitions(keys.BookingByStatus{Status: string(status)}, r.opts.StatusShards.Read)
	if err != nil {
		return dynastay.NoList[*Summary](err)
	}
	return dynastay.ListOf(r.db, keys.BookingsTable, dynastay.Query{
		Name: "bookings.ByStatus", Index: keys.BookingStatusIndex, Partition: shards[0], Shards: shards[1:],
	}, summaryOf)
}

// CheckInQuery selects the bookings with a check-in on a date.
type CheckInQuery struct {
	Date       dynastay.Date
	PropertyID string // default: all properties
}

// ByCheckIn lists the bookings with a check-in on a date, at one property or at all of them, ordered by property and
// then by id. Cancelled and expired bookings are left out. Pending ones are not, even after their hold has ended, until they
// are expired: to show only arrivals that are certain, filter by Status.
// The list is eventually consistent. Each shard takes 1 request; the requests are sent in parallel.
//
// Pattern B5: GSI5-CheckInDateIndex, GSI5PK = CHECKIN#{date}, with a property GSI5SK beginning with PROPERTY#{propertyId}#, 1 request
func (r *Repository) ByCheckIn(q CheckInQuery) dynastay.List[*Summary] {
	if q.Date.IsZero() {
		return dynastay.NoList[*Summary](dynastay.Invalid("Date", "is required"))
	}
	at := keys.BookingByCheckIn{CheckIn: q.Date, PropertyID: q.PropertyID}
	shards, err := keys.Partitions(at, r.opts.CheckInShards.Read)
	if err != nil {
		return dynastay.NoList[*Summary](err)
	}
	var property dynastay.Range
	if q.PropertyID != "" {
		if property.Prefix, err = keys.SortPrefix(at); err != nil {
			return dynastay.NoList[*Summary](err)
		}
	}
	return dynastay.ListOf(r.db, keys.BookingsTable, dynastay.Query{
		Name: "bookings.ByCheckIn", Index: keys.CheckInDateIndex, Partition: shards[0], Shards: shards[1:], Range: property,
	}, summaryOf)
}
