package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

func TestListsOfBookings(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	var asked []*venue.Booking
	for i := range 5 {
		asked = append(asked, h.asked(t, ann, day.AddDays(i), venue.Morning))
		h.asked(t, ben, day.AddDays(i), venue.Morning)
		h.Clock.Advance(time.Minute)
	}
	_, err := h.repo.Approve(t.Context(), admin, approval(asked[1]))
	require.NoError(t, err)
	var of []string
	for _, b := range lists.All(t, h.repo.BookingsOf(ann.UserID)) {
		of = append(of, b.BookingID)
	}
	assert.Equal(t, []string{asked[4].ID, asked[3].ID, asked[2].ID, asked[1].ID, asked[0].ID}, of)
	var before time.Time
	pending := lists.All(t, h.repo.Pending())
	assert.Len(t, pending, 9)
	for _, b := range pending {
		assert.False(t, b.RequestedAt.Before(before))
		assert.Equal(t, venue.Pending, b.Status)
		before = b.RequestedAt
	}
	assert.NotContains(t, pending, asked[1])
}

// The bookings that wait are spread over partitions, and listed in their order.
func TestPendingShards(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	repo := venue.New(h.DB.DB, &venue.Options{PendingShards: key.Shards{Write: 4, Read: 4}})
	var want []string
	for n := range 12 {
		h.Clock.Advance(time.Minute)
		b, err := repo.Request(t.Context(), ann, request(ann, day.AddDays(n), venue.Morning))
		require.NoError(t, err)
		want = append(want, b.ID)
	}
	partitions := map[string]bool{}
	for _, id := range want {
		row, err := h.Direct.Get(t.Context(), venuekeys.Table, dynastay.Key{PK: "BOOKING#" + id, SK: "METADATA"}, dynastay.Consistent)
		require.NoError(t, err)
		partitions[row.Text("GSI1PK")] = true
	}
	assert.Greater(t, len(partitions), 1)
	var got []string
	for b, err := range repo.Pending().All(t.Context()) {
		require.NoError(t, err)
		got = append(got, b.ID)
	}
	assert.Equal(t, want, got)
	assert.Panics(t, func() { venue.New(h.DB.DB, &venue.Options{PendingShards: key.Shards{Write: 2, Read: 1}}) })
}
