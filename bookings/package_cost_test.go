package bookings_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// moving returns a clock that advances by a second with each reading, with milliseconds that are never zero: times
// without milliseconds are stored in fewer bytes, and the times of a stopped clock do not change between writes.
func moving() func() time.Time {
	var readings atomic.Int64
	return func() time.Time {
		return fixture.Now.Add(time.Duration(readings.Add(1))*time.Second + 123*time.Millisecond)
	}
}

// charged are write units by table, or by table and index number.
type charged map[string]float64

// assertWritten compares the write units of a transaction: by table and index, in total, and for all indexes together.
// Local engines agree on what is written, but not on the units: dynoxide counts two for each KB of an item and one for
// each KB of an index row; DynamoDB Local doubles others.
func assertWritten(t *testing.T, db *dyntest.DB, want charged, total, indexes float64, spent *dyntest.Spent) {
	t.Helper()
	got, inIndexes := charged{}, 0.0
	for _, call := range spent.Calls {
		for _, u := range call.Usage {
			if u.WriteUnits == 0 {
				continue
			}
			index, _, _ := strings.Cut(u.Index, "-")
			got[strings.TrimSpace(u.Table+" "+index)] += u.WriteUnits
			if u.Index != "" {
				inIndexes += u.WriteUnits
			}
		}
	}
	if !db.Has(dyntest.ExactUnits) {
		if db.Has(dyntest.IndexUnits) {
			assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
		}
		return
	}
	assert.Equal(t, want, got)
	assert.Equal(t, total, spent.WriteUnits)
	assert.Equal(t, indexes, inIndexes)
}

// The cost of a confirmed booking of three nights and one room type, without an idempotency key, and of its
// cancellation. However long the special requests are, the indexes pay only for a summary. Random ids make the
// booking's item larger than 1 KB.
func TestCostOfABooking(t *testing.T) {
	t.Parallel()
	const kb = 1024
	var drawn atomic.Int64
	short := func(prefix string) string { return fmt.Sprint(prefix, drawn.Add(1)) }
	for _, test := range []struct {
		name                   string
		newID                  func(string) string // nil draws random ids
		requests               string
		moreThan, atMost       int     // bytes of the booking's item
		item                   float64 // units of the booking's item
		creation, cancellation float64 // units in total
	}{
		{"a service's short ids", short, "Late", 0, kb, 2, 20, 16},
		{"a service's short ids and requests", short, strings.Repeat("Late check-in. ", 10), kb, 2 * kb, 4, 22, 18},
		{"drawn ids", nil, "", kb, 2 * kb, 4, 22, 18},
		{"drawn ids and long requests", nil, strings.Repeat("Late check-in. ", 75), 2 * kb, 3 * kb, 6, 24, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: moving(), NewID: test.newID}))
			hotel, repo := fixture.New(t, db.DB, 5), bookings.New(db.DB, nil)
			req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
			req.UserID, req.SpecialRequests = db.NewID("user_"), test.requests

			var made *bookings.Booking
			spent := db.Measure(func() {
				var err error
				made, err = repo.Create(t.Context(), req)
				require.NoError(t, err)
			})
			row, err := db.Direct.Get(t.Context(), bookingsTable, keyOf(made.ID), dynastay.Consistent)
			require.NoError(t, err)
			size := stored.Size(row.Item())
			assert.Greater(t, size, test.moreThan)
			assert.LessOrEqual(t, size, test.atMost)

			want := charged{
				"Availability": 6, "Availability GSI1": 3, // 3 nights
				"Bookings":      test.item + 2 + 2, // plus the line and the guard of the reference
				"Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 1, "Bookings GSI4": 1, "Bookings GSI5": 1,
			}
			assertWritten(t, db, want, test.creation, 8, spent)
			assert.Equal(t, 1, spent.Requests)
			assert.Zero(t, spent.ReadUnits)

			spent = db.Measure(func() {
				_, err := repo.Cancel(t.Context(), made.ID, "plans changed", nil)
				require.NoError(t, err)
			})
			want = charged{
				"Availability": 6, "Availability GSI1": 3,
				"Bookings":      test.item,
				"Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI5": 1,
				"Bookings GSI3": 2, // a delete from one partition and a put to another; the reference does not change
			}
			assertWritten(t, db, want, test.cancellation, 8, spent)
			assert.Equal(t, 2, spent.Requests)
			assert.Equal(t, 1.0, spent.ReadUnits, "up to 4 KB, strongly consistent")
		})
	}
}

func TestCostOfReads(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: moving()}))
	hotel, repo, costs := fixture.New(t, db.DB, 5), bookings.New(db.DB, nil), page.Costs{DB: db}
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	req.UserID, req.SpecialRequests = db.NewID("user_"), "Late check-in"
	var made *bookings.Booking
	for range 5 {
		var err error
		made, err = repo.Create(ctx, req)
		require.NoError(t, err)
	}
	measure := func(what, why string, requests int, read float64, call func() error) {
		t.Helper()
		spent := db.Measure(func() { require.NoError(t, call(), what) })
		assert.Equal(t, dyntest.Cost{Requests: requests, ReadUnits: read}, spent.Cost, what)
		costs.Add(what, why, spent.Bill())
	}
	measure("get", "the booking and its lines: half a unit for every 4 KB", 1, 0.5, func() error {
		_, err := repo.Get(ctx, made.ID)
		return err
	})
	measure("a page of a list, with 5 bookings", "the summaries; the five bookings have more than 5 KB together",
		1, 0.5, func() error {
			page, err := repo.ByUser(req.UserID).Page(ctx, dynastay.Paging{})
			assert.Len(t, page.Items, 5)
			return err
		})
	for range 2 {
		arrived := booking(db.NewID("bkg_"), fixture.Stay, bookings.CheckedIn)
		load(t, db, bookings.Options{}, []*bookings.Booking{arrived})
	}
	measure("who is in-house, or leaves today", "only keys, of 130 to 160 bytes: a page of 50 takes 1 unit", 1, 0.5, func() error {
		page, err := repo.InHouse(listProperties[0]).Page(ctx, dynastay.Paging{})
		assert.Len(t, page.Items, 2)
		return err
	})
	measure("by reference", "the key, then the booking", 2, 1, func() error {
		_, err := repo.ByReference(ctx, made.Reference)
		return err
	})
	costs.Section(t, "reads of bookings")
}
