package docs_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// A wrong price from its publication to the refund. The house has two rooms, and a night that its host had closed before.
func TestWrongPrice(t *testing.T) {
	t.Parallel()
	t.Run("too high", func(t *testing.T) {
		t.Parallel()
		wrongPrice(t, "2800.00", "0.00", dynastay.MustMoney("5040.00", "USD")) // twice 2520
	})
	t.Run("too low", func(t *testing.T) {
		t.Parallel()
		wrongPrice(t, "28.00", "504.00")
	})
}

// wrongPrice publishes a price, and asserts what a guest at the right one has to pay still, and is refunded.
func wrongPrice(t *testing.T, published, left string, refunds ...dynastay.Money) {
	t.Helper()
	db, later := aged(t)
	hotel := fixture.New(t, db.DB, 2)
	props, nights, repo := properties.New(db.DB, nil), availability.New(db.DB), bookings.New(db.DB, nil)
	ctx, propertyID, roomTypeIDs := t.Context(), hotel.ID, []string{hotel.RoomTypeID}
	dates, wrong, right := dynastay.MustStay("2026-07-11", "2026-07-16"), dynastay.MustMoney(published, "USD"), fixture.Price
	update := func(c availability.Change) {
		c.RoomTypeIDs = roomTypeIDs
		_, err := nights.Update(ctx, availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{c}})
		require.NoError(t, err)
	}
	update(availability.Change{Dates: dynastay.MustStay("2026-07-15", "2026-07-16"), StopSell: aws.Bool(true), StopSellReason: "renovation"})
	before := book(t, db, hotel, fixture.Stay)
	later()
	update(availability.Change{Dates: dates, Price: wrong})
	took1, unsold := book(t, db, hotel, fixture.Stay), hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-13", "2026-07-15"), 1)
	took2 := book(t, db, hotel, dynastay.MustStay("2026-07-13", "2026-07-14"))
	for _, b := range []*bookings.Booking{before, took1, took2} {
		pay(t, db, b)
	}
	later()

	require.NoError(t, func() error {
		// page wrong-price: stop the sale
		calendar, err := nights.Calendar(ctx, propertyID, dates)
		if err != nil {
			return err
		}
		open := []availability.DateReport{} // keep it: these are put on sale again
		for _, day := range calendar.Days {
			for _, night := range day.Nights {
				if !night.StopSell {
					open = append(open, availability.DateReport{RoomTypeID: night.RoomTypeID, Date: night.Date})
				}
			}
		}
		stop := availability.Change{RoomTypeIDs: roomTypeIDs, Dates: dates, StopSell: aws.Bool(true), StopSellReason: "wrong price"}
		_, err = nights.Update(ctx, availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{stop}, Only: open})
		if err != nil { // repeat it with the same nights
			return err
		}
		// end of page

		_, err = repo.Create(ctx, fixture.Request(unsold))
		require.ErrorIs(t, err, dynastay.ErrRefused)

		// page wrong-price: mend the prices
		mend := availability.Change{RoomTypeIDs: roomTypeIDs, Dates: dates, Price: right}
		_, err = nights.Update(ctx, availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{mend}, OpenOnly: true})
		if err != nil {
			return err
		}
		// end of page

		var took []*bookings.Booking
		// page wrong-price: find the bookings
		query := bookings.PropertyQuery{PropertyID: propertyID, From: dates.CheckIn.AddDays(1 - availability.MaxNights), To: dates.CheckOut}
		for summary, err := range repo.ByProperty(query).All(ctx) {
			if err != nil {
				return err
			}
			booking, err := repo.Get(ctx, summary.ID, dynastay.Consistent)
			if err != nil {
				return err
			}
			nightsAtIt := 0
			for _, line := range booking.Lines {
				for _, night := range line.Nights {
					if dates.Contains(night.Date) && (night.Price == wrong || night.Source == wrong) {
						nightsAtIt++
					}
				}
			}
			if nightsAtIt > 0 {
				fmt.Println(booking.Reference, booking.Status, booking.Total, booking.PaymentStatus, nightsAtIt)
				took = append(took, booking)
			}
		}
		// end of page
		require.Len(t, took, 2)
		assert.Equal(t, []string{took1.ID, took2.ID}, []string{took[0].ID, took[1].ID})

		booking := took[0]
		// page wrong-price: the right price
		property, err := props.GetWithRooms(ctx, propertyID)
		if err != nil {
			return err
		}
		var choices []properties.Choice
		for _, line := range booking.Lines {
			choices = append(choices, properties.Choice{RoomTypeID: line.RoomTypeID, Quantity: line.Quantity})
		}
		request, err := property.Card().QuoteRequest(booking.Stay, booking.Guests, choices...)
		if err != nil {
			return err
		}
		for i, line := range booking.Lines {
			request.Rooms[i].CancellationPolicy = line.CancellationPolicy
			for _, night := range line.Nights {
				if dates.Contains(night.Date) && night.Price == wrong {
					night.Price = right
				}
				request.Rooms[i].Agreed = append(request.Rooms[i].Agreed, night.Price)
			}
		}
		offer, err := repo.QuoteModification(ctx, booking.ID, request)
		if err != nil {
			return err
		}
		offer.Waive = true
		if _, err := repo.Modify(ctx, offer); err != nil {
			return err
		}
		refund := bookings.Refund{BookingID: booking.ID, ID: "price-" + booking.ID, Status: bookings.PaymentPending, Reason: "wrong price"}
		done, err := repo.RefundDue(ctx, refund)
		if err != nil {
			return err
		}
		for _, refund := range done.Refunds {
			fmt.Println("ask the provider to refund", refund.Amount, "of", refund.ProviderTransactionID) // then RecordRefund
		}
		// end of page
		receipt, err := repo.Receipt(ctx, booking.ID)
		require.NoError(t, err)
		assert.Equal(t, dynastay.MustMoney("840.00", "USD"), receipt.Total)
		assert.Equal(t, left, receipt.Balance.Amount())
		require.Len(t, done.Refunds, len(refunds))
		for i, refund := range refunds {
			assert.Equal(t, refund, done.Refunds[i].Amount)
		}

		booking = took[1]
		// page wrong-price: the property cancels
		history, err := repo.PaymentHistory(ctx, booking.ID)
		if err != nil {
			return err
		}
		var refunds []bookings.Refund
		for _, payment := range history.Payments {
			if payment.Status == bookings.PaymentPaid {
				refunds = append(refunds, bookings.Refund{
					ID: "price-" + payment.ProviderTransactionID, ProviderTransactionID: payment.ProviderTransactionID,
					Amount: payment.Amount, Status: bookings.PaymentPending,
				})
			}
		}
		cancelled, err := repo.Cancel(ctx, booking.ID, "wrong price", refunds)
		if err != nil {
			return err
		}
		for _, refund := range cancelled.Refunds {
			fmt.Println("ask the provider to refund", refund.Amount, "of", refund.ProviderTransactionID)
		}
		// end of page
		assert.Equal(t, booking.Total, cancelled.Refunds[0].Amount)
		assert.Equal(t, bookings.Cancelled, cancelled.Booking.Status)

		// page wrong-price: sell again
		sell := availability.Change{RoomTypeIDs: roomTypeIDs, Dates: dates, StopSell: aws.Bool(false)}
		_, err = nights.Update(ctx, availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{sell}, Only: open})
		if err != nil {
			return err
		}
		// end of page
		return nil
	}())
	_, err := repo.Create(ctx, fixture.Request(unsold))
	require.ErrorIs(t, err, dynastay.ErrRefused, "it has the wrong price")
	got, err := nights.Check(ctx, propertyID, hotel.RoomTypeID, 1, dynastay.MustStay("2026-07-13", "2026-07-16"))
	require.NoError(t, err)
	assert.Equal(t, "[2026-07-15 stop_sell]", fmt.Sprint(got.Refused), "what the host had closed stays closed")
	untouched, err := repo.Get(ctx, before.ID)
	require.NoError(t, err)
	assert.Equal(t, dynastay.MustMoney("840.00", "USD"), untouched.Total)
}
