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
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// small is a small world that contains everything that a world can contain.
var small = Options{Seed: 575537, Properties: 12, Users: 24, Nights: 21}

func TestSmallHasEverything(t *testing.T) {
	t.Parallel()
	for what, there := range everything(t, small) {
		assert.True(t, there, what)
	}
}

// inWorlds are the statuses that bookings have.
var inWorlds = append([]bookings.Status{
	bookings.Pending, bookings.Confirmed, bookings.CheckedIn, bookings.Cancelled, bookings.Expired,
}, inPast...)

// inPast are the statuses that past stays have.
var inPast = []bookings.Status{bookings.Completed, bookings.NoShow}

// inReviews are the statuses that reviews have.
var inReviews = []reviews.Status{reviews.Pending, reviews.Approved, reviews.Rejected}

// paidInWorlds are the payment statuses that bookings have.
var paidInWorlds = []bookings.PaymentStatus{
	bookings.PaymentPending, bookings.PaymentAuthorized, bookings.PaymentPaid, bookings.PaymentFailed, bookings.PaymentPartiallyRefunded, bookings.PaymentRefunded,
}

func everything(t testing.TB, o Options) map[string]bool {
	has := map[string]bool{}
	for _, status := range inWorlds {
		has["a booking that is "+string(status)] = false
	}
	for _, status := range paidInWorlds {
		has["a booking whose payment is "+string(status)] = false
	}
	for _, status := range inReviews {
		has["a review that is "+string(status)] = false
	}
	for a := range New(o).Accounts() {
		has["preferences"] = has["preferences"] || a.Preferences != nil
		has["a higher tier"] = has["a higher tier"] || a.Loyalty.Tier != users.Bronze
		has["points redeemed"] = has["points redeemed"] || a.Loyalty.Points < a.Loyalty.LifetimePoints
		for _, l := range a.Wishlists {
			has["a public wishlist"] = has["a public wishlist"] || l.Public && len(l.PropertyIDs) > 0
			has["a private wishlist"] = has["a private wishlist"] || !l.Public
			has["an empty wishlist"] = has["an empty wishlist"] || len(l.PropertyIDs) == 0
		}
	}
	for _, plan := range []string{"", flex, saver, bb} {
		has["a line under plan "+plan] = false
	}
	has["a refund that is refunded"] = false
	for _, channel := range channels {
		has["a booking of "+channel.value] = false
	}
	for h := range New(o).Hotels() {
		has["pending"] = has["pending"] || h.Status == properties.Pending
		has["rejected"] = has["rejected"] || h.Status == properties.Rejected
		suspended := h.Status == properties.Suspended
		has["suspended with a booking"] = has["suspended with a booking"] || suspended && len(h.Bookings) > 0
		has["suspended with stars"] = has["suspended with stars"] || suspended && h.Stars > 0
		has["suspended with an amenity"] = has["suspended with an amenity"] || suspended && len(h.AmenityIDs) > 0
		has["another primary image"] = has["another primary image"] || !h.Images[0].Primary
		has["featured"] = has["featured"] || h.Featured
		if code := h.PromoCode; code != nil {
			has["a code in use"] = has["a code in use"] || code.UsageCount > 0
			has["a code that is not active"] = has["a code that is not active"] || !code.Active
		}
		has["yen"] = has["yen"] || h.Prices.Min.Currency().MinorUnit() == 0
		for _, r := range h.Rooms {
			has["own policy"] = has["own policy"] || r.CancellationPolicy != ""
		}
		for _, n := range h.Nights {
			has["min stay"] = has["min stay"] || n.MinStay > 0
			has["max stay"] = has["max stay"] || n.MaxStay > 0
			has["stop-sell"] = has["stop-sell"] || n.StopSell && n.StopSellReason != ""
			has["stop-sell after a sale"] = has["stop-sell after a sale"] || n.StopSell && n.Available < n.Total
			has["closed to arrival"] = has["closed to arrival"] || n.ClosedToArrival
			has["closed to departure"] = has["closed to departure"] || n.ClosedToDeparture
			has["sold out"] = has["sold out"] || n.Available == 0
		}
		has["rated without stars"] = has["rated without stars"] || h.Stars == 0 && h.ReviewCount > 0
		has["suspended and rated"] = has["suspended and rated"] || suspended && h.ReviewCount > 0
		for _, r := range h.Reviews {
			has["a review that is "+string(r.Status)] = true
			has["a response"] = has["a response"] || r.Response != nil
			has["votes"] = has["votes"] || r.HelpfulCount > 1
			has["a rating that is not given"] = has["a rating that is not given"] || r.Ratings.Staff == 0
		}
		for _, b := range h.PastStays {
			has["a booking that is "+string(b.Status)] = true
			has["a past stay in two rooms"] = has["a past stay in two rooms"] || b.Rooms == 2
		}
		for _, b := range h.Bookings {
			has["a booking that is "+string(b.Status)] = true
			has["a booking whose payment is "+string(b.PaymentStatus)] = true
			has["a code that was returned"] = has["a code that was returned"] || !live(b) && b.PromoCode != ""
			has["several payments"] = has["several payments"] || len(h.Payments[b.ID].History.Payments) > 1
			for _, refund := range h.Payments[b.ID].History.Refunds {
				has["a refund that is "+string(refund.Status)] = true
			}
			has["not arrived yet"] = has["not arrived yet"] || b.Status == bookings.Confirmed && !opening(t, b).After(h.now)
			has["two types"] = has["two types"] || len(b.Lines) > 1
			has["two rooms"] = has["two rooms"] || b.Lines[0].Quantity > 1
			has["children"] = has["children"] || b.Guests.Children > 0
			for _, line := range b.Lines {
				has["a line under plan "+planOf(line)] = true
				has["ages"] = has["ages"] || line.Party != nil && len(line.Party.ChildAges) > 0
			}
			has["charges"] = has["charges"] || b.Charges != nil
			has["fees"] = has["fees"] || b.Charges == nil && b.Breakdown.TaxesAndFees.Sign() > 0
			has["requests"] = has["requests"] || b.SpecialRequests != ""
			has["a booking of "+b.Channel] = true
			has["an agreed price"] = has["an agreed price"] || b.Lines[0].Agreed
			has["a campaign"] = has["a campaign"] || b.Data["campaign"] != ""
		}
	}
	return has
}

