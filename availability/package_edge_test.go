package availability_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// The nights of a range are counted before anything is allocated for them. The test is not parallel, because it counts
// allocations.
func TestHugeRangesAreRefusedBeforeAnyWork(t *testing.T) {
	db, repo := open(t)
	huge := dynastay.MustStay("2026-07-10", "9999-07-10")
	o := opening("2026-07-10", "9999-07-10")
	req := request(huge, room(roomTypeID, 1))
	quote := quoteOf(t, request(stay, room(roomTypeID, 1)), fixture.Price)
	quote.Stay = huge
	stop := db.Faults.Record()
	for _, test := range []struct {
		name, field string
		call        func() error
	}{
		{"OpenOp", "Nights", func() error { _, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(o)); return err }},
		{"OpenOp with an idempotency key", "Nights", func() error {
			_, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(o), dynastay.IdempotencyKey("k"))
			return err
		}},
		{"Open", "Nights", func() error { _, err := repo.Open(t.Context(), o); return err }},
		{"OpenRequest", "Nights", func() error { return o.Validate() }},
		{"Check", "Stay", func() error { _, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, huge); return err }},
		{"Prices", "Stay", func() error { _, err := repo.Prices(t.Context(), roomTypeID, huge); return err }},
		{"Quote", "Stay", func() error { _, err := repo.Quote(t.Context(), req); return err }},
		{"QuoteRequest", "Stay", func() error { return req.Validate(fixture.Now) }},
		{"Quote.Validate", "Stay", func() error { return quote.Validate() }},
	} {
		allocated := testing.AllocsPerRun(1, func() { blame.Invalid(t, test.call(), test.field, test.name) })
		assert.Less(t, allocated, 5_000.0, "%s of almost 3 million nights", test.name)
	}
	assert.Empty(t, stop(), "no request was sent")
}

// A calendar may have two years of nights; one more night is refused.
func TestTheLongestCalendar(t *testing.T) {
	t.Parallel()
	_, repo := open(t)
	long := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(732)}
	got, err := repo.Check(t.Context(), propertyID, roomTypeID, availability.MaxRooms, long)
	require.NoError(t, err)
	assert.Len(t, got.Refused, 732)
	_, err = repo.Prices(t.Context(), roomTypeID, long)
	require.NoError(t, err)
	long.CheckOut = long.CheckOut.AddDays(1)
	_, err = repo.Check(t.Context(), propertyID, roomTypeID, 1, long)
	blame.Invalid(t, err, "Stay", "Check")
	_, err = repo.Prices(t.Context(), roomTypeID, long)
	blame.Invalid(t, err, "Stay", "Prices")
	_, err = repo.Check(t.Context(), propertyID, roomTypeID, availability.MaxRooms+1, stay)
	blame.Invalid(t, err, "Rooms", "Check")
	assert.EqualError(t, err, "invalid Rooms: must be between 1 and 10,000")
}

// Error texts state the limits with thousands separators, so they do not follow the constants by themselves.
func TestErrorsStateTheLimits(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{1_000, 10_000}, []int{availability.MaxGuests, availability.MaxRooms}, "the texts must state these")
	o := opening("2026-07-01", "2026-07-03")
	o.Rooms = availability.MaxRooms + 1
	assert.EqualError(t, o.Validate(), "invalid Rooms: must be between 1 and 10,000")
	assert.EqualError(t, availability.Limits{MaxOccupancy: availability.MaxGuests + 1}.Validate(),
		"invalid MaxOccupancy: must be between 1 and 1,000")
	largest := room(roomTypeID, availability.MaxRooms)
	assert.EqualError(t, request(stay, largest, room(roomTypeID, 1)).Validate(fixture.Now),
		"invalid Rooms[1].Quantity: must be at most 10,000 in total for one room type")
	largest.Quantity++
	assert.EqualError(t, largest.Validate(), "invalid Quantity: must be between 1 and 10,000")
	large := room(roomTypeID, 1)
	large.MaxAdults = availability.MaxGuests + 1
	assert.EqualError(t, large.Validate(), "invalid MaxAdults: must be between 0 and 1,000 per room")
	quote := quoteOf(t, request(stay, room(roomTypeID, 2)), fixture.Price)
	quote.Sleeps.MaxAdults = 2*availability.MaxGuests + 1
	assert.EqualError(t, quote.Validate(), "invalid Sleeps.MaxAdults: must be between 0 and 1,000 per room")
}

