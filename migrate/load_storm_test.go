package migrate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
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
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
)

var (
	loadBookings = flag.Int("load.bookings", 400, "number of bookings that are loaded while a service sells")
	loadInvalid  = flag.Int("load.invalid", 20, "number of invalid lines among them")
)

// resort is a property whose room types are on sale for three months. The first one has few rooms.
type resort struct {
	*move
	random *rand.Rand
	types  []string
	nights dynastay.Stay
}

const scarce = 3

func newResort(t testing.TB, seed uint64, plenty int) *resort {
	r := &resort{openMove(t), rand.New(rand.NewPCG(seed, 0)), nil, dynastay.MustStay("2026-07-01", "2026-10-01")}
	var rooms []string
	for n := range 10 {
		r.types = append(r.types, fmt.Sprintf("type-%d", n))
		rooms = append(rooms, fmt.Sprintf(`{"ID": "type-%d", "Name": "Type %d", "MaxOccupancy": 2, "MaxAdults": 2, "BasePrice": "280.00 USD", "Total": %d}`, n, n, plenty))
	}
	before, _, _ := strings.Cut(grand, `"Rooms": [`)
	r.load(t, migrate.Properties(r.hosts), "properties", before+`"Rooms": [`+strings.Join(rooms, ", ")+"]}")
	for n, id := range r.types {
		total := plenty
		if n == 0 {
			total = scarce
		}
		_, err := r.move.nights.Open(t.Context(), availability.OpenRequest{
			PropertyID: "grand", RoomTypeID: id, Nights: r.nights, Rooms: total, Price: fixture.Price,
		})
		require.NoError(t, err)
	}
	return r
}

// line draws a booking of another system.
func (r *resort) line(n int) bookings.Import {
	in := r.nights.CheckIn.AddDays(r.random.IntN(80))
	i := bookings.Import{
		ID: fmt.Sprintf("pms-%06d", n), Reference: fmt.Sprintf("PMS/%06d", n), Property: availability.House{ID: "grand"},
		Stay: dynastay.Stay{CheckIn: in, CheckOut: in.AddDays(1 + r.random.IntN(5))}, Guests: availability.Guests{Adults: 2},
		Guest:  bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"},
		Status: bookings.Confirmed, CreatedAt: time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC),
		Rooms: []availability.Room{{RoomTypeID: r.types[r.random.IntN(len(r.types))], Quantity: 1 + r.random.IntN(2), Agreed: []dynastay.Money{fixture.Price}}},
	}
	if r.random.IntN(3) == 0 {
		i.Payments = []bookings.Payment{{
			Provider: "pms", ProviderTransactionID: "tx", Method: "card", Amount: fixture.Price, Status: bookings.PaymentPaid, At: i.CreatedAt,
		}}
	}
	return i
}

// file returns the lines of the bookings, and the numbers of the invalid ones.
func (r *resort) file(t testing.TB, all []bookings.Import) (text []byte, invalid map[int]bool) {
	var file bytes.Buffer
	invalid = map[int]bool{}
	for _, n := range r.random.Perm(len(all) - 1)[:*loadInvalid] {
		invalid[n+2] = true
	}
	spoil := []func(*bookings.Import){
		func(i *bookings.Import) { i.Guest.Email = "nowhere" },
		func(i *bookings.Import) { i.Rooms[0].RoomTypeID = "type-10" },
		func(i *bookings.Import) { i.Total = dynastay.MustMoney("-1.00", "USD") },
		func(i *bookings.Import) { i.CreatedAt = time.Time{} },
		func(i *bookings.Import) { i.Reference = all[0].Reference },
	}
	for n, i := range all {
		if invalid[n+1] {
			i.Rooms = []availability.Room{i.Rooms[0]}
			spoil[n%len(spoil)](&i)
		}
		line, err := json.Marshal(i)
		require.NoError(t, err)
		file.Write(append(line, '\n'))
	}
	return file.Bytes(), invalid
}

