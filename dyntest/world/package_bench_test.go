package world

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// BenchmarkLoad writes one world three times, each time into empty tables and with as many goroutines: by Load; by the
// bare SDK, its items made before; and by the repositories, as a service would write them. What it reports are Load's
// pace, and the time of the others in Load's.
func BenchmarkLoad(b *testing.B) {
	w := New(Options{Seed: 1, Properties: 100})
	batches, n := prebuilt(w)
	on := dyntest.New(b).Engine
	warm := func(db *dynastay.DB) { require.NoError(b, w.Load(b.Context(), db, nil)) }
	timed(b, on, w, warm) // DynamoDB Local is a Java program
	var load, sdk, repositories time.Duration
	for b.Loop() {
		load += timed(b, on, w, func(db *dynastay.DB) { require.NoError(b, w.Load(b.Context(), db, nil)) })
		sdk += timed(b, on, w, func(db *dynastay.DB) { writeBatches(b, on, db, batches) })
		repositories += timed(b, on, w, func(db *dynastay.DB) { writeThroughRepositories(b, on, db, w) })
	}
	b.ReportMetric(float64(n*b.N)/load.Seconds(), "items/s")
	b.ReportMetric(sdk.Seconds()/load.Seconds(), "sdk/load")
	b.ReportMetric(repositories.Seconds()/load.Seconds(), "repositories/load")
}

// BenchmarkItems makes hotels, with their share of the users, and writes nothing.
func BenchmarkItems(b *testing.B) {
	w := New(Options{Seed: 1, Properties: 100_000})
	items := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c, err := w.part(b.Context(), i%w.opts.Properties)
		require.NoError(b, err)
		items += len(c.capture.puts)
	}
	b.ReportMetric(float64(items)/b.Elapsed().Seconds(), "items/s")
}

// timed writes into tables without streams: dynoxide 1.2.1 becomes slower with every record of a stream.
func timed(b *testing.B, on *engine.Engine, w *World, write func(*dynastay.DB)) time.Duration {
	ctx, prefix := context.Background(), "bench-"+rand.Text()[:8]+"-"
	var tables []*dynastay.Schema
	for _, s := range keys.Tables() {
		table := *s
		table.Stream = false
		tables = append(tables, &table)
	}
	require.NoError(b, on.CreateTables(ctx, prefix, tables...))
	db := dynastay.Open(on.Client(), &dynastay.Options{TablePrefix: prefix, Clock: w.Now})
	started := time.Now()
	write(db)
	taken := time.Since(started)
	require.NoError(b, on.DeleteTables(ctx, prefix, tables...))
	return taken
}

// inParallel calls f for all numbers below n as Load does.
func inParallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers(), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// tableItem is an element of a batch, without a prefix.
type tableItem struct {
	schema *dynastay.Schema
	put    types.WriteRequest
}

func prebuilt(w *World) (batches [][]tableItem, n int) {
	for s, item := range w.Items() {
		if n%25 == 0 {
			batches = append(batches, nil)
		}
		last := &batches[len(batches)-1]
		*last = append(*last, tableItem{s, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}})
		n++
	}
	return batches, n
}

func writeBatches(b *testing.B, on *engine.Engine, db *dynastay.DB, batches [][]tableItem) {
	client := on.Client()
	inParallel(len(batches), func(i int) {
		in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}}
		for _, e := range batches[i] {
			table := db.TableName(e.schema)
			in.RequestItems[table] = append(in.RequestItems[table], e.put)
		}
		out, err := client.BatchWriteItem(context.Background(), in)
		if err != nil || len(out.UnprocessedItems) > 0 {
			b.Error(err, "or unprocessed items")
		}
	})
}

func writeThroughRepositories(b *testing.B, on *engine.Engine, under *dynastay.DB, w *World) {
	ctx, client := context.Background(), on.Client()
	fail := func(err error) {
		if err != nil {
			b.Error(err)
		}
	}
	for _, a := range w.Amenities() {
		_, err := catalog.Amenities(under).Create(ctx, *a)
		fail(err)
	}
	for _, l := range w.Locations() {
		_, err := catalog.Locations(under).Create(ctx, *l)
		fail(err)
	}
	inParallel(w.opts.Properties, func(i int) {
		c := w.cell()
		db := dynastay.Open(client, &dynastay.Options{
			TablePrefix: under.TableName(&dynastay.Schema{}),
			Clock:       func() time.Time { return c.now },
			NewID:       func(string) string { return c.id },
			Rand:        &c.drawn,
		})
		h := w.house(i)
		c.now = h.created
		repo := properties.New(db, nil)
		made, err := repo.Create(ctx, h.property, h.rooms)
		fail(err)
		_, err = repo.AddImages(ctx, made.ID, w.images(i, h))
		fail(err)
		fail(h.createPlans(ctx, repo))
		made, err = repo.GetWithRooms(ctx, made.ID)
		fail(err)
		for n := i * w.opts.Users / w.opts.Properties; n < (i+1)*w.opts.Users/w.opts.Properties; n++ {
			var person users.User
			person, c.now = w.person(n)
			repo := users.New(db, nil)
			u, err := repo.Create(ctx, person)
			fail(err)
			fail(w.belongings(n).carryOut(ctx, repo, &Account{User: u}, func(now time.Time) { c.now = now }))
		}
		if made.Status != properties.Approved {
			if h.status == properties.Rejected {
				_, err = repo.Reject(ctx, made.ID)
				fail(err)
			}
			return
		}
		c.now = h.opened
		nights := availability.New(db)
		for k := range h.rooms {
			for _, call := range h.calls(k, w.nights()) {
				_, err := nights.Open(ctx, call)
				fail(err)
			}
		}
		sales, err := w.sales(i, h)
		fail(err)
		sold := bookings.New(db, &bookingOptions)
		fail(h.promo.create(ctx, sold))
		book := func(sales []sale) {
			all := make([]*bookings.Booking, len(sales))
			for _, step := range steps(sales) {
				s := sales[step.n]
				c.now, c.id = step.at, s.id
				if step.does != creates {
					all[step.n], err = s.carryOut(ctx, sold, all[step.n], step)
					fail(err)
					continue
				}
				reference := w.reference(s.number)
				c.drawn.left = reference[:]
				request, err := w.request(nights, h, made.Card(), s)
				fail(err)
				all[step.n], err = sold.Create(ctx, request)
				fail(err)
			}
		}
		book(sales)
		stays, err := w.past(i, h, len(sales))
		fail(err)
		clock := func(now time.Time) { c.now = now }
		openPast(b, db, w, h, stays, clock)
		book(stays)
		for _, o := range w.opinions(i, h, stays) {
			fail(o.carryOut(ctx, reviews.New(db, repo, nil), clock))
		}
		c.now = w.opts.Today.Time()
		fail(h.promo.end(ctx, sold))
		if changes := w.changes(i, h, sales); len(changes) > 0 {
			_, err := nights.Update(ctx, availability.UpdateRequest{PropertyID: made.ID, Changes: changes})
			fail(err)
		}
		if h.status == properties.Suspended {
			_, err = repo.Suspend(ctx, made.ID)
			fail(err)
		}
	})
}
