package bookings_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys/key"
)

var shardCalls = flag.Int("shards.calls", 150, "number of writes in TestShardsGrowUnderWrites")

// all reads a list in pages of limit bookings.
func all(t *testing.T, list func() dynastay.List[*bookings.Summary], limit int) (got []*bookings.Summary) {
	t.Helper()
	for p := (dynastay.Paging{Limit: limit}); ; {
		page, err := list().Page(t.Context(), p)
		require.NoError(t, err)
		got = append(got, page.Items...)
		if p.After = page.Next; p.After == "" {
			return got
		}
	}
}

func idsOf(list []*bookings.Summary) (ids []string) {
	for _, b := range list {
		ids = append(ids, b.ID)
	}
	return ids
}

// process is one of several processes whose shard counts differ while they are being raised.
type process struct {
	db   *dynastay.DB
	mu   sync.RWMutex // guards repo, which is replaced because options cannot change
	repo *bookings.Repository
}

func (p *process) use(shards key.Shards) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.repo = bookings.New(p.db, &bookings.Options{StatusShards: shards, CheckInShards: shards, HoldShards: shards})
}

func (p *process) bookings() *bookings.Repository {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.repo
}

// Several processes make and cancel bookings and read lists while their shard counts are raised, Read before Write.
// Every list in every process equals the list of a table without shards, in the same order. A list that is read during
// writes contains each booking that is not being changed exactly once.
func TestShardsGrowUnderWrites(t *testing.T) {
	// Not parallel: it would take the engine from the races of other tests, which have a retry budget.
	db, plain := dyntest.New(t, bookingTables), dyntest.New(t, bookingTables)
	db.Clock.Set(fixture.Now)
	hotel := fixture.New(t, db.DB, 10_000)
	quote := hotel.Quote(t, db.DB, fixture.Stay, 1)
	processes := make([]*process, 3)
	for i := range processes {
		processes[i] = &process{db: db.Open(&dynastay.Options{Clock: db.Clock.Now})}
		processes[i].use(key.Shards{})
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)

	var (
		mu   sync.Mutex
		made []string // confirmed bookings
		calm []string // those of earlier phases, which are no longer changed
	)
	write := func(p *process, draw *rand.Rand) {
		mu.Lock()
		var victim string
		if len(made) > 0 && draw.IntN(4) == 0 {
			at := draw.IntN(len(made))
			victim = made[at]
			made = slices.Delete(made, at, at+1)
		}
		mu.Unlock()
		if victim != "" {
			_, err := p.bookings().Cancel(t.Context(), victim, "", nil)
			assert.NoError(t, err)
			return
		}
		b, err := p.bookings().Create(t.Context(), fixture.Request(quote))
		if assert.NoError(t, err) {
			mu.Lock()
			made = append(made, b.ID)
			mu.Unlock()
		}
	}
	// phase lets all processes write while the settings of some of them are raised one by one, and each of these walks
	// a list.
	phase := func(raise key.Shards, some []*process) {
		calm = append(calm, made...)
		slices.Sort(calm)
		made = nil
		var writers sync.WaitGroup
		for i, p := range processes {
			writers.Go(func() {
				draw := rand.New(rand.NewPCG(seed, uint64(i)))
				for range *shardCalls / len(processes) / 9 {
					write(p, draw)
				}
			})
		}
		for _, p := range some {
			p.use(raise)
			db.Clock.Advance(time.Second)
			var seen []string
			for b, err := range p.bookings().ByStatus(bookings.Confirmed).All(t.Context()) {
				if assert.NoError(t, err) {
					seen = append(seen, b.ID)
				}
			}
			for _, id := range calm {
				assert.Contains(t, seen, id, "no writer changes it")
			}
			slices.Sort(seen)
			assert.Equal(t, slices.Compact(slices.Clone(seen)), seen, "twice")
		}
		writers.Wait()
		compareWithUnsharded(t, db, plain, processes)
	}
	phase(key.Shards{}, processes)
	for _, raise := range []key.Shards{{Read: 4}, {Read: 4, Write: 4}, {Read: 7, Write: 4}, {Read: 7, Write: 7}} {
		phase(raise, processes[:1]) // the others read and write as before
		phase(raise, processes[1:])
	}

	partitions := map[string]bool{}
	for _, id := range append(calm, made...) {
		partitions[storedItem(t, db, keyOf(id))["GSI3PK"].(string)] = true
	}
	assert.True(t, partitions["STATUS#confirmed"], "bookings from before the counts were raised stay in their partition")
	for partition := range partitions {
		assert.True(t, strings.HasPrefix(partition, "STATUS#confirmed"), partition)
	}
	// Now every process writes to all seven shards, also to those that the lower counts did not have.
	for _, p := range processes {
		for shard := 0; shard < 4; {
			b, err := p.bookings().Create(t.Context(), fixture.Request(quote))
			require.NoError(t, err)
			if shard = key.ShardOf(b.ID, 7); shard >= 4 {
				assert.Equal(t, fmt.Sprint("STATUS#confirmed#SHARD#", shard), storedItem(t, db, keyOf(b.ID))["GSI3PK"])
			}
		}
	}
}

