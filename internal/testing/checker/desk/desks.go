// Package desk runs and checks the writes of a hotel's front desk: who has which unit, and which units are out of order.
package desk

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// frontOffice is what a process has of the desks. They have tables of their own, because the other scenarios know all that is in
// theirs.
type frontOffice struct {
	*dynastay.DB
	bookings *bookings.Repository
	units    *units.Repository
	receipts *entity.Table[checker.Receipt]
}

func newFrontOffice(db *dynastay.DB) *frontOffice {
	// Nobody waits until the end of the day for guests who do not come.
	return &frontOffice{db, bookings.New(db, &bookings.Options{NoShowAfter: time.Nanosecond}), units.New(db), entity.NewTable(db, receiptEntity)}
}

// Join adds the front desks to a run.
func Join(c *checker.Run) { c.Add(newDesks(c), 40) }

// receiptEntity are what two in three calls leave.
var receiptEntity = checker.ReceiptsIn("Receipts")

// desks give the few units of a hotel to its guests, move them, swap their units, change their stays, let them leave and come
// back, many at the same time. Other units are retired while guests get them, and some are out of order for a time.
type desks struct {
	*checker.Run
	front  *dyntest.DB
	of     func(checker.OfProcess) *frontOffice
	calls  checker.Deeds[*call]
	house  availability.House
	room   string                      // the id of the room type
	asks   []availability.QuoteRequest // of the stays that guests book
	quotes []*availability.Quote

	mu      sync.Mutex
	guests  []*guest // whose bookings were acknowledged
	all     []*call
	made    map[string]*checker.Once  // the creations, by mark
	states  map[string]map[int]*state // of bookings, by id and version
	retired map[string][]*retirement  // by unit
	refused []deskRefusal
	repairs []*repair
}

// guest is a booking, and the unit that it was last seen to have.
type guest struct {
	id     string
	unit   string
	status bookings.Status
}

// call is a write that concerns one booking or two.
type call struct {
	*checker.Deed
	kind     string
	bookings []string
	still    bool // it may change nothing, and then makes no version
}

// state is what a booking has with one of its versions, and the time within which that began.
type state struct {
	began  checker.Span
	nights map[units.Night]bool
	by     *call // nil if another answer has told of it
}

// retirement is a call that retires a unit.
type retirement struct {
	checker.Span
	verdict checker.Verdict
}

// deskRefusal names who has a night.
type deskRefusal struct {
	checker.Span
	taken units.TakenNight
}

const (
	deskUnits   = 5   // that are never retired
	deskGuests  = 10  // of the last ones, who still get units
	deskLasting = 150 // calls of the whole checker until other units are retired
)

func newDesks(c *checker.Run) *desks {
	front := c.Database(
		dyntest.OnlyTables(keys.BookingsTable, keys.AvailabilityTable, keys.PropertiesTable, keys.MetadataTable), dyntest.Tables(receiptEntity.Schema),
	)
	of := checker.Each(func(p *checker.Process) *frontOffice {
		return newFrontOffice(p.Open(front, func(*dynastay.Options) {}))
	})
	d := &desks{Run: c, front: front, of: of, made: map[string]*checker.Once{}, states: map[string]map[int]*state{}, retired: map[string][]*retirement{}}
	db := front.Direct
	made, err := properties.New(db, nil).Create(c.T.Context(), properties.Property{
		Name: "Many Desks", Slug: "many-desks", Type: properties.Hotel, OwnerID: "user_host", Status: properties.Approved, CheckInTime: "00:01",
		Address: properties.Address{City: "Boston", Country: "USA", Latitude: 42.36, Longitude: -71.06},
	}, []properties.RoomType{{Name: "Double", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: deskUnits}})
	require.NoError(c.T, err)
	d.room = made.Rooms[0].ID
	d.house = availability.House{ID: made.ID, TimeZone: made.TimeZone}
	first := dynastay.DateOf(checker.Midnight, time.UTC)
	_, err = availability.New(db).Open(c.T.Context(), availability.OpenRequest{
		PropertyID: made.ID, RoomTypeID: d.room, Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(4)},
		Rooms: availability.MaxRooms, AboveCapacity: true, Price: fixture.Price,
	})
	require.NoError(c.T, err)
	for from := range 2 {
		for nights := 1; nights <= 3; nights++ {
			stay := dynastay.Stay{CheckIn: first.AddDays(from), CheckOut: first.AddDays(from + nights)}
			req, err := made.Card().QuoteRequest(stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: d.room, Quantity: 1 + nights%2})
			require.NoError(c.T, err)
			q, err := availability.New(db).Quote(c.T.Context(), req)
			require.NoError(c.T, err)
			d.asks, d.quotes = append(d.asks, req), append(d.quotes, q)
		}
	}
	for n := range deskUnits {
		d.newUnit(fmt.Sprint("u", n))
	}
	return d
}

