package listing_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

var breaks = flag.Int("breaks", 0, "how many of the requests of a long change to break off; -1 for all; 0 for one, in one way")

// once makes a DB send each request only once.
var once = &dynastay.Options{Retry: dynastay.Retry{Attempts: 1}, Settle: time.Millisecond}

// The dates of the long changes. Each takes several transactions.
var (
	spring     = nights("2025-02-01", "2025-09-10") // 221 nights
	overlaps   = nights("2025-06-01", "2025-12-20") // 202, of which 101 are those of spring
	disjoint   = nights("2025-10-01", "2026-05-01") // 212
	noNights   dynastay.Stay
	neighbours = []dynastay.Stay{nights("2025-01-31", "2025-02-01"), nights("2026-05-01", "2026-05-02")}
)

// long is a change of an event that takes several transactions.
type long struct {
	name     string
	from, to dynastay.Stay
	block    bool
	external bool
	deletes  bool // it deletes an imported reservation
	// call makes the change of the nth event.
	call func(ctx context.Context, r *listing.Repository, nth int) error
}

func (l long) eventID(nth int) string {
	if l.block {
		return fmt.Sprintf("BLOCK#e%d", nth)
	}
	return fmt.Sprintf("BOOKING#e%d", nth)
}

// delivered is a reservation that chooses the id of its booking.
func delivered(nth, revision int, stay dynastay.Stay) listing.Reservation {
	d := reservation(fmt.Sprint("BC", nth), revision, stay)
	d.BookingID = fmt.Sprint("e", nth)
	return d
}

// start stores what the event is before the change.
func (l long) start(t *testing.T, h *home, nth int) {
	t.Helper()
	var err error
	repo := listing.New(h.Direct)
	switch {
	case l.from == noNights:
	case l.external:
		_, err = repo.Import(t.Context(), delivered(nth, 1, l.from))
	case l.block:
		_, err = repo.Block(t.Context(), block(fmt.Sprint("e", nth), l.from))
	default:
		_, err = repo.Book(t.Context(), booking(fmt.Sprint("e", nth), l.from))
	}
	require.NoError(t, err)
}

func modifyTo(id string, to dynastay.Stay) func(context.Context, *listing.Repository, int) error {
	return func(ctx context.Context, r *listing.Repository, nth int) error {
		_, err := r.Modify(ctx, lst, fmt.Sprint(id, nth), to)
		return err
	}
}

func importAt(to dynastay.Stay) func(context.Context, *listing.Repository, int) error {
	return func(ctx context.Context, r *listing.Repository, nth int) error {
		d := delivered(nth, 2, to)
		if to == noNights {
			d = cancelled(d)
		}
		_, err := r.Import(ctx, d)
		return err
	}
}

var longs = []long{
	{name: "Book", to: spring, call: func(ctx context.Context, r *listing.Repository, nth int) error {
		_, err := r.Book(ctx, booking(fmt.Sprint("e", nth), spring))
		return err
	}},
	{name: "Block", to: spring, block: true, call: func(ctx context.Context, r *listing.Repository, nth int) error {
		_, err := r.Block(ctx, block(fmt.Sprint("e", nth), spring))
		return err
	}},
	{name: "Modify to other dates", from: spring, to: disjoint, call: modifyTo("BOOKING#e", disjoint)},
	{name: "Modify to dates that overlap", from: spring, to: overlaps, block: true, call: modifyTo("BLOCK#e", overlaps)},
	{name: "Delete", from: spring, call: func(ctx context.Context, r *listing.Repository, nth int) error {
		return r.Delete(ctx, lst, fmt.Sprint("BOOKING#e", nth))
	}},
	{name: "Import", to: spring, external: true, call: importAt(spring)},
	{name: "Import with other dates", from: spring, to: disjoint, external: true, call: importAt(disjoint)},
	{name: "Import of a cancellation", from: spring, external: true, call: importAt(noNights)},
}

// newStreet is a home with neighbours that no change may touch.
func newStreet(t *testing.T) *home {
	h := newHome(t, dyntest.OnlyTables(listingkeys.Table))
	for i, stay := range neighbours {
		_, err := h.repo.Block(t.Context(), block(fmt.Sprint("n", i), stay))
		require.NoError(t, err)
	}
	return h
}

