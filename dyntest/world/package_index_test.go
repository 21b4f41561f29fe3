package world

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// rowsOf are an item's keys in the indexes of its table.
type rowsOf map[string]dynastay.Key

// ledger is what should be stored, derived from entities that were read: every item by table and key, with its rows
// in the indexes, or the owner that a guard names.
type ledger struct {
	t    testing.TB
	rows map[string]rowsOf
	own  map[string]string
}

func at(s *dynastay.Schema, key dynastay.Key) string { return s.Name + " " + key.String() }

// key fails the test if a key is invalid.
func (l *ledger) key(key dynastay.Key, err error) dynastay.Key {
	require.NoError(l.t, err)
	return key
}

func (l *ledger) add(s *dynastay.Schema, key dynastay.Key, rows rowsOf) { l.rows[at(s, key)] = rows }

func (l *ledger) guard(s *dynastay.Schema, key dynastay.Key, owner string) {
	l.add(s, key, rowsOf{})
	l.own[at(s, key)] = owner
}

func (l *ledger) property(p *properties.Whole) {
	s, at := keys.PropertiesTable, p.Address
	rows := rowsOf{
		keys.OwnerIndex: l.key(keys.Of(keys.PropertyByOwner{OwnerID: p.OwnerID, PropertyID: p.ID})),
		keys.SlugIndex:  l.key(keys.Of(keys.PropertyBySlug{Slug: p.Slug})),
	}
	found := p.Status == properties.Approved
	if found {
		place, err := key.PlaceOf(at.Latitude, at.Longitude)
		require.NoError(l.t, err)
		price, err := key.PriceOf(p.Prices.Min)
		require.NoError(l.t, err)
		rows[keys.LocationIndex] = l.key(keys.Of(keys.PropertyByCity{City: at.City, Country: at.Country, Rating: p.Rating, PropertyID: p.ID}))
		rows[keys.GeoIndex] = l.key(keys.Of(keys.PropertyByArea{Geohash: place.Precision6, Price: price, PropertyID: p.ID}))
		rows[keys.TypeRatingIndex] = l.key(keys.Of(keys.PropertyByType{Type: string(p.Type), Rating: p.Rating, PropertyID: p.ID}))
		rows[keys.PriceIndex] = l.key(keys.Of(keys.PropertyByPrice{
			City: at.City, Country: at.Country, Currency: p.Prices.Min.Currency(), Price: price, PropertyID: p.ID,
		}))
		rows[keys.GeohashIndex] = l.key(keys.Of(keys.PropertyByCell{Cell: place.Cell, Geohash: place.Geohash, PropertyID: p.ID}))
		if p.Stars > 0 {
			rows[keys.RatingIndex] = l.key(keys.Of(keys.PropertyByStars{
				City: at.City, Country: at.Country, Stars: p.Stars, Rating: p.Rating, PropertyID: p.ID,
			}))
		}
		if p.Featured {
			rows[keys.FeaturedIndex] = l.key(keys.Of(keys.FeaturedProperty{Score: int64(p.FeaturedScore), PropertyID: p.ID}))
		}
	} else if p.Status == properties.Pending {
		rows[keys.PropertyStatusIndex] = l.key(keys.Of(keys.PropertyByStatus{
			Status: string(p.Status), Created: p.CreatedAt, PropertyID: p.ID,
		}))
	}
	l.add(s, l.key(keys.Of(keys.Property{PropertyID: p.ID})), rows)
	l.images(p)
	l.guard(s, l.key(keys.Of(keys.SlugGuard{Slug: p.Slug})), p.ID)
	for _, r := range p.Rooms {
		l.add(s, l.key(keys.Of(keys.RoomType{PropertyID: p.ID, RoomTypeID: r.ID})), rowsOf{})
		l.guard(s, l.key(keys.Of(keys.RoomTypeGuard{RoomTypeID: r.ID})), p.ID)
	}
	for _, id := range p.AmenityIDs {
		rows := rowsOf{}
		if found {
			rows[keys.AmenitiesIndex] = l.key(keys.Of(keys.PropertyByAmenity{
				City: at.City, Country: at.Country, AmenityID: id, PropertyID: p.ID,
			}))
		}
		l.add(s, l.key(keys.Of(keys.Amenity{PropertyID: p.ID, AmenityID: id})), rows)
	}
}

