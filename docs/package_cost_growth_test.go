package docs_test

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/reviews"
)

var growth = flag.Int("growth", 500, "number of bookings of a user, and of votes for a review, at which calls are compared with a few; 100000 writes the page")

// fullGrowth is the size of the page: 100,000 votes, and half as many bookings.
const fullGrowth = 100_000

// growing is something of which there may be a few or many, and the calls that meet it.
type growing struct {
	what      string
	few, many int
	open      func(t *testing.T, db *dyntest.DB) (fill func(from, to int), calls []growingCall)
}

// growingCall is a call, and whether it costs the same however many there are.
type growingCall struct {
	what string
	call func() error
	why  string // it costs more for many; "": it does not
}

// What the calls cost that meet what there may be very many of.
func TestCostOfMany(t *testing.T) {
	t.Parallel()
	var rows [][]string
	full := *growth == fullGrowth
	for _, g := range []growing{
		{"bookings of a user", 30, *growth / 2, bookingsOfAUser},
		{"votes for a review", 30, *growth, votesForAReview},
		{"room types of a property", 2, 90, roomTypesOfAProperty},
		{"feeds of channels to a listing", 1, 20, feedsOfAListing},
	} {
		db := dyntest.New(t, dyntest.Tables(listingkeys.Table), dyntest.At(fixture.Now))
		if !db.Has(dyntest.ExactUnits) {
			require.False(t, full || page.Updating(), "the units are those of an engine that counts them as DynamoDB does")
		}
		fill, calls := g.open(t, db)
		measure := func() (costs []dyntest.Cost) {
			for _, c := range calls {
				costs = append(costs, db.Measure(func() { require.NoError(t, c.call(), "%s: %s", g.what, c.what) }).Cost)
			}
			return costs
		}
		fill(0, g.few)
		few := measure()
		fill(g.few, g.many)
		for i, many := range measure() {
			c := calls[i]
			if c.why == "" {
				assert.Equal(t, few[i], many, "%s: %s", g.what, c.what)
			} else {
				assert.Greater(t, many.ReadUnits+many.WriteUnits, few[i].ReadUnits+few[i].WriteUnits, "%s: %s", g.what, c.what)
			}
			if c.why == "" {
				c.why = "the same"
			}
			rows = append(rows, []string{
				g.what, c.what, thousands(g.few), growthCost(few[i]), thousands(g.many), growthCost(many), c.why,
			})
		}
	}
	if full {
		page.Section(t, "docs/scale.md", "many", page.Table([]string{"of", "call", "few", "it costs", "many", "it costs", ""}, rows))
	}
}

func growthCost(c dyntest.Cost) string {
	var parts []string
	requests := map[bool]string{true: "request", false: "requests"}[c.Requests == 1]
	for _, part := range []struct {
		n    float64
		unit string
	}{{float64(c.Requests), requests}, {c.ReadUnits, "read"}, {c.WriteUnits, "written"}} {
		if part.n > 0 {
			parts = append(parts, strconv.FormatFloat(part.n, 'f', -1, 64)+" "+part.unit)
		}
	}
	return strings.Join(parts, ", ")
}

// copies stores an item again under other ids: each text in it that contains the id gets another one.
func copies(t *testing.T, db *dyntest.DB, s *dynastay.Schema, item dynastay.Item, id string, from, to int) {
	t.Helper()
	plain := raw.Plain(t, item)
	require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for n := from; n < to; n++ {
			other := fmt.Sprintf("%s%06d", id[:len(id)-6], n) // of the same size
			like := map[string]any{}
			for name, value := range plain {
				if text, is := value.(string); is {
					value = strings.ReplaceAll(text, id, other)
				}
				like[name] = value
			}
			if !yield(s, raw.Item(t, like)) {
				return
			}
		}
	}))
}

