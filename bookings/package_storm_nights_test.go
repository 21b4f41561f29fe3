package bookings_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/availability"
)

var (
	changingSeed  = flag.Uint64("changing.seed", 0, "what the calls and faults of the tests of changing nights are drawn from; 0 draws one")
	changingCalls = flag.Int("changing.calls", 8, "bookings that each buyer tries in the tests of changing nights")
)

// seedOf returns the seed of a test and logs it.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := *changingSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d; to draw the same calls and faults: go test ./bookings -run '^%s$' -changing.seed %[1]d", seed, t.Name())
	return seed
}

// Buyers and managers of single nights, in two processes, with conflicts and lost requests: every sale, refusal,
// update, cancellation and consistent read of a night had its effect, and was true, at one moment between its call and
// its return.
func TestChangingNightsAreLinearizable(t *testing.T) { changingNightsAreLinearizable(t, nil) }

func changingNightsAreLinearizable(t *testing.T, plan *availability.RatePlan) {
	t.Parallel()
	m := newMarket(t, seedOf(t), plan, 4, 6)
	opened := m.stored()
	m.run(12, 3**changingCalls, 4, 16**changingCalls, 1)

	last := m.settle()
	for _, date := range m.dates {
		all := m.operations(date)
		result, _ := porcupine.CheckOperationsVerbose(nightModel(opened[date]), all, time.Minute)
		assert.Equal(t, porcupine.Ok, result, "the calls on %s, opened as %v, finally %v:\n%s", date, opened[date], last[date], describe(all))
	}
	m.checkSold(last)
	m.summary()
}

// 64 buyers of stays of one to three nights, while managers change the nights: each booking was made at prices, and
// under restrictions, that all its nights may have had at one moment of the call; what was refused, read and reported
// was true of each night at one moment; and the rooms left and those of the stored bookings add up to the total.
func TestManyBuyersOfChangingNights(t *testing.T) { manyBuyersOfChangingNights(t, nil) }

func manyBuyersOfChangingNights(t *testing.T, plan *availability.RatePlan) {
	t.Parallel()
	m := newMarket(t, seedOf(t), plan, 5, 12)
	opened := m.stored()
	m.run(64, *changingCalls, 4, 10**changingCalls, 3)

	last := m.settle()
	p := newPast(m.history, opened)
	for _, a := range m.attempts {
		assert.True(t, p.allows(a), "%v", a)
	}
	for _, e := range m.edits {
		for date, report := range e.reports {
			assert.True(t, p.allowsReport(e, date), "%s → %s", shownChange(e.set), report)
		}
	}
	for _, r := range m.reads {
		for _, n := range r.nights {
			assert.True(t, p.allowsRead(r.span, n), "read %v", n)
		}
	}
	m.checkSold(last)
	m.summary()
}

// checkSold compares the rooms left with the stored bookings.
func (m *market) checkSold(last nights) {
	m.Helper()
	for date, n := range last {
		sold := 0
		for _, a := range m.attempts {
			if a.outcome == sale && a.cancelled == nil && a.stay.Contains(date) {
				sold += a.rooms
			}
		}
		assert.Equal(m, n.Total, n.Available+sold, "rooms left and sold on %s: %v", date, n)
	}
}

// summary logs what happened, and fails if the test proved nothing about one of the kinds of calls.
func (m *market) summary() {
	m.Helper()
	happened := map[string]int{}
	for _, a := range m.attempts {
		happened[string(a.outcome)]++
		if a.cancelled != nil {
			happened["cancelled"]++
		}
		for _, r := range a.refused {
			happened[string(r.Reason)]++
		}
	}
	for _, e := range m.edits {
		for _, report := range e.reports {
			happened[string(report.Result)]++
		}
	}
	m.Logf("%d reads, %v", len(m.reads), happened)
	for _, kind := range []string{
		string(sale), "cancelled", string(refusal), string(availability.PriceChanged),
		string(availability.Written), string(availability.Unchanged), string(availability.NotWritten),
	} {
		assert.NotZero(m, happened[kind], kind)
	}
}
