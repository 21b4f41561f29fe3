package docs_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/observe/cost"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/reviews"
)

// step is one call in the life of a booking, and how often it is made for 100 bookings.
type step struct {
	often int
	what  string
	call  func(t *testing.T)
}

// What a month costs, from what each call in the life of a booking costs on generated data.
func TestCostOfAMonth(t *testing.T) {
	t.Parallel()
	const perHundred = 100
	w := world.New(world.Options{Seed: 1, Properties: 30})
	meter := new(cost.Meter)
	db := dyntest.New(t, dyntest.At(w.Now()), dyntest.With(dynastay.Options{Observer: meter}))
	if !db.Has(dyntest.ExactUnits) {
		require.False(t, page.Updating(), "the units are those of an engine that counts them as DynamoDB does")
		t.Logf("NOT RUN: the engine, %s, lacks %s", db.Engine.Name(), dyntest.ExactUnits)
		return
	}
	require.NoError(t, w.Load(t.Context(), db.Direct, nil))
	var hotel *world.Hotel
	var ask availability.QuoteRequest
	for h := range w.Hotels() { // one in a city with several, with rate plans, and two rooms for two nights
		if offer, ok := h.Offer(2, 2); ok && len(h.RatePlans) > 0 && len(h.Rooms) > 1 {
			hotel, ask = h, offer
			break
		}
	}
	require.NotNil(t, hotel)
	ask.Guests, ask.Rooms[0].Quantity = availability.Guests{Adults: 2}, 1 // and the other one is for the booking that is cancelled
	hosts := properties.New(db.DB, nil)
	desk, nights, opinions := bookings.New(db.DB, nil), availability.New(db.DB), reviews.New(db.DB, hosts, nil)
	guest := w.User(3).ID
	ctx := t.Context()
	var quote *availability.Quote
	var booked, cancelled *bookings.Booking
	book := func(t *testing.T) *bookings.Booking {
		b, err := desk.Create(ctx, bookings.Request{
			UserID: guest, Guest: bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"}, Quote: quote, Hold: time.Hour,
		}, dynastay.IdempotencyKey(db.NewID("req_")))
		require.NoError(t, err)
		return b
	}
	steps := []step{
		{4000, "a search in a city, with dates", func(t *testing.T) {
			_, err := search.New(db.DB, hosts).Page(ctx, search.Request{
				City: hotel.Address.City, Country: hotel.Address.Country, Stay: ask.Stay, Guests: availability.Guests{Adults: 2},
			}, dynastay.Paging{Limit: 20})
			require.NoError(t, err)
		}},
		{1500, "a property with everything", func(t *testing.T) {
			_, err := hosts.GetWhole(ctx, hotel.ID)
			require.NoError(t, err)
		}},
		{1000, "its calendar of a month", func(t *testing.T) {
			_, err := nights.Calendar(ctx, hotel.ID, dynastay.MonthOf(ask.Stay.CheckIn))
			require.NoError(t, err)
		}},
		{300, "a quote of two nights", func(t *testing.T) {
			var err error
			quote, err = nights.Quote(ctx, ask)
			require.NoError(t, err)
		}},
		{100, "a hold, with an idempotency key", func(t *testing.T) { booked = book(t) }},
		{100, "the payment", func(t *testing.T) {
			_, err := desk.RecordPayment(ctx, bookings.Payment{
				BookingID: booked.ID, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: booked.Total,
				Status: bookings.PaymentPaid,
			})
			require.NoError(t, err)
		}},
		{100, "the confirmation", func(t *testing.T) {
			_, err := desk.Confirm(ctx, booked.ID, nil)
			require.NoError(t, err)
		}},
		{400, "the guest's bookings, a page", func(t *testing.T) {
			_, err := desk.ByUser(guest).Page(ctx, dynastay.Paging{Limit: 20})
			require.NoError(t, err)
		}},
		{200, "a booking", func(t *testing.T) {
			_, err := desk.Get(ctx, booked.ID)
			require.NoError(t, err)
		}},
		{12, "a cancellation", func(t *testing.T) {
			_, err := desk.Cancel(ctx, cancelled.ID, "plans have changed", nil)
			require.NoError(t, err)
		}},
		{88, "a check-in", func(t *testing.T) {
			db.Clock.Set(w.Now().AddDate(0, 0, w.Options().Today.DaysUntil(ask.Stay.CheckIn)))
			_, err := desk.CheckIn(ctx, booked.ID, bookings.Assigned{ask.Rooms[0].RoomTypeID: {"101"}})
			require.NoError(t, err)
		}},
		{88, "a check-out", func(t *testing.T) {
			_, err := desk.CheckOut(ctx, booked.ID)
			require.NoError(t, err)
		}},
		{30, "a review, and its approval", func(t *testing.T) {
			r, err := opinions.Create(ctx, reviews.Review{
				BookingID: booked.ID, UserID: guest, PropertyID: hotel.ID, Ratings: reviews.Ratings{Overall: 90}, Title: "Quiet", Text: "And close to the river.",
			})
			require.NoError(t, err)
			_, err = opinions.Approve(ctx, r.ID, r.Version)
			require.NoError(t, err)
		}},
	}
	var rows [][]string
	var life cost.Line // of 100 bookings
	written := map[string]float64{}
	for _, s := range steps {
		if s.what == "a cancellation" {
			cancelled = book(t)
		}
		meter.Reset()
		s.call(t)
		bill := meter.Reset()
		for _, line := range bill {
			written[strings.TrimPrefix(line.Table, db.TableName(&dynastay.Schema{}))+" "+line.Index] += line.Times(s.often).WriteUnits
		}
		one := bill.Sum()
		all := one.Times(s.often)
		life.Requests, life.ReadUnits, life.WriteUnits = life.Requests+all.Requests, life.ReadUnits+all.ReadUnits, life.WriteUnits+all.WriteUnits
		rows = append(rows, []string{
			s.what, thousands(s.often), strconv.Itoa(one.Requests), units(one.ReadUnits), units(one.WriteUnits), units(all.ReadUnits), units(all.WriteUnits),
		})
	}
	rows = append(rows, []string{"**100 bookings**", "", "", "", "", units(life.ReadUnits), units(life.WriteUnits)})
	page.Section(t, "docs/scale.md", "life of a booking", page.Table(
		[]string{"call", "for 100 bookings", "requests", "read", "written", "read, all", "written, all"}, rows))

	prices := cost.Prices{Reads: dynastay.MustMoney("0.125", "USD"), Writes: dynastay.MustMoney("0.625", "USD")}
	rows = nil
	for _, aDay := range []int{1_000, 100_000, 10_000_000} {
		month := life.Times(aDay / perHundred * 30)
		reads, err := prices.Of(cost.Line{ReadUnits: month.ReadUnits})
		require.NoError(t, err)
		writes, err := prices.Of(cost.Line{WriteUnits: month.WriteUnits})
		require.NoError(t, err)
		sum, err := reads.Add(writes)
		require.NoError(t, err)
		rows = append(rows, []string{
			thousands(aDay), fmt.Sprintf("%.1f", float64(aDay)/24/60/60), fmt.Sprintf("%.0f", float64(month.Requests)/30/24/60/60),
			millions(month.ReadUnits), millions(month.WriteUnits), reads.Amount(), writes.Amount(), sum.Amount(),
		})
	}
	page.Section(t, "docs/scale.md", "partitions of all", page.Table(
		[]string{"table or index", "its partitions", "written for 100 bookings", "bookings a second that a partition carries", "more partitions by"}, sharedPartitions(t, written)))
	page.Section(t, "docs/scale.md", "a month", page.Table([]string{
		"bookings a day", "bookings a second", "requests a second", "million units read", "million units written", "USD, reads", "USD, writes", "USD, both",
	}, rows))
}

