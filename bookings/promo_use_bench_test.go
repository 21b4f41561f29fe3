package bookings_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// Half of the callers book with a code that all of them want, the others without one, from 20 room types chosen at
// random, which have enough rooms for all. The library, in one process, in eight, and without queues, against the same
// bookings without the code. Every request takes 5 milliseconds. Run it with: go test ./bookings -run '^$' -bench
// PopularCode -benchtime 5x
func BenchmarkPopularCode(b *testing.B) {
	const roomTypes, sales = 20, 640
	s := openShelf(b, roomTypes, sales)
	_, err := bookings.New(s.db.Direct, nil).CreatePromoCode(b.Context(), bookings.PromoCode{Code: "SUMMER", Percent: 1000, Active: true})
	require.NoError(b, err)
	draw := rand.New(rand.NewPCG(1, 1))
	plan := make([]int, sales)
	for i := range plan {
		plan[i] = draw.IntN(roomTypes)
	}
	sides := []*popular{
		{name: "no-code", processes: 1}, {name: "library", code: "SUMMER", processes: 1}, {name: "8-processes", code: "SUMMER", processes: 8},
		{name: "no-queue", code: "SUMMER", processes: 1, noGates: true},
	}
	rounds := 0
	for b.Loop() {
		for i := range sides {
			of := sides[(rounds+i)%len(sides)]
			s.refill(b)
			before := s.sent.Load()
			of.run(b, s, plan)
			of.requests += int(s.sent.Load() - before)
		}
		rounds++
	}
	b.ReportMetric(0, "ns/op")
	for _, of := range sides {
		b.ReportMetric(float64(of.gaveUp)/float64(rounds), of.name+"-gave-up")
		b.ReportMetric(float64(of.requests)/float64(rounds*sales), of.name+"-requests/sale")
		b.ReportMetric(float64(len(of.with))/of.took.Seconds(), of.name+"-with/s")
		b.ReportMetric(float64(len(of.without))/of.tookWithout.Seconds(), of.name+"-without/s")
		b.ReportMetric(p95(of.with), of.name+"-with-p95-ms")
		b.ReportMetric(p95(of.without), of.name+"-without-p95-ms")
	}
	library := sides[1]
	assert.Zero(b, library.gaveUp)
}

// popular is one way to book. Every second caller uses the code.
type popular struct {
	name      string
	code      string
	processes int
	noGates   bool

	mu                sync.Mutex
	with, without     []time.Duration // how long the bookings took
	took, tookWithout time.Duration   // all rounds, until the last booking of each kind
	gaveUp, requests  int
}

func (p *popular) run(b *testing.B, s *shelf, plan []int) {
	var repos []*bookings.Repository
	for range p.processes {
		db := s.open(dynastay.Options{NoGates: p.noGates})
		repos = append(repos, bookings.New(db, nil))
	}
	share := len(plan) / *throughputCallers
	started := time.Now()
	var took, tookWithout time.Duration
	racing.Together(*throughputCallers, func(caller int) {
		for i := range share {
			req := s.requests[plan[caller*share+i]]
			with := caller%2 == 0
			if with {
				req.PromoCode = p.code
			}
			begun := time.Now()
			_, err := repos[caller/2%p.processes].Create(b.Context(), req)
			ended := time.Now()
			p.mu.Lock()
			switch {
			case err != nil:
				p.gaveUp++
				assert.ErrorIs(b, err, dynastay.ErrContention)
			case with:
				p.with, took = append(p.with, ended.Sub(begun)), ended.Sub(started)
			default:
				p.without, tookWithout = append(p.without, ended.Sub(begun)), ended.Sub(started)
			}
			p.mu.Unlock()
		}
	})
	p.took, p.tookWithout = p.took+took, p.tookWithout+tookWithout
}

func p95(all []time.Duration) float64 {
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return float64(all[len(all)*95/100].Microseconds()) / 1000
}
