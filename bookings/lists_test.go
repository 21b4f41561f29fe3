package bookings_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

type summaries = dynastay.List[*bookings.Summary]

// today is the date of fixture.Now.
var today = dynastay.MustDate("2026-06-01")

var (
	// One id is the beginning of another.
	listUsers      = []string{"user_1", "user_10", "user_2"}
	listProperties = []string{"prop_1", "prop_10"}
	// The last status is one that other software stored.
	listStatuses = []bookings.Status{
		bookings.Pending, bookings.Pending, bookings.Pending, bookings.Confirmed, bookings.CheckedIn, bookings.Completed,
		bookings.Cancelled, bookings.NoShow, bookings.Expired, "archived",
	}
	// The ends of holds, before and after fixture.Now. Other software stores pending bookings without one.
	holdEnds = []time.Duration{-time.Hour, -time.Millisecond, 0, time.Millisecond, time.Hour}
)

// randomBookings returns bookings of the three users and the two properties, with many check-ins on the same dates.
func randomBookings(draw *rand.Rand, n int) (all []*bookings.Booking) {
	for i := range n {
		begun := draw.IntN(116) - 95
		if i%2 == 0 {
			begun = []int{-90, -89, -1, 0, 1, 2}[draw.IntN(6)]
		}
		nights := 1 + draw.IntN(availability.MaxNights)
		switch {
		case i%3 == 0:
			nights = 1 + draw.IntN(3)
		case begun < 0 && i%3 == 1:
			nights = min(-begun+draw.IntN(3), availability.MaxNights) // it ends today or on the next days
		}
		status := listStatuses[draw.IntN(len(listStatuses))]
		if i < len(listStatuses) { // otherwise, one set in 500 has nothing cancelled, and shows nothing about that list
			status = listStatuses[i]
		}
		b := booking(fmt.Sprintf("bkg_%03d", draw.IntN(1000)*n+i), dynastay.Stay{
			CheckIn: today.AddDays(begun), CheckOut: today.AddDays(begun + nights),
		}, status)
		b.UserID, b.PropertyID = listUsers[draw.IntN(3)], listProperties[draw.IntN(2)]
		// Other software also leaves the end of a hold in a booking that was confirmed.
		if ends := draw.IntN(len(holdEnds) + 1); ends < len(holdEnds) {
			b.HoldExpiresAt = fixture.Now.Add(holdEnds[ends])
		}
		all = append(all, b)
	}
	return all
}

func booking(id string, stay dynastay.Stay, status bookings.Status) *bookings.Booking {
	return &bookings.Booking{Summary: bookings.Summary{
		ID: id, Reference: "REF-" + id, UserID: listUsers[0], PropertyID: listProperties[0], PropertyName: "Grand Luxury Hotel",
		Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com", Phone: "+15551234567", Country: "USA"},
		Stay:  stay, Guests: availability.Guests{Adults: 2, Children: 1}, Rooms: 1, Status: status,
		PaymentStatus: bookings.PaymentPending, Total: dynastay.MustMoney("840.00", "USD"), CreatedAt: fixture.Now,
	}}
}

// load stores bookings as a repository with the options does.
func load(t *testing.T, db *dyntest.DB, opts bookings.Options, all []*bookings.Booking) {
	t.Helper()
	of := bookings.EntityWith(opts)
	require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, b := range all {
			item, err := of.Item(b)
			require.NoError(t, err)
			if !yield(keys.BookingsTable, item) {
				return
			}
		}
	}))
}

// upcoming and over say what the lists of coming and of past bookings contain, for a user where the date is today.
func upcoming(b *bookings.Booking, today dynastay.Date) bool {
	awaited := b.Status == bookings.Confirmed || b.Status == bookings.CheckedIn || b.Status == bookings.Pending && held(b)
	return awaited && today.Compare(b.Stay.CheckOut) <= 0
}

func over(b *bookings.Booking, today dynastay.Date) bool {
	switch b.Status {
	case bookings.Cancelled, bookings.Expired:
		return false
	case bookings.Completed, bookings.NoShow:
		return today.DaysUntil(b.Stay.CheckIn) <= 2 // otherwise the stay has begun nowhere on earth
	case bookings.Pending:
		return held(b) && today.Compare(b.Stay.CheckOut) > 0
	}
	return today.Compare(b.Stay.CheckOut) > 0
}

func held(b *bookings.Booking) bool {
	return b.HoldExpiresAt.IsZero() || b.HoldExpiresAt.After(fixture.Now)
}

