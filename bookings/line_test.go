package bookings_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
)

// requestAgreed asks for rooms of type "a" at agreed prices, one for each list of prices.
func (i *inn) requestAgreed(stay dynastay.Stay, prices ...[]string) availability.QuoteRequest {
	req := i.requestUnder(stay)
	for _, of := range prices {
		room := i.requestUnder(stay, under{"", 1, adults(1)}).Rooms[0]
		room.Party, room.CancellationPolicy = nil, availability.NonRefundable
		for _, price := range of {
			room.Agreed = append(room.Agreed, dollarsOf(price))
		}
		req.Rooms = append(req.Rooms, room)
		req.Guests.Adults++
	}
	return req
}

// What a channel has sold is booked at its prices, although the hotel takes no guests then. Each price is a line of its own.
func TestLinesAtAgreedPrices(t *testing.T) {
	t.Parallel()
	i := follow(t).inn
	stay := dynastay.MustStay("2026-07-05", "2026-07-07")
	for date := range stay.Dates() {
		change(t, i.DB, nightKey(i.roomType("a"), date), "IsBlocked = :v", dynastay.Item{":v": raw.Item(t, map[string]any{"v": true})["v"]})
	}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.requestAgreed(stay, []string{"80", "85"}, []string{"70", "70"}))
	require.NoError(t, err)
	made, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("305"), made.Total)
	assert.Equal(t, []int{1, 2, 2}, []int{made.Lines[0].Number, made.Lines[1].Number, made.LastLine})
	read, err := i.repo.Get(t.Context(), made.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read)
	assert.True(t, read.Lines[0].Agreed && read.Lines[1].Agreed)
	sk := "ROOM#" + i.roomType("a")
	for _, item := range raw.Partition(t, i.DB, keys.BookingsTable, "BOOKING#"+made.ID) {
		if plain := raw.Plain(t, item); plain["SK"] == sk+"#LINE#02" {
			assert.Equal(t, map[string]any{
				"PK": "BOOKING#" + made.ID, "SK": sk + "#LINE#02", "EntityType": "BookingRoom", "BookingId": made.ID, "RoomTypeId": i.roomType("a"),
				"RoomName": "Room a", "Quantity": 1.0, "CancellationPolicy": "non_refundable", "IsAgreed": true,
				"NightlyPrices": map[string]any{"2026-07-05": 80.0, "2026-07-06": 85.0}, "PricePerNight": 82.5, "Subtotal": 165.0,
			}, plain)
		}
	}
	for _, history := range streamtest.Histories(t, i.DB, keys.BookingsTable, i.repo.Changes().Lines) {
		assert.True(t, history[0].Agreed)
	}

	// Nobody seals them for a guest, and they are not sold for longer than a quote under a plan.
	sealer, err := offer.NewSealer(offer.Key{ID: "k", Secret: make([]byte, 32)})
	require.NoError(t, err)
	_, err = sealer.Seal(offer.Offer{Quote: q, Expires: i.Clock.Now().Add(time.Hour)})
	blame.Invalid(t, err, "Quote.Lines[0].Agreed")
	i.Clock.Advance(24*time.Hour + time.Second)
	_, err = i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	assert.ErrorIs(t, err, bookings.ErrOldQuote)
}

// A change at agreed prices is settled as one under a plan: who pays less from now on gives up the difference, who stays
// longer does not, and who gets the price of the nights instead gives up the line.
func TestModifyAtAgreedPrices(t *testing.T) {
	t.Parallel()
	stay := dynastay.MustStay("2026-07-05", "2026-07-07")
	for name, test := range map[string]struct {
		stay        dynastay.Stay
		prices      []string // of each night; none for the price of the nights, 100
		kept, total string
	}{
		"as it is":                {stay, []string{"80", "85"}, "0", "165"},
		"cheaper":                 {stay, []string{"60", "85"}, "20", "145"},
		"dearer":                  {stay, []string{"90", "85"}, "0", "175"},
		"longer, and cheaper":     {dynastay.MustStay("2026-07-05", "2026-07-08"), []string{"60", "60", "60"}, "0", "180"},
		"shorter":                 {dynastay.MustStay("2026-07-05", "2026-07-06"), []string{"80"}, "85", "80"},
		"the price of the nights": {stay, nil, "165", "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInnWithPlans(t)
			q, err := availability.New(i.DB.DB).Quote(t.Context(), i.requestAgreed(stay, []string{"80", "85"}))
			require.NoError(t, err)
			made, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
			require.NoError(t, err)
			offered, err := i.repo.QuoteModification(t.Context(), made.ID, i.requestAgreed(test.stay, test.prices))
			require.NoError(t, err)
			changed, err := i.repo.Modify(t.Context(), offered)
			require.NoError(t, err)
			assert.Equal(t, dollarsOf(test.kept), dynastay.MustMoney(offered.Kept.Amount(), "USD"))
			assert.Equal(t, dollarsOf(test.total), changed.Booking.Lines[0].Subtotal)
			assert.Equal(t, test.prices != nil, changed.Booking.Lines[0].Agreed)
			read, err := i.repo.Get(t.Context(), made.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, changed.Booking, read)
		})
	}
}