// stays returns the events without the neighbours and what they hold, complete or not.
func (h *home) stays(t *testing.T) map[string][]dynastay.Date {
	t.Helper()
	a, err := listing.New(h.Direct).Check(t.Context(), lst, year, dynastay.Consistent)
	require.NoError(t, err)
	of := map[string][]dynastay.Date{}
	for _, n := range a.Taken {
		of[n.EventID] = append(of[n.EventID], n.Date)
	}
	for i := range neighbours {
		id := fmt.Sprint("BLOCK#n", i)
		assert.Len(t, of[id], 1)
		delete(of, id)
	}
	return of
}

func dates(stay dynastay.Stay) []dynastay.Date {
	if stay == noNights {
		return nil
	}
	return slices.Collect(stay.Dates())
}

func containsAll(held []dynastay.Date, stay dynastay.Stay) bool {
	return !slices.ContainsFunc(dates(stay), func(d dynastay.Date) bool { return !slices.Contains(held, d) })
}

// assertHolds checks that one event holds exactly these nights, and that nothing else is held.
func (h *home) assertHolds(t *testing.T, id string, stay dynastay.Stay, at string) {
	t.Helper()
	h.held(t)
	of := h.stays(t)
	assert.Equal(t, dates(stay), of[id], at)
	delete(of, id)
	assert.Empty(t, of, at)
	require.False(t, t.Failed(), at)
}

// some returns the changes that are tested by default: one of each kind takes long enough on a slow engine.
func some(all []long) []long {
	if *breaks != 0 {
		return all
	}
	booked := slices.IndexFunc(all, func(l long) bool { return !l.external && l.to != noNights })
	imported := slices.IndexFunc(all, func(l long) bool { return l.external && l.to != noNights })
	return []long{all[booked], all[imported]}
}

// breakOff breaks a change off before or after some of its requests.
func breakOff(t *testing.T, requests int, broken func(nth int, fault dyntest.Fault, name string)) {
	t.Helper()
	require.Positive(t, requests)
	if *breaks == 0 {
		broken(requests/2+1, dyntest.LoseAnswer(), "response")
		return
	}
	step := 1
	if *breaks > 0 {
		step = max(1, requests/(*breaks))
	}
	for nth := step; nth <= requests; nth += step {
		broken(nth, dyntest.LoseRequest(), "request")
		broken(nth, dyntest.LoseAnswer(), "response")
	}
}

// broken makes a change fail at its nth request, and checks that what is left is between the dates before and after.
func (l long) broken(t *testing.T, h *home, event, nth int, fault dyntest.Fault, at string) {
	t.Helper()
	fails := h.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 1000, Optional: true})
	err := l.call(t.Context(), listing.New(h.Open(once)), event)
	fails.Stop()
	require.Error(t, err, at)
	held := h.stays(t)[l.eventID(event)]
	whole := containsAll(held, l.from) || containsAll(held, l.to)
	assert.True(t, whole, "%s: neither all nights before nor all nights after: %v", at, held)
	for _, date := range held {
		assert.True(t, slices.Contains(dates(l.from), date) || slices.Contains(dates(l.to), date), "%s: %s", at, date)
	}
}

// requests counts the requests of a change that nothing breaks off.
func (l long) requests(t *testing.T, h *home, event int) int {
	t.Helper()
	l.start(t, h, event)
	stop := h.Faults.Record()
	require.NoError(t, l.call(t.Context(), listing.New(h.Open(once)), event))
	n := len(stop())
	h.assertHolds(t, l.eventID(event), l.to, "at once")
	return n
}

// remove deletes the event if it is there.
func (l long) remove(t *testing.T, h *home, event int, at string) {
	t.Helper()
	require.NoError(t, listing.New(h.Direct).Delete(t.Context(), lst, l.eventID(event), dynastay.OrMissing()), at)
	h.assertHolds(t, "", noNights, at)
}