// images are counted by the property, which also has the URL of the only one that is primary.
func (l *ledger) images(p *properties.Whole) {
	primary := ""
	for n, image := range p.Images {
		l.add(keys.PropertiesTable, l.key(keys.Of(keys.Image{PropertyID: p.ID, ImageID: image.ID})), rowsOf{})
		assert.Equal(l.t, n+1, image.Order)
		if image.Primary {
			assert.Empty(l.t, primary, "two primary images of %s", p.ID)
			primary = image.URL
		}
	}
	assert.NotEmpty(l.t, primary, p.ID)
	assert.Equal(l.t, primary, p.PrimaryImageURL)
	assert.Len(l.t, p.Images, p.ImageCount)
}

// entry is an entry of a catalogue with its names, folded.
func (l *ledger) entry(of, id string, names ...string) {
	l.add(keys.MetadataTable, l.key(keys.Of(keys.CatalogItem{Catalog: of, ItemID: id})), rowsOf{})
	for _, name := range names {
		l.add(keys.MetadataTable, l.key(keys.Of(keys.CatalogName{Catalog: of, Name: name, ItemID: id})), rowsOf{})
	}
}

func (l *ledger) night(n availability.Night) {
	l.add(keys.AvailabilityTable, l.key(keys.Of(keys.Night{RoomTypeID: n.RoomTypeID, Date: n.Date})), rowsOf{
		keys.PropertyDateIndex: l.key(keys.Of(keys.NightByProperty{PropertyID: n.PropertyID, Date: n.Date, RoomTypeID: n.RoomTypeID})),
	})
}

func (l *ledger) booking(b *bookings.Booking) {
	s, in := keys.BookingsTable, b.Stay.CheckIn
	rows := rowsOf{
		keys.PropertyBookingsIndex: l.key(keys.Of(keys.BookingByProperty{PropertyID: b.PropertyID, CheckIn: in, BookingID: b.ID})),
		keys.BookingStatusIndex:    l.key(keys.Of(keys.BookingByStatus{Status: string(b.Status), Created: b.CreatedAt, BookingID: b.ID})),
		keys.ReferenceIndex:        l.key(keys.Of(keys.BookingByReference{Reference: b.Reference})),
	}
	if b.UserID != "" {
		rows[keys.UserBookingsIndex] = l.key(keys.Of(keys.BookingByUser{UserID: b.UserID, CheckIn: in, BookingID: b.ID}))
	}
	if live(b) {
		rows[keys.CheckInDateIndex] = l.key(keys.Of(keys.BookingByCheckIn{CheckIn: in, PropertyID: b.PropertyID, BookingID: b.ID}))
	}
	switch {
	case b.Status == bookings.Pending:
		rows[keys.HoldIndex] = l.key(keys.Of(keys.BookingByHold{Expires: b.HoldExpiresAt, BookingID: b.ID}))
	case owing(b):
		rows[keys.HoldIndex] = l.key(keys.Of(keys.BookingByDue{Due: b.DueAt, BookingID: b.ID}))
	}
	if b.Status == bookings.CheckedIn {
		rows[keys.HouseIndex] = l.key(keys.Of(keys.BookingInHouse{PropertyID: b.PropertyID, CheckOut: b.Stay.CheckOut, BookingID: b.ID}))
	}
	l.add(s, l.key(keys.Of(keys.Booking{BookingID: b.ID})), rows)
	l.guard(s, l.key(keys.Of(keys.ReferenceGuard{Reference: b.Reference})), b.ID)
	if b.ExternalReference != "" { // they are all unique
		l.guard(s, l.key(keys.Of(keys.ExternalReferenceGuard{Channel: b.Channel, ExternalReference: b.ExternalReference})), b.ID)
	}
	l.lines(b)
}

