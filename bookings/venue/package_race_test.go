package venue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// contender is a call that wants a slot of a booking's day.
type contender struct {
	name  string
	slot  venue.Slot
	reads int // before it writes
	call  func(b *venue.Booking) racing.Call
}

func contenders() (all []contender) {
	for _, slot := range []venue.Slot{venue.Morning, venue.FullDay} {
		all = append(all, contender{"approve " + string(slot), slot, 1, func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).Approve(ctx, admin, approval(b)))
			}
		}}, contender{"event " + string(slot), slot, 0, func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).CreateEvent(ctx, admin, venue.Event{
					Date: b.Date, Slot: slot, Type: "concert", Title: "Jazz",
				}))
			}
		}})
	}
	return all
}

// Of two calls that want overlapping slots, exactly one gets its slot, in whatever way they meet, and the other one is
// told which event holds it. The booking of a losing approval stays pending.
func TestRaces(t *testing.T) {
	t.Parallel()
	for i, a := range contenders() {
		for j, b := range contenders() {
			if i == j {
				continue
			}
			t.Run(a.name+" against "+b.name, func(t *testing.T) {
				t.Parallel()
				h := newHall(t)
				h.join(t, ann, ben)
				for n, way := range racing.Ways {
					if way.Name == "before the read" && a.reads == 0 {
						continue
					}
					date := day.AddDays(n)
					mine, other := h.asked(t, ann, date, a.slot), h.asked(t, ben, date, b.slot)
					first, second := way.Meet(t, h.DB, a.call(mine), b.call(other))
					events, err := h.repo.EventsOn(t.Context(), date, dynastay.Consistent)
					require.NoError(t, err, way.Name)
					require.Len(t, events, 1, way.Name)
					won := 0
					for _, err := range []error{first, second} {
						if err == nil {
							won++
							continue
						}
						if way.Unknown && errors.Is(err, dynastay.ErrOutcomeUnknown) {
							continue // the event may have been written, and deleted since
						}
						taken := blame.As[*venue.SlotTaken](t, err, way.Name)
						require.Len(t, taken.Events, 1, way.Name)
						assert.Equal(t, events[0], taken.Events[0], way.Name)
					}
					assert.Equal(t, 1, won, "%s: %v, %v", way.Name, first, second)
				}
				h.consistency(t)
			})
		}
	}
}

// bookingCall is what a race does with one booking.
type bookingCall struct {
	name string
	call func(b *venue.Booking) racing.Call
}

func bookingCalls() []bookingCall {
	return []bookingCall{
		{"approve", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				_, err := venue.New(db, nil).Approve(ctx, admin, approval(b))
				return err
			}
		}},
		{"reject", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				_, err := venue.New(db, nil).Reject(ctx, admin, venue.Rejection{BookingID: b.ID, Version: b.Version})
				return err
			}
		}},
		{"cancel", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				_, err := venue.New(db, nil).Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version})
				return err
			}
		}},
		{"update", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				_, err := venue.New(db, nil).Update(ctx, ann, b.ID, func(b *venue.Booking) error {
					b.Slot, b.Description = venue.FullDay, "Wedding"
					return nil
				}, dynastay.IfVersion(b.Version))
				return err
			}
		}},
	}
}

// Of two changes of one booking that were decided from the same version, exactly one is written. The other one is told
// the status, or that the version is another one.
func TestRacesOfOneBooking(t *testing.T) {
	t.Parallel()
	for _, a := range bookingCalls() {
		for _, b := range bookingCalls() {
			t.Run(a.name+" against "+b.name, func(t *testing.T) {
				t.Parallel()
				h := newHall(t)
				h.join(t, ann)
				for n, way := range racing.Ways {
					booking := h.asked(t, ann, day.AddDays(n), venue.Morning)
					first, second := way.Meet(t, h.DB, a.call(booking), b.call(booking))
					won := 0
					for _, err := range []error{first, second} {
						var status *venue.StatusError
						switch {
						case err == nil:
							won++
						case errors.As(err, &status):
							assert.NotEqual(t, venue.Pending, status.Status, way.Name)
						default:
							require.ErrorIs(t, err, dynastay.ErrVersion, way.Name)
						}
					}
					assert.Equal(t, 1, won, "%s: %v, %v", way.Name, first, second)
					now, err := h.repo.Booking(t.Context(), booking.ID)
					require.NoError(t, err)
					assert.Equal(t, 2, now.Version, way.Name)
				}
				h.consistency(t)
			})
		}
	}
}