// A long change is broken off before or after a request, and another process repeats it, or deletes the event: with the
// flag -breaks=-1, at every request.
func TestLongChangesAreResumable(t *testing.T) {
	t.Parallel()
	for _, l := range some(longs) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			h, event := newStreet(t), 0
			requests := l.requests(t, h, event)
			require.Greater(t, requests, 3)
			l.remove(t, h, event, "at once")
			breakOff(t, requests, func(nth int, fault dyntest.Fault, name string) {
				at := fmt.Sprintf("broken off at the %s of request %d", name, nth)
				event++
				l.start(t, h, event)
				l.broken(t, h, event, nth, fault, at)
				err := l.call(t.Context(), listing.New(h.Direct), event)
				if complete := errors.Is(err, dynastay.ErrAlreadyExists) || errors.Is(err, dynastay.ErrNotFound); complete {
					assert.Equal(t, fmt.Sprint(requests, " response"), fmt.Sprint(nth, " ", name), "only the last response was lost")
				} else {
					require.NoError(t, err, at)
				}
				h.assertHolds(t, l.eventID(event), l.to, at)
				l.remove(t, h, event, at)

				event++
				l.start(t, h, event)
				l.broken(t, h, event, nth, fault, at)
				l.remove(t, h, event, at+", and deleted")
			})
		})
	}
}

// An import is broken off, and what comes next is not the same delivery, but a newer revision. Nothing of the one that
// was broken off remains.
func TestNewerRevisionAfterABreak(t *testing.T) {
	t.Parallel()
	for _, l := range some(longs) {
		if !l.external {
			continue
		}
		for name, to := range map[string]dynastay.Stay{
			"cancelled": noNights, "elsewhere": nights("2025-11-01", "2025-11-04"), "as before": l.from, "the same": l.to,
		} {
			for drawn, id := range map[string]string{"drawn id": "", "given id": "e"} {
				t.Run(fmt.Sprintf("%s, then %s, %s", l.name, name, drawn), func(t *testing.T) {
					t.Parallel()
					h, event := newStreet(t), 0
					give := func(d listing.Reservation, of int) listing.Reservation {
						d.BookingID = ""
						if id != "" {
							d.BookingID = fmt.Sprint(id, of)
						}
						if d.Stay == noNights {
							d.Cancelled = true
						}
						return d
					}
					import2 := func(ctx context.Context, r *listing.Repository, nth int) error {
						_, err := r.Import(ctx, give(delivered(nth, 2, l.to), nth))
						return err
					}
					l := l
					l.call = import2
					l.start(t, h, event)
					stop := h.Faults.Record()
					require.NoError(t, import2(t.Context(), listing.New(h.Open(once)), event))
					requests := len(stop())
					_, err := h.repo.Import(t.Context(), cancelled(delivered(event, 9, noNights)))
					if id == "" && l.from == noNights { // its booking has the id that was drawn
						_, err = h.repo.Import(t.Context(), cancelled(reservation(fmt.Sprint("BC", event), 9, noNights)))
					}
					require.NoError(t, err)
					breakOff(t, requests, func(nth int, fault dyntest.Fault, lost string) {
						at := fmt.Sprintf("broken off at the %s of request %d", lost, nth)
						event++
						l.start(t, h, event)
						fails := h.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 1000, Optional: true})
						err := l.call(t.Context(), listing.New(h.Open(once)), event)
						fails.Stop()
						require.Error(t, err, at)
						got, err := h.repo.Import(t.Context(), give(delivered(event, 3, to), event))
						require.NoError(t, err, at)
						h.assertHolds(t, got.EventID, to, at)
						again, err := h.repo.Import(t.Context(), give(delivered(event, 2, l.to), event))
						require.NoError(t, err, at)
						assert.Equal(t, listing.Outdated, again.Outcome, at)
						again, err = h.repo.Import(t.Context(), give(delivered(event, 3, to), event))
						require.NoError(t, err, at)
						assert.Equal(t, listing.Repeated, again.Outcome, at)
						_, err = h.repo.Import(t.Context(), cancelled(give(delivered(event, 4, noNights), event)))
						require.NoError(t, err, at)
						h.assertHolds(t, "", noNights, at)
					})
				})
			}
		}
	}
}

