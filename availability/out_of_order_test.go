package availability_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// outNight has 5 rooms, of which some are out of order.
func outNight(day string, left, out int, more ...dynastay.Item) dynastay.Item {
	return night(roomTypeID, day, append([]dynastay.Item{{
		"AvailableRooms": dynastay.Number(left), "TotalRooms": dynastay.Number(5), "OutOfOrder": dynastay.Number(out),
	}}, more...)...)
}

// moveOut runs an operation that takes a room out of order, or puts it back.
func moveOut(ctx context.Context, db *dyntest.DB, f func(*dynastay.Tx) error) error {
	_, err := dynastay.Do(ctx, db.DB, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Out",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			if ref, _ := availability.NightRef(roomTypeID, stay.CheckIn); failed(tx.Found(keys.AvailabilityTable, ref.Key)) {
				return struct{}{}, errFailed
			}
			return struct{}{}, f(tx)
		},
	}))
	return err
}

func failed(_ dynastay.Row, found bool) bool { return found }

var errFailed = errors.New("the condition on the first night has failed")

func TestTakeOut(t *testing.T) {
	t.Parallel()
	text := dynastay.Item{"OutOfOrder": dynastay.Text("one")}
	for _, test := range []struct {
		name     string
		item     dynastay.Item // nil for none
		overbook int
		reason   availability.Reason // "" if it is taken out
		left     int                 // RefusedNight.Left
	}{
		{name: "the last room", item: outNight("2026-07-10", 1, 2)},
		{name: "the first one out of order", item: night(roomTypeID, "2026-07-10")},
		{name: "no room left", item: outNight("2026-07-10", 0, 2), reason: availability.SoldOut},
		{name: "overbooked", item: outNight("2026-07-10", 0, 2), overbook: 1},
		{name: "overbooked as far as may be", item: outNight("2026-07-10", -1, 2), overbook: 1, reason: availability.SoldOut},
		{name: "a stop-sell", item: outNight("2026-07-10", 1, 0, dynastay.Item{"IsBlocked": &types.AttributeValueMemberBOOL{Value: true}})},
		{name: "not on sale", reason: availability.NotOnSale},
		{
			name: "of another property", item: outNight("2026-07-10", 1, 0, dynastay.Item{"PropertyId": dynastay.Text("prop_124")}),
			reason: availability.NotOnSale,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			if test.item != nil {
				putNights(t, db, test.item)
			}
			before := stored(t, db, roomTypeID, "2026-07-10")
			one := dynastay.MustStay("2026-07-10", "2026-07-11")
			refused := repo.CheckTakeOut(t.Context(), propertyID, roomTypeID, one, test.overbook)
			err := moveOut(t.Context(), db, func(tx *dynastay.Tx) error {
				return repo.TakeOut(tx, propertyID, roomTypeID, one.CheckIn, test.overbook)
			})
			after := stored(t, db, roomTypeID, "2026-07-10")
			if test.reason != "" {
				assert.Equal(t, []availability.RefusedNight{{RoomTypeID: roomTypeID, Date: one.CheckIn, Reason: test.reason, Left: test.left}},
					blame.As[*availability.Refused](t, refused).Nights)
				require.ErrorIs(t, err, errFailed)
				assert.Equal(t, before, after)
				return
			}
			require.NoError(t, refused)
			require.NoError(t, err)
			is, was := dynastay.RowOf(after), dynastay.RowOf(before)
			assert.Equal(t, was.Int("AvailableRooms")-1, is.Int("AvailableRooms"))
			assert.Equal(t, was.Int("OutOfOrder")+1, is.Int("OutOfOrder"))
			require.NoError(t, moveOut(t.Context(), db, func(tx *dynastay.Tx) error {
				return repo.PutBack(tx, propertyID, roomTypeID, one.CheckIn)
			}))
			is = dynastay.RowOf(stored(t, db, roomTypeID, "2026-07-10"))
			assert.Equal(t, was.Int("AvailableRooms"), is.Int("AvailableRooms"))
			assert.Equal(t, was.Int("OutOfOrder"), is.Int("OutOfOrder"))
		})
	}
	db, repo := open(t)
	putNights(t, db, outNight("2026-07-10", 1, 0, text))
	err := moveOut(t.Context(), db, func(tx *dynastay.Tx) error { return repo.TakeOut(tx, propertyID, roomTypeID, date("2026-07-10"), 0) })
	require.ErrorIs(t, err, errFailed)
	assertKind(t, repo.CheckTakeOut(t.Context(), propertyID, roomTypeID, stay, 0), dynastay.ErrCorrupt, "OutOfOrder")
	for _, f := range []func(*dynastay.Tx) error{
		func(tx *dynastay.Tx) error { return repo.TakeOut(tx, propertyID, "a#b", date("2026-07-10"), 0) },
		func(tx *dynastay.Tx) error { return repo.PutBack(tx, propertyID, "a#b", date("2026-07-10")) },
	} {
		blame.Invalid(t, moveOut(t.Context(), db, f), "RoomTypeID")
	}
}

