package migrate_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

var (
	platformProperties = flag.Int("platform.properties", 60, "number of properties without nights of a platform that is adopted")
	platformHotels     = flag.Int("platform.hotels", 3, "number of its properties with 90 nights")
	platformBookings   = flag.Int("platform.bookings", 120, "number of its bookings, at those with nights")
	platformCalls      = flag.Int("platform.calls", 60, "number of calls of each process of its services meanwhile")
)

// platform is a database in the form of the hotel-booking document.
type platform struct {
	*dyntest.DB
	hotels []string
	past   []past // stays that are over

	mu     sync.Mutex
	edited map[string]int
	sold   map[string]bool // bookings that were acknowledged, and not cancelled again
	count  map[string]int
}

type past struct{ booking, hotel string }

const platformRooms = 20

var platformNights = dynastay.Stay{CheckIn: dynastay.MustDate("2026-05-15"), CheckOut: dynastay.MustDate("2026-05-15").AddDays(90)}

func roomTypeOf(hotel string) string { return "room_of_" + hotel }

// textsOf reads items of the document, as texts in which names are replaced.
func textsOf(t testing.TB, paths ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join("..", path+".json"))
		require.NoError(t, err)
		texts[filepath.Base(path)] = string(text)
	}
	return texts
}

func plainOf(t testing.TB, text string, replace ...string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(strings.NewReplacer(replace...).Replace(text)))
	decoder.UseNumber()
	var plain map[string]any
	require.NoError(t, decoder.Decode(&plain))
	return plain
}

func newPlatform(t *testing.T, seed uint64) *platform {
	t.Helper()
	p := &platform{
		DB: dyntest.New(t, dyntest.At(fixture.Now), dyntest.Seed(seed)), edited: map[string]int{}, sold: map[string]bool{}, count: map[string]int{},
	}
	text := textsOf(t, "properties/testdata/property", "properties/testdata/room", "properties/testdata/image",
		"availability/testdata/night", "bookings/testdata/booking", "bookings/testdata/line", "bookings/testdata/payment")
	require.NoError(t, p.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		put := func(s *dynastay.Schema, plain map[string]any) bool { return yield(s, raw.Item(t, plain)) }
		for n := range *platformProperties + *platformHotels {
			id := fmt.Sprintf("prop_%05d", n)
			names := []string{"prop_123", id, "room_789", roomTypeOf(id), "grand-luxury-hotel-new-york", "grand-" + id}
			property := plainOf(t, text["property"], names...)
			property["ReviewCount"] = 0 // those of the document are not there
			delete(property, "AverageRating")
			if !put(keys.PropertiesTable, property) || !put(keys.PropertiesTable, plainOf(t, text["room"], names...)) ||
				!put(keys.PropertiesTable, plainOf(t, text["image"], names...)) {
				return
			}
			if n < *platformHotels {
				p.hotels = append(p.hotels, id)
			}
		}
		taken := map[string]map[dynastay.Date]int{}
		for n := range *platformBookings {
			hotel := p.hotels[n%len(p.hotels)]
			stay := dynastay.Stay{CheckIn: platformNights.CheckIn.AddDays(3 * (n / len(p.hotels) % 30))}
			stay.CheckOut = stay.CheckIn.AddDays(3)
			id, status := fmt.Sprintf("bkg_%06d", n), "confirmed"
			if !stay.CheckOut.After(dynastay.DateOf(fixture.Now, time.UTC)) {
				status = "completed"
				p.past = append(p.past, past{id, hotel})
			}
			names := []string{
				"bkg_12345", id, "prop_123", hotel, "room_789", roomTypeOf(hotel), "BKG-2024-XYZ123", fmt.Sprintf("BKG-%06d", n),
				"2025-01-15", stay.CheckIn.String(), "2025-01-18", stay.CheckOut.String(), "pay_67890", "pay_" + id, "ch_3Abc123DEF456", "ch_" + id,
				"confirmed", status,
			}
			for _, item := range []string{"booking", "line", "payment"} {
				if !put(keys.BookingsTable, plainOf(t, text[item], names...)) {
					return
				}
			}
			if taken[hotel] == nil {
				taken[hotel] = map[dynastay.Date]int{}
			}
			for date := range stay.Dates() {
				taken[hotel][date]++
			}
		}
		for _, hotel := range p.hotels {
			for date := range platformNights.Dates() {
				night := plainOf(t, text["night"], "prop_123", hotel, "room_789", roomTypeOf(hotel), "2025-01-15", date.String())
				night["AvailableRooms"] = platformRooms - taken[hotel][date]
				if !put(keys.AvailabilityTable, night) {
					return
				}
			}
		}
	}))
	return p
}

