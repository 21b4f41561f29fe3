package availability_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// bill is the cost of a call: its operations in order, the read units by table or by table and index, and the tables
// that it is charged for writing to. Local engines do not agree on the number of write units of a transaction.
type bill struct {
	operations []string
	reads      map[string]float64
	writes     []string
}

func TestCosts(t *testing.T) {
	t.Parallel()
	var prefix string
	var got bill
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: fixture.Clock, Observer: func(_ context.Context, c dynastay.Call) {
		assert.Equal(t, 1, c.Requests())
		assert.NoError(t, c.Err)
		got.operations = append(got.operations, c.Operation)
		for _, u := range c.Usage {
			name := strings.TrimSpace(strings.TrimPrefix(u.Table, prefix) + " " + u.Index)
			if u.ReadUnits > 0 {
				got.reads[name] += u.ReadUnits
			}
			if u.WriteUnits > 0 && u.Index == "" {
				got.writes = append(got.writes, name)
			}
		}
		slices.Sort(got.writes)
	}}))
	prefix = db.TableName(&dynastay.Schema{})
	repo := availability.New(db.DB)
	putRoomType(t, db, roomTypeID)
	putRoomType(t, db, "room_790")
	putProperty(t, db, "America/New_York")

	open := func(o availability.OpenRequest) func() error {
		return func() error { _, err := repo.Open(t.Context(), o); return err }
	}
	quote := func(stay dynastay.Stay, rooms ...availability.Room) func() error {
		return func() error { _, err := repo.Quote(t.Context(), request(stay, rooms...)); return err }
	}
	july, quarter := opening("2026-07-01", "2026-08-01"), opening("2026-07-01", "2026-09-29")
	other := july
	other.RoomTypeID = "room_790"
	openings, both := []string{"BatchGetItem", "Query", "TransactWriteItems"}, []string{"Availability", "Properties"}
	for _, test := range []struct {
		name       string
		call       func() error
		operations []string
		reads      float64 // of Availability; negative if engines differ
		writes     []string
	}{
		{"Open 31 nights", open(july), openings, -1, both},
		{"Open them again", open(july), []string{"BatchGetItem", "Query"}, 3, nil},
		{"Open another room type", open(other), openings, -1, both},
		{"Check 3 nights", func() error {
			_, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, stay)
			return err
		}, []string{"Query"}, 0.5, nil},
		{"Prices of 31 nights", func() error {
			_, err := repo.Prices(t.Context(), roomTypeID, july.Nights)
			return err
		}, []string{"Query"}, 1.5, nil},
		{"Quote one room type", quote(stay, room(roomTypeID, 2)), []string{"Query"}, 0.5, nil},
		{"Quote two room types", quote(stay, room(roomTypeID, 1), room("room_790", 1), room(roomTypeID, 1)), []string{"Query", "Query"}, 1, nil},
		{"Open the rest of 90 nights", open(quarter), openings, 3, both},
		{"Quote 90 nights", quote(quarter.Nights, room(roomTypeID, 2)), []string{"Query"}, 3.5, nil},
	} {
		got = bill{reads: map[string]float64{}}
		require.NoError(t, test.call(), test.name)
		t.Logf("%s: %+v", test.name, got)
		assert.Equal(t, test.operations, got.operations, test.name)
		assert.Equal(t, test.writes, got.writes, test.name)
		if test.reads >= 0 {
			reads := map[string]float64{"Availability": test.reads}
			if slices.Contains(test.operations, "BatchGetItem") {
				reads["Properties"] = 2 // the room type and its property, consistently
			}
			assert.Equal(t, reads, got.reads, test.name)
		}
	}
}