// Two loads of one file run at the same time, through lost answers and throttles, broken off again and again, while a service
// sells the same nights. Each booking is there once, with its rooms, or was refused because there were none.
func TestLoadDuringAStorm(t *testing.T) {
	t.Parallel()
	seed := *stormSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-storm.seed %d", seed)
	r := newResort(t, seed, min(*loadBookings, 1000))
	var all []bookings.Import
	for n := range *loadBookings {
		all = append(all, r.line(n))
	}
	file, invalid := r.file(t, all)
	l := migrate.Load{Name: "bookings", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil }}

	l.Lines = migrate.Bookings(r.sales, r.hosts)
	_, err := r.mover(migrate.Options{}).Load(t.Context(), l)
	refused := blame.As[*migrate.InvalidLinesError](t, err)
	require.Equal(t, len(invalid), refused.Count)
	for _, line := range refused.Lines {
		require.True(t, invalid[line.Line], "%v", line)
	}
	require.Empty(t, r.bookings(t), "nothing was loaded")

	for _, fault := range []dyntest.Fault{dyntest.LoseAnswer(), dyntest.Throttle(), dyntest.Conflict()} {
		defer r.Faults.Inject(fault, dyntest.When{
			Chance: 8 / float64(400+*loadBookings), Optional: true, Match: func(r dyntest.Request) bool { return r.Context.Value(walking{}) != nil },
		}).Stop()
	}
	l.SkipInvalid = true
	var mu sync.Mutex
	reasons := map[int]error{}
	l.Refused = func(line migrate.LineError) {
		mu.Lock()
		defer mu.Unlock()
		reasons[line.Line] = line.Err
	}
	var wg sync.WaitGroup
	ctx := context.WithValue(t.Context(), walking{}, true)
	for n := range 2 {
		wg.Go(func() { r.loadInPieces(ctx, t, l, rand.New(rand.NewPCG(seed, uint64(n+1)))) })
	}
	sold := 0
	wg.Go(func() { sold = r.sell(t, rand.New(rand.NewPCG(seed, 9)), *loadBookings/10) })
	wg.Wait()

	stored := r.bookings(t)
	soldOut := 0
	for n, i := range all {
		b := stored[i.ID]
		switch {
		case invalid[n+1]:
			assert.Nil(t, b, i.ID)
			assert.ErrorIs(t, reasons[n+1], dynastay.ErrInvalid)
		case b == nil:
			soldOut++
			blame.As[*bookings.Refused](t, reasons[n+1])
			assert.Equal(t, r.types[0], i.Rooms[0].RoomTypeID)
		default:
			assert.Equal(t, i.Stay, b.Stay)
			assert.Equal(t, i.CreatedAt, b.CreatedAt)
		}
	}
	t.Logf("%d bookings loaded, %d invalid, %d without rooms, %d sold meanwhile", len(all)-len(invalid)-soldOut, len(invalid), soldOut, sold)
	assert.Len(t, stored, len(all)-len(invalid)-soldOut+sold)
	r.assertNights(t, stored)
}

// loadInPieces loads the file, broken off again and again.
func (r *resort) loadInPieces(ctx context.Context, t *testing.T, l migrate.Load, random *rand.Rand) {
	for broken := 0; ; broken++ {
		m := r.mover(migrate.Options{})
		l.Lines = migrate.Bookings(bookings.New(m.DB, nil), properties.New(m.DB, nil))
		ctx, cancel := context.WithCancel(ctx)
		left := 1 + random.IntN(1+*loadBookings/60)
		l.Page = 1 + random.IntN(100)
		l.Progress = func(migrate.Loaded) {
			if left--; left < 0 {
				cancel()
			}
		}
		loaded, err := m.Load(ctx, l)
		cancel()
		if err == nil {
			assert.True(t, loaded.Done)
			assert.Equal(t, *loadBookings, loaded.Lines)
			t.Logf("broken off %d times: %+v", broken, loaded)
			return
		}
	}
}

// sell sells what the loads want too. It returns how many bookings there are.
func (r *resort) sell(t *testing.T, random *rand.Rand, calls int) (sold int) {
	repo, nights := bookings.New(r.Open(nil), nil), availability.New(r.Open(nil))
	for range calls {
		in := r.nights.CheckIn.AddDays(random.IntN(80))
		q, err := nights.Quote(t.Context(), availability.QuoteRequest{
			Property: availability.House{ID: "grand"}, Stay: dynastay.Stay{CheckIn: in, CheckOut: in.AddDays(2)}, Guests: availability.Guests{Adults: 1},
			Rooms: []availability.Room{{RoomTypeID: r.types[random.IntN(2)], Quantity: 1, Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}}},
		})
		if err == nil {
			_, err = repo.Create(t.Context(), fixture.Request(q))
		}
		var refused *bookings.Refused
		switch {
		case err == nil:
			sold++
		case !errors.As(err, &refused) && !errors.Is(err, dynastay.ErrContention):
			assert.NoError(t, err)
		}
	}
	return sold
}

func (r *resort) bookings(t *testing.T) map[string]*bookings.Booking {
	var ids []string
	for s, err := range r.sales.ByProperty(bookings.PropertyQuery{PropertyID: "grand"}).All(t.Context()) {
		require.NoError(t, err)
		ids = append(ids, s.ID)
	}
	all, err := r.sales.GetAll(t.Context(), ids, dynastay.Consistent)
	require.NoError(t, err)
	found := map[string]*bookings.Booking{}
	for _, b := range all {
		found[b.ID] = b
	}
	return found
}

// assertNights compares what is left of each night with the lines of the bookings.
func (r *resort) assertNights(t *testing.T, stored map[string]*bookings.Booking) {
	taken := map[string]int{}
	for _, b := range stored {
		for _, line := range b.Lines {
			for date := range b.Stay.Dates() {
				taken[line.RoomTypeID+date.String()] += line.Quantity
			}
		}
	}
	for _, id := range r.types {
		nights, err := r.move.nights.Check(t.Context(), "grand", id, 1, r.nights, dynastay.Consistent)
		require.NoError(t, err)
		for _, n := range nights.Nights {
			assert.Equal(t, taken[id+n.Date.String()], n.Total-n.Available, "%s %s", id, n.Date)
			assert.GreaterOrEqual(t, n.Available, 0)
		}
	}
}
