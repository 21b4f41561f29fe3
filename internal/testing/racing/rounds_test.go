package racing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

func rename(id, name string) racing.Call {
	return func(ctx context.Context, db *dynastay.DB) error {
		_, err := entity.NewTable(db, boats).Update(ctx, boatKey(id), func(b *boat) error {
			b.Name = name
			return nil
		})
		return err
	}
}

func sink(id string) racing.Call {
	return func(ctx context.Context, db *dynastay.DB) error {
		return entity.NewTable(db, boats).Delete(ctx, boatKey(id))
	}
}

func build(id, name string) racing.Call {
	return func(ctx context.Context, db *dynastay.DB) error {
		_, err := entity.NewTable(db, boats).Create(ctx, &boat{ID: id, Name: name, Harbour: "Kiel"})
		return err
	}
}

// A boat that is sunk while it gets another name, or the other way round, leaves nothing behind; what was decided first is
// what the other one is told.
func TestASunkBoatLeavesNothing(t *testing.T) {
	t.Parallel()
	racing.Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		check := func(about, id string, way racing.Way, renamed, sunk error) {
			if !way.Unknown || !errors.Is(sunk, dynastay.ErrOutcomeUnknown) {
				assert.NoError(t, sunk, about)
			}
			if renamed != nil && (!way.Unknown || !errors.Is(renamed, dynastay.ErrOutcomeUnknown)) {
				assert.ErrorIs(t, renamed, dynastay.ErrNotFound, about)
			}
			if errors.Is(sunk, dynastay.ErrOutcomeUnknown) {
				require.NoError(t, sink(id)(t.Context(), db.Direct), about)
			}
			checkFleet(t, db)
			assert.Empty(t, scan(t, db), about)
			require.False(t, t.Failed(), about)
		}
		for n, way := range racing.Ways {
			id := fmt.Sprint("a", n)
			launch(t, db.Direct, draw, id, "Anna")
			renamed, sunk := way.Meet(t, db, rename(id, "Berta"), sink(id))
			check("sunk "+way.Name+" of a rename", id, way, renamed, sunk)

			id = fmt.Sprint("b", n)
			launch(t, db.Direct, draw, id, "Anna")
			sunk, renamed = way.Meet(t, db, sink(id), rename(id, "Berta"))
			check("renamed "+way.Name+" of a sinking", id, way, renamed, sunk)
		}
		launch(t, db.Direct, draw, "c", "Anna")
		db.Faults.Conflicts(0)
		errs := racing.AtOnce(t, db, rename("c", "Berta"), sink("c"))
		check("at once", "c", racing.Way{}, errs[0], errs[1])
	}, dyntest.OnlyTables(fleet))
}

// Three boats and three names: whatever becomes of them before each request of a call, each boat that is there has its name,
// and each name that is kept has its boat.
func TestEveryNameHasItsBoat(t *testing.T) {
	t.Parallel()
	racing.Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		ids, names := []string{"1", "2", "3"}, []string{"Anna", "Berta", "Cora"}
		step := func() racing.Call {
			id, name := racing.One(draw, ids...), racing.One(draw, names...)
			return racing.One(draw, rename(id, name), rename(id, name), sink(id), build(id, name))
		}
		check := func(err error) {
			if err != nil && !errors.Is(err, dynastay.ErrNotFound) {
				assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
			}
		}
		for range 8 {
			for i, id := range ids {
				check(build(id, names[i])(t.Context(), db.Direct)) // unless it still is there, or its name is taken
			}
			check(racing.Harass(t, db, 6, step(), func() {
				for range draw.IntN(4) {
					check(step()(t.Context(), db.Direct))
				}
			}))
			checkFleet(t, db)
			require.False(t, t.Failed())
		}
		db.Faults.Conflicts(0)
		for _, err := range racing.AtOnce(t, db, step(), step(), step(), step(), step(), step()) {
			check(err)
		}
		checkFleet(t, db)
	}, dyntest.OnlyTables(fleet))
}

// A guard that was another boat's when a call was first sent may be the boat's own again when the call is prepared anew.
func TestANameThatCameBackIsReleased(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]racing.Call{"rename": rename("1", "Dora"), "sink": sink("1")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, dyntest.OnlyTables(fleet))
			do := func(calls ...racing.Call) {
				for _, call := range calls {
					require.NoError(t, call(t.Context(), db.Direct))
				}
			}
			do(build("1", "Anna"))
			gaps := []func(){
				func() {}, // before the read
				func() { do(rename("1", "Berta"), build("2", "Anna")) }, // before the write, refused for both boat and guard
				func() { do(rename("2", "Cora"), rename("1", "Anna")) }, // before the next read
			}
			require.NoError(t, racing.Harass(t, db, len(gaps), call, func() {
				gaps[0]()
				gaps = gaps[1:]
			}))
			checkFleet(t, db)
		})
	}
}
