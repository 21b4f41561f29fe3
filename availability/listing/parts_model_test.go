package listing_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// fate is a model of one event, and of what is recorded of its reservation.
type fate struct {
	stay      dynastay.Stay // that the event holds; noNights if there is none
	revision  int           // that was imported last; 0 if none was
	imported  dynastay.Stay // with that revision
	cancelled bool
	deleted   bool
}

func (f fate) holds() bool { return f.revision > 0 && !f.cancelled && !f.deleted }

// next is a call that comes after a change that was broken off.
type next struct {
	name string
	call func(ctx context.Context, r *listing.Repository, nth int) (listing.Outcome, error)
	to   func(fate) (string, fate)
}

// away is far from the dates of all long changes, and beside a night that another event holds.
var away, beside = nights("2026-06-01", "2026-06-04"), nights("2026-06-04", "2026-06-05")

// deliver delivers a revision; noNights means that it is a cancellation.
func deliver(revision int, stay dynastay.Stay) next {
	return next{fmt.Sprintf("revision %d of %q", revision, stay), func(ctx context.Context, r *listing.Repository, nth int) (listing.Outcome, error) {
		d := delivered(nth, revision, stay)
		if stay == noNights {
			d = cancelled(d)
		}
		got, err := r.Import(ctx, d)
		return got.Outcome, err
	}, func(f fate) (string, fate) {
		gone := stay == noNights
		same := gone && f.cancelled || !gone && f.holds() && f.imported == stay
		after := fate{stay: stay, revision: revision, imported: stay, cancelled: gone}
		switch {
		case revision < f.revision || revision == f.revision && f.cancelled && !gone:
			return "outdated", f
		case revision == f.revision && gone == f.cancelled && (gone || stay == f.imported):
			return "repeated", f
		case revision == f.revision && !gone:
			return "revision", f
		case stay.Overlaps(beside) && !same:
			return "taken", f
		case same && f.stay == stay:
			return "unchanged", after
		case gone:
			return "cancelled", after
		case f.holds():
			return "changed", after
		}
		return "created", after
	}}
}

// remove deletes the event of a long change.
func (l long) removal() next {
	return next{"Delete", func(ctx context.Context, r *listing.Repository, nth int) (listing.Outcome, error) {
		return "", r.Delete(ctx, lst, l.eventID(nth))
	}, func(f fate) (string, fate) {
		if f.stay == noNights {
			return "not found", f
		}
		f.deleted, f.stay = f.holds(), noNights
		return "done", f
	}}
}

// move modifies the event of a long change.
func (l long) move(to dynastay.Stay) next {
	return next{"Modify to " + to.String(), func(ctx context.Context, r *listing.Repository, nth int) (listing.Outcome, error) {
		_, err := r.Modify(ctx, lst, l.eventID(nth), to)
		return "", err
	}, func(f fate) (string, fate) {
		switch {
		case f.stay == noNights:
			return "not found", f
		case l.external:
			return "imported", f
		case to.Overlaps(beside):
			return "taken", f
		}
		return "done", fate{stay: to}
	}}
}

// place creates the event of a long change once more.
func (l long) place(stay dynastay.Stay) next {
	return next{"Book for " + stay.String(), func(ctx context.Context, r *listing.Repository, nth int) (listing.Outcome, error) {
		if l.block {
			_, err := r.Block(ctx, block(fmt.Sprint("e", nth), stay))
			return "", err
		}
		_, err := r.Book(ctx, booking(fmt.Sprint("e", nth), stay))
		return "", err
	}, func(f fate) (string, fate) {
		switch {
		case f.stay != noNights:
			return "exists", f
		case stay.Overlaps(beside):
			return "taken", f
		}
		f.stay = stay
		return "done", f
	}}
}

// nexts returns all calls that can come next.
func (l long) nexts() []next {
	all := []next{l.removal(), l.move(away), l.move(overlaps), l.move(nights("2026-06-02", "2026-06-05"))}
	if !l.external {
		return append(all, l.place(away), l.place(spring))
	}
	for _, stay := range []dynastay.Stay{noNights, l.from, l.to, overlaps, away, nights("2026-06-02", "2026-06-05")} {
		all = append(all, deliver(1, stay), deliver(2, stay), deliver(3, stay))
	}
	return all
}

// ends returns what may be the case after a change was broken off and its event was settled.
func (l long) ends() []fate {
	before, after := fate{stay: l.from}, fate{stay: l.to}
	if !l.external {
		return []fate{before, after}
	}
	if l.from != noNights {
		before.revision, before.imported = 1, l.from
	}
	deleted := before
	deleted.stay, deleted.deleted = noNights, before.holds()
	if l.deletes {
		return []fate{before, deleted}
	}
	after.revision, after.imported, after.cancelled = 2, l.to, l.to == noNights
	unrecorded := before // it has its new nights, but the revision was not recorded
	unrecorded.stay = l.to
	if l.to == noNights {
		unrecorded = deleted
	}
	return []fate{before, after, unrecorded}
}

