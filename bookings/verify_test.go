package bookings_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// A booking whose index keys and guards do not follow from it is found and mended; its lines and payments are nothing to compare.
func TestVerifyRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	req.Source, req.UniqueReference = bookings.Source{Channel: "expedia", ExternalReference: "x1"}, true
	made, err := repo.Create(ctx, req)
	require.NoError(t, err)
	verify := func() (all []entity.DifferentError) {
		for _, item := range raw.All(t, db, bookingsTable) {
			if _, err := repo.VerifyRow(ctx, dynastay.RowOf(item)); err != nil {
				all = append(all, *blame.As[*entity.DifferentError](t, err))
			}
		}
		return all
	}
	assert.Empty(t, verify())
	raw.Update(t, db, bookingsTable, keyOf(made.ID), "SET GSI7PK = :k, GSI7SK = :k REMOVE GSI5PK", dynastay.Item{":k": dynastay.Text("HOUSE#x")})
	raw.Delete(t, db, bookingsTable, dynastay.Key{PK: "CHANNEL#expedia#REFERENCE#x1", SK: "GUARD"})
	raw.Put(t, db, bookingsTable, dynastay.Item{"PK": dynastay.Text("REFERENCE#other"), "SK": dynastay.Text("GUARD"), "BookingId": dynastay.Text(made.ID)})
	orphan := entity.DifferentError{Entity: "Booking", ID: made.ID, Guard: "REFERENCE#other/GUARD"}
	assert.ElementsMatch(t, []entity.DifferentError{
		{Entity: "Booking", ID: made.ID, Attributes: []string{"GSI5PK", "GSI7PK", "GSI7SK"}, Unguarded: []string{"ExternalReference"}}, orphan,
	}, verify())
	for _, item := range raw.All(t, db, bookingsTable) {
		_, err := repo.MendRow(ctx, dynastay.RowOf(item))
		require.NoError(t, err)
	}
	assert.Equal(t, []entity.DifferentError{orphan}, verify())
	got, err := repo.Get(ctx, made.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

// What a booking says about its lines and payments is compared with them. A mend leaves it.
func TestVerifySums(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	at := keyOf(made.ID)
	verify := func() []string {
		_, err := repo.VerifyRow(ctx, dynastay.RowOf(raw.Get(t, db, bookingsTable, at)))
		if err == nil {
			return nil
		}
		return blame.As[*entity.DifferentError](t, err).Attributes
	}
	half := dynastay.MustMoney("420.00", "USD")
	for n, p := range []bookings.Payment{
		{BookingID: made.ID, ProviderTransactionID: "ch_1", Amount: half, Status: bookings.PaymentPaid},
		{BookingID: made.ID, ProviderTransactionID: "ch_2", Amount: half, Status: bookings.PaymentAuthorized},
	} {
		p.Provider, p.Method = "stripe", "card"
		_, err := repo.RecordPayment(ctx, p)
		require.NoError(t, err, n)
	}
	_, err = repo.RecordRefund(ctx, bookings.Refund{BookingID: made.ID, ID: "re_1", ProviderTransactionID: "ch_1", Amount: dynastay.MustMoney("20.00", "USD")})
	require.NoError(t, err)
	assert.Empty(t, verify())
	payment := dynastay.Key{PK: at.PK, SK: "PAYMENT"}
	for _, c := range []struct {
		key  dynastay.Key
		name string
		v    types.AttributeValue
		want string
	}{
		{at, "NumberOfRooms", dynastay.Number(2), "NumberOfRooms"},
		{at, "PaymentStatus", dynastay.Text("paid"), "PaymentStatus"},
		{at, "TotalAmount", dynastay.Number(841), "TotalAmount"},
		{payment, "PaidAmount", dynastay.Number(419), "Payment.PaidAmount"},
		{payment, "AuthorizedAmount", dynastay.Number(0), "Payment.AuthorizedAmount"},
		{payment, "RefundAmount", dynastay.Number(21), "Payment.RefundAmount"},
	} {
		before := raw.Get(t, db, bookingsTable, c.key)[c.name]
		raw.Set(t, db, bookingsTable, c.key, c.v, c.name)
		assert.Equal(t, []string{c.want}, verify(), c.name)
		_, err := repo.MendRow(ctx, dynastay.RowOf(raw.Get(t, db, bookingsTable, at)))
		require.NoError(t, err)
		assert.Equal(t, []string{c.want}, verify(), "%s is for a person", c.name)
		raw.Set(t, db, bookingsTable, c.key, before, c.name)
	}
	raw.Set(t, db, bookingsTable, at, dynastay.Number(839), "PriceBreakdown", "RoomTotal")
	assert.Equal(t, []string{"PriceBreakdown.RoomTotal", "TotalAmount"}, verify())
	raw.Set(t, db, bookingsTable, at, dynastay.Text("HOUSE#x"), "GSI7PK")
	assert.Equal(t, []string{"GSI7PK", "PriceBreakdown.RoomTotal", "TotalAmount"}, verify())
	raw.Update(t, db, bookingsTable, at, "REMOVE GSI7PK, NumberOfRooms SET PriceBreakdown.RoomTotal = :n", dynastay.Item{":n": dynastay.Number(840)})
	assert.Empty(t, verify(), "other software does not store the number of rooms")
}

// A payment that is recorded while the booking is compared is no difference.
func TestVerifySumsWhileTheyChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	row := dynastay.RowOf(raw.Get(t, db, bookingsTable, keyOf(made.ID)))
	raw.Set(t, db, bookingsTable, keyOf(made.ID), dynastay.Text("paid"), "PaymentStatus") // as if it had been read half
	raw.Set(t, db, bookingsTable, keyOf(made.ID), dynastay.Number(2), "NumberOfRooms")
	pays := db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		raw.Set(t, db, bookingsTable, keyOf(made.ID), dynastay.Number(1), "NumberOfRooms")
		_, err := bookings.New(db.Direct, nil).RecordPayment(ctx, bookings.Payment{
			BookingID: made.ID, ProviderTransactionID: "ch_1", Amount: made.Total, Status: bookings.PaymentPaid, Provider: "stripe", Method: "card",
		})
		require.NoError(t, err)
	}), dyntest.When{Operation: "Query", Nth: 2})
	_, err = repo.VerifyRow(ctx, row)
	require.NoError(t, err)
	assert.Equal(t, 1, pays.Hits())
}
