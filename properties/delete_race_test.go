package properties_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// Another call deletes the property before a request of the first one. It is created anew under the same id, and a third
// call deletes it while one of its rooms is sold. The first call does not delete what is sold.
func TestDeleteOfAPropertyThatIsDeletedAnew(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 1)
	stop := s.db.Faults.Record()
	require.NoError(t, s.repo.Delete(t.Context(), s.id))
	requests := len(stop())
	for nth := 1; nth <= requests; nth++ {
		s := openSeller(t, 1, 1)
		met := false
		s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			if !assert.NoError(t, s.direct.Delete(ctx, s.id)) {
				return
			}
			met, s.rooms = true, []string{"anew"}
			_, err := s.direct.Create(ctx, grand(s.id), []properties.RoomType{king("anew", "250")})
			assert.NoError(t, err)
			s.open("anew", "2026-07-01", 2)
			offer := s.mustQuote("anew")
			third := s.db.Open(nil)
			defer s.db.Faults.Inject(dyntest.After(func(ctx context.Context) {
				assert.NoError(t, second(s.book(offer)))
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Match: func(r dyntest.Request) bool {
				return r.Context.Value(firstCall{}) != nil
			}}).Stop()
			var sold *availability.SoldAheadError
			assert.ErrorAs(t, properties.New(third, nil).Delete(context.WithValue(t.Context(), firstCall{}, true), s.id), &sold)
		}), dyntest.When{Nth: nth})
		err := s.repo.Delete(t.Context(), s.id)
		require.True(t, met)
		require.Error(t, err, "before request %d", nth)
		assert.Equal(t, properties.Deleting, s.status(), fmt.Sprint(nth))
		assert.NotNil(t, partition(t, s.db, "PROPERTY#"+s.id)["ROOM#anew"], "before request %d: %v", nth, err)
	}
}