func (l *ledger) user(u *users.User) {
	s := keys.UsersTable
	l.add(s, l.key(keys.Of(keys.Profile{UserID: u.ID})), rowsOf{
		keys.EmailIndex: l.key(keys.Of(keys.ProfileByEmail{Email: u.Email})),
	})
	l.guard(s, l.key(keys.Of(keys.EmailGuard{Email: u.Email})), u.ID)
}

// belongings are what belongs to a user, which it reads and checks.
func (l *ledger) belongings(db *dynastay.DB, u *users.User) {
	repo, ctx := users.New(db, nil), context.Background()
	a := &Account{User: u, Entries: collected(l.t, repo.LoyaltyEntries(u.ID)), Wishlists: collected(l.t, repo.Wishlists(u.ID))}
	preferences, err := repo.Preferences(ctx, u.ID)
	require.NoError(l.t, err)
	if preferences.Version > 0 {
		a.Preferences = preferences
		l.add(keys.UsersTable, l.key(keys.Of(keys.Preference{UserID: u.ID})), rowsOf{})
	}
	a.Loyalty, err = repo.Loyalty(ctx, u.ID)
	require.NoError(l.t, err)
	if len(a.Entries) > 0 {
		l.add(keys.UsersTable, l.key(keys.Of(keys.Loyalty{UserID: u.ID})), rowsOf{})
	}
	for _, e := range a.Entries {
		l.add(keys.UsersTable, l.key(keys.Of(keys.LoyaltyEntry{UserID: u.ID, ReasonID: e.ReasonID})), rowsOf{})
	}
	for _, wishlist := range a.Wishlists {
		l.add(keys.MetadataTable, l.key(keys.Of(keys.Wishlist{UserID: u.ID, WishlistID: wishlist.ID})), rowsOf{})
	}
	checkAccount(l.t, New(Options{}), a)
}

// review is a review with its response, its votes and its guard.
func (l *ledger) review(r *reviews.Review, votes []string) {
	s := keys.ReviewsTable
	rows := rowsOf{
		keys.UserReviewsIndex:   l.key(keys.Of(keys.ReviewByUser{UserID: r.UserID, Created: r.CreatedAt, ReviewID: r.ID})),
		keys.BookingReviewIndex: l.key(keys.Of(keys.ReviewByBooking{BookingID: r.BookingID})),
	}
	switch r.Status {
	case reviews.Approved:
		rows[keys.PropertyReviewsIndex] = l.key(keys.Of(keys.ReviewByProperty{
			PropertyID: r.PropertyID, Created: r.CreatedAt, ReviewID: r.ID,
		}))
	case reviews.Pending:
		rows[keys.ReviewStatusIndex] = l.key(keys.Of(keys.ReviewByStatus{
			Status: string(r.Status), Created: r.CreatedAt, ReviewID: r.ID,
		}))
	}
	l.add(s, l.key(keys.Of(keys.Review{ReviewID: r.ID})), rows)
	l.guard(s, l.key(keys.Of(keys.BookingReviewGuard{BookingID: r.BookingID})), r.ID)
	if r.Response != nil {
		l.add(s, l.key(keys.Of(keys.Response{ReviewID: r.ID})), rowsOf{
			keys.UserReviewsIndex: l.key(keys.Of(keys.ResponseByUser{ResponderID: r.Response.ResponderID, ReviewID: r.ID})),
		})
	}
	for _, user := range votes {
		l.add(s, l.key(keys.Of(keys.Vote{ReviewID: r.ID, UserID: user})), rowsOf{
			keys.UserReviewsIndex: l.key(keys.Of(keys.VoteByUser{UserID: user, ReviewID: r.ID})),
		})
	}
}

