package availability_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

// brokenOff breaks do off before and after some of its requests, as if the program had ended, and calls repeat after
// each. With the flag -closings=-1, at every request.
func brokenOff(t *testing.T, db *dyntest.DB, requests int, do func() error, repeat func(nth int)) {
	step := 1
	if *closings > 0 {
		step = max(1, requests / *closings)
	}
	for nth := 1; nth <= requests; nth += step {
		for _, fault := range []dyntest.Fault{dyntest.LoseRequest(), dyntest.LoseAnswer()} {
			broken := db.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 10 * requests, Optional: true})
			err := do()
			broken.Stop()
			require.Error(t, err, "broken off at request %d", nth)
			repeat(nth)
		}
	}
}

func TestSuspendingIsResumable(t *testing.T) {
	t.Parallel()
	const rooms, nights = 10, 2
	db, repo := open(t)
	ids := bigHotel(t, db, rooms, nights)
	_, err := repo.CloseSales(t.Context(), propertyID)
	require.NoError(t, err)
	host := ids[0]
	for _, id := range ids[1:] { // the host has closed only one of them
		putGuard(t, db, id, propertyID, nil)
		for _, n := range nightsOf(t, db, id, "2026-07-01") {
			putNights(t, db, withoutMark(n))
		}
	}
	own := guardOf(t, db, host).Text(keys.AttrClosed)
	once := withRetry(db, dynastay.Retry{Attempts: 1})
	for _, m := range []struct {
		move
		opposite move
		requests int
		want     int // marked nights
	}{
		{suspension, resumption, 3 + 1 + (rooms-1)*3, rooms * nights},
		{resumption, suspension, 3 + (rooms-1)*3, nights},
	} {
		do := func() error { _, err := m.do(t.Context(), once, propertyID, ids...); return err }
		prepare := func() {
			_, err := m.opposite.do(t.Context(), db.Direct, propertyID, ids...)
			require.NoError(t, err)
		}
		stop := db.Faults.Record()
		require.NoError(t, do())
		require.Len(t, stop(), m.requests, m.status)
		prepare()
		brokenOff(t, db, m.requests, do, func(nth int) {
			require.NoError(t, do())
			marked, _ := closed(t, db, ids...)
			require.Equal(t, m.want, marked, "%s, broken off at request %d", m.status, nth)
			require.Equal(t, own, guardOf(t, db, host).Text(keys.AttrClosed))
			require.Equal(t, m.status, statusOf(t, db, propertyID))
			prepare()
		})
		require.NoError(t, do())
	}
}

func withoutMark(night dynastay.Row) dynastay.Item {
	item := night.Item()
	delete(item, keys.AttrPropertyClosed)
	return item
}

// Whoever changes the guard last wins: the other caller is refused at its next transaction, and leaves no night in the
// wrong state.
func TestSuspensionAndResumptionMeet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first     move
		then      []move
		lost      error
		wantMarks int
	}{
		"suspension is overtaken":     {suspension, []move{resumption}, availability.ErrReopened, 0},
		"by a suspension of its own":  {suspension, []move{resumption, suspension}, availability.ErrReopened, 31},
		"resumption is overtaken":     {resumption, []move{suspension}, availability.ErrClosed, 31},
		"by a resumption of its own":  {resumption, []move{suspension, resumption}, availability.ErrClosed, 0},
		"the same suspension at once": {suspension, []move{suspension}, nil, 31},
		"the same resumption at once": {resumption, []move{resumption}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, _ := openHotel(t, 5)
			if test.first.status == resumption.status {
				_, err := suspension.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
				require.NoError(t, err)
			}
			// The first caller has changed the guard and read the nights.
			db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				for _, m := range test.then {
					_, err := m.do(ctx, db.Direct, hotel.ID, hotel.RoomTypeID)
					assert.NoError(t, err)
				}
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
			_, err := test.first.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
			if test.lost != nil {
				assertKind(t, err, test.lost, "")
			} else {
				assert.NoError(t, err)
			}
			marked, open := closed(t, db, hotel.RoomTypeID)
			assert.Equal(t, []int{test.wantMarks, 31 - test.wantMarks}, []int{marked, open})
		})
	}
}

// The host changes the guard after Add has read it: the transaction is prepared again.
func TestSuspendIsOvertakenByTheHost(t *testing.T) {
	t.Parallel()
	for name, closedBefore := range map[string]bool{"close": false, "reopen": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := openHotel(t, 5)
			if closedBefore {
				_, err := repo.CloseSales(t.Context(), hotel.ID)
				require.NoError(t, err)
			}
			onNth(db, "TransactWriteItems", 1, func(context.Context) {
				_, err := hostCalls[name](direct(db), t.Context(), hotel.ID)
				assert.NoError(t, err)
			})
			_, err := suspension.do(t.Context(), db.DB, hotel.ID, hotel.RoomTypeID)
			require.NoError(t, err)
			guard := guardOf(t, db, hotel.RoomTypeID).Text(keys.AttrClosed)
			assert.Equal(t, closedBefore, len(guard) > 0 && guard[:min(len(guard), len(keys.ClosedByStatus))] == keys.ClosedByStatus, guard)
			_, open := closed(t, db, hotel.RoomTypeID)
			assert.Zero(t, open)
		})
	}
}

// A reopening by the host that is still under way when the property is suspended puts nothing on sale.
func TestSuspendDuringAReopening(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := suspension.do(ctx, db.Direct, hotel.ID, hotel.RoomTypeID)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	_, err = repo.ReopenSales(t.Context(), hotel.ID)
	assertKind(t, err, availability.ErrClosed, "")
	_, open := closed(t, db, hotel.RoomTypeID)
	assert.Zero(t, open)
}
