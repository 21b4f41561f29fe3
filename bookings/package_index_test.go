package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// storedItem reads an item of a booking without the library. The result is empty if there is no item.
func storedItem(t *testing.T, db *dyntest.DB, key dynastay.Key) map[string]any {
	t.Helper()
	return plain(t, raw.Get(t, db, bookingsTable, key))
}

var indexKey = regexp.MustCompile(`^GSI\d+[PS]K$`)

// checkDerived compares everything that is derived from a booking's own attributes with the key forms of the
// hotel-booking document. The booking must have one of the references.
func checkDerived(t *testing.T, db *dyntest.DB, id string, references ...string) {
	t.Helper()
	b := storedItem(t, db, keyOf(id))
	text := func(name string) string { return b[name].(string) }
	day := func(name string) time.Time {
		at, err := time.Parse(time.DateOnly, text(name))
		require.NoError(t, err)
		return at
	}
	seconds := func(name string) string { return text(name)[:len("2006-01-02T15:04:05")] + "Z" }
	want := map[string]any{
		"GSI2PK": "PROPERTY#" + text("PropertyId"), "GSI2SK": "CHECKIN#" + text("CheckInDate") + "#BOOKING#" + id,
		"GSI3PK": "STATUS#" + text("Status"), "GSI3SK": "CREATED#" + seconds("CreatedAt") + "#BOOKING#" + id,
		"GSI4PK": "REFERENCE#" + text("BookingReference"), "GSI4SK": "BOOKING",
	}
	if b["UserId"] != nil {
		want["GSI1PK"], want["GSI1SK"] = "USER#"+text("UserId"), "CHECKIN#"+text("CheckInDate")+"#BOOKING#"+id
	}
	if b["Status"] != "cancelled" && b["Status"] != "expired" {
		want["GSI5PK"], want["GSI5SK"] = "CHECKIN#"+text("CheckInDate"), "PROPERTY#"+text("PropertyId")+"#BOOKING#"+id
	}
	if b["Status"] == "pending" && b["HoldExpiresAt"] != nil {
		want["GSI6PK"], want["GSI6SK"] = "HOLDS", "EXPIRES#"+seconds("HoldExpiresAt")+"#BOOKING#"+id
	}
	if (b["Status"] == "confirmed" || b["Status"] == "checked_in") && b["DueAt"] != nil {
		want["GSI6PK"], want["GSI6SK"] = "DUE", "DUE#"+seconds("DueAt")+"#BOOKING#"+id
	}
	if b["Status"] == "checked_in" {
		want["GSI7PK"], want["GSI7SK"] = "HOUSE#"+text("PropertyId"), "OUT#"+text("CheckOutDate")+"#BOOKING#"+id
	}
	got := map[string]any{}
	for name, v := range b {
		if indexKey.MatchString(name) {
			got[name] = v
		}
	}
	assert.Equal(t, want, got, "index keys of %s", id)
	assert.Equal(t, day("CheckOutDate").Sub(day("CheckInDate")).Hours()/24, b["NumberOfNights"])

	assert.Contains(t, references, b["BookingReference"])
	for _, reference := range references {
		guard := storedItem(t, db, dynastay.Key{PK: "REFERENCE#" + reference, SK: "GUARD"})
		if reference != b["BookingReference"] {
			assert.Empty(t, guard, "guard of a reference that %s no longer has", id)
			continue
		}
		assert.Equal(t, map[string]any{
			"PK": "REFERENCE#" + reference, "SK": "GUARD", "EntityType": "Guard", "BookingId": id,
		}, guard)
	}
}

// Two callers change any two fields of a booking at the same time: neither change is lost, and the index keys, the
// nights and the guard of the reference follow from both.
func TestNoChangeOfABookingIsLost(t *testing.T) {
	t.Parallel()
	references := func(id string) []string { return []string{"A-" + id, "B-" + id, "C-" + id} }
	racing.Attributes[bookings.Booking]{
		Entity: bookings.BookingEntity,
		Make: func(t *testing.T, db *dynastay.DB, draw *rand.Rand) *bookings.Booking {
			id := db.NewID("bkg_")
			made, err := entity.NewTable(db, bookings.BookingEntity).Create(t.Context(), &bookings.Booking{
				Summary: bookings.Summary{
					ID: id, Reference: references(id)[0], UserID: "user_456", PropertyID: "prop_123", Stay: fixture.Stay,
					Status: racing.One(draw, bookings.Pending, bookings.Confirmed, bookings.Cancelled),
					Total:  dynastay.MustMoney("840", "USD"), HoldExpiresAt: racing.One(draw, time.Time{}, fixture.Now),
				},
				DueAt: racing.One(draw, time.Time{}, fixture.Now),
			})
			require.NoError(t, err)
			return made
		},
		Values: func(b *bookings.Booking) map[string][]any {
			return map[string][]any{
				"Reference":         {references(b.ID)[1], references(b.ID)[2]},
				"Stay.CheckIn":      {dynastay.MustDate("2026-07-08"), dynastay.MustDate("2026-07-09")},
				"Stay.CheckOut":     {dynastay.MustDate("2026-07-14"), dynastay.MustDate("2027-01-31")},
				"Released.CheckIn":  {dynastay.MustDate("2026-07-11")},
				"Released.CheckOut": {dynastay.MustDate("2026-07-12")},
				"PolicyCheckIn":     {dynastay.MustDate("2026-07-08"), dynastay.Date{}},
				"UserID":            {"user_1", "user_2", ""}, "PropertyID": {"prop_1", "prop_2"},
				"Data":   {bookings.Data{"a": "1"}, bookings.Data{"a": "2", "b": "3"}},
				"Status": {bookings.Pending, bookings.Confirmed, bookings.Cancelled, bookings.Expired, bookings.CheckedIn},
			}
		},
		Kept: []string{"ID", "CreatedAt", "UpdatedAt", "Version", "PaymentStatus", "DueAt", "Lines", "Charges"},
		Check: func(t *testing.T, db *dyntest.DB, b *bookings.Booking) {
			checkDerived(t, db, b.ID, references(b.ID)...)
		},
	}.Run(t)
}

