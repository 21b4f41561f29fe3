// Hotel is a day at the desk of a hotel platform, told by a program that runs against a real DynamoDB engine:
//
//	go run ./examples/hotel
//
// It opens three hotels, searches, signs up a guest, books, finds the booking again, lets 64 guests race for the last 20
// rooms, and cancels. Finally it loads items of the hotel-booking document as other software stores them, unchanged, and
// reads them. Each step is one function below and is printed with the requests that it sent and the units that the
// engine charged. Local engines disagree about the units of a transaction; the requests are the same on DynamoDB.
//
// The program fails unless exactly 20 of the racing guests get a room and the cancelled room is back on sale. Package
// dyntest/engine chooses the engine; its documentation explains how to choose another one.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hotel:", err)
		os.Exit(1)
	}
}

// run makes tables of its own, because others may use the engine too, and deletes them at the end.
func run(ctx context.Context, w io.Writer) (err error) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		return err
	}
	out := &report{w: w}
	prefix := "hotel-" + rand.Text()[:8] + "-"
	db := dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix,
		Clock:       func() time.Time { return now },
		Observer:    out.observe,
	})
	defer func() {
		// The end of the context may be why the program ends.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, e.DeleteTables(ctx, prefix, keys.Tables()...), e.Stop(ctx))
	}()
	if err := e.CreateTables(ctx, prefix, keys.Tables()...); err != nil {
		return err
	}
	if err := out.head(e.Name(), db.Now()); err != nil {
		return err
	}
	return newDesk(db).day(ctx, out)
}

// desk holds the repositories of the platform and what one step leaves for the next.
type desk struct {
	db         *dynastay.DB
	properties *properties.Repository
	nights     *availability.Repository
	bookings   *bookings.Repository
	users      *users.Repository

	guest   *users.User
	offer   *availability.Quote
	booking *bookings.Booking
}

func newDesk(db *dynastay.DB) *desk {
	return &desk{
		db:         db,
		properties: properties.New(db, nil),
		nights:     availability.New(db),
		bookings:   bookings.New(db, nil),
		users:      users.New(db, nil),
	}
}

// day is the program.
func (d *desk) day(ctx context.Context, r *report) error {
	for _, step := range []struct {
		title string
		do    func(context.Context, *details) error
	}{
		{fmt.Sprintf("Open three hotels, each room type for %d nights", season.Nights()), d.openHotels},
		{fmt.Sprintf("Search New York: %d nights for two, %s", stay.Nights(), stay), d.search},
		{"Sign up a guest", d.signUp},
		{"Book the cheapest offer", d.book},
		{"Find the booking by its reference, and all of the guest's", d.find},
		{fmt.Sprintf("%d guests want the last %d rooms", racers, lastRooms), d.race},
		{"Cancel the first booking; its room is back on sale", d.cancel},
		{"Load items of the hotel-booking document, unchanged, in one transaction", d.loadDocument},
		{"Read them: the user by e-mail, the booking by reference, the night", d.readDocument},
	} {
		if err := r.step(ctx, step.title, step.do); err != nil {
			return err
		}
	}
	return r.total()
}

func (d *desk) openHotels(ctx context.Context, out *details) error {
	for _, h := range hotels() {
		made, err := d.properties.Create(ctx, h.property, h.rooms)
		if err != nil {
			return err
		}
		nights, err := d.openNights(ctx, made, h.minStay)
		if err != nil {
			return err
		}
		at := made.Address
		out.row(made.Name, at.Line1, fmt.Sprintf("%.4f, %.4f", at.Latitude, at.Longitude),
			fmt.Sprintf("%d room types", len(made.Rooms)), fmt.Sprintf("%d nights", nights))
	}
	return nil
}

// openNights puts every room of a property on sale for the whole season.
func (d *desk) openNights(ctx context.Context, p *properties.WithRooms, minStay int) (nights int, err error) {
	for _, room := range p.Rooms {
		made, err := d.nights.Open(ctx, availability.OpenRequest{
			PropertyID: p.ID,
			RoomTypeID: room.ID,
			Nights:     season,
			Rooms:      room.Total,
			Price:      room.BasePrice,
			MinStay:    minStay,
		})
		if err != nil {
			return nights, err
		}
		nights += len(made.Opened)
	}
	return nights, nil
}

// search asks a price for every room type that the search finds, and keeps the cheapest offer.
func (d *desk) search(ctx context.Context, out *details) error {
	page, err := d.properties.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, card := range page.Items {
		for _, room := range card.Rooms {
			quote, err := d.quote(ctx, card, room.ID)
			if refusal := whyNot(err); refusal != "" {
				out.row(card.Name, room.Name, "-", refusal)
				continue
			}
			if err != nil {
				return err
			}
			out.row(card.Name, room.Name, quote.Total, plain(quote.Lines[0].CancellationPolicy))
			if err := d.keepCheapest(quote); err != nil {
				return err
			}
		}
	}
	return nil
}

// quote asks the price of one room for the stay of two.
func (d *desk) quote(ctx context.Context, card *properties.Card, roomTypeID string) (*availability.Quote, error) {
	two, one := availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: roomTypeID, Quantity: 1}
	request, err := card.QuoteRequest(stay, two, one)
	if err != nil {
		return nil, err
	}
	return d.nights.Quote(ctx, request)
}