// A cancellation, a new lock code and a new title meet in every way. Whatever is refused is refused because the event
// has gone, and no code outlives its event.
func TestRacesOfOneEvent(t *testing.T) {
	t.Parallel()
	calls := []bookingCall{
		{"cancel", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version}))
			}
		}},
		{"code", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).SetLockCode(ctx, admin, venue.LockCode{
					EventID: b.EventID, Date: b.Date, Slot: b.Slot, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Hour),
				}))
			}
		}},
		{"title", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				at := venue.EventRef{Date: b.Date, Slot: b.Slot, ID: b.EventID}
				return second(venue.New(db, nil).UpdateEvent(ctx, admin, at, func(e *venue.Event) error { e.Title = "Jazz"; return nil }))
			}
		}},
	}
	for _, a := range calls {
		for _, b := range calls {
			if a.name == b.name {
				continue
			}
			t.Run(a.name+" against "+b.name, func(t *testing.T) {
				t.Parallel()
				h := newHall(t)
				h.join(t, ann)
				for n, way := range racing.Ways {
					if way.Name == "before the read" && a.name == "code" {
						continue // it reads nothing
					}
					booking := h.approved(t, ann, day.AddDays(n), venue.Morning)
					first, second := way.Meet(t, h.DB, a.call(booking), b.call(booking))
					for i, err := range []error{first, second} {
						switch name := []string{a.name, b.name}[i]; {
						case name == "cancel":
							assert.NoError(t, err, way.Name)
						case err == nil || way.Unknown && errors.Is(err, dynastay.ErrOutcomeUnknown):
						default:
							assert.ErrorIs(t, err, dynastay.ErrNotFound, "%s: %s", way.Name, name)
						}
					}
				}
				h.consistency(t)
			})
		}
	}
}

// 64 administrators in four processes approve requests for mornings, afternoons and full days of one month. No slot is
// taken twice, every losing approval says that the slot is taken, and by what, and its booking stays pending.
func TestManyAdministrators(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	h := newHall(t)
	const callers, days, users = 64, 30, 8
	for u := range users {
		h.join(t, customer(u))
	}
	slots := []venue.Slot{venue.Morning, venue.Afternoon, venue.FullDay}
	var requests []*venue.Booking
	for i := range 3 * callers {
		requests = append(requests, h.asked(t, customer(i%users), day.AddDays(random.IntN(days)), slots[random.IntN(len(slots))]))
	}
	h.Faults.Conflicts(0)
	var processes []*venue.Repository
	for range 4 {
		processes = append(processes, venue.New(h.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 200}}), nil))
	}
	refused := make([]*venue.SlotTaken, len(requests))
	racing.Together(callers, func(n int) {
		for i := n; i < len(requests); i += callers {
			_, err := processes[n%len(processes)].Approve(t.Context(), admin, approval(requests[i]))
			if err != nil && !errors.As(err, &refused[i]) {
				assert.NoError(t, err)
			}
		}
	})
	h.consistency(t)
	approved := 0
	for i, asked := range requests {
		b, err := h.repo.Booking(t.Context(), asked.ID, dynastay.Consistent)
		require.NoError(t, err)
		if refused[i] == nil {
			approved++
			assert.Equal(t, venue.Approved, b.Status)
			continue
		}
		assert.Equal(t, asked, b, "a losing approval changes nothing")
		require.NotEmpty(t, refused[i].Events)
		for _, e := range refused[i].Events {
			assert.Equal(t, asked.Date, e.Date)
			assert.True(t, e.Slot.Overlaps(asked.Slot), "%s does not prevent %s", e.Slot, asked.Slot)
			holder, err := h.repo.Booking(t.Context(), e.BookingID)
			require.NoError(t, err)
			assert.Equal(t, venue.Approved, holder.Status)
			assert.Equal(t, e.ID, holder.EventID)
		}
	}
	assert.NotZero(t, approved)
	assert.Less(t, approved, len(requests), "all requests fit: the test shows nothing")
	t.Logf("%d of %d requests approved", approved, len(requests))
}

func customer(n int) venue.Actor {
	return venue.Actor{UserID: fmt.Sprintf("user_%d", n), Role: venue.Customer}
}

// A recount at the same time as requests, approvals and cancellations never makes the statistics wrong.
func TestRecountDuringChanges(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	patient := func() *venue.Repository {
		return venue.New(h.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 500}}), nil)
	}
	const rounds = 6
	racing.Together(6, func(n int) {
		repo := patient()
		for round := range rounds {
			if n == 0 {
				_, err := repo.Recount(t.Context(), ann.UserID)
				assert.NoError(t, err)
				continue
			}
			b, err := repo.Request(t.Context(), ann, request(ann, day.AddDays(n*rounds+round), venue.Morning))
			if !assert.NoError(t, err) {
				return
			}
			b, err = repo.Approve(t.Context(), admin, approval(b))
			if assert.NoError(t, err) && round%2 == 0 {
				_, err = repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: b.ID, Version: b.Version})
				assert.NoError(t, err)
			}
		}
	})
	h.consistency(t)
}

// A recount is exact, although counts change between its reads and its write and come back to what they were.
func TestRecountIsNotMisled(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	direct := venue.New(h.Direct, nil)
	step := 0
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		switch step++; step {
		case 2: // between the read of the user and that of the bookings
			approved, err := direct.Approve(ctx, admin, approval(b))
			assert.NoError(t, err)
			b = approved
		case 3: // before the write
			cancelled, err := direct.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version})
			assert.NoError(t, err)
			b = cancelled
		}
	}), dyntest.When{Match: func(dyntest.Request) bool { return true }})
	_, err := h.repo.Recount(t.Context(), ann.UserID)
	require.NoError(t, err)
	h.consistency(t)
}