// fate reads what is stored of an event and its reservation, and checks that they agree. moving reports whether the
// event is not complete.
func (h *home) fate(t *testing.T, l long, nth int, at string) (f fate, moving bool) {
	t.Helper()
	held := h.stays(t)[l.eventID(nth)]
	e, err := h.other().Get(t.Context(), lst, l.eventID(nth), dynastay.Consistent)
	if err == nil {
		f.stay, moving = e.Stay, e.Moving
	} else {
		require.ErrorIs(t, err, dynastay.ErrNotFound, at)
	}
	if !moving {
		require.Equal(t, dates(f.stay), held, at)
	}
	row, err := h.Direct.Get(t.Context(), listingkeys.Table, dynastay.Key{
		PK: "LISTING_AVAILABILITY#" + lst, SK: fmt.Sprintf("IMPORT#%s#BC%d", listing.BookingCom, nth),
	}, dynastay.Consistent)
	require.NoError(t, err, at)
	_ = f.imported.CheckIn.UnmarshalText([]byte(row.Text("checkIn")))
	_ = f.imported.CheckOut.UnmarshalText([]byte(row.Text("checkOut")))
	is := func(name string) bool { return row.Value(name).Kind() == dynastay.KindBool }
	f.revision, f.cancelled, f.deleted = row.Int("revision"), is("cancelled"), is("deleted")
	if row.Exists() && !is("pending") {
		require.False(t, moving, "%s: the record does not say that the event is moving", at)
		require.Equal(t, f.holds(), f.stay != noNights, at)
		if f.holds() {
			require.Equal(t, f.imported, f.stay, at)
		}
	}
	return f, moving
}

// check makes a call, and compares what it says and leaves with what a model expects of any of several beginnings.
func (n next) check(t *testing.T, h *home, l long, nth int, from []fate, at string) fate {
	t.Helper()
	outcome, err := n.call(t.Context(), h.other(), nth)
	got := outcomeOf(outcome, err)
	if revision := (*listing.RevisionError)(nil); errors.As(err, &revision) {
		got = "revision"
	}
	at += ", then " + n.name
	f, moving := h.fate(t, l, nth, at)
	if moving { // the call was refused before it has read the event
		require.Contains(t, []string{"exists", "taken", "imported"}, got, at)
		return f
	}
	var want []string
	for _, begin := range from {
		outcome, end := n.to(begin)
		want = append(want, fmt.Sprint(outcome, " ", end))
	}
	require.Contains(t, want, fmt.Sprint(got, " ", f), at)
	return f
}

// A long change is broken off, and any call comes next: it finds the event as it was before the change or as it is
// after it, and leaves nothing of the other. What is recorded of a reservation never says that nights are held which
// are not, so its next revision always takes its nights.
func TestEveryCallAfterADeath(t *testing.T) {
	t.Parallel()
	deletion := long{name: "Delete of an imported reservation", from: spring, external: true, deletes: true, call: func(ctx context.Context, r *listing.Repository, nth int) error {
		return r.Delete(ctx, lst, fmt.Sprint("BOOKING#e", nth))
	}}
	for _, l := range append(some(longs), deletion) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			h, event := newStreet(t), 0
			_, err := h.repo.Block(t.Context(), block("n2", beside))
			require.NoError(t, err)
			l.start(t, h, event)
			stop := h.Faults.Record()
			require.NoError(t, l.call(t.Context(), listing.New(h.Open(once)), event))
			requests := len(stop())
			l.clear(t, h, event)
			breakOff(t, requests, func(nth int, fault dyntest.Fault, name string) {
				for _, n := range l.nexts() {
					at := fmt.Sprintf("broken off at the %s of request %d of %d", name, nth, requests)
					event++
					l.start(t, h, event)
					l.broken(t, h, event, nth, fault, at)
					h.fate(t, l, event, at)
					n.check(t, h, l, event, l.ends(), at)
					if l.external {
						f, _ := h.fate(t, l, event, at)
						last := deliver(9, spring)
						f = last.check(t, h, l, event, append(l.ends(), f), at)
						require.Equal(t, spring, f.stay, at)
						f = l.removal().check(t, h, l, event, []fate{f}, at)
						last.check(t, h, l, event, []fate{f}, at)
					}
					l.clear(t, h, event)
				}
			})
		})
	}
}

// clear deletes the event if it is there; nothing remains of it.
func (l long) clear(t *testing.T, h *home, event int) {
	t.Helper()
	require.NoError(t, h.other().Delete(t.Context(), lst, l.eventID(event), dynastay.OrMissing()))
	assert.Empty(t, h.wrong(t))
	require.Len(t, h.stays(t), 1) // that of beside
}
