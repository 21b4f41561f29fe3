package migrate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/provision/policy"
	"github.com/dynastay/dynastay/users"
)

// adopting is a walk that adopts the properties.
func adopting(m *migrate.Mover) migrate.Walk {
	return migrate.Walk{
		Name: "adopt-properties", Table: keys.PropertiesTable, Segments: 3, Page: 7, Each: properties.New(m.DB, nil).AdoptRow,
	}
}

// foreign counts the properties that have not been adopted.
func (h *house) foreign(t *testing.T) (n int) {
	t.Helper()
	for _, item := range raw.All(t, h.DB, keys.PropertiesTable) {
		if item["EntityType"] != nil && dynastay.RowOf(item).Text("EntityType") == "Property" && item["WriteId"] == nil {
			n++
		}
	}
	return n
}

// A walk shows its function every item once. The second walk of its name does nothing, until it is forgotten.
func TestWalk(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 40)
	m := h.mover(migrate.Options{})
	require.Equal(t, 40, h.foreign(t))
	var last migrate.Report
	w := adopting(m)
	w.Progress = func(r migrate.Report) { last = r }
	report, err := m.Walk(t.Context(), w)
	require.NoError(t, err)
	assert.True(t, report.Done())
	assert.Equal(t, report, last)
	assert.GreaterOrEqual(t, report.Walked, 120, "and some of the new guards and amenities")
	assert.Equal(t, []int{3, 40, 0}, []int{report.Segments, report.Changed, report.Refused})
	assert.Zero(t, h.foreign(t))
	before := raw.All(t, h.DB, keys.PropertiesTable, keys.MetadataTable)

	stop := h.Faults.Record()
	again, err := m.Walk(t.Context(), w)
	require.NoError(t, err)
	assert.Equal(t, report, again)
	assert.Len(t, stop(), 1, "the positions")
	assert.ElementsMatch(t, before, raw.All(t, h.DB, keys.PropertiesTable, keys.MetadataTable))

	require.NoError(t, m.Forget(t.Context(), w.Name))
	assert.Empty(t, raw.All(t, h.DB, keys.MetadataTable))
	properties := raw.All(t, h.DB, keys.PropertiesTable)
	report, err = m.Walk(t.Context(), w)
	require.NoError(t, err)
	assert.Equal(t, []int{len(properties), 0}, []int{report.Walked, report.Changed}, "a lost position costs only reads")
	assert.ElementsMatch(t, properties, raw.All(t, h.DB, keys.PropertiesTable))
}

// A walk is broken off at each of its requests. The next one goes on from the last page that was saved.
func TestWalkIsResumable(t *testing.T) {
	t.Parallel()
	for _, fault := range []dyntest.Fault{dyntest.Fail("AccessDeniedException"), dyntest.LoseAnswer()} {
		h := newHouse(t, 12)
		m := h.mover(migrate.Options{})
		w, read := adopting(m), seen{}
		adopt := w.Each
		w.Segments = 1
		w.Each = func(ctx context.Context, row dynastay.Row) (bool, error) {
			read.each(row)
			return adopt(ctx, row)
		}
		var report migrate.Report
		for n := 1; ; n++ {
			require.Less(t, n, 200)
			broken := h.Faults.Inject(fault, dyntest.When{Nth: n, EveryAttempt: true, Optional: true})
			var err error
			report, err = m.Walk(t.Context(), w)
			broken.Stop()
			if err == nil {
				break
			}
		}
		assert.True(t, report.Done())
		assert.Equal(t, 0, h.foreign(t))
		for _, id := range h.ids {
			key, err := keys.Of(keys.Property{PropertyID: id})
			require.NoError(t, err)
			assert.Positive(t, read.keys[key], id)
		}
	}
}

// The context ends within a page, as that of a program that is told to stop. What was done of the page is saved all the same.
func TestWalkThatIsStopped(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 4)
	m := h.mover(migrate.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var read seen
	w := migrate.Walk{Name: "look", Table: keys.PropertiesTable, Each: func(_ context.Context, row dynastay.Row) (bool, error) {
		read.each(row)
		if len(read.keys) == 5 {
			cancel()
		}
		return false, nil
	}}
	report, err := m.Walk(ctx, w)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 5, report.Walked)
	report, err = m.Walk(t.Context(), w)
	require.NoError(t, err)
	assert.Equal(t, 12, report.Walked)
	for key, times := range read.keys {
		assert.Equal(t, 1, times, key)
	}
}

