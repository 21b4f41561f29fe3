package world

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/users"
)

// homes is a small world with listings. Their number is not a multiple of that of the hotels.
var homes = Options{Seed: 3, Properties: 3, Users: 40, Listings: 16, Nights: 40}

// split separates the items of the listings from those of the hotels.
func split(all map[string]string) (listings, hotels map[string]string) {
	listings, hotels = map[string]string{}, map[string]string{}
	for at, item := range all {
		if strings.HasPrefix(at, listingkeys.Table.Name+" ") {
			listings[at] = item
		} else {
			hotels[at] = item
		}
	}
	return listings, hotels
}

// The items of the calendars are exactly those that the repository writes to a database, attribute by attribute.
func TestListingsAreWhatTheRepositoryWrites(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(homes)
	var now time.Time
	var id string
	db := dyntest.New(t, dyntest.Tables(listingkeys.Table), dyntest.With(dynastay.Options{
		Clock: func() time.Time { return now },
		NewID: func(string) string { return id },
	}))
	repo := listing.New(db.DB)
	for i := range homes.Listings {
		l, err := w.calendar(i).carryOut(ctx, repo, func(at time.Time, drawn string) { now, id = at, drawn })
		require.NoError(t, err)
		assert.Equal(t, l, w.Listing(i))
	}
	want := scan(t, db, listingkeys.Table)
	require.Greater(t, len(want), 300)
	got, _ := split(contents(t, w))
	compare(t, want, got)
}

// Load writes the listings too, and what a world says about them is what is read from the table.
func TestListingsDescribeWhatIsStored(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(homes)
	db := loaded(t, w, dyntest.Tables(listingkeys.Table))
	compare(t, contents(t, w), scan(t, db, listingkeys.Table))

	repo, outcomes := listing.New(db.DB), map[listing.Outcome]int{}
	byHost := map[string][]*listing.Night{}
	for l := range w.Listings() {
		all := dynastay.Stay{CheckIn: w.opts.Today.AddDays(-100), CheckOut: w.opts.Today.AddDays(100)}
		a, err := repo.Check(ctx, l.ID, all)
		require.NoError(t, err)
		assert.Equal(t, l.Nights, a.Taken)
		byHost[l.HostID] = append(byHost[l.HostID], l.Nights...)
		stored := collected(t, repo.Events(l.ID))
		for _, e := range stored {
			assert.NotEmpty(t, e.WriteID)
			e.WriteID = ""
		}
		assert.ElementsMatch(t, l.Events, stored)

		// A delivery that comes again, or late, changes nothing.
		for _, r := range l.Reservations {
			again, err := repo.Import(ctx, r)
			require.NoError(t, err)
			assert.Equal(t, listing.Repeated, again.Outcome, "%+v", r)
			assert.Equal(t, "bk_"+strings.TrimPrefix(r.ExternalID, "res_"), again.BookingID)
			outcomes[again.Outcome]++
			if r.Revision--; r.Revision > 0 {
				r.Cancelled, r.Stay = false, l.Free(1)
				late, err := repo.Import(ctx, r)
				require.NoError(t, err)
				outcomes[late.Outcome]++
			}
		}

		taken := map[dynastay.Date]bool{}
		for _, n := range a.Taken {
			taken[n.Date] = true
		}
		for nights := 1; nights < 9; nights++ {
			first, free := w.opts.Today, 0 // nights in a row
			for date := first; free < nights; date = date.AddDays(1) {
				if free++; taken[date] {
					first, free = date.AddDays(1), 0
				}
			}
			assert.Equal(t, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(nights)}, l.Free(nights))
		}
	}
	require.Len(t, outcomes, 2)
	assert.Greater(t, outcomes[listing.Repeated], 30)
	assert.Greater(t, outcomes[listing.Outdated], 5)
	for host, nights := range byHost {
		assert.ElementsMatch(t, nights, collected(t, repo.ByHost(host)))
	}
	compare(t, contents(t, w), scan(t, db, listingkeys.Table))
}

