package bookings

import (
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// verifySums compares what a booking says about its lines, payments and refunds with these. Every write of one of them also writes
// the booking, so if that is the same before and after, so are they.
func (r *Repository) verifySums(ctx context.Context, at dynastay.Key) error {
	rows, err := r.read(ctx, at, dynastay.Consistent)
	for range mostVerified {
		if err != nil || !rows.booking.Exists() {
			return err
		}
		names, err := r.wrongSums(at, rows)
		if err != nil || len(names) == 0 {
			return err
		}
		again, err := r.read(ctx, at, dynastay.Consistent)
		if err != nil {
			return err
		}
		if sameWrite(rows.booking, again.booking) {
			return &entity.DifferentError{Entity: "Booking", ID: idOf(at), Attributes: names}
		}
		rows = again
	}
	return nil // it is written all the time, and so by the library
}

func sameWrite(a, b dynastay.Row) bool {
	id := keys.BookingsTable.WriteIDName()
	return b.Exists() && slices.Equal(a.Value(id).Bytes(), b.Value(id).Bytes())
}

// wrongSums returns the names of the attributes that do not follow from the other items of the booking. Those of the summary of the
// payments begin with "Payment.".
func (r *Repository) wrongSums(at dynastay.Key, rows stored) (names []string, err error) {
	b, err := r.bookingOf(at, rows)
	if err != nil {
		return nil, err
	}
	names = b.wrongRooms()
	wrong := func(name string, is bool) {
		if is {
			names = append(names, name)
		}
	}
	var total dynastay.Money
	for i, line := range b.Lines {
		if i == 0 {
			total = line.Subtotal
		} else if total, err = total.Add(line.Subtotal); err != nil {
			return nil, corruptBooking(at, "Subtotal", err)
		}
	}
	wrong("PriceBreakdown.RoomTotal", b.Breakdown.Rooms != total)
	sum := *b
	if err := sum.addUp(); err != nil {
		return nil, corruptBooking(at, "PriceBreakdown", err)
	}
	wrong("TotalAmount", sum.Total != b.Total)
	a, err := rows.account(b.ID, b.Total.Currency())
	if err != nil || a.understood() != nil || len(a.payments) == 0 {
		return names, err // of what other software has stored, nothing may follow
	}
	follows, err := a.summary(b.Total)
	if err != nil {
		return nil, err
	}
	is, err := readSummary(rows.summary, b.Total.Currency())
	if err != nil {
		return nil, err
	}
	wrong("PaymentStatus", b.PaymentStatus.normal() != follows.Status)
	wrong("Payment.PaidAmount", is.Paid != follows.Paid)
	wrong("Payment.AuthorizedAmount", is.Authorized != follows.Authorized)
	wrong("Payment.RefundAmount", is.Refunded != follows.Refunded)
	return names, nil
}

func corruptBooking(at dynastay.Key, field string, err error) error {
	return &dynastay.Error{Op: "bookings.VerifyRow", Entity: "Booking", ID: idOf(at), Field: field, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
}

// wrongRooms returns the name of the number of rooms if it is not that of the lines. Other software does not store it.
func (b *Booking) wrongRooms() []string {
	rooms := 0
	for _, line := range b.Lines {
		rooms += line.Quantity
	}
	if b.Rooms == 0 || b.Rooms == rooms {
		return nil
	}
	return []string{"NumberOfRooms"}
}
