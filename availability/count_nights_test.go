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
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// Nights are counted as they are; those that have expired, or belong to another property, are not there.
func TestCountNights(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := open(t)
	all := dynastay.MustStay("2024-05-01", "2026-05-02")
	putNights(t, db,
		night("a", "2024-05-02", listed(propertyID, "2024-05-02"), soldRooms(2)), // has expired
		night("a", "2025-07-02", listed(propertyID, "2025-07-02"), soldRooms(2)),
		night("a", "2025-07-03", listed(propertyID, "2025-07-03"), soldRooms(7), dynastay.Item{"OutOfOrder": dynastay.Number(3)}),
		night("a", "2025-07-04", listed(propertyID, "2025-07-04"), soldRooms(-1)),
		night("a", "2025-07-05", soldRooms(1), listed("other", "2025-07-05"), dynastay.Item{"PropertyId": dynastay.Text("other")}),
	)
	var refs []dynastay.Ref
	for _, d := range []string{"2024-05-02", "2025-07-02", "2025-07-03", "2025-07-04", "2025-07-05", "2025-07-06"} {
		ref, err := availability.NightRef("a", date(d))
		require.NoError(t, err)
		refs = append(refs, ref)
	}
	sold, err := repo.SoldOn(ctx, propertyID, all)
	require.NoError(t, err)
	assert.Equal(t, map[dynastay.Ref]availability.NightCount{
		refs[1]: {Ref: refs[1], Exists: true, Sold: 2}, refs[2]: {Ref: refs[2], Exists: true, Sold: 4, OutOfOrder: 3},
		refs[3]: {Ref: refs[3], Exists: true, Sold: -1},
	}, sold)
	counts, err := repo.Count(ctx, propertyID, refs)
	require.NoError(t, err)
	for i, want := range []availability.NightCount{{Sold: 2}, {Exists: true, Sold: 2}, {Exists: true, Sold: 4, OutOfOrder: 3}, {Exists: true, Sold: -1}, {}, {}} {
		want.Ref = refs[i]
		assert.Equal(t, want, counts[i])
	}
	_, err = repo.SoldOn(ctx, propertyID, dynastay.Stay{})
	assert.Equal(t, "Dates.CheckIn", blame.As[*dynastay.InvalidError](t, err).Field)

	putNights(t, db, night("a", "2025-07-07", listed(propertyID, "2025-07-07"), dynastay.Item{"TotalRooms": dynastay.Text("five")}))
	_, err = repo.SoldOn(ctx, propertyID, all)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	ref, err := availability.NightRef("a", date("2025-07-07"))
	require.NoError(t, err)
	_, err = repo.Count(ctx, propertyID, []dynastay.Ref{ref})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}

// A night that was sold since it was counted is not recounted.
func TestRecountAfterASale(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openHotel(t, 5)
	ref, err := availability.NightRef(hotel.RoomTypeID, date("2026-07-01"))
	require.NoError(t, err)
	for _, sold := range []string{"SET LastUpdated = :now", "ADD AvailableRooms :less"} {
		for _, when := range []dyntest.When{{Operation: "GetItem", Nth: 1}, {Operation: "UpdateItem", Nth: 1}} {
			counts, err := repo.Count(ctx, hotel.ID, []dynastay.Ref{ref})
			require.NoError(t, err)
			before := raw.Get(t, db, keys.AvailabilityTable, ref.Key)
			db.Faults.Inject(dyntest.Before(func(context.Context) {
				values := dynastay.Item{":now": dynastay.Text("2026-06-01T00:00:00Z"), ":less": dynastay.Number(-1)}
				for name := range values {
					if !strings.Contains(sold, name) {
						delete(values, name)
					}
				}
				raw.Update(t, db, keys.AvailabilityTable, ref.Key, sold, values)
			}), when)
			_, err = dynastay.Do(ctx, db.DB, repo.RecountOp(counts[0], 2, 0))
			assert.ErrorIs(t, err, dynastay.ErrVersion, "%s before %s", sold, when.Operation)
			raw.Put(t, db, keys.AvailabilityTable, before)
		}
	}
}

// Of two recounts of one difference, one is made.
func TestRecountTwice(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, by := range []string{"the library", "other software"} {
		db, hotel, repo := openHotel(t, 5)
		ref, err := availability.NightRef(hotel.RoomTypeID, date("2026-07-01"))
		require.NoError(t, err)
		raw.Update(t, db, keys.AvailabilityTable, ref.Key, "SET OutOfOrder = :two", dynastay.Item{":two": dynastay.Number(2)})
		if by == "other software" {
			raw.Update(t, db, keys.AvailabilityTable, ref.Key, "REMOVE WriteId", nil)
		}
		counts, err := repo.Count(ctx, hotel.ID, []dynastay.Ref{ref})
		require.NoError(t, err)
		lost := db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1, EveryAttempt: true})
		_, err = dynastay.Do(ctx, db.DB, repo.RecountOp(counts[0], 2, -1))
		lost.Stop()
		require.NoError(t, err)
		_, err = dynastay.Do(ctx, db.DB, repo.RecountOp(counts[0], 2, -1))
		assert.ErrorIs(t, err, dynastay.ErrVersion)
		again, err := repo.Count(ctx, hotel.ID, []dynastay.Ref{ref})
		require.NoError(t, err)
		assert.Equal(t, []int{counts[0].Sold + 2, 1}, []int{again[0].Sold, again[0].OutOfOrder}, by)
		assert.Equal(t, []int{4}, hotel.Left(t, db.DB, dynastay.MustStay("2026-07-01", "2026-07-02")), by)
	}
}
