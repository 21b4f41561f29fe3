package bookings_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys/key"
)

var costBookings = flag.Int("lists.bookings", 300, "number of bookings with which the cost of a page is compared with that of 50")

// A page of each list costs the same however many bookings the user, the property or the day has. Each list has a user
// and properties of its own. The first 50 bookings are in the list; the others are as well, unless its key leaves them
// out.
func TestCostOfListsOfBookingsIsFlat(t *testing.T) {
	t.Parallel()
	const page = 50
	db := dyntest.New(t, bookingTables)
	repo := bookings.New(db.DB, nil)
	stay := func(in, nights int) dynastay.Stay {
		return dynastay.Stay{CheckIn: today.AddDays(in), CheckOut: today.AddDays(in + nights)}
	}
	type question struct {
		name string
		list summaries
		of   func(n int) *bookings.Booking
	}
	only := func(in, other int) func(n int) *bookings.Booking { // the first have one check-in, the others another
		return func(n int) *bookings.Booking {
			if n < page {
				return booking("", stay(in, 1), bookings.Confirmed)
			}
			return booking("", stay(other, 1), bookings.Confirmed)
		}
	}
	always := func(status bookings.Status) func(n int) *bookings.Booking {
		return func(n int) *bookings.Booking { return booking("", stay(n, 1), status) }
	}
	var all []question
	add := func(name string, list func(id string) summaries, of func(n int) *bookings.Booking) {
		id := fmt.Sprint("of_", len(all))
		all = append(all, question{name, list(id), func(n int) *bookings.Booking {
			b := of(n)
			b.ID, b.UserID, b.PropertyID = fmt.Sprintf("bkg_%s_%05d", id, n), id, id+b.PropertyID
			b.Reference = b.ID
			return b
		}})
	}
	add("ByUser", repo.ByUser, always(bookings.Confirmed))
	add("Upcoming", func(id string) summaries { return repo.Upcoming(id, today) }, only(5, -91))
	add("Past", func(id string) summaries { return repo.Past(id, today) }, only(-5, 3))
	add("Cancelled", repo.Cancelled, always(bookings.Cancelled))
	ofProperty := func(id string, from, to dynastay.Date) summaries {
		return repo.ByProperty(bookings.PropertyQuery{PropertyID: id + "prop_1", From: from, To: to})
	}
	none := dynastay.Date{}
	add("ByProperty", func(id string) summaries { return ofProperty(id, none, none) }, always(bookings.Confirmed))
	add("ByProperty from", func(id string) summaries { return ofProperty(id, today, none) }, only(0, -1))
	add("ByProperty to", func(id string) summaries { return ofProperty(id, none, today) }, only(-1, 0))
	add("ByProperty from and to", func(id string) summaries { return ofProperty(id, today, today.AddDays(1)) }, only(0, 1))
	add("ByCheckIn", func(string) summaries {
		return repo.ByCheckIn(bookings.CheckInQuery{Date: today.AddDays(1000)})
	}, func(int) *bookings.Booking { return booking("", stay(1000, 1), bookings.Confirmed) })
	add("ByCheckIn at a property", func(id string) summaries {
		return repo.ByCheckIn(bookings.CheckInQuery{Date: today.AddDays(2000), PropertyID: id + "prop_1"})
	}, func(n int) *bookings.Booking {
		b := booking("", stay(2000, 1), bookings.Confirmed)
		if n >= page {
			b.PropertyID = fmt.Sprint("prop_1", n%10)
		}
		return b
	})
	fill := func(from, to int) {
		var stored []*bookings.Booking
		for _, q := range all {
			for n := from; n < to; n++ {
				stored = append(stored, q.of(n))
			}
		}
		load(t, db, bookings.Options{}, stored)
	}
	measure := func() map[string]dyntest.Cost {
		costs := map[string]dyntest.Cost{}
		for _, q := range all {
			costs[q.name] = db.Measure(func() {
				got, err := q.list.Page(t.Context(), dynastay.Paging{})
				require.NoError(t, err)
				require.Len(t, got.Items, page, q.name)
			}).Cost
		}
		return costs
	}

	fill(0, page)
	few := measure()
	for name, cost := range few {
		assert.Equal(t, 1, cost.Requests, name)
		if db.Has(dyntest.ExactUnits) {
			assert.Equal(t, 3.0, cost.ReadUnits, "%s: 50 summaries of almost 500 bytes", name)
		}
	}
	fill(page, *costBookings)
	assert.Equal(t, few, measure())
}

// A page takes one request for each shard of a date, whatever the number of bookings.
func TestCostOfShardedArrivals(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables)
	opts := bookings.Options{CheckInShards: key.Shards{Write: 4, Read: 4}}
	repo := bookings.New(db.DB, &opts)
	var stored []*bookings.Booking
	for n := range 60 {
		stored = append(stored, booking(fmt.Sprint("bkg_", n), dynastay.Stay{CheckIn: today, CheckOut: today.AddDays(1)}, bookings.Confirmed))
	}
	load(t, db, opts, stored)
	for _, propertyID := range []string{"", "prop_1"} {
		assert.Len(t, operations(db, func() {
			page, err := repo.ByCheckIn(bookings.CheckInQuery{Date: today, PropertyID: propertyID}).Page(t.Context(), dynastay.Paging{Limit: 10})
			require.NoError(t, err)
			assert.Len(t, page.Items, 10)
		}), 4)
	}
}

// A page of 50 from four shards takes four or five requests, and at most about twice the read units of one partition.
func TestCostOfByStatus(t *testing.T) {
	t.Parallel()
	drawn := 0
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now), dyntest.With(dynastay.Options{
		NewID: func(prefix string) string { drawn++; return fmt.Sprint(prefix, drawn) }, // the same shards in every run
	}))
	hotel := fixture.New(t, db.DB, 1000)
	quote := hotel.Quote(t, db.DB, fixture.Stay, 1)
	shards := key.Shards{Write: 4, Read: 4}
	repo := bookings.New(db.DB, &bookings.Options{StatusShards: shards})
	plain := bookings.New(db.DB, nil)
	for range 120 {
		_, err := repo.Create(t.Context(), fixture.Request(quote))
		require.NoError(t, err)
	}
	spent := db.Measure(func() {
		page, err := repo.ByStatus(bookings.Confirmed).Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		assert.Len(t, page.Items, 50)
	})
	assert.LessOrEqual(t, len(spent.Calls), 5)
	assert.GreaterOrEqual(t, len(spent.Calls), 4)
	whole := db.Measure(func() {
		_, err := plain.ByUser("user_456").Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
	})
	t.Logf("a page of 50: %.1f read units from four shards, %.1f from one partition", spent.ReadUnits, whole.ReadUnits)
	assert.Less(t, spent.ReadUnits, 2.2*whole.ReadUnits)
}
