package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// Nights in several currencies, which only other software can have stored, are a reason why a stay cannot be sold, as any
// other. A booking has one currency, which is that of its first night.
func TestQuoteOfSeveralCurrencies(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	euro := dynastay.Item{"Currency": dynastay.Text("EUR")}
	putNights(t, db, night(roomTypeID, "2026-07-10"), night(roomTypeID, "2026-07-11", euro), night("room_790", "2026-07-10"),
		night("room_790", "2026-07-11"), night("room_791", "2026-07-10", euro), night("room_791", "2026-07-11", euro))
	two := dynastay.MustStay("2026-07-10", "2026-07-12")
	other := func(roomTypeID, date string) availability.RefusedNight {
		return availability.RefusedNight{
			RoomTypeID: roomTypeID, Date: dynastay.MustDate(date), Reason: availability.OtherCurrency, Price: dynastay.MustMoney("280", "EUR"),
		}
	}
	for _, test := range []struct {
		rooms []availability.Room
		want  []availability.RefusedNight
	}{
		{[]availability.Room{room(roomTypeID, 1)}, []availability.RefusedNight{other(roomTypeID, "2026-07-11")}},
		{[]availability.Room{room("room_791", 1), room("room_790", 1)}, []availability.RefusedNight{other("room_791", "2026-07-10"), other("room_791", "2026-07-11")}},
		{[]availability.Room{room("room_791", 1)}, nil},
	} {
		req := request(two, test.rooms...)
		_, err := repo.Quote(t.Context(), req)
		_, again := repo.Requote(t.Context(), req, availability.Booked{})
		for _, err := range []error{err, again} {
			if test.want == nil {
				require.NoError(t, err)
				continue
			}
			var refused *availability.Refused
			require.ErrorAs(t, err, &refused)
			assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
			assert.Equal(t, test.want, refused.Nights)
		}
	}
}
