package listing_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// contender is a call that wants the night of 11 January, among others.
type contender struct {
	name  string
	event string // which holds the nights if the call wins
	setup func(t *testing.T, h *home)
	call  racing.Call
}

var wanted = nights("2025-01-10", "2025-01-13")

func contenders() []contender {
	none := func(*testing.T, *home) {}
	return []contender{
		{"book", "BOOKING#bk_1", none, func(ctx context.Context, db *dynastay.DB) error {
			_, err := listing.New(db).Book(ctx, booking("bk_1", wanted))
			return err
		}},
		{"book another", "BOOKING#bk_2", none, func(ctx context.Context, db *dynastay.DB) error {
			_, err := listing.New(db).Book(ctx, booking("bk_2", nights("2025-01-11", "2025-01-15")))
			return err
		}},
		{"block", "BLOCK#b", none, func(ctx context.Context, db *dynastay.DB) error {
			_, err := listing.New(db).Block(ctx, block("b", nights("2025-01-08", "2025-01-12")))
			return err
		}},
		{"import", "BOOKING#bk_7", none, func(ctx context.Context, db *dynastay.DB) error {
			d := reservation("BC7", 1, wanted)
			d.BookingID = "bk_7"
			_, err := listing.New(db).Import(ctx, d)
			return err
		}},
		{"modify", "BOOKING#bk_8", func(t *testing.T, h *home) {
			_, err := listing.New(h.Direct).Book(t.Context(), booking("bk_8", nights("2025-01-20", "2025-01-22")))
			require.NoError(t, err)
		}, func(ctx context.Context, db *dynastay.DB) error {
			_, err := listing.New(db).Modify(ctx, lst, "BOOKING#bk_8", nights("2025-01-09", "2025-01-21"))
			return err
		}},
		{"import of other dates", "BOOKING#bk_9", func(t *testing.T, h *home) {
			d := reservation("BC9", 1, nights("2025-02-20", "2025-02-22"))
			d.BookingID = "bk_9"
			_, err := listing.New(h.Direct).Import(t.Context(), d)
			require.NoError(t, err)
		}, func(ctx context.Context, db *dynastay.DB) error {
			_, err := listing.New(db).Import(ctx, reservation("BC9", 2, nights("2025-01-10", "2025-01-12")))
			return err
		}},
	}
}

// won checks that exactly one of two calls has its nights, and that the other one was told which event holds which. If
// the response to the first one was lost, it may not know.
func (h *home) won(t *testing.T, at string, a, b contender, first, second error) {
	t.Helper()
	held := h.held(t)
	winner, loser, won, lost := a, b, first, second
	if held["2025-01-11"] == b.event {
		winner, loser, won, lost = b, a, second, first
	}
	require.Equal(t, winner.event, held["2025-01-11"], at)
	for date, event := range held {
		if event == loser.event {
			assert.NotContains(t, []string{"2025-01-10", "2025-01-11", "2025-01-12"}, date, "%s: %s", at, loser.name)
		}
	}
	if !errors.Is(won, dynastay.ErrOutcomeUnknown) {
		require.NoError(t, won, "%s: %s", at, winner.name)
	}
	if loser.name == a.name && errors.Is(lost, dynastay.ErrOutcomeUnknown) {
		return
	}
	taken := blame.As[*listing.Taken](t, lost, "%s: %s", at, loser.name)
	require.NotEmpty(t, taken.Nights, at)
	for _, night := range taken.Nights {
		assert.Equal(t, winner.event, night.EventID, at)
		assert.Equal(t, winner.event, held[night.Date.String()], at)
	}
}

// Of two calls that want a night, exactly one gets it, in whatever way they meet: a booking, a block, an import, a
// change of dates by the guest or by the channel.
func TestRaces(t *testing.T) {
	t.Parallel()
	all := contenders()
	for i, a := range all {
		for j, b := range all {
			if i == j {
				continue
			}
			t.Run(a.name+" against "+b.name, func(t *testing.T) {
				t.Parallel()
				for _, way := range racing.Ways {
					h := newHome(t)
					a.setup(t, h)
					b.setup(t, h)
					first, second := way.Meet(t, h.DB, a.call, b.call)
					if !way.Unknown {
						require.NotErrorIs(t, first, dynastay.ErrOutcomeUnknown, way.Name)
					}
					require.NotErrorIs(t, second, dynastay.ErrOutcomeUnknown, way.Name)
					h.won(t, way.Name, a, b, first, second)
				}
				h := newHome(t)
				a.setup(t, h)
				b.setup(t, h)
				h.Faults.Conflicts(time.Millisecond)
				errs := racing.AtOnce(t, h.DB, a.call, b.call)
				for _, err := range errs {
					require.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
				}
				h.won(t, "at once", a, b, errs[0], errs[1])
			})
		}
	}
}

