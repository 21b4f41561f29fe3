package regions_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// plain returns what is stored without what differs with every write.
func (a *atlas) plain(t *testing.T) map[string]map[string]any {
	t.Helper()
	items := a.items(t)
	for _, item := range items {
		delete(item, "write_id")
		delete(item, "last_updated")
	}
	return items
}

func before() []regions.Region {
	old := faroes()
	old.Aliases = nil
	small := russia()
	small.Box = box(50, 30, 60, 40)
	other := korea()
	other.Code = "ZZ"
	return []regions.Region{old, small, other}
}

func after() []regions.Region { return []regions.Region{korea(), faroes(), russia()} }

func (a *atlas) load(t *testing.T, data []regions.Region, want int) {
	t.Helper()
	changed, err := a.repo.Load(t.Context(), data)
	require.NoError(t, err)
	assert.Equal(t, want, changed)
}

// The second load changes nothing and writes nothing.
func TestLoadTwice(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.load(t, before(), 3)
	first := a.items(t)
	stop := a.Faults.Record()
	a.load(t, before(), 0)
	requests := stop()
	require.Len(t, requests, 1)
	assert.Contains(t, string(requests[0].Body), `"ConsistentRead":true`)
	assert.Equal(t, first, a.items(t))
	a.check(t)

	sent := a.Measure(func() { a.load(t, after(), 3) })
	assert.Equal(t, 1+1+2*2, sent.Requests, "one is created, and two are updated")
	a.check(t)
	sent = a.Measure(func() { a.load(t, after(), 0) })
	assert.Equal(t, 1, sent.Requests)
	assert.Contains(t, a.items(t), "GEO#country/REGION#ZZ", "a region that is not in the data")

	data := after()
	data[0].Aliases = data[0].Aliases[:2]
	data[2].Population = 146
	a.load(t, data, 2)
	assert.Equal(t, []string{"KR"}, codes(t, a.repo.ByName(regions.Country, "korea"), 50)[:1])
	assert.Empty(t, codes(t, a.repo.ByName(regions.Country, "대한"), 50)[1:], "only the other region has the alias")
	a.check(t)
	a.load(t, nil, 0)
}

// Empty and negative values are equal to what is stored, so they are not written again and again.
func TestLoadOfWhatIsStoredDifferently(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	zero, stop := 0.0, a.Faults.Record()
	odd := regions.Region{Type: regions.Country, Code: "A", Name: "A", Aliases: []string{}, Box: box(-zero, -1*zero, 1.0/3, 1e-7)}
	a.load(t, []regions.Region{odd}, 1)
	for _, r := range stop() {
		assert.NotContains(t, string(r.Body), `"-0"`) // which DynamoDB stores as 0
	}
	a.load(t, []regions.Region{odd}, 0)
}

// A load that is broken off at any request leaves whole regions, and is completed by the next one.
func TestLoadIsBrokenOff(t *testing.T) {
	t.Parallel()
	whole := newAtlas(t)
	whole.load(t, before(), 3)
	whole.load(t, after(), 3)
	want := whole.plain(t)
	for _, fault := range []dyntest.Fault{dyntest.Fail("AccessDeniedException"), dyntest.LoseAnswer()} {
		broken := 0
		for nth := 1; ; nth++ {
			a := newAtlas(t, dyntest.With(dynastay.Options{Parallel: 1, Retry: dynastay.Retry{Attempts: 1}, Idempotency: keys.Table}))
			a.create(t, before()...)
			ctx, cancel := context.WithCancel(t.Context())
			sent := a.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 1, EveryAttempt: true, Optional: true})
			changed, err := a.repo.Load(ctx, after())
			sent.Stop()
			cancel()
			a.check(t)
			if sent.Hits() == 0 {
				require.NoError(t, err)
				assert.Equal(t, 3, changed)
				break
			}
			if err != nil {
				broken++
			}
			rest, err := a.repo.Load(t.Context(), after())
			require.NoError(t, err)
			assert.LessOrEqual(t, changed+rest, 3)
			assert.Equal(t, want, a.plain(t), "request %d", nth)
		}
		assert.Positive(t, broken)
	}
}

// The context of a load ends at each request in turn.
func TestLoadIsCancelled(t *testing.T) {
	t.Parallel()
	for nth := 1; nth <= 6; nth++ {
		a := newAtlas(t, dyntest.With(dynastay.Options{Parallel: 1}))
		a.create(t, before()...)
		ctx, cancel := context.WithCancel(t.Context())
		a.Faults.Inject(dyntest.Before(func(context.Context) { cancel() }), dyntest.When{Nth: nth})
		_, err := a.repo.Load(ctx, after())
		require.Error(t, err)
		a.check(t)
		_, err = a.repo.Load(t.Context(), after())
		require.NoError(t, err)
		a.load(t, after(), 0)
		a.check(t)
	}
}

