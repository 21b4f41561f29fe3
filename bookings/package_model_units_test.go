package bookings_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/keys"
)

// deskNights are those that are on sale: the end of a month and the beginning of the next one.
var deskNights = dynastay.MustStay("2026-07-28", "2026-08-12")

// deskBegins is noon on the day on which a history begins.
var deskBegins = noon(dynastay.MustStay("2026-07-28", "2026-07-29").CheckIn)

// frontDesk is a property with few units, which are compared with the model call by call.
type frontDesk struct {
	*inn
	t     *rapid.T
	met   *model.Tally
	state deskState
	order []string // the ids of the bookings
	calls int
	other *bookings.Repository // of another process
}

// Guests arrive, get units, move, swap, leave and come back, in one house with few units, call by call, through the faults of the
// network, and two calls at a time. Every result and, after every call, who has which unit, the plan, and what is to be cleaned
// are what a model in memory expects: it computes who has what from the bookings alone.
func TestUnitsAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	met := model.Compare(t, 300, 1, func(t *testing.T, met *model.Tally) func(*rapid.T) int {
		db := dyntest.New(t, bookingTables, dyntest.At(deskBegins), dyntest.With(impatient))
		first, other := &inn{DB: db, repo: bookings.New(db.DB, nil)}, bookings.New(db.Open(&impatient), nil)
		return func(rt *rapid.T) int {
			i := *first
			i.id = db.NewID("prop_")
			d := newFrontDesk(t, rt, &i, met)
			d.other = other
			for range model.UpTo(rt, 40, "calls") + 40 {
				d.step()
			}
			require.NoError(rt, i.repo.VerifyNights(t.Context(), i.id, deskNights))
			require.NoError(rt, i.repo.VerifyUnits(t.Context(), i.id, deskNights))
			met.Add("histories", 1)
			return d.calls
		}
	})
	met.Requires(t, 5_000, expectedAtTheDesk...)
}

// expectedAtTheDesk are met in any run of 5,000 operations.
var expectedAtTheDesk = []string{
	"assign: done", "assign: taken", "assign: retired", "assign: other room type", "assign: not found", "assign: status", "assign: invalid",
	"check in to: done", "check in to: status", "move: done", "move: taken", "move: invalid", "move: status",
	"swap: done", "swap: invalid", "swap: status", "unassign: done", "unassign: invalid", "modify: done", "modify: version",
	"reinstate: done", "undo check-out: done", "check out: done", "cancel: done", "no-show: done",
	"retire: done", "retire: taken", "stale", "meetings", "faults",
	"take out: done", "take out: taken", "take out: no room left", "take out: taken, and no room left", "take out: not found",
	"take out: invalid", "take out: retired", "take out: ended", "take out: other nights", "broken off", "taken over for a repair",
	"put back: done", "put back: not found", "create: done", "create: no room left",
	"take out meets assign", "assign meets take out", "take out meets create", "create meets take out", "take out meets cancel",
	"take out meets undo check-out", "undo check-out meets take out",
}

func newFrontDesk(t *testing.T, rt *rapid.T, i *inn, met *model.Tally) *frontDesk {
	i.Clock.Set(deskBegins)
	require.NoError(rt, i.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, room := range []string{"a", "b"} {
			at, err := keys.Of(keys.RoomType{PropertyID: i.id, RoomTypeID: i.roomType(room)})
			require.NoError(rt, err)
			if !yield(keys.PropertiesTable, keys.PropertiesTable.Key.Of(at)) {
				return
			}
			for date := range deskNights.Dates() {
				night := i.night(room, date)
				night["AvailableRooms"], night["TotalRooms"] = dynastay.Number(deskTotal), dynastay.Number(deskTotal)
				night["Rates"] = rates(120, 150, nil)
				if !yield(keys.AvailabilityTable, night) {
					return
				}
			}
		}
	}))
	d := &frontDesk{inn: i, t: rt, met: met, state: deskState{
		map[string]deskBooking{}, map[string]deskUnit{}, map[units.Night]units.Occupant{}, map[deskNight]int{}, map[deskNight]int{},
	}}
	for date := range deskNights.Dates() {
		d.state.total[deskNight{i.roomType("a"), date}], d.state.total[deskNight{i.roomType("b"), date}] = deskTotal, deskTotal
	}
	var all []units.Unit
	for _, id := range []string{"101", "102", "103", "201", "202"} {
		roomType := i.roomType(map[byte]string{'1': "a", '2': "b"}[id[0]])
		all = append(all, units.Unit{PropertyID: i.id, ID: id, RoomTypeID: roomType})
		d.state.units[id] = deskUnit{roomType: roomType, state: units.Clean}
	}
	_, err := units.New(i.DB.DB).CreateAll(t.Context(), all)
	require.NoError(rt, err)
	return d
}

