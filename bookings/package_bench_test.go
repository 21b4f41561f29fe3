package bookings_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

var (
	throughputCallers = flag.Int("throughput.callers", 64, "concurrent callers of the benchmarks of throughput")
	throughputSales   = flag.Int("throughput.sales", 2000, "bookings in each round of BenchmarkManyRoomTypes")
	throughputTries   = flag.Int("throughput.tries", 10, "requests of the plain loop for one booking")
)

// All callers book the same three nights at once, with 20 rooms left. The library, in one process and in eight, against
// a plain loop on the SDK, and against the SDK without retries. Every request takes 5 milliseconds. Run it with:
// go test ./bookings -run '^$' -bench HotRoomType -benchtime 20x
func BenchmarkHotRoomType(b *testing.B) {
	const rooms = 20
	s := openShelf(b, 1, rooms)
	plan := make([]int, *throughputCallers)
	sides := []*side{
		s.library("library", 1), s.library("8-processes", 8), s.plain("plain", *throughputTries), s.plain("no-retry", 1),
	}
	rounds := s.compare(b, sides, plan)
	library, eight, loop := sides[0], sides[1], sides[2]
	for _, of := range []*side{library, eight} {
		assert.Equal(b, min(rooms, *throughputCallers)*rounds, of.sold, of.name)
	}
	assert.Zero(b, library.gaveUp)
	for _, of := range sides {
		b.ReportMetric(float64(of.sold)/float64(rounds), of.name+"-sales")
		b.ReportMetric(float64(of.gaveUp)/float64(rounds), of.name+"-gave-up")
		b.ReportMetric(float64(of.requests)/float64(rounds), of.name+"-requests")
		b.ReportMetric(of.perSale(), of.name+"-requests/sale")
		b.ReportMetric(milliseconds(of.lastSale, rounds), of.name+"-last-sale-ms")
		b.ReportMetric(milliseconds(of.done, rounds), of.name+"-done-ms")
	}
	b.ReportMetric(float64(library.lastSale)/float64(loop.lastSale), "last-sale/plain")
	requests, done := library.perSale()/loop.perSale(), float64(library.done)/float64(loop.done)
	assert.LessOrEqual(b, requests, 0.10)
	assert.LessOrEqual(b, done, 0.5)
	b.ReportMetric(requests, "requests/plain")
	b.ReportMetric(done, "done/plain")
}

// All callers book from 1,000 room types, chosen at random, which have enough rooms for all of the bookings. The
// library in one process against a plain loop on the SDK. Every request takes 5 milliseconds. Run it with: go test
// ./bookings -run '^$' -bench ManyRoomTypes -benchtime 5x
func BenchmarkManyRoomTypes(b *testing.B) {
	const roomTypes = 1000
	s := openShelf(b, roomTypes, *throughputSales)
	draw := rand.New(rand.NewPCG(1, 1))
	plan := make([]int, *throughputSales)
	for i := range plan {
		plan[i] = draw.IntN(roomTypes)
	}
	sides := []*side{s.library("library", 1), s.plain("plain", *throughputTries)}
	rounds := s.compare(b, sides, plan)
	for _, of := range sides {
		b.ReportMetric(float64(of.gaveUp)/float64(rounds), of.name+"-gave-up")
		b.ReportMetric(float64(of.sold)/of.done.Seconds(), of.name+"-sales/s")
		b.ReportMetric(of.perSale(), of.name+"-requests/sale")
		b.ReportMetric(milliseconds(of.lastSale, rounds), of.name+"-last-sale-ms")
	}
	library, loop := sides[0], sides[1]
	assert.Equal(b, len(plan)*rounds, library.sold)
	assert.Equal(b, library.sold, library.requests, "1 request for each sale")
	b.ReportMetric(library.perSale()/loop.perSale(), "requests/plain")
	salesPerSecond := func(of *side) float64 { return float64(of.sold) / of.done.Seconds() }
	b.ReportMetric(salesPerSecond(library)/salesPerSecond(loop), "sales-per-s/plain")
}

func milliseconds(d time.Duration, rounds int) float64 {
	return float64(d.Microseconds()) / 1000 / float64(rounds)
}

// shelf is what is on sale: three nights of some room types, with so many rooms each.
type shelf struct {
	db       *dyntest.DB
	rooms    int
	requests []bookings.Request // for one room of each room type
	nights   []dynastay.Item
	client   *dynamodb.Client
	sent     *atomic.Int64 // requests of client
}

