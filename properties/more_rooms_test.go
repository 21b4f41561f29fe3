package properties_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// addTheirs adds a room type with nights as other software would, which leaves the property as it is.
func (s *seller) addTheirs(id string) {
	s.t.Helper()
	item := partition(s.t, s.db, "PROPERTY#"+s.id)["ROOM#"+s.rooms[0]]
	delete(item, "WriteId")
	item["SK"], item["RoomTypeId"] = dynastay.Text("ROOM#"+id), dynastay.Text(id)
	putDirectly(s.t, s.db, item)
	rows, err := dynastay.QueryAll(context.Background(), s.db.Direct, keys.AvailabilityTable, dynastay.Query{
		Partition: "ROOM#" + s.rooms[0], Consistent: true,
	})
	require.NoError(s.t, err)
	for _, row := range rows {
		night := row.Item()
		night["PK"], night["RoomTypeId"] = dynastay.Text("ROOM#"+id), dynastay.Text(id)
		s.putNight(night)
	}
}

// A room type that other software added after the property was adopted is suspended and approved like the others.
func TestSuspendARoomTypeOfOtherSoftware(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 2)
	s.addTheirs("theirs")
	offer := s.mustQuote("theirs")
	require.NoError(t, second(s.repo.Suspend(t.Context(), s.id)))
	s.assertOffSale(offer)
	require.NoError(t, second(s.repo.Approve(t.Context(), s.id)))
	_, err := s.book(offer)
	require.NoError(t, err)
}

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

func (s *seller) putNight(night dynastay.Item) {
	_, err := s.db.Engine.Client().PutItem(context.Background(), &dynamodb.PutItemInput{
		TableName: aws.String(s.db.TableName(keys.AvailabilityTable)), Item: night,
	})
	require.NoError(s.t, err)
}