// step makes one call, or two that meet.
func (d *frontDesk) step() {
	d.calls++
	switch n := model.UpTo(d.t, 99, "step"); {
	case len(d.order) < 2 || len(d.expected()) < 3 && n < 60 || len(d.order) < 8 && n < 5:
		d.create()
	case n < 14:
		d.Clock.Advance(time.Duration(model.OneOf(d.t, "hours", 1, 5, 8, 12, 24)) * time.Hour)
	case n < 17:
		d.plant()
	case n < 21:
		d.use()
	case n < 24:
		d.clean()
	case n < 40:
		d.meet()
	case n < 50:
		d.repair()
	default:
		if c, found := d.draw(d.someone("booking")); found {
			d.alone(c)
		}
	}
	d.agree()
}

// alone makes a call that nobody else is in the way of, sometimes through a fault.
func (d *frontDesk) alone(c deskCall) {
	var trouble model.Trouble
	var opts []dynastay.WriteOption
	if (!c.bare || c.repeatable) && model.UpTo(d.t, 3, "key") == 0 {
		if !c.bare {
			opts = append(opts, dynastay.IdempotencyKey(d.NewID("key ")))
		}
		trouble = model.DrawTrouble(d.t, 2, "unprocessed", []int{1, 2, 3}, []int{1, 2})
	}
	d.t.Logf("%v: %s%s", d.Now(), c.text, trouble)
	end := trouble.Begin(d.DB, d.met)
	got, err := c.do(d.repo, opts...)
	end()
	if errors.Is(err, dynastay.ErrOutcomeUnknown) { // a refusal after a lost answer
		require.True(d.t, trouble.Loses())
		got, err = c.do(d.repo, opts...)
	}
	d.comesTo(c, got, err)
}

// comesTo compares what a call has come to, and changes the model.
func (d *frontDesk) comesTo(c deskCall, got []*bookings.Booking, err error) {
	before, after := d.state, d.state.clone()
	no := c.expect(after, d.Now())
	d.met.Add(c.kind+": "+whyAtTheDesk(no), 1)
	if no != nil {
		d.refuses(no, err)
		return
	}
	require.NoError(d.t, err)
	d.state = after
	for _, b := range got {
		d.same(b)
		is := d.state.bookings[b.ID]
		require.Contains(d.t, []int{before.bookings[b.ID].version, before.bookings[b.ID].version + 1}, b.Version)
		is.version = b.Version
		d.state.bookings[b.ID] = is
	}
	for n, by := range d.state.plan {
		if old := before.plan[n]; old.BookingID != "" && by.OutOfOrder != "" {
			d.met.Add("taken over for a repair", 1)
			continue
		}
		if old := before.plan[n]; old.BookingID != "" && old.BookingID != by.BookingID && before.claimed(n) == "" {
			d.met.Add("taken over", 1)
		}
	}
	if c.kind == "reinstate" || c.kind == "undo check-out" {
		for id, b := range d.state.bookings {
			for i, l := range b.lines {
				if had := before.bookings[id].lines; len(l.has) < len(had[i].has) {
					d.met.Add("lost", 1)
				}
			}
		}
	}
}

