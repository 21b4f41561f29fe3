package checker

import (
	"sync"
	"testing"
	"time"
)

// TestChecker is the storm, and the comparison after it.
func TestChecker(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	c := newChecker(t)
	t.Logf("seed %d; to draw the same calls and faults:\n  %s", *seed, c.command)
	outbox := newOutbox(c)
	scenarios := []struct {
		scenario
		weight int
	}{
		{newLocks(c), 18}, {newCounters(c), 26}, {outbox, 14}, {newTransfers(c), 12},
		{newSales(c), 50}, {newListings(c), 16}, {newSignups(c), 2}, {newImports(c), 1},
		{newPoints(c), 12}, {newOpinions(c), 22},
		{newShops(c, outbox), 16}, {newOrders(c), 14}, {newReturns(c), 16}, {newManagers(c), 14},
		{newCalendars(c), 26}, {newVenues(c), 26}, {newJobs(c), 26}, {newDeals(c), 20}, {newLetters(c), 14}, {newTravels(c), 14},
		{newDesks(c), 40},
	}
	total := 0
	for _, s := range scenarios {
		total += s.weight
	}

	c.begin()
	var all sync.WaitGroup
	for n := range *workers {
		w := c.worker(n)
		all.Go(func() {
			for c.count.Load() < *calls {
				at := w.rand.IntN(total)
				for _, s := range scenarios {
					if at -= s.weight; at < 0 {
						s.step(w)
						break
					}
				}
			}
		})
	}
	all.Wait()
	c.end()
	stormed := time.Since(c.started)

	calm := c.worker(*workers)
	calm.process = c.process("calm", patient)
	calm.calm = true
	for _, s := range scenarios {
		s.settle(calm)
		s.check()
	}
	t.Log(c.summary(stormed))

	c.report()
}
