package lambda_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/lambda"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// plain has the names that the recorded events use. Nothing is sent to it.
var plain = dynastay.Open(&dynamodb.Client{}, nil)

// TestRecordedEvents handles an event of each table, as Lambda passes it to a function: recorded by
// TestEventsOfAnEngine.
func TestRecordedEvents(t *testing.T) {
	for _, s := range keys.Tables() {
		t.Run(s.Name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", s.Name+".json"))
			require.NoError(t, err)
			var event events.DynamoDBEvent
			require.NoError(t, json.Unmarshal(data, &event))
			checkTable(t, s.Name, event)
		})
	}
}

// keep returns a route that appends the changes to all.
func keep[T any](d stream.Decoder[T], all *[]stream.Change[T]) stream.Route {
	return stream.On(d, func(_ context.Context, c stream.Change[T]) error {
		*all = append(*all, c)
		return nil
	})
}

// handle passes an event to a handler, which must succeed.
func handle(t *testing.T, event events.DynamoDBEvent, routes ...stream.Route) {
	t.Helper()
	out, err := lambda.Handler(stream.NewRouter(routes...), nil)(t.Context(), event)
	require.NoError(t, err)
	assert.Empty(t, out.BatchItemFailures)
}

// sides returns what a function says about both sides of each change; "" for an entity that does not exist.
func sides[T any](changes []stream.Change[T], says func(*T) string) (all [][2]string) {
	side := func(v *T) string {
		if v == nil {
			return ""
		}
		return says(v)
	}
	for _, c := range changes {
		all = append(all, [2]string{side(c.Old), side(c.New)})
	}
	return all
}

// checkTable checks the changes that [tell] has caused in one table.
func checkTable(t *testing.T, table string, event events.DynamoDBEvent) {
	t.Helper()
	hotels := properties.New(plain, nil)
	switch table {
	case "Properties":
		var all []stream.Change[properties.Property]
		var rooms []stream.Change[properties.RoomType]
		handle(t, event, keep(hotels.Changes().Properties, &all), keep(hotels.Changes().Rooms, &rooms))
		require.GreaterOrEqual(t, len(all), 2)
		assert.Equal(t, [][2]string{{"", "Inn"}, {"Inn", "Grand Inn"}}, sides(all[:2], func(p *properties.Property) string { return p.Name }))
		assert.Equal(t, "Rome", all[0].New.Address.City)
		assert.Equal(t, 41.9028, all[1].Old.Address.Latitude)
		assert.Equal(t, [][2]string{{"", "120.00 EUR"}}, sides(rooms, func(r *properties.RoomType) string { return r.BasePrice.String() }))
	case "Availability":
		var all []stream.Change[availability.Night]
		handle(t, event, keep(availability.New(plain).Changes().Nights, &all))
		require.Len(t, all, 3)
		assert.Equal(t, 2, all[0].New.Available)
		assert.Equal(t, 2, all[1].Old.Available)
		assert.Equal(t, 1, all[1].New.Available)
		assert.Equal(t, 1, all[2].Old.Available)
		assert.Nil(t, all[2].New)
		assert.Equal(t, []bool{false, false, true}, []bool{all[0].Record.ByTTL, all[1].Record.ByTTL, all[2].Record.ByTTL})
		assert.Equal(t, dynastay.MustDate("2026-07-10"), all[2].Old.Date)
	case "Bookings":
		var all []stream.Change[bookings.Booking]
		var lines []stream.Change[bookings.Line]
		changes := bookings.New(plain, nil).Changes()
		handle(t, event, keep(changes.Bookings, &all), keep(changes.Lines, &lines))
		assert.Equal(t, [][2]string{{"", "confirmed"}, {"confirmed", "checked_in"}, {"checked_in", "completed"}},
			sides(all, func(b *bookings.Booking) string { return string(b.Status) }))
		assert.Equal(t, "ada@example.com", all[0].New.Guest.Email)
		assert.Equal(t, dynastay.MustStay("2026-07-10", "2026-07-11"), all[2].New.Stay)
		require.Len(t, lines, 2, "the guests got a room")
		assert.Equal(t, []string{"301"}, lines[1].New.RoomIDs)
	case "Users":
		var all []stream.Change[users.User]
		var erased []stream.Change[users.Erased]
		changes := users.New(plain, nil).Changes()
		handle(t, event, keep(changes.Users, &all), keep(changes.Erasures, &erased))
		assert.Equal(t, [][2]string{{"", "King"}, {"King", "Lovelace"}, {"Lovelace", ""}},
			sides(all, func(u *users.User) string { return u.LastName }))
		require.Len(t, erased, 1)
		assert.True(t, erased[0].Created())
	case "Reviews":
		var all []stream.Change[reviews.Review]
		handle(t, event, keep(reviews.New(plain, hotels, nil).Changes().Reviews, &all))
		assert.Equal(t, [][2]string{{"", "pending"}, {"pending", "approved"}, {"approved", "rejected"}, {"rejected", ""}},
			sides(all, func(r *reviews.Review) string { return string(r.Status) }))
		assert.Equal(t, dynastay.Rating(90), all[0].New.Ratings.Overall)
	case "Metadata":
		var all []stream.Change[users.Wishlist]
		handle(t, event, keep(users.New(plain, nil).Changes().Wishlists, &all))
		require.Len(t, all, 3)
		assert.Empty(t, all[0].New.PropertyIDs)
		assert.Len(t, all[1].New.PropertyIDs, 1)
		assert.Equal(t, all[1].New.PropertyIDs, all[2].Old.PropertyIDs)
		assert.Nil(t, all[2].New)
	default:
		require.Fail(t, "no check for the table", table)
	}
}
