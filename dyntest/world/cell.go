package world

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

// cell is a part of the world that is made by itself: a hotel with its bookings, users, or the catalogues. The
// repositories make its items, at the times and with the ids of the plan, so that keys, indexes, cards and guards are
// theirs.
type cell struct {
	world   *World
	capture capture
	nights  map[dynastay.Key]dynastay.Item

	now   time.Time
	id    string // the next id
	drawn source
}

func (w *World) cell() *cell { return &cell{world: w} }

// open returns the database that the repositories of the cell use.
func (c *cell) open(client dynastay.Client) *dynastay.DB {
	return dynastay.Open(client, &dynastay.Options{
		Clock:   func() time.Time { return c.now },
		NewID:   func(string) string { return c.id },
		Rand:    &c.drawn,
		NoGates: true, // there are no other callers
	})
}

// made is what a cell has made from a plan.
type made struct {
	property *properties.WithRooms
	images   []properties.Image
	bookings []*bookings.Booking
}

// hotel makes the i-th hotel, its images, its nights and its bookings.
func (c *cell) hotel(ctx context.Context, i int) (m made, err error) {
	w, h, db := c.world, c.world.house(i), c.open(&c.capture)
	c.now = h.created
	repo := properties.New(db, nil)
	if m.property, err = repo.Create(ctx, h.property, h.rooms); err != nil {
		return m, err
	}
	if err := c.addImages(ctx, repo, &m, w.images(i, h)); err != nil {
		return m, err
	}
	if h.property.Status == properties.Approved {
		if err := c.trade(ctx, db, i, h, &m); err != nil {
			return m, err
		}
	}
	if h.status != h.property.Status {
		err = c.setStatus(&m, h.status)
	}
	return m, err
}

// trade makes the nights of an approved hotel and its bookings.
func (c *cell) trade(ctx context.Context, db *dynastay.DB, i int, h *house, m *made) error {
	w := c.world
	c.now = h.opened
	nights, from := availability.New(db), len(c.capture.puts)
	for k := range h.rooms {
		for _, call := range h.calls(k, w.nights()) {
			if _, err := nights.Open(ctx, call); err != nil {
				return err
			}
		}
	}
	c.nights = map[dynastay.Key]dynastay.Item{}
	for _, p := range c.capture.puts[from:] {
		c.nights[p.schema.Key.From(dynastay.RowOf(p.item))] = p.item
	}
	sales, err := w.sales(i, h)
	if err != nil {
		return err
	}
	m.bookings = make([]*bookings.Booking, len(sales))
	repo, card := bookings.New(db, &bookingOptions), m.property.Card()
	if err := h.promo.create(ctx, repo); err != nil {
		return err
	}
	for _, step := range steps(sales) {
		c.now = step.at
		b, s := &m.bookings[step.n], sales[step.n]
		if step.does == creates {
			*b, err = c.book(ctx, repo, i, step.n, h, card, s)
		} else {
			*b, err = c.carryOut(ctx, repo, *b, s, step)
		}
		if err != nil {
			return err
		}
	}
	c.now = w.opts.Today.Time()
	if err := h.promo.end(ctx, repo); err != nil {
		return err
	}
	for _, change := range w.changes(i, h, sales) { // the capture cannot update
		if err := c.change(change); err != nil {
			return err
		}
	}
	return nil
}

// book makes the n-th booking of the i-th hotel.
func (c *cell) book(
	ctx context.Context, repo *bookings.Repository, i, n int, h *house, card *properties.Card, s sale,
) (*bookings.Booking, error) {
	reference := c.world.reference(i*mostBookings(c.world.opts.Nights) + n)
	c.id, c.drawn.left = bookingID(i, n), reference[:]
	request, err := c.world.request(h, card, s)
	if err != nil {
		return nil, err
	}
	b, err := repo.Create(ctx, request)
	if err != nil {
		return nil, err
	}
	return b, c.count(b, -1)
}

// carryOut does to a booking what a step says.
func (c *cell) carryOut(
	ctx context.Context, repo *bookings.Repository, b *bookings.Booking, s sale, step step,
) (*bookings.Booking, error) {
	b, err := s.carryOut(ctx, repo, b, step)
	if err != nil {
		return nil, err
	}
	if step.does == moves && s.endsUnused() {
		return b, c.count(b, 1)
	}
	return b, c.count(b, 0)
}

// request returns the booking request of a sale.
func (w *World) request(h *house, card *properties.Card, s sale) (bookings.Request, error) {
	guest, _ := w.person(s.booker)
	req := bookings.Request{
		UserID: guest.ID, SpecialRequests: s.requests, Hold: s.hold,
		Guest: bookings.Guest{
			FirstName: guest.FirstName, LastName: guest.LastName, Email: guest.Email, Phone: guest.Phone, Country: guest.Country,
		},
	}
	ask, err := card.QuoteRequest(w.stay(s), s.guests, h.choices(s)...)
	if err != nil {
		return req, err
	}
	if req.Quote, err = h.quote(ask, s); err != nil {
		return req, err
	}
	if s.code != "" {
		req.PromoCode = s.code
		if req.Discounts, err = h.promo.code.Discount(req.Quote.Total); err != nil {
			return req, err
		}
	}
	if s.fees == 0 {
		return req, nil
	}
	if req.TaxesAndFees, err = req.Quote.Total.Times(s.fees); err != nil {
		return req, err
	}
	req.TaxesAndFees, err = req.TaxesAndFees.DividedBy(100)
	return req, err
}

