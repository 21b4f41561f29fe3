package world

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// The past stays of a world that is large enough to show the shares.
func TestPastStays(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 6, Properties: 1500, Users: 300, Nights: 2})
	of, counts, lengths := map[bookings.Status]int{}, map[int]int{}, map[int]int{}
	hotels, all, owners, doubles, deposits := 0, 0, 0, 0, 0
	longest, shortest, latest := time.Duration(0), 999*time.Hour, dynastay.Date{}
	for i := range w.opts.Properties {
		h := w.house(i)
		if h.property.Status != properties.Approved {
			continue
		}
		stays, err := w.past(i, h, 17)
		require.NoError(t, err)
		hotels++
		counts[len(stays)]++
		taken := map[dynastay.Date]bool{}
		for n, s := range stays {
			all++
			of[s.status]++
			lengths[s.nights]++
			assert.Equal(t, bookingID(i, 17+n), s.id)
			assert.True(t, n == 0 || !s.made.Before(stays[n-1].made), "%s: in the order of creation", s.id)
			stay := w.stay(s)
			for date := range stay.Dates() {
				assert.False(t, taken[date], "%s: stays do not overlap on %s", s.id, date)
				taken[date] = true
			}
			assert.GreaterOrEqual(t, s.arrival, -88, s.id)
			assert.Less(t, s.arrival+s.nights, 0, "%s ends before Today", s.id)
			latest = slices.MaxFunc([]dynastay.Date{latest, stay.CheckOut}, dynastay.Date.Compare)
			lead := stay.CheckIn.Time().Sub(s.made)
			longest, shortest = max(longest, lead), min(shortest, lead)
			assert.True(t, s.made.After(h.created), s.id)
			_, joined := w.person(s.booker)
			assert.True(t, joined.Before(s.made), "%s is booked by a user", s.id)
			if s.booker%ownersEach == 0 {
				owners++
			}
			_, least := h.night(s.rooms[0].k, stay.CheckIn)
			assert.GreaterOrEqual(t, s.nights, least, s.id)
			assert.LessOrEqual(t, s.rooms[0].quantity, h.sale[s.rooms[0].k])
			doubles += s.rooms[0].quantity - 1
			if s.notices[len(s.notices)-1].charge.part == rest {
				deposits++
			}
		}
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"spans with a stay": {25, percent(all, hotels*8), 1.5},
		"no-shows":          {5, percent(of[bookings.NoShow], all), 1},
		"paid in parts":     {15, percent(deposits, all), 3},
		"booked by owners":  {10, percent(owners, all), 4},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Len(t, of, len(inPast))
	assert.Positive(t, counts[0], "a hotel without past stays")
	assert.Positive(t, doubles)
	assert.Len(t, lengths, 7)
	assert.True(t, 9*24*time.Hour < longest && longest <= 10*24*time.Hour, longest)
	assert.True(t, 24*time.Hour <= shortest && shortest < 30*time.Hour, shortest)
	assert.Equal(t, w.opts.Today.AddDays(-1), latest, "the last day before Today")
}

// No two bookings of a world have the same reference, and larger worlds have those of smaller ones.
func TestReferencesOfPastStays(t *testing.T) {
	t.Parallel()
	most := references / (mostBookings(maxNights) + mostPast)
	for _, w := range []*World{
		New(Options{Seed: 6, Properties: maxProperties}), New(Options{Seed: 6, Properties: most, Nights: maxNights}),
	} {
		last, seen := w.opts.Properties-1, map[int]bool{}
		for _, i := range []int{0, 1, 2, 3, last - 3, last - 2, last - 1, last} {
			stays, err := w.past(i, w.house(i), 0)
			require.NoError(t, err)
			for _, s := range stays {
				assert.GreaterOrEqual(t, s.number, w.opts.Properties*mostBookings(w.opts.Nights), "after all others")
				assert.Less(t, s.number, references)
				assert.False(t, seen[s.number], s.id)
				seen[s.number] = true
			}
		}
		assert.Greater(t, len(seen), 5)
	}
}

