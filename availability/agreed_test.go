package availability_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// Idempotency records contain the hash of an update, so it must remain the same whatever the JSON of its values.
func TestHashOfAnUpdate(t *testing.T) {
	u := availability.UpdateRequest{PropertyID: "prop_123", Changes: []availability.Change{
		{
			RoomTypeIDs: []string{"room_789"}, Dates: dynastay.MustStay("2026-07-01", "2026-07-08"),
			Weekdays: availability.On(time.Friday, time.Saturday), Price: dynastay.MustMoney("250", "USD"), Rooms: aws.Int(5),
			AboveCapacity: true, Overbook: 1, MinStay: aws.Int(2), MaxStay: aws.Int(7), ClosedToArrival: aws.Bool(true),
			ClosedToDeparture: aws.Bool(false), StopSell: aws.Bool(true), StopSellReason: "works",
		},
		{RoomTypeIDs: []string{"room_790"}, Dates: dynastay.MustStay("2026-07-01", "2026-07-02"), MinStay: aws.Int(0)},
	}}
	require.NoError(t, u.Validate())
	sum := sha256.New()
	availability.Agreed(u, &dynastay.Input{Hash: sum})
	assert.Equal(t, "4452c79348803aeb9960a10342c133f35887a34081f2d4f6f8737eb7c104e1e1", hex.EncodeToString(sum.Sum(nil)))
}