// Another process has loaded the same data in the meantime.
func TestLoadIsOvertakenByAnotherLoad(t *testing.T) {
	t.Parallel()
	a := newAtlas(t, dyntest.With(dynastay.Options{Parallel: 1}))
	a.create(t, before()...)
	a.Faults.Inject(dyntest.After(func(ctx context.Context) {
		changed, err := regions.New(a.Direct).Load(ctx, after())
		assert.NoError(t, err)
		assert.Equal(t, 3, changed)
	}), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	sent := a.Measure(func() { a.load(t, after(), 0) })
	assert.Equal(t, 1+2+1+1, sent.Requests, "a create that is refused and a read of each, and no other write")
	a.check(t)
}

// Between the read and the write, others create, delete and change the regions.
func TestLoadIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request string
		do      func(ctx context.Context, r *regions.Repository) error
	}{
		"created": {"TransactWriteItems", func(ctx context.Context, r *regions.Repository) error {
			return second(r.Create(ctx, regions.Region{Type: regions.Country, Code: "KR", Name: "Other", Aliases: []string{"gone"}}))
		}},
		"deleted before it is read": {"GetItem", func(ctx context.Context, r *regions.Repository) error {
			return r.Delete(ctx, regions.Country, "FO")
		}},
		"changed": {"GetItem", func(ctx context.Context, r *regions.Repository) error {
			return second(r.Update(ctx, regions.Country, "FO", func(r *regions.Region) error {
				r.Box, r.Center = box(0, 0, 1, 1), nil
				return nil
			}))
		}},
	} {
		a := newAtlas(t, dyntest.With(dynastay.Options{Parallel: 1}))
		a.create(t, before()...)
		other := regions.New(a.Direct)
		a.Faults.Inject(dyntest.Before(func(ctx context.Context) { assert.NoError(t, c.do(ctx, other), name) }),
			dyntest.When{Operation: c.request, Nth: 1})
		a.load(t, after(), 3)
		a.check(t)
		a.load(t, after(), 0)
	}
	a := newAtlas(t, dyntest.With(dynastay.Options{Parallel: 1}))
	a.create(t, before()...)
	a.Faults.Inject(dyntest.After(func(ctx context.Context) {
		assert.NoError(t, regions.New(a.Direct).Delete(ctx, regions.Country, "FO"))
	}), dyntest.When{Operation: "GetItem", Nth: 1}) // deleted after it was read
	a.load(t, after(), 3)
	a.check(t)
}

// Regions of other software get their items, even if the data is the same, and keep what the library does not know. An
// item that cannot be read is not overwritten.
func TestLoadOverOtherSoftware(t *testing.T) {
	t.Parallel()
	a, item := newAtlas(t), document(t)
	item["unknown"] = "kept"
	a.put(t, item)
	stored, err := a.repo.Get(t.Context(), regions.USState, "CA")
	require.NoError(t, err)
	a.load(t, []regions.Region{*stored}, 1)
	items := a.items(t)
	assert.Equal(t, "kept", items["GEO#us_state/REGION#CA"]["unknown"])
	assert.Equal(t, "2024-11-10T09:15:00Z", items["GEO#us_state/REGION#CA"]["last_updated"], "nothing was edited")
	a.check(t)
	assert.Len(t, items, 1+6)
	a.load(t, []regions.Region{*stored}, 0)

	item["population"] = "many"
	a.put(t, item)
	_, err = a.repo.Load(t.Context(), []regions.Region{*stored})
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Equal(t, "many", a.items(t)["GEO#us_state/REGION#CA"]["population"])
}

// Two processes load at the same time.
func TestLoadAtTheSameTime(t *testing.T) {
	t.Parallel()
	patient := dynastay.Options{Retry: dynastay.Retry{Attempts: 300}}
	a := newAtlas(t, dyntest.With(patient))
	a.create(t, before()...)
	a.Faults.Conflicts(0)
	ended := make(chan error)
	const processes = 4
	for range processes {
		repo := regions.New(a.Open(&patient))
		go func() {
			_, err := repo.Load(t.Context(), after())
			ended <- err
		}()
	}
	var all error
	for range processes {
		all = errors.Join(all, <-ended)
	}
	require.NoError(t, all)
	a.check(t)
	a.load(t, after(), 0)
}

// A region with the most aliases and cells can replace all of them in one transaction, with an idempotency key.
func TestLargestUpdate(t *testing.T) {
	t.Parallel()
	a := newAtlas(t, dyntest.With(dynastay.Options{Idempotency: keys.Table}))
	named := func(text string) (all []string) {
		for i := range regions.MaxAliases {
			all = append(all, fmt.Sprintf("%s %d", text, i))
		}
		return all
	}
	a.create(t, regions.Region{Type: regions.Country, Code: "X", Name: "X", Aliases: named("old"), Box: box(0, 0, 5.625*5+1, 11.25*3+1)})
	require.Len(t, a.items(t), 1+20+24)
	op := a.repo.UpdateOp(regions.Country, "X", func(r *regions.Region) error {
		r.Aliases, r.Box, r.Center = named("new"), box(-90, -180, 90, 180), nil
		return nil
	}, dynastay.AgreedOn("new"))
	require.NoError(t, a.Write(t.Context(), op, dynastay.IdempotencyKey("k")))
	stored := a.items(t)
	maps.DeleteFunc(stored, func(_ string, item map[string]any) bool { return item["region_code"] == nil })
	assert.Len(t, stored, 1+20+32)
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "X"))
}