// 64 callers want three of nine nights each, through as many processes: the nights of those who win do not overlap, and
// every loser is told who holds the nights.
func TestManyCallers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	var calls []racing.Call
	for n := range 64 {
		from := wanted.CheckIn.AddDays(n % 7)
		stay := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(3)}
		calls = append(calls, func(ctx context.Context, db *dynastay.DB) error {
			repo := listing.New(db)
			switch n % 3 {
			case 0:
				_, err := repo.Block(ctx, block(fmt.Sprint(n), stay))
				return err
			case 1:
				_, err := repo.Import(ctx, reservation(fmt.Sprint(n), 1, stay))
				return err
			}
			_, err := repo.Book(ctx, booking(fmt.Sprint("bk_", n), stay))
			return err
		})
	}
	won := 0
	for _, err := range racing.AtOnce(t, h.DB, calls...) {
		var taken *listing.Taken
		if err == nil {
			won++
		} else if assert.ErrorAs(t, err, &taken) {
			assert.NotEmpty(t, taken.Nights[0].EventID)
		}
	}
	assert.Len(t, h.held(t), 3*won)
	assert.GreaterOrEqual(t, won, 2)
}

// In one process, callers for the same nights share a refusal: all but the first few learn it without a request.
func TestRefusalsAreShared(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(5 * time.Millisecond)
	var won, lost atomic.Int32
	stop := h.Faults.Record()
	racing.Together(64, func(n int) {
		_, err := h.repo.Book(t.Context(), booking(fmt.Sprint("bk_", n), wanted))
		var taken *listing.Taken
		if err == nil {
			won.Add(1)
		} else if assert.ErrorAs(t, err, &taken) {
			lost.Add(1)
		}
	})
	assert.Equal(t, []int32{1, 63}, []int32{won.Load(), lost.Load()})
	assert.Less(t, len(stop()), 16)
}

// The deliveries of one reservation, at once and in any order: the newest is what holds in the end.
func TestDeliveriesAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	var calls []racing.Call
	for n := range 24 {
		revision := n%12 + 1
		stay := dynastay.Stay{CheckIn: wanted.CheckIn.AddDays(revision), CheckOut: wanted.CheckIn.AddDays(revision + 3)}
		calls = append(calls, func(ctx context.Context, db *dynastay.DB) error {
			d := reservation("BC1", revision, stay)
			if revision == 5 {
				d = cancelled(d)
			}
			_, err := listing.New(db).Import(ctx, d)
			return err
		})
	}
	for _, err := range racing.AtOnce(t, h.DB, calls...) {
		assert.NoError(t, err)
	}
	runs := h.runs(t)
	require.Len(t, runs, 1)
	assert.Contains(t, runs[0], "2025-01-22 to 2025-01-24 BOOKING#bk_")
}

// Several callers delete one event: one of them did. A change that meets a deletion is made before it, or not at all.
func TestDeletesAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	_, err := h.repo.Book(t.Context(), booking("bk_1", wanted))
	require.NoError(t, err)
	remove := func(ctx context.Context, db *dynastay.DB) error {
		return listing.New(db).Delete(ctx, lst, "BOOKING#bk_1")
	}
	done := 0
	for _, err := range racing.AtOnce(t, h.DB, remove, remove, remove, func(ctx context.Context, db *dynastay.DB) error {
		if _, err := listing.New(db).Modify(ctx, lst, "BOOKING#bk_1", nights("2025-01-11", "2025-01-17")); !errors.Is(err, dynastay.ErrNotFound) {
			assert.NoError(t, err)
		}
		return dynastay.ErrNotFound
	}) {
		if err == nil {
			done++
		} else {
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
		}
	}
	assert.Equal(t, 1, done)
	assert.Empty(t, h.held(t))
}