// within reports whether a date is in [from, to). A zero date is no bound.
func within(d, from, to dynastay.Date) bool {
	return (from.IsZero() || from.Compare(d) <= 0) && (to.IsZero() || to.Compare(d) > 0)
}

// model answers the questions of the lists by looking at every booking.
type listModel []*bookings.Booking

func (m listModel) of(keep func(*bookings.Booking) bool, less func(a, b *bookings.Summary) int) (list []*bookings.Summary) {
	for _, b := range m {
		if keep(b) {
			list = append(list, &b.Summary)
		}
	}
	slices.SortFunc(list, less)
	return list
}

func earliest(a, b *bookings.Summary) int {
	return cmp.Or(a.Stay.CheckIn.Compare(b.Stay.CheckIn), strings.Compare(a.ID, b.ID))
}

func latest(a, b *bookings.Summary) int { return earliest(b, a) }

func byPropertyAndID(a, b *bookings.Summary) int {
	return cmp.Or(strings.Compare(a.PropertyID, b.PropertyID), strings.Compare(a.ID, b.ID))
}

// questions are lists with what the model says that they contain.
type questions struct {
	listModel
	repo *bookings.Repository
	ask  func(name string, list summaries, want []*bookings.Summary)
}

func (q questions) ofUser(userID string, today dynastay.Date) {
	of := func(b *bookings.Booking) bool { return b.UserID == userID }
	q.ask("Upcoming", q.repo.Upcoming(userID, today), q.of(func(b *bookings.Booking) bool { return of(b) && upcoming(b, today) }, earliest))
	q.ask("Past", q.repo.Past(userID, today), q.of(func(b *bookings.Booking) bool { return of(b) && over(b, today) }, latest))
}

func (q questions) ofAllTime(userID string) {
	of := func(b *bookings.Booking) bool { return b.UserID == userID }
	q.ask("ByUser", q.repo.ByUser(userID), q.of(of, latest))
	q.ask("Cancelled", q.repo.Cancelled(userID), q.of(func(b *bookings.Booking) bool {
		return of(b) && b.Status == bookings.Cancelled
	}, latest))
}

func (q questions) ofProperty(p bookings.PropertyQuery) {
	q.ask("ByProperty", q.repo.ByProperty(p), q.of(func(b *bookings.Booking) bool {
		return b.PropertyID == p.PropertyID && within(b.Stay.CheckIn, p.From, p.To)
	}, earliest))
}

func (q questions) ofDate(c bookings.CheckInQuery) {
	q.ask("ByCheckIn", q.repo.ByCheckIn(c), q.of(func(b *bookings.Booking) bool {
		expected := b.Status != bookings.Cancelled && b.Status != bookings.Expired
		return expected && b.Stay.CheckIn == c.Date && (c.PropertyID == "" || b.PropertyID == c.PropertyID)
	}, byPropertyAndID))
}

// Each list contains what a look at every booking finds, in the same order, whatever day it is, however long its pages
// are and however many shards are read.
func TestListsAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	seed := seedOf(t)
	for _, shards := range []key.Shards{{}, {Write: 4, Read: 4}} {
		t.Run(fmt.Sprint(shards.Read), func(t *testing.T) {
			t.Parallel()
			draw := rand.New(rand.NewPCG(seed, 0))
			db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
			opts := bookings.Options{CheckInShards: shards}
			found := map[string]int{}
			q := questions{listModel: randomBookings(draw, 60), repo: bookings.New(db.DB, &opts)}
			q.ask = func(name string, list summaries, want []*bookings.Summary) {
				limit := []int{1, 2, 7, 50}[draw.IntN(4)]
				got := pagesOf(t, list, limit)
				require.Equal(t, idsOf(want), idsOf(got), name)
				require.Equal(t, want, got, name)
				found[name] += len(got)
			}
			load(t, db, opts, q.listModel)

			for days := -100; days <= 115; days++ {
				if -4 <= days && days <= 4 || days%10 == 0 || days == 89 || days == 91 {
					q.ofUser(listUsers[draw.IntN(3)], today.AddDays(days))
				}
				if q.ofDate(bookings.CheckInQuery{Date: today.AddDays(days)}); days%5 == 0 || -2 <= days && days <= 2 {
					q.ofDate(bookings.CheckInQuery{Date: today.AddDays(days), PropertyID: listProperties[draw.IntN(2)]})
				}
			}
			for _, userID := range listUsers {
				q.ofAllTime(userID)
				for _, date := range []string{"0001-01-01", "0001-04-05", "9999-12-28", "9999-12-31"} {
					q.ofUser(userID, dynastay.MustDate(date))
				}
			}
			for _, propertyID := range listProperties {
				for _, from := range []dynastay.Date{{}, today.AddDays(-90), today, today.AddDays(1)} {
					for _, to := range []dynastay.Date{{}, today.AddDays(2), today.AddDays(3)} {
						q.ofProperty(bookings.PropertyQuery{PropertyID: propertyID, From: from, To: to})
					}
				}
			}
			for _, name := range []string{"Upcoming", "Past", "ByUser", "Cancelled", "ByProperty", "ByCheckIn"} {
				assert.Positive(t, found[name], name)
			}
		})
	}
}

