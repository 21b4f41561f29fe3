package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

// If the nights cannot be read because responses are lost, nothing is written, and the same update can succeed later.
func TestRetryAfterLostReads(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{
		Operation: "Query", Table: keys.AvailabilityTable.Name, Nth: 1, EveryAttempt: true,
	})
	request := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, july, availability.Change{MinStay: ptr(2)}),
	}}
	report, err := repo.Update(t.Context(), request)
	require.Error(t, err)
	assert.Equal(t, len(report.Dates), report.Count(availability.NotWritten))
	assert.Len(t, report.Retry(), len(report.Dates), "%v", err)
}
