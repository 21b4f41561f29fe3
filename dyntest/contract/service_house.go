package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

// house is a hotel with one room, and two processes of the service that sells it. Each scene has a stay of its own, so
// the room is free in each.
type house struct {
	ServiceTarget
	t         testing.TB
	db        *dyntest.DB
	functions [2]Functions // of two processes
	users     []string
	ask       Ask // without the stay and the user
	first     dynastay.Date
	scenes    int
}

const (
	houseGuests = 6
	houseNights = 120
	sceneNights = 2
)

func openHouse(t testing.TB, target ServiceTarget) *house {
	t.Helper()
	h := &house{ServiceTarget: target, t: t, db: dyntest.New(t, dyntest.Tables(target.Tables...))}
	if err := h.furnish(t.Context()); err != nil {
		t.Fatal("contract: open the hotel of a service: ", err)
	}
	for i := range h.functions {
		h.functions[i] = target.Open(t, h.db.Open(nil))
	}
	return h
}

func (h *house) furnish(ctx context.Context) error {
	db := h.db.Direct
	for i := range houseGuests {
		u, err := users.New(db, nil).Create(ctx, users.User{
			Email: fmt.Sprintf("guest-%d@example.com", i), FirstName: "Ada", LastName: "Byron", Role: users.Customer,
		})
		if err != nil {
			return err
		}
		h.users = append(h.users, u.ID)
	}
	price := dynastay.MustMoney("120.00", "USD")
	hotel, err := properties.New(db, nil).Create(ctx, properties.Property{
		Name: "One Room", Slug: "one-room", Type: properties.Hotel, OwnerID: "user_host", Status: properties.Approved,
		TimeZone: "America/New_York", CancellationPolicy: availability.FreeCancellation(24),
		Address: properties.Address{City: "New York", Country: "USA", Latitude: 40.7033, Longitude: -74.0170},
	}, []properties.RoomType{{
		Name: "Double", Limits: availability.Limits{MaxAdults: 2, MaxOccupancy: 2}, Total: 1, BasePrice: price,
	}})
	if err != nil {
		return err
	}
	h.first = dynastay.DateOf(h.db.Clock.Now(), nil).AddDays(10)
	h.ask = Ask{
		City: hotel.Address.City, Country: hotel.Address.Country, PropertyID: hotel.ID, RoomTypeID: hotel.Rooms[0].ID,
		Guests: availability.Guests{Adults: 2},
	}
	_, err = availability.New(db).Open(ctx, availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: h.ask.RoomTypeID, Rooms: 1, Price: price,
		Nights: dynastay.Stay{CheckIn: h.first, CheckOut: h.first.AddDays(houseNights)},
	})
	return err
}

// scene returns what a guest asks for, for a stay that nobody has asked for yet.
func (h *house) scene() Ask {
	from := h.first.AddDays(h.scenes * sceneNights)
	h.scenes++
	ask := h.by(h.ask, 0)
	ask.Stay = dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(sceneNights)}
	return ask
}

// by returns the ask of another guest.
func (h *house) by(ask Ask, guest int) Ask {
	ask.UserID = h.users[guest]
	ask.Guest = bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: fmt.Sprintf("guest-%d@example.com", guest)}
	return ask
}

// held returns the booking of a first guest, whose call nothing disturbed.
func (h *house) held() (Ask, string, error) {
	ask := h.scene()
	id, err := h.functions[0].Hold(h.t.Context(), fmt.Sprint("request-", h.scenes), ask)
	if err != nil {
		return ask, "", fmt.Errorf("a guest who asks for the only room, alone, does not get it: %w", err)
	}
	return ask, id, h.sold(ask, id)
}

