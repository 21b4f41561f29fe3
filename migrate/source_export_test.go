package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// put puts some entities into a table, as other software has them, and returns the keys of those that are adopted.
func (h *house) put(t *testing.T, d document, n int) (all []dynastay.Key) {
	t.Helper()
	for i := range n {
		items := d.items(t, i)
		raw.Put(t, h.DB, d.table, items...)
		all = append(all, d.table.Key.From(dynastay.RowOf(items[0])))
	}
	return all
}

// Items are adopted as they are in an export, which may be old: what has changed or was deleted since stays so. Nothing is scanned.
func TestWalkOfAnExport(t *testing.T) {
	t.Parallel()
	for _, d := range documents {
		t.Run(d.in, func(t *testing.T) {
			t.Parallel()
			const each = 20
			h := &house{DB: dyntest.New(t, dyntest.At(fixture.Now))}
			m, all := h.mover(migrate.Options{}), h.put(t, d, each)
			export, items := raw.Export(t, h.DB, d.table, 3), each*len(d.files)
			raw.Set(t, h.DB, d.table, all[0], dynastay.Text("after the export"), "Remark")
			for _, item := range raw.Partition(t, h.DB, d.table, all[1].PK) {
				raw.Delete(t, h.DB, d.table, d.table.Key.From(dynastay.RowOf(item)))
			}
			adopted, err := d.adopt(h.Direct)(t.Context(), dynastay.RowOf(raw.Get(t, h.DB, d.table, all[2])))
			require.NoError(t, err)
			require.True(t, adopted)
			before := raw.Get(t, h.DB, d.table, all[2])

			stop := h.Faults.Record()
			report, err := m.Walk(t.Context(), migrate.Walk{Name: "adopt", Table: d.table, Export: export, Page: 7, Each: d.adopt(m.DB)})
			require.NoError(t, err)
			for _, r := range stop() {
				assert.NotEqual(t, "Scan", r.Operation)
			}
			assert.Equal(t, migrate.Report{Segments: 3, Ended: 3, Walked: items, Changed: d.adopted*(each-1) - 1}, report)
			for i, key := range all {
				stored := dynastay.RowOf(raw.Get(t, h.DB, d.table, key))
				assert.Equal(t, i != 1, stored.Value("WriteId").Kind() == dynastay.KindBinary, key)
			}
			assert.Equal(t, "after the export", dynastay.RowOf(raw.Get(t, h.DB, d.table, all[0])).Text("Remark"))
			assert.Empty(t, raw.Partition(t, h.DB, d.table, all[1].PK), "what was deleted is not created again")
			assert.Equal(t, before, raw.Get(t, h.DB, d.table, all[2]), "what was adopted is not adopted again")
		})
	}
}

// What an export says is compared with what is stored now. What has changed since is no difference, and what differs still is mended.
func TestVerifyingAnExport(t *testing.T) {
	t.Parallel()
	for _, d := range documents[1:] {
		t.Run(d.in, func(t *testing.T) {
			t.Parallel()
			h := &house{DB: dyntest.New(t, dyntest.At(fixture.Now))}
			m, all := h.mover(migrate.Options{}), h.put(t, d, 8)
			adopt := d.adopt(h.Direct)
			for _, item := range raw.All(t, h.DB, d.table) {
				_, err := adopt(t.Context(), dynastay.RowOf(item))
				require.NoError(t, err)
			}
			whole := raw.All(t, h.DB, d.table)
			for _, key := range all[:5] {
				raw.Set(t, h.DB, d.table, key, dynastay.Text("stale"), "GSI1SK")
			}
			raw.Set(t, h.DB, d.table, all[5], dynastay.Number(7), "CreatedAt") // it cannot be read
			export := raw.Export(t, h.DB, d.table, 2)
			raw.Put(t, h.DB, d.table, whole...)
			raw.Delete(t, h.DB, d.table, all[0])
			raw.Set(t, h.DB, d.table, all[1], dynastay.Text("stale"), "GSI1SK")
			verify := map[string][2]each{
				"bookings": {bookings.New(m.DB, nil).VerifyRow, bookings.New(m.DB, nil).MendRow},
				"users":    {users.New(m.DB, nil).VerifyRow, users.New(m.DB, nil).MendRow},
				"reviews":  {reviews.New(m.DB, properties.New(m.DB, nil), nil).VerifyRow, reviews.New(m.DB, properties.New(m.DB, nil), nil).MendRow},
			}[d.in]
			var refused []dynastay.Key
			w := migrate.Walk{
				Name: "verify", Table: d.table, Export: export, Each: verify[0],
				Refused: func(key dynastay.Key, err error) {
					if slices.Contains(all, key) { // and not the guard of what was deleted
						refused = append(refused, key)
					}
				},
			}
			_, err := m.Walk(t.Context(), w)
			require.NoError(t, err)
			assert.Equal(t, all[1:2], refused)

			w.Name, w.Each = "mend", verify[1]
			report, err := m.Walk(t.Context(), w)
			require.NoError(t, err)
			assert.Equal(t, []int{1, 0}, []int{report.Changed, report.Refused})
			assert.NotEqual(t, "stale", dynastay.RowOf(raw.Get(t, h.DB, d.table, all[1])).Text("GSI1SK"))
			assert.Empty(t, raw.Get(t, h.DB, d.table, all[0]))
		})
	}
}