// Somebody else takes the last night before a write of a long change. What was taken is freed, and the event has its
// old nights.
func TestNightTakenDuringALongChange(t *testing.T) {
	t.Parallel()
	for _, l := range some(longs) {
		if l.to == noNights {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			h, event, refused := newStreet(t), 0, 0
			last := l.to.LastNight()
			for nth := 1; ; nth++ {
				at := fmt.Sprint("before write ", nth)
				event++
				l.start(t, h, event)
				guest := fmt.Sprint("guest", nth)
				var guestErr error
				met := h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
					_, guestErr = listing.New(h.Direct).Book(ctx, booking(guest, dynastay.Stay{CheckIn: last, CheckOut: last.AddDays(1)}))
				}), dyntest.When{Match: racing.Writes, Nth: nth, Optional: true})
				err := l.call(t.Context(), h.repo, event)
				met.Stop()
				if met.Hits() == 0 {
					require.NoError(t, err)
					break
				}
				var taken *listing.Taken
				if guestErr != nil {
					require.ErrorAs(t, guestErr, &taken, at)
					assert.Equal(t, l.eventID(event), taken.Nights[0].EventID, at)
					require.NoError(t, err, at)
					h.assertHolds(t, l.eventID(event), l.to, at)
				} else {
					refused++
					require.ErrorAs(t, err, &taken, at)
					require.Len(t, taken.Nights, 1, at)
					assert.Equal(t, "BOOKING#"+guest, taken.Nights[0].EventID, at)
					assert.Equal(t, last, taken.Nights[0].Date, at)
					require.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#"+guest), at)
					h.assertHolds(t, l.eventID(event), l.from, at)
					require.NoError(t, l.call(t.Context(), h.repo, event), at)
				}
				l.remove(t, h, event, at)
			}
			assert.Positive(t, refused)
		})
	}
}

// What was taken is being freed again, and that is broken off too. The same call, or a deletion, still sets it right.
func TestUndoIsResumable(t *testing.T) {
	t.Parallel()
	for _, l := range some(longs) {
		if l.to == noNights {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			h, event := newStreet(t), 0
			last := l.to.LastNight()
			// run makes the change with a guest in the last night, and breaks it off at the nth request, if that is not
			// 0.
			run := func(nth int, fault dyntest.Fault) (int, error) {
				event++
				l.start(t, h, event)
				met := h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
					_, err := listing.New(h.Direct).Book(ctx, booking("guest", dynastay.Stay{CheckIn: last, CheckOut: last.AddDays(1)}))
					assert.NoError(t, err)
				}), dyntest.When{Match: racing.Writes, Nth: 2})
				if nth > 0 {
					defer h.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 1000, Optional: true}).Stop()
				}
				stop := h.Faults.Record()
				err := l.call(t.Context(), listing.New(h.Open(once)), event)
				met.Stop()
				return len(stop()), err
			}
			guestLeaves := func(at string) {
				require.NoError(t, listing.New(h.Direct).Delete(t.Context(), lst, "BOOKING#guest", dynastay.OrMissing()), at)
			}
			requests, err := run(0, dyntest.LoseRequest())
			blame.As[*listing.Taken](t, err)
			guestLeaves("at once")
			l.remove(t, h, event, "at once")
			faults := map[string]dyntest.Fault{"request": dyntest.LoseRequest(), "response": dyntest.LoseAnswer()}
			of := 3 // requests of the undoing
			if *breaks == 0 {
				delete(faults, "request")
				of = 1
			}
			for nth := requests; nth > requests-of; nth-- {
				for name, fault := range faults {
					at := fmt.Sprintf("broken off at the %s of request %d", name, nth)
					_, err := run(nth, fault)
					require.Error(t, err, at)
					assert.True(t, containsAll(h.stays(t)[l.eventID(event)], l.from), at)
					guestLeaves(at)
					require.NoError(t, l.call(t.Context(), h.repo, event), at)
					h.assertHolds(t, l.eventID(event), l.to, at)
					l.remove(t, h, event, at)

					_, err = run(nth, fault)
					require.Error(t, err, at)
					guestLeaves(at)
					l.remove(t, h, event, at)
				}
			}
		})
	}
}
