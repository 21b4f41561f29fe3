// Hotel is a day at the desk of a hotel platform, told by a program that runs against a real DynamoDB engine:
//
//	go run ./examples/hotel
//
// It opens three hotels, fills a catalogue of destinations, searches in a city and around a point, signs up a guest,
// books, finds the booking again, lets 64 guests race for the last 20 rooms, and cancels. Then a hotelier changes a
// month in one update, looks at the month's calendar, numbers the rooms and gives them to who comes, and closes and reopens the sales of the hotel. An inn sells under three
// rate plans, and through a channel. A host registers another hotel, which is approved, suspended, approved again and deleted.
// A booking is held, confirmed, lengthened, and followed from arrival to departure. Its guest gets loyalty points, reviews the stay, and is
// finally erased. Taxes are charged, and partly refunded with a receipt. At the end, the program loads items of the
// hotel-booking document as other software stores them, unchanged, and reads and updates them. Each step is one function below
// and is printed with the requests that it sent and the units that the engine charged. Local engines disagree about the units
// of a transaction; the requests are the same on DynamoDB.
//
// The program fails unless exactly 20 of the racing guests get a room, the cancelled room is back on sale, the closed
// hotel refuses a quote, and the suspended one refuses a booking with an earlier quote. Package dyntest/engine chooses
// the engine; its documentation explains how to choose another one.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

func main() { report.Main("hotel", run) }

func run(ctx context.Context, w io.Writer, _ bool) error {
	secret := make([]byte, 32) // in production, from where secrets are kept: all processes need the same
	_, _ = rand.Read(secret)   // never fails
	sealer, err := offer.NewSealer(offer.Key{ID: "2026-06", Secret: secret})
	if err != nil {
		return err
	}
	d := &desk{clock: now, sealer: sealer}
	p := report.Program{Name: "hotel", Tables: keys.Tables(), Options: dynastay.Options{
		Clock:    func() time.Time { return d.clock },
		IndexLag: 10 * time.Millisecond, // local engines do not lag
	}}
	return p.Run(ctx, w, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		d.open(open())
		return d.day(ctx, out)
	})
}

// desk holds the repositories of the platform and what one step leaves for the next.
type desk struct {
	db         *dynastay.DB
	properties *properties.Repository
	nights     *availability.Repository
	units      *units.Repository
	bookings   *bookings.Repository
	users      *users.Repository
	reviews    *reviews.Repository
	offers     *search.Search

	city    properties.CityQuery
	orchard *properties.WithRooms
	guest   *users.User
	offer   *availability.Quote
	booking *bookings.Booking
	reunion *bookings.Booking
	written *reviews.Review
	sealer  *offer.Sealer
	token   string    // an offer that a guest has
	clock   time.Time // which the last steps set forward
}

func (d *desk) open(db *dynastay.DB) {
	d.db = db
	d.properties = properties.New(db, nil)
	d.offers = search.New(db, d.properties)
	d.nights = availability.New(db)
	d.units = units.New(db)
	d.bookings = bookings.New(db, nil)
	d.users = users.New(db, nil)
	d.reviews = reviews.New(db, d.properties, nil)
}

// day is the program.
func (d *desk) day(ctx context.Context, r *report.Report) error {
	for _, step := range []struct {
		title string
		do    func(context.Context, *report.Findings) error
	}{
		{fmt.Sprintf("Open three hotels for %d nights", season.Nights()), d.openHotels},
		{"The catalogue of destinations, and what people type", d.addDestinations},
		{fmt.Sprintf("Search New York: %d nights for two, %s", stay.Nights(), stay), d.search},
		{"Only four stars and free cancellation, best rated first", d.searchWithFilters},
		{"A family of five: two rooms", d.searchForFamily},
		{"Around Bryant Park, nearest first", d.searchAround},
		{"Sign up a guest", d.signUp},
		{"Book the cheapest offer", d.book},
		{"Find the booking by its reference, and list the guest's bookings", d.find},
		{fmt.Sprintf("%d guests want the last %d rooms", racers, lastRooms), d.race},
		{"Cancel the first booking; its room is back on sale", d.cancel},
		{"June at the Orchard Street Hotel: prices, restrictions, a stop-sell", d.update},
		{"The same update again: there is nothing left to write", d.update},
		{fmt.Sprintf("Parties ask for %d stays there in June, and book what they can", parties), d.fillMonth},
		{"The calendar of June", d.showMonth},
		{"The hotel numbers its twelve King Studios", d.numberRooms},
		{"Everybody who comes in June gets a room", d.assignRooms},
		{"The room plan of June, in one request", d.showPlan},
		{"Close the sales of the hotel", d.closeSales},
		{"Reopen them", d.reopenSales},
		{"An inn sells in three ways: flexible, at 15 % less, with half board", d.addPlans},
		{"Search again: what three nights cost a family under each", d.searchPlans},
		{"They book half board, and a friend the cheapest", d.bookPlans},
		{"Prices have risen; the friend brings somebody, at the old ones", d.joinFriend},
		{"What is due of it when: the deposits, and the rest a week before", d.payDeposit},
		{"A channel delivers what it has sold at its own price, twice", d.deliver},
		{"A host registers a hotel, with images and amenities", d.register},
		{"An admin approves what has waited longest", d.approve},
		{"The hotel is suspended while a guest holds a quote", d.suspend},
		{"It is approved again; its host's stop-sell still applies", d.resume},
		{"Delete a hotel with bookings, which is refused, and one without", d.remove},
		{"Hold a room for 15 minutes, while the guest pays", d.hold},
		{"20 minutes later, the hold has ended", d.payLate},
		{"A promo code, and an offer that travels through the browser", d.sealOffer},
		{"The guest takes the offer; another guest tries the promo code", d.openOffer},
		{"The payment confirms the booking; the provider reports it three times", d.pay},
		{"One more night: the two nights already booked keep their price", d.modify},
		{"The rest is paid", d.payMore},
		{"The guests arrive", d.checkIn},
		{"They leave, and get loyalty points", d.checkOut},
		{"The guest reviews the stay; nobody else can", d.review},
		{"A moderator approves the review, and the hotel is rated", d.moderate},
		{"The hotel responds, and another guest finds the review helpful", d.respond},
		{"The guest asks to be forgotten", d.forget},
		{"The taxes of New York, in each quote from now on", d.addTaxes},
		{"Two rooms cancelled a day before arrival: one half refunded, one not", d.cancelLate},
		{"The receipt of the cancelled booking", d.showReceipt},
		{"Load items of the hotel-booking document, unchanged, in one transaction", d.loadDocument},
		{"Read them: the user by e-mail, the booking by reference, the night", d.readDocument},
		{"Update the property of the document once", d.adoptDocument},
	} {
		if err := r.Step(ctx, step.title, step.do); err != nil {
			return err
		}
	}
	return r.Total()
}