// pagesOf returns a whole list, page by page. Each page but the last is full: there are enough reads.
func pagesOf(t *testing.T, list summaries, limit int) (all []*bookings.Summary) {
	t.Helper()
	for paging := (dynastay.Paging{Limit: limit, Reads: 100}); ; {
		page, err := list.Page(t.Context(), paging)
		require.NoError(t, err)
		all = append(all, page.Items...)
		if paging.After = page.Next; paging.After == "" {
			require.LessOrEqual(t, len(page.Items), limit)
			return all
		}
		require.Len(t, page.Items, limit)
	}
}

// The dates on which a stay is in one list or the other, at their bounds.
func TestBoundsOfUpcomingAndPast(t *testing.T) {
	t.Parallel()
	stay := func(in, out int) dynastay.Stay {
		return dynastay.Stay{CheckIn: today.AddDays(in), CheckOut: today.AddDays(out)}
	}
	hold := func(end time.Duration) func(*bookings.Booking) {
		return func(b *bookings.Booking) { b.HoldExpiresAt = fixture.Now.Add(end) }
	}
	for _, test := range []struct {
		name           string
		stay           dynastay.Stay
		status         bookings.Status
		set            func(*bookings.Booking)
		upcoming, past bool
	}{
		{"the longest stay, last day", stay(-90, 0), bookings.CheckedIn, nil, true, false},
		{"the longest stay, over", stay(-91, -1), bookings.CheckedIn, nil, false, true},
		{"check-out today", stay(-1, 0), bookings.Confirmed, nil, true, false},
		{"check-out yesterday", stay(-2, -1), bookings.Confirmed, nil, false, true},
		{"far ahead", stay(700, 701), bookings.Confirmed, nil, true, false},
		{"left early", stay(-1, 5), bookings.Completed, nil, false, true},
		{"a no-show, where it is the day after tomorrow", stay(2, 3), bookings.NoShow, nil, false, true},
		{"cancelled", stay(-2, -1), bookings.Cancelled, nil, false, false},
		{"expired", stay(-2, -1), bookings.Expired, nil, false, false},
		{"held", stay(1, 2), bookings.Pending, hold(time.Millisecond), true, false},
		{"a hold that ends now", stay(1, 2), bookings.Pending, hold(0), false, false},
		{"a hold without end", stay(1, 2), bookings.Pending, nil, true, false},
		{"held, over", stay(-2, -1), bookings.Pending, hold(time.Millisecond), false, true},
		{"a hold that ends now, over", stay(-2, -1), bookings.Pending, hold(0), false, false},
		{"a hold without end, over", stay(-2, -1), bookings.Pending, nil, false, true},
		{"confirmed by other software", stay(1, 2), bookings.Confirmed, hold(-time.Hour), true, false},
		{"confirmed by other software, over", stay(-2, -1), bookings.Confirmed, hold(-time.Hour), false, true},
		{"a status of other software", stay(-1, 0), "archived", nil, false, false},
		{"a status of other software, over", stay(-2, -1), "archived", nil, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
			repo, b := bookings.New(db.DB, nil), booking("bkg_1", test.stay, test.status)
			if test.set != nil {
				test.set(b)
			}
			load(t, db, bookings.Options{}, []*bookings.Booking{b})
			assert.Equal(t, test.upcoming, len(pagesOf(t, repo.Upcoming(b.UserID, today), 10)) == 1, "upcoming")
			assert.Equal(t, test.past, len(pagesOf(t, repo.Past(b.UserID, today), 10)) == 1, "past")
		})
	}
}

