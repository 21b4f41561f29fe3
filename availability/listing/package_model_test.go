package listing_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// The calendars of two listings are changed by two processes, while three channels deliver the histories of their
// reservations late, twice and out of order, through the faults of the network. Every result, and after every world
// every stored item, is what a model in memory expects.
func TestModel(t *testing.T) {
	t.Parallel()
	met := model.Compare(t, 50, 1, func(t *testing.T, met *model.Tally) func(*rapid.T) int {
		return func(rt *rapid.T) int {
			w := newWorld(t, rt, met)
			n := rapid.IntRange(40, 120).Draw(rt, "operations")
			for range n {
				w.step()
			}
			w.deliverAll()
			require.Equal(rt, w.now.String(), w.stored())
			return n
		}
	})
	met.Requires(t, 5_000,
		"Book: done", "Book: taken", "Book: exists", "Block: done", "Block: taken", "Modify: done", "Modify: taken",
		"Modify: not found", "Modify: imported", "Modify: version", "Delete: done", "Delete: not found",
		"Import: created", "Import: changed", "Import: cancelled", "Import: unchanged", "Import: repeated", "Import: outdated",
		"Import: taken", "Book with a message: done", "Book with a message: taken", "unknown",
	)
}

// world is a run of operations.
type world struct {
	*rapid.T
	home      *home
	processes []*dynastay.DB
	now       calendars // what is expected
	met       *model.Tally
	histories map[string][]listing.Reservation // what has happened at the channels, by listing, source and id
	drawn     int
}

func newWorld(t *testing.T, rt *rapid.T, met *model.Tally) *world {
	h := newHome(t, dyntest.Tables(messages.Schema))
	opts := &dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 8, Base: time.Millisecond, Cap: 2 * time.Millisecond}}
	return &world{
		T: rt, home: h, processes: []*dynastay.DB{h.Open(opts), h.Open(opts)}, now: newCalendars(), met: met,
		histories: map[string][]listing.Reservation{},
	}
}

func pick[V any](w *world, label string, values ...V) V {
	return values[rapid.IntRange(0, len(values)-1).Draw(w.T, label)]
}

func (w *world) listing() string { return pick(w, "listing", "lst_1", "lst_2") }

func (w *world) stay() dynastay.Stay {
	from := dynastay.MustDate("2025-03-01").AddDays(rapid.IntRange(0, 40).Draw(w.T, "from"))
	n := rapid.IntRange(1, 4).Draw(w.T, "nights")
	if rapid.IntRange(0, 15).Draw(w.T, "long") == 15 {
		n = 130
	}
	return dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(n)}
}

// operation is a call with what it does to the model.
type operation struct {
	name string
	call func(ctx context.Context, db *dynastay.DB) (listing.Outcome, error)
	to   func(calendars) (outcome string, taken []string) // changes the model
}

func (w *world) step() {
	w.home.Clock.Advance(time.Minute)
	at := w.listing()
	w.drawn++
	known := slices.Sorted(maps.Keys(w.now[at].events))
	event := pick(w, "event", append(known, "BOOKING#bk_0")...)
	stay := w.stay()
	switch rapid.IntRange(0, 15).Draw(w.T, "operation") {
	case 0, 1:
		id := pick(w, "id", fmt.Sprint("bk_", w.drawn), fmt.Sprint("bk_", w.drawn/2))
		w.do(w.book(at, id, stay))
	case 2:
		w.do(w.block(at, fmt.Sprint(w.drawn), stay))
	case 3, 4:
		w.do(w.modify(at, event, stay, pick(w, "version", 0, 0, 1)))
	case 5:
		w.do(w.remove(at, event))
	case 6:
		w.do(w.bookWithMessage(at, fmt.Sprint("bk_", w.drawn), stay))
	case 7, 8, 9:
		w.happen(at, stay)
	default:
		if all := slices.Sorted(maps.Keys(w.histories)); len(all) > 0 {
			history := w.histories[pick(w, "reservation", all...)]
			w.do(w.deliver(pick(w, "revision", history...)))
		}
	}
	w.look(at)
}

// happen adds a revision to the history of a reservation at a channel.
func (w *world) happen(at string, stay dynastay.Stay) {
	source := pick(w, "channel", listing.BookingCom, listing.Airbnb, listing.Other)
	id := fmt.Sprint("R", rapid.IntRange(1, 2).Draw(w.T, "external id"))
	name := fmt.Sprintf("%s %s %s", at, source, id)
	d := listing.Reservation{
		ListingID: at, HostID: host, Source: source, ExternalID: id, Revision: len(w.histories[name]) + 1,
		BookingID: strings.ToLower(fmt.Sprint("bk_", source, "_", id)), Stay: stay,
	}
	switch rapid.IntRange(0, 5).Draw(w.T, "what") {
	case 0:
		d = cancelled(d)
	case 1, 2:
		if last := w.histories[name]; len(last) > 0 && !last[len(last)-1].Cancelled {
			d.Stay = last[len(last)-1].Stay // something else has changed
		}
	}
	w.histories[name] = append(w.histories[name], d)
}