// Listings are the same in any order and in a world of any size, and the hotels do not depend on them.
func TestListingsStandAlone(t *testing.T) {
	t.Parallel()
	w := New(homes)
	all := slices.Collect(w.Listings())
	require.Len(t, all, homes.Listings)
	large := New(Options{Seed: 3, Users: 40, Listings: 999_999, Nights: 40, Occupancy: 0.1})
	others := New(Options{Seed: 3, Users: 4000, Listings: 16, Nights: 40})
	hosts := 0
	for i, l := range slices.Backward(all) {
		assert.Equal(t, l, large.Listing(i))
		assert.Equal(t, listingID(i), l.ID)
		other := others.Listing(i)
		if other.HostID != l.HostID {
			hosts++
		}
		assert.Len(t, other.Nights, len(l.Nights))
		for n, e := range other.Events {
			e.HostID = l.HostID
			assert.Equal(t, l.Events[n], e)
		}
	}
	assert.Greater(t, hosts, 10, "with different users, listings have different hosts")

	listings, hotels := split(contents(t, w))
	without := homes
	without.Listings = 0
	assert.Equal(t, hotels, contents(t, New(without)))

	// Each listing is in one part, also if there are more hotels than listings.
	few := homes
	few.Listings, few.Properties = 2, 5
	got, _ := split(contents(t, New(few)))
	maps.DeleteFunc(listings, func(at, _ string) bool {
		return !strings.Contains(at, "#lst_000000") && !strings.Contains(at, "#lst_000001")
	})
	require.NotEmpty(t, listings)
	assert.Equal(t, listings, got)

	empty := homes
	empty.Empty = true
	for l := range New(empty).Listings() {
		assert.Empty(t, l.Nights)
		assert.Empty(t, l.Events)
		assert.Empty(t, l.Reservations)
		assert.Equal(t, w.opts.Today, l.Free(3).CheckIn)
	}
	got, _ = split(contents(t, New(empty)))
	assert.Empty(t, got)
}

// The calendars of a world that is large enough to show the shares.
func TestCalendars(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 4, Users: 10_000, Listings: 600})
	today := w.opts.Today
	owners := map[string]bool{}
	for i := range w.opts.Users {
		if person, _ := w.person(i); person.Role == users.Owner {
			owners[person.ID] = true
		}
	}
	ids, of, hosts, held := map[string]bool{}, map[listing.Source]int{}, map[string]int{}, map[int]int{}
	none, channels, cancelled, shortened, rebooked, backToBack, ended, begun, notes := 0, 0, 0, 0, 0, 0, 0, 0, 0
	earliest, last := today, today
	lead, soon := time.Duration(0), time.Hour*999
	all := 0
	for l := range w.Listings() {
		assert.True(t, owners[l.HostID], l.HostID)
		hosts[l.HostID]++
		held[min(100*ahead(l, today)/w.opts.Nights/30, 3)]++
		if len(l.Events) == 0 && len(l.Reservations) == 0 {
			none++
		}
		nights, deliveries := map[dynastay.Date]*listing.Event{}, map[string]listing.Reservation{}
		for _, r := range l.Reservations {
			deliveries[r.ExternalID] = r
			channels++
			if r.Cancelled {
				cancelled++
				assert.Equal(t, 2, r.Revision)
			}
		}
		for n, e := range l.Events {
			all++
			assert.Equal(t, []string{l.ID, l.HostID}, []string{e.ListingID, e.HostID})
			assert.False(t, ids[e.ID], e.ID)
			ids[e.ID] = true
			of[e.Source]++
			for date := range e.Stay.Dates() {
				assert.Nil(t, nights[date], "%s of %s", date, e.ID)
				nights[date] = e
			}
			if n > 0 && l.Events[n-1].Stay.CheckOut == e.Stay.CheckIn {
				backToBack++
			}
			switch {
			case !e.Stay.CheckOut.After(today):
				ended++
			case e.Stay.CheckIn.Before(today):
				begun++
			}
			if e.Stay.CheckIn.Before(earliest) {
				earliest = e.Stay.CheckIn
			}
			if e.Stay.CheckOut.After(last) {
				last = e.Stay.CheckOut
			}
			limit := e.Stay.CheckIn
			if limit.After(today) {
				limit = today
			}
			assert.True(t, e.UpdatedAt.Before(limit.Time()), "%s is made before it begins, and before today", e.ID)
			assert.Equal(t, e.Version > 1, e.UpdatedAt.After(e.CreatedAt), e.ID)
			lead, soon = max(lead, limit.Time().Sub(e.CreatedAt)), min(soon, limit.Time().Sub(e.CreatedAt))
			r, imported := deliveries[e.ExternalID]
			delete(deliveries, e.ExternalID)
			switch e.Source {
			case listing.HostClosed:
				assert.Equal(t, listing.KindBlock, e.Kind)
				assert.Contains(t, blockNotes, e.Note)
				assert.True(t, strings.HasPrefix(e.ID, "BLOCK#blk_"), e.ID)
			case listing.Localstays:
				if e.Note != "" {
					notes++
				}
			default:
				assert.Equal(t, listing.Reservation{
					ListingID: l.ID, HostID: l.HostID, Source: e.Source, ExternalID: e.ExternalID, Revision: e.Version, Stay: e.Stay,
				}, r)
				if e.Version > 1 {
					shortened++
				}
			}
			assert.Equal(t, e.Source != listing.HostClosed && e.Source != listing.Localstays, imported)
			if e.Kind == listing.KindBooking {
				assert.Equal(t, "BOOKING#"+e.BookingID, e.ID)
				assert.Equal(t, strings.TrimPrefix(l.ID, "lst_"), strings.TrimPrefix(e.BookingID[:9], "bk_"))
			}
		}
		for _, r := range deliveries {
			assert.True(t, r.Cancelled, "%+v has no event", r)
		}
		require.Len(t, l.Nights, len(nights))
		for n, night := range l.Nights {
			e := nights[night.Date]
			require.NotNil(t, e, night.Date)
			assert.Equal(t, []string{e.ID, e.BookingID, e.ExternalID}, []string{night.EventID, night.BookingID, night.ExternalID})
			assert.True(t, n == 0 || l.Nights[n-1].Date.Before(night.Date), "by date")
		}
		byCreation := slices.SortedFunc(slices.Values(l.Events), func(a, b *listing.Event) int { return a.CreatedAt.Compare(b.CreatedAt) })
		for n, e := range byCreation {
			assert.True(t, n == 0 || numberOf(t, byCreation[n-1].ID) < numberOf(t, e.ID), "ids are in the order of creation")
		}
	}
	same, neighbour := 0, 0
	for i := range w.opts.Listings {
		rebooked += takenAgain(w.calendar(i))
		if i == 0 || w.host(i) != w.host(i-1) {
			continue
		}
		if same++; i%4 > 0 {
			neighbour++
		}
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"bookings":       {45, percent(of[listing.Localstays], all), 4},
		"Booking.com":    {19, percent(of[listing.BookingCom], all), 3},
		"Airbnb":         {19, percent(of[listing.Airbnb], all), 3},
		"other channels": {5, percent(of[listing.Other], all), 2},
		"blocks":         {11, percent(of[listing.HostClosed], all), 3},
		"cancelled":      {9, percent(cancelled, channels), 3},
		"shortened":      {11, percent(shortened, channels), 3},
		"ended":          {30, percent(ended, all), 5},
		"with a note":    {16, percent(notes, of[listing.Localstays]), 4},
		"no events":      {12, percent(none, 600), 4},
		"less than 30 %": {37, percent(held[0], 600), 7},
		"60 % and more":  {12, percent(held[2], 600), 5},
		"90 % and more":  {15, percent(held[3], 600), 5},
		"the same host":  {50, percent(neighbour, 450), 7},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Greater(t, backToBack, 500)
	assert.Greater(t, begun, 50)
	assert.Greater(t, rebooked, 20)
	assert.Equal(t, today.AddDays(-14), earliest)
	assert.Equal(t, today.AddDays(w.opts.Nights), last)
	assert.True(t, 59*24*time.Hour < lead && lead <= 60*24*time.Hour+time.Second, lead)
	assert.True(t, 0 < soon && soon < 6*time.Hour, soon)
	assert.InDelta(t, neighbour, same, 2, "only four in a row are neighbours")
	assert.LessOrEqual(t, slices.Max(slices.Collect(maps.Values(hosts))), 9)
}