func (d *desk) keepCheapest(quote *availability.Quote) error {
	if d.offer == nil {
		d.offer = quote
		return nil
	}
	order, err := quote.Total.Compare(d.offer.Total)
	if order < 0 {
		d.offer = quote
	}
	return err
}

func (d *desk) signUp(ctx context.Context, out *details) error {
	guest, err := d.users.Create(ctx, users.User{
		ID: "user_ada", Email: "Ada@Example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer,
		Phone: "+44 20 7946 0958", Country: "United Kingdom",
	})
	if err != nil {
		return err
	}
	d.guest = guest
	out.row("user", guest.ID, guest.FirstName+" "+guest.LastName, guest.Email)
	return nil
}

func (d *desk) book(ctx context.Context, out *details) error {
	if d.offer == nil {
		return errors.New("the search found no offer")
	}
	booking, err := d.bookings.Create(ctx, bookings.Request{
		Quote:  d.offer,
		UserID: d.guest.ID,
		Guest: bookings.Guest{
			FirstName: d.guest.FirstName,
			LastName:  d.guest.LastName,
			Email:     d.guest.Email,
			Phone:     d.guest.Phone,
			Country:   d.guest.Country,
		},
		SpecialRequests: "A quiet room, please",
	}, dynastay.IdempotencyKey("request-1").Of(d.guest.ID))
	if err != nil {
		return err
	}
	d.booking = booking
	line := booking.Lines[0]
	out.row(booking.Reference, booking.Status, booking.PropertyName, line.Name, booking.Total)
	return nil
}

func (d *desk) find(ctx context.Context, out *details) error {
	found, err := d.bookings.ByReference(ctx, d.booking.Reference)
	if err != nil {
		return err
	}
	out.row("reference", found.Reference, found.Status, found.Stay, found.Total)

	page, err := d.bookings.ByUser(d.guest.ID).Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, b := range page.Items {
		out.row("user "+b.UserID, b.Reference, b.Status, b.Stay, b.Total)
	}
	return nil
}

// race has every guest book the same offer at the same time, each with a request and an idempotency key of its own.
func (d *desk) race(ctx context.Context, out *details) error {
	var wg sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, racers)
	for i := range racers {
		wg.Go(func() {
			<-start
			request := racer(i, d.offer)
			_, errs[i] = d.bookings.Create(ctx, request, dynastay.IdempotencyKey("request-1").Of(request.UserID))
		})
	}
	close(start)
	wg.Wait()

	booked, told, err := tally(errs)
	if err != nil {
		return err
	}
	out.row(booked, "got a room")
	for _, refusal := range slices.Sorted(maps.Keys(told)) {
		out.row(told[refusal], "refused: "+refusal)
	}
	if booked != lastRooms {
		return fmt.Errorf("%d guests got a room, want %d", booked, lastRooms)
	}
	return nil
}

// tally counts those who booked, and those who were refused by what they were told. Any other error is returned.
func tally(errs []error) (booked int, told map[string]int, err error) {
	told = make(map[string]int)
	for _, err := range errs {
		refusal := whyNot(err)
		switch {
		case err == nil:
			booked++
		case refusal != "":
			told[refusal]++
		default:
			return booked, told, err
		}
	}
	return booked, told, nil
}

func (d *desk) cancel(ctx context.Context, out *details) error {
	cancelled, err := d.bookings.Cancel(ctx, d.booking.ID, "plans changed")
	if err != nil {
		return err
	}
	b := cancelled.Booking
	out.row(b.Reference, b.Status, b.CancellationReason)

	line := b.Lines[0]
	back, err := d.nights.Check(ctx, b.PropertyID, line.RoomTypeID, line.Quantity, b.Stay)
	if err != nil {
		return err
	}
	for _, night := range back.Nights {
		out.row(line.Name, night.Date, fmt.Sprintf("%d left", night.Available))
	}
	if !back.OK() {
		return fmt.Errorf("the rooms of the cancelled booking were not returned: %v", back.Refused)
	}
	return nil
}

// loadDocument puts raw items, past the validation of the repositories, which sell no stay in the past. A custom
// operation can write any items, alone or together with operations of the repositories.
func (d *desk) loadDocument(ctx context.Context, out *details) error {
	items, err := documentItems()
	if err != nil {
		return err
	}
	for _, schema := range keys.Tables() {
		for _, item := range items[schema.Name] {
			row := dynastay.RowOf(item)
			out.row(schema.Name, row.Text(keys.AttrEntityType), schema.Key.From(row))
		}
	}
	return d.db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "hotel.LoadDocument",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			for _, schema := range keys.Tables() {
				for _, item := range items[schema.Name] {
					tx.Put(schema, item)
				}
			}
			return struct{}{}, nil
		},
	}))
}

func (d *desk) readDocument(ctx context.Context, out *details) error {
	guest, err := d.users.ByEmail(ctx, "John.Doe@example.com")
	if err != nil {
		return err
	}
	out.row("user", guest.ID, guest.FirstName+" "+guest.LastName, guest.Email)

	booking, err := d.bookings.ByReference(ctx, "BKG-2024-XYZ123")
	if err != nil {
		return err
	}
	out.row("booking", booking.ID, booking.Stay, booking.Status, booking.Total)

	line := booking.Lines[0]
	prices, err := d.nights.Prices(ctx, line.RoomTypeID, booking.Stay)
	if err != nil {
		return err
	}
	for _, night := range prices.Nights {
		out.row("night", line.RoomTypeID, night.Date, line.Name, night.Price)
	}
	return nil
}