// checkReview checks that a review agrees with its stay, its status and its votes.
func checkReview(
	t testing.TB, w *World, r *reviews.Review, b *bookings.Booking, people map[string]*users.User, votes []string,
) {
	t.Helper()
	require.NotNil(t, b, r.ID)
	assert.Equal(t, bookings.Completed, b.Status, r.ID)
	assert.Equal(t, []any{b.UserID, b.PropertyID, b.Stay.CheckIn}, []any{r.UserID, r.PropertyID, r.StayDate}, r.ID)
	assert.True(t, r.Verified, r.ID)
	last := []rune(b.Guest.LastName)
	assert.Equal(t, []string{b.Guest.FirstName + " " + string(last[0]) + ".", b.Guest.Country}, []string{r.GuestName, r.GuestCountry})
	today := w.opts.Today.Time()
	assert.WithinRange(t, r.CreatedAt, b.CheckedOutAt.Add(6*time.Hour), b.CheckedOutAt.Add(10*24*time.Hour))
	assert.True(t, r.UpdatedAt.Before(today), r.ID)
	assert.NoError(t, r.Validate())
	assert.NotEmpty(t, r.Text)
	assert.Equal(t, r.Status == reviews.Rejected, r.RejectionReason != "", r.ID)
	assert.Equal(t, r.Status == reviews.Pending, r.UpdatedAt.Equal(r.CreatedAt), r.ID)
	assert.LessOrEqual(t, r.UpdatedAt.Sub(r.CreatedAt), 48*time.Hour, "it is moderated within two days")
	assert.Equal(t, r.HelpfulCount, len(votes), r.ID)
	assert.True(t, len(votes) == 0 || r.Status == reviews.Approved, "%s has votes and is %s", r.ID, r.Status)
	assert.NotContains(t, votes, r.UserID)
	for _, user := range votes {
		assert.Contains(t, people, user)
	}
	if r.Response != nil {
		assert.Equal(t, reviews.Approved, r.Status, r.ID)
		assert.Equal(t, users.Owner, people[r.Response.ResponderID].Role)
		assert.WithinRange(t, r.Response.CreatedAt, r.UpdatedAt.Add(time.Hour), r.UpdatedAt.Add(7*24*time.Hour))
		assert.True(t, r.Response.CreatedAt.Before(today), r.ID)
		assert.Contains(t, moodOf(r.Ratings.Overall).responses, r.Response.Text)
	}
}

// checkRating checks that the rating of a property is the exact average of its approved reviews.
func checkRating(t testing.TB, p *properties.Property, approved []dynastay.Rating) {
	t.Helper()
	total, average := 0, 0.0
	for _, r := range approved {
		total += int(r)
	}
	if len(approved) > 0 {
		average = float64(total) / float64(len(approved))
	}
	assert.Len(t, approved, p.ReviewCount, p.ID)
	assert.Equal(t, properties.RatingTotals{Reviews: len(approved), Tenths: total}, p.Totals(), p.ID)
	assert.InDelta(t, average, float64(p.Rating), 0.5, p.ID)
}

// The reviews of a world that is large enough to show the shares.
func TestReviews(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 7, Properties: 800, Users: 100, Nights: 1, Occupancy: 0.01})
	people := map[string]*users.User{}
	for u := range w.Users() {
		people[u.ID] = u
	}
	of, trips, reasons, counts := map[reviews.Status]int{}, map[reviews.TripType]int{}, map[string]int{}, map[int]int{}
	completed, all, answered, titles, pros, cons, staff, value, good, poor, top := 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	ids := map[string]bool{}
	for h := range w.Hotels() {
		stays := map[string]*bookings.Booking{}
		for n, b := range h.PastStays {
			assert.Equal(t, bookingID(numberOf(t, h.ID), len(h.Bookings)+n), b.ID)
			checkLife(t, w, b)
			paid, ok := h.Payments[b.ID]
			checkPayments(t, w, b, paid, ok)
			stays[b.ID] = b
			if b.Status == bookings.Completed {
				completed++
			}
		}
		var ratings []dynastay.Rating
		last := ""
		for _, r := range h.Reviews {
			checkReview(t, w, r, stays[r.BookingID], people, h.Votes[r.ID])
			assert.Equal(t, "rev_"+strings.TrimPrefix(r.BookingID, "bkg_"), r.ID)
			assert.Greater(t, r.ID, last, "in the order of the stays")
			assert.False(t, ids[r.ID])
			last, ids[r.ID] = r.ID, true
			switch guests := stays[r.BookingID].Guests; {
			case guests.Children > 0:
				assert.Equal(t, reviews.Family, r.TripType, r.ID)
			case guests.Adults == 1:
				assert.Contains(t, []reviews.TripType{reviews.Business, reviews.Solo}, r.TripType, r.ID)
			case guests.Adults == 2:
				assert.Equal(t, reviews.Couple, r.TripType, r.ID)
			}
			all++
			of[r.Status]++
			trips[r.TripType]++
			counts[r.HelpfulCount]++
			for _, has := range []struct {
				n   *int
				yes bool
			}{
				{&titles, r.Title != ""}, {&pros, r.Pros != ""}, {&cons, r.Cons != ""}, {&staff, r.Ratings.Staff > 0},
				{&value, r.Ratings.Value > 0}, {&good, r.Ratings.Overall >= 80}, {&poor, r.Ratings.Overall < 60},
				{&top, r.Ratings.Overall == dynastay.MaxRating}, {&answered, r.Response != nil},
			} {
				if has.yes {
					*has.n++
				}
			}
			if r.RejectionReason != "" {
				reasons[r.RejectionReason]++
			}
			if r.Status == reviews.Approved {
				ratings = append(ratings, r.Ratings.Overall)
				if r.Response != nil {
					assert.Equal(t, h.OwnerID, r.Response.ResponderID)
				}
			}
		}
		checkRating(t, &h.Property, ratings)
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"stays with a review":  {60, percent(all, completed), 4},
		"approved":             {80, percent(of[reviews.Approved], all), 4},
		"rejected":             {8, percent(of[reviews.Rejected], all), 3},
		"pending":              {12, percent(of[reviews.Pending], all), 3},
		"approved, response":   {40, percent(answered, of[reviews.Approved]), 5},
		"approved, no votes":   {46, percent(counts[0]-all+of[reviews.Approved], of[reviews.Approved]), 5},
		"approved, five votes": {4, percent(counts[5], of[reviews.Approved]), 3},
		"titles":               {85, percent(titles, all), 4},
		"pros":                 {60, percent(pros, all), 5},
		"cons":                 {45, percent(cons, all), 5},
		"staff":                {85, percent(staff, all), 4},
		"value":                {85, percent(value, all), 4},
		"good":                 {39, percent(good, all), 6},
		"poor":                 {12, percent(poor, all), 5},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Len(t, trips, 5)
	assert.Len(t, counts, 6, "from 0 to 5 votes")
	assert.Len(t, reasons, len(rejections))
	assert.Positive(t, top)
}

