package migrate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/migrate"
)

// A line of nights or of their changes comes after those before it, also if they are of the same nights.
func TestLoadOfNightsInOrder(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	m.load(t, migrate.Properties(m.hosts), "properties", grand)
	nights := func(day, rooms int) string {
		return fmt.Sprintf(`{"PropertyID": "grand", "RoomTypeID": "king", "Nights": {"CheckIn": "2026-07-%02d", "CheckOut": "2026-07-%02d"}, "Rooms": %d, "Price": "280.00 USD"}`,
			day, day+2, rooms)
	}
	var opened, changed []string
	for n := range 20 { // each of two nights, of which the line before has opened one
		opened = append(opened, nights(n+1, n%10+1))
		changed = append(changed, fmt.Sprintf(
			`{"PropertyID": "grand", "Changes": [{"RoomTypeIDs": ["king"], "Dates": {"CheckIn": "2026-07-02", "CheckOut": "2026-07-03"}, "Price": "%d.00 USD"}]}`, 100+n))
	}
	m.load(t, migrate.Nights(m.nights), "nights", opened...)
	m.load(t, migrate.NightChanges(m.nights), "changes", changed...)
	got, err := m.nights.Check(t.Context(), "grand", "king", 1, dynastay.MustStay("2026-07-01", "2026-07-20"))
	require.NoError(t, err)
	assert.Equal(t, "119.00 USD", got.Nights[1].Price.String())
	for n, night := range got.Nights[1:] {
		assert.Equal(t, n%10+1, night.Available, "opened by the first line that has the night: %s", night.Date)
	}
}

// One entry of a list is a list, also if it looks like a number.
func TestLoadOfAListOfOneNumber(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	m.load(t, migrate.Properties(m.hosts), "properties", grand)
	m.load(t, migrate.RoomTypes(m.hosts), "rooms", `{"ID": "101", "PropertyID": "grand", "Name": "Twin", "MaxOccupancy": 2, "MaxAdults": 2, "BasePrice": "200.00 USD", "Total": 5}`)
	m.load(t, migrate.Nights(m.nights), "nights", `{"PropertyID": "grand", "RoomTypeID": "101", "Nights": {"CheckIn": "2026-07-01", "CheckOut": "2026-07-02"}, "Rooms": 3, "Price": "280.00 USD"}`)
	for i, cell := range []string{"101", `"[""101""]"`, " 101 "} {
		loaded := m.load(t, migrate.NightChanges(m.nights), fmt.Sprint("changes", i),
			"PropertyID,Changes[0].RoomTypeIDs,Changes[0].Dates.CheckIn,Changes[0].Dates.CheckOut,Changes[0].Price",
			fmt.Sprintf("grand,%s,2026-07-01,2026-07-02,9%d.00 USD", cell, i))
		assert.Equal(t, 1, loaded.Written, cell)
	}
}

// A quote that does not end would make one line of all that follow it, and they would be lost without a word.
func TestLoadOfAQuoteThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	first, last := "ID,FirstName,LastName,Email,Role,CreatedAt", "b,Bob,Stone,b@example.com,customer,2020-01-01T00:00:00Z"
	for _, all := range [][]string{
		{first, `a,"Ada"" Byron,b@example.com,customer,2020-01-01T00:00:00Z`, last},
		{first, `a,"Ada,Byron,b@example.com,customer,2020-01-01T00:00:00Z`, last, `c,Cleo,Hart",c@example.com,customer,2020-01-01T00:00:00Z`},
	} {
		for _, skip := range []bool{false, true} {
			_, err := m.mover(migrate.Options{}).Load(t.Context(), migrate.Load{
				Name: "users", Lines: migrate.Users(m.guests), CSV: true, SkipInvalid: skip, Open: text(all...),
			})
			assert.ErrorIs(t, err, dynastay.ErrInvalid)
			assert.Equal(t, 2, blame.As[migrate.LineError](t, err).Line)
			_, err = m.guests.Get(t.Context(), "b")
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
		}
	}
}

// What was wrong with a property in one load need not be wrong in the next one of the same lines.
func TestLoadReadsAPropertyAgainAfterAnError(t *testing.T) {
	t.Parallel()
	m := openMove(t)
	mover, lines := m.mover(migrate.Options{}), migrate.Bookings(m.sales, m.hosts)
	load := func(ctx context.Context) (migrate.Loaded, error) {
		return mover.Load(ctx, migrate.Load{Name: "bookings", Lines: lines, CSV: true, Open: text(stays[0], stays[1])})
	}
	_, err := load(t.Context())
	assert.ErrorContains(t, err, "Property.ID: must be that of a property")
	m.load(t, migrate.Properties(m.hosts), "properties", grand)
	ctx, cancel := context.WithCancel(t.Context())
	m.Faults.Inject(dyntest.Before(func(context.Context) { cancel() }), dyntest.When{Operation: "Query", Nth: 1})
	_, err = load(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	loaded, err := load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, loaded.Written)
}
