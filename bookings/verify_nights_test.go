package bookings_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

func nightOf(n int) dynastay.Date { return innNights.CheckIn.AddDays(n) }

func stayOf(from, to int) dynastay.Stay {
	return dynastay.Stay{CheckIn: nightOf(from), CheckOut: nightOf(to)}
}

// different returns what VerifyNights finds, without the property of the room types.
func (i *inn) different(t *testing.T) []bookings.NightDifference {
	t.Helper()
	err := i.repo.VerifyNights(t.Context(), i.id, innNights)
	if err == nil {
		return nil
	}
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	found := blame.As[*bookings.NightsError](t, err)
	assert.Equal(t, i.id, found.PropertyID)
	return found.Nights
}

// index writes the index keys of the nights.
func (i *inn) index(t *testing.T) {
	t.Helper()
	for _, item := range raw.All(t, i.DB, availabilityTable) {
		_, err := availability.New(i.DB.DB).MendRow(t.Context(), dynastay.RowOf(item))
		require.NoError(t, err)
	}
}

// The rooms of guests who are expected, there, gone early, or did not come are sold; those that were released are not.
func TestVerifyNightsOfEachStatus(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	i := newInn(t)
	stay := stayOf(0, 3)
	var ids []string
	for range innRooms {
		ids = append(ids, i.book(t, stay, rooms{"a": 1, "b": 1}).ID)
	}
	assert.Empty(t, i.different(t), "nights that are in no index")
	i.index(t)
	stop := i.Faults.Record()
	assert.Empty(t, i.different(t))
	assert.Len(t, stop(), 3+innRooms, "the nights, the list of bookings, each of them, and the units")
	_, err := i.repo.CheckIn(ctx, ids[0], nil)
	require.NoError(t, err)
	_, err = i.repo.CheckOut(ctx, ids[0])
	require.NoError(t, err)
	_, err = i.repo.CheckIn(ctx, ids[1], nil)
	require.NoError(t, err)
	_, err = i.repo.Cancel(ctx, ids[2], "", nil)
	require.NoError(t, err)
	stop = i.Faults.Record()
	assert.Empty(t, i.different(t))
	assert.Len(t, stop(), 3+innRooms-1, "one that was cancelled is not read")
	i.Clock.Set(nightOf(1).Time().Add(innNoon.Sub(innNights.CheckIn.Time())))
	_, err = i.repo.NoShow(ctx, ids[3])
	require.NoError(t, err)
	assert.Empty(t, i.different(t), "a no-show has its rooms")
	_, err = i.repo.Release(ctx, ids[3])
	require.NoError(t, err)
	assert.Equal(t, 3, i.taken(t)["a "+nightOf(1).String()])
	assert.Equal(t, 4, i.taken(t)["a "+nightOf(0).String()], "only those from today on come back")
	assert.Empty(t, i.different(t))
}

// Each difference is found and mended, and nothing else.
func TestVerifyNights(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	i := newInn(t)
	first, second := i.book(t, stayOf(1, 3), rooms{"a": 2, "b": 1}), i.book(t, stayOf(2, 4), rooms{"a": 1})
	i.set(t, "a", nightOf(1), "AvailableRooms", 5)
	i.set(t, "a", nightOf(2), "AvailableRooms", 1)
	i.set(t, "c", nightOf(9), "AvailableRooms", innRooms+2)
	_, err := availability.New(i.DB.DB).MendRow(ctx, dynastay.RowOf(i.night("c", nightOf(9)))) // into the index
	require.NoError(t, err)
	raw.Delete(t, i.DB, availabilityTable, nightKey(i.roomType("b"), nightOf(1)))
	raw.Update(t, i.DB, availabilityTable, nightKey(i.roomType("a"), nightOf(1)), "REMOVE WriteId", nil)
	raw.Update(t, i.DB, availabilityTable, nightKey(i.roomType("b"), nightOf(2)), "SET PropertyId = :p", dynastay.Item{":p": dynastay.Text("another")})
	gone := func(n int) bookings.NightDifference {
		return bookings.NightDifference{RoomTypeID: i.roomType("b"), Date: nightOf(n), Booked: 1, Bookings: []string{first.ID}, NotOpen: true}
	}
	both := []string{first.ID, second.ID}
	if second.ID < first.ID {
		both = []string{second.ID, first.ID}
	}
	other := bookings.NightDifference{RoomTypeID: i.roomType("c"), Date: nightOf(9), Sold: -2}
	want := []bookings.NightDifference{
		{RoomTypeID: i.roomType("a"), Date: nightOf(1), Sold: 0, Booked: 2, Bookings: []string{first.ID}},
		{RoomTypeID: i.roomType("a"), Date: nightOf(2), Sold: 4, Booked: 3, Bookings: both},
		gone(1), gone(2), other,
	}
	assert.Equal(t, want, i.different(t))

	mended, err := i.repo.MendNights(ctx, i.id, innNights)
	require.Error(t, err)
	assert.Equal(t, []bookings.NightDifference{want[0], want[1], other}, mended)
	assert.Equal(t, []bookings.NightDifference{gone(1), gone(2)}, blame.As[*bookings.NightsError](t, err).Nights)
	stop := i.Faults.Record()
	assert.Equal(t, []bookings.NightDifference{gone(1), gone(2)}, i.different(t))
	looked := len(stop())
	stop = i.Faults.Record()
	_, err = i.repo.MendNights(ctx, i.id, innNights)
	require.Error(t, err)
	assert.Len(t, stop(), looked, "there is nothing to write, and so nothing to look at again")
	taken := i.taken(t)
	assert.Equal(t, []int{2, 3, 1, 0}, []int{taken["a "+nightOf(1).String()], taken["a "+nightOf(2).String()], taken["a "+nightOf(3).String()], taken["c "+nightOf(9).String()]})

	mended, err = i.repo.MendNights(ctx, i.id, stayOf(3, 10))
	require.NoError(t, err, "other dates")
	assert.Empty(t, mended)
}

