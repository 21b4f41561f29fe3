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
	"github.com/dynastay/dynastay/reviews"
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
	past     []*bookings.Booking
	opinions []opinion
}

// hotel makes the i-th hotel, its images, its nights and its bookings.
func (c *cell) hotel(ctx context.Context, i int) (m made, err error) {
	w, h, db := c.world, c.world.house(i), c.open(&c.capture)
	c.now = h.created
	repo := properties.New(db, nil)
	if m.property, err = repo.Create(ctx, h.property, h.rooms); err != nil {
		return m, err
	}
	if m.images, err = repo.AddImages(ctx, h.property.ID, w.images(i, h)); err != nil {
		return m, err
	}
	if err = h.createPlans(ctx, repo); err != nil {
		return m, err
	}
	if err = h.createCharges(ctx, repo); err != nil {
		return m, err
	}
	if err = h.createUnits(ctx, db); err != nil {
		return m, err
	}
	if err = readProperty(ctx, repo, &m); err != nil { // with the plans and the charges on its card
		return m, err
	}
	if h.property.Status == properties.Approved {
		if err := c.trade(ctx, db, i, h, &m); err != nil {
			return m, err
		}
		if err := c.lookBack(ctx, db, i, h, &m); err != nil {
			return m, err
		}
	}
	if err = w.keepHouse(ctx, db, i, h, func(now time.Time) { c.now = now }); err != nil {
		return m, err
	}
	if err = readProperty(ctx, repo, &m); err != nil { // with its rating
		return m, err
	}
	if h.status != h.property.Status {
		c.now = w.opts.Today.Time()
		err = c.setStatus(&m, h.status)
	}
	return m, err
}

// readProperty lets the repository read the property as it is now.
func readProperty(ctx context.Context, repo *properties.Repository, m *made) error {
	stored, err := repo.Get(ctx, m.property.ID)
	if err != nil {
		return err
	}
	m.property.Property = *stored
	return nil
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
	repo := bookings.New(db, &bookingOptions)
	if err := h.promo.create(ctx, repo); err != nil {
		return err
	}
	if m.bookings, err = c.bookAll(ctx, db, h, m.property.Card(), sales); err != nil {
		return err
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
	return w.takeOut(ctx, repo, h, w.repairs(i, h, sales), func(now time.Time) { c.now = now }, c.repaired)
}

// lookBack makes the past stays of a hotel and their reviews.
func (c *cell) lookBack(ctx context.Context, db *dynastay.DB, i int, h *house, m *made) error {
	stays, err := c.world.past(i, h, len(m.bookings))
	if err != nil || len(stays) == 0 {
		return err
	}
	if m.past, err = c.bookAll(ctx, db, h, m.property.Card(), stays); err != nil {
		return err
	}
	m.opinions = c.world.opinions(i, h, stays)
	repo := reviews.New(db, properties.New(db, nil), nil)
	for _, o := range m.opinions {
		if err := o.carryOut(ctx, repo, func(now time.Time) { c.now = now }); err != nil {
			return err
		}
	}
	return nil
}

// bookAll makes bookings, in the order of their plans, and does everything that happens to them.
func (c *cell) bookAll(
	ctx context.Context, db *dynastay.DB, h *house, card *properties.Card, sales []sale,
) (all []*bookings.Booking, err error) {
	repo, nights := bookings.New(db, &bookingOptions), availability.New(db)
	all = make([]*bookings.Booking, len(sales))
	for _, step := range steps(sales) {
		c.now = step.at
		b, s := &all[step.n], sales[step.n]
		if step.does == creates {
			*b, err = c.book(ctx, repo, nights, h, card, s)
		} else {
			*b, err = c.carryOut(ctx, repo, *b, s, step)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// book makes a booking.
func (c *cell) book(
	ctx context.Context, repo *bookings.Repository, nights *availability.Repository, h *house, card *properties.Card, s sale,
) (*bookings.Booking, error) {
	reference := c.world.reference(s.number)
	c.id, c.drawn.left = s.id, reference[:]
	request, err := c.world.request(nights, h, card, s)
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

// request returns the booking request of a sale. The repository of nights makes the quote, at the time of the sale, and
// sends no request.
func (w *World) request(
	nights *availability.Repository, h *house, card *properties.Card, s sale,
) (bookings.Request, error) {
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
	ask.Charges = h.list() // with the names that are not on the card
	h.agree(&ask, s)
	if req.Quote, err = h.quote(nights, ask, s); err != nil {
		return req, err
	}
	s.tell(&req)
	if s.code != "" {
		req.PromoCode = s.code
		if req.Discounts, err = h.promo.code.Discount(req.Quote.Total); err != nil {
			return req, err
		}
	}
	if ask.Charges != nil {
		return req, req.Quote.Charge(ask.Charges, req.Discounts)
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
// would do: -1 for a sale, 1 for a return, and 0 for what must leave the nights alone. Nights before Today are not
// generated, so their updates change nothing.
func (c *cell) count(b *bookings.Booking, sign int) error {
	quantity := map[string]int{}
	for _, line := range b.Lines {
		quantity[line.RoomTypeID] += line.Quantity
	}
	want, changed := 0, c.capture.nights
	if sign != 0 {
		want = len(quantity) * b.Stay.Nights()
	}
	if n := len(changed); n != want {
		return fmt.Errorf("world: booking %s changes %d nights, and must change %d", b.ID, n, want)
	}
	c.capture.nights = changed[:0]
	if b.Stay.CheckIn.Before(c.world.opts.Today) {
		return nil
	}
	for _, key := range changed {
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

// readPlans lets the repository read the rate plans of a hotel.
func (c *cell) readPlans(ctx context.Context, propertyID string) ([]availability.RatePlan, error) {
	return properties.New(c.open(&c.capture), nil).RatePlans(ctx, propertyID)
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

// user makes the profile of the i-th user.
func (c *cell) user(ctx context.Context, repo *users.Repository, i int) (*users.User, error) {
	var person users.User
	person, c.now = c.world.person(i)
	return repo.Create(ctx, person)
}

// items yields the items of the cell, in the order in which the repositories wrote them.
func (c *cell) items(yield func(*dynastay.Schema, dynastay.Item) bool) {
	for _, p := range c.capture.puts {
		if !yield(p.schema, p.item) {
			return
		}
	}
}