// checkCatalogues reads the catalogues, which have every amenity and city of the hotels.
func checkCatalogues(l *ledger, db *dynastay.DB, hotels map[string]*properties.Whole) {
	ctx, amenities, places := context.Background(), map[string]bool{}, map[properties.CityQuery]string{}
	orders := map[int]bool{}
	for a, err := range catalog.Amenities(db).All().All(ctx) {
		require.NoError(l.t, err)
		amenities[a.ID], orders[a.DisplayOrder] = true, true
		l.entry("amenities", a.ID, append([]string{a.Name}, a.Aliases...)...)
	}
	for at, err := range catalog.Locations(db).All().All(ctx) {
		require.NoError(l.t, err)
		places[properties.CityQuery{City: at.City, Country: at.Country}] = at.State
		for _, name := range append([]string{at.City}, at.Aliases...) {
			l.entry("locations", at.ID, name, name+" "+at.Country)
		}
	}
	assert.Len(l.t, places, len(cities))
	assert.Len(l.t, amenities, len(amenityKinds))
	for n := range amenityKinds {
		assert.True(l.t, orders[n+1], "position %d among the amenities", n+1)
	}
	for _, p := range hotels {
		state, ok := places[properties.CityQuery{City: p.Address.City, Country: p.Address.Country}]
		assert.True(l.t, ok && state == p.Address.State, "%s is in %+v", p.ID, p.Address)
		for _, id := range p.AmenityIDs {
			assert.True(l.t, amenities[id], "amenity %s", id)
		}
	}
	found := collected(l.t, catalog.Locations(db).Find("nyc"))
	require.Len(l.t, found, 1)
	assert.Equal(l.t, "New York", found[0].City)
}