// compareWithUnsharded writes all bookings to plain, as a process without shards would have stored them, and compares the
// lists.
func compareWithUnsharded(t *testing.T, db, plain *dyntest.DB, processes []*process) {
	t.Helper()
	require.NoError(t, plain.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, row := range bookingsIn(t, db) {
			b, err := bookings.BookingEntity.Value(row)
			require.NoError(t, err)
			item, err := bookings.BookingEntity.Item(b)
			require.NoError(t, err)
			if !yield(bookingsTable, item) {
				return
			}
		}
	}))
	unsharded := bookings.New(plain.DB, nil)
	for _, status := range []bookings.Status{bookings.Confirmed, bookings.Cancelled, bookings.NoShow} {
		want := all(t, func() dynastay.List[*bookings.Summary] { return unsharded.ByStatus(status) }, 1000)
		for i, p := range processes {
			for _, limit := range []int{7, 50, 1000} {
				got := all(t, func() dynastay.List[*bookings.Summary] { return p.bookings().ByStatus(status) }, limit)
				assert.Equal(t, want, got, "process %d, %s, pages of %d", i, status, limit)
			}
		}
		// The processes take turns to read the pages.
		turn := 0
		got := all(t, func() dynastay.List[*bookings.Summary] {
			turn++
			return processes[turn%len(processes)].bookings().ByStatus(status)
		}, 5)
		assert.Equal(t, idsOf(want), idsOf(got), "processes taking turns")
	}
}

func TestShardsOfBookings(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.DB, 1)
	repo := bookings.New(db.DB, &bookings.Options{
		StatusShards:  key.Shards{Write: 2, Read: 2},
		CheckInShards: key.Shards{Write: 3, Read: 3},
		HoldShards:    key.Shards{Write: 4, Read: 4},
	})
	b, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	suffix := func(count int) string {
		if n := key.ShardOf(b.ID, count); n > 0 {
			return fmt.Sprint("#SHARD#", n)
		}
		return ""
	}
	stored := storedItem(t, db, keyOf(b.ID))
	assert.Equal(t, "STATUS#confirmed"+suffix(2), stored["GSI3PK"])
	assert.Equal(t, "CHECKIN#2026-07-10"+suffix(3), stored["GSI5PK"])
	held := *b
	for i := 0; key.ShardOf(held.ID, 4) == 0; i++ {
		held.ID = fmt.Sprint("bkg_", i)
	}
	held.Status, held.HoldExpiresAt = bookings.Pending, fixture.Now.Add(time.Hour)
	item, err := bookings.EntityWith(bookings.Options{HoldShards: key.Shards{Write: 4, Read: 4}}).Item(&held)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Text(fmt.Sprint("HOLDS#SHARD#", key.ShardOf(held.ID, 4))), item["GSI6PK"])

	for field, opts := range map[string]bookings.Options{
		"StatusShards":  {StatusShards: key.Shards{Write: 2}},
		"CheckInShards": {CheckInShards: key.Shards{Write: 3, Read: 2}},
		"HoldShards":    {HoldShards: key.Shards{Write: -1}},
	} {
		want := "bookings.New: Options." + field + ": " + shardsOf(opts).Validate().Error()
		assert.PanicsWithValue(t, want, func() { bookings.New(db.DB, &opts) })
	}
}

func shardsOf(o bookings.Options) key.Shards {
	for _, s := range []key.Shards{o.StatusShards, o.CheckInShards, o.HoldShards} {
		if s != (key.Shards{}) {
			return s
		}
	}
	return key.Shards{}
}

func TestByStatusIsRefusedBeforeARequest(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables)
	stop := db.Faults.Record()
	for _, status := range []bookings.Status{"", "Confirmed", "a#b"} {
		_, err := bookings.New(db.DB, nil).ByStatus(status).Page(context.Background(), dynastay.Paging{})
		blame.Invalid(t, err, "Status", "%q", status)
	}
	assert.Empty(t, stop())
}

// bookingsIn reads the bookings of the table, past its indexes.
func bookingsIn(t *testing.T, db *dyntest.DB) (rows []dynastay.Row) {
	t.Helper()
	for _, item := range raw.All(t, db, bookingsTable) {
		if row := dynastay.RowOf(item); row.Text("SK") == "METADATA" {
			rows = append(rows, row)
		}
	}
	return rows
}
