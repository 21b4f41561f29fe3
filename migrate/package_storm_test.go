package migrate_test

import (
	"context"
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
)

var (
	stormProperties = flag.Int("storm.properties", 40, "number of properties that are adopted while a service works")
	stormCalls      = flag.Int("storm.calls", 150, "number of calls of each writer meanwhile")
	stormSeed       = flag.Uint64("storm.seed", 0, "seed of the writers; 0 draws one")
)

// walking marks the context of a walk, whose requests alone the faults hit: a service's lost answer would leave unknown what
// it has written.
type walking struct{}

// Two walks adopt all properties, through lost answers and throttles, and broken off again and again. Meanwhile a service and
// other software change them. No change is lost, and in the end everything that is derived is what it would be if it were
// derived anew.
func TestAdoptionDuringAStorm(t *testing.T) {
	t.Parallel()
	seed := *stormSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-storm.seed %d", seed)
	h := newHouse(t, *stormProperties)
	for _, f := range []struct {
		fault  dyntest.Fault
		chance float64
	}{{dyntest.LoseAnswer(), 0.03}, {dyntest.Throttle(), 0.03}, {dyntest.Conflict(), 0.03}, {dyntest.Fail("AccessDeniedException"), 0.004}} {
		defer h.Faults.Inject(f.fault, dyntest.When{
			Chance: f.chance, Optional: true, Match: func(r dyntest.Request) bool { return r.Context.Value(walking{}) != nil },
		}).Stop()
	}
	var mu sync.Mutex
	counted := map[string]int{}
	count := func(id string) {
		mu.Lock()
		defer mu.Unlock()
		counted[id]++
	}
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			hosts := properties.New(h.Open(nil), nil)
			for range *stormCalls {
				id := h.ids[random.IntN(len(h.ids))]
				if n == 0 {
					if !assert.NoError(t, h.changeAsOthersDo(t, id, random.IntN(3))) {
						return
					}
					count(id)
					continue
				}
				_, err := hosts.Update(t.Context(), id, func(p *properties.Property) error { p.FeaturedScore++; return nil })
				switch {
				case err == nil:
					count(id)
				case !errors.Is(err, dynastay.ErrContention):
					assert.NoError(t, err)
				}
			}
		})
	}
	ctx := context.WithValue(t.Context(), walking{}, true)
	for n, name := range []string{"adopt-properties", "adopt-all"} {
		wg.Go(func() {
			m, broken := h.mover(migrate.Options{}), 0
			random := rand.New(rand.NewPCG(seed, uint64(100+n)))
			for passes := 0; passes < 3; {
				ctx, cancel := context.WithCancel(ctx)
				w, left := adopting(m), random.IntN(40)
				w.Name = name
				w.Progress = func(migrate.Report) {
					if left--; left < 0 {
						cancel()
					}
				}
				report, err := m.Walk(ctx, w)
				cancel()
				if err != nil {
					broken++
					continue
				}
				assert.Zero(t, report.Refused)
				assert.True(t, report.Done())
				assert.NoError(t, m.Forget(t.Context(), name))
				passes++
			}
			t.Logf("%s: broken off %d times", name, broken)
		})
	}
	wg.Wait()

	m := h.mover(migrate.Options{})
	_, err := m.Walk(t.Context(), adopting(m))
	require.NoError(t, err)
	assert.Zero(t, h.foreign(t))
	for _, id := range h.ids {
		p, err := properties.New(h.DB.DB, nil).Get(t.Context(), id, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, 95+counted[id], p.FeaturedScore, id)
	}
	h.assertDerived(t, m)
}

// changeAsOthersDo changes a property as software does that follows the protocol: it removes the write id.
func (h *house) changeAsOthersDo(t *testing.T, id string, amenities int) error {
	key, err := keys.Of(keys.Property{PropertyID: id})
	if err != nil {
		return err
	}
	list := raw.Item(t, map[string]any{"l": [][]any{{"wifi", "pool"}, {"gym"}, {"wifi", "spa", "sauna"}}[amenities]})
	raw.Update(t, h.DB, keys.PropertiesTable, key, "SET AmenityList = :list ADD FeaturedScore :one REMOVE WriteId", dynastay.Item{
		":list": list["l"], ":one": dynastay.Number(1),
	})
	return nil
}

// assertDerived derives everything anew, and compares.
func (h *house) assertDerived(t *testing.T, m *migrate.Mover) {
	t.Helper()
	stored := func() map[dynastay.Key]map[string]any {
		all := map[dynastay.Key]map[string]any{}
		for _, item := range raw.All(t, h.DB, keys.PropertiesTable) {
			plain := raw.Plain(t, item)
			maps.DeleteFunc(plain, func(name string, _ any) bool { return name == "WriteId" })
			all[keys.PropertiesTable.Key.From(dynastay.RowOf(item))] = plain
		}
		return all
	}
	before := stored()
	for _, id := range h.ids {
		key, err := keys.Of(keys.Property{PropertyID: id})
		require.NoError(t, err)
		raw.Update(t, h.DB, keys.PropertiesTable, key, "REMOVE WriteId", nil)
	}
	require.NoError(t, m.Forget(t.Context(), "adopt-properties"))
	report, err := m.Walk(t.Context(), adopting(m))
	require.NoError(t, err)
	require.Equal(t, len(h.ids), report.Changed)
	assert.Equal(t, before, stored())
}

// Software that leaves the write id is not seen: the library writes over what it has changed meanwhile, and does not derive
// anything from it.
func TestWhatIsLostIfTheWriteIDIsLeft(t *testing.T) {
	t.Parallel()
	for remove, want := range map[bool]int{true: 98, false: 96} {
		h := newHouse(t, 1)
		m := h.mover(migrate.Options{})
		_, err := m.Walk(t.Context(), adopting(m))
		require.NoError(t, err)
		key, err := keys.Of(keys.Property{PropertyID: h.ids[0]})
		require.NoError(t, err)
		change := "ADD FeaturedScore :two"
		if remove {
			change += " REMOVE WriteId"
		}
		h.Faults.Inject(dyntest.Before(func(context.Context) {
			raw.Update(t, h.DB, keys.PropertiesTable, key, change, dynastay.Item{":two": dynastay.Number(2)})
		}), dyntest.When{Operation: "UpdateItem", Nth: 1})
		p, err := properties.New(h.DB.DB, nil).Update(t.Context(), h.ids[0], func(p *properties.Property) error { p.FeaturedScore++; return nil })
		require.NoError(t, err)
		assert.Equal(t, want, p.FeaturedScore)
	}
}
