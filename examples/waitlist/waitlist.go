package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

const (
	offerFor = 2 * time.Hour // how long a guest can take an offer
	ahead    = 700           // days from now in which a stay must end: one read of the nights has at most 732

	dataPK, dataSK = "WaitlistPK", "WaitlistSK" // the key of the entry, in the data of an offer's booking
)

// waitlistTable has a partition for each room type, in which those who wait stand in their order, and one for each guest.
var waitlistTable = &dynastay.Schema{Name: "Waitlist", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, Stream: true}

// Entry is a guest who waits for a stay, or has an offer of it. It is deleted once that is over.
type Entry struct {
	ID, PropertyID, RoomTypeID, UserID string // the generated ids of entries sort in the order of time
	Guest                              bookings.Guest
	Stay                               dynastay.Stay
	Rooms                              int
	Guests                             availability.Guests
	BookingID                          string           // the hold that is the offer; "" while the guest waits
	Price                              dynastay.Money   // of the offer
	WriteID                            dynastay.WriteID `dynamodbav:"WriteId"`
}

type entryKey struct{ RoomTypeID, ID string }

func (k *entryKey) Form(f *key.Form) {
	f.PK("ROOM#", key.ID("RoomTypeID", &k.RoomTypeID))
	f.SK("ENTRY#", key.ID("ID", &k.ID))
}

// guestKey is of the guard that lets a guest wait once for each arrival. By its partition, an erasure finds the entries.
type guestKey struct {
	UserID, RoomTypeID string
	CheckIn            dynastay.Date
}

func (k *guestKey) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("UserID", &k.UserID))
	f.SK("ROOM#", key.ID("RoomTypeID", &k.RoomTypeID), "#ARRIVAL#", key.Date("CheckIn", &k.CheckIn))
}

var entries = entity.New(entity.Spec[Entry]{
	Name: "Entry", Operations: "waitlist", Schema: waitlistTable, Codec: entity.Tagged[Entry](), ID: "ID", Prefix: "wait_",
	Key: func(e *Entry) (dynastay.Key, error) { return key.Of(entryKey{e.RoomTypeID, e.ID}) },
	Unique: []entity.Unique[Entry]{{
		Field: "UserID", Owner: []string{"RoomTypeID", "ID"},
		Guard: func(e *Entry) (dynastay.Key, error) { return key.Of(guestKey{e.UserID, e.RoomTypeID, e.Stay.CheckIn}) },
	}},
})

// key returns the zero Key, which every method refuses, if an id is not one.
func (e *Entry) key() dynastay.Key {
	at, _ := key.Of(entryKey{e.RoomTypeID, e.ID})
	return at
}

// Waitlist is the waitlist of all hotels. Any number of processes may use it.
type Waitlist struct {
	db       *dynastay.DB
	entries  *entity.Table[Entry]
	hotels   *properties.Repository
	nights   *availability.Repository
	bookings *bookings.Repository
}

func newWaitlist(db *dynastay.DB) *Waitlist {
	return &Waitlist{db, entity.NewTable(db, entries), properties.New(db, nil), availability.New(db), bookings.New(db, nil)}
}

// Queue lists the entries of a room type in the order of waiting, with those that have an offer.
func (w *Waitlist) Queue(roomTypeID string) dynastay.List[*Entry] {
	partition, err := key.Partition(entryKey{RoomTypeID: roomTypeID})
	if err != nil {
		return dynastay.NoList[*Entry](err)
	}
	return w.entries.List(dynastay.Query{Name: "waitlist.Queue", Partition: partition, Consistent: true})
}

// Join lets a guest wait. The stay may be free again by now: the workers look at every new entry.
func (w *Waitlist) Join(ctx context.Context, e Entry) (*Entry, error) {
	if e.Stay.Validate() != nil || e.Stay.CheckOut.After(dynastay.DateOf(w.db.Now(), nil).AddDays(ahead)) {
		return nil, dynastay.Invalid("Stay", "must end after it begins, and within %d days", ahead)
	}
	return w.entries.Create(ctx, &e)
}

// Take confirms the booking of an offer, at the price of the offer. It fails with a [*bookings.StatusError] if that is over.
func (w *Waitlist) Take(ctx context.Context, e *Entry) error {
	confirm, done := w.bookings.ConfirmOp(e.BookingID, nil), w.entries.DeleteOp(e.key())
	return w.db.Write(ctx, confirm, done, dynastay.IdempotencyKey(e.ID).Of("waitlist.Take"))
}

// Leave ends the wait of a guest, who declines the offer if there is one. It cancels nothing that has been taken.
func (w *Waitlist) Leave(ctx context.Context, e *Entry) error {
	now, err := w.entries.Get(ctx, e.key(), dynastay.Consistent)
	if err != nil {
		return err
	}
	parts := []dynastay.Part{w.entries.DeleteOp(e.key(), dynastay.IfWritten(now.WriteID))}
	if now.BookingID != "" {
		parts = append(parts, w.bookings.CancelHoldOp(now.BookingID, "declined"))
	}
	if err = w.db.Write(ctx, parts...); errors.Is(err, dynastay.ErrVersion) {
		return w.Leave(ctx, e) // an offer has been made since
	}
	return err
}