// The restrictions that hold for the lines which keep a night hold beside agreed prices too, and the refusal says so.
func TestRulesBesideAgreedPrices(t *testing.T) {
	t.Parallel()
	stay, shorter := dynastay.MustStay("2026-07-05", "2026-07-08"), dynastay.MustStay("2026-07-05", "2026-07-07")
	for _, plan := range []string{"", "flex"} {
		i := newInnWithPlans(t)
		made := i.bookPlans(t, stay, under{plan, 1, adults(1)})
		req := i.requestUnder(shorter, under{plan, 1, adults(1)}, under{plan, 1, adults(1)})
		req.Rooms[1].RatePlanID, req.Rooms[1].Agreed = "", []dynastay.Money{dollarsOf("80"), dollarsOf("85")}
		offered, err := i.repo.QuoteModification(t.Context(), made.ID, req)
		require.NoError(t, err)
		change(t, i.DB, nightKey(i.roomType("a"), shorter.LastNight()), "ClosedToDeparture = :v",
			dynastay.Item{":v": raw.Item(t, map[string]any{"v": true})["v"]})
		_, err = i.repo.Modify(t.Context(), offered)
		assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.ClosedToDeparture))
		_, err = i.repo.QuoteModification(t.Context(), made.ID, req)
		assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.ClosedToDeparture))
	}
}

// Lines whose prices change go on in the order of the amounts.
func TestAgreedPricesGoOnByAmount(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	night := dynastay.MustStay("2026-07-05", "2026-07-06")
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.requestAgreed(night, []string{"99"}, []string{"101"}))
	require.NoError(t, err)
	data := []bookings.Data{{"who": "99"}, {"who": "101"}}
	made, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, LineData: data})
	require.NoError(t, err)
	offered, err := i.repo.QuoteModification(t.Context(), made.ID, i.requestAgreed(night, []string{"102"}, []string{"100"}))
	require.NoError(t, err)
	assert.Zero(t, offered.Kept.Sign(), "both are dearer")
	changed, err := i.repo.Modify(t.Context(), offered)
	require.NoError(t, err)
	for n, want := range []string{"100", "102"} {
		assert.Equal(t, dollarsOf(want), changed.Booking.Lines[n].Subtotal)
		assert.Equal(t, data[n], changed.Booking.Lines[n].Data)
	}
}