// usersOf returns a database with users, and lines of an export of n items.
func usersOf(t *testing.T, n int) (h *house, lines []string) {
	h = &house{DB: dyntest.New(t, dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable))}
	for i := range n {
		lines = append(lines, raw.ExportLine(t, dynastay.Item{"PK": dynastay.Text(fmt.Sprintf("USER#%02d", i)), "SK": dynastay.Text("PROFILE")}))
	}
	return h, lines
}

// counted counts how often each file of an export is opened.
type counted struct {
	fs.FS
	mu     sync.Mutex
	opened map[string]int
}

func (c *counted) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened[name]++
	return c.FS.Open(name)
}

// A walk that is broken off goes on with the next line. A run opens a file twice, however many pages it has.
func TestWalkOfAnExportIsResumable(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 23)
	m := h.mover(migrate.Options{})
	export := &counted{FS: raw.ExportOf(t, h.TableName(keys.UsersTable), lines), opened: map[string]int{}}
	var read []string
	broken, at := errors.New("broken off"), 0
	w := migrate.Walk{Name: "look", Table: keys.UsersTable, Export: export, Page: 4, Each: func(_ context.Context, row dynastay.Row) (bool, error) {
		if len(read) == at {
			return false, broken
		}
		read = append(read, row.Text("PK"))
		return false, nil
	}}
	last := 0
	w.Progress = func(r migrate.Report) {
		assert.LessOrEqual(t, r.Walked, last+4, "the items of a page")
		last = r.Walked
	}
	for runs := range 3 {
		at = []int{10, 12, -1}[runs] // within a page, and at the end of one
		report, err := m.Walk(t.Context(), w)
		if at > 0 {
			require.ErrorIs(t, err, broken)
			assert.Equal(t, at, report.Walked)
		} else {
			require.NoError(t, err)
			assert.True(t, report.Done())
		}
		assert.Equal(t, 2*(runs+1), export.opened["data/file0.json.gz"])
	}
	want := make([]string, 23)
	for i := range want {
		want[i] = fmt.Sprintf("USER#%02d", i)
	}
	assert.Equal(t, want, read)
}

// Another run moves the position within a file while one goes on: forward, and back after the walk was forgotten.
func TestTwoWalksOfAnExport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		forget bool
		other  int // how many items it does
		read   int // how many are shown here: 3 until then, and a page that is not saved
		opened int
	}{
		"forward": {false, 11, 4 + 23 - 11, 4},
		"back":    {true, 2, 8 + 23 - 2, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, lines := usersOf(t, 23)
			m := h.mover(migrate.Options{})
			export := &counted{FS: raw.ExportOf(t, h.TableName(keys.UsersTable), lines), opened: map[string]int{}}
			w, calls, broken := migrate.Walk{Name: "look", Table: keys.UsersTable, Export: export, Page: 4}, 0, errors.New("broken off")
			second := w
			w.Each = func(ctx context.Context, _ dynastay.Row) (bool, error) {
				calls++
				if calls == map[bool]int{false: 3, true: 7}[test.forget] {
					if test.forget {
						require.NoError(t, m.Forget(ctx, w.Name))
					}
					done := 0
					second.Each = func(context.Context, dynastay.Row) (bool, error) {
						if done++; done > test.other {
							return false, broken
						}
						return false, nil
					}
					_, err := m.Walk(ctx, second)
					require.ErrorIs(t, err, broken)
				}
				return false, nil
			}
			report, err := m.Walk(t.Context(), w)
			require.NoError(t, err)
			assert.True(t, report.Done())
			assert.Equal(t, []int{23, test.read}, []int{report.Walked, calls})
			assert.Equal(t, test.opened, export.opened["data/file0.json.gz"])
		})
	}
}

// The position of one export is not used for another one.
func TestWalkOfAnotherExport(t *testing.T) {
	t.Parallel()
	h, lines := usersOf(t, 3)
	m := h.mover(migrate.Options{})
	export := raw.ExportOf(t, h.TableName(keys.UsersTable), lines)
	w := migrate.Walk{Name: "look", Table: keys.UsersTable, Export: export, Each: func(context.Context, dynastay.Row) (bool, error) { return false, nil }}
	_, err := m.Walk(t.Context(), w)
	require.NoError(t, err)
	for what, edit := range map[string]func(fstest.MapFS){
		"a later one":  replaced("manifest-summary.json", "01693685827463", "01793685827463"),
		"another file": replaced("manifest-files.json", "data/file0", "data/file1"),
	} {
		other := raw.ExportOf(t, h.TableName(keys.UsersTable), lines)
		edit(other)
		w.Export = other
		_, err := m.Walk(t.Context(), w)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, what)
		assert.Equal(t, "Name", invalid.Field)
	}
}

// replaced replaces a text in a file of an export.
func replaced(file, old, text string) func(fstest.MapFS) {
	return func(export fstest.MapFS) {
		export[file] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(export[file].Data), old, text))}
	}
}