func bookingsOfAUser(t *testing.T, db *dyntest.DB) (func(from, to int), []growingCall) {
	t.Helper()
	ctx, desk := t.Context(), bookings.New(db.DB, nil)
	hotel := fixture.New(t, db.Direct, 1000)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	first, err := desk.Create(ctx, request)
	require.NoError(t, err)
	key, err := keys.Of(keys.Booking{BookingID: first.ID})
	require.NoError(t, err)
	item := raw.Get(t, db, keys.BookingsTable, key)
	var made *bookings.Booking
	return func(from, to int) { copies(t, db, keys.BookingsTable, item, first.ID, from, to) }, []growingCall{
		{what: "a page of them", call: func() error {
			got, err := desk.ByUser(request.UserID).Page(ctx, dynastay.Paging{Limit: 20})
			assert.Len(t, got.Items, 20)
			return err
		}},
		{what: "a page of the coming ones", call: func() error {
			got, err := desk.Upcoming(request.UserID, dynastay.DateOf(db.Now(), time.UTC)).Page(ctx, dynastay.Paging{Limit: 20})
			assert.Len(t, got.Items, 20)
			return err
		}},
		{what: "one more", call: func() (err error) {
			made, err = desk.Create(ctx, request)
			return err
		}},
		{what: "its cancellation", call: func() error {
			_, err := desk.Cancel(ctx, made.ID, "plans have changed", nil)
			return err
		}},
	}
}

func votesForAReview(t *testing.T, db *dyntest.DB) (func(from, to int), []growingCall) {
	t.Helper()
	ctx := t.Context()
	hotel := fixture.New(t, db.Direct, 1000)
	desk := bookings.New(db.Direct, nil)
	b, err := desk.Create(ctx, fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1)))
	require.NoError(t, err)
	db.Clock.Set(fixture.Now.AddDate(0, 0, 39))
	_, err = desk.CheckIn(ctx, b.ID, bookings.Assigned{hotel.RoomTypeID: {"101"}})
	require.NoError(t, err)
	_, err = desk.CheckOut(ctx, b.ID)
	require.NoError(t, err)
	opinions := reviews.New(db.DB, properties.New(db.DB, nil), nil)
	const voter = "user_000000"
	var r *reviews.Review
	fill := func(_, to int) { // the calls delete the one of before
		made, err := opinions.Create(ctx, reviews.Review{
			BookingID: b.ID, UserID: b.UserID, PropertyID: hotel.ID, Ratings: reviews.Ratings{Overall: 90}, Title: "Quiet", Text: "And close to the river.",
		})
		require.NoError(t, err)
		r, err = opinions.Approve(ctx, made.ID, made.Version)
		require.NoError(t, err)
		require.NoError(t, opinions.Vote(ctx, r.ID, voter))
		key, err := keys.Of(keys.Vote{ReviewID: r.ID, UserID: voter})
		require.NoError(t, err)
		copies(t, db, keys.ReviewsTable, raw.Get(t, db, keys.ReviewsTable, key), voter, 1, to)
	}
	return fill, []growingCall{
		{what: "the review", call: func() error {
			_, err := opinions.Get(ctx, r.ID)
			return err
		}},
		{what: "a page of its property's", call: func() error {
			_, err := opinions.ByProperty(hotel.ID).Page(ctx, dynastay.Paging{Limit: 20})
			return err
		}},
		{what: "one more vote", call: func() error { return opinions.Vote(ctx, r.ID, "user_ada") }},
		{what: "which is taken back", call: func() error { return opinions.Unvote(ctx, r.ID, "user_ada") }},
		{
			what: "deleting the review", why: "each vote is an item, deleted in transactions of about 96",
			call: func() error { return opinions.Delete(ctx, r.ID) },
		},
	}
}