// deliverAll delivers the last revision of every reservation once more. Then the calendar agrees with the channels,
// except where the nights are taken.
func (w *world) deliverAll() {
	for _, name := range slices.Sorted(maps.Keys(w.histories)) {
		history := w.histories[name]
		last := history[len(history)-1]
		outcome := w.do(w.deliver(last))
		for outcome == "unknown" || outcome == "rejected" {
			outcome = w.do(w.deliver(last))
		}
		e, holds := w.now[last.ListingID].events["BOOKING#"+last.BookingID]
		deleted := w.now[last.ListingID].imports[importOf(last)].deleted
		switch {
		case last.Cancelled:
			require.False(w, holds, name)
		case outcome != "taken" && !deleted:
			require.True(w, holds, name)
			require.Equal(w, last.Stay, e.stay, name)
		}
	}
}

// do runs an operation, perhaps through a fault, and compares its outcome with the expected one.
func (w *world) do(op operation) string {
	after := w.now.clone()
	want, nights := op.to(after)
	process := pick(w, "process", w.processes...)
	stop, faulty := w.fault()
	outcome, err := op.call(w.home.context(), process)
	stop()
	got := outcomeOf(outcome, err)
	for faulty && got == "incomplete" {
		w.met.Add("incomplete", 1)
		outcome, err = op.call(w.home.context(), process)
		if got = outcomeOf(outcome, err); got == "exists" || got == "not found" || got == "repeated" {
			got = want // the first call has done it
		}
	}
	if faulty && got == "unknown" {
		w.met.Add("unknown", 1)
		stored := w.stored()
		if stored != w.now.String() {
			require.Equal(w, after.String(), stored, op.name)
			w.now = after
		}
		return got
	}
	if faulty && got == "rejected" {
		require.Equal(w, w.now.String(), w.stored(), op.name)
		return got
	}
	w.met.Add(op.name+": "+got, 1)
	require.Equal(w, want, got, "%s: %v", op.name, err)
	var taken *listing.Taken
	if errors.As(err, &taken) {
		var named []string
		for _, n := range taken.Nights {
			named = append(named, n.Date.String()+" "+n.EventID)
		}
		require.Equal(w, nights, named, op.name)
	}
	w.now = after
	return got
}

// fault lets one request of the next operation fail, in one of three operations.
func (w *world) fault() (stop func(), injected bool) {
	if rapid.IntRange(0, 2).Draw(w.T, "faulty") > 0 {
		return func() {}, false
	}
	fault := pick(w, "fault", dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Throttle(), dyntest.InternalErrorAfterCommit(), dyntest.Conflict(),
		dyntest.Fail("AccessDeniedException"), dyntest.Fail("AccessDeniedException"))
	injection := w.home.Faults.Inject(fault, dyntest.When{Nth: rapid.IntRange(1, 6).Draw(w.T, "nth"), Optional: true})
	return injection.Stop, true
}

func outcomeOf(outcome listing.Outcome, err error) string {
	var taken *listing.Taken
	var incomplete *listing.IncompleteError
	switch {
	case err == nil && outcome != "":
		return string(outcome)
	case err == nil:
		return "done"
	case errors.As(err, &incomplete):
		return "incomplete"
	case errors.As(err, &taken):
		return "taken"
	case errors.Is(err, listing.ErrImported):
		return "imported"
	}
	for kind, name := range map[error]string{
		dynastay.ErrAlreadyExists: "exists", dynastay.ErrNotFound: "not found", dynastay.ErrVersion: "version",
		dynastay.ErrOutcomeUnknown: "unknown", dynastay.ErrRejected: "rejected",
	} {
		if errors.Is(err, kind) {
			return name
		}
	}
	return err.Error()
}

// look reads a calendar, and compares it with the model.
func (w *world) look(at string) {
	a, err := listing.New(w.processes[0]).Check(w.home.context(), at, nights("2025-03-05", "2025-03-15"))
	require.NoError(w, err)
	var got []string
	for _, n := range a.Taken {
		got = append(got, n.Date.String()+" "+n.EventID)
	}
	require.Equal(w, w.now[at].taken(nights("2025-03-05", "2025-03-15"), ""), got)
}

// stored returns all items of the listings in the form of the model. A reservation without a revision is left out: an
// import that takes several transactions announces itself with it, and then the first of them has failed.
func (w *world) stored() string {
	var lines []string
	for _, at := range []string{"lst_1", "lst_2"} {
		rows, err := dynastay.QueryAll(w.home.context(), w.home.Direct, listingkeys.Table, dynastay.Query{
			Partition: "LISTING_AVAILABILITY#" + at, Consistent: true,
		})
		require.NoError(w, err)
		for _, row := range rows {
			if strings.HasPrefix(row.Text("sk"), "IMPORT#") && row.Int("revision") == 0 {
				require.True(w, row.Value("pending").Kind() == dynastay.KindBool && row.Text("checkIn") == "", row.Text("sk"))
				continue
			}
			lines = append(lines, at+" "+lineOf(row))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