// What cannot be put back is left as it is, and does not keep the rest from being put back.
func TestPutBackOfWhatIsGone(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	odd := dynastay.Item{"AvailableRooms": dynastay.Text("five")}
	putNights(t, db, outNight("2026-07-11", 1, 0), outNight("2026-07-12", 1, 1, odd), outNight("2026-07-13", 1, 1),
		outNight("2026-07-15", 1, 1, dynastay.Item{"PropertyId": dynastay.Text("prop_124")}))
	before := raw.All(t, db, keys.AvailabilityTable)
	require.NoError(t, moveOut(t.Context(), db, func(tx *dynastay.Tx) error {
		for _, day := range dates("2026-07-11", "2026-07-12", "2026-07-13", "2026-07-14", "2026-07-15") {
			if err := repo.PutBack(tx, propertyID, roomTypeID, day); err != nil {
				return err
			}
		}
		return nil
	}))
	is := dynastay.RowOf(stored(t, db, roomTypeID, "2026-07-13"))
	assert.Equal(t, []int{2, 0}, []int{is.Int("AvailableRooms"), is.Int("OutOfOrder")})
	after := raw.All(t, db, keys.AvailabilityTable)
	changed := 0
	for i := range before {
		if !assert.ObjectsAreEqual(before[i], after[i]) {
			changed++
		}
	}
	assert.Equal(t, 1, changed)
}

// A room that is out of order is neither sold nor left.
func TestOutOfOrderIsCounted(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	for i, of := range [][2]int{{2, 1}, {4, 1}, {-1, 2}} {
		ref, err := availability.NightRef(hotel.RoomTypeID, stay.CheckIn.AddDays(i))
		require.NoError(t, err)
		change(t, db, keys.AvailabilityTable, ref.Key, "AvailableRooms = :left, OutOfOrder = :out",
			dynastay.Item{":left": dynastay.Number(of[0]), ":out": dynastay.Number(of[1])})
	}
	c, err := repo.Calendar(t.Context(), hotel.ID, stay)
	require.NoError(t, err)
	assert.Equal(t, availability.Totals{Rooms: 5, Sold: 2, Left: 2, OutOfOrder: 1}, c.Days[0].Totals())
	assert.Equal(t, availability.Totals{Rooms: 5, Sold: 4, OutOfOrder: 2, Overbooked: 1}, c.Days[2].Totals())
	total := c.Totals()
	assert.Equal(t, availability.Totals{Rooms: 15, Sold: 6, Left: 6, OutOfOrder: 4, Overbooked: 1}, total)
	assert.Equal(t, total.Rooms+total.Overbooked, total.Sold+total.Left+total.Closed+total.OutOfOrder)
	assert.InDelta(t, 0.4, total.Occupancy(), 1e-9)

	// A total may fall to what is sold and out of order, and not below.
	rooms := func(n, overbook int) error {
		_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{{
			RoomTypeIDs: []string{hotel.RoomTypeID}, Dates: dynastay.MustStay("2026-07-10", "2026-07-11"), Rooms: &n, Overbook: overbook,
		}}})
		return err
	}
	refused := rooms(2, 0)
	assert.Equal(t, availability.SoldError{Sold: 2, OutOfOrder: 1, Rooms: 2}, *blame.As[*availability.SoldError](t, refused))
	assert.ErrorContains(t, refused, "2 rooms are sold and 1 out of order, so a total of 2 requires Overbook to be at least 1")
	require.NoError(t, rooms(2, 1))
	require.NoError(t, rooms(3, 0))
	is := dynastay.RowOf(stored(t, db, hotel.RoomTypeID, "2026-07-10"))
	assert.Equal(t, []int{3, 0, 1}, []int{is.Int("TotalRooms"), is.Int("AvailableRooms"), is.Int("OutOfOrder")})

	ahead := blame.As[*availability.SoldAheadError](t,
		repo.SoldAhead(t.Context(), availability.House{ID: hotel.ID}, []string{hotel.RoomTypeID}))
	assert.Equal(t, availability.SoldNight{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-10"), Rooms: 2}, ahead.Nights[0])
}
