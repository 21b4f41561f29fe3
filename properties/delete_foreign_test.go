package properties_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// A room type that other software added, before or while the property is deleted, leaves no nights on sale and no id
// that can be used again.
func TestDeleteARoomTypeOfOtherSoftware(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 2)
	stop := s.db.Faults.Record()
	require.NoError(t, s.repo.Delete(t.Context(), s.id))
	requests := len(stop())
	for nth := 1; nth <= requests-3; nth++ { // the last three delete what the request before them has read
		s := openSeller(t, 1, 2)
		var offer *availability.Quote
		s.db.Faults.Inject(dyntest.Before(func(context.Context) {
			s.addTheirs("theirs")
			if s.status() != properties.Deleting {
				offer = s.mustQuote("theirs")
			}
		}), dyntest.When{Nth: nth})
		require.NoError(t, s.repo.Delete(t.Context(), s.id), "added before request %d", nth)
		assert.Empty(t, partition(t, s.db, "PROPERTY#"+s.id))
		s.rooms = append(s.rooms, "theirs")
		closed, open := s.marks()
		assert.Equal(t, []int{4, 0}, []int{closed, open}, "added before request %d", nth)
		assert.NotEmpty(t, s.guards()[1])
		if offer != nil {
			s.assertOffSale(offer)
		}
	}
}
