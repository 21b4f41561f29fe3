package racing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/racing"
)

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