func openShelf(b *testing.B, roomTypes, rooms int) *shelf {
	b.Helper()
	db := dyntest.New(b, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	hotel := fixture.New(b, db.Direct, rooms)
	s := &shelf{db: db, rooms: rooms, sent: &atomic.Int64{}}
	quote := hotel.Quote(b, db.Direct, fixture.Stay, 1)
	rows, err := db.Direct.GetAll(b.Context(), keys.AvailabilityTable, nightKeys(quote), dynastay.Consistent)
	require.NoError(b, err)
	for i := range roomTypes {
		id := fmt.Sprintf("%s_%d", hotel.RoomTypeID, i)
		other := quote.Clone()
		other.Lines[0].RoomTypeID = id
		s.requests = append(s.requests, fixture.Request(other))
		for _, row := range rows {
			s.nights = append(s.nights, renamed(row.Item(), hotel.RoomTypeID, id))
		}
	}
	s.client = dynamodb.New(db.Client.Options(), func(o *dynamodb.Options) { o.HTTPClient = &network{o.HTTPClient, s.sent} })
	db.Faults.Conflicts(hold)
	return s
}

// nightKeys returns the keys of the nights of a quote.
func nightKeys(q *availability.Quote) (all []dynastay.Key) {
	for _, night := range q.Lines[0].Nights {
		all = append(all, nightKey(q.Lines[0].RoomTypeID, night.Date))
	}
	return all
}

// renamed returns a night of a different room type.
func renamed(night dynastay.Item, from, to string) dynastay.Item {
	copied := dynastay.Item{}
	for name, v := range night {
		if text, ok := v.(*types.AttributeValueMemberS); ok {
			v = dynastay.Text(strings.ReplaceAll(text.Value, from, to))
		}
		copied[name] = v
	}
	return copied
}

// network lets every request take at least as long as a transaction holds its items, also one that a conflict refuses
// at once.
type network struct {
	dynamodb.HTTPClient
	sent *atomic.Int64
}

func (n *network) Do(req *http.Request) (*http.Response, error) {
	n.sent.Add(1)
	arrival := time.NewTimer(hold)
	defer arrival.Stop()
	resp, err := n.HTTPClient.Do(req)
	<-arrival.C
	return resp, err
}

// side is one way to book, and the sums over all rounds.
type side struct {
	name           string
	book           func(ctx context.Context, caller int, req bookings.Request) error
	sold, gaveUp   int
	requests       int
	lastSale, done time.Duration // from the start of a round to its last sale, and to the last response to a caller
}

func (of *side) perSale() float64 { return float64(of.requests) / float64(of.sold) }

// open returns a process of its own.
func (s *shelf) open(o dynastay.Options) *dynastay.DB {
	o.TablePrefix, o.Clock = strings.TrimSuffix(s.db.TableName(bookingsTable), bookingsTable.Name), fixture.Clock
	return dynastay.Open(s.client, &o)
}

func (s *shelf) library(name string, processes int) *side {
	var repos []*bookings.Repository
	for range processes {
		repos = append(repos, bookings.New(s.open(dynastay.Options{}), nil))
	}
	return &side{name: name, book: func(ctx context.Context, caller int, req bookings.Request) error {
		_, err := repos[caller%processes].Create(ctx, req)
		var refused *bookings.Refused
		switch {
		case errors.As(err, &refused) && refused.Has(availability.SoldOut):
			return errNoRoom
		case errors.Is(err, dynastay.ErrContention):
			return errGaveUp
		}
		return err
	}}
}

func (s *shelf) plain(name string, tries int) *side {
	loop := newPlainLoop(s.db, s.client, tries)
	return &side{name: name, book: func(ctx context.Context, _ int, req bookings.Request) error {
		_, err := loop.create(ctx, req)
		return err
	}}
}

// compare lets every side book the plan, a list of room types, in rounds of their own with all rooms on sale. A
// different side begins each time.
func (s *shelf) compare(b *testing.B, sides []*side, plan []int) (rounds int) {
	for b.Loop() {
		for i := range sides {
			s.round(b, sides[(rounds+i)%len(sides)], plan)
		}
		rounds++
	}
	b.ReportMetric(0, "ns/op")
	return rounds
}

// refill puts all rooms on sale.
func (s *shelf) refill(b *testing.B) {
	b.Helper()
	require.NoError(b, s.db.Direct.PutAll(b.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, night := range s.nights {
			if !yield(keys.AvailabilityTable, night) {
				return
			}
		}
	}))
}

func (s *shelf) round(b *testing.B, of *side, plan []int) {
	b.Helper()
	s.refill(b)
	before := s.sent.Load()
	got := s.run(b, of, plan)
	of.requests += int(s.sent.Load() - before)
	of.sold += got.sold
	of.gaveUp += got.gaveUp
	of.lastSale += got.lastSale
	of.done += got.done
	assert.Equal(b, len(plan), got.sold+got.soldOut+got.gaveUp, "%s: every call has a result", of.name)
	var nights []dynastay.Key
	for _, req := range s.requests {
		nights = append(nights, nightKeys(req.Quote)...)
	}
	rows, err := s.db.Direct.GetAll(b.Context(), keys.AvailabilityTable, nights, dynastay.Consistent)
	require.NoError(b, err)
	for i, row := range rows {
		sold := got.of[i*len(s.requests)/len(rows)]
		assert.Equal(b, s.rooms-sold, row.Int("AvailableRooms"), "%s: rooms left of %s, %d sold", of.name, nights[i], sold)
	}
}

// run has all callers book the plan as fast as they can.
func (s *shelf) run(b *testing.B, of *side, plan []int) (got result) {
	got.of = make([]int, len(s.requests))
	queue := make(chan int, len(plan))
	for _, roomType := range plan {
		queue <- roomType
	}
	close(queue)
	var mu sync.Mutex
	var all sync.WaitGroup
	started := time.Now()
	for caller := range *throughputCallers {
		all.Go(func() {
			for roomType := range queue {
				err := of.book(b.Context(), caller, s.requests[roomType])
				mu.Lock()
				switch {
				case err == nil:
					got.sold++
					got.of[roomType]++
					got.lastSale = time.Since(started)
				case errors.Is(err, errNoRoom):
					got.soldOut++
				case errors.Is(err, errGaveUp):
					got.gaveUp++
				default:
					assert.NoError(b, err, of.name)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	got.done = time.Since(started)
	return got
}

// result is that of one round.
type result struct {
	sold, soldOut, gaveUp int
	of                    []int // sales of each room type
	lastSale, done        time.Duration
}
