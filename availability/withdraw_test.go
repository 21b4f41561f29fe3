package availability_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

// deleteRoom deletes a room type that was withdrawn, as package properties does.
func deleteRoom(ctx context.Context, db *dynastay.DB, propertyID, roomTypeID string, w *availability.Withdrawal) error {
	_, err := dynastay.Do(ctx, db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Delete", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			tx.Delete(keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + propertyID, SK: "ROOM#" + roomTypeID})
			return none, w.Check(tx)
		},
	}))
	return err
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	house := availability.House{ID: hotel.ID, TimeZone: hotel.TimeZone}
	offer := hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-20", "2026-07-22"), 1)
	// A Query, two for the guard, a transaction for 31 nights with a Query before and after it, and another Query.
	var w *availability.Withdrawal
	dyntest.Budget(t, db, dyntest.Cost{Requests: 7, ReadUnits: 17, WriteUnits: 2 + 2 + 2 + 3*31}, func() {
		var err error
		w, err = repo.Withdraw(t.Context(), house, hotel.RoomTypeID)
		require.NoError(t, err)
	})
	assert.True(t, strings.HasPrefix(guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed), keys.ClosedByWithdrawal))
	marked, open := closed(t, db, hotel.RoomTypeID)
	assert.Equal(t, []int{31, 0}, []int{marked, open})
	blame.As[*availability.Refused](t, sellQuote(t, db.DB, repo, offer))
	again, err := repo.Withdraw(t.Context(), house, hotel.RoomTypeID)
	require.NoError(t, err)

	_, err = repo.ReopenSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	for _, w := range []*availability.Withdrawal{w, again} {
		assertKind(t, deleteRoom(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID, w), availability.ErrReopened, "")
	}
	w, err = repo.Withdraw(t.Context(), house, hotel.RoomTypeID)
	require.NoError(t, err)
	require.NoError(t, deleteRoom(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID, w))

	before := guardOf(t, db, hotel.RoomTypeID)
	_, err = repo.ReopenSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	_, err = suspension.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
	require.NoError(t, err)
	_, err = resumption.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
	require.NoError(t, err)
	assert.Equal(t, before, guardOf(t, db, hotel.RoomTypeID), "it stays closed for good")
}

func TestWithdrawARoomTypeThatIsSold(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	putNights(t, db, night(roomTypeID, "2026-05-31", soldRooms(1)), night(roomTypeID, "2026-06-01", soldRooms(2)), night(roomTypeID, oneDay))
	stop := db.Faults.Record()
	_, err := repo.Withdraw(t.Context(), here, roomTypeID)
	assert.Len(t, stop(), 1)
	sold := blame.As[*availability.SoldAheadError](t, err)
	assert.Equal(t, []availability.SoldNight{{RoomTypeID: roomTypeID, Date: date("2026-06-01"), Rooms: 2}}, sold.Nights)
	assert.Empty(t, guardOf(t, db, roomTypeID).Text(keys.AttrClosed))

	// Guests who leave today do not prevent it, but their night is marked.
	putNights(t, db, night(roomTypeID, "2026-06-01"))
	_, err = repo.Withdraw(t.Context(), here, roomTypeID)
	require.NoError(t, err)
	for _, row := range nightsOf(t, db, roomTypeID, "2026-05-31") {
		assert.True(t, row.Value(keys.AttrPropertyClosed).Bool(), row.Text("Date"))
	}
}

func TestWithdrawGuards(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoom(t, db, "missing")
	_, err := repo.Withdraw(t.Context(), here, "missing")
	require.NoError(t, err)
	guard := guardOf(t, db, "missing")
	assert.Equal(t, []string{propertyID, "Guard"}, []string{guard.Text("PropertyId"), guard.Text(keys.AttrEntityType)})

	putRoom(t, db, "other")
	putGuard(t, db, "other", "prop_124", nil)
	_, err = repo.Withdraw(t.Context(), here, "other")
	assertKind(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
	assert.Empty(t, guardOf(t, db, "other").Text(keys.AttrClosed))

	_, err = repo.Withdraw(t.Context(), here, "unknown")
	assertKind(t, err, dynastay.ErrNotFound, "")
	assert.False(t, guardOf(t, db, "unknown").Exists())

	putRoom(t, db, "taken")
	onNth(db, "TransactWriteItems", 1, func(context.Context) { putGuard(t, db, "taken", "prop_124", nil) })
	_, err = repo.Withdraw(t.Context(), here, "taken")
	assertKind(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
}

// The closings that others made stay theirs: a withdrawal neither replaces nor undoes them.
func TestWithdrawWhileClosed(t *testing.T) {
	t.Parallel()
	for name, closeFirst := range map[string]func(*dyntest.DB, context.Context, string, string) error{
		"by the host": func(db *dyntest.DB, ctx context.Context, propertyID, _ string) error {
			_, err := direct(db).CloseSales(ctx, propertyID)
			return err
		},
		"by a suspension": func(db *dyntest.DB, ctx context.Context, propertyID, roomTypeID string) error {
			_, err := suspension.do(ctx, db.Direct, propertyID, roomTypeID)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 5)
			house := availability.House{ID: hotel.ID}
			require.NoError(t, closeFirst(db, t.Context(), hotel.ID, hotel.RoomTypeID))
			own := guardOf(t, db, hotel.RoomTypeID)
			_, err := repo.Withdraw(t.Context(), house, hotel.RoomTypeID)
			require.NoError(t, err)

			// A room was sold before its night was marked.
			sellOn := func(context.Context) {
				putNights(t, db, night(hotel.RoomTypeID, oneDay, soldRooms(1), dynastay.Item{"PropertyId": dynastay.Text(hotel.ID), keys.AttrPropertyClosed: yes}))
			}
			onNth(db, "Query", 2, sellOn)
			stop := db.Faults.Record()
			_, err = repo.Withdraw(t.Context(), house, hotel.RoomTypeID)
			assert.Equal(t, 1, count(stop(), "BatchGetItem"), "the guard is not read again")
			blame.As[*availability.SoldAheadError](t, err)
			assert.Equal(t, own, guardOf(t, db, hotel.RoomTypeID))
			_, open := closed(t, db, hotel.RoomTypeID)
			assert.Zero(t, open)
		})
	}
}