// sharedPartitions are those into which many bookings are written, with what one of them carries: 1,000 write units a second.
func sharedPartitions(t *testing.T, written map[string]float64) (rows [][]string) {
	t.Helper()
	const partition, perHundred = 1000, 100
	for _, p := range []struct{ table, index, is, option string }{
		{"Availability", "", "one for each room type", "nothing: it has sold out long before"},
		{"Availability", keys.PropertyDateIndex, "one for each property", "nothing, as for the room type"},
		{"Bookings", keys.BookingStatusIndex, "one for each status", "`bookings.Options.StatusShards`"},
		{"Bookings", keys.CheckInDateIndex, "one for each date of check-in", "`bookings.Options.CheckInShards`"},
		{"Bookings", keys.HoldIndex, "one for all holds", "`bookings.Options.HoldShards`"},
		{"Reviews", keys.ReviewStatusIndex, "one for all that are pending", "`reviews.Options.PendingShards`"},
	} {
		n := written[p.table+" "+p.index]
		require.NotZero(t, n, p.index)
		rows = append(rows, []string{
			strings.TrimSpace(p.table + " " + p.index), p.is, units(n), thousands(int(partition * perHundred / n)), p.option,
		})
	}
	return rows
}

func units(n float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func millions(units float64) string { return strconv.FormatFloat(units/1e6, 'f', 1, 64) }

// thousands groups digits: 10,000,000.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