func (d *desks) newUnit(id string) {
	_, err := units.New(d.front.Direct).CreateAll(context.Background(), []units.Unit{{PropertyID: d.house.ID, ID: id, RoomTypeID: d.room}})
	if err != nil {
		d.Differ("a unit that cannot be created", id, "%v", err)
	}
}

// retiring is the unit that is retired these days. It is created by the first who asks.
func (d *desks) retiring() string {
	id := fmt.Sprint("r", d.Called()/deskLasting)
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.retired[id]; !known {
		d.retired[id] = nil
		d.newUnit(id)
	}
	return id
}

func (d *desks) unit(w *checker.Worker) string {
	if w.OneIn(8) {
		return d.retiring()
	}
	return fmt.Sprint("u", w.Rand.IntN(deskUnits))
}

func housed(g *guest) bool { return g.unit != "" }
func gone(g *guest) bool   { return g.status == bookings.Completed || g.status == bookings.NoShow }
func anybody(*guest) bool  { return true }

// guest draws one of the last guests.
func (d *desks) guest(w *checker.Worker, who func(*guest) bool) *guest {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := slices.Clone(d.guests[max(0, len(d.guests)-deskGuests):])
	last = slices.DeleteFunc(last, func(g *guest) bool { return !who(g) })
	if len(last) == 0 {
		return nil
	}
	copied := *last[w.Rand.IntN(len(last))]
	return &copied
}

func (d *desks) Step(w *checker.Worker) {
	switch at := w.Rand.IntN(49); {
	case at < 5:
		d.walkIn(w)
	case at == 5:
		d.retire(w)
	case at == 6:
		d.automatic(w)
	case at < 11:
		d.repair(w)
	default:
		who := anybody
		switch {
		case at >= 44:
			who = gone
		case at > 21, at == 18, at == 19:
			who = housed
		}
		one, other := d.guest(w, who), d.guest(w, who)
		if one == nil || other == nil { // with another walk-in, those who could have units would soon not be among the last
			at, one, other = 11, d.guest(w, anybody), d.guest(w, anybody)
		}
		if one == nil || other == nil {
			d.walkIn(w)
			return
		}
		d.calls.Do(w, func(keyed bool) *call { return d.draw(w, at, one, other, keyed) })
	}
}

// walkIn books a stay. A third of the guests must pay first.
func (d *desks) walkIn(w *checker.Worker) {
	mark := w.Mark()
	req := fixture.Request(d.quotes[w.Rand.IntN(len(d.quotes))])
	req.SpecialRequests = mark
	if w.OneIn(3) {
		req.Hold = time.Hour
	}
	var b *bookings.Booking
	at := checker.Span{From: d.Moment()}
	o := &checker.Once{Name: "walk in", Items: mark, About: mark, Refusal: checker.Never, Send: func(ctx context.Context, p *checker.Process) (err error) {
		b, err = d.of(p).bookings.Create(ctx, req)
		return err
	}}
	d.mu.Lock()
	d.made[mark] = o
	d.mu.Unlock()
	if o.Call(w) == checker.Acknowledged && b != nil {
		at.To = d.Moment()
		d.noted(at, nil, b)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.guests = append(d.guests, &guest{id: b.ID})
	}
}