// scan reads every item of the library's tables, and of others.
func scan(t testing.TB, db *dyntest.DB, others ...*dynastay.Schema) map[string]string {
	t.Helper()
	all := map[string]string{}
	for s, item := range scanned(t, db, others...) {
		all[s.Name+" "+s.Key.From(dynastay.RowOf(item)).String()] = text(t, item)
	}
	return all
}

func scanned(t testing.TB, db *dyntest.DB, others ...*dynastay.Schema) func(yield func(*dynastay.Schema, dynastay.Item) bool) {
	return func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, s := range append(keys.Tables(), others...) {
			for _, item := range raw.All(t, db, s) {
				if !yield(s, item) {
					return
				}
			}
		}
	}
}

// compare names the items that differ, each with its attributes.
func compare(t testing.TB, want, got map[string]string) {
	t.Helper()
	for at := range want {
		assert.Equal(t, want[at], got[at], at)
	}
	for at := range got {
		_, wanted := want[at]
		assert.True(t, wanted, at)
	}
}

func loaded(t testing.TB, w *World, opts ...dyntest.Option) *dyntest.DB {
	t.Helper()
	db := dyntest.New(t, append(opts, dyntest.At(w.Now()))...)
	require.NoError(t, w.Load(t.Context(), db.DB, nil))
	return db
}

// written counts what the repositories have written.
type written struct {
	bookings, planned, changed int
	of                         map[bookings.Status]int
	paid                       map[bookings.PaymentStatus]int
}

// The items of a world are exactly those that the repositories write to a database, attribute by attribute.
func TestWorldIsWhatTheRepositoriesWrite(t *testing.T) {
	t.Parallel()
	n := checkAgainstRepositories(t, New(small))
	require.Greater(t, n.bookings, 50)
	require.Greater(t, n.planned, 10)
	for _, status := range inWorlds {
		require.Positive(t, n.of[status], status)
	}
	for _, status := range paidInWorlds {
		require.Positive(t, n.paid[status], status)
	}
	require.Greater(t, n.changed, 10)
}