// A booking is cancelled by two callers at once, or while another field is changed: its rooms are returned once, all
// derived attributes are right, and no change is lost.
func TestCancellationRaces(t *testing.T) {
	t.Parallel()
	const rooms = 4
	racing.Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		hotel := fixture.New(t, db.Direct, rooms)
		quote := hotel.Quote(t, db.Direct, fixture.Stay, 1)
		// book makes a booking, and turns half of them into what other software would have stored.
		var made *bookings.Booking
		var stamped bool
		book := func() string {
			var err error
			made, err = bookings.New(db.Direct, nil).Create(t.Context(), fixture.Request(quote))
			require.NoError(t, err)
			if stamped = draw.IntN(2) == 0; !stamped {
				removeAttributes(t, db, keyOf(made.ID), "WriteId", "GSI3PK", "GSI3SK")
			}
			return made.ID
		}
		cancel := func(id string) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				_, err := bookings.New(db, nil).Cancel(ctx, id, "plans changed", nil)
				return err
			}
		}
		changes := map[string]func(*bookings.Booking){
			"SpecialRequests": func(b *bookings.Booking) { b.SpecialRequests = "changed" },
			"CheckInTime":     func(b *bookings.Booking) { b.CheckInTime = "changed" },
			"UserId":          func(b *bookings.Booking) { b.UserID = "changed" },
			"PropertyName":    func(b *bookings.Booking) { b.PropertyName = "changed" },
		}
		change := func(id, name string) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				_, err := entity.NewTable(db, bookings.BookingEntity).Update(ctx, keyOf(id), func(b *bookings.Booking) error {
					changes[name](b)
					return nil
				})
				return err
			}
		}
		check := func(way string, writes int) {
			t.Helper()
			b := storedItem(t, db, keyOf(made.ID))
			assert.Equal(t, "cancelled", b["Status"], way)
			assert.Equal(t, []int{rooms, rooms, rooms}, hotel.Left(t, db.Direct, fixture.Stay), way)
			assert.Equal(t, float64(1+writes), b["Version"], way)
			checkDerived(t, db, made.ID, made.Reference)
			require.False(t, t.Failed(), way)
		}
		// again repeats a call whose outcome is unknown.
		again := func(way racing.Way, err error, call racing.Call) error {
			if way.Unknown && !stamped && errors.Is(err, dynastay.ErrOutcomeUnknown) {
				return call(t.Context(), db.Direct)
			}
			return err
		}
		once := func(way string, errs ...error) {
			t.Helper()
			refused := 0
			for _, err := range errs {
				var state *bookings.StatusError
				if errors.As(err, &state) {
					assert.Equal(t, &bookings.StatusError{BookingID: made.ID, Status: bookings.Cancelled, Op: "cancel"}, state)
					refused++
					continue
				}
				assert.NoError(t, err, way)
			}
			assert.Equal(t, len(errs)-1, refused, way)
			check(way, 1)
		}
		for _, way := range racing.Ways {
			id := book()
			first, second := way.Meet(t, db, cancel(id), cancel(id))
			once(way.Name, again(way, first, cancel(id)), second)

			name := racing.One(draw, "SpecialRequests", "CheckInTime", "UserId", "PropertyName")
			id = book()
			first, second = way.Meet(t, db, cancel(id), change(id, name))
			require.NoError(t, again(way, first, cancel(id)), way.Name)
			require.NoError(t, second, way.Name)
			assert.Equal(t, "changed", storedItem(t, db, keyOf(id))[name], way.Name)
			check(fmt.Sprintf("in the cancellation, %s changed %s", name, way.Name), 2)

			id = book()
			first, second = way.Meet(t, db, change(id, name), cancel(id))
			require.NoError(t, again(way, first, change(id, name)), way.Name)
			require.NoError(t, second, way.Name)
			assert.Equal(t, "changed", storedItem(t, db, keyOf(id))[name], way.Name)
			check(fmt.Sprintf("cancelled %s, in the change of %s", way.Name, name), 2)
		}
		id := book()
		db.Faults.Conflicts(0)
		once("at once", racing.AtOnce(t, db, cancel(id), cancel(id), cancel(id))...)
	}, dyntest.At(fixture.Now))
}

// The rows by hold and by check-in date follow the status.
func TestRowsOfMoves(t *testing.T) {
	t.Parallel()
	l := begin(t, 100)
	for _, status := range statuses {
		b := l.reach(t, status)
		row, err := l.Direct.Get(t.Context(), bookingsTable, keyOf(b.ID), dynastay.Consistent)
		require.NoError(t, err)
		want := ""
		if status == bookings.Pending {
			want = "EXPIRES#" + booked.Add(holdFor).Format(time.RFC3339) + "#BOOKING#" + b.ID
		}
		assert.Equal(t, want, row.Text("GSI6SK"), status)
		assert.Equal(t, status == bookings.Cancelled || status == bookings.Expired, row.Text("GSI5PK") == "", status)
		assert.Equal(t, "STATUS#"+string(status), row.Text("GSI3PK"))
		assert.Equal(t, status == bookings.CheckedIn, row.Text("GSI7PK") != "", status)
	}
}
