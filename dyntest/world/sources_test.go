package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// agreedPrice returns what a guest pays for a night at a price: the part of it that the contract says, if there is one.
func agreedPrice(t testing.TB, line bookings.Line, price dynastay.Money) dynastay.Money {
	t.Helper()
	assert.Equal(t, line.Agreed, line.Data["contract"] != "", line.BookingID)
	if !line.Agreed {
		return price
	}
	var part int
	_, err := fmt.Sscanf(line.Data["contract"], "net %d", &part)
	require.NoError(t, err)
	assert.True(t, part >= 80 && part <= 90, part)
	agreed, err := price.Portion(part, 100)
	require.NoError(t, err)
	return agreed
}

// checkOrigin checks who has booked, where, and what the platform has noted.
func checkOrigin(t testing.TB, b *bookings.Booking, people map[string]*users.User) {
	t.Helper()
	agreed := slices.ContainsFunc(b.Lines, func(l bookings.Line) bool { return l.Agreed })
	switch b.Channel {
	case "":
		assert.Empty(t, b.ExternalReference, b.ID)
		if assert.Contains(t, people, b.UserID) {
			assert.Equal(t, people[b.UserID].Email, b.Guest.Email)
		}
		assert.Equal(t, len(b.Data) > 0, b.Data["campaign"] != "", b.ID)
	case frontDesk:
		assert.Empty(t, b.UserID+b.ExternalReference, b.ID)
		assert.Empty(t, b.Data, b.ID)
	default:
		assert.Empty(t, b.UserID, b.ID)
		assert.Equal(t, "ext"+strings.TrimPrefix(b.ID, "bkg"), b.ExternalReference)
		assert.NotEmpty(t, b.Data["commission"], b.ID)
	}
	if b.Channel == "" || b.Channel == frontDesk {
		assert.False(t, agreed, b.ID)
	} else {
		assert.Empty(t, b.PromoCode, b.ID)
	}
}

// The channels of a world that is large enough to show the shares.
func TestChannels(t *testing.T) {
	t.Parallel()
	w, sample := typical()
	people := map[string]*users.User{}
	for u := range w.Users() {
		people[u.ID] = u
	}
	of, all, open, agreed, data := map[string]int{}, 0, 0, 0, 0
	for _, h := range sample {
		for _, b := range h.PastStays {
			assert.Equal(t, bookings.Source{}, b.Source, "guests of the past are users, who have written the reviews")
			assert.Empty(t, b.Data, b.ID)
		}
		for _, b := range h.Bookings {
			checkOrigin(t, b, people)
			if b.PromoCode != "" {
				continue
			}
			all++
			of[b.Channel]++
			switch {
			case b.Channel == "" && len(b.Data) > 0:
				data++
			case b.ExternalReference != "" && b.Lines[0].Plan == nil:
				open++
				if b.Lines[0].Agreed {
					agreed++
				}
			}
			for _, line := range b.Lines {
				assert.Equal(t, b.Lines[0].Agreed, line.Agreed, b.ID)
			}
		}
	}
	assert.Len(t, of, len(channels))
	for _, channel := range channels {
		assert.InDelta(t, channel.weight, percent(of[channel.value], all), 2, channel.value)
	}
	assert.InDelta(t, agreedPercent, percent(agreed, open), 6)
	assert.InDelta(t, campaignPercent, percent(data, of[""]), 2)
}

// A channel finds its reservations by its references, and a user only the bookings of his own.
func TestBookingsOfChannelsAreFound(t *testing.T) {
	t.Parallel()
	w := New(small)
	repo := bookings.New(loaded(t, w).DB, nil)
	mine, found := map[string][]string{}, 0
	for h := range w.Hotels() {
		for _, b := range slices.Concat(h.Bookings, h.PastStays) {
			if b.UserID != "" {
				mine[b.UserID] = append(mine[b.UserID], b.ID)
			}
			if b.ExternalReference == "" {
				continue
			}
			found++
			got, err := repo.ByExternalReference(t.Context(), b.Source)
			require.NoError(t, err)
			assert.Equal(t, b, got)
		}
	}
	assert.Greater(t, found, 5)
	for u := range w.Users() {
		var listed []string
		for _, b := range collected(t, repo.ByUser(u.ID)) {
			listed = append(listed, b.ID)
		}
		assert.ElementsMatch(t, mine[u.ID], listed)
	}
}

// origins returns the sales of the i-th hotel that are not simply the platform's, by the ids of their bookings.
func (w *World) origins(t testing.TB, i int) map[string]sale {
	t.Helper()
	h, of := w.house(i), map[string]sale{}
	sales, err := w.sales(i, h)
	require.NoError(t, err)
	for _, s := range sales {
		if s.noUser || s.data != nil {
			of[s.id] = s
		}
	}
	return of
}

// withoutOrigin removes from an item what the origin of its booking changes: who has booked, the channel, the data, and with
// agreed prices whatever follows from a price. It returns false for an item that exists only because of the origin, or whose
// existence follows from a price.
func withoutOrigin(item dynastay.Item, of map[string]sale) bool {
	row := dynastay.RowOf(item)
	s, ok := of[row.Text("BookingId")]
	if !ok {
		return true
	}
	if keys.Is[keys.ExternalReferenceGuard](keys.BookingsTable.Key.From(row)) {
		return false
	}
	for _, name := range []string{"Channel", "ExternalReference", "Data", "UniqueReference", "IsAgreed"} {
		delete(item, name)
	}
	if index, _ := keys.BookingsTable.Index(keys.UserBookingsIndex); s.noUser {
		delete(item, "UserId")
		delete(item, index.Key.Partition)
		delete(item, index.Key.Sort)
	}
	return s.agreed == 0 || row.Text(keys.AttrEntityType) != "BookingCharges" && unplanned(item) && uncharged(item, false)
}