func roomTypesOfAProperty(t *testing.T, db *dyntest.DB) (func(from, to int), []growingCall) {
	t.Helper()
	ctx, hosts, desk := t.Context(), properties.New(db.DB, nil), bookings.New(db.DB, nil)
	hotel := fixture.New(t, db.Direct, 1000)
	quote := hotel.Quote(t, db.Direct, fixture.Stay, 1)
	offer, err := hotel.Card().QuoteRequest(fixture.Stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: hotel.RoomTypeID, Quantity: 1})
	require.NoError(t, err)
	fill := func(from, to int) {
		for n := max(from, 1); n < to; n++ { // one is there
			made, err := properties.New(db.Direct, nil).AddRoomTypes(ctx, hotel.ID, []properties.RoomType{{
				ID: fmt.Sprintf("%s_%02d", hotel.ID[5:10], n), Name: "Twin", // short, because the card has all of them
				Limits: hotel.Rooms[0].Limits, BasePrice: fixture.Price, Total: 1000,
			}})
			require.NoError(t, err)
			other := fixture.Hotel{WithRooms: hotel.WithRooms, RoomTypeID: made[0].ID}
			other.Open(t, db.Direct, availability.OpenRequest{Nights: dynastay.MustStay("2026-07-01", "2026-08-01"), Rooms: 1000, Price: fixture.Price})
		}
	}
	return fill, []growingCall{
		{what: "a search of its city, with dates", call: func() error {
			_, err := search.New(db.DB, hosts).Page(ctx, search.Request{
				City: hotel.Address.City, Country: hotel.Address.Country, Stay: fixture.Stay, Guests: availability.Guests{Adults: 2},
			}, dynastay.Paging{Limit: 20})
			return err
		}, why: "the nights of each room type are read"},
		{what: "the property with everything", call: func() error {
			_, err := hosts.GetWhole(ctx, hotel.ID)
			return err
		}, why: "each room type is an item of it"},
		{what: "its calendar of a month", call: func() error {
			_, err := availability.New(db.DB).Calendar(ctx, hotel.ID, dynastay.MonthOf(fixture.Stay.CheckIn))
			return err
		}, why: "each room type has 31 nights, and a request reads 1 MB"},
		{what: "a quote", call: func() error {
			_, err := availability.New(db.DB).Quote(ctx, offer)
			return err
		}},
		{what: "a booking", call: func() error {
			_, err := desk.Create(ctx, fixture.Request(quote))
			return err
		}},
	}
}

func feedsOfAListing(t *testing.T, db *dyntest.DB) (func(from, to int), []growingCall) {
	t.Helper()
	ctx, homes := t.Context(), listing.New(db.DB)
	const home, host = "lst_123", "host_456"
	today := dynastay.DateOf(fixture.Now, time.UTC)
	feed := func(n int) listing.Feed {
		var text strings.Builder
		text.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//channel//EN\r\n")
		for i := range 3 {
			from := today.AddDays(10 + 9*n + 3*i)
			fmt.Fprintf(&text, "BEGIN:VEVENT\r\nUID:%d-%d@channel\r\nDTSTAMP:20260601T000000Z\r\nDTSTART;VALUE=DATE:%s\r\nDTEND;VALUE=DATE:%s\r\nSUMMARY:Reserved\r\nEND:VEVENT\r\n",
				n, i, strings.ReplaceAll(from.String(), "-", ""), strings.ReplaceAll(from.AddDays(2).String(), "-", ""))
		}
		text.WriteString("END:VCALENDAR\r\n")
		db.Clock.Advance(time.Second)
		return listing.Feed{
			ListingID: home, HostID: host, Name: fmt.Sprintf("channel-%02d", n), Source: listing.Other, TimeZone: "America/New_York",
			Fetched: db.Now(), Calendar: strings.NewReader(text.String()),
		}
	}
	var event *listing.Event
	stay := dynastay.Stay{CheckIn: today.AddDays(4), CheckOut: today.AddDays(6)}
	fill := func(from, to int) {
		for n := from; n < to; n++ {
			_, err := listing.New(db.Direct).Sync(ctx, feed(n))
			require.NoError(t, err)
		}
	}
	return fill, []growingCall{
		{what: "whether a stay is free", call: func() error {
			_, err := homes.Check(ctx, home, stay)
			return err
		}},
		{what: "a booking", call: func() (err error) {
			event, err = homes.Book(ctx, listing.Booking{ListingID: home, HostID: host, BookingID: "bk_001", Stay: stay})
			return err
		}},
		{what: "its deletion", call: func() error { return homes.Delete(ctx, home, event.ID) }},
		{what: "a feed in which nothing has changed", call: func() error {
			_, err := homes.Sync(ctx, feed(0))
			return err
		}, why: "it reads what holds the nights, whoever does"},
		{what: "the calendar for a channel", call: func() error {
			_, err := homes.Export(ctx, home, today, listing.Channel{})
			return err
		}, why: "each night that is taken is an item"},
	}
}