// A room is sold after Withdraw has read the nights. What happens next decides how the room type ends up.
func TestWithdrawPutsBack(t *testing.T) {
	t.Parallel()
	type world struct {
		db      *dyntest.DB
		hotelID string
		roomID  string
	}
	for name, test := range map[string]struct {
		then      func(*testing.T, world, context.Context) // after the nights were marked
		also      error
		wantMarks int
		by        string // the prefix of the id of the closing
	}{
		"nothing": {func(*testing.T, world, context.Context) {}, nil, 0, ""},
		"the property is suspended": {func(t *testing.T, w world, ctx context.Context) {
			_, err := suspension.do(ctx, w.db.Direct, w.hotelID, w.roomID)
			assert.NoError(t, err)
		}, availability.ErrSuspended, 31, keys.ClosedByWithdrawal},
		"the host closes the property": {func(t *testing.T, w world, ctx context.Context) {
			_, err := direct(w.db).CloseSales(ctx, w.hotelID)
			assert.NoError(t, err)
		}, nil, 31, ""},
		"the host closes the property while it is put back": {func(t *testing.T, w world, _ context.Context) {
			onNth(w.db, "TransactWriteItems", 1, func(ctx context.Context) {
				_, err := direct(w.db).CloseSales(ctx, w.hotelID)
				assert.NoError(t, err)
			})
		}, nil, 31, ""},
		"the room type is deleted": {func(t *testing.T, w world, ctx context.Context) {
			other, err := direct(w.db).Withdraw(ctx, availability.House{ID: w.hotelID}, w.roomID)
			var sold *availability.SoldAheadError
			assert.ErrorAs(t, err, &sold)
			assert.Nil(t, other)
			_, err = dynastay.Do(ctx, w.db.Direct, dynastay.NewOp(dynastay.OpSpec[struct{}]{
				Name: "test.Delete", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
					tx.Delete(keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + w.hotelID, SK: "ROOM#" + w.roomID})
					return none, nil
				},
			}))
			assert.NoError(t, err)
		}, dynastay.ErrNotFound, 31, keys.ClosedByWithdrawal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 5)
			const yesterday = "2026-05-31"
			putNights(t, db, night(hotel.RoomTypeID, yesterday, dynastay.Item{"PropertyId": dynastay.Text(hotel.ID)}))
			onNth(db, "TransactWriteItems", 2, func(context.Context) { sell(t, db, hotel, 2) })
			onNth(db, "Query", 4, func(ctx context.Context) { test.then(t, world{db, hotel.ID, hotel.RoomTypeID}, ctx) })
			w, err := repo.Withdraw(t.Context(), availability.House{ID: hotel.ID}, hotel.RoomTypeID)
			assert.Nil(t, w)
			sold := blame.As[*availability.SoldAheadError](t, err)
			if test.also != nil {
				assert.ErrorIs(t, err, test.also)
			} else {
				assert.Equal(t, error(sold), err)
			}
			marked, _ := closed(t, db, hotel.RoomTypeID)
			assert.Equal(t, test.wantMarks, marked)
			assert.Equal(t, test.wantMarks > 0, stored(t, db, hotel.RoomTypeID, yesterday)[keys.AttrPropertyClosed] != nil)
			id := guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed)
			assert.Equal(t, test.wantMarks > 0, id != "")
			assert.Equal(t, test.by, id[:strings.Index(id, "#")+1])
		})
	}
}

// Another caller changes the guard while the nights are being marked.
func TestWithdrawIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, wantMarks := range map[string]int{"reopen": 0, "close": 31} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 5)
			onNth(db, "TransactWriteItems", 2, func(ctx context.Context) {
				_, err := hostCalls[name](direct(db), ctx, hotel.ID)
				assert.NoError(t, err)
			})
			_, err := repo.Withdraw(t.Context(), availability.House{ID: hotel.ID}, hotel.RoomTypeID)
			assertKind(t, err, availability.ErrReopened, "")
			marked, _ := closed(t, db, hotel.RoomTypeID)
			assert.Equal(t, wantMarks, marked)
		})
	}
}