func (p *platform) note(what, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count[what]++
	switch what {
	case "sold":
		p.sold[id] = true
	case "cancelled":
		delete(p.sold, id)
	case "edited":
		p.edited[id]++
	}
}

// service makes one call of a service that sells, edits and reviews.
func (p *platform) service(ctx context.Context, db *dynastay.DB, random *rand.Rand) error {
	hosts, stays := properties.New(db, nil), bookings.New(db, nil)
	hotel := p.hotels[random.IntN(len(p.hotels))]
	switch random.IntN(6) {
	case 0:
		id := fmt.Sprintf("prop_%05d", random.IntN(*platformProperties+*platformHotels))
		_, err := hosts.Update(ctx, id, func(p *properties.Property) error { p.FeaturedScore++; return nil })
		if err == nil {
			p.note("edited", id)
		}
		return err
	case 1:
		id := fmt.Sprintf("bkg_%06d", random.IntN(*platformBookings))
		_, err := stays.Cancel(ctx, id, "", nil)
		if err == nil {
			p.note("cancelled", id)
		}
		return err
	case 2:
		over := p.past[random.IntN(len(p.past))]
		repo := reviews.New(db, hosts, nil)
		made, err := repo.Create(ctx, reviews.Review{
			BookingID: over.booking, UserID: "user_456", PropertyID: over.hotel, Title: "Fine", Text: "It was fine.",
			Ratings: reviews.Ratings{Overall: dynastay.Rating(10 + random.IntN(91))},
		})
		if err != nil {
			return err
		}
		if _, err = repo.Approve(ctx, made.ID, made.Version); err == nil {
			p.note("reviewed", made.ID)
		}
		return err
	}
	first := dynastay.DateOf(fixture.Now, time.UTC).AddDays(random.IntN(60))
	q, err := availability.New(db).Quote(ctx, availability.QuoteRequest{
		Property: availability.House{ID: hotel, Name: "Grand"}, Stay: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1 + random.IntN(4))},
		Guests: availability.Guests{Adults: 2}, Rooms: []availability.Room{{
			RoomTypeID: roomTypeOf(hotel), Name: "Deluxe", Quantity: 1, Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1},
		}},
	})
	if err != nil {
		return err
	}
	made, err := stays.Create(ctx, fixture.Request(q))
	if err == nil {
		p.note("sold", made.ID)
	}
	return err
}

