package availability_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
)

func indexed(date, room string) dynastay.Item {
	return dynastay.Item{
		"GSI1PK": dynastay.Text("PROPERTY#" + propertyID), "GSI1SK": dynastay.Text("DATE#" + date + "#ROOM#" + room),
	}
}

// A night whose index key, written by other software, is of another date than its own, is reported and not shown where
// it does not belong.
func TestCalendarOfAStaleIndexKey(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"2026-06-15", "2026-08-15", "2026-07-11"} {
		db, repo := open(t)
		putNights(t, db, night(roomTypeID, own, indexed("2026-07-10", roomTypeID), dynastay.Item{"ClosedToDeparture": yes}))
		c, err := repo.Calendar(t.Context(), propertyID, july)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.EqualError(t, err, "Night ROOM#room_789/DATE#"+own+" (GSI1SK): unreadable item: must agree with the key")
		assert.Empty(t, c.RoomTypeIDs)
	}
}

// One night of the stay is not open; a night outside the stay has an index key inside it.
func TestCheckAllPricesANightOutsideTheStay(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	for _, room := range []string{"room_a", "room_b", "room_c"} {
		putNights(t, db,
			night(room, "2026-07-10", indexed("2026-07-10", room)),
			night(room, "2026-08-15", indexed("2026-07-11", room)))
	}
	stay := dynastay.MustStay("2026-07-10", "2026-07-12")
	var reqs []availability.CheckRequest
	for _, room := range []string{"room_a", "room_b", "room_c"} {
		reqs = append(reqs, availability.CheckRequest{PropertyID: propertyID, RoomTypeID: room, Rooms: 1})
	}
	all, err := repo.CheckAll(t.Context(), reqs, stay)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	for _, a := range all {
		assert.False(t, a.OK())
		assert.False(t, a.Prices().Total.IsSet(), "the night of 11 July is not open, so there is no total; got %s", a.Prices().Total)
		for _, n := range a.Nights {
			assert.True(t, stay.Contains(n.Date), n.Date)
		}
	}
}

// A night of a room type that was not asked for cannot be read.
func TestCheckAllIsNotDisturbedByOtherRoomTypes(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	var reqs []availability.CheckRequest
	for _, room := range []string{"room_a", "room_b", "room_c"} {
		putNights(t, db, night(room, "2026-07-10", indexed("2026-07-10", room)))
		reqs = append(reqs, availability.CheckRequest{PropertyID: propertyID, RoomTypeID: room, Rooms: 1})
	}
	putNights(t, db, night("room_x", "2026-07-10", indexed("2026-07-10", "room_x"), dynastay.Item{"MinStay": dynastay.Text("two")}))
	_, err := repo.CheckAll(t.Context(), reqs, oneNight("2026-07-10"))
	assert.NoError(t, err, "room_x was not asked for")
}

// The results of two requests for one room type share no memory.
func TestCheckAllSharesNights(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night(roomTypeID, "2026-07-10"))
	all, err := repo.CheckAll(t.Context(), []availability.CheckRequest{
		{PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: 1}, {PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: 2},
	}, oneNight("2026-07-10"))
	require.NoError(t, err)
	all[0].Nights[0].Price = money("1.00 USD")
	assert.Equal(t, money("280.00 USD"), all[1].Nights[0].Price)
}

// Other software may store a time to live of 0 for "never". DynamoDB ignores times that are more than five years ago.
func TestNightThatNeverExpires(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{"ExpiresAt": dynastay.Number(0)}))
	got, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, oneNight("2026-07-10"))
	require.NoError(t, err)
	assert.True(t, got.OK(), "%v", got.Refused)
}

// parallel is a client that counts the requests in flight.
type parallel struct {
	*dynamodb.Client
	mu        sync.Mutex
	now, most int
}

func (c *parallel) enter() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.most = max(c.most, c.now)
	return func() { c.mu.Lock(); defer c.mu.Unlock(); c.now-- }
}

func (c *parallel) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	defer c.enter()()
	return c.Client.Query(ctx, in, opts...)
}

func (c *parallel) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	defer c.enter()()
	return c.Client.BatchGetItem(ctx, in, opts...)
}

// However the nights are read, at most 16 requests are in flight.
func TestCheckAllSends16AtATime(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	client := &parallel{Client: db.Client}
	db.Faults.Inject(dyntest.Delay(20*time.Millisecond), dyntest.When{})
	repo := availability.New(dynastay.Open(client, &dynastay.Options{TablePrefix: prefixOf(db), Clock: fixture.Clock}))
	var reqs []availability.CheckRequest
	for i := range 900 { // read by BatchGetItem
		reqs = append(reqs, availability.CheckRequest{PropertyID: "prop_" + string(rune('a'+i%26)) + string(rune('A'+i/26)), RoomTypeID: "room_" + string(rune('a'+i%26)) + string(rune('A'+i/26)), Rooms: 1, RoomTypes: 1000})
	}
	for i := range 30 { // read on the index
		for _, room := range []string{"x", "y", "z"} {
			id := string(rune('a' + i))
			if i >= 26 {
				id = "A" + string(rune('a'+i-26))
			}
			reqs = append(reqs, availability.CheckRequest{PropertyID: "all_" + id, RoomTypeID: "room_" + id + room, Rooms: 1})
		}
	}
	_, err := repo.CheckAll(t.Context(), reqs, oneNight("2026-07-10"))
	require.NoError(t, err)
	assert.LessOrEqual(t, client.most, 16)
}