// checkAgainstRepositories lets the repositories write a world to a database, and compares the items.
func checkAgainstRepositories(t testing.TB, w *World) written {
	t.Helper()
	ctx := t.Context()
	var (
		now   time.Time
		id    string
		drawn source
	)
	db := dyntest.New(t, dyntest.With(dynastay.Options{
		Clock: func() time.Time { return now },
		NewID: func(prefix string) string { return id },
		Rand:  &drawn,
	}))
	clock := func(at time.Time) { now = at }
	for i := range w.opts.Users {
		var person users.User
		person, now = w.person(i)
		repo, a := users.New(db.DB, nil), &Account{}
		var err error
		a.User, err = repo.Create(ctx, person)
		require.NoError(t, err)
		assert.Equal(t, a.User, w.User(i))
		require.NoError(t, w.belongings(i).carryOut(ctx, repo, a, clock))
		a.Loyalty, err = repo.Loyalty(ctx, a.ID)
		require.NoError(t, err)
		assert.Equal(t, a, w.Account(i))
	}
	for _, a := range w.Amenities() {
		made, err := catalog.Amenities(db.DB).Create(ctx, *a)
		require.NoError(t, err)
		assert.Equal(t, made, a)
	}
	for _, l := range w.Locations() {
		made, err := catalog.Locations(db.DB).Create(ctx, *l)
		require.NoError(t, err)
		assert.Equal(t, made, l)
	}
	count := written{of: map[bookings.Status]int{}, paid: map[bookings.PaymentStatus]int{}}
	for i := range w.opts.Properties {
		h, hotel := w.house(i), w.Hotel(i)
		now = h.created
		repo := properties.New(db.DB, nil)
		made, err := repo.Create(ctx, h.property, h.rooms)
		require.NoError(t, err)
		images, err := repo.AddImages(ctx, made.ID, w.images(i, h))
		require.NoError(t, err)
		assert.Equal(t, images, hotel.Images)
		require.NoError(t, h.createCharges(ctx, repo)) // before the plans, although the world creates them after these
		made = withPlans(t, repo, made, h)
		require.NoError(t, h.createUnits(ctx, db.DB))
		if made.Status == properties.Pending {
			if h.status == properties.Rejected {
				_, err := repo.Reject(ctx, made.ID)
				require.NoError(t, err)
			}
			continue
		}
		now = h.opened
		nights := availability.New(db.DB)
		for k := range h.rooms {
			for date := range w.nights().Dates() { // one by one, although the world opens runs of them
				price, minStay := h.night(k, date)
				_, err := nights.Open(ctx, availability.OpenRequest{
					PropertyID: made.ID, RoomTypeID: h.rooms[k].ID, Rooms: h.sale[k], Price: price, MinStay: minStay,
					Rates: h.rates(price), Nights: dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)},
				})
				require.NoError(t, err)
			}
		}
		sales, err := w.sales(i, h)
		require.NoError(t, err)
		sold := bookings.New(db.DB, &bookingOptions)
		require.NoError(t, h.promo.create(ctx, sold))
		stored := make([]*bookings.Booking, len(sales))
		carryOut := func(sales []sale, stored []*bookings.Booking, step step) {
			s := sales[step.n]
			now, id = step.at, s.id
			if step.does != creates {
				b, err := s.carryOut(ctx, sold, stored[step.n], step)
				require.NoError(t, err)
				stored[step.n] = b
				return
			}
			reference := w.reference(s.number)
			drawn.left = reference[:]
			request, err := w.request(nights, h, made.Card(), s)
			require.NoError(t, err)
			ask, err := made.Card().QuoteRequest(request.Quote.Stay, request.Quote.Guests, h.choices(s)...)
			require.NoError(t, err)
			h.agree(&ask, s)
			if made.HasCharges {
				ask.Charges, err = repo.Charges(ctx, made.ID)
				require.NoError(t, err)
				ask.Discounts = request.Discounts
			}
			quote, err := nights.Quote(ctx, ask)
			require.NoError(t, err, "%s must be free when it is booked", id)
			assert.Equal(t, quote, request.Quote)
			request.Quote = quote
			stored[step.n], err = sold.Create(ctx, request)
			require.NoError(t, err)
			count.bookings++
			count.planned += len(quote.Lines) - plainLines(quote.Lines)
		}
		stays, err := w.past(i, h, len(sales))
		require.NoError(t, err)
		openPast(t, db.DB, w, h, stays, clock)
		past := make([]*bookings.Booking, len(stays))
		for _, step := range steps(stays) {
			carryOut(stays, past, step)
		}
		for _, o := range w.opinions(i, h, stays) {
			require.NoError(t, o.carryOut(ctx, reviews.New(db.DB, repo, nil), clock))
		}
		todo := steps(sales)
		today := slices.IndexFunc(todo, func(s step) bool { return s.at.After(w.opts.Today.Time()) })
		if today < 0 {
			today = len(todo)
		}
		for _, step := range todo[:today] {
			carryOut(sales, stored, step)
		}
		now = w.opts.Today.Time()
		require.NoError(t, h.promo.end(ctx, sold))
		if changes := w.changes(i, h, sales); len(changes) > 0 {
			report, err := nights.Update(ctx, availability.UpdateRequest{PropertyID: made.ID, Changes: changes})
			require.NoError(t, err)
			require.Equal(t, len(report.Dates), report.Count(availability.Written), "%v", report.Dates)
			count.changed += len(report.Dates)
		}
		if h.status == properties.Suspended {
			_, err := repo.Suspend(ctx, made.ID)
			require.NoError(t, err)
		}
		for _, step := range todo[today:] { // guests arrive and pay, whatever the status of the hotel
			carryOut(sales, stored, step)
		}
		require.NoError(t, w.keepHouse(ctx, db.DB, i, h, clock))
		nothing := func(bookings.OutOfOrder) error { return nil }
		require.NoError(t, w.takeOut(ctx, sold, h, w.repairs(i, h, sales), clock, nothing))
		assert.Equal(t, stored, hotel.Bookings)
		if len(past) > 0 {
			assert.Equal(t, past, hotel.PastStays)
		}
		for _, b := range slices.Concat(stored, past) {
			count.of[b.Status]++
			count.paid[b.PaymentStatus]++
		}
	}

	want := scan(t, db)
	maps.DeleteFunc(want, func(at, _ string) bool {
		_, date, night := strings.Cut(at, "DATE#")
		return night && strings.HasPrefix(at, keys.AvailabilityTable.Name) && date[:10] < w.opts.Today.String()
	})
	require.Greater(t, len(want), 500)
	compare(t, want, contents(t, w))
	compare(t, want, scan(t, loaded(t, w)))
	return count
}

