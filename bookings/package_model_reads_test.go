package bookings_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// checking is a call of Check, or one request of a call of CheckAll.
type checking struct {
	house, room, rooms int
	dates              dates
	consistent         bool
}

func drawChecking(t *rapid.T) checking {
	return checking{drawHouse(t), model.UpTo(t, 2, "room type"), 1 + model.UpTo(t, 2, "rooms"), drawWorldDates(t, 1, 2, 3, 12), model.OneOf(t, "consistent", false, true)}
}

func drawCheck(t *rapid.T) worldStep { return drawChecking(t) }

func (s checking) String() string {
	return fmt.Sprintf("check %d rooms of type %d at property %d, %+v, consistent %t", s.rooms, s.room, s.house, s.dates, s.consistent)
}

func options(consistent bool) []dynastay.ReadOption {
	if consistent {
		return []dynastay.ReadOption{dynastay.Consistent}
	}
	return nil
}

func (s checking) run(w *world, on program) {
	stay, room := s.dates.stay(w, s.house), w.room(s.house, s.room).RoomTypeID
	got, err := on.nights.Check(context.Background(), w.houses[s.house].ID, room, s.rooms, stay, options(s.consistent)...)
	if !w.gaveUp(err) {
		require.NoError(w.t, err)
		w.sameNights(s, stay, got)
	}
}

// sameNights compares the answer of a check. The times and the reasons of stop-sells are not in the index.
func (w *world) sameNights(s checking, stay dynastay.Stay, got availability.Availability) {
	room := w.room(s.house, s.room).RoomTypeID
	want := availability.Availability{PropertyID: w.houses[s.house].ID, RoomTypeID: room, Stay: stay}
	for date := range stay.Dates() {
		at := nightAt{room, date}
		want.Refused = append(want.Refused, w.refusals(at, s.rooms, 0, stay)...)
		if n, open := w.nights[at]; open {
			want.Nights = append(want.Nights, availability.Night{
				RoomTypeID: room, PropertyID: w.houses[s.house].ID, Date: date, Available: w.available(at), Total: n.total, Price: dollars(n.cents),
				MinStay: n.min, MaxStay: n.max, ClosedToArrival: n.toArrival, ClosedToDeparture: n.toEnd, StopSell: n.stop, PropertyClosed: n.closed,
			})
		}
	}
	got.Nights = slices.Clone(got.Nights)
	for i := range got.Nights {
		got.Nights[i].UpdatedAt, got.Nights[i].ExpiresAt, got.Nights[i].StopSellReason = time.Time{}, time.Time{}, ""
	}
	if len(got.Nights) == 0 {
		got.Nights = nil
	}
	require.Equal(w.t, want, got)
}

// checkingAll is a call of CheckAll.
type checkingAll []checking

func drawCheckAll(t *rapid.T) worldStep {
	return checkingAll(rapid.SliceOfN(rapid.Custom(drawChecking), 1, 4).Draw(t, "requests"))
}

func (s checkingAll) String() string { return fmt.Sprintf("check all %+v", []checking(s)) }

func (s checkingAll) run(w *world, on program) {
	stay := s[0].dates.stay(w, s[0].house)
	var reqs []availability.CheckRequest
	for _, c := range s {
		reqs = append(reqs, availability.CheckRequest{
			PropertyID: w.houses[c.house].ID, RoomTypeID: w.room(c.house, c.room).RoomTypeID, Rooms: c.rooms, RoomTypes: len(w.houses[c.house].rooms),
		})
	}
	got, err := on.nights.CheckAll(context.Background(), reqs, stay, options(s[0].consistent)...)
	if w.gaveUp(err) {
		return
	}
	require.NoError(w.t, err)
	require.Len(w.t, got, len(s))
	for i, c := range s {
		w.sameNights(c, stay, got[i])
	}
}

// finding reads bookings by id and by reference.
type finding struct {
	back       int
	consistent bool
}

func drawFind(t *rapid.T) worldStep {
	return finding{model.UpTo(t, 9, "booking"), model.OneOf(t, "consistent", false, true)}
}

func (s finding) String() string {
	return fmt.Sprintf("find the last but %d booking, consistent %t", s.back, s.consistent)
}