// An idempotency key is for the terms as well: the same sum at the price of the nights is another request.
func TestKeyOfAgreedPrices(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.requestAgreed(innStay, []string{"100", "100", "100"}))
	require.NoError(t, err)
	req := bookings.Request{Quote: q, UserID: "user_456", Guest: guest}
	_, err = i.repo.Create(t.Context(), req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	kept := &availability.Quote{} // as an application keeps it
	text, err := json.Marshal(q)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, kept))
	req.Quote = kept
	_, err = i.repo.Create(t.Context(), req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	kept.Lines[0].Nights[0].Price, kept.Lines[0].Nights[1].Price = dollarsOf("50"), dollarsOf("150")
	_, err = i.repo.Create(t.Context(), req, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	req.Quote = q.Clone()
	req.Quote.Lines[0].Agreed = false
	_, err = i.repo.Create(t.Context(), req, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
}

// Each line has data of its own, which every change of the booking keeps unless it replaces them, and which erasure removes.
func TestDataOfLines(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	q := i.quoteUnder(t, innStay, under{"flex", 1, adults(2)}, under{"half", 1, adults(2)}, under{"flex", 1, adults(1)})
	data := []bookings.Data{{"guest.1": "Zoë"}, nil, {"meal": "gluten-free", "bed": "twin"}}
	made, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, LineData: data})
	require.NoError(t, err)
	of := func(b *bookings.Booking) (all []bookings.Data) {
		read, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, b, read)
		for _, line := range read.Lines {
			all = append(all, line.Data)
		}
		return all
	}
	assert.Equal(t, data, of(made))
	made.Lines[0].Data["guest.1"] = "changed" // a copy

	// Other software has stored something else beside the texts. It stays until the data are replaced.
	further := dynastay.Key{PK: "BOOKING#" + made.ID, SK: "ROOM#" + i.roomType("a") + "#LINE#03"}
	raw.Set(t, i.DB, keys.BookingsTable, further, dynastay.Number(7), "Data", "other")
	change := func(want []under, edit func(*bookings.Modification)) *bookings.Booking {
		offered, err := i.repo.QuoteModification(t.Context(), made.ID, i.requestUnder(innStay, want...))
		require.NoError(t, err)
		edit(&offered)
		changed, err := i.repo.Modify(t.Context(), offered)
		require.NoError(t, err)
		return changed.Booking
	}
	b := change([]under{{"flex", 1, adults(1)}, {"half", 1, adults(1)}, {"flex", 1, adults(2)}}, func(*bookings.Modification) {})
	assert.Equal(t, data, of(b), "each line goes on with its own")
	assert.Contains(t, raw.Plain(t, raw.Get(t, i.DB, keys.BookingsTable, further))["Data"], "other")
	data = []bookings.Data{{"guest.1": "Zoë"}, {"meal": "vegan"}, nil}
	b = change([]under{{"flex", 1, adults(1)}, {"half", 1, adults(1)}, {"flex", 1, adults(2)}}, func(m *bookings.Modification) { m.LineData = data })
	assert.Equal(t, data, of(b))
	assert.NotContains(t, raw.Get(t, i.DB, keys.BookingsTable, further), "Data")

	// A line that goes on with none of the booking has no data, even if it gets the number of one that is given up.
	m := bookings.Modification{BookingID: made.ID, Version: b.Version, Quote: i.quoteUnder(t, innStay, under{"half", 1, adults(2)}), Waive: true}
	changed, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	require.Len(t, changed.Booking.Lines, 1)
	of(changed.Booking)
	one, err := i.repo.Modify(t.Context(), bookings.Modification{
		BookingID: made.ID, Version: changed.Booking.Version, Quote: i.quoteUnder(t, innStay, under{"flex", 1, adults(1)}), Waive: true,
		LineData: []bookings.Data{{"a": "1"}},
	})
	require.NoError(t, err)
	assert.Equal(t, []bookings.Data{{"a": "1"}}, of(one.Booking))
	two, err := i.repo.Modify(t.Context(), bookings.Modification{
		BookingID: made.ID, Version: one.Booking.Version, Quote: i.quoteUnder(t, innStay, under{"flex", 1, adults(2)}), Waive: true,
	})
	require.NoError(t, err)
	assert.Equal(t, one.Booking.Lines[0].Number, two.Booking.Lines[0].Number)
	assert.Equal(t, []bookings.Data{nil}, of(two.Booking))

	i.Clock.Set(innStay.CheckOut.Time().Add(48 * time.Hour))
	_, err = i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_456")
	require.NoError(t, err)
	for _, item := range raw.Partition(t, i.DB, keys.BookingsTable, "BOOKING#"+made.ID) {
		assert.NotContains(t, item, "Data")
	}
}

func TestDataOfLinesRefused(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	made := i.book(t, innStay, rooms{"a": 1, "b": 1})
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.request(innStay, rooms{"a": 1, "b": 1}))
	require.NoError(t, err)
	card := "4111 1111 1111 1111"
	stop := i.Faults.Record()
	for _, test := range []struct {
		field string
		data  []bookings.Data
	}{
		{"LineData", []bookings.Data{{"a": "1"}}},
		{"LineData", []bookings.Data{}},
		{"LineData[1].Data[note]", []bookings.Data{nil, {"note": card}}},
		{"LineData[0].Data", []bookings.Data{{"note": strings.Repeat("n", bookings.MaxDataBytes)}, nil}},
	} {
		_, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, LineData: test.data})
		blame.Invalid(t, err, test.field)
		_, err = i.repo.Modify(t.Context(), bookings.Modification{BookingID: made.ID, Version: 1, Quote: q, LineData: test.data})
		blame.Invalid(t, err, test.field)
	}
	_, err = i.repo.Modify(t.Context(), bookings.Modification{BookingID: made.ID, Version: 1, LineData: []bookings.Data{nil, nil}})
	blame.Invalid(t, err, "LineData")
	assert.Empty(t, stop())
}

// An idempotency key is for the data of each line.
func TestKeyOfDataOfLines(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.request(innStay, rooms{"a": 1, "b": 1}))
	require.NoError(t, err)
	req := bookings.Request{Quote: q, UserID: "user_456", Guest: guest, LineData: []bookings.Data{{"a": "1"}, nil}}
	made, err := i.repo.Create(t.Context(), req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	again, err := i.repo.Create(t.Context(), req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, made, again)
	for _, data := range [][]bookings.Data{nil, {nil, {"a": "1"}}, {{"a": "2"}, nil}} {
		req.LineData = data
		_, err = i.repo.Create(t.Context(), req, dynastay.IdempotencyKey("k"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
}