// ahead returns the number of nights that are taken from Today on.
func ahead(l *Listing, today dynastay.Date) (n int) {
	for _, night := range l.Nights {
		if !night.Date.Before(today) {
			n++
		}
	}
	return n
}

// takenAgain returns how many of the reservations gave nights back that somebody else has taken since.
func takenAgain(p calendar) (n int) {
	for _, o := range p.all {
		if o.changed.IsZero() {
			continue
		}
		back := dynastay.Stay{CheckIn: o.stay.CheckIn.AddDays(o.kept), CheckOut: o.stay.CheckOut}
		if slices.ContainsFunc(p.all, func(other occupation) bool {
			return other.made.After(o.changed) && other.stay.Overlaps(back)
		}) {
			n++
		}
	}
	return n
}

// An event is made before it begins, before Today, and after its nights were given back, even if that is in the same
// second.
func TestEventsAreMadeInTime(t *testing.T) {
	t.Parallel()
	w := New(Options{})
	for at, limit := range map[int]dynastay.Date{-3: w.opts.Today.AddDays(-3), 0: w.opts.Today, 9: w.opts.Today} {
		d, since := w.dice(forListing, at+10), limit.Time().Add(-time.Second)
		for range 20 {
			o := w.occupation(d, at, since)
			assert.Equal(t, since, o.made)
			if !o.changed.IsZero() {
				assert.Equal(t, since, o.changed)
			}
		}
	}
}

// A reservation that gave nights back delays only the events of these nights, not all that follow.
func TestEventsAreMadeEarly(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 5, Listings: 40, Nights: 365})
	days, n := 0, 0
	for l := range w.Listings() {
		for _, e := range l.Events {
			if e.Stay.CheckIn.After(w.opts.Today.AddDays(200)) {
				days += int(w.opts.Today.Time().Sub(e.CreatedAt) / (24 * time.Hour))
				n++
			}
		}
	}
	require.Greater(t, n, 500)
	assert.InDelta(t, 30, float64(days)/float64(n), 3)
}