// count multiplies the rooms of a booking by sign and adds them to its nights, as the updates that the repository sent
// would do: -1 for a sale, 1 for a return, and 0 for what must leave the nights alone.
func (c *cell) count(b *bookings.Booking, sign int) error {
	quantity := map[string]int{}
	for _, line := range b.Lines {
		quantity[line.RoomTypeID] = line.Quantity
	}
	for _, key := range c.capture.nights {
		night := dynastay.RowOf(c.nights[key])
		left, err := number(night.Scalar("AvailableRooms"))
		total, errTotal := number(night.Scalar("TotalRooms"))
		if err := cmp.Or(err, errTotal); err != nil {
			return fmt.Errorf("world: booking %s changes night %s: %w", b.ID, key, err)
		}
		if left += sign * quantity[night.Text("RoomTypeId")]; left < 0 || left > total {
			return fmt.Errorf("world: booking %s leaves %d of %d rooms free on night %s", b.ID, left, total, key)
		}
		c.nights[key]["AvailableRooms"] = dynastay.Number(left)
		c.nights[key]["LastUpdated"] = dynastay.Instant(c.now)
	}
	want := 0
	if sign != 0 {
		want = len(b.Lines) * b.Stay.Nights()
	}
	if n := len(c.capture.nights); n != want {
		return fmt.Errorf("world: booking %s changes %d nights, and must change %d", b.ID, n, want)
	}
	c.capture.nights = c.capture.nights[:0]
	return nil
}

// change sets the values of a change in its nights, as an update by the repository does.
func (c *cell) change(of availability.Change) error {
	values, before := valuesOf(of)
	for _, id := range of.RoomTypeIDs {
		for date := range of.Dates.Dates() {
			key, err := keys.Of(keys.Night{RoomTypeID: id, Date: date.AddDays(-before)})
			if err != nil {
				return err
			}
			night := c.nights[key]
			if night == nil {
				return fmt.Errorf("world: night %s must be open to be changed", key)
			}
			maps.Copy(night, values)
			night["LastUpdated"] = dynastay.Instant(c.now)
		}
	}
	return nil
}

// valuesOf returns the attributes that a planned change sets, and how many nights before its dates they are stored.
// Each planned change sets one value, apart from the reason of a stop-sell.
func valuesOf(c availability.Change) (values dynastay.Item, before int) {
	yes := &types.AttributeValueMemberBOOL{Value: true}
	switch {
	case c.StopSell != nil:
		return dynastay.Item{"IsBlocked": yes, "BlockReason": dynastay.Text(c.StopSellReason)}, 0
	case c.ClosedToArrival != nil:
		return dynastay.Item{"ClosedToArrival": yes}, 0
	case c.MinStay != nil:
		return dynastay.Item{"MinStay": dynastay.Number(*c.MinStay)}, 0
	case c.MaxStay != nil:
		return dynastay.Item{"MaxStay": dynastay.Number(*c.MaxStay)}, 0
	}
	return dynastay.Item{"ClosedToDeparture": yes}, 1
}

func number(digits string, kind dynastay.Kind) (int, error) {
	if kind != dynastay.KindNumber {
		return 0, fmt.Errorf("must be a number, got %s", kind)
	}
	return strconv.Atoi(digits)
}

// readNights lets the repository read the nights of the room types, with the rooms that the bookings left.
func (c *cell) readNights(ctx context.Context, p *properties.WithRooms) (all []*availability.Night, err error) {
	repo := availability.New(c.open(shown{&c.capture}))
	for _, room := range p.Rooms {
		read, err := repo.Check(ctx, p.ID, room.ID, 1, c.world.nights())
		if err != nil {
			return nil, err
		}
		for i := range read.Nights {
			all = append(all, &read.Nights[i])
		}
	}
	return all, nil
}

// readPayments lets the repository read what is recorded about the payments of the bookings.
func (c *cell) readPayments(ctx context.Context, of []*bookings.Booking) (all map[string]Payments, err error) {
	repo := bookings.New(c.open(shown{&c.capture}), nil)
	all = map[string]Payments{}
	for _, b := range of {
		history, err := repo.PaymentHistory(ctx, b.ID)
		if err != nil {
			return nil, err
		}
		if len(history.Payments) == 0 {
			continue
		}
		summary, err := repo.Payment(ctx, b.ID)
		if err != nil {
			return nil, err
		}
		all[b.ID] = Payments{summary, history}
	}
	return all, nil
}

// users makes the users from, inclusive, to to, exclusive.
func (c *cell) users(ctx context.Context, from, to int) (all []*users.User, err error) {
	repo := users.New(c.open(&c.capture), nil)
	for i := from; i < to; i++ {
		var person users.User
		person, c.now = c.world.person(i)
		made, err := repo.Create(ctx, person)
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// items yields the items of the cell, in the order in which the repositories wrote them.
func (c *cell) items(yield func(*dynastay.Schema, dynastay.Item) bool) {
	for _, p := range c.capture.puts {
		if !yield(p.schema, p.item) {
			return
		}
	}
}