// draw draws a write.
func (d *desks) draw(w *checker.Worker, at int, one, other *guest, keyed bool) *call {
	c := &call{bookings: []string{one.id}}
	to := []bookings.Assignment{{RoomTypeID: d.room, UnitID: d.unit(w)}}
	var send func(p *checker.Process) (dynastay.Part, func() []*bookings.Booking)
	single := func(op func(p *checker.Process) *dynastay.Operation[*bookings.Booking]) {
		send = func(p *checker.Process) (dynastay.Part, func() []*bookings.Booking) {
			o := op(p)
			return o, func() []*bookings.Booking { return []*bookings.Booking{o.Result()} }
		}
	}
	var m bookings.Modification
	if at >= 40 && at < 43 {
		var err error
		m, err = bookings.New(d.front.Direct, nil).QuoteModification(context.Background(), one.id, d.asks[w.Rand.IntN(len(d.asks))])
		if err != nil {
			at = 36 // they are not asked again
		}
		if err != nil && !refuses(err) {
			d.Differ("a quote that failed", one.id, "%v", err)
		}
	}
	switch {
	case at < 17:
		c.kind = "assign"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.AssignUnitsOp(one.id, to)
		})
	case at < 20 && one.unit != "":
		c.kind = "check in unit"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.CheckInOp(one.id, nil)
		})
	case at < 20:
		c.kind = "check in to"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.CheckInToOp(one.id, to)
		})
	case at < 22:
		c.kind, c.still = "extend hold", true
		long := time.Duration(w.Rand.IntN(600)) * time.Minute
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.ExtendHoldOp(one.id, time.Minute+long)
		})
	case at < 24:
		c.kind = "check out unit"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.CheckOutOp(one.id)
		})
	case at < 28:
		c.kind = "move unit"
		move := bookings.UnitMove{From: one.unit, To: to[0].UnitID}
		if move.From == move.To {
			move.To = "u0"
		}
		if move.From == move.To {
			move.To = "u1"
		}
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.MoveUnitOp(one.id, move)
		})
	case at < 34 && one.id != other.id && one.unit != other.unit:
		c.kind, c.bookings = "swap units", []string{one.id, other.id}
		s := bookings.UnitSwap{A: bookings.UnitOf{BookingID: one.id, UnitID: one.unit}, B: bookings.UnitOf{BookingID: other.id, UnitID: other.unit}}
		send = func(p *checker.Process) (dynastay.Part, func() []*bookings.Booking) {
			o := d.of(p).bookings.SwapUnitsOp(s)
			return o, func() []*bookings.Booking { return []*bookings.Booking{o.Result().A, o.Result().B} }
		}
	case at < 37:
		c.kind = "unassign"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.UnassignUnitsOp(one.id, nil)
		})
	case at >= 44 && one.status == bookings.NoShow:
		c.kind = "reinstate unit"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.ReinstateOp(one.id)
		})
	case at >= 44:
		c.kind = "undo the check-out"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.UndoCheckOutOp(one.id)
		})
	case at == 43:
		c.kind = "no-show unit"
		single(func(p *checker.Process) *dynastay.Operation[*bookings.Booking] {
			return d.of(p).bookings.NoShowOp(one.id)
		})
	case at >= 40:
		c.kind, c.still = "another stay", true
		send = func(p *checker.Process) (dynastay.Part, func() []*bookings.Booking) {
			o := d.of(p).bookings.ModifyOp(m)
			return o, func() []*bookings.Booking { return []*bookings.Booking{o.Result().Booking} }
		}
	default:
		c.kind = "cancel unit"
		send = func(p *checker.Process) (dynastay.Part, func() []*bookings.Booking) {
			o := d.of(p).bookings.CancelOp(one.id, "", nil)
			return o, func() []*bookings.Booking { return []*bookings.Booking{o.Result().Booking} }
		}
	}
	d.deed(w, c, keyed, send)
	return c
}

// deed makes the call. A receipt that is written together with it tells whether it was carried out.
func (d *desks) deed(w *checker.Worker, c *call, keyed bool, send func(*checker.Process) (dynastay.Part, func() []*bookings.Booking)) {
	mark := w.Mark()
	items := c.bookings[0]
	if len(c.bookings) > 1 {
		items += " " + c.bookings[1]
	}
	c.Deed = w.Deed(mark, c.kind, items, "", keyed, refuses, func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
		op, results := send(p)
		at := checker.Span{From: d.Moment()}
		err := d.of(p).Write(ctx, append(c.Leave(d.of(p).receipts, parts), op)...)
		at.To = d.Moment()
		if err != nil {
			d.named(at, err)
			return err
		}
		for _, b := range results() {
			if keyed || c.still {
				// A repetition, and a call that had nothing to do, return what they have read. If the pages of that are short, a
				// write may be between the booking and its lines.
				d.met(b)
				continue
			}
			d.noted(checker.Between(c.Within.From, at.To), c, b)
		}
		return nil
	})
	if !w.OneIn(3) {
		c.Receipt = &checker.Receipt{ID: mark, Kind: c.kind, Of: c.bookings[0]}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, c)
}

// automatic assigns to all who arrive. What it did is seen in their bookings only.
func (d *desks) automatic(w *checker.Worker) {
	arrivals := dynastay.Stay{CheckIn: dynastay.DateOf(checker.Midnight, time.UTC)}
	arrivals.CheckOut = arrivals.CheckIn.AddDays(1)
	c := &call{kind: "assign to all", still: true}
	c.Deed = w.Deed(w.Mark(), c.kind, "", "", false, checker.Never, func(ctx context.Context, p *checker.Process, _ ...dynastay.Part) error {
		from := d.Moment()
		done, err := d.of(p).bookings.AutoAssign(ctx, bookings.AutoAssignment{PropertyID: d.house.ID, Arrivals: arrivals})
		for _, b := range done.Bookings {
			d.noted(checker.Between(from, d.Moment()), c, b)
		}
		return err
	})
	d.mu.Lock()
	d.all = append(d.all, c)
	d.mu.Unlock()
	c.Call(w)
}

func (d *desks) retire(w *checker.Worker) {
	id, r := d.retiring(), &retirement{}
	r.From = d.Moment()
	r.verdict = w.Call("retire", id, id, checker.RefusedBy(dynastay.ErrRefused), func(ctx context.Context) error {
		return checker.ErrorOf(d.of(w).bookings.RetireUnit(ctx, d.house, id))
	})
	r.To = d.Moment()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retired[id] = append(d.retired[id], r)
}

func (d *desks) Settle(w *checker.Worker) { d.calls.Settle(w) }