// A sum that overflows would accept any number of guests, or refuse every request.
func TestGuestsCannotOverflow(t *testing.T) {
	t.Parallel()
	largest := room(roomTypeID, availability.MaxRooms)
	largest.MaxAdults, largest.MaxChildren, largest.MaxOccupancy = availability.MaxGuests, availability.MaxGuests, availability.MaxGuests
	req := request(stay)
	for i := range 100 {
		largest.RoomTypeID = fmt.Sprint("room_", i)
		req.Rooms = append(req.Rooms, largest)
	}
	const all = 1_000_000_000
	require.Less(t, int64(2*all), int64(math.MaxInt32), "in 32 bits as well")
	req.Guests = availability.Guests{Adults: all}
	require.NoError(t, req.Validate(fixture.Now))
	for _, test := range []struct {
		field  string
		guests availability.Guests
	}{
		{"Guests.Adults", availability.Guests{Adults: all + 1}},
		{"Guests.Adults", availability.Guests{Adults: math.MaxInt, Children: math.MaxInt}},
		{"Guests.Children", availability.Guests{Adults: 1_000_000, Children: math.MaxInt}},
		{"Guests", availability.Guests{Adults: all, Children: 1}},
	} {
		req.Guests = test.guests
		err := req.Validate(fixture.Now)
		blame.Invalid(t, err, test.field, "")
		assert.ErrorIs(t, err, availability.ErrTooSmall)
	}

	for _, test := range []struct {
		name, field string
		edit        func(*availability.QuoteRequest)
	}{
		{"more entries than a transaction has actions", "Rooms", func(r *availability.QuoteRequest) { r.Rooms = make([]availability.Room, 101) }},
		{"too many rooms", "Rooms[0].Quantity", func(r *availability.QuoteRequest) { r.Rooms[0].Quantity = availability.MaxRooms + 1 }},
		{"too many in total", "Rooms[3].Quantity", func(r *availability.QuoteRequest) {
			r.Rooms = []availability.Room{room("room_a", availability.MaxRooms-2), room("room_b", 2), room("room_a", 1), room("room_a", 2)}
		}},
		{"too many to add up", "Rooms[1].Quantity", func(r *availability.QuoteRequest) {
			r.Rooms = append(r.Rooms, room(roomTypeID, math.MaxInt))
		}},
		{"no rooms", "Rooms", func(r *availability.QuoteRequest) { r.Rooms = nil }},
		{"adults", "Rooms[0].MaxAdults", func(r *availability.QuoteRequest) { r.Rooms[0].MaxAdults = availability.MaxGuests + 1 }},
		{"children", "Rooms[0].MaxChildren", func(r *availability.QuoteRequest) { r.Rooms[0].MaxChildren = math.MaxInt }},
		{"guests", "Rooms[0].MaxOccupancy", func(r *availability.QuoteRequest) { r.Rooms[0].MaxOccupancy = math.MaxInt / 2 }},
		{"negative guests", "Rooms[0].MaxOccupancy", func(r *availability.QuoteRequest) { r.Rooms[0].MaxOccupancy = -1 }},
	} {
		req := request(stay, room(roomTypeID, 1))
		test.edit(&req)
		blame.Invalid(t, req.Validate(fixture.Now), test.field, test.name)
	}
	together := request(stay, room("room_a", availability.MaxRooms-2), room("room_b", 2), room("room_a", 1), room("room_a", 1))
	assert.NoError(t, together.Validate(fixture.Now))

	quote := quoteOf(t, request(stay, room(roomTypeID, 1)), fixture.Price)
	quote.Lines = make([]availability.Line, 101)
	blame.Invalid(t, quote.Validate(), "Lines", "quote")
}

// Text at its maximum length is accepted. Text that is one byte longer, or not valid UTF-8, is refused.
func TestTextsOfARequestHaveLimits(t *testing.T) {
	t.Parallel()
	req := request(stay, room(roomTypeID, 1))
	texts := []struct {
		field string
		text  *string
	}{
		{"Property.Name", &req.Property.Name},
		{"Property.CheckInTime", &req.Property.CheckInTime},
		{"Rooms[0].Name", &req.Rooms[0].Name},
		{"Rooms[0].CancellationPolicy", (*string)(&req.Rooms[0].CancellationPolicy)},
	}
	for _, test := range texts {
		*test.text = strings.Repeat("é", 128)
	}
	req.Rooms[0].CancellationPolicy = availability.CustomPolicy(strings.Repeat("c", 249))
	require.NoError(t, req.Validate(fixture.Now))
	for _, test := range texts {
		good := *test.text
		for _, bad := range []string{good + "a", "\xff"} {
			*test.text = bad
			blame.Invalid(t, req.Validate(fixture.Now), test.field, test.field)
		}
		*test.text = good
	}

	// A zone is looked up as a file, so its length is checked first.
	for size, want := range map[int]string{64: "must be a valid IANA time zone", 65: "must be at most 64 bytes, got 65"} {
		_, err := availability.House{TimeZone: strings.Repeat("z", size)}.Location()
		blame.Invalid(t, err, "TimeZone", "zone")
		assert.ErrorContains(t, err, want)
	}
}

// Error texts end up in logs, so they contain no text from the caller.
func TestErrorsDoNotEchoInput(t *testing.T) {
	t.Parallel()
	const secret = "john@example.com"
	for name, err := range map[string]error{
		"policy":      availability.CancellationPolicy(secret).Validate(),
		"long policy": availability.CancellationPolicy(strings.Repeat(secret, 10_000)).Validate(),
		"time zone":   func() error { _, err := availability.House{TimeZone: secret}.Location(); return err }(),
		"long zone": func() error {
			_, err := availability.House{TimeZone: strings.Repeat(secret, 10_000)}.Location()
			return err
		}(),
		"room type twice": func() error {
			other := room(secret, 1)
			other.Name = "Queen"
			return request(stay, room(secret, 1), other).Validate(fixture.Now)
		}(),
		"line twice": func() error {
			q := quoteOf(t, request(stay, room(secret, 1)), fixture.Price)
			q.Lines = append(q.Lines, q.Lines[0])
			return q.Validate()
		}(),
	} {
		require.ErrorIs(t, err, dynastay.ErrInvalid, name)
		assert.NotContains(t, err.Error(), "john", name)
		assert.Less(t, len(err.Error()), 200, name)
	}
}