// A list is a value; holds end by the time at which a page is read.
func TestUpcomingAtTheTimeOfThePage(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	repo, b := bookings.New(db.DB, nil), booking("bkg_1", fixture.Stay, bookings.Pending)
	b.HoldExpiresAt = fixture.Now.Add(time.Minute)
	load(t, db, bookings.Options{}, []*bookings.Booking{b})
	coming, gone := repo.Upcoming(b.UserID, today), repo.Past(b.UserID, fixture.Stay.CheckOut.AddDays(1))
	assert.Len(t, pagesOf(t, coming, 10), 1)
	assert.Len(t, pagesOf(t, gone, 10), 1)
	db.Clock.Advance(time.Minute)
	assert.Empty(t, pagesOf(t, coming, 10))
	assert.Empty(t, pagesOf(t, gone, 10))
}

// Invalid arguments are refused before any request.
func TestListsRefuse(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables)
	repo := bookings.New(db.DB, nil)
	from := dynastay.MustDate("2026-07-10")
	stop := db.Faults.Record()
	for _, test := range []struct {
		list summaries
		want string
	}{
		{repo.ByUser(""), "invalid UserID: is required"},
		{repo.ByUser("user#1"), "invalid UserID: "},
		{repo.Upcoming("user#1", today), "invalid UserID: "},
		{repo.Upcoming("user_1", dynastay.Date{}), "invalid Today: is required"},
		{repo.Past("user#1", today), "invalid UserID: "},
		{repo.Past("user_1", dynastay.Date{}), "invalid Today: is required"},
		{repo.Cancelled("user#1"), "invalid UserID: "},
		{repo.ByProperty(bookings.PropertyQuery{}), "invalid PropertyID: is required"},
		{repo.ByProperty(bookings.PropertyQuery{PropertyID: "a#b"}), "invalid PropertyID: "},
		{repo.ByProperty(bookings.PropertyQuery{PropertyID: "prop_1", From: from, To: from}), "invalid To: must be after From"},
		{repo.ByProperty(bookings.PropertyQuery{PropertyID: "prop_1", From: from, To: from.AddDays(-1)}), "invalid To: must be after From"},
		{repo.ByCheckIn(bookings.CheckInQuery{}), "invalid Date: is required"},
		{repo.ByCheckIn(bookings.CheckInQuery{Date: from, PropertyID: "a#b"}), "invalid PropertyID: "},
	} {
		_, err := test.list.Page(t.Context(), dynastay.Paging{})
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.ErrorContains(t, err, test.want)
	}
	assert.Empty(t, stop())
}

// A cursor belongs to one list with its arguments. In any other it is refused before any request.
func TestCursorsOfLists(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	repo := bookings.New(db.DB, nil)
	var stored []*bookings.Booking
	for _, userID := range listUsers[:2] {
		for _, propertyID := range listProperties {
			for _, status := range []bookings.Status{bookings.Confirmed, bookings.Confirmed, bookings.Cancelled, bookings.Cancelled, bookings.NoShow} {
				for day := range 2 {
					b := booking(fmt.Sprint("bkg_", len(stored)), dynastay.Stay{CheckIn: today.AddDays(day), CheckOut: today.AddDays(day + 1)}, status)
					b.UserID, b.PropertyID = userID, propertyID
					stored = append(stored, b)
				}
			}
		}
	}
	load(t, db, bookings.Options{}, stored)
	next := today.AddDays(1)
	of := func(propertyID string, from, to dynastay.Date) summaries {
		return repo.ByProperty(bookings.PropertyQuery{PropertyID: propertyID, From: from, To: to})
	}
	none := dynastay.Date{}
	lists := []summaries{
		repo.ByUser("user_1"), repo.ByUser("user_10"), repo.Cancelled("user_1"), repo.Cancelled("user_10"),
		repo.Upcoming("user_1", today), repo.Upcoming("user_10", today), repo.Past("user_1", today), repo.Past("user_10", today),
		of("prop_1", none, none), of("prop_10", none, none), of("prop_1", today, none), of("prop_1", none, next),
		of("prop_1", today, next), of("prop_1", today, next.AddDays(1)),
		repo.ByStatus(bookings.Confirmed), repo.ByStatus(bookings.Cancelled),
		repo.ByCheckIn(bookings.CheckInQuery{Date: today}), repo.ByCheckIn(bookings.CheckInQuery{Date: next}),
		repo.ByCheckIn(bookings.CheckInQuery{Date: today, PropertyID: "prop_1"}),
		repo.ByCheckIn(bookings.CheckInQuery{Date: today, PropertyID: "prop_10"}),
	}
	for i, list := range lists {
		page, err := list.Page(t.Context(), dynastay.Paging{Limit: 1})
		require.NoError(t, err)
		require.NotEmpty(t, page.Next, i)
		stop := db.Faults.Record()
		for j, other := range lists {
			if i != j {
				_, err := other.Page(t.Context(), dynastay.Paging{After: page.Next})
				assert.ErrorIs(t, err, dynastay.ErrCursor, "the cursor of list %d in list %d", i, j)
			}
		}
		assert.Empty(t, stop(), i)
	}
}