// More rooms are booked than there are. The night says so, and nobody can book one more.
func TestMendNightsOversold(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.book(t, stayOf(0, 1), rooms{"a": innRooms})
	i.set(t, "a", nightOf(0), "AvailableRooms", 3)
	i.book(t, stayOf(0, 1), rooms{"a": 2})
	mended, err := i.repo.MendNights(t.Context(), i.id, innNights)
	require.NoError(t, err)
	assert.Equal(t, []int{4, 7}, []int{mended[0].Sold, mended[0].Booked})
	assert.Equal(t, map[string]int{"a " + nightOf(0).String(): 7}, i.taken(t))
	assert.Empty(t, i.different(t))
}

// What is sold, cancelled or changed by the host while the nights are compared is no difference, and no mend loses it.
func TestVerifyNightsWhileTheyChange(t *testing.T) {
	t.Parallel()
	first := newInn(t)
	for operation, requests := range map[string]int{"Query": 10, "BatchGetItem": 5, "GetItem": 2, "UpdateItem": 2} {
		for nth := 1; nth <= requests; nth++ {
			for name, meanwhile := range map[string]func(ctx context.Context, i *inn, had string) error{
				"sold": func(ctx context.Context, i *inn, _ string) error { return i.sellOne(ctx) },
				"cancelled": func(ctx context.Context, i *inn, had string) error {
					_, err := bookings.New(i.Direct, nil).Cancel(ctx, had, "", nil)
					return err
				},
				"changed": func(_ context.Context, i *inn, _ string) error { i.addRooms(t); return nil },
				"mended": func(ctx context.Context, i *inn, _ string) error {
					_, err := bookings.New(i.Direct, nil).MendNights(ctx, i.id, innNights)
					return err
				},
			} {
				i := first.next(t)
				had := i.book(t, stayOf(0, 2), rooms{"a": 1})
				i.book(t, stayOf(0, 1), rooms{"a": 1})
				i.set(t, "a", nightOf(0), "AvailableRooms", 2) // 3 of 5 are left
				change := i.Faults.Inject(dyntest.Before(func(ctx context.Context) {
					require.NoError(t, meanwhile(ctx, i, had.ID))
				}), dyntest.When{Operation: operation, Nth: nth, Optional: true})
				mended, err := i.repo.MendNights(t.Context(), i.id, innNights)
				change.Stop()
				require.NoError(t, err)
				for _, m := range mended {
					assert.Equal(t, -1, m.Booked-m.Sold, "%s before %s %d", name, operation, nth)
				}
				assert.Empty(t, i.different(t), "%s before %s %d", name, operation, nth)
			}
		}
	}
}

