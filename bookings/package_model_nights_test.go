package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// openingNights is a call of Open.
type openingNights struct {
	availability.OpenRequest
	house, room int
	dates       dates
}

func drawOpen(t *rapid.T) worldStep {
	s := openingNights{house: drawHouse(t), room: model.UpTo(t, 2, "room type"), dates: dates{model.OneOf(t, "from", -1, 0, 2, 5, 8, 11, 14), model.OneOf(t, "nights", 1, 2, 3, 6)}}
	s.Rooms, s.Price = 1+model.UpTo(t, worldCapacity, "rooms"), drawPrice(t)
	s.AboveCapacity = onceIn(t, 3, "above capacity")
	s.StopSell = onceIn(t, 4, "stop-sell")
	s.MinStay, s.MaxStay = model.OneOf(t, "min", 0, 0, 2), model.OneOf(t, "max", 0, 0, 3)
	return s
}

func drawPrice(t *rapid.T) dynastay.Money {
	return dollars(model.OneOf(t, "price", int64(0), 9_995, 10_000, 10_000, 12_050))
}

func (s openingNights) String() string {
	return fmt.Sprintf("open room type %d of property %d, %+v: %+v", s.room, s.house, s.dates, s.OpenRequest)
}

func (s openingNights) run(w *world, on program) {
	house, o := w.houses[s.house], s.OpenRequest
	o.PropertyID, o.RoomTypeID = house.ID, w.room(s.house, s.room).RoomTypeID
	if o.Nights == (dynastay.Stay{}) {
		o.Nights = s.dates.stay(w, s.house)
	}
	var want availability.Opened
	for date := range o.Nights.Dates() {
		if _, open := w.nights[nightAt{o.RoomTypeID, date}]; open {
			want.Already = append(want.Already, date)
		} else {
			want.Opened = append(want.Opened, date)
		}
	}
	var no error
	switch {
	case o.Nights.CheckIn.Before(house.today(w.db.Now())):
		no = dynastay.Invalid("Nights.CheckIn", "…")
	case o.Rooms > worldCapacity && !o.AboveCapacity:
		no = dynastay.Invalid("Rooms", "…")
	case house.closed && want.Opened != nil:
		no = availability.ErrClosed
	}
	got, err := on.nights.Open(context.Background(), o)
	repeated := errors.Is(err, dynastay.ErrOutcomeUnknown) || w.gaveUp(err)
	if repeated {
		w.recover()
		got, err = on.nights.Open(context.Background(), o)
	}
	if no != nil {
		w.fails(no, err)
		if no == availability.ErrClosed {
			w.met.Add("open: closed", 1)
		}
		return
	}
	require.NoError(w.t, err)
	if !repeated {
		require.Equal(w.t, want, got)
	}
	for _, date := range want.Opened {
		w.nights[nightAt{o.RoomTypeID, date}] = worldNight{
			total: o.Rooms, cents: centsOf(o.Price), min: o.MinStay, max: o.MaxStay, stop: o.StopSell, updated: w.db.Now(),
		}
	}
	w.met.Add("open: opened", len(want.Opened))
}

func centsOf(price dynastay.Money) int64 {
	cents, err := price.Minor()
	if err != nil {
		panic(err)
	}
	return cents
}

// closing closes the sales of a property, or reopens them.
type closing struct {
	house  int
	reopen bool
}

func drawClose(t *rapid.T) worldStep {
	return closing{drawHouse(t), !onceIn(t, 3, "close")}
}

func (s closing) String() string {
	return fmt.Sprintf("close sales of property %d; reopen %t", s.house, s.reopen)
}

func (s closing) run(w *world, on program) {
	do, name := on.nights.CloseSales, "close: closed"
	if s.reopen {
		do, name = on.nights.ReopenSales, "close: reopened"
	}
	house := w.houses[s.house]
	yesterday := house.today(w.db.Now()).AddDays(-1)
	moved := 0
	for at, n := range w.nights {
		if w.houseOf(at.room) == house && !at.date.Before(yesterday) && n.closed == s.reopen {
			n.closed, n.updated = !s.reopen, w.db.Now()
			w.nights[at] = n
			moved++
		}
	}
	house.closed = !s.reopen
	w.met.Add(name, moved)
	got, err := do(context.Background(), house.ID)
	if w.gaveUp(err) {
		w.recover()
		_, err = do(context.Background(), house.ID)
		require.NoError(w.t, err)
		return
	}
	require.NoError(w.t, err)
	require.Equal(w.t, availability.SalesChange{RoomTypes: len(house.rooms), Nights: moved}, got)
}

// houseOf returns the property of a room type.
func (w *world) houseOf(room string) *worldHouse {
	return w.houses[slices.IndexFunc(w.houses, func(h *worldHouse) bool {
		return slices.ContainsFunc(h.rooms, func(r availability.Room) bool { return r.RoomTypeID == room })
	})]
}