// Offer offers the free rooms of a room type to those who wait, in their order. It passes over a guest for whom a night
// lacks rooms. The workers call it when a booking returns rooms; call it after opening nights, too.
func (w *Waitlist) Offer(ctx context.Context, roomTypeID string) (err error) {
	for range 10 { // attempts, if others sell the rooms or make the offers
		// If rooms, a price or an entry are not as they were read, begin again: what has become free meanwhile may be for
		// an earlier guest than the next one.
		err = w.offerOnce(ctx, roomTypeID)
		if !errors.Is(err, dynastay.ErrRefused) && !errors.Is(err, dynastay.ErrVersion) && !errors.Is(err, dynastay.ErrNotFound) {
			return err
		}
	}
	return err
}

func (w *Waitlist) offerOnce(ctx context.Context, roomTypeID string) error {
	var hotel *properties.WithRooms
	var waiting []*Entry
	var asks []availability.QuoteRequest
	for e, err := range w.Queue(roomTypeID).All(ctx) {
		if err == nil && e.BookingID != "" {
			continue
		}
		if err == nil && hotel == nil {
			hotel, err = w.hotels.GetWithRooms(ctx, e.PropertyID, dynastay.Consistent)
		}
		if err != nil {
			return err
		}
		ask, err := hotel.Card().QuoteRequest(e.Stay, e.Guests, properties.Choice{RoomTypeID: roomTypeID, Quantity: e.Rooms})
		if cmp.Or(err, ask.Validate(w.db.Now())) == nil {
			waiting, asks = append(waiting, e), append(asks, ask)
		} else if err := w.entries.Delete(ctx, e.key(), dynastay.IfWritten(e.WriteID)); err != nil { // the stay has begun
			return err
		}
	}
	if len(asks) == 0 {
		return nil
	}
	// All are judged by one read of the nights. If each read them again, a later guest could get what became free after an
	// earlier one was passed over.
	first := slices.MinFunc(waiting, func(a, b *Entry) int { return a.Stay.CheckIn.Compare(b.Stay.CheckIn) })
	last := slices.MaxFunc(waiting, func(a, b *Entry) int { return a.Stay.CheckOut.Compare(b.Stay.CheckOut) })
	span := dynastay.Stay{CheckIn: first.Stay.CheckIn, CheckOut: last.Stay.CheckOut}
	seen, err := w.nights.Check(ctx, hotel.ID, roomTypeID, 1, span, dynastay.Consistent)
	for i := 0; i < len(asks) && err == nil; i++ {
		if quote, no := w.nights.QuoteOf(asks[i], []availability.Availability{seen}); no == nil {
			err = w.hold(ctx, waiting[i], quote)
			for n := range seen.Nights {
				if quote.Stay.Contains(seen.Nights[n].Date) {
					seen.Nights[n].Available -= waiting[i].Rooms
				}
			}
		}
	}
	return err
}

// hold makes an offer. The booking and the entry change in one transaction, if the entry is as it was read: so nobody
// gets two offers, whoever makes them and whichever answer is lost.
func (w *Waitlist) hold(ctx context.Context, e *Entry, quote *availability.Quote) error {
	held := w.bookings.CreateOp(bookings.Request{
		Quote: quote, UserID: e.UserID, Guest: e.Guest, Hold: offerFor,
		Data: bookings.Data{dataPK: e.key().PK, dataSK: e.key().SK},
	})
	return w.db.Write(ctx, held, w.entries.UpdateOp(e.key(), func(e *Entry) error {
		e.BookingID, e.Price = held.Result().ID, held.Result().Total
		return nil
	}, dynastay.IfWritten(e.WriteID)))
}

// router returns the handlers of a worker. They may get a change again, because Offer looks at what is so now.
func (w *Waitlist) router() *stream.Router {
	return stream.NewRouter(
		stream.On(w.bookings.Changes().Bookings, w.onBooking),
		stream.On(stream.NewDecoder(w.db, waitlistTable, key.Is[entryKey], entries.Value), w.onEntry),
	)
}

func (w *Waitlist) onEntry(ctx context.Context, c stream.Change[Entry]) error {
	if !c.Created() {
		return nil
	}
	return w.Offer(ctx, c.New.RoomTypeID)
}

// onBooking ends the entry of an offer that is over, whatever has become of it, and offers rooms that may have been
// returned. If a modification can replace all rooms of a type by others, handle the changes of the lines as well.
func (w *Waitlist) onBooking(ctx context.Context, c stream.Change[bookings.Booking]) error {
	if c.New == nil || c.Old == nil || c.New.Status == c.Old.Status && c.New.Released == c.Old.Released &&
		c.New.Stay == c.Old.Stay && c.New.Rooms == c.Old.Rooms {
		return nil
	}
	if at := (dynastay.Key{PK: c.New.Data[dataPK], SK: c.New.Data[dataSK]}); at.PK != "" && c.New.Status != bookings.Pending {
		if err := w.entries.Delete(ctx, at, dynastay.OrMissing()); err != nil {
			return err
		}
	}
	b, err := w.bookings.Get(ctx, c.New.ID)
	for i := 0; err == nil && i < len(b.Lines); i++ {
		err = w.Offer(ctx, b.Lines[i].RoomTypeID)
	}
	return err
}