// A world with few users has fewer votes, and nobody votes for an own review.
func TestVotesOfFewUsers(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		w, most := New(Options{Seed: 7, Properties: 40, Users: n + 1, Nights: 1}), 0
		for h := range w.Hotels() {
			for _, r := range h.Reviews {
				voters := h.Votes[r.ID]
				assert.Len(t, slices.Compact(slices.Sorted(slices.Values(voters))), r.HelpfulCount)
				assert.NotContains(t, voters, r.UserID)
				most = max(most, len(voters))
			}
		}
		assert.Equal(t, n, most)
	}
}

// Users vote for a review that is shown, when all of them have joined.
func TestVotesFollowTheApproval(t *testing.T) {
	t.Parallel()
	w, n := New(Options{Seed: 7, Properties: 200, Users: 100}), 0
	for i := range w.opts.Properties {
		h := w.house(i)
		if h.property.Status != properties.Approved {
			continue
		}
		stays, err := w.past(i, h, 0)
		require.NoError(t, err)
		for _, o := range w.opinions(i, h, stays) {
			for _, v := range o.votes {
				n++
				assert.False(t, v.at.Before(o.decided), o.review.ID)
				assert.False(t, v.at.Before(w.opts.Today.AddDays(-bookingDays).Time()), o.review.ID)
				assert.True(t, v.at.Before(w.opts.Today.Time()), o.review.ID)
			}
		}
	}
	assert.Greater(t, n, 100)
}

// What a guest owes is paid at the latest when leaving.
func TestStaysAreSettled(t *testing.T) {
	t.Parallel()
	w := New(Options{})
	made := w.opts.Today.AddDays(-9).Time()
	c := newCharge(w.dice(forPast, 1), 1, whole, allMeans[0].value)
	s := sale{made: made, left: made.Add(time.Hour)}
	s.notify(made.Add(time.Minute), c, bookings.PaymentAuthorized)
	s.settle()
	require.Len(t, s.notices, 2)
	assert.Equal(t, notice{at: s.left, charge: c, status: bookings.PaymentPaid}, s.notices[1])
	s.notices[1].at = s.left.Add(time.Second)
	s.settle()
	assert.Equal(t, s.left, s.notices[1].at)
	s.notices[1].at = s.left.Add(-time.Second)
	s.settle()
	assert.Equal(t, s.left.Add(-time.Second), s.notices[1].at)
	assert.Len(t, s.notices, 2)
}

// openPast puts the nights of past stays on sale, which a world does not have, before the first of them is booked.
func openPast(t testing.TB, db *dynastay.DB, w *World, h *house, stays []sale, clock func(time.Time)) {
	clock(h.created)
	for _, s := range stays {
		for date := range w.stay(s).Dates() {
			price, minStay := h.night(s.rooms[0].k, date)
			_, err := availability.New(db).Open(context.Background(), availability.OpenRequest{
				PropertyID: h.property.ID, RoomTypeID: h.rooms[s.rooms[0].k].ID, Rooms: h.sale[s.rooms[0].k], Price: price,
				MinStay: minStay, Rates: h.rates(price), Nights: dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)},
			})
			if err != nil {
				t.Error(err) // of any goroutine
			}
		}
	}
}
