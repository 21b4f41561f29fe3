package docs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// Bookings that were made, confirmed, changed and cancelled after the time to which the tables are restored.
func TestBookingsSince(t *testing.T) {
	t.Parallel()
	first, later := aged(t)
	hotel := fixture.New(t, first.DB, 3)
	kept, changing, ending := book(t, first, hotel, fixture.Stay), book(t, first, hotel, dynastay.MustStay("2026-07-20", "2026-07-21")),
		book(t, first, hotel, dynastay.MustStay("2026-07-22", "2026-07-23"))
	held := fixture.Request(hotel.Quote(t, first.DB, dynastay.MustStay("2026-07-24", "2026-07-25"), 1))
	held.Hold = 15 * time.Minute
	confirmed, err := bookings.New(first.DB, nil).Create(t.Context(), held)
	require.NoError(t, err)
	second := restored(t, first)
	later()
	_, err = bookings.New(first.DB, nil).Confirm(t.Context(), confirmed.ID, nil)
	require.NoError(t, err)
	_, err = bookings.New(second.DB, nil).ExpireHolds(t.Context())
	require.NoError(t, err)
	made1, made2 := book(t, first, hotel, fixture.Stay), book(t, first, hotel, fixture.Stay)
	pay(t, first, made1)
	pay(t, first, changing)
	_, err = bookings.New(first.DB, nil).Cancel(t.Context(), ending.ID, "plans changed", nil)
	require.NoError(t, err)
	book(t, second, hotel, dynastay.MustStay("2026-07-12", "2026-07-13")) // on the copy, one of the rooms that made2 has

	db, olddb, ctx := second.DB, first.DB, t.Context()
	today := dynastay.DateOf(at, time.UTC)
	var made, changed, lost []*bookings.Booking
	since := func() error {
		made, changed, lost = nil, nil, nil
		// page since: find them
		old, repo := bookings.New(olddb, nil), bookings.New(db, nil)
		for _, status := range []bookings.Status{
			bookings.Pending, bookings.Confirmed, bookings.CheckedIn, bookings.Completed, bookings.NoShow, bookings.Cancelled,
		} {
			for summary, err := range old.ByStatus(status).All(ctx) {
				if err != nil {
					return err
				}
				if summary.Stay.CheckOut.Before(today) {
					continue
				}
				was, err := old.Get(ctx, summary.ID)
				if err != nil {
					return err
				}
				switch is, err := repo.Get(ctx, summary.ID); {
				case errors.Is(err, dynastay.ErrNotFound):
					made = append(made, was)
				case err != nil:
					return err
				case was.Status == bookings.Confirmed && (is.Status == bookings.Pending || is.Status == bookings.Expired):
					made = append(made, was) // its hold is over in the copy
				case is.Version != was.Version || is.PaymentStatus != was.PaymentStatus:
					changed = append(changed, was)
				}
			}
		}
		// end of page

		// page since: make them again
		for _, b := range made {
			if b.Status != bookings.Confirmed || b.Stay.CheckIn.Before(today) {
				continue // a person decides
			}
			source := b.Source
			if source.Channel == "" {
				source = bookings.Source{Channel: "restore", ExternalReference: b.ID}
			}
			again, err := repo.ByExternalReference(ctx, source) // by an earlier run
			if errors.Is(err, dynastay.ErrNotFound) {
				again, err = bookAgain(ctx, db, b, source)
			}
			switch {
			case errors.Is(err, dynastay.ErrRefused), errors.Is(err, dynastay.ErrInvalid), errors.Is(err, dynastay.ErrNotFound):
				fmt.Println(b.Reference, "is lost:", err)
				lost = append(lost, b)
				continue
			case err != nil:
				return err
			}
			history, err := old.PaymentHistory(ctx, b.ID)
			if err != nil {
				return err
			}
			for _, payment := range history.Payments {
				payment.BookingID = again.ID
				if _, err := repo.RecordPayment(ctx, payment); err != nil {
					return err
				}
			}
			fmt.Println(b.Reference, "is now", again.Reference, b.Total, again.Total)
		}
		// end of page
		return nil
	}
	for range 2 { // an interrupted run is repeated
		require.NoError(t, since())
		assert.ElementsMatch(t, []string{made1.ID, made2.ID, confirmed.ID}, idsOf(made))
		assert.ElementsMatch(t, []string{changing.ID, ending.ID}, idsOf(changed))
		assert.Len(t, lost, 1)
	}
	repo := bookings.New(second.DB, nil)
	again := made1
	if lost[0].ID == made1.ID {
		again = made2
	}
	copied, err := repo.ByExternalReference(ctx, bookings.Source{Channel: "restore", ExternalReference: again.ID})
	require.NoError(t, err)
	assert.Equal(t, again.Total, copied.Total)
	assert.Equal(t, again.Guest, copied.Guest)
	_, err = repo.ByExternalReference(ctx, bookings.Source{Channel: "restore", ExternalReference: confirmed.ID})
	require.NoError(t, err)
	assert.Equal(t, []int{2}, hotel.Left(t, second.DB, confirmed.Stay))
	assert.Equal(t, []int{1, 1, 0}, hotel.Left(t, second.DB, fixture.Stay))
	_, err = repo.Get(ctx, kept.ID)
	require.NoError(t, err)
	if again == made1 {
		assert.Equal(t, bookings.PaymentPaid, copied.PaymentStatus)
	}
}

// idsOf returns the ids of bookings.
func idsOf(all []*bookings.Booking) (ids []string) {
	for _, b := range all {
		ids = append(ids, b.ID)
	}
	return ids
}