func (i *inn) sellOne(ctx context.Context) error {
	q, err := availability.New(i.Direct).Quote(ctx, i.request(stayOf(0, 2), rooms{"a": 1}))
	if err != nil {
		return err
	}
	_, err = bookings.New(i.Direct, nil).Create(ctx, bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	return err
}

// addRooms changes the total as a host does.
func (i *inn) addRooms(t *testing.T) {
	raw.Update(t, i.DB, availabilityTable, nightKey(i.roomType("a"), nightOf(0)),
		"SET WriteId = :id ADD TotalRooms :two, AvailableRooms :two", dynastay.Item{
			":two": dynastay.Number(2), ":id": &types.AttributeValueMemberB{Value: []byte("123456789012")},
		})
}

// The list of bookings lags: one that it shows as it was before its cancellation has no rooms, and before it is believed that
// rooms are nobody's, it must have had the time to show every booking.
func TestVerifyNightsFromAnIndexThatLags(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.index(t)
	had := i.book(t, stayOf(0, 2), rooms{"a": 1})
	stale := i.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: bookingsTable.Name})
	_, err := i.repo.Cancel(t.Context(), had.ID, "", nil)
	require.NoError(t, err)
	assert.Empty(t, i.different(t))
	i.book(t, stayOf(0, 2), rooms{"a": 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	patient := bookings.New(i.Open(&dynastay.Options{IndexLag: time.Hour, Observer: dynastay.RequestObserver(func(_ context.Context, call dynastay.Call) {
		if call.Operation == "BatchGetItem" {
			cancel()
		}
	})}), nil)
	assert.Equal(t, context.Canceled, patient.VerifyNights(ctx, i.id, innNights), "it was waiting, not reading")
	stale.Stop()
	assert.Empty(t, i.different(t))
}

// Between the two reads of a night, its bookings are read: one that is made after the first and cancelled before the second has no
// rooms of either.
func TestVerifyNightsWhileOneIsSoldAndCancelled(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.book(t, stayOf(0, 2), rooms{"a": 1}) // its nights are in no index, and so in doubt
	direct := &inn{&dyntest.DB{DB: i.Direct}, bookings.New(i.Direct, nil), i.id}
	var sold string
	i.Faults.Inject(dyntest.After(func(context.Context) {
		i.Clock.Advance(time.Second)
		sold = direct.book(t, stayOf(0, 2), rooms{"a": 1}).ID
	}), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	i.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		i.Clock.Advance(time.Second)
		_, err := direct.repo.Cancel(ctx, sold, "", nil)
		require.NoError(t, err)
	}), dyntest.When{Operation: "BatchGetItem", Nth: 2})
	assert.Empty(t, i.different(t))
}

// A booking that moves in the index may be missed by the list that is read at that moment: one that an earlier list had is read too.
func TestVerifyNightsOfABookingThatMoves(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	had := i.book(t, stayOf(0, 2), rooms{"a": 1}) // its nights are in no index, and so in doubt
	i.Faults.Inject(dyntest.Before(func(context.Context) {
		raw.Update(t, i.DB, bookingsTable, dynastay.Key{PK: "BOOKING#" + had.ID, SK: "METADATA"}, "REMOVE GSI2PK, GSI2SK", nil)
	}), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	assert.Empty(t, i.different(t))
}

// What cannot be read says nothing about the nights, whatever was found before: a walk of many properties must stop.
func TestVerifyWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.book(t, stayOf(0, 2), rooms{"a": 1})
	i.set(t, "a", nightOf(0), "AvailableRooms", 3)
	changes := i.Faults.Inject(dyntest.Before(func(context.Context) {
		raw.Set(t, i.DB, availabilityTable, nightKey(i.roomType("a"), nightOf(1)), dynastay.Text("2026-01-01T00:00:00Z"), "LastUpdated")
	}), dyntest.When{Operation: "BatchGetItem", Nth: 2})
	i.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "BatchGetItem", Nth: 3})
	err := i.repo.VerifyNights(t.Context(), i.id, innNights)
	changes.Stop()
	assert.ErrorContains(t, err, "AccessDeniedException")
	assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
}

// The nights of a stay of long ago have expired, the booking has not.
func TestVerifyNightsOfLongAgo(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.book(t, stayOf(0, 2), rooms{"a": 1})
	raw.Delete(t, i.DB, availabilityTable, nightKey(i.roomType("a"), nightOf(0)))
	raw.Delete(t, i.DB, availabilityTable, nightKey(i.roomType("a"), nightOf(1)))
	for years, want := range map[int]int{0: 2, 2: 1, 3: 0} { // two years after the first night, it has expired
		i.Clock.Set(innNights.CheckIn.Time().AddDate(years, 0, 0).Add(time.Hour))
		assert.Len(t, i.different(t), want, years)
	}
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, i.repo.VerifyNights(t.Context(), i.id, stayOf(2, 2)), &invalid)
	assert.Equal(t, "Dates.CheckOut", invalid.Field)
}

// A booking that has lost its lines would seem to have no rooms, which a mend would sell a second time.
func TestVerifyNightsOfABookingWithoutLines(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.index(t)
	lost := i.book(t, stayOf(0, 1), rooms{"a": innRooms})
	raw.Delete(t, i.DB, bookingsTable, dynastay.Key{PK: "BOOKING#" + lost.ID, SK: "ROOM#" + i.roomType("a")})
	mended, err := i.repo.MendNights(t.Context(), i.id, innNights)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Empty(t, mended)
	assert.Equal(t, map[string]int{"a " + nightOf(0).String(): innRooms}, i.taken(t))
}