// What a world says about itself is what is read from the tables.
func TestWorldDescribesWhatIsStored(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(small)
	db := loaded(t, w).DB
	var ids []string
	var all []*properties.Property
	for h := range w.Hotels() {
		got, err := properties.New(db, nil).GetWithRooms(ctx, h.ID)
		require.NoError(t, err)
		assert.Equal(t, h.WithRooms, got)
		images, err := properties.New(db, nil).GetImages(ctx, h.ID)
		require.NoError(t, err)
		assert.Equal(t, h.Images, images)
		ids, all = append(ids, h.ID), append(all, &h.Property)
		plans, err := properties.New(db, nil).RatePlans(ctx, h.ID)
		require.NoError(t, err)
		assert.Equal(t, h.RatePlans, plans)
		if h.Charges != nil {
			list, err := properties.New(db, nil).Charges(ctx, h.ID)
			require.NoError(t, err)
			assert.Equal(t, h.Charges, list)
		}
		var nights []*availability.Night
		for _, r := range h.Rooms {
			read, err := availability.New(db).Check(ctx, h.ID, r.ID, 1, w.nights())
			require.NoError(t, err)
			for i := range read.Nights {
				nights = append(nights, &read.Nights[i])
			}
		}
		assert.Equal(t, h.Nights, nights)
		for _, b := range slices.Concat(h.Bookings, h.PastStays) {
			got, err := bookings.New(db, nil).ByReference(ctx, b.Reference)
			require.NoError(t, err)
			assert.Equal(t, b, got)
			paid, ok := paymentsOf(t, db, b.ID)
			want, has := h.Payments[b.ID]
			assert.Equal(t, has, ok, b.ID)
			assert.Equal(t, want, paid)
		}
		for _, r := range h.Reviews {
			got, err := reviews.New(db, nil, nil).ByBooking(ctx, r.BookingID)
			require.NoError(t, err)
			assert.Equal(t, r, got)
			for _, user := range h.Votes[r.ID] {
				voted, err := reviews.New(db, nil, nil).Voted(ctx, user, []string{r.ID})
				require.NoError(t, err)
				assert.Equal(t, []bool{true}, voted)
			}
		}
		if h.PromoCode != nil {
			got, err := bookings.New(db, nil).PromoCode(ctx, h.PromoCode.Code)
			require.NoError(t, err)
			assert.Equal(t, h.PromoCode, got)
		}
	}
	got, err := properties.New(db, nil).GetAll(ctx, ids)
	require.NoError(t, err)
	assert.Equal(t, all, got)
	assert.Equal(t, w.Amenities(), collected(t, catalog.Amenities(db).All()))
	assert.Equal(t, w.Locations(), collected(t, catalog.Locations(db).All()))
	for u := range w.Users() {
		got, err := users.New(db, nil).ByEmail(ctx, u.Email)
		require.NoError(t, err)
		assert.Equal(t, u, got)
	}
	for a := range w.Accounts() {
		repo := users.New(db, nil)
		loyalty, err := repo.Loyalty(ctx, a.ID)
		require.NoError(t, err)
		assert.Equal(t, a.Loyalty, loyalty)
		assert.Equal(t, a.Entries, collected(t, repo.LoyaltyEntries(a.ID)))
		assert.Equal(t, a.Wishlists, collected(t, repo.Wishlists(a.ID)))
		if a.Preferences != nil {
			got, err := repo.Preferences(ctx, a.ID)
			require.NoError(t, err)
			assert.Equal(t, a.Preferences, got)
		}
	}
}

func collected[T any](t testing.TB, l dynastay.List[T]) (all []T) {
	return lists.All(t, l)
}