// This does not use what the world says about itself: ids come from a scan, and entities from the repositories.
func TestLoadedWorldIsConsistent(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(Options{Seed: 301, Properties: 30, Users: 60, Nights: 14})
	under := loaded(t, w)
	db := under.DB

	ids := map[string][]string{}
	stored, owners, closed, onCards := map[string]rowsOf{}, map[string]string{}, map[string]bool{}, map[string]string{}
	votes := map[string][]string{}
	for s, item := range scanned(t, under) {
		row := dynastay.RowOf(item)
		here := at(s, s.Key.From(row))
		rows := rowsOf{}
		for _, index := range s.Indexes {
			if key := index.Key.From(row); key != (dynastay.Key{}) {
				rows[index.Name] = key
			}
		}
		stored[here] = rows
		kind := row.Text(keys.AttrEntityType)
		if kind == "Guard" {
			if row.Text(keys.AttrClosed) != "" {
				assert.True(t, strings.HasPrefix(row.Text(keys.AttrClosed), keys.ClosedByStatus), here)
				closed[here] = true
			}
			for _, name := range []string{"PropertyId", "BookingId", "UserId", "ReviewId"} {
				owners[here] += row.Text(name)
			}
			continue
		}
		if kind == "Vote" {
			votes[row.Text("ReviewId")] = append(votes[row.Text("ReviewId")], row.Text("UserId"))
		}
		if kind == "PromoCode" {
			ids[kind] = append(ids[kind], row.Text("Code"))
		}
		if kind == "Property" {
			onCards[row.Text("PropertyId")] = row.Value(keys.AttrCard).Map().Text("PrimaryImageUrl")
		}
		for name, of := range map[string]string{"PropertyId": "Property", "BookingId": "Booking", "UserId": "User", "ReviewId": "Review"} {
			if kind == of {
				ids[kind] = append(ids[kind], row.Text(name))
			}
		}
	}
	require.Len(t, ids["Property"], 30)
	require.Len(t, ids["User"], 60)
	require.Greater(t, len(ids["Booking"]), 200)

	l := &ledger{t, map[string]rowsOf{}, map[string]string{}}
	l.add(keys.UsersTable, l.key(keys.Of(keys.EmailConfig{})), rowsOf{})
	people := map[string]*users.User{}
	for _, id := range ids["User"] {
		u, err := users.New(db, nil).Get(ctx, id)
		require.NoError(t, err)
		l.user(u)
		l.belongings(db, u)
		people[id] = u
	}
	type place struct {
		room string
		date dynastay.Date
	}
	nights, hotels := map[place]availability.Night{}, map[string]*properties.Whole{}
	plans, lists := map[string][]availability.RatePlan{}, map[string]*charges.List{}
	of := map[properties.Status]int{}
	approved := map[properties.CityQuery]int{}
	for _, id := range ids["Property"] {
		p, err := properties.New(db, nil).GetWhole(ctx, id)
		require.NoError(t, err)
		l.property(p)
		plans[id], lists[id] = l.ratePlans(db, p), l.charges(db, p)
		of[p.Status]++
		assert.Equal(t, p.PrimaryImageURL, onCards[id], "on the card of %s", id)
		hotels[id] = p
		if assert.Contains(t, people, p.OwnerID) {
			assert.Equal(t, users.Owner, people[p.OwnerID].Role)
		}
		if p.Status == properties.Approved {
			approved[properties.CityQuery{City: p.Address.City, Country: p.Address.Country}]++
		}
		for _, r := range p.Rooms {
			guard := at(keys.PropertiesTable, l.key(keys.Of(keys.RoomTypeGuard{RoomTypeID: r.ID})))
			assert.Equal(t, p.Status == properties.Suspended, closed[guard], "%s is %s", r.ID, p.Status)
			delete(closed, guard)
			got, err := availability.New(db).Check(ctx, id, r.ID, 1, w.nights())
			require.NoError(t, err)
			for _, n := range got.Nights {
				l.night(n)
				nights[place{r.ID, n.Date}] = n
				assert.Equal(t, p.Status == properties.Suspended, n.PropertyClosed, "%s is %s", r.ID, p.Status)
				assert.True(t, n.Available >= 0 && n.Available <= n.Total && n.Total <= r.Total, "%s of %d: %+v", r.ID, r.Total, n)
			}
		}
	}
	assert.Empty(t, closed, "guards")
	for _, status := range []properties.Status{properties.Approved, properties.Pending, properties.Rejected, properties.Suspended} {
		assert.Positive(t, of[status], status)
	}
	checkCatalogues(l, db, hotels)
	sold, suspended, inStatus, uses := map[place]int{}, 0, map[bookings.Status]int{}, map[string]int{}
	var with []*bookings.Booking // a promo code
	booked := map[string]*bookings.Booking{}
	for _, id := range ids["Booking"] {
		b, err := bookings.New(db, nil).Get(ctx, id)
		require.NoError(t, err)
		l.booking(b)
		booked[id] = b
		past := b.Stay.CheckIn.Before(w.opts.Today)
		assert.Equal(t, past, slices.Contains(inPast, b.Status), "%s for %s", id, b.Stay)
		checkOrigin(t, b, people)
		checkLife(t, w, b)
		paid, ok := paymentsOf(t, db, id)
		checkPayments(t, w, b, paid, ok)
		if ok {
			l.payments(id, paid)
		}
		if b.PromoCode != "" {
			with = append(with, b)
			if live(b) {
				uses[b.PromoCode]++
			}
		}
		inStatus[b.Status]++
		require.NotNil(t, hotels[b.PropertyID], b.PropertyID)
		if hotels[b.PropertyID].Status == properties.Suspended {
			suspended++
		}
		var rooms dynastay.Money
		count := 0
		for _, line := range b.Lines {
			count += line.Quantity
			var one dynastay.Money
			var prices []dynastay.Money
			require.Len(t, line.Nights, b.Stay.Nights())
			for date := range b.Stay.Dates() {
				priced := line.Nights[b.Stay.CheckIn.DaysUntil(date)]
				one, err = one.Add(priced.Price)
				require.NoError(t, err)
				n, ok := nights[place{line.RoomTypeID, date}]
				require.Equal(t, !past, ok, "%s sells %s of %s, which is not on sale", id, date, line.RoomTypeID)
				if past {
					assert.Equal(t, date, priced.Date)
					continue
				}
				assert.Equal(t, b.PropertyID, n.PropertyID)
				prices = append(prices, n.Price)
				if live(b) {
					sold[place{line.RoomTypeID, date}] += line.Quantity
				}
				if date == b.Stay.CheckIn {
					assert.GreaterOrEqual(t, b.Stay.Nights(), n.MinStay)
					assert.True(t, n.MaxStay == 0 || b.Stay.Nights() <= n.MaxStay, "%s for %s, at most %d nights", id, b.Stay, n.MaxStay)
					assert.False(t, n.ClosedToArrival, "%s arrives on %s", id, date)
				}
				if date == b.Stay.LastNight() {
					assert.False(t, n.ClosedToDeparture, "%s departs on %s", id, b.Stay.CheckOut)
				}
			}
			if !past {
				asks := lists[b.PropertyID] != nil && lists[b.PropertyID].AsksWhoStays()
				checkPrices(t, &hotels[b.PropertyID].WithRooms, plans[b.PropertyID], asks, b, line, prices)
			}
			subtotal, err := one.Times(line.Quantity)
			require.NoError(t, err)
			assert.Equal(t, subtotal, line.Subtotal)
			rooms, err = rooms.Add(subtotal)
			require.NoError(t, err)
		}
		assert.Equal(t, rooms, b.Breakdown.Rooms)
		assert.Equal(t, count, b.Rooms)
		checkCharges(t, lists[b.PropertyID], b)
	}
	for at, n := range nights {
		assert.Equal(t, n.Total-sold[at], n.Available, "%v", at)
	}

	require.Greater(t, len(ids["Review"]), 20)
	ratings := map[string][]dynastay.Rating{}
	for _, id := range ids["Review"] {
		r, err := reviews.New(db, nil, nil).Get(ctx, id)
		require.NoError(t, err)
		l.review(r, votes[id])
		checkReview(t, w, r, booked[r.BookingID], people, votes[id])
		if r.Status == reviews.Approved {
			ratings[r.PropertyID] = append(ratings[r.PropertyID], r.Ratings.Overall)
		}
		delete(votes, id)
	}
	assert.Empty(t, votes, "of reviews that do not exist")
	for id, p := range hotels {
		checkRating(t, &p.Property, ratings[id])
		repaired, err := reviews.New(db, properties.New(db, nil), nil).RepairRating(ctx, id)
		require.NoError(t, err)
		assert.False(t, repaired.Changed, "%s: %+v", id, repaired)
	}

	codes := map[string]*bookings.PromoCode{}
	for _, id := range ids["PromoCode"] {
		code, err := bookings.New(db, nil).PromoCode(ctx, id)
		require.NoError(t, err)
		l.add(keys.MetadataTable, l.key(keys.Of(keys.PromoCode{Code: id})), rowsOf{})
		assert.Equal(t, uses[id], code.UsageCount, id)
		codes[id] = code
	}
	for _, b := range with {
		checkUse(t, b, codes[b.PromoCode])
	}
	require.Greater(t, len(with), 10)
	require.Greater(t, len(codes), 5)

	assert.Positive(t, suspended, "bookings of suspended hotels")
	for _, status := range inWorlds {
		assert.Positive(t, inStatus[status], status)
	}

	// Every expected item is stored with the expected rows, and no other item.
	for at, rows := range l.rows {
		assert.Equal(t, rows, stored[at], at)
	}
	for at := range stored {
		_, wanted := l.rows[at]
		assert.True(t, wanted, at)
	}
	assert.Equal(t, l.own, owners)

	// A search finds every approved hotel.
	for city, n := range approved {
		found := 0
		for card, err := range properties.New(db, nil).ByCity(city).All(ctx) {
			require.NoError(t, err)
			assert.Equal(t, hotels[card.PropertyID].Card(), card)
			found++
		}
		assert.Equal(t, n, found, city.City)
	}
}