// insists repeats a call until it has an answer, as the client of a guest does, or a payment provider.
func (h *house) insists(call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	var err error
	for range repetitions {
		if err = call(ctx); err == nil || h.final(err) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// taken returns the ids of the bookings that have the room, or part of the stay.
func (h *house) taken(ask Ask) (ids []string, err error) {
	repo := bookings.New(h.db.Direct, nil)
	query := bookings.PropertyQuery{PropertyID: ask.PropertyID, From: ask.Stay.CheckIn, To: ask.Stay.CheckOut}
	for b, err := range repo.ByProperty(query).All(h.t.Context()) {
		if err != nil {
			return nil, err
		}
		if b.Status == bookings.Pending || b.Status == bookings.Confirmed {
			ids = append(ids, b.ID)
		}
	}
	return ids, nil
}

// sold says what is wrong unless these bookings have the room, and only they.
func (h *house) sold(ask Ask, want ...string) error {
	ids, err := h.taken(ask)
	if err != nil {
		return err
	}
	nights, err := availability.New(h.db.Direct).Check(h.t.Context(), ask.PropertyID, ask.RoomTypeID, 1, ask.Stay, dynastay.Consistent)
	if err != nil {
		return err
	}
	slices.Sort(ids)
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		return fmt.Errorf("the bookings that have the room are %q, and should be %q", ids, want)
	}
	for _, night := range nights.Nights {
		if left := 1 - len(want); night.Available != left {
			return fmt.Errorf("on %s, %d of 1 rooms are free, and %d bookings have the room", night.Date, night.Available, len(want))
		}
	}
	return nil
}

// status says what is wrong unless a booking is stored with this status, and is shown so.
func (h *house) status(ask Ask, id string, want bookings.Status) error {
	b, err := bookings.New(h.db.Direct, nil).Get(h.t.Context(), id, dynastay.Consistent)
	if err != nil {
		return err
	}
	if b.Status != want {
		return fmt.Errorf("the booking is %s, and should be %s", b.Status, want)
	}
	lookup := h.functions[1].Lookup
	if lookup == nil {
		return nil
	}
	switch shown, err := lookup(h.t.Context(), ask.UserID, id); {
	case err != nil:
		return fmt.Errorf("its guest cannot see the booking: %w", err)
	case shown != want:
		return fmt.Errorf("the booking is %s, and its guest sees %s", want, shown)
	}
	return nil
}

// offered says what is wrong unless a search offers the property, or does not, as wanted.
func (h *house) offered(ask Ask, want bool) error {
	search := h.functions[1].Search
	if search == nil {
		return nil
	}
	switch ids, err := search(h.t.Context(), ask); {
	case err != nil:
		return fmt.Errorf("search: %w", err)
	case slices.Contains(ids, ask.PropertyID) != want && want:
		return errors.New("a search does not find the free room")
	case slices.Contains(ids, ask.PropertyID) != want:
		return errors.New("a search offers a room that is taken")
	}
	return nil
}

func writes(r dyntest.Request) bool {
	return slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}, r.Operation)
}

// brokenOff calls a function of a process that dies with each of its writes in turn: the write is carried out, its
// answer is lost, and nothing that the process sends afterwards arrives. Each time, before prepares the call, and then
// looks at what is left. At last, the process lives.
func (h *house) brokenOff(before func() error, call func(ctx context.Context, f Functions) error, then func() error) error {
	for n := int64(1); ; n++ {
		if err := before(); err != nil {
			return err
		}
		dying := h.Open(h.t, h.db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: attempts}}))
		var sent atomic.Int64
		var dead atomic.Bool
		rest := h.db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{
			Optional: true, Match: func(dyntest.Request) bool { return dead.Load() },
		})
		last := h.db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{
			Optional: true, Match: func(r dyntest.Request) bool {
				return writes(r) && sent.Add(1) == n && !dead.Swap(true)
			},
		})
		ctx, end := context.WithTimeout(h.t.Context(), patience)
		err := call(ctx, dying)
		end() // what it may still be doing must not repair what it has left
		rest.Stop()
		last.Stop()
		if !dead.Load() { // it had fewer writes
			return cmpOr(err, then)
		}
		if err := then(); err != nil {
			return fmt.Errorf("the service broke off after write %d, and the request was repeated: %w", n, err)
		}
	}
}

// overtaken calls a function, and has another call carried out between what it reads and its first write. Both are
// repeated until they have an answer.
func (h *house) overtaken(call, other func(context.Context) error) (err, otherErr error) {
	ran := false
	i := h.db.Faults.Inject(dyntest.Before(func(context.Context) { otherErr, ran = h.insists(other), true }), dyntest.When{
		Optional: true, Times: 1, Match: writes,
	})
	err = h.insists(call)
	i.Stop()
	if !ran {
		otherErr = errors.New("the service wrote nothing")
	}
	return err, otherErr
}
