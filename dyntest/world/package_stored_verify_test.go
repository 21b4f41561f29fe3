package world

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// Everything that follows from what a world has is there: index keys, guards, cards, sums, ratings, and the rooms of each night.
func TestWorldVerifies(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(small)
	db := dyntest.New(t, dyntest.At(w.Now()))
	require.NoError(t, w.Load(ctx, db.Direct, nil))
	hosts, stays := properties.New(db.Direct, nil), bookings.New(db.Direct, nil)
	said := reviews.New(db.Direct, hosts, nil)
	for table, verify := range map[*dynastay.Schema]func(context.Context, dynastay.Row) (bool, error){
		keys.PropertiesTable: hosts.VerifyRow, keys.AvailabilityTable: availability.New(db.Direct).VerifyRow, keys.BookingsTable: stays.VerifyRow,
		keys.UsersTable: users.New(db.Direct, nil).VerifyRow, keys.ReviewsTable: said.VerifyRow,
	} {
		all := raw.All(t, db, table)
		assert.NotEmpty(t, all)
		for _, item := range all {
			_, err := verify(ctx, dynastay.RowOf(item))
			require.NoError(t, err)
		}
	}
	today := dynastay.DateOf(w.Now(), w.Now().Location())
	for i := range small.Properties {
		id := w.Hotel(i).ID
		assert.NoError(t, said.VerifyRating(ctx, id))
		ahead := dynastay.Stay{CheckIn: today.AddDays(1), CheckOut: today.AddDays(400)}
		assert.NoError(t, stays.VerifyNights(ctx, id, ahead)) // a world has no nights of the past
		assert.NoError(t, stays.VerifyUnits(ctx, id, ahead))
	}
}
