package migrate_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/provision"
)

// reception is a hotel with bookings.
type reception struct {
	house
	hotel fixture.Hotel
	ids   []string
}

func newReception(t *testing.T, arrivals int, opts ...dyntest.Option) *reception {
	t.Helper()
	r := &reception{house: house{DB: dyntest.New(t, append(opts, dyntest.At(fixture.Now))...)}}
	r.hotel = fixture.New(t, r.DB.DB, arrivals+20)
	for range arrivals {
		r.ids = append(r.ids, r.book(t))
	}
	return r
}

func (r *reception) book(t *testing.T) string {
	t.Helper()
	made, err := bookings.New(r.DB.DB, nil).Create(t.Context(), fixture.Request(r.hotel.Quote(t, r.DB.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	return made.ID
}

// walk walks the bookings, and returns how many were changed, and how many refused.
func (r *reception) walk(t *testing.T, m *migrate.Mover, name string, each func(context.Context, dynastay.Row) (bool, error)) []int {
	t.Helper()
	report, err := m.Walk(t.Context(), migrate.Walk{Name: name, Table: keys.BookingsTable, Page: 10, Each: each})
	require.NoError(t, err)
	require.NoError(t, m.Forget(t.Context(), name))
	return []int{report.Changed, report.Refused}
}

// idsOf returns the ids of a list, sorted.
func idsOf[T any](t *testing.T, list dynastay.List[T], id func(T) string) (ids []string) {
	t.Helper()
	for item, err := range list.All(t.Context()) {
		require.NoError(t, err)
		ids = append(ids, id(item))
	}
	slices.Sort(ids)
	return ids
}

// Another shard count of a list: readers read all shards, writers write to them, a walk moves the rows that are there, and then
// readers read no other shards. So a count can also become smaller. Meanwhile nothing is missing, nor listed twice.
func TestShardsByAWalk(t *testing.T) {
	t.Parallel()
	r := newReception(t, 24)
	m := r.mover(migrate.Options{})
	with := func(write, read int) *bookings.Repository {
		return bookings.New(m.DB, &bookings.Options{CheckInShards: key.Shards{Write: write, Read: read}})
	}
	arrivals := func(repo *bookings.Repository) []string {
		return idsOf(t, repo.ByCheckIn(bookings.CheckInQuery{Date: fixture.Stay.CheckIn}), func(s *bookings.Summary) string { return s.ID })
	}
	all := slices.Sorted(slices.Values(r.ids))
	for _, count := range []struct{ before, after int }{{1, 4}, {4, 2}} {
		most := max(count.before, count.after)
		repo := with(count.after, most)
		assert.Equal(t, all, arrivals(with(count.before, most)), "readers read all shards")
		wrong := r.walk(t, m, "verify", repo.VerifyRow)[1]
		require.Positive(t, wrong)
		if count.after < count.before {
			assert.NotEqual(t, all, arrivals(with(count.after, count.after)), "too early")
		}
		seen := 0
		mended := r.walk(t, m, "mend", func(ctx context.Context, row dynastay.Row) (bool, error) {
			if seen++; seen == 20 {
				assert.Equal(t, all, arrivals(repo))
				_, err := repo.Cancel(ctx, all[3], "", nil)
				all = slices.Delete(all, 3, 4)
				return false, err
			}
			return repo.MendRow(ctx, row)
		})
		assert.InDelta(t, wrong, mended[0], 2, "the service has moved one itself, and the walk has not looked at one")
		r.walk(t, m, "mend", repo.MendRow)
		assert.Equal(t, []int{0, 0}, r.walk(t, m, "verify", repo.VerifyRow))
		assert.Equal(t, all, arrivals(with(count.after, count.after)))
		r.book(t)
		all = arrivals(repo)
	}
}

// A new index: the table gets it, and services that write its keys; a walk gives them to the items that have none; a second
// one finds nothing that differs; then services read it. Here it is that of who is in the house.
func TestNewIndexByAWalk(t *testing.T) {
	t.Parallel()
	before := *keys.BookingsTable
	before.Indexes = slices.DeleteFunc(slices.Clone(before.Indexes), func(i dynastay.Index) bool { return i.Name == keys.HouseIndex })
	r := newReception(t, 12, dyntest.OnlyTables(&before, keys.PropertiesTable, keys.AvailabilityTable, keys.MetadataTable))
	m := r.mover(migrate.Options{})
	repo := bookings.New(m.DB, nil)
	r.Clock.Set(fixture.Stay.CheckIn.Time().Add(fixture.Now.Sub(fixture.Now.Truncate(24 * 60 * 60 * 1e9))))
	for _, id := range r.ids[:8] {
		_, err := repo.CheckIn(t.Context(), id, nil)
		require.NoError(t, err)
	}
	for _, id := range r.ids[:6] { // as a version of the service did that did not know the index
		at, err := keys.Of(keys.Booking{BookingID: id})
		require.NoError(t, err)
		raw.Update(t, r.DB, keys.BookingsTable, at, "REMOVE GSI7PK, GSI7SK", nil)
	}

	table := provision.Tables(r.TableName(&dynastay.Schema{}), "", keys.BookingsTable)
	table[0].Settings.Deletable = true
	report, err := provision.Look(t.Context(), r.Client, table[0], nil)
	require.NoError(t, err)
	require.NotEmpty(t, report.Differences)
	require.NoError(t, provision.Apply(t.Context(), r.Client, table, nil))
	inHouse := func() []string {
		return idsOf(t, repo.InHouse(r.hotel.ID), func(h bookings.InHouse) string { return h.BookingID })
	}
	assert.Equal(t, slices.Sorted(slices.Values(r.ids[6:8])), inHouse(), "too early")

	assert.Equal(t, []int{0, 6}, r.walk(t, m, "verify", repo.VerifyRow))
	seen := 0
	mended := r.walk(t, m, "mend", func(ctx context.Context, row dynastay.Row) (bool, error) {
		if seen++; seen == 10 { // the service goes on
			for _, id := range []string{r.ids[0], r.ids[8]} {
				if _, err := repo.CheckIn(ctx, id, nil); err != nil {
					_, err = repo.CheckOut(ctx, id)
					require.NoError(t, err)
				}
			}
		}
		return repo.MendRow(ctx, row)
	})
	assert.GreaterOrEqual(t, mended[0], 5)
	assert.Equal(t, []int{0, 0}, r.walk(t, m, "verify", repo.VerifyRow))
	assert.Equal(t, slices.Sorted(slices.Values(r.ids[1:9])), inHouse())
}