// expected reports whether a service may meet an error of the kind: two processes review one stay, or the rooms are sold out.
func expected(err error) bool {
	for _, kind := range []error{dynastay.ErrContention, dynastay.ErrRefused, dynastay.ErrAlreadyExists, dynastay.ErrVersion} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// task is a walk of a table.
type task struct {
	table *dynastay.Schema
	each  func(*dynastay.DB) each
}

var adoptions = map[string]task{
	"adopt-properties": {keys.PropertiesTable, func(db *dynastay.DB) each { return properties.New(db, nil).AdoptRow }},
	"adopt-bookings":   {keys.BookingsTable, func(db *dynastay.DB) each { return bookings.New(db, nil).AdoptRow }},
	"adopt-nights":     {keys.AvailabilityTable, func(db *dynastay.DB) each { return availability.New(db).AdoptRow }},
}

var verifications = map[string]task{
	"verify-properties": {keys.PropertiesTable, func(db *dynastay.DB) each { return properties.New(db, nil).VerifyRow }},
	"verify-bookings":   {keys.BookingsTable, func(db *dynastay.DB) each { return bookings.New(db, nil).VerifyRow }},
	"verify-nights":     {keys.AvailabilityTable, func(db *dynastay.DB) each { return availability.New(db).VerifyRow }},
	"verify-reviews": {keys.ReviewsTable, func(db *dynastay.DB) each {
		return reviews.New(db, properties.New(db, nil), nil).VerifyRow
	}},
}

func (p *platform) mover() *migrate.Mover { return (&house{DB: p.DB}).mover(migrate.Options{}) }

// adopt walks a table to its end, broken off again and again.
func (p *platform) adopt(t *testing.T, name string, do task, random *rand.Rand) {
	ctx := context.WithValue(t.Context(), walking{}, true)
	m, broken := p.mover(), 0
	for {
		ctx, cancel := context.WithCancel(ctx)
		left := random.IntN(60)
		report, err := m.Walk(ctx, migrate.Walk{
			Name: name, Table: do.table, Segments: 3, Each: do.each(m.DB),
			Refused: func(key dynastay.Key, err error) { t.Errorf("%s: %s: %v", name, key, err) },
			Progress: func(migrate.Report) {
				if left--; left < 0 {
					cancel()
				}
			},
		})
		cancel()
		if err == nil {
			t.Logf("%s: %+v, broken off %d times", name, report, broken)
			return
		}
		broken++
	}
}

// A platform in the form of the document is adopted while its services sell, cancel, edit and review, by two walks at the same time of
// one name and one of another, through lost answers and throttles, broken off again and again. In the end, everything that follows from what
// is stored is there, the nights agree with the bookings, and nothing that was acknowledged is lost.
func TestAdoptionOfAPlatform(t *testing.T) {
	t.Parallel()
	seed := *stormSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-storm.seed %d", seed)
	p := newPlatform(t, seed)
	for _, f := range []struct {
		fault  dyntest.Fault
		chance float64
	}{{dyntest.LoseAnswer(), 0.02}, {dyntest.Throttle(), 0.02}, {dyntest.Conflict(), 0.02}, {dyntest.Fail("AccessDeniedException"), 0.002}} {
		defer p.Faults.Inject(f.fault, dyntest.When{
			Chance: f.chance, Optional: true, Match: func(r dyntest.Request) bool { return r.Context.Value(walking{}) != nil },
		}).Stop()
	}
	var wg sync.WaitGroup
	for n := range 3 {
		wg.Go(func() {
			random, db := rand.New(rand.NewPCG(seed, uint64(n))), p.Open(nil)
			for range *platformCalls {
				if err := p.service(t.Context(), db, random); err != nil && !expected(err) {
					t.Errorf("a service: %v", err)
				}
			}
		})
	}
	for n, again := range []string{"", "", "-again"} {
		for i, name := range slices.Sorted(maps.Keys(adoptions)) {
			random := rand.New(rand.NewPCG(seed, uint64(100+10*n+i)))
			wg.Go(func() { p.adopt(t, name+again, adoptions[name], random) })
		}
	}
	wg.Wait()
	t.Log(p.count)
	for _, what := range []string{"sold", "cancelled", "edited", "reviewed"} {
		assert.Positive(t, p.count[what], what)
	}
	p.agrees(t)
}

func (p *platform) agrees(t *testing.T) {
	t.Helper()
	db := p.Direct
	hosts, stays := properties.New(db, nil), bookings.New(db, nil)
	m := p.mover()
	_, err := m.Walk(t.Context(), migrate.Walk{ // the adoption leaves the number of images and the price range of the document
		Name: "mend-properties", Table: keys.PropertiesTable, Segments: 2, Each: hosts.MendRow,
	})
	require.NoError(t, err)
	for name, do := range verifications {
		report, err := m.Walk(t.Context(), migrate.Walk{
			Name: name, Table: do.table, Segments: 2, Each: do.each(m.DB),
			Refused: func(key dynastay.Key, err error) { t.Errorf("%s: %s: %v", name, key, err) },
		})
		require.NoError(t, err)
		assert.Positive(t, report.Walked)
	}
	for id, times := range p.edited {
		got, err := hosts.Get(t.Context(), id, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, 95+times, got.FeaturedScore, id)
	}
	for id := range p.sold {
		got, err := stays.Get(t.Context(), id, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, bookings.Confirmed, got.Status, id)
	}
	for _, hotel := range p.hotels {
		assert.NoError(t, stays.VerifyNights(t.Context(), hotel, platformNights))
		recount, err := reviews.New(db, hosts, nil).RepairRating(t.Context(), hotel)
		require.NoError(t, err)
		assert.Equal(t, recount.After, recount.Before, hotel)
	}
}