// A person who turns the page after midnight goes on where the page before it ended, even if the stays there are not in
// the list of the new date any more. So does one whose date goes back, in another time zone.
func TestPagesAfterMidnight(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	repo := bookings.New(db.DB, nil)
	var stored []*bookings.Booking
	for day := -250; day <= 5; day++ {
		out := max(0, day+1) // today or later, if a stay can be so long
		if day < -90 {
			out = day + 1
		}
		stored = append(stored, booking(fmt.Sprintf("bkg_%03d", day+250), dynastay.Stay{CheckIn: today.AddDays(day), CheckOut: today.AddDays(out)}, bookings.Confirmed))
	}
	load(t, db, bookings.Options{}, stored)
	for name, list := range map[string]func(dynastay.Date) summaries{
		"upcoming": func(d dynastay.Date) summaries { return repo.Upcoming("user_1", d) },
		"past":     func(d dynastay.Date) summaries { return repo.Past("user_1", d) },
	} {
		whole := pagesOf(t, list(today), 300)
		for _, later := range []int{-150, -30, -1, 0, 1, 2, 30, 200} {
			for _, limit := range []int{1, 2} {
				page, err := list(today).Page(t.Context(), dynastay.Paging{Limit: limit, Reads: 100})
				require.NoError(t, err)
				require.NotEmpty(t, page.Next)
				at := whole[limit-1]
				var want []string
				for _, s := range pagesOf(t, list(today.AddDays(later)), 300) {
					if name == "upcoming" && s.Stay.CheckIn.After(at.Stay.CheckIn) || name == "past" && s.Stay.CheckIn.Before(at.Stay.CheckIn) {
						want = append(want, s.ID)
					}
				}
				var got []string
				for after := page.Next; after != ""; {
					rest, err := list(today.AddDays(later)).Page(t.Context(), dynastay.Paging{After: after, Limit: 300, Reads: 100})
					require.NoError(t, err, "%s, %d days later", name, later)
					for _, s := range rest.Items {
						got = append(got, s.ID)
					}
					after = rest.Next
				}
				assert.Equal(t, want, got, "%s, %d days later, after a page of %d", name, later, limit)
				again, err := list(today.AddDays(later)).Page(t.Context(), dynastay.Paging{Until: page.Next, Limit: 1000, Reads: 100})
				require.NoError(t, err, "%s, %d days later", name, later)
				assert.Equal(t, page.Next, again.Next)
				for _, s := range again.Items {
					assert.NotContains(t, want, s.ID)
				}
			}
		}
	}
}

func TestByUserPagesLatestFirst(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 20)
	var want []*bookings.Summary
	for day := range 5 {
		stay := dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(day), CheckOut: fixture.Stay.CheckIn.AddDays(day + 1)}
		made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, stay, 1)))
		require.NoError(t, err)
		want = append([]*bookings.Summary{&made.Summary}, want...)
	}
	other := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	other.UserID = "user_4567"
	_, err := repo.Create(ctx, other)
	require.NoError(t, err)

	var got []*bookings.Summary
	pages := 0
	for p := (dynastay.Paging{Limit: 2}); pages == 0 || p.After != ""; pages++ {
		page, err := repo.ByUser("user_456").Page(ctx, p)
		require.NoError(t, err)
		got, p.After = append(got, page.Items...), page.Next
	}
	assert.Equal(t, want, got, "the row holds the whole summary")
	assert.Equal(t, 3, pages)
	walked := lists.All(t, repo.ByUser("user_456"))
	assert.Equal(t, want, walked)

	first, err := repo.ByUser("user_456").Page(ctx, dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	_, err = repo.ByUser("user_4567").Page(ctx, dynastay.Paging{After: first.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor, "a different user's cursor")
}
