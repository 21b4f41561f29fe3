package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
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