// page since: one booking
func bookAgain(ctx context.Context, db *dynastay.DB, b *bookings.Booking, source bookings.Source) (*bookings.Booking, error) {
	property, err := properties.New(db, nil).GetWithRooms(ctx, b.PropertyID)
	if err != nil {
		return nil, err
	}
	var choices []properties.Choice
	for _, line := range b.Lines {
		choices = append(choices, properties.Choice{RoomTypeID: line.RoomTypeID, Quantity: line.Quantity})
	}
	request, err := property.Card().QuoteRequest(b.Stay, b.Guests, choices...)
	if err != nil {
		return nil, err
	}
	request.Charges = nil // their sum is in TaxesAndFees
	for i, line := range b.Lines {
		request.Rooms[i].CancellationPolicy = line.CancellationPolicy
		for _, night := range line.Nights {
			request.Rooms[i].Agreed = append(request.Rooms[i].Agreed, night.Price)
		}
	}
	quote, err := availability.New(db).Quote(ctx, request)
	if err != nil {
		return nil, err
	}
	return bookings.New(db, nil).Create(ctx, bookings.Request{
		Quote: quote, UserID: b.UserID, NoUser: b.UserID == "", Guest: b.Guest, Source: source, UniqueReference: true,
		Data: b.Data, TaxesAndFees: b.Breakdown.TaxesAndFees, SpecialRequests: b.SpecialRequests,
	})
}

// end of page

// A property that was deleted comes back from a copy, and nothing that exists is overwritten.
func TestOneProperty(t *testing.T) {
	t.Parallel()
	live, later := aged(t)
	hotel := fixture.New(t, live.DB, 2)
	second := restored(t, live)
	later()
	require.NoError(t, properties.New(live.DB, nil).Delete(t.Context(), hotel.ID))
	gone := raw.All(t, live, keys.PropertiesTable)

	ctx, client, property := t.Context(), live.Client, &hotel.Property
	from, to := second.TableName(keys.PropertiesTable), live.TableName(keys.PropertiesTable)
	db := live.DB
	run := func() error {
		// page one-property: copy it
		for _, partition := range []string{"PROPERTY#" + property.ID, "RATES#" + property.ID, "UNITS#" + property.ID, "SLUG#" + property.Slug} {
			copied, there, err := copyMissing(ctx, client, from, to, partition)
			if err != nil {
				return err
			}
			fmt.Println(partition, copied, "copied,", there, "were there")
		}
		_, err := properties.New(db, nil).Approve(ctx, property.ID) // puts its nights on sale again
		if err != nil {
			return err
		}
		// end of page
		return nil
	}
	require.NoError(t, run())
	for _, item := range gone { // the guard of the room type, which Approve has opened
		assert.Equal(t, "GUARD", raw.Plain(t, item)["SK"])
	}
	got, err := properties.New(live.DB, nil).BySlug(ctx, hotel.Slug)
	require.NoError(t, err)
	assert.Equal(t, hotel.Name, got.Name)
	book(t, live, hotel, fixture.Stay)

	_, err = properties.New(live.DB, nil).Update(ctx, hotel.ID, func(p *properties.Property) error {
		p.Description = "newer than the copy"
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, run())
	kept, err := properties.New(live.DB, nil).Get(ctx, hotel.ID)
	require.NoError(t, err)
	assert.Equal(t, "newer than the copy", kept.Description)
}

// page one-property: what is missing
func copyMissing(ctx context.Context, client *dynamodb.Client, from, to, partition string) (copied, there int, err error) {
	pages := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
		TableName: &from, KeyConditionExpression: aws.String("PK = :partition"), ConsistentRead: aws.Bool(true),
		ExpressionAttributeValues: map[string]types.AttributeValue{":partition": &types.AttributeValueMemberS{Value: partition}},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return copied, there, err
		}
		for _, item := range page.Items {
			_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
				TableName: &to, Item: item, ConditionExpression: aws.String("attribute_not_exists(PK)"),
			})
			var exists *types.ConditionalCheckFailedException
			switch {
			case err == nil:
				copied++
			case errors.As(err, &exists):
				there++
			default:
				return copied, there, err
			}
		}
	}
	return copied, there, nil
}

// end of page

// The numbers of the nights are compared with the bookings, of which one was never stored.
func TestCountTheRooms(t *testing.T) {
	t.Parallel()
	first, _ := aged(t)
	hotel := fixture.New(t, first.DB, 3)
	ctx, db, propertyID, dates := t.Context(), first.DB, hotel.ID, dynastay.MustStay("2026-07-01", "2026-08-01")
	cancelled := book(t, first, hotel, fixture.Stay)
	_, err := bookings.New(db, nil).Cancel(ctx, cancelled.ID, "plans changed", nil)
	require.NoError(t, err)
	book(t, first, hotel, fixture.Stay)
	var differ []string
	count := func() error {
		differ = nil
		// page one-property: count the rooms
		err := bookings.New(db, nil).VerifyNights(ctx, propertyID, dates)
		var different *bookings.NightsError
		if errors.As(err, &different) {
			for _, night := range different.Nights {
				differ = append(differ, night.String())
			}
			return nil
		}
		// end of page
		return err
	}
	require.NoError(t, count())
	assert.Empty(t, differ)

	lost := book(t, first, hotel, dynastay.MustStay("2026-07-11", "2026-07-12"))
	for _, item := range raw.Partition(t, first, keys.BookingsTable, "BOOKING#"+lost.ID) {
		plain := raw.Plain(t, item)
		raw.Delete(t, first, keys.BookingsTable, dynastay.Key{PK: plain["PK"].(string), SK: plain["SK"].(string)})
	}
	require.NoError(t, count())
	assert.Equal(t, []string{hotel.RoomTypeID + " 2026-07-11: sold 2, booked 1"}, differ)
}