// Two walks run at the same time. Of one name, the slower one goes on from where the faster one is, and every item counts once.
// Of different names, both do everything.
func TestTwoWalks(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]string{"of one name": "adopt-properties", "of two names": "adopt-all"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, 30)
			items := len(raw.All(t, h.DB, keys.PropertiesTable))
			m := h.mover(migrate.Options{})
			w := migrate.Walk{Name: "adopt-properties", Table: keys.PropertiesTable, Page: 7}
			nothing := func(context.Context, dynastay.Row) (bool, error) { return true, nil }
			second, calls, broken := w, 0, errors.New("broken off")
			second.Name = other
			w.Each = func(ctx context.Context, row dynastay.Row) (bool, error) {
				switch calls++; calls {
				case 3: // the other one gets on to its third page, and is broken off
					done := 0
					second.Each = func(context.Context, dynastay.Row) (bool, error) {
						if done++; done > 16 {
							return false, broken
						}
						return true, nil
					}
					report, err := m.Walk(ctx, second)
					require.ErrorIs(t, err, broken)
					assert.Equal(t, []int{16, 16}, []int{report.Walked, report.Changed})
				case 10: // and to its end
					second.Each = nothing
					report, err := m.Walk(ctx, second)
					require.NoError(t, err)
					assert.Equal(t, items, report.Walked)
				}
				return true, nil
			}
			report, err := m.Walk(t.Context(), w)
			require.NoError(t, err)
			assert.True(t, report.Done())
			assert.Equal(t, []int{items, items}, []int{report.Walked, report.Changed})
			assert.Equal(t, map[bool]int{true: 14, false: items}[other == w.Name], calls, "two pages, or all")
		})
	}
}

// A dry run writes nothing, and says what would change.
func TestDryRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 10)
	m := h.mover(migrate.Options{})
	before := raw.All(t, h.DB, keys.PropertiesTable, keys.MetadataTable)
	w := adopting(m)
	w.DryRun = true
	stop := h.Faults.Record()
	report, err := m.Walk(t.Context(), w)
	require.NoError(t, err)
	for _, r := range stop() {
		assert.Contains(t, []string{"Scan", "Query"}, r.Operation)
	}
	assert.True(t, report.Done())
	assert.Equal(t, []int{30, 10, 0}, []int{report.Walked, report.Changed, report.Refused})
	assert.ElementsMatch(t, before, raw.All(t, h.DB, keys.PropertiesTable, keys.MetadataTable))
	w.DryRun = false
	_, err = m.Walk(t.Context(), w)
	require.NoError(t, err, "outside of a dry run, the mover writes")
	require.NoError(t, h.changeAsOthersDo(t, h.ids[0], 0))
	w.DryRun, w.Segments = true, 5
	report, err = m.Walk(t.Context(), w)
	require.NoError(t, err)
	assert.Equal(t, 1, report.Changed, "it begins at the beginning")
}

// An item for which the function fails is refused, and the walk goes on. It stops for what says nothing about the item.
func TestRefusedItems(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 5)
	bad, err := keys.Of(keys.Property{PropertyID: h.ids[2]})
	require.NoError(t, err)
	raw.Set(t, h.DB, keys.PropertiesTable, bad, dynastay.Number(7), "Name")
	m := h.mover(migrate.Options{})
	w := adopting(m)
	var refused []dynastay.Key
	w.Refused = func(key dynastay.Key, err error) {
		refused = append(refused, key)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	}
	w.Segments = 1
	report, err := m.Walk(t.Context(), w)
	require.NoError(t, err)
	assert.Equal(t, []int{4, 1}, []int{report.Changed, report.Refused})
	assert.Equal(t, []dynastay.Key{bad}, refused)
	huge, err := keys.Of(keys.Property{PropertyID: h.ids[1]})
	require.NoError(t, err)
	raw.Update(t, h.DB, keys.PropertiesTable, huge, "REMOVE WriteId", nil)
	for _, fault := range []dyntest.Fault{dyntest.Cancel("ValidationError"), dyntest.Fail("ValidationException")} { // both are how DynamoDB says it
		h.Faults.Inject(fault, dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		require.NoError(t, m.Forget(t.Context(), w.Name))
		refused, w.Refused = nil, func(key dynastay.Key, _ error) { refused = append(refused, key) }
		report, err = m.Walk(t.Context(), w)
		require.NoError(t, err)
		assert.Equal(t, 2, report.Refused)
		assert.ElementsMatch(t, []dynastay.Key{bad, huge}, refused, "it would be larger than DynamoDB allows")
	}
	w.Name = "in part" // what was changed of an item that is refused
	w.Each = func(context.Context, dynastay.Row) (bool, error) { return true, dynastay.ErrCorrupt }
	report, err = m.Walk(t.Context(), w)
	require.NoError(t, err)
	assert.NotZero(t, report.Walked)
	assert.Equal(t, []int{report.Walked, report.Walked}, []int{report.Changed, report.Refused})
	for _, kind := range []error{
		dynastay.ErrUnavailable, dynastay.ErrThrottled, dynastay.ErrContention, dynastay.ErrOutcomeUnknown, dynastay.ErrRejected,
		users.ErrEmailSecret, dynastay.ErrCommitted, errors.New("unknown"), context.Canceled, context.DeadlineExceeded,
	} {
		w.Name = "stops"
		w.Each = func(context.Context, dynastay.Row) (bool, error) { return false, kind }
		report, err := m.Walk(t.Context(), w)
		require.ErrorIs(t, err, kind)
		assert.ErrorContains(t, err, "PROPERTY#", "it names the item")
		assert.Zero(t, report.Walked)
	}
}