func (s finding) run(w *world, on program) {
	opts := options(s.consistent)
	if s.back >= len(w.order) {
		for _, find := range []func(context.Context, string, ...dynastay.ReadOption) (*bookings.Booking, error){on.repo.Get, on.repo.ByReference} {
			if _, err := find(context.Background(), "BKG-2026-000000", opts...); !w.gaveUp(err) {
				w.fails(dynastay.ErrNotFound, err)
			}
		}
		return
	}
	recent := w.order[len(w.order)-1-s.back:]
	want := w.bookings[recent[0]].want()
	got, err := on.repo.Get(context.Background(), want.ID, opts...)
	w.reads(want, got, err)
	got, err = on.repo.ByReference(context.Background(), " "+strings.ToLower(want.Reference), opts...)
	w.reads(want, got, err)

	ids, all := []string{"bkg_none"}, []*bookings.Booking{nil}
	for _, id := range append(slices.Clone(recent), recent[0]) {
		ids, all = append(ids, id), append(all, w.bookings[id].want())
	}
	found, err := on.repo.GetAll(context.Background(), ids, opts...)
	w.reads(all, found, err)
}

// reads compares what a read returned, unless it failed because of the fault.
func (w *world) reads(want, got any, err error) {
	if !w.gaveUp(err) {
		require.NoError(w.t, err)
		require.Equal(w.t, want, got)
	}
}

// listing reads a list of bookings.
type listing struct {
	by     string
	status bookings.Status
	back   int // the booking whose property and check-in are listed
	before int // days before its check-in, at which the list begins
}

func drawList(t *rapid.T) worldStep {
	return listing{model.OneOf(t, "by", "status", "property", "user", "cancelled", "check-in"), model.OneOf(t, "status", statuses...), model.UpTo(t, 9, "booking"), model.OneOf(t, "before", 0, 0, 1, 3, 4, -1)}
}

func (s listing) String() string {
	return fmt.Sprintf("list by %s: status %s, from %d days before booking %d", s.by, s.status, s.before, s.back)
}

func (s listing) run(w *world, on program) {
	house, date := w.houses[0].ID, worldFirst
	if s.back < len(w.order) {
		b := w.bookings[w.order[len(w.order)-1-s.back]]
		house, date = b.house.ID, b.stay.CheckIn.AddDays(-s.before)
	}
	var list dynastay.List[*bookings.Summary]
	var is func(b worldBooking) bool
	order := func(a, b worldBooking) int {
		return cmp.Or(a.stay.CheckIn.Compare(b.stay.CheckIn), strings.Compare(a.id, b.id))
	}
	switch s.by {
	case "status":
		list = on.repo.ByStatus(s.status)
		is = func(b worldBooking) bool { return b.status == s.status }
		order = func(a, b worldBooking) int {
			return cmp.Or(a.created.Truncate(time.Second).Compare(b.created.Truncate(time.Second)), strings.Compare(a.id, b.id))
		}
	case "property":
		list = on.repo.ByProperty(bookings.PropertyQuery{PropertyID: house, From: date, To: date.AddDays(4)})
		is = func(b worldBooking) bool {
			return b.house.ID == house && !b.stay.CheckIn.Before(date) && b.stay.CheckIn.Before(date.AddDays(4))
		}
	case "check-in":
		list = on.repo.ByCheckIn(bookings.CheckInQuery{Date: date, PropertyID: house})
		is = func(b worldBooking) bool { return b.house.ID == house && b.stay.CheckIn == date && b.takes() }
	default:
		list = on.repo.ByUser("user_a")
		if s.by == "cancelled" {
			list = on.repo.Cancelled("user_a")
		}
		is = func(b worldBooking) bool {
			return b.user == "user_a" && (s.by == "user" || b.status == bookings.Cancelled)
		}
		ascending := order
		order = func(a, b worldBooking) int { return ascending(b, a) }
	}
	var want, got []*bookings.Summary
	var some []worldBooking
	for _, b := range w.bookings {
		if is(b) {
			some = append(some, b)
		}
	}
	slices.SortFunc(some, order)
	for _, b := range some {
		want = append(want, &b.want().Summary)
	}
	for b, err := range list.All(context.Background()) {
		if w.gaveUp(err) {
			return
		}
		require.NoError(w.t, err)
		got = append(got, b)
	}
	require.Equal(w.t, want, got)
	w.met.Add("list: by "+s.by, len(got))
}
