package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

// platform is what guests and hotels use. It writes no notification, no document and no delivery: that is left to the
// handlers of the changes.
type platform struct {
	db         *dynastay.DB
	client     *dynamodb.Client // of other software
	properties *properties.Repository
	nights     *availability.Repository
	bookings   *bookings.Repository
	users      *users.Repository
	messages   *entity.Table[message]

	sold   []*bookings.Booking
	sent   []string // the ids of the messages that were put in the outbox
	erased string   // the id of a user
}

func newPlatform(db *dynastay.DB, client *dynamodb.Client) *platform {
	return &platform{
		db: db, client: client,
		properties: properties.New(db, nil), nights: availability.New(db), bookings: bookings.New(db, nil),
		users: users.New(db, nil), messages: entity.NewTable(db, messages),
	}
}

func numbered(what string, n int) string { return fmt.Sprintf("%s_%02d", what, n) }

func (p *platform) open(ctx context.Context, out *report.Findings) error {
	property, types := hotel()
	made, err := p.properties.Create(ctx, property, types)
	if err != nil {
		return err
	}
	opened, err := p.nights.Open(ctx, availability.OpenRequest{
		PropertyID: made.ID, RoomTypeID: double, Nights: stay(), Rooms: rooms, Price: types[0].BasePrice,
	})
	if err != nil {
		return err
	}
	out.Row(made.Name, fmt.Sprintf("%d nights", len(opened.Opened)), fmt.Sprintf("%d rooms", rooms), types[0].BasePrice)
	return p.db.Each(ctx, guests, func(ctx context.Context, n int) error {
		_, err := p.users.Create(ctx, guest(n))
		return err
	})
}

// book holds a room for a guest. The hotel's own system must know every room that is taken, so a message to it is put
// in the same transaction: a booking that is refused leaves no message.
func (p *platform) book(ctx context.Context, n int, quote *availability.Quote) (*bookings.Booking, *message, error) {
	g := guest(n)
	booking := p.bookings.CreateOp(bookings.Request{
		Quote: quote, UserID: g.ID, Hold: 15 * time.Minute,
		Guest: bookings.Guest{FirstName: g.FirstName, LastName: g.LastName, Email: g.Email},
	})
	note := p.messages.CreateFromOp(func() (*message, error) {
		return &message{Topic: roomTaken, BookingID: booking.Result().ID}, nil
	}, roomTaken)
	if err := p.db.Write(ctx, dynastay.IdempotencyKey("request-1").Of(g.ID), booking, note); err != nil {
		return nil, nil, err
	}
	return booking.Result(), note.Result(), nil
}

// everyoneBooks has all guests book at the same time. One of them calls half once some rooms are sold.
func (p *platform) everyoneBooks(ctx context.Context, half func() error) (refused int, err error) {
	property, err := p.properties.GetWithRooms(ctx, hotelID)
	if err != nil {
		return 0, err
	}
	ask, err := property.Card().QuoteRequest(stay(), availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: double, Quantity: 1})
	if err != nil {
		return 0, err
	}
	quote, err := p.nights.Quote(ctx, ask)
	if err != nil {
		return 0, err
	}
	var all sync.WaitGroup
	var count atomic.Int32
	made, notes, errs := make([]*bookings.Booking, guests), make([]*message, guests), make([]error, guests)
	for n := range guests {
		all.Go(func() {
			made[n], notes[n], errs[n] = p.book(ctx, n, quote)
			if errs[n] == nil && count.Add(1) == stopAfter {
				errs[n] = half()
			}
		})
	}
	all.Wait()
	for n, err := range errs {
		switch {
		case err == nil:
			p.sold, p.sent = append(p.sold, made[n]), append(p.sent, notes[n].ID)
		case errors.As(err, new(*availability.Refused)):
			refused++
		default:
			return refused, err
		}
	}
	if len(p.sold) != rooms {
		return refused, fmt.Errorf("%d guests got a room, want %d", len(p.sold), rooms)
	}
	return refused, nil
}

func (p *platform) pay(ctx context.Context, out *report.Findings) error {
	out.Row(len(p.sold), "confirmed")
	return p.db.Each(ctx, len(p.sold), func(ctx context.Context, i int) error {
		paid := payment(p.sold[i])
		paid.BookingID = p.sold[i].ID
		_, err := p.bookings.ApplyPayment(ctx, paid)
		return err
	})
}

// cancel cancels bookings and refunds the payments. Most refunds are paid at once.
func (p *platform) cancel(ctx context.Context, out *report.Findings) error {
	out.Row(cancelled, "cancelled")
	out.Row(cancelled-late, "refunded")
	return p.db.Each(ctx, cancelled, func(ctx context.Context, i int) error {
		refund := bookings.Refund{ID: "re_1", Status: bookings.PaymentRefunded}
		if i < late {
			refund.Status = bookings.PaymentPending
		}
		_, err := p.bookings.Cancel(ctx, p.sold[i].ID, "plans changed", []bookings.Refund{refund})
		return err
	})
}

// refund records that the refunds that were pending have arrived.
func (p *platform) refund(ctx context.Context) error {
	return p.db.Each(ctx, late, func(ctx context.Context, i int) error {
		b := p.sold[i]
		_, err := p.bookings.RecordRefund(ctx, bookings.Refund{ID: "re_1", BookingID: b.ID, Amount: b.Total, Status: bookings.PaymentRefunded})
		return err
	})
}

func (p *platform) edit(ctx context.Context, out *report.Findings) error {
	changed, err := p.properties.Update(ctx, hotelID, func(h *properties.Property) error {
		h.Name = "Harbour House & Garden"
		return nil
	})
	if err != nil {
		return err
	}
	out.Row(changed.ID, changed.Name)
	out.Row("guests", renamed)
	return p.db.Each(ctx, renamed, func(ctx context.Context, n int) error {
		_, err := p.users.Update(ctx, guest(n).ID, func(u *users.User) error {
			u.FirstName = "Renamed"
			return nil
		})
		return err
	})
}

// erase erases a guest whose booking is cancelled and refunded. The booking stays, without the person.
func (p *platform) erase(ctx context.Context, out *report.Findings) error {
	b := p.sold[cancelled-1]
	p.erased = b.UserID
	done, err := p.users.Erase(ctx, b.UserID, p.bookings.Eraser(bookings.RefuseUpcoming), p.properties.Eraser())
	if err != nil {
		return err
	}
	out.Row(b.Reference, "anonymised", done.Done["bookings anonymised"])
	return nil
}