// The partitions of an index are walked like the segments of a table.
func TestWalkOfPartitions(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 25)
	m := h.mover(migrate.Options{})
	var read seen
	w := migrate.Walk{
		Name: "by-hand", Table: keys.PropertiesTable, Page: 2,
		Partitions: []string{"PROPERTY#" + h.ids[3], "PROPERTY#" + h.ids[4], "PROPERTY#none"},
		Each: func(_ context.Context, row dynastay.Row) (bool, error) {
			read.each(row)
			return false, nil
		},
	}
	stop := h.Faults.Record()
	report, err := m.Walk(t.Context(), w)
	require.NoError(t, err)
	for _, r := range stop() {
		assert.NotEqual(t, "Scan", r.Operation)
	}
	assert.Equal(t, []int{3, 6}, []int{report.Ended, report.Walked})
	assert.Len(t, read.keys, 6)
	w.Partitions[0] = "PROPERTY#" + h.ids[5]
	_, err = m.Walk(t.Context(), w)
	require.ErrorIs(t, err, dynastay.ErrInvalid, "these are others")
}

// What cannot be walked is refused before any request.
func TestWalkIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 1)
	m := h.mover(migrate.Options{})
	stop := h.Faults.Record()
	for field, edit := range map[string]func(*migrate.Walk){
		"Walk":       func(w *migrate.Walk) { w.Name = "a#b" },
		"Table":      func(w *migrate.Walk) { w.Table = nil },
		"Each":       func(w *migrate.Walk) { w.Each = nil },
		"Segments":   func(w *migrate.Walk) { w.Segments = 1001 },
		"Page":       func(w *migrate.Walk) { w.Page = -1 },
		"Partitions": func(w *migrate.Walk) { w.Index = keys.SlugIndex },
		"Index":      func(w *migrate.Walk) { w.Index, w.Partitions = "none", []string{"a"} },
	} {
		w := adopting(m)
		edit(&w)
		_, err := m.Walk(t.Context(), w)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, field) {
			assert.Equal(t, field, invalid.Field)
		}
	}
	for _, partitions := range [][]string{{}, {"a"}, {""}} { // none, with segments, without a name
		w := adopting(m)
		w.Partitions = partitions
		report, err := m.Walk(t.Context(), w)
		require.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.False(t, report.Done())
	}
	assert.Empty(t, stop())
	assert.Panics(t, func() { h.mover(migrate.Options{Units: -1}) })
}

// A walk that was begun with another number of segments is not continued.
func TestSegmentsStayTheSame(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 3)
	m := h.mover(migrate.Options{})
	w := adopting(m)
	_, err := m.Walk(t.Context(), w)
	require.NoError(t, err)
	w.Segments = 4
	_, err = m.Walk(t.Context(), w)
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "Segments", invalid.Field)
}

// A role that has what the function needs, and what OfWalk says, can walk; a table's export without Scan.
func TestWalkWithThePermissions(t *testing.T) {
	t.Parallel()
	for _, tables := range [][]*dynastay.Schema{{keys.PropertiesTable}, nil} {
		h := newHouse(t, 4, dyntest.Permitted(policy.Policy{
			Role: policy.Application, Repositories: []string{"properties"}, Also: policy.OfWalk(tables...),
		}))
		m := h.mover(migrate.Options{})
		w := adopting(m)
		if tables == nil {
			w.Export, w.Segments = raw.Export(t, h.DB, keys.PropertiesTable, 2), 0
		}
		for range 2 {
			report, err := m.Walk(t.Context(), w)
			require.NoError(t, err)
			assert.True(t, report.Done())
			require.NoError(t, m.Forget(t.Context(), w.Name))
		}
		assert.Zero(t, h.foreign(t))
	}
}