// refuses compares an error with the one that the model expects.
func (d *frontDesk) refuses(no, err error) {
	require.Error(d.t, err, "must be refused: %v", no)
	switch no := no.(type) {
	case *bookings.StatusError:
		var got *bookings.StatusError
		require.ErrorAs(d.t, err, &got)
		require.Equal(d.t, no, got)
	case *dynastay.InvalidError:
		var got *dynastay.InvalidError
		require.ErrorAs(d.t, err, &got)
		require.Equal(d.t, no.Field, got.Field, "%v", err)
	case *units.TakenError:
		var got *units.TakenError
		require.ErrorAs(d.t, err, &got)
		require.Equal(d.t, no.Nights, got.Nights)
		require.False(d.t, errors.As(err, new(*availability.Refused)), "%v", err)
	case *availability.Refused:
		var got *availability.Refused
		require.ErrorAs(d.t, err, &got)
		require.Equal(d.t, no.Nights, got.Nights)
		require.False(d.t, errors.As(err, new(*units.TakenError)), "%v", err)
	case deskBoth:
		var taken *units.TakenError
		var left *availability.Refused
		require.ErrorAs(d.t, err, &taken)
		require.ErrorAs(d.t, err, &left)
		require.Equal(d.t, no.taken, taken.Nights)
		require.Equal(d.t, no.left, left.Nights)
	case *dynastay.Error:
		var got *dynastay.Error
		require.ErrorAs(d.t, err, &got)
		require.ErrorIs(d.t, err, no.Kind)
		require.Equal(d.t, no.ID, got.ID)
	default:
		require.ErrorIs(d.t, err, no)
	}
}

func whyAtTheDesk(no error) string {
	var status *bookings.StatusError
	var taken *units.TakenError
	switch {
	case no == nil:
		return "done"
	case errors.As(no, &status):
		return "status"
	case errors.As(no, new(deskBoth)):
		return "taken, and no room left"
	case errors.As(no, &taken):
		return "taken"
	case errors.As(no, new(*availability.Refused)):
		return "no room left"
	case errors.Is(no, units.ErrOutOfOrderEnded):
		return "ended"
	case errors.Is(no, dynastay.ErrAlreadyExists):
		return "other nights"
	case errors.Is(no, units.ErrRetired):
		return "retired"
	case errors.Is(no, units.ErrOtherRoomType):
		return "other room type"
	case errors.Is(no, dynastay.ErrNotFound):
		return "not found"
	case errors.Is(no, dynastay.ErrVersion):
		return "version"
	}
	return "invalid"
}

// same compares a booking with the model's.
func (d *frontDesk) same(b *bookings.Booking) {
	is := d.state.bookings[b.ID]
	require.Equal(d.t, is.status, b.Status)
	require.Equal(d.t, is.stay, b.Stay)
	require.True(d.t, is.hold.Equal(b.HoldExpiresAt), "the hold ends at %v, not %v", b.HoldExpiresAt, is.hold)
	require.Len(d.t, b.Lines, len(is.lines))
	for i := range b.Lines {
		got := &b.Lines[i]
		l := is.line(got.RoomTypeID, got.Number)
		require.NotNil(d.t, l, "line %s %d", got.RoomTypeID, got.Number)
		require.Equal(d.t, l.rooms, got.Quantity)
		require.Equal(d.t, l.ranges(), got.Units, "units of %s, line %d", b.ID, got.Number)
		var names []string
		for _, u := range got.Units {
			if !slices.Contains(names, u.UnitID) {
				names = append(names, u.UnitID)
			}
		}
		require.Equal(d.t, names, got.RoomIDs)
	}
}

// agree compares everything that is stored with the model.
func (d *frontDesk) agree() {
	stored, err := d.repo.GetAll(d.ctx(), d.order, dynastay.Consistent)
	require.NoError(d.t, err)
	for _, b := range stored {
		d.same(b)
		require.Equal(d.t, d.state.bookings[b.ID].version, b.Version)
	}
	plan := map[units.Night]units.Occupant{}
	for _, month := range []dynastay.Date{deskNights.CheckIn, deskNights.CheckOut} {
		all, err := units.New(d.DB.DB).Plan(d.ctx(), d.id, month)
		require.NoError(d.t, err)
		for _, m := range all {
			for _, n := range m.Nights {
				plan[n.Night] = n.By
			}
		}
	}
	require.Equal(d.t, d.state.plan, plan)
	has := map[units.Night]string{}
	for id, b := range d.state.bookings { // what the model must not get wrong either
		for n, line := range b.claims() {
			require.Empty(d.t, has[n], "%v is that of %s, too", n, id)
			require.Equal(d.t, units.Occupant{BookingID: id, Line: line}, plan[n], "%v", n)
			has[n] = id
		}
	}
	for u, err := range units.New(d.DB.DB).List(d.id).All(d.ctx()) {
		require.NoError(d.t, err)
		require.Equal(d.t, d.state.units[u.ID], deskUnit{u.RoomTypeID, u.Retired, u.Housekeeping, u.HousekeepingBy, u.OutOfOrder}, u.ID)
	}
	d.agreeOnRooms()
}
