package properties_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
)

// While a room type is taken off sale to be deleted, another call deletes the only other one. The deletion is refused,
// and the room type is on sale as before, or closed as the host left it.
func TestDeleteTheOnlyRoomTypeThatIsLeft(t *testing.T) {
	t.Parallel()
	for _, closed := range []bool{false, true} {
		s := openSeller(t, 2, 2)
		offer := s.mustQuote(s.rooms[0])
		if closed {
			require.NoError(t, second(s.nights.CloseSales(t.Context(), s.id)))
		}
		defer s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			assert.NoError(t, s.direct.DeleteRoomType(ctx, s.id, s.rooms[1]))
		}), dyntest.When{Operation: "Query", Nth: 1}).Stop()
		stop := s.db.Faults.Record()
		assertField(t, s.repo.DeleteRoomType(t.Context(), s.id, s.rooms[0]), dynastay.ErrInvalid, "RoomTypeID")
		requests := operations(stop())
		if closed {
			assert.Equal(t, []string{"Query", "Query", "BatchGetItem"}, requests[len(requests)-3:], "the guard is not read again")
			s.assertOffSale(offer)
			continue
		}
		_, err := s.book(offer)
		require.NoError(t, err)
	}
}

// As above, but the property is suspended before the room type is put back. The error matches both failures.
func TestDeleteTheOnlyRoomTypeOfASuspendedProperty(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 2)
	defer s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, s.direct.DeleteRoomType(ctx, s.id, s.rooms[1]))
	}), dyntest.When{Operation: "Query", Nth: 1}).Stop()
	defer s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, second(s.direct.Suspend(ctx, s.id)))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 3}).Stop()
	err := s.repo.DeleteRoomType(t.Context(), s.id, s.rooms[0])
	require.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorIs(t, err, availability.ErrSuspended)
}
